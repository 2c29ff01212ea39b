"""Photo series small enough to reason about, as files, and a study over them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import dagster as dg
import numpy as np
import pandas as pd
import pytest
from upath import UPath

from assets.shared.partitions import METHODS
from pipeline.definitions import definitions_of
from pipeline.runs import Outcome, run_pairwise
from resources.configuration.pairwise import PairwiseStudy
from resources.photos.features import efficientnet
from resources.runtime.home import Home
from resources.study import Study
from resources.tables.all_tables import TABLES
from resources.tables.parquet import read
from tests.small_study import without_drawing

N_SERIES = 12
HEADER = "series_id,compareID1,compareID2,compareFile1,compareFile2,LEFT,RIGHT,Total,Agreement,MaxVote,num_reviewers"


def write_series(folder: Path) -> tuple[Path, Path]:
    """Twelve series of a sharp photo and the same one blurred; four of five people want the sharp one.

    In every other series the sharp photo is the first.

    Returns:
        The CSV of votes and the folder of photos.
    """
    photos = folder / "photos"
    photos.mkdir(parents=True)
    rows = [HEADER]
    for series in range(1, N_SERIES + 1):
        coarse = np.random.default_rng(series).integers(40, 216, (12, 16, 3), dtype=np.uint8)
        sharp = cv2.resize(coarse, (96, 72), interpolation=cv2.INTER_NEAREST)
        first_is_sharp = series % 2 == 1
        pictures = (sharp, cv2.GaussianBlur(sharp, (0, 0), 3))
        for number, picture in enumerate(pictures if first_is_sharp else pictures[::-1], start=1):
            assert cv2.imwrite(str(photos / f"{series:06d}-{number:02d}.JPG"), picture)
        left, right = (4, 1) if first_is_sharp else (1, 4)
        winner = 0 if first_is_sharp else 1
        rows.append(f"{series},0,1,{series}-1.JPG,{series}-2.JPG,{left},{right},5,0.8,{winner},5")
    pairs = folder / "pairs.csv"
    pairs.write_text("\n".join(rows) + "\n")
    return pairs, photos


def series_study(folder: Path, **changes: Any) -> Study:
    """A study over these files with a home of its own and every built-in method, most of them without weights."""
    write_series(folder)
    return described(folder, **changes)


def described(folder: Path, **changes: Any) -> Study:
    """The study over the files that `write_series` left in a folder."""
    plan: dict[str, Any] = {"pairs_csv": folder / "pairs.csv", "image_root": folder / "photos"}
    plan |= {"bootstrap_resamples": 100}
    section = PairwiseStudy(**(plan | changes))
    assert list(section.methods) == METHODS.get_partition_keys()
    return Study("small", None, Home(UPath(folder / "home"), folder / "home"), pairwise_section=section)


@contextmanager
def without_weights() -> Iterator[None]:
    """Let no model have weights: those of one come in a package, and to load its library takes longer than a run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, efficientnet.PACKAGE, None)
        yield


def judge_pairs(study: Study, instance: dg.DagsterInstance, *methods: str) -> Outcome:
    """The whole study through Dagster, or of these methods alone, without plots, and where no model has weights."""
    with without_drawing(), without_weights():
        return run_pairwise(definitions_of(study), instance, methods)


def stored(study: Study, table: str, method: str | None = None) -> pd.DataFrame:
    """A table as it lies on disk, read by its declaration."""
    place = study.home.tables / "pairwise" / table
    path = place / f"{method}.parquet" if method else place.with_suffix(".parquet")
    with path.open("rb") as file:
        return read(TABLES[table], file)
