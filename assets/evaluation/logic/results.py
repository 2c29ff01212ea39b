"""Results of scores as strict JSON values: the keys of docs/evaluation.schema.json, null where undefined."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from analysis.accuracy.accuracy import accuracy
from analysis.accuracy.group_accuracies import GroupAccuracies
from analysis.accuracy.option_agreement import option_agreement
from analysis.accuracy.option_confusion import OptionConfusion
from analysis.agreement.chance_corrected import ChanceCorrected
from analysis.correlation.metric_comparison import compare_metrics
from analysis.resampling.bootstrap import Resampling
from analysis.significance.dependent_correlations import DependentTest
from analysis.significance.marginal_homogeneity import MarginalHomogeneity
from analysis.undefined import UndefinedStatistic
from assets.evaluation.logic.differences import shared_samples
from assets.evaluation.logic.groups import Breakdown, Group, in_nested_order, is_right
from assets.evaluation.logic.rows import KIND_OF, STATISTICS, clusters_of, confusions_of
from assets.shared.intervals import estimate_values, interval_words, pair
from resources.configuration.evaluation import Dataset
from resources.inputs.evaluation.files import EvaluationRead

JSONObject = dict[str, Any]
SHOWN_INVALID = 10


@dataclass(frozen=True)
class Metric:
    """One score column of a file: what was read, its rows of `evaluation_samples`, and what the column means."""

    read: EvaluationRead
    samples: pd.DataFrame
    dataset: Dataset

    @property
    def name(self) -> str:
        """The column's name."""
        return self.read.prediction_field


def source_values(read: EvaluationRead, dataset: Dataset, resampling: Resampling) -> JSONObject:
    """Which file, what was read from it and what was left out, and how intervals are made."""
    return {
        "file": read.name,
        "kind": read.kind,
        "truth": read.truth_field,
        "cluster": dataset.cluster,
        "settings": {
            "resamples": resampling.resamples,
            "bca_resamples": resampling.bca_resamples,
            "confidence": resampling.confidence,
            "seed": resampling.seed,
        },
    }


def left_out_values(read: EvaluationRead) -> JSONObject:
    """Rows left out, by cause and the first of each; rows read otherwise than written; what a reader should know."""
    return {
        "prediction": read.prediction_field,
        "n_total": read.n_rows_in_file,
        "excluded": dict(sorted(read.excluded.items())),
        "excluded_examples": [str(exclusion) for exclusion in read.examples],
        "n_normalised": read.n_normalised,
        "notes": list(read.notes),
    }


def metric_values(metric: Metric, rows: Sequence[JSONObject]) -> JSONObject:
    """One metric's numbers, and what was left out before them."""
    direction = {"higher_is_better": metric.dataset.higher_is_better}
    return left_out_values(metric.read) | direction | correlation_values(rows)


def correlation_values(rows: Sequence[JSONObject]) -> JSONObject:
    """Each statistic under its name, its interval, p and significance next to it; null where undefined.

    Args:
        rows: Of `correlation_rows`, or of the table `correlation` with nulls as None.
    """
    values: JSONObject = {name: rows[0][name] for name in ("n_used", "n_clusters")}
    methods, undefined = {}, {}
    for row in rows:
        name = row["statistic"]
        values[name] = row["value"]
        if name in STATISTICS:
            values |= {
                f"{name}_headline_ci": bounds(row, "ci"),
                f"{name}_ci": bounds(row, "percentile"),
                f"{name}_ci_bca": bounds(row, "bca"),
                f"{name}_pvalue": row.get("p"),
                f"{name}_significant": row.get("significant"),
                f"{name}_as_given": row.get("value_as_given"),
            }
        elif name.startswith("plcc_"):
            values[f"{name}_ci"] = bounds(row, "ci")
        if row["method"] is not None:
            methods[name] = row["method"]
        if row["undefined"] is not None:
            undefined[name] = row["undefined"]
    return values | {"methods": methods, "undefined": undefined}


def metric_comparisons(
    metrics: Sequence[Metric], statistics: Sequence[str], resampling: Resampling
) -> list[JSONObject]:
    """Every pair of metrics on the samples that both have a value for."""
    return [_comparison(first, second, statistics, resampling) for first, second in combinations(metrics, 2)]


def _comparison(first: Metric, second: Metric, statistics: Sequence[str], resampling: Resampling) -> JSONObject:
    both = shared_samples(first.samples, second.samples)
    values: JSONObject = {"first": first.name, "second": second.name, "n_used": len(both), "undefined": None}
    try:
        found = compare_metrics(
            both["prediction_score_x"],
            both["prediction_score_y"],
            both["truth_score_x"],
            clusters_of(both, first.dataset),
            first_higher_is_better=first.dataset.higher_is_better,
            second_higher_is_better=second.dataset.higher_is_better,
            kinds=tuple(KIND_OF[name] for name in statistics),
            resampling=resampling.headline,
        )
    except UndefinedStatistic as undefined:
        return values | {"n_clusters": None, "undefined": undefined.reason}
    values["n_clusters"] = found.n_clusters
    for name, one in found.differences.items():
        values |= {
            f"{name}_first": one.first,
            f"{name}_second": one.second,
            f"{name}_difference": one.difference,
            f"{name}_difference_ci": pair(one.interval.low, one.interval.high),
            f"{name}_significant": one.significant,
            f"{name}_method": interval_words(one.interval),
        }
    return values | {"williams": _test(found.williams), "steiger": _test(found.steiger)}


def _test(test: DependentTest) -> JSONObject:
    return {"statistic": test.statistic, "df": test.df, "pvalue": test.p, "method": test.method}


def bounds(row: JSONObject, side: str) -> list[float] | None:
    """The two bounds of a row's interval of that kind; null where there is none."""
    return pair(row.get(f"{side}_low"), row.get(f"{side}_high"))


def answers_values(read: EvaluationRead, samples: pd.DataFrame, dataset: Dataset, resampling: Resampling) -> JSONObject:
    """Accuracy, a confusion matrix for each set of options, and the answers that are no option."""
    clusters = clusters_of(samples, dataset)
    found = accuracy(is_right(samples), clusters, resampling=resampling)
    invalid = samples.loc[samples["prediction_answer"].isna(), "answer_as_given"].str.strip().value_counts()
    return left_out_values(read) | {
        "n_used": found.n,
        "n_clusters": found.n_clusters,
        "n_correct": found.n_correct,
        "n_invalid": int(invalid.sum()),
        "accuracy": found.value,
        "accuracy_ci": pair(found.interval.low, found.interval.high),
        "methods": {"accuracy": interval_words(found.interval)},
        "invalid_answers": [{"answer": str(answer), "n": int(n)} for answer, n in invalid.head(SHOWN_INVALID).items()],
        "confusions": [_confusion(one, clusters, resampling.confidence) for one in confusions_of(samples)],
    }


def _confusion(one: OptionConfusion, clusters: np.ndarray | None, confidence: float) -> JSONObject:
    beyond_chance = option_agreement(one, None if clusters is None else clusters[one.samples], confidence)
    return {
        "options": list(one.options),
        "columns": list(one.columns),
        "matrix": one.matrix.tolist(),
        "n_used": one.n,
        "accuracy": one.accuracy,
        "by_option": [
            {
                "option": name,
                "n_true": option.n_true,
                "n_predicted": option.n_predicted,
                "excess": option.excess,
                "precision": option.precision.value,
                "recall": option.recall.value,
                "undefined": {
                    key: share.reason
                    for key, share in (("precision", option.precision), ("recall", option.recall))
                    if share.value is None
                },
            }
            for name, option in one.by_option.items()
        ],
        "over_predicted": list(one.over_predicted),
        "under_predicted": list(one.under_predicted),
        "most_confused": [pair._asdict() for pair in one.most_confused],
        "agreement": [_coefficient(name, found) for name, found in beyond_chance.coefficients.items()],
        "equal_use": _equal_use(beyond_chance.equal_use),
        "n_options_answered": beyond_chance.n,
    }


def _coefficient(name: str, found: ChanceCorrected | str) -> JSONObject:
    """One coefficient beyond chance, its bounds, and how they came about; or why there is none."""
    if isinstance(found, str):
        return {"statistic": name, "value": None, "ci": None, "method": None, "undefined": found}
    interval = found.interval
    values = estimate_values(found.value, interval.low, interval.high, interval.method)
    return {"statistic": name, **values, "undefined": None}


def _equal_use(found: MarginalHomogeneity | str) -> JSONObject:
    """Whether options are answered as often as they are right, or why that cannot be tested."""
    if isinstance(found, str):
        return {"chi_square": None, "df": None, "p": None, "method": None, "undefined": found}
    numbers = {"chi_square": found.statistic, "df": found.df, "p": found.p}
    return numbers | {"method": found.method, "undefined": None}


def breakdown_values(read: EvaluationRead, found: Breakdown) -> JSONObject:
    """The whole and its groups, nested; of each level the best, the worst and whether its groups differ."""
    whole = found.groups[0].row
    return left_out_values(read) | {
        "n_used": whole["n_used"],
        "n_clusters": whole["n_clusters"],
        "statistic": whole["statistic"],
        "group_by": list(found.fields),
        "groups": [_group(group, found.fields) for group in in_nested_order(found.groups)],
        "levels": [_level(found, level) for level in found.differences],
    }


def _group(group: Group, fields: Sequence[str]) -> JSONObject:
    row = group.row
    return {
        "fields": dict(zip(fields, group.path, strict=False)),
        row["statistic"]: row["value"],
        "sample_count": row["n_used"],
        "ci_lower": row.get("ci_low"),
        "ci_upper": row.get("ci_high"),
        "n_clusters": row["n_clusters"],
        "small": row["small"],
        "standing": row["standing"],
        "method": row.get("method"),
        "undefined": row.get("undefined"),
    }


def _level(found: Breakdown, level: int) -> JSONObject:
    named = {
        group.row["standing"]: _group(group, found.fields)
        for group in found.groups
        if group.row["level"] == level and group.row["standing"] is not None
    }
    tested = found.differences[level]
    return {
        "by": list(found.fields[:level]),
        "best": named.get("best"),
        "worst": named.get("worst"),
        "difference": _difference(tested) if isinstance(tested, GroupAccuracies) else None,
        "undefined": None if isinstance(tested, GroupAccuracies) else tested,
    }


def _difference(tested: GroupAccuracies) -> JSONObject:
    return {
        "chi_square": tested.chi_square,
        "df": tested.df,
        "pvalue": tested.p,
        "method": tested.method,
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "difference": pair.comparison.difference,
                "cohens_h": pair.comparison.cohens_h,
                "pvalue": pair.comparison.p,
                "pvalue_holm": pair.p_holm,
                "method": pair.method,
                "significant": pair.significant,
            }
            for pair in tested.pairs
        ],
    }
