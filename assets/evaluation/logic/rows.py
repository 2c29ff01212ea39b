"""Rows of the evaluation's tables: correlations, errors, option rates and confusions of one data set."""

from collections.abc import Mapping as Row
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.accuracy.option_confusion import OptionConfusion, confusions_by_options
from analysis.correlation.krasula import krasula, standard_errors
from analysis.correlation.mapping import Mapping, fit_mapping, mapped_fit, nearer_curves, rmse
from analysis.correlation.mapping_functions import MappingFunction
from analysis.correlation.opinion_noise import against_opinion_noise, opinion_ci95
from analysis.correlation.score_correlation import KEYS, oriented, score_correlations
from analysis.messages import labelled, message, message_list
from analysis.resampling.bootstrap import Interval, Resampling
from analysis.spelling import one_spelling
from analysis.undefined import UndefinedStatistic
from assets.shared.intervals import bound_columns, interval_words
from resources.configuration.evaluation import Dataset
from resources.inputs.evaluation.known_datasets import known_datasets
from resources.tables.declare import Table

if TYPE_CHECKING:
    from resources.study import Study  # loads the databases, which an evaluation without a study does not need

UNITLESS, TRUTH_UNIT = "unitless", "the truth's"
STATISTICS = ("srcc", "plcc", "krcc")
KIND_OF = {key: kind for kind, key in KEYS.items()}
SEPARATOR = " | "


@dataclass(frozen=True)
class Sides:
    """Predictions and truths of one score data set, and the cluster of each sample (null: its own)."""

    prediction: np.ndarray
    truth: np.ndarray
    clusters: np.ndarray | None
    n_total: int

    @property
    def counts(self) -> dict[str, int]:
        """What stands next to every number."""
        n_clusters = len(self.truth) if self.clusters is None else len(np.unique(self.clusters))
        return {"n_used": len(self.truth), "n_total": self.n_total, "n_clusters": n_clusters}


class Opinions(NamedTuple):
    """The samples whose opinions make sense: predictions (higher is better), truths, deviations and votes, ``(n,)``."""

    prediction: np.ndarray
    truth: np.ndarray
    sd: np.ndarray
    votes: np.ndarray


def sides_of(samples: pd.DataFrame, dataset: Dataset) -> Sides:
    """The columns of `evaluation_samples` that score statistics need."""
    n_total = int(samples["n_rows_in_file"].iloc[0]) if len(samples) else 0
    return Sides(
        samples["prediction_score"].to_numpy(dtype=float),
        samples["truth_score"].to_numpy(dtype=float),
        clusters_of(samples, dataset),
        n_total,
    )


def clusters_of(samples: pd.DataFrame, dataset: Dataset) -> np.ndarray | None:
    """Labels of the samples' clusters, in one spelling; a sample without one is its own."""
    if dataset.cluster is None:
        return None
    labels = samples[f"field.{dataset.cluster}"].map(one_spelling, na_action="ignore")
    own = "sample " + samples["sample_id"]
    return labels.where(labels.notna(), own).to_numpy(dtype=str)


def correlation_rows(
    samples: pd.DataFrame, dataset: Dataset, resampling: Resampling, statistics: Sequence[str] = STATISTICS
) -> list[dict[str, Any]]:
    """Every score-level statistic of one data set; an undefined one is null with its reason.

    Args:
        samples: Rows of `evaluation_samples` of one score data set.
        dataset: Direction, scale, mapping, cluster and opinion fields.
        resampling: How intervals are made.
        statistics: Which correlations; the mapping and its errors come with `plcc`.
    """
    sides = sides_of(samples, dataset)
    rows = _correlations(sides, dataset, resampling, statistics)
    if "plcc" in statistics:
        mapping = mapping_of(sides, dataset)
        rows += _mapped(sides, dataset, resampling, mapping) + _errors(samples, sides, dataset, resampling, mapping)
    return [sides.counts | row for row in rows]


def mapping_of(sides: Sides, dataset: Dataset) -> Mapping | UndefinedStatistic:
    """The data set's curve fitted on its samples, or why there is none."""
    prediction = oriented(sides.prediction, dataset.higher_is_better)
    return _mapping_of(prediction.tobytes(), np.asarray(sides.truth, dtype=float).tobytes(), dataset.mapping)


@lru_cache(maxsize=2)
def _mapping_of(prediction: bytes, truth: bytes, function: MappingFunction) -> Mapping | UndefinedStatistic:
    """Fitted once for the table and its picture."""
    try:
        return fit_mapping(np.frombuffer(prediction), np.frombuffer(truth), function)
    except UndefinedStatistic as undefined:
        return undefined


def _row(
    statistic: str, unit: str, value: float | None = None, interval: Interval | None = None, **more: Any
) -> dict[str, Any]:
    row = {"statistic": statistic, "unit": unit, "value": value, "undefined": None, "method": None}
    if interval is not None:
        row |= bound_columns("ci", interval) | {"method": interval_words(interval)}
    return row | more


def _correlations(
    sides: Sides, dataset: Dataset, resampling: Resampling, statistics: Sequence[str]
) -> list[dict[str, Any]]:
    try:
        found = score_correlations(
            sides.prediction,
            sides.truth,
            sides.clusters,
            higher_is_better=dataset.higher_is_better,
            kinds=tuple(KIND_OF[name] for name in statistics),
            resampling=resampling,
        )
    except UndefinedStatistic as undefined:
        return [_row(name, UNITLESS, undefined=undefined.reason) for name in statistics]
    rows = []
    for name in statistics:
        one = found[name].oriented
        row = _row(name, UNITLESS, one.value, one.interval, p=one.p, significant=one.significant)
        row |= {
            "value_as_given": found[name].value_as_given,
            "method": message_list([row["method"], labelled("p", one.p_method)]),
        }
        if one.interval_percentile is not None:
            row |= bound_columns("percentile", one.interval_percentile)
            outside = labelled(message("outside formats"), interval_words(one.interval_percentile))
            row["method"] = message_list([row["method"], outside])
        if one.interval_bca is not None:
            row |= bound_columns("bca", one.interval_bca)
        rows.append(row)
    return rows


def _mapped(
    sides: Sides, dataset: Dataset, resampling: Resampling, mapping: Mapping | UndefinedStatistic
) -> list[dict[str, Any]]:
    names = (f"plcc_{dataset.mapping}", f"rmse_{dataset.mapping}")
    try:
        if isinstance(mapping, UndefinedStatistic):
            raise mapping
        prediction = oriented(sides.prediction, dataset.higher_is_better)
        fit = mapped_fit(mapping, prediction, sides.truth, sides.clusters, resampling=resampling)
    except UndefinedStatistic as undefined:
        units = (UNITLESS, TRUTH_UNIT)
        return [_row(name, unit, undefined=undefined.reason) for name, unit in zip(names, units, strict=True)]
    diagnostics = f"{_fit_in_words(mapping)}{'' if fit.monotone else ', not monotone: SRCC changes'}"
    for function, r_squared in nearer_curves(mapping, prediction, sides.truth).items():
        diagnostics += f", WARNING: {function} comes nearer (R^2 {r_squared:.3f}), use that"
    first = _row(names[0], UNITLESS, fit.plcc, fit.interval)
    first["method"] = f"{first['method']}; {diagnostics}"
    return [
        first,
        _row(names[1], TRUTH_UNIT, fit.rmse, method=f"sqrt(SSE/(n - {mapping.n_parameters})); {diagnostics}"),
    ]


def _fit_in_words(mapping: Mapping) -> str:
    """The curve, its data, how well it fits, and how far apart the ends of its searches are."""
    low, high = mapping.starts_r_squared
    starts = f" ({low:.3f} to {high:.3f} from {mapping.n_starts} starts)" if mapping.n_starts > 1 else ""
    return (
        f"{mapping.formula} fitted on {mapping.fitted_on}, {'' if mapping.converged else 'not '}converged, "
        f"R^2 {mapping.r_squared:.3f}{starts}"
    )


def _errors(
    samples: pd.DataFrame,
    sides: Sides,
    dataset: Dataset,
    resampling: Resampling,
    mapping: Mapping | UndefinedStatistic,
) -> list[dict[str, Any]]:
    """Errors in the truth's unit where both sides share its scale, and against opinion noise where it is known."""
    rows = []
    errors = sides.prediction - sides.truth
    if dataset.same_scale:
        try:
            rows.append(_row("rmse", TRUTH_UNIT, rmse(errors), method="sqrt(SSE/n)"))
        except UndefinedStatistic as undefined:
            rows.append(_row("rmse", TRUTH_UNIT, undefined=undefined.reason))
    if dataset.opinion_sd is None or dataset.votes is None:
        return rows
    sd = pd.to_numeric(samples[f"field.{dataset.opinion_sd}"], errors="coerce").to_numpy(dtype=float)
    votes = pd.to_numeric(samples[f"field.{dataset.votes}"], errors="coerce").to_numpy(dtype=float)
    known = (sd >= 0) & np.isfinite(sd) & (votes >= 1) & (votes == np.floor(votes))
    opinions = Opinions(
        oriented(sides.prediction, dataset.higher_is_better)[known], sides.truth[known], sd[known], votes[known]
    )
    return rows + _beyond_noise(opinions, mapping) + _areas(opinions, resampling)


def _beyond_noise(opinions: Opinions, mapping: Mapping | UndefinedStatistic) -> list[dict[str, Any]]:
    """Errors after the mapping, against the intervals of the opinion scores."""
    names, n = (("outlier_ratio", "share"), ("rmse_epsilon", TRUTH_UNIT)), len(opinions.truth)
    try:
        if isinstance(mapping, UndefinedStatistic):
            raise mapping
        errors = mapping.apply(opinions.prediction) - opinions.truth
        noise = against_opinion_noise(errors, opinion_ci95(opinions.sd, opinions.votes), mapping.n_parameters)
    except UndefinedStatistic as undefined:
        return [_row(name, unit, undefined=undefined.reason, n_used=n) for name, unit in names]
    values = (noise.outlier_ratio, noise.rmse_epsilon)
    method = f"{n} samples with opinions, errors after {mapping.function}"
    return [_row(name, unit, value, method=method, n_used=n) for (name, unit), value in zip(names, values, strict=True)]


def _areas(opinions: Opinions, resampling: Resampling) -> list[dict[str, Any]]:
    """Krasula's areas, which need no curve."""
    names, n = ("krasula_different_similar", "krasula_better_worse"), len(opinions.truth)
    try:
        areas = krasula(
            opinions.prediction, opinions.truth, standard_errors(opinions.sd, opinions.votes), seed=resampling.seed
        )
    except UndefinedStatistic as undefined:
        return [_row(name, UNITLESS, undefined=undefined.reason, n_used=n) for name in names]
    method = f"{n} samples with opinions, {areas.n_pairs} of {areas.n_pairs_in_all} pairs"
    return [
        _row(name, UNITLESS, value, method=method, undefined=None if value is not None else areas.reason, n_used=n)
        for name, value in zip(names, (areas.different_similar, areas.better_worse), strict=True)
    ]


def confusions_of(samples: pd.DataFrame) -> list[OptionConfusion]:
    """One confusion matrix for each option set of an answer data set."""
    given = [None if pd.isna(answer) else answer for answer in samples["prediction_answer"]]
    return confusions_by_options(list(samples["truth_answer"]), given, list(samples["options"]))


def confusion_rows(found: list[OptionConfusion]) -> list[dict[str, Any]]:
    """Every cell of the matrices, the five most confused pairs ranked."""
    rows = []
    for confusion in found:
        ranks = {(pair.truth, pair.prediction): rank for rank, pair in enumerate(confusion.most_confused, start=1)}
        for truth, counts in zip(confusion.options, confusion.matrix.tolist(), strict=True):
            total = sum(counts)
            for prediction, count in zip(confusion.columns, counts, strict=True):
                rows.append(
                    {
                        "options": SEPARATOR.join(confusion.options),
                        "truth": truth,
                        "prediction": prediction,
                        "count": count,
                        "share_of_truth": count / total if total else None,
                        "rank_of_confusion": ranks.get((truth, prediction)),
                    }
                )
    return rows


def option_rows(found: list[OptionConfusion]) -> list[dict[str, Any]]:
    """Precision and recall of every option, and how much too often it is answered."""
    rows = []
    for confusion in found:
        for option, result in confusion.by_option.items():
            reasons = [share.reason for share in (result.precision, result.recall) if share.value is None]
            rows.append(
                {
                    "options": SEPARATOR.join(confusion.options),
                    "option": option,
                    "n_true": result.n_true,
                    "n_predicted": result.n_predicted,
                    "excess": result.excess,
                    "precision": result.precision.value,
                    "recall": result.recall.value,
                    "undefined": message_list(reasons) or None,
                }
            )
    return rows


def datasets_of(study: "Study") -> dict[str, Dataset]:
    """The study's data sets, which its gates are handed once in a run."""
    return known_datasets(study.evaluation)


def as_table(table: Table, dataset: str, rows: Sequence[Row[str, Any]]) -> pd.DataFrame:
    """Rows with the table's columns, the data set's name first; columns that no row has are null."""
    return pd.DataFrame([{"dataset": dataset} | dict(row) for row in rows], columns=[one.name for one in table.columns])
