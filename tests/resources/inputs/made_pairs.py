"""Small files of photo pairs that the tests share."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from resources.configuration.pairwise import PairwiseStudy
from tests.resources.inputs.made_files import written

HEADER = "series_id,compareID1,compareID2,compareFile1,compareFile2,LEFT,RIGHT,Total,Agreement,MaxVote,num_reviewers"


def row(series: str, first: int, second: int, left: int, right: int, **changes: Any) -> str:
    """A row as PhotoTriage writes it, ties naming the second image; `changes` put another cell in."""
    total = left + right
    cells: dict[str, Any] = dict(
        zip(
            HEADER.split(","),
            (
                *(series, first, second, "", "", left, right, total),
                *(max(left, right) / max(total, 1), first if left > right else second, total),
            ),
            strict=True,
        )
    )
    return ",".join(str(cell) for cell in (cells | changes).values())


def pairs_file(folder: Path, rows: Iterable[str], header: str = HEADER) -> Path:
    return written(folder / "pairs.csv", header, *rows)


def pairwise_study(folder: Path, **changes: Any) -> PairwiseStudy:
    """A study whose photos need not be there."""
    plan: dict[str, Any] = {
        "pairs_csv": folder / "pairs.csv",
        "image_root": folder / "photos",
        "max_missing_share": 1.0,
        "bootstrap_resamples": 100,
    }
    return PairwiseStudy(**(plan | changes))
