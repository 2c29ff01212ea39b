"""Sample inputs of the pairwise study: series of real photographs with known faults, and votes drawn from them."""

import csv
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from pipeline.samples.pairwise import PAIRS, PHOTOS, TRUTH
from tools.samples.pairwise_photos import taken, view_of
from tools.samples.pairwise_plan import SampleSeries, Votes, cast_votes, planned_series

MAX_THREADS = 4
SOURCES = "photographs.txt"
HEADER = (
    *("series_id", "compareID1", "compareID2", "compareFile1", "compareFile2"),
    *("LEFT", "RIGHT", "Total", "max_count", "Agreement", "MaxVote", "num_reviewers", "scene"),
)
CREDITS = """\
The photos of the sample series are parts of these photographs, cropped, blurred, brightened, darkened and made noisy.

From scikit-image (skimage.data, whose documentation names each one's source; in the public domain or CC0): astronaut,
brick, camera, chelsea, coffee, coins, grass, gravel, hubble_deep_field, ihc, moon, motorcycle (left and right), retina,
rocket.
From scikit-learn (sklearn.datasets), both CC BY 2.0, https://creativecommons.org/licenses/by/2.0/:
china, https://www.flickr.com/photos/danielbuechele/6061409035/
flower, https://www.flickr.com/photos/vultilion/6056698931/
"""


def write_all(folder: Path, seed: int) -> None:
    """Every file of the study's samples into an empty folder."""
    series = planned_series(seed)
    _write_csv(folder / PAIRS, HEADER, map(_pair_row, cast_votes(series, seed)))
    _write_csv(folder / TRUTH, ("image", *series[0].photos[0]._fields), _truth_rows(series))
    (folder / SOURCES).write_text(CREDITS, encoding="utf-8")
    (folder / PHOTOS).mkdir()
    with ThreadPoolExecutor(min(os.cpu_count() or 1, MAX_THREADS)) as threads:
        list(threads.map(partial(_write_series, folder / PHOTOS, seed), series))


def _write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _pair_row(votes: Votes) -> tuple[object, ...]:
    """A row in PhotoTriage's form; like there, a tie's MaxVote names the second photo."""
    scene, first, second, left, right = votes
    winner = first if left > right else second
    return (
        *(first.series_id, first.compare_id, second.compare_id),
        *(f"{photo.series}-{photo.compare_id + 1}.JPG" for photo in (first, second)),
        *(left, right, left + right, max(left, right)),
        *(max(left, right) / (left + right), winner.compare_id, left + right, scene),
    )


def _truth_rows(series: Iterable[SampleSeries]) -> list[tuple[object, ...]]:
    return [
        (photo.name, photo.series, photo.compare_id, *(f"{value:.6f}" for value in photo[2:]))
        for one in series
        for photo in one.photos
    ]


def _write_series(folder: Path, seed: int, series: SampleSeries) -> None:
    # A generator of its own: a photo does not depend on which thread comes first.
    rng = np.random.default_rng([seed, 2, series.photos[0].series])
    view = view_of(series.photograph, rng)
    for photo in series.photos:
        (folder / f"{photo.name}.JPG").write_bytes(taken(series.photograph, view, photo, rng))
