"""Results of answers and of groups as strict JSON values: the keys of docs/evaluation.schema.json."""

from collections.abc import Sequence

import pandas as pd

from analysis.accuracy.accuracy import accuracy
from analysis.accuracy.group_accuracies import GroupAccuracies
from analysis.accuracy.option_confusion import OptionConfusion
from assets.evaluation.logic.groups import Breakdown, Group, in_nested_order, is_right
from assets.evaluation.logic.results import JSONObject, left_out_values, pair
from assets.evaluation.logic.rows import Sampling, clusters_of, confusions_of
from assets.shared.intervals import interval_words
from resources.configuration.evaluation import Dataset
from resources.inputs.evaluation.files import EvaluationRead

SHOWN_INVALID = 10


def answers_values(read: EvaluationRead, samples: pd.DataFrame, dataset: Dataset, sampling: Sampling) -> JSONObject:
    """Accuracy, a confusion matrix for each set of options, and the answers that are no option."""
    found = accuracy(is_right(samples), clusters_of(samples, dataset), **sampling.percentile)
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
        "confusions": [_confusion(one) for one in confusions_of(samples)],
    }


def _confusion(one: OptionConfusion) -> JSONObject:
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
    }


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
