"""Rows of `category_breakdown`: the headline number in each group of samples, subtotals included."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.accuracy.accuracy import accuracy
from analysis.accuracy.group_accuracies import GroupAccuracies, compare_groups
from analysis.correlation.score_correlation import score_correlations
from analysis.resampling.bootstrap import Interval, Resampling
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic
from assets.evaluation.logic.rows import KIND_OF, clusters_of, sides_of
from assets.shared.intervals import bound_columns, interval_words
from resources.configuration.evaluation import Dataset
from resources.errors import UserError, did_you_mean, listing

SMALL = 10
MISSING = "(missing)"
ALL = "(all)"
# 435 pairs; with clusters each takes a bootstrap of its own.
MOST_COMPARED = 30


class Group(NamedTuple):
    """One group: its values of the first fields, none for the whole, and its row of `category_breakdown`."""

    path: tuple[str, ...]
    row: dict[str, Any]


class Breakdown(NamedTuple):
    """The whole and its groups, level by level, and whether the groups of each level differ, or why that is untold."""

    fields: tuple[str, ...]
    groups: list[Group]
    differences: dict[int, GroupAccuracies | str]


def breakdown(
    samples: pd.DataFrame, fields: Sequence[str], dataset: Dataset, resampling: Resampling, statistic: str = "srcc"
) -> Breakdown:
    """The whole, then each value of the first field, then each pair of values, and so on.

    Args:
        samples: Rows of `evaluation_samples` of one data set.
        fields: Dotted names, outermost first.
        dataset: Direction and cluster.
        resampling: How intervals are made.
        statistic: Of scores: srcc, plcc or krcc; answers have accuracy.

    Raises:
        UserError: A field that the data set does not have.
    """
    labels = pd.DataFrame({name: labels_of(samples, name) for name in fields}).reset_index(drop=True)
    groups = [Group((), {"group": ALL, "level": 0} | _row(samples, dataset, resampling, statistic))]
    differences: dict[int, GroupAccuracies | str] = {}
    for level in range(1, len(labels.columns) + 1):
        members = _members(labels.iloc[:, :level])
        names = group_names(list(members))
        of_level = [
            Group(values, {"group": name, "level": level} | _row(samples.iloc[rows], dataset, resampling, statistic))
            for name, (values, rows) in zip(names, members.items(), strict=True)
        ]
        _mark_best_and_worst([group.row for group in of_level])
        differences[level] = _differences(samples, names, list(members.values()), dataset, resampling)
        groups += of_level
    for group in groups:
        level = group.row["level"]
        tested = differences.get(level)
        if isinstance(tested, GroupAccuracies) and dataset.cluster is None:
            group.row["p_difference"] = tested.p
        group.row["grouped_by"] = ",".join(fields)
    return Breakdown(tuple(fields), groups, differences)


def breakdown_rows(
    samples: pd.DataFrame, fields: Sequence[str], dataset: Dataset, resampling: Resampling
) -> list[dict[str, Any]]:
    """The rows of `breakdown`, with the same arguments and refusals."""
    return [group.row for group in breakdown(samples, fields, dataset, resampling).groups]


def in_nested_order(groups: Sequence[Group]) -> list[Group]:
    """Each group followed by its parts, not level by level."""
    return sorted(groups, key=lambda group: [_counted(text) for text in group.path])


def group_names(paths: Sequence[tuple[str, ...]]) -> list[str]:
    """Values joined by `` / ``; in quotes where the groups of a level would not be distinguishable without.

    Args:
        paths: The values of each group of one level, all different.
    """
    plain = [" / ".join(values) for values in paths]
    if len(set(plain)) == len(plain):
        return plain
    return [" / ".join(map(repr, values)) for values in paths]


def labels_of(samples: pd.DataFrame, name: str) -> pd.Series:
    """A field's values as words, a missing one as such.

    Raises:
        UserError: The data set has no such field; the message lists those it has.
    """
    column = f"field.{name}"
    known = [other.removeprefix("field.") for other in samples.columns if other.startswith("field.")]
    if column not in samples.columns:
        raise UserError(
            f"There is no field '{name}'{did_you_mean(name, known)}. The fields are {listing(known, 30) or 'none'}."
        )
    return samples[column].fillna(MISSING)


def is_right(samples: pd.DataFrame) -> np.ndarray:
    """Whether each answer is the true option; one that is no option is wrong."""
    right = samples["prediction_answer"] == samples["truth_answer"]
    return right.fillna(False).to_numpy(dtype=bool)


def headline(
    samples: pd.DataFrame, dataset: Dataset, resampling: Resampling, statistic: str = "srcc"
) -> tuple[str, float, Interval, int]:
    """The one number of a data set or group: a correlation of scores, accuracy of answers, with interval and clusters.

    Raises:
        UndefinedStatistic: The samples do not define it.
    """
    clusters = clusters_of(samples, dataset)
    if samples["kind"].iloc[0] == "answers":
        share = accuracy(is_right(samples), clusters, resampling=resampling)
        return "accuracy", share.value, share.interval, share.n_clusters
    sides = sides_of(samples, dataset)
    found = score_correlations(
        sides.prediction,
        sides.truth,
        clusters,
        higher_is_better=dataset.higher_is_better,
        kinds=(KIND_OF[statistic],),
        resampling=resampling.headline,
    )[statistic].oriented
    return statistic, found.value, found.interval, found.n_clusters


def _members(labels: pd.DataFrame) -> dict[tuple[str, ...], np.ndarray]:
    """The places of each group's samples, groups in the order that people count in: 2 before 10."""
    found = {
        values if isinstance(values, tuple) else (values,): np.asarray(rows)
        for values, rows in labels.groupby(list(labels.columns), sort=False).indices.items()
    }
    return {values: found[values] for values in sorted(found, key=lambda values: [_counted(text) for text in values])}


def _counted(text: str) -> list[tuple[bool, int, str]]:
    """Numbers by the length of their whole part, then by their digits; words by themselves."""
    parts = re.split(r"([0-9]+(?:[.][0-9]+)?)", text)
    key = []
    for place, part in enumerate(parts):
        if place % 2:
            number = part.lstrip("0")
            key.append((False, len(number.partition(".")[0]), number))
        elif part:
            key.append((True, 0, part))
    return key


def _row(samples: pd.DataFrame, dataset: Dataset, resampling: Resampling, statistic: str) -> dict[str, Any]:
    kind = samples["kind"].iloc[0]
    clusters = clusters_of(samples, dataset)
    row: dict[str, Any] = {
        "statistic": "accuracy" if kind == "answers" else statistic,
        "value": None,
        "n_used": len(samples),
        "n_clusters": len(samples) if clusters is None else len(np.unique(clusters)),
        "small": len(samples) < SMALL,
        "standing": None,
        "p_difference": None,
    }
    try:
        _, value, interval, _ = headline(samples, dataset, resampling, statistic)
    except UndefinedStatistic as undefined:
        return row | {"undefined": undefined.reason}
    return row | {"value": value, **bound_columns("ci", interval), "method": interval_words(interval)}


def _mark_best_and_worst(rows: list[dict[str, Any]]) -> None:
    """Name the extremes among the groups that are large enough; none where they are equal."""
    eligible = [row for row in rows if row["value"] is not None and not row["small"]]
    if not eligible:
        return
    best, worst = (extreme(eligible, key=lambda row: row["value"]) for extreme in (max, min))
    if compare(best["value"], worst["value"], 1.0) > 0:
        best["standing"], worst["standing"] = "best", "worst"


def _differences(
    samples: pd.DataFrame, names: list[str], members: list[np.ndarray], dataset: Dataset, resampling: Resampling
) -> GroupAccuracies | str:
    """Whether the groups' accuracies differ, all at once and pair by pair; else the reason."""
    if samples["kind"].iloc[0] != "answers":
        return "correlations of different samples are distinguishable by their intervals"
    if len(members) > MOST_COMPARED:
        return f"{len(members)} groups, more than {MOST_COMPARED}"
    labels = np.empty(len(samples), dtype=object)
    for name, rows in zip(names, members, strict=True):
        labels[rows] = name
    try:
        return compare_groups(
            is_right(samples), labels.astype(str), clusters_of(samples, dataset), resampling=resampling
        )
    except UndefinedStatistic as undefined:
        return undefined.reason
