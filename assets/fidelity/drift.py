"""Table `drift`: whether the judge still says of the anchor what it said when the anchor was pinned."""

from typing import Any

import dagster as dg
import numpy as np
import pandas as pd

from analysis.agreement.deviation import deviation
from analysis.agreement.icc import icc
from analysis.gates import Gate, at_least, at_most
from analysis.resampling.pairs import FEWEST_PAIRS
from analysis.significance.dependent_correlations import ASSUMES
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic
from assets.fidelity.logic.anchor import changes_since, has_enough_repeats, pinned_occasion
from assets.shared.gate import Kind, gate
from assets.shared.intervals import bound_columns, interval_words
from assets.shared.partitions import metadata_value, readable
from reports.fidelity.plots.decision import drift as drift_chart
from reports.shared.figure import figure_metadata
from resources.configuration.fidelity import FidelityStudy
from resources.study import Study
from resources.tables.fidelity.decision import DRIFT

NOT_PINNED = f"no occasion has {FEWEST_PAIRS} objects with enough valid repeats: nothing is pinned yet"
PARTS = ("same_identity", "same_models", "same_material")
IS_PINNED = "this occasion is the pinned one"
NO_OCCASION = "The anchor was judged on 0 days; needed: at least 1."
MEND_JUDGE = "Go back to that judge, or judge the settings again: old and new scores are not one series."


@dg.asset(group_name="fidelity_repeatability", kinds={"pandas"}, code_version="1")
def drift(
    context: dg.AssetExecutionContext,
    anchor_scores: pd.DataFrame,
    study_objects: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per occasion: shift and agreement against the pinned one, and what changed about the judge."""
    frame = drift_rows(anchor_scores, study_objects, study.fidelity)
    context.add_output_metadata(readable(headline(frame, anchor_scores, study.fidelity)))
    return frame


def drift_rows(scores: pd.DataFrame, study_objects: pd.DataFrame, study: FidelityStudy) -> pd.DataFrame:
    """Every occasion against the pinned one, on the objects with enough valid repeats on both."""
    pinned = pinned_occasion(scores, study.minimum_repeats)
    product_of = study_objects.set_index("object")["product_id"]
    still_judged = set(study_objects.loc[study_objects["excluded"].isna(), "object"])
    occasions = {str(day): part.set_index("object") for day, part in scores.groupby("occasion")}
    comparable = {day: _comparable(part, study) for day, part in occasions.items()}
    rows = []
    for day, now in occasions.items():
        then = now if pinned is None else occasions[pinned]
        row = {
            "occasion": day,
            "pinned": day if pinned is None else pinned,
            "setting": now["setting"].iloc[0],
            "n_pinned": 0 if pinned is None else len(then),
            "n_too_few_repeats": int((~has_enough_repeats(now, study.minimum_repeats)).sum()),
            "cost_usd": now["cost_usd"].sum(),
        }
        differs = changes_since(then, now, still_judged)._asdict()
        row |= {"changes": differs.pop("words"), **differs}
        if pinned is None:
            row |= {"n_objects": 0, "mean_now": comparable[day].mean(), "undefined": f"all: {NOT_PINNED}"}
        else:
            row |= compared(comparable[pinned], comparable[day], product_of, study, is_pinned=day == pinned)
        rows.append(row)
    return pd.DataFrame(rows, columns=[column.name for column in DRIFT.columns])


def _comparable(occasion: pd.DataFrame, study: FidelityStudy) -> pd.Series:
    """Scores of one or two repeats move by chance alone; only those with the fewest that a score needs count."""
    return occasion.loc[has_enough_repeats(occasion, study.minimum_repeats), "judge_score"]


def compared(
    then: pd.Series, now: pd.Series, product_of: pd.Series, study: FidelityStudy, *, is_pinned: bool
) -> dict[str, Any]:
    """Means, shift and ICC(A,1) of the same objects on both occasions.

    Args:
        then: Scores by object, 0-1.
        now: The same of the later occasion.
        product_of: Product by object; an object that is not in it is a cluster of its own.
        study: Seed, resamples, confidence.
        is_pinned: Both are the same occasion: nothing is computed.
    """
    both = pd.DataFrame({"then": then, "now": now}).dropna().astype(float)
    row: dict[str, Any] = {"n_objects": len(both), "mean_then": both["then"].mean(), "mean_now": both["now"].mean()}
    if is_pinned:
        return row | {"undefined": f"shift, icc: {IS_PINNED}"}
    if len(both) < FEWEST_PAIRS:
        few = f"objects with enough valid repeats on both occasions: {len(both)}; needed: {FEWEST_PAIRS}"
        return row | {"undefined": f"shift, icc: {few}"}
    scores_then, scores_now = both["then"].to_numpy(), both["now"].to_numpy()
    clusters = [f"product {product_of[name]}" if name in product_of else f"object {name}" for name in both.index]
    shift = deviation(scores_now, scores_then, np.array(clusters), resampling=study.resampling).bias
    row |= {"shift": shift.value, **bound_columns("shift", shift.interval)}
    method = f"shift: {interval_words(shift.interval)}"
    try:
        form = icc(np.column_stack([scores_then, scores_now]), confidence=study.confidence).icc_a_1
    except UndefinedStatistic as undefined:
        return row | {"method": method, "undefined": f"icc: {undefined.reason}"}
    row |= {"icc": form.value, **bound_columns("icc", form)}
    if form.value is None:
        return row | {"method": method, "undefined": f"icc: {form.reason}"}
    if form.method:
        shared = f", {ASSUMES}" if len(set(clusters)) < len(clusters) else ""
        method += f"; icc: {form.name}, {form.method}{shared}"
    elif form.reason:
        method += f"; icc: none: {form.reason}"
    return row | {"method": method}


def headline(frame: pd.DataFrame, scores: pd.DataFrame, study: FidelityStudy) -> dict[str, Any]:
    """The latest occasion against the pinned one, and all of them as a plot."""
    if frame.empty:
        return {"n_occasions": 0}
    last = frame.iloc[-1]
    numbers = {
        name: metadata_value(last[name])
        for name in ("n_objects", "n_pinned", "mean_then", "mean_now", "shift", "icc", "cost_usd")
    }
    limit = study.thresholds.drift_shift
    plot = figure_metadata(drift_chart(frame, limit, study.thresholds.drift_icc))
    return numbers | {
        "occasion": last["occasion"],
        "pinned": last["pinned"],
        "n_occasions": len(frame),
        "n_objects_moved": n_moved(scores, last["pinned"], last["occasion"], study),
        "same_judge": bool(last[list(PARTS)].all()),
        "changes": metadata_value(last["changes"]),
        "plot": plot,
    }


def n_moved(scores: pd.DataFrame, pinned: str, occasion: str, study: FidelityStudy) -> int:
    """How many objects' scores moved by more than the limit of the mean's shift."""
    days = (scores[scores["occasion"] == day].set_index("object") for day in (pinned, occasion))
    then, now = (_comparable(part, study) for part in days)
    moved = pd.DataFrame({"then": then, "now": now}).dropna().astype(float)
    moves = (moved["now"] - moved["then"]).abs()
    return int((compare(moves, study.thresholds.drift_shift, moved.abs().max(axis=1)) > 0).sum())


@gate(
    drift,
    Kind.ADVICE,
    to_do="Pin the model's version; judge the settings again before new scores stand next to old ones.",
)
def anchor_mean_holds(drift: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """On the latest occasion the anchor's mean score is near the one when it was pinned."""
    if drift.empty:
        return _no_occasion("anchor_mean_holds", f"<= {plan.thresholds.drift_shift:g}")
    last = drift.iloc[-1]
    what = f"Shift of the anchor's mean from {last['pinned']} to {last['occasion']}, in size,"
    gate = at_most(
        "anchor_mean_holds",
        None if pd.isna(last["shift"]) else abs(float(last["shift"])),
        plan.thresholds.drift_shift,
        n=int(last["n_objects"]),
        what=what,
        reason=_reason(last),
        remedy=_remedy(last, "shift"),
    )
    return _of_pinned(gate, last)


@gate(
    drift,
    Kind.ADVICE,
    to_do="Pin the model's version; judge the settings again before new scores stand next to old ones.",
)
def anchor_scores_hold(drift: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """On the latest occasion the anchor's scores agree with those when it was pinned."""
    return agreement_gate(drift, plan.thresholds.drift_icc)


@gate(drift, Kind.ADVICE, to_do="Go back to the pinned judge, or judge the settings again with the new one.")
def same_judge_as_pinned(drift: pd.DataFrame) -> Gate:
    """On the latest occasion judge, answering models, prompt and images are those when it was pinned."""
    if drift.empty:
        return _no_occasion("same_judge_as_pinned", "<= 0")
    last = drift.iloc[-1]
    differ = [name for name in PARTS if not last[name]]
    gate = at_most(
        "same_judge_as_pinned",
        float(len(differ)),
        0,
        n=len(PARTS),
        counted="parts (judge, answering models, prompt and objects)",
        what=f"Number of parts of the judge that are not those of {last['pinned']}",
        remedy=f"On {last['occasion']} {last['changes']}. {MEND_JUDGE}",
    )
    if not last["n_pinned"]:
        return gate._replace(passed=True, seen=None, sentence=f"On {last['occasion']} {NOT_PINNED}.")
    said = f"On {last['occasion']} judge, answering models, prompt and objects were those of {last['pinned']}."
    return _of_pinned(gate.passing_as(said), last)


def agreement_gate(frame: pd.DataFrame, threshold: float) -> Gate:
    """The latest ICC(A,1) of then and now against its threshold."""
    if frame.empty:
        return _no_occasion("anchor_scores_hold", f">= {threshold:g}")
    last = frame.iloc[-1]
    gate = at_least(
        "anchor_scores_hold",
        None if pd.isna(last["icc"]) else float(last["icc"]),
        threshold,
        n=int(last["n_objects"]),
        what=f"ICC(A,1) of the anchor's scores on {last['pinned']} and {last['occasion']}",
        reason=_reason(last),
        remedy=_remedy(last, "icc"),
    )
    return _of_pinned(gate, last)


def _no_occasion(name: str, needed: str) -> Gate:
    remedy = "Run `anchor_scores` again."
    return Gate(name, False, None, needed, f"{NO_OCCASION} {remedy}", 0, "not judged on any day", remedy)


def _is_pinned(last: pd.Series) -> bool:
    return bool(last["pinned"] == last["occasion"] and not pd.isna(last["mean_then"]))


def _of_pinned(gate: Gate, last: pd.Series) -> Gate:
    """The gate, or on the pinned occasion a sentence that there is nothing to compare yet."""
    if not _is_pinned(last):
        return gate
    said = (
        f"{last['occasion']} is the pinned occasion, with {last['n_objects']} objects: later ones are held against it."
    )
    return gate._replace(passed=True, seen=None, sentence=said)


def _reason(last: pd.Series) -> str:
    return "" if pd.isna(last["undefined"]) else str(last["undefined"])


def _remedy(last: pd.Series, column: str) -> str:
    if pd.isna(last["changes"]):
        if pd.isna(last[column]):
            # Without a number nothing says that the judge is another one.
            return "Run `anchor_scores` again."
        return f"Judge, prompt and objects are the same: the model may have changed under its name. {MEND_JUDGE}"
    return f"On {last['occasion']}: {last['changes']}. {MEND_JUDGE}"
