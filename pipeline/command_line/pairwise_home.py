"""Which study `touchstone pairwise` runs and in which home, and what is refused before anything is made there."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pipeline.command_line.init import slug, study_name
from resources.errors import UserError, did_you_mean
from resources.runtime.home import Home, touchstone_home

if TYPE_CHECKING:
    from resources.configuration.pairwise import PairwiseStudy

FOLDER: Final = "benchmarks"
FEATURES: Final = "photo_features"


def described(home: Home, config: Path | None, given: dict[str, Any]) -> "PairwiseStudy":
    """The study that the file, else the options, else the current configuration describe.

    Raises:
        UserError: The file is wrong, or nothing names votes and photos.
    """
    from reports.pairwise.export.folder import BASE
    from resources.configuration.older_benchmark import read_pairwise
    from resources.configuration.pairwise import PairwiseStudy

    if "pairs_csv" in given:
        # A name in a file is that of the votes in it.
        given = {"dataset_name": given["pairs_csv"].stem} | given
    if config is not None:
        study = read_pairwise(config.absolute()).model_copy(update=given)
    elif {"pairs_csv", "image_root"} <= given.keys():
        study = PairwiseStudy(**given)
    elif section := configured(home, sample="pairs_csv" not in given and "image_root" not in given):
        study = section.model_copy(update=given)
    else:
        raise UserError("Nothing names the votes and the photos: give --pairs and --images, or --config.")
    return study.model_copy(update={"output_dir": study.output_dir or home.outputs / BASE})


def configured(home: Home, *, sample: bool) -> "PairwiseStudy | None":
    """Study B of the current configuration; the built-in one, where a user has none, only if asked for."""
    from resources.configuration.load import load_configuration
    from resources.configuration.place import configuration_file

    return load_configuration(home).pairwise if sample or configuration_file(home) is not None else None


def refuse_half(home: Home, config: Path | None, given: Mapping[str, Any]) -> None:
    """Refuse votes without photos and photos without votes, where no file of the user's names the others.

    Raises:
        UserError: The built-in sample would stand in for them, and judge these votes on photos of other things.
    """
    if config is not None or configured(home, sample=False) is not None:
        return
    options = {"pairs_csv": "--pairs", "image_root": "--images"}
    if len(half := options.keys() & given.keys()) == 1:
        [there] = (options[key] for key in half)
        [missing] = set(options.values()) - {there}
        raise UserError(f"`{there}` needs `{missing}` too: no touchstone.yaml names the other. Nothing was judged.")


def refuse_unusable(study: "PairwiseStudy", given: Mapping[str, Any] = MappingProxyType({})) -> None:
    """Refuse a study whose votes or photos are not there or whose results could not be written, before it has a home.

    Args:
        study: As it would run.
        given: Settings by options: a folder that was just named is not missing on purpose.

    Raises:
        UserError: The file, folder or place of the results, with the option and the key that name it.
    """
    from reports.pairwise.export.folder import refuse_unwritable

    if not study.pairs_csv.is_file():
        raise UserError(f"There is no file {study.pairs_csv} (--pairs, `pairs_csv`). Nothing was judged.")
    of_photos = study.pairs_of == "photos"
    if of_photos and not study.image_root.is_dir() and (study.max_missing_share < 1 or "image_root" in given):
        raise UserError(
            f"There is no folder {study.image_root} (--images, `image_root`). Name the folder of the photos; "
            "`max_missing_share: 1` in a --config goes on without photos. Nothing was judged."
        )
    if study.output_dir is not None:
        refuse_unwritable(study.output_dir, "--output, `output_dir`")


def refuse_faulty(study: "PairwiseStudy", methods: Sequence[str]) -> None:
    """Refuse votes that do not hold and methods that the study has not, before it has a home.

    Raises:
        UserError: Every fault of the file, or the method.
    """
    from resources.inputs.pairwise.photo_votes import read_photo_votes

    for name in methods:
        if name not in study.methods:
            known = ", ".join(study.methods)
            raise UserError(f"The study has no method '{name}'{did_you_mean(name, study.methods)}. It has {known}.")
    if study.pairs_of == "photos":
        read_photo_votes(study.pairs_csv, study.cluster_column, study.columns, study.photo_number)


def claimed(home: Home, study: "PairwiseStudy") -> Home:
    """A home for this study alone, with its configuration; from now on it is the home of this process.

    Args:
        home: Below which it lies.
        study: Where it runs again, it finds what was computed.
    """
    import yaml

    from resources.configuration.load import load_configuration
    from resources.configuration.place import FILE_NAME, configuration_file
    from resources.configuration.yaml_text import current_limits
    from resources.inputs.pairwise.photo_places import BY_ID
    from resources.runtime.partial_files import write_whole

    limits = current_limits()
    name = _folder_name(study.dataset_name)
    judged: list[object] = [study.pairs_csv, study.image_root, study.orders, study.sample_size]
    if study.photo_number != BY_ID:
        judged.append(study.photo_number)
    folder = f"{name}_{_digest(*judged)}"
    # A part of the sample is as made up as the sample.
    is_sample = configuration_file(home) is None and study.pairs_csv.is_relative_to(home.samples)
    made_up = load_configuration(home).made_up if is_sample else {}
    shared = study.model_copy(update={"features_dir": study.features_dir or _features(home, study)})
    os.environ["TOUCHSTONE_HOME"] = str(home.base / FOLDER / folder)
    os.environ.pop("TOUCHSTONE_CONFIG", None)
    own = touchstone_home()
    settings = {"study": study_name(Path(name)), "pairwise": shared.model_dump(mode="json")}
    if set_limits := limits.model_dump(exclude_defaults=True):
        settings["limits"] = set_limits
    if "pairwise" in made_up:
        settings["made_up"] = {"pairwise": list(made_up["pairwise"])}
    write_whole(own.local / FILE_NAME, yaml.safe_dump(settings, sort_keys=False, allow_unicode=True, width=118))
    return own


def _features(home: Home, study: "PairwiseStudy") -> Path | None:
    """Where features of the same photos by the same models lie, whatever pairs of them are judged.

    They are the configured study's where it has these photos. At an address they stay in the study's own home.
    """
    from resources.photos.features.shards import features_folder

    if not isinstance(home.base, Path):
        return None
    section = configured(home, sample=True)
    if section is not None and _measured(section) == _measured(study):
        return Path(features_folder(home, section))
    return Path(home.base) / FEATURES / f"{_folder_name(study.image_root.name)}_{_digest(*_measured(study))}"


def _measured(study: "PairwiseStudy") -> tuple[object, ...]:
    """What decides which photos a name stands for, and what is measured on them."""
    return study.image_root, study.rules_long_side, study.clip_model, study.vit_model


def _folder_name(words: str) -> str:
    return slug(words) or "photos"


def _digest(*values: object) -> str:
    return hashlib.sha256("\n".join(map(str, values)).encode()).hexdigest()[:8]
