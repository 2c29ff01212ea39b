"""Rows of `metric_comparison` on the values themselves: which accuracy, or which mean score, is higher."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.accuracy.accuracy_comparison import compare_accuracies, compare_on_same_samples
from analysis.accuracy.mean_comparison import paired_t, welch
from analysis.messages import none_because
from analysis.resampling.bootstrap import Interval, Resampling
from analysis.spelling import one_spelling
from analysis.undefined import UndefinedStatistic
from assets.evaluation.logic.rows import clusters_of
from assets.shared.intervals import bound_columns, interval_words
from resources.configuration.evaluation import Dataset


def shared_samples(first: pd.DataFrame, second: pd.DataFrame, also: tuple[str, ...] = ()) -> pd.DataFrame:
    """The samples that both have, with the second one's scores and truths in columns that end in ``_y``."""
    first, second = _with_common_ids(first, second)
    columns = ["sample_id", "prediction_score", "truth_score", "truth_answer", *also]
    return first.merge(second[columns], on="sample_id", suffixes=("_x", "_y"))


def _with_common_ids(first: pd.DataFrame, second: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both with ``0001`` as ``1`` where no id of theirs would be in both otherwise and all are whole numbers."""
    both = [first["sample_id"].astype("str"), second["sample_id"].astype("str")]
    if set(both[0]) & set(both[1]) or not all(ids.str.fullmatch(r"\d+").all() for ids in both):
        return first, second
    short = [ids.str.replace(r"^0+(?=\d)", "", regex=True) for ids in both]
    if not all(ids.is_unique for ids in short):
        return first, second
    return first.assign(sample_id=short[0]), second.assign(sample_id=short[1])


def are_same_samples(first: pd.DataFrame, second: pd.DataFrame) -> bool:
    """Whether at least half of either's samples are in both, all with the same truth.

    Args:
        first: Rows of `evaluation_samples` of one data set.
        second: The same of another. Rows that only one of them could use make no other data set of it.
    """
    sizes = sorted((len(first), len(second)))
    if first["kind"].iloc[0] != second["kind"].iloc[0] or 2 * sizes[0] < sizes[1]:
        return False
    both = shared_samples(first, second)
    if 2 * len(both) < sizes[1]:
        return False
    if first["kind"].iloc[0] == "answers":
        return bool((both["truth_answer_x"] == both["truth_answer_y"]).all())
    return bool((np.round(both["truth_score_x"] - both["truth_score_y"], 12) == 0).all())


class TwoSides(NamedTuple):
    """Two data sets' samples and configurations, and the samples of both, none where they are of other samples."""

    names: tuple[str, str]
    frames: tuple[pd.DataFrame, pd.DataFrame]
    datasets: tuple[Dataset, Dataset]
    both: pd.DataFrame | None


def two_sides(frames: Mapping[str, pd.DataFrame], pair: tuple[str, str], known: dict[str, Dataset]) -> TwoSides:
    """Two data sets, and their samples side by side where they are the same ones."""
    one, other = frames[pair[0]], frames[pair[1]]
    both = shared_samples(one, other, ("prediction_answer",)) if are_same_samples(one, other) else None
    return TwoSides(pair, (one, other), (known[pair[0]], known[pair[1]]), both)


def accuracy_row(sides: TwoSides, resampling: Resampling) -> dict[str, Any]:
    """Which of two answer data sets is right more often: on the same questions, else on each one's own."""
    if sides.both is not None:
        clusters = clusters_of(sides.both, sides.datasets[0])
        same = compare_on_same_samples(
            _right(sides.both, "_x"), _right(sides.both, "_y"), clusters, resampling=resampling
        )
        method = same.p_method.replace("McNemar", "McNemar's mid-p")
        row = _row("accuracy", (same.first, same.second), same.difference, same.interval, same.n)
        return row | {"significant": same.significant, "p": same.mcnemar.p_mid, "p_method": method}
    first, second = (_right(frame) for frame in sides.frames)
    first_clusters, second_clusters = _clusters_of_both(sides)
    found = compare_accuracies(first, second, first_clusters, second_clusters, resampling=resampling)
    n = found.n_first + found.n_second
    row = _row("accuracy", (found.first, found.second), found.difference, found.interval, n)
    return row | {
        "significant": found.significant,
        "p": found.p,
        "p_method": found.p_method,
        "cohens_h": found.cohens_h,
    }


def mean_row(sides: TwoSides, resampling: Resampling) -> dict[str, Any]:
    """Which of two score data sets on one scale has the higher mean: on the same samples, else on each one's own."""
    if sides.both is not None:
        columns = sides.both["prediction_score_x"], sides.both["prediction_score_y"]
        n = len(sides.both)
    else:
        columns = sides.frames[0]["prediction_score"], sides.frames[1]["prediction_score"]
        n = len(columns[0]) + len(columns[1])
    first, second = (column.to_numpy(dtype=float) for column in columns)
    means = float(first.mean()), float(second.mean())
    try:
        if sides.both is not None:
            found = paired_t(first, second, clusters_of(sides.both, sides.datasets[0]), resampling=resampling)
        else:
            first_clusters, second_clusters = _clusters_of_both(sides)
            found = welch(first, second, first_clusters, second_clusters, resampling=resampling)
    except UndefinedStatistic as undefined:
        row = _row("mean", means, means[0] - means[1], None, n)
        return row | {"method": none_because(undefined.reason)}
    row = _row("mean", means, found.difference, found.interval, n)
    return row | {"significant": found.significant, "p": found.p, "p_method": found.p_method}


def _row(
    statistic: str, values: tuple[float, float], difference: float, interval: Interval | None, n: int
) -> dict[str, Any]:
    row = {
        "statistic": statistic,
        "first_value": values[0],
        "second_value": values[1],
        "difference": difference,
        "n_used": n,
    }
    if interval is None:
        return row | {"n_clusters": n, "method": None}
    bounds = bound_columns("ci", interval)
    return row | bounds | {"n_clusters": interval.n_clusters, "method": interval_words(interval)}


def _right(frame: pd.DataFrame, side: str = "") -> np.ndarray:
    right = frame[f"prediction_answer{side}"] == frame[f"truth_answer{side}"]
    return right.fillna(False).to_numpy(dtype=bool)


def _clusters_of_both(sides: TwoSides) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Labels of either side: one field on both names the same clusters, any other label is that side's own."""
    fields = [dataset.cluster for dataset in sides.datasets]
    if fields == [None, None]:
        return None, None
    found = []
    for name, frame, dataset in zip(sides.names, sides.frames, sides.datasets, strict=True):
        # Two data sets may number their samples alike.
        own = f"{name}: " + frame["sample_id"]
        labels = own
        if dataset.cluster is not None:
            given = frame[f"field.{dataset.cluster}"].map(one_spelling, na_action="ignore")
            labels = (given if fields[0] == fields[1] else f"{name}: " + given).where(given.notna(), own)
        found.append(labels.to_numpy(dtype=str))
    return found[0], found[1]
