"""Table `sensitivity`: whether the judge sees each alteration of the golden set."""

import math
from typing import Any, NamedTuple

import dagster as dg
import pandas as pd

from analysis.accuracy.effect_size import FEWEST
from analysis.gates import NOT_ASKED, Gate, at_least, at_most, share_at_least
from analysis.messages import Name, message
from analysis.ties import compare
from assets.fidelity.logic.sensitivity_rows import sensitivity_rows
from assets.shared.gate import Kind, gate
from assets.shared.partitions import metadata_value, readable
from reports.fidelity.plots.golden import sensitivity_panels
from reports.shared.figure import figure_metadata
from resources.configuration.fidelity import FidelityStudy
from resources.errors import listing
from resources.study import Study
from resources.tables.fidelity.golden import DISTURBED, IN_PART, NOT_SEEN, UNKNOWN

STRIPES = ("stripes", "stripes_shaded")
STRONG_OPACITY = 0.7
NO_PAIRS = "It takes more items with a pair of scores: raise `n_items` under `golden`, or run `golden_scores` again."


@dg.asset(group_name="fidelity_sensitivity", kinds={"pandas"}, code_version="2")
def sensitivity(
    context: dg.AssetExecutionContext, golden_scores: pd.DataFrame, study: dg.ResourceParam[Study]
) -> pd.DataFrame:
    """One row per alteration: effect sizes, hit rate, separation, and in a word whether the judge sees it."""
    frame = sensitivity_rows(golden_scores, study.fidelity)
    context.add_output_metadata(readable(headline(frame, study.fidelity.thresholds.model_dump())))
    return frame


def headline(frame: pd.DataFrame, thresholds: dict[str, float]) -> dict[str, Any]:
    """The weakest stripes, the false alarms, and what the judge does not see."""
    stripes = frame[frame["kind"].isin(STRIPES)]
    same = frame[frame["expected"] == "same"]
    return {
        "setting": str(frame["setting"].iloc[0]) if len(frame) else "none",
        "n_items": int(frame["n_items"].max()) if len(frame) else 0,
        "lowest_d_on_stripes": metadata_value(stripes["cohens_d"].astype(float).min()),
        "lowest_hit_rate_on_stripes": metadata_value(stripes["hit_rate"].astype(float).min()),
        "false_alarm_rate": metadata_value(same["false_alarm_rate"].astype(float).max()),
        **{name.replace(" ", "_"): _named(frame, name) for name in (NOT_SEEN, IN_PART, DISTURBED, UNKNOWN)},
        "plot": figure_metadata(sensitivity_panels(frame, thresholds)),
    }


def _named(frame: pd.DataFrame, seen: str) -> str:
    return ", ".join(frame.loc[frame["seen"] == seen, "alteration"]) or "none"


@gate(
    sensitivity,
    Kind.QUALITY,
    to_do="Look at the pairs in golden_scores; try another prompt or judge.",
    withheld="nothing; do not trust a small difference between two scores.",
)
def stripes_are_seen(sensitivity: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """Each stripes alteration lowers the scores by a large effect: Cohen's d reaches its threshold."""
    return effect_gate(sensitivity, plan.thresholds.effect_size)


@gate(
    sensitivity,
    Kind.QUALITY,
    to_do="Look at the pairs in golden_scores; try another prompt or judge.",
    withheld="nothing; do not trust a small difference between two scores.",
)
def stripes_lower_the_score(sensitivity: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """Stripes lower the score of nearly every item: the hit rate reaches its threshold."""
    return hit_rate_gate(sensitivity, plan.thresholds.hit_rate, plan.confidence)


@gate(sensitivity, Kind.ADVICE, to_do="Put more items into the golden set.")
def stripes_are_seen_for_sure(sensitivity: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """The lower bound of Cohen's d reaches the threshold too."""
    return effect_gate(sensitivity, plan.thresholds.effect_size, "cohens_d_low")


@gate(sensitivity, Kind.ADVICE, to_do="Look at the pairs in golden_scores; try another prompt or judge.")
def strong_stripes_stand_out(sensitivity: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """Stripes at opacity 0.7 lower the scores by a very large effect."""
    return _effect_gate(
        _Effect("strong_stripes_stand_out", "cohens_d", "Cohen's d"),
        strong_stripes(sensitivity),
        1,
        plan.thresholds.stripes_effect_size,
    )


@gate(sensitivity, Kind.ADVICE, to_do="Plan more repeats, which steady the scores.")
def unchanged_copies_keep_their_score(sensitivity: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """Untouched and imperceptibly changed copies score as the original does."""
    worst = most_disturbed(sensitivity)
    if worst is None:
        return _not_asked("unchanged_copies_keep_their_score", f"<= {plan.thresholds.false_alarm_rate:g}")
    which = _of_several("highest", int((sensitivity["expected"] == "same").sum()), "kinds of copies")
    return at_most(
        "unchanged_copies_keep_their_score",
        _number(worst["false_alarm_rate"]),
        plan.thresholds.false_alarm_rate,
        n=int(worst["n_items"]),
        counted="items",
        what=f"False-alarm rate on {worst['alteration']}{which}",
        reason=str(worst["undefined"]),
        remedy=NO_PAIRS
        if pd.isna(worst["false_alarm_rate"])
        else "The judge's scores move without a change; drops of this size mean nothing. More repeats steady them.",
    )


@gate(
    sensitivity,
    Kind.ADVICE,
    to_do="Do not read scores as speaking of such differences, or try another prompt or judge.",
)
def every_alteration_is_seen(sensitivity: pd.DataFrame) -> Gate:
    """There is no alteration that the judge does not see."""
    altered = sensitivity[sensitivity["expected"] != "same"]
    if altered.empty:
        return _not_asked("every_alteration_is_seen", "<= 0")
    not_seen = altered[altered["seen"] == NOT_SEEN]
    missed = not_seen["alteration"].tolist()
    unknown = altered.loc[altered["seen"] == UNKNOWN, "alteration"].tolist()
    without = message(
        "fewer than {fewest} items have a pair of scores that counts for {alterations}",
        fewest=FEWEST,
        alterations=listing(map(Name, unknown)),
    )
    move = "move its scores as they should" if (not_seen["expected"] == "better").any() else "lower its scores"
    remedy = f"They are {', '.join(missed)}: differences of that kind do not {move}. Do not read them so."
    if unknown:
        remedy = f"{remedy} Besides, {without}." if missed else NO_PAIRS
    gate = at_most(
        "every_alteration_is_seen",
        float(len(missed)) if missed or not unknown else None,
        0,
        n=len(altered),
        counted="alterations",
        what="Number of alterations that the judge does not see",
        reason=without,
        remedy=remedy,
    )
    return gate.passing_as(f"The judge sees each of the {len(altered)} alterations at least in part.")


def weakest_stripes(frame: pd.DataFrame, column: str) -> pd.Series | None:
    """The stripes alteration with the smallest number, an undefined one first: the row of the gates on them."""
    return _first(frame[frame["kind"].isin(STRIPES)], column)


def strong_stripes(frame: pd.DataFrame) -> pd.Series | None:
    """The row of plain stripes at opacity 0.7."""
    strong = compare(frame["magnitude"], STRONG_OPACITY) == 0
    return _first(frame[(frame["kind"] == "stripes") & strong], "cohens_d")


def most_disturbed(frame: pd.DataFrame) -> pd.Series | None:
    """The copy that should score the same with the most false alarms, an undefined one first."""
    same = frame[frame["expected"] == "same"]
    return _first(same.assign(kept=-same["false_alarm_rate"].astype(float)), "kept")


def effect_gate(frame: pd.DataFrame, threshold: float, column: str = "cohens_d") -> Gate:
    """The smallest d of the stripes alterations, or the smallest lower bound, against the threshold."""
    name = "stripes_are_seen" if column == "cohens_d" else "stripes_are_seen_for_sure"
    what = "Cohen's d" if column == "cohens_d" else "The lower bound of Cohen's d"
    n_stripes = int(frame["kind"].isin(STRIPES).sum())
    return _effect_gate(_Effect(name, column, what), weakest_stripes(frame, column), n_stripes, threshold)


def hit_rate_gate(frame: pd.DataFrame, threshold: float, confidence: float = 0.95) -> Gate:
    """The smallest hit rate of the stripes alterations against the threshold."""
    worst = weakest_stripes(frame, "hit_rate")
    if worst is None:
        return _not_asked("stripes_lower_the_score", f">= {threshold:g}")
    which = _of_several("lowest", int(frame["kind"].isin(STRIPES).sum()), "stripes alterations")
    gate = share_at_least(
        "stripes_lower_the_score",
        int(worst["n_hits"]),
        int(worst["n_items"]),
        threshold,
        what=f"Hit rate on {worst['alteration']}{which}",
        counted="items",
        remedy=f"{worst['n_ties']} scores stayed equal. Look at these pairs in golden_scores: the judge overlooks what "
        "is plain to see.",
        confidence=confidence,
    )
    return gate.with_interval(worst["hit_rate_low"], worst["hit_rate_high"])


def _first(rows: pd.DataFrame, column: str) -> pd.Series | None:
    """The row with the smallest number; one without a number stands before all, for it passes no gate."""
    return rows.iloc[int(rows[column].astype(float).fillna(-math.inf).argmin())] if len(rows) else None


class _Effect(NamedTuple):
    """A gate on an effect: its name, the column of the number that it looks at, and that number in words."""

    name: str
    column: str
    what: str


def _effect_gate(effect: _Effect, worst: pd.Series | None, n_stripes: int, threshold: float) -> Gate:
    name, column, what = effect
    if worst is None:
        return _not_asked(name, f">= {threshold:g}")
    which = _of_several("lowest", n_stripes, "stripes alterations")
    reason = worst["undefined"] if not pd.isna(worst["undefined"]) else worst["method"]
    gate = at_least(
        name,
        _number(worst[column]),
        threshold,
        n=int(worst["n_items"]),
        counted="items",
        what=f"{what} on {worst['alteration']}{which}",
        reason=str(reason),
        remedy=NO_PAIRS
        if pd.isna(worst["cohens_d"])
        else "Look at these pairs in golden_scores; more items narrow the interval.",
    )
    return gate.with_interval(worst["cohens_d_low"], worst["cohens_d_high"]) if column == "cohens_d" else gate


def _of_several(which: str, n: int, of: str) -> str:
    """Which of several a sentence speaks of; nothing where there is only one."""
    return f", the {which} of {n} {of}," if n > 1 else ""


def _not_asked(name: str, needed: str) -> Gate:
    return Gate(name, True, None, needed, f"{NOT_ASKED} The golden set has none such.")


def _number(value: Any) -> float | None:
    return None if pd.isna(value) else float(value)
