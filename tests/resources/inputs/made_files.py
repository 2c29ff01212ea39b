"""Small input files that the tests of this folder share."""

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from resources.configuration.fidelity import FidelityStudy

SCORE_HEADER = "3D Object filename,Visual Fidelity"
CATALOGUE_HEADER = "job_id,product_id,variant,algo,output_glb_relpath,category_l1,category_l2,category_l3"


def glb(digits: str, item: str = "100", algorithm: str = "trellis_single") -> str:
    """A file name whose hash is the digits, filled up to 8; ``item`` is ``product`` or ``product_variant``."""
    separator = "_" if "_" in item else "__"
    return f"{item}{separator}{algorithm}_N2_A-b_2025-08-17_v1_h{digits:0>8}.glb"


def job(digits: str) -> str:
    """A job whose first 8 digits are those of `glb`."""
    return f"{digits:0>8}" + "f" * 32


def catalogue_row(digits: str, product: str = "100", variant: str = "", algorithm: str = "trellis_single") -> str:
    path = rf"runs\out\{glb(digits, product, algorithm)}"
    return f"{job(digits)},{product},{variant},{algorithm},{path},Home,Chairs,Stools"


def written(path: Path, *lines: str, encoding: str = "utf-8", end: str = "\n") -> Path:
    path.write_bytes(end.join(lines).encode(encoding))
    return path


def study(folder: Path, **changes: Any) -> FidelityStudy:
    """A study whose files lie in one folder."""
    paths = {"human_scores": folder / "subjective.csv", "references": folder / "refs", "candidates": folder / "cand"}
    return FidelityStudy(**{**paths, **changes})


def picture(path: Path, side_px: int = 24, level: int = 90) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.full((side_px, side_px, 3), level, np.uint8)).save(path)
    return path
