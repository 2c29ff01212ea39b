"""Configurations of study B from a file of its own: a YAML of the older benchmark, or a section of touchstone.yaml."""

import re
from pathlib import Path
from typing import Any

from resources.configuration.load import configured, values_in
from resources.configuration.pairwise import PairwiseStudy
from resources.errors import UserError

SECTION = "pairwise"
# As the models of OpenAI's release are written elsewhere; only with QuickGELU are they those models.
OPENAI = "openai"
QUICK = "-quickgelu"
# The hub's spelling, "openai/clip-vit-large-patch14-336": the picture's side in pixels where it is not 224.
_ON_THE_HUB = re.compile(r"(?:openai/)?clip-(vit)-(base|large)-patch(\d+)(?:-(\d+))?", re.IGNORECASE)


def read_pairwise(path: Path) -> PairwiseStudy:
    """The study that a file describes, its relative paths taken from the file's folder.

    Args:
        path: YAML with the older benchmark's keys at the top, or with a section `pairwise`.

    Raises:
        UserError: Every fault of the file in one message.
    """
    values = values_in(path)
    if SECTION in values:
        study = configured(values, path).pairwise
    else:
        try:
            limits = {"limits": values.pop("limits")} if "limits" in values else {}
            study = configured({"study": "benchmark", SECTION: translated(values), **limits}, path).pairwise
        except UserError as problem:
            # The file itself has no such section: neither before a key nor before what is said of the whole.
            raise UserError(re.sub(rf"(?m)^  {SECTION}(\.|: )", "  ", str(problem))) from problem
    if study is None:
        raise UserError(f"{path} has an empty section `{SECTION}`: it must name pairs_csv and image_root.")
    return study


def translated(values: dict[str, Any]) -> dict[str, Any]:
    """The older benchmark's keys as this one's: the same names, with three looser forms of their values.

    Nulls ask for the default, `clip_model` may be a name, and `clip_attributes` a mapping from names to sentences.
    """
    given = {key: value for key, value in values.items() if value is not None}
    if isinstance(model := given.get("clip_model"), str):
        given["clip_model"] = {"architecture": _architecture(model), "tag": OPENAI}
    attributes = given.get("clip_attributes")
    if isinstance(attributes, dict):
        given["clip_attributes"] = [
            {"name": name, **sentences} if isinstance(sentences, dict) else sentences
            for name, sentences in attributes.items()
        ]
    return given


def _architecture(name: str) -> str:
    if on_the_hub := _ON_THE_HUB.fullmatch(name.strip()):
        _, size, patch, side = on_the_hub.groups()
        plain = "-".join(["ViT", size[0].upper(), patch, *([side] if side else [])])
    else:
        plain = name.strip().removeprefix("openai/").replace("/", "-")
    return plain if plain.endswith(QUICK) else f"{plain}{QUICK}"
