"""The real file of TID2013's scores as tests read it."""

import csv
from pathlib import Path

import numpy as np


def tid2013(shared_data: Path) -> tuple[dict[str, np.ndarray], list[str]]:
    """Its numeric columns, and the reference image of each of the 3,000 images (spelt in one case)."""
    with (shared_data / "evaluation" / "tid2013_metrics.csv").open() as file:
        rows = list(csv.DictReader(file))
    columns = {name: np.array([float(row[name]) for row in rows]) for name in rows[0] if not name.endswith("_img")}
    return columns, [row["ref_img"].lower() for row in rows]
