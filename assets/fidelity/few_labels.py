"""Table `few_labels`: how far a few human labels and the judge on everything would bring the mean human score."""

from typing import Any

import dagster as dg
import numpy as np
import pandas as pd

from analysis.accuracy.prediction_powered import (
    FEWEST_LABELS,
    RELIABLE_LABELS,
    judge_alone,
    labels_alone,
    prediction_powered_mean,
)
from analysis.accuracy.prediction_powered_correlation import prediction_powered_correlation
from analysis.accuracy.prediction_powered_share import prediction_powered_share
from analysis.accuracy.rogan_gladen import rogan_gladen
from analysis.resampling.bootstrap import Estimate
from analysis.significance.dependent_correlations import ASSUMES
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic
from assets.fidelity.matched_scores import sound_matches
from assets.shared.intervals import bound_columns
from assets.shared.partitions import ONE_RUN, SETTINGS, Frames, each_partition
from reports.fidelity.plots.people import few_labels as few_labels_chart
from reports.shared.figure import figure_metadata
from resources.configuration.fidelity import FidelityStudy
from resources.study import Study
from resources.tables.fidelity.decision import FEW_LABELS

STEPS = tuple(step * 10**power for power in range(7) for step in (1, 2, 5))
FEWEST_SHOWN = 5


@dg.asset(
    group_name="fidelity_people", partitions_def=SETTINGS, backfill_policy=ONE_RUN, kinds={"pandas"}, code_version="2"
)
def few_labels(context: dg.AssetExecutionContext, matched_scores: Frames, study: dg.ResourceParam[Study]) -> Frames:
    """One row per number of labels: the mean by labels and judge together, and by either alone."""
    return each_partition(
        context, lambda key: label_rows(key, sound_matches(matched_scores[key]), study.fidelity), headline
    )


def label_rows(setting: str, matched: pd.DataFrame, study: FidelityStudy) -> pd.DataFrame:
    """Random subsets of the matched objects, each holding the smaller ones, as if only these had been labelled."""
    ordered = matched.sort_values("match_key")
    drawn = ordered.iloc[np.random.default_rng(study.seed).permutation(len(ordered))]
    human, judge = drawn["human_score"].to_numpy(dtype=float), drawn["judge_score"].to_numpy(dtype=float)
    n_products = int(matched["product_id"].nunique())
    passed, judged_good = (np.asarray(compare(side, study.pass_score) >= 0) for side in (human, judge))
    shared = {
        "n_products": n_products,
        "all_labels": human.mean() if len(human) else None,
        "pass_all_labels": passed.mean() if len(human) else None,
    }
    clustered = n_products < len(matched)
    rows = []
    for n in numbers_of_labels(len(drawn)):
        row = {"n_labels": n, "n_unlabelled": len(drawn) - n, **shared}
        row |= _estimates(human[:n], judge[:n], judge[n:], clustered, study)
        row |= _passes(passed[:n], judged_good[:n], judged_good[n:], study.confidence)
        rows.append(row | _correlation(human[:n], judge[:n], judge[n:], study.confidence))
    frame = pd.DataFrame(rows, columns=[column.name for column in FEW_LABELS.columns])
    return frame.assign(setting=setting)


def numbers_of_labels(n_objects: int) -> list[int]:
    """From 5 on in steps of 5, 10, 20, 50 ... while objects are left; with fewer objects 2, or the one there is."""
    return [step for step in STEPS if FEWEST_SHOWN <= step < n_objects] or [min(FEWEST_LABELS, n_objects)]


def _estimates(
    labels: np.ndarray, seen: np.ndarray, unseen: np.ndarray, clustered: bool, study: FidelityStudy
) -> dict[str, Any]:
    everywhere = np.concatenate([seen, unseen])
    # A side by itself is defined where both together are not, such as next to a judge that never varies.
    row = _columns("people_only", labels_alone(labels, confidence=study.confidence)) if labels.size else {}
    row |= _columns("judge_only", judge_alone(everywhere, confidence=study.confidence)) if everywhere.size else {}
    try:
        found = prediction_powered_mean(labels, seen, unseen, confidence=study.confidence)
    except UndefinedStatistic as undefined:
        return row | {"undefined": undefined.reason}
    few = f"unreliable: under {RELIABLE_LABELS} labels" if len(labels) < RELIABLE_LABELS else None
    method = [found.mean.interval.method, "one random draw", few, ASSUMES if clustered else None]
    return row | {
        **_columns("prediction_powered", found.mean),
        "lambda_": found.tuning,
        "labels_gained": found.effective_labels_gain,
        "method": ", ".join(part for part in method if part),
        "undefined": None if found.effective_labels_gain is not None else "labels_gained: nothing varies",
    }


def _passes(labels: np.ndarray, seen: np.ndarray, unseen: np.ndarray, confidence: float) -> dict[str, Any]:
    """The share of objects that people would pass: by labels and judge, by the judge's error rates, by either alone."""
    row: dict[str, Any] = {}
    reasons = []
    for name, function, value in (
        ("pass_prediction_powered", prediction_powered_share, "share"),
        ("pass_corrected", rogan_gladen, "rate"),
    ):
        try:
            found: Any = function(labels, seen, unseen, confidence=confidence)
        except UndefinedStatistic as undefined:
            reasons.append(f"{name}: {undefined.reason}")
            continue
        row |= _columns(name, getattr(found, value))
        row |= _columns("pass_people_only", found.human_only) | _columns("pass_judge_only", found.judge_only)
    return row | {"pass_undefined": "; ".join(reasons) or None}


def _correlation(labels: np.ndarray, seen: np.ndarray, unseen: np.ndarray, confidence: float) -> dict[str, Any]:
    """How the judge's scores would go with people's over all objects."""
    try:
        found = prediction_powered_correlation(labels, seen, unseen, confidence=confidence)
    except UndefinedStatistic as undefined:
        return {"correlation_undefined": undefined.reason}
    together = _columns("correlation_prediction_powered", found.correlation)
    return together | _columns("correlation_people_only", found.human_only)


def _columns(name: str, estimate: Estimate) -> dict[str, float | None]:
    interval = estimate.interval
    return {name: estimate.value, **bound_columns(name, interval)}


def headline(frame: pd.DataFrame) -> dict[str, object]:
    """What the judge is worth at the most labels tried, and the whole ladder at a glance."""
    last = frame.iloc[-1]
    numbers = {name: last[name] for name in ("n_labels", "n_unlabelled", "labels_gained", "lambda_")}
    low, high = last["prediction_powered_low"], last["prediction_powered_high"]
    half_width = None if pd.isna(low) or pd.isna(high) else (high - low) / 2
    plot = figure_metadata(few_labels_chart(frame).specification())
    return numbers | {"half_width": half_width, "plot": plot}
