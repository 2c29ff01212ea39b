"""`touchstone pairwise`: the benchmark on a file of votes and a folder of photos, without a configuration."""

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console

from pipeline.command_line.run_study import EngineName, run_and_show, with_pairwise
from resources.errors import UserError
from resources.home import Home, touchstone_home

if TYPE_CHECKING:
    from resources.configuration.pairwise import PairwiseStudy

QUICK_PAIRS = 100
FOLDER = "benchmarks"


def pairwise(
    pairs: Annotated[
        Path | None, typer.Option(help="CSV of photo pairs with votes, in PhotoTriage's columns.", metavar="CSV")
    ] = None,
    images: Annotated[
        Path | None, typer.Option(help="Folder of the photos, {series}-{number}.JPG.", metavar="FOLDER")
    ] = None,
    orders: Annotated[
        Literal["merged", "as_listed"] | None,
        typer.Option(help="Both orders of a pair as one, or each listed row by itself."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(help="YAML of the older benchmark, or a touchstone.yaml; options count more.", metavar="YAML"),
    ] = None,
    engine: Annotated[
        EngineName | None, typer.Option(help="Who computes photo features: this machine, or a Ray cluster.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="What the data set is called; the CSV's name where left out.", metavar="NAME")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where the folder of results goes.", metavar="FOLDER")
    ] = None,
    quick_test: Annotated[bool, typer.Option("--quick-test", help=f"{QUICK_PAIRS} pairs only, drawn by seed.")] = False,
) -> None:
    """Which image measure picks the photo that people pick? On your votes and photos, else on the configured study.

    Other votes, photos or orders than the configured ones, and a quick test, get a home of their own below
    benchmarks/ in the home, so that no table of the study is replaced.
    """
    console = Console()
    home = touchstone_home()
    changes = {
        "pairs_csv": pairs and pairs.absolute(),
        "image_root": images and images.absolute(),
        "orders": orders,
        "engine": engine,
        "output_dir": output and output.absolute(),
        "dataset_name": name,
        "sample_size": QUICK_PAIRS if quick_test else None,
    }
    given = {key: value for key, value in changes.items() if value is not None}
    _refuse_half(home, config, given)
    if config is None and not (pairs or images):
        _prepare_sample_series(home, console)
    if config is None and not given.keys() - {"engine", "output_dir"}:
        from resources.study import study_from_environment

        run_and_show(home, console, "pairwise", (), study=with_pairwise(study_from_environment(), **given))
        return
    study = described(home, config, given)
    refuse_unusable(study)
    own = claimed(home, study)
    console.print(f"Tables, features and report go to {own.base}", soft_wrap=True, highlight=False)
    run_and_show(own, console, "pairwise", ())
    console.print(f"In the web UI: TOUCHSTONE_HOME={own.base} touchstone dev", soft_wrap=True, highlight=False)


def _refuse_half(home: Home, config: Path | None, given: dict[str, Any]) -> None:
    """Refuse votes without photos and photos without votes, where no file of the user's names the others.

    Raises:
        UserError: The built-in sample would stand in for them, and judge these votes on photos of other things.
    """
    from resources.configuration.load import configuration_file

    if config is not None or configuration_file(home) is not None:
        return
    options = {"pairs_csv": "--pairs", "image_root": "--images"}
    if len(half := options.keys() & given.keys()) == 1:
        [there] = (options[key] for key in half)
        [missing] = set(options.values()) - {there}
        raise UserError(f"`{there}` needs `{missing}` too: no touchstone.yaml names the other. Nothing was judged.")


def refuse_unusable(study: "PairwiseStudy") -> None:
    """Refuse a study whose votes or photos are not there or whose results could not be written, before it has a home.

    Raises:
        UserError: The file, folder or place of the results, with the option that names it.
    """
    if not study.pairs_csv.is_file():
        raise UserError(f"There is no file {study.pairs_csv} (--pairs, `pairs_csv`). Nothing was judged.")
    if not study.image_root.is_dir() and study.max_missing_share < 1:
        raise UserError(
            f"There is no folder {study.image_root} (--images, `image_root`). Name the folder of the photos; "
            "`max_missing_share: 1` in a --config goes on without photos. Nothing was judged."
        )
    place = study.output_dir
    if place is None:
        return
    there = next(one for one in (place, *place.parents) if one.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise UserError(
            f"Results cannot be written to {place} (--output, `output_dir`): {there} is "
            f"{'not writable' if there.is_dir() else 'no folder'}. Name a folder of yours. Nothing was judged."
        )


def _prepare_sample_series(home: Home, console: Console) -> None:
    """The sample series, where no configuration names a user's own."""
    from resources.configuration.load import configuration_file

    if configuration_file(home) is not None:
        return
    from pipeline.samples.pairwise import write_pairwise_samples

    with console.status("Making the sample series (once, seconds)"):
        write_pairwise_samples(home.samples / "pairwise")
    console.print("No votes and photos are named: the built-in sample series are judged.")


def described(home: Home, config: Path | None, given: dict[str, Any]) -> "PairwiseStudy":
    """The study that the file, else the options, else the configuration in force describe.

    Args:
        home: Whose configuration is in force; the results go there too unless told otherwise.
        config: The file.
        given: Settings that count more than the file's.

    Raises:
        UserError: The file is wrong, or nothing names votes and photos.
    """
    from resources.configuration.load import load_configuration
    from resources.configuration.older_benchmark import read_pairwise
    from resources.configuration.pairwise import PairwiseStudy
    from resources.pairwise_export.folder import BASE

    if config is not None:
        study = read_pairwise(config.absolute()).model_copy(update=given)
    elif {"pairs_csv", "image_root"} <= given.keys():
        study = PairwiseStudy(**{"dataset_name": given["pairs_csv"].stem, **given})
    elif section := load_configuration(home).pairwise:
        study = section.model_copy(update=given)
    else:
        raise UserError("Nothing names the votes and the photos: give --pairs and --images, or --config.")
    return study.model_copy(update={"output_dir": study.output_dir or home.outputs / BASE})


def claimed(home: Home, study: "PairwiseStudy") -> Home:
    """A home for this study alone, with its configuration; from now on it is the home of this process.

    Args:
        home: Below which it lies.
        study: Where it runs again, it finds what was computed.
    """
    import yaml

    from resources.configuration.load import FILE_NAME
    from resources.partial_files import write_whole

    files = f"{study.pairs_csv}\n{study.image_root}\n{study.orders}\n{study.sample_size}"
    name = re.sub(r"[^a-z0-9]+", "_", study.dataset_name.lower()).strip("_") or "photos"
    folder = f"{name}_{hashlib.sha256(files.encode()).hexdigest()[:8]}"
    os.environ["TOUCHSTONE_HOME"] = str(home.base / FOLDER / folder)
    os.environ.pop("TOUCHSTONE_CONFIG", None)
    own = touchstone_home()
    settings = {"study": f"benchmark_{folder}", "pairwise": study.model_dump(mode="json")}
    write_whole(own.local / FILE_NAME, yaml.safe_dump(settings, sort_keys=False, allow_unicode=True, width=118))
    return own
