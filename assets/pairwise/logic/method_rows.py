"""Every number of one method: how often it is right, how surely, where, what the votes say of it, what it costs."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from analysis.messages import labelled, message, message_list
from analysis.preference.accuracy import BAND_NAMES, accuracy_by_agreement, preference_accuracy
from analysis.preference.bradley_terry import BradleyTerry
from analysis.preference.confusion import PreferenceConfusion, preference_confusion
from analysis.preference.likelihood import bt_agreement, held_out_likelihood
from analysis.preference.significance import CHANCE, SAME_CREDIT, compare_by_cluster, few_clusters_differ
from analysis.significance.holm import holm
from analysis.undefined import UndefinedStatistic
from assets.pairwise.logic.method_scores import average_time_ms
from assets.shared.intervals import bound_columns, interval_words
from resources.configuration.pairwise import PairwiseStudy

VOTES = ["image_1", "image_2", "votes_1", "votes_2"]


def method_row(
    name: str, results: pd.DataFrame, photo_pairs: pd.DataFrame, fit: BradleyTerry | str, study: PairwiseStudy
) -> dict[str, Any]:
    """One method's row of `method_metrics` without what depends on other methods.

    Returns:
        Columns by name; those that are not defined are left out, and `undefined` says why.
    """
    predicted = results[results["predicted_winner"].notna()]
    row: dict[str, Any] = {
        "method": name,
        "n": len(predicted),
        "n_total": len(results),
        "n_series": predicted["series_id"].nunique(),
        "n_clusters": predicted["cluster"].nunique(),
        **{f"n_{band}": 0 for band in BAND_NAMES},
    }
    if predicted.empty:
        reasons = results["undefined"].dropna().unique()
        return row | {"undefined": labelled("all", reasons[0] if len(reasons) else message("no pair is judged"))}
    reasons_of: dict[str, str] = {}
    row |= _accuracies(predicted, study, reasons_of)
    row |= _confusion(predicted, reasons_of)
    row |= _likelihoods(predicted.join(photo_pairs.set_index("pair_idx")[VOTES], on="pair_idx"), fit, study, reasons_of)
    row |= _time(results)
    return row | {"undefined": message_list(labelled(*one) for one in reasons_of.items()) or None}


def unavailable_row(name: str, why: str, n_total: int) -> dict[str, Any]:
    """The row of a method that yields no numbers."""
    counts = dict.fromkeys(("n", "n_series", "n_clusters", *(f"n_{band}" for band in BAND_NAMES)), 0)
    return {"method": name, "n_total": n_total, **counts, "unavailable": why}


def with_holm(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with `p_chance_holm`: each p with all methods in mind that have one."""
    tested = [place for place, row in enumerate(rows) if row.get("p_chance") is not None]
    adjusted = holm([rows[place]["p_chance"] for place in tested])
    together = dict(zip(tested, adjusted, strict=True))
    return [row | {"p_chance_holm": together.get(place)} for place, row in enumerate(rows)]


def _accuracies(predicted: pd.DataFrame, study: PairwiseStudy, reasons: dict[str, str]) -> dict[str, Any]:
    truth, picked, clusters = _sides(predicted)
    found = preference_accuracy(truth, picked, clusters, resampling=study.resampling)
    decided = found.accuracy_decided_interval
    row: dict[str, Any] = {
        "accuracy": found.accuracy,
        **bound_columns("accuracy", found.interval),
        "tie_rate": found.tie_rate,
        "accuracy_decided": found.accuracy_decided,
        **bound_columns("accuracy_decided", decided),
        "accuracy_decided_interval_method": interval_words(decided) if decided else None,
        "interval_method": interval_words(found.interval),
    }
    if found.accuracy_decided is None:
        reasons["accuracy_decided"] = message("all pairs are ties")
    for band in accuracy_by_agreement(
        truth, picked, predicted["agreement"].to_numpy(), clusters, resampling=study.resampling
    ):
        column = f"accuracy_{band.name}"
        row |= {column: band.accuracy, f"n_{band.name}": band.n}
        if band.interval is None:
            reasons[column] = band.reason
        else:
            row |= bound_columns(column, band.interval)
            row[f"{column}_interval_method"] = interval_words(band.interval)
    credit = predicted["credit"].to_numpy(dtype=np.float64)
    try:
        test = compare_by_cluster(credit, np.full(credit.size, CHANCE), clusters)
    except UndefinedStatistic as undefined:
        reasons["p_chance"] = undefined.reason
        if undefined.reason == SAME_CREDIT:
            reasons["p_chance"] = message("credit is that of chance in each cluster")
        return row
    if test.unreliable:
        reasons["p_chance"] = few_clusters_differ(test)
    return row | {"p_chance": test.p, "p_chance_unreliable": test.unreliable}


def _confusion(predicted: pd.DataFrame, reasons: dict[str, str]) -> dict[str, Any]:
    found = preference_confusion(*_sides(predicted)[:2])
    row: dict[str, Any] = {
        f"truth_{truth}_predicted_{said}": count
        for truth, counts in zip((1, 2), found.table, strict=True)
        for said, count in zip(("1", "2", "tie"), counts, strict=True)
    }
    for column, share in _shares(found):
        row[column] = share.value
        if share.value is None:
            reasons[column] = share.reason
    return row


def _shares(found: PreferenceConfusion) -> Iterator[tuple[str, Any]]:
    for ending, scores in (("", found.image_1), ("_macro", found.averaged)):
        # The older benchmark's name of F1 alone is longer.
        yield f"precision{ending}", scores.precision
        yield f"recall{ending}", scores.recall
        yield f"f1{ending or '_score'}", scores.f1


def _likelihoods(
    predicted: pd.DataFrame, fit: BradleyTerry | str, study: PairwiseStudy, reasons: dict[str, str]
) -> dict[str, Any]:
    row: dict[str, Any] = {}
    if isinstance(fit, str):
        reasons["bt_agreement"] = fit
    else:
        picked = predicted["predicted_winner"].to_numpy(dtype=np.int64)
        row["bt_agreement"] = bt_agreement(fit, predicted["image_1"], predicted["image_2"], picked)
    one, two = (predicted[f"score_image{side}"].to_numpy(dtype=np.float64) for side in (1, 2))
    try:
        found = held_out_likelihood(
            one,
            two,
            predicted["votes_1"],
            predicted["votes_2"],
            predicted["cluster"].to_numpy(dtype=np.str_),
            groups=predicted["fold_group"].to_numpy(dtype=np.int64),
            folds=study.folds,
            resampling=study.resampling,
        )
    except UndefinedStatistic as undefined:
        reasons["log_likelihood"] = undefined.reason
        return row
    return row | {
        "log_likelihood": found.total,
        "log_likelihood_per_vote": found.per_vote,
        **bound_columns("log_likelihood_per_vote", found.interval),
        "log_likelihood_per_vote_interval_method": interval_words(found.interval),
    }


def _time(results: pd.DataFrame) -> dict[str, Any]:
    average = average_time_ms(results)
    return {} if average is None else {"avg_time_ms": average, "throughput": 1000.0 / average}


def _sides(predicted: pd.DataFrame) -> tuple[Any, Any, Any]:
    return (
        predicted["winner"].to_numpy(dtype=np.int64),
        predicted["predicted_winner"].to_numpy(dtype=np.int64),
        predicted["cluster"].to_numpy(dtype=np.str_),
    )
