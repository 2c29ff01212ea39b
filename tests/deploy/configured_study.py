"""The small study as a user has it: a home with touchstone.yaml, run by other processes than the tests' own."""

import os
import sys
from pathlib import Path
from typing import Any

import yaml

from resources.runtime.home import CHECKOUT
from tests.small_study import KEYS, write_study

SETTINGS = KEYS[:2]
# Six alterations of two items, as in the small study.
GOLDEN = {
    "n_items": 2,
    "stripes": {"shaded_opacities": []},
    "hue_degrees": [],
    "saturation": [],
    "brightness": [],
    "blur_px": [],
    "texture_scale": [],
    "logo_share": [],
}


def write_configured_study(folder: Path, **changed: Any) -> Path:
    """Write inputs and a home that names them; returns the home."""
    write_study(folder)
    home = folder / "home"
    home.mkdir()
    section: dict[str, Any] = {
        "human_scores": "../subjective.csv",
        "references": "../references",
        "candidates": "../candidates",
        "judge": {"kind": "replay", "path": "../calls.jsonl"},
        "bootstrap_resamples": 200,
        "golden": GOLDEN,
    }
    (home / "touchstone.yaml").write_text(yaml.safe_dump({"study": "small", "fidelity": section | changed}))
    return home


def environment(home: Path, **more: str) -> dict[str, str]:
    """What a process needs to run this study from this checkout."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TOUCHSTONE_", "DAGSTER_"))}
    return kept | {"TOUCHSTONE_HOME": str(home), "PYTHONPATH": str(CHECKOUT)} | more


def touchstone() -> str:
    """The command of this environment."""
    return str(Path(sys.executable).parent / "touchstone")
