"""What the pairs of the golden set say of each alteration, and whether more of it costs more."""

from typing import Any

import numpy as np
import pandas as pd

from analysis.accuracy.effect_size import FEWEST, effect_band, effect_size
from analysis.accuracy.hit_rate import HitRate, hit_rate
from analysis.agreement.dose_response import FEWEST_MAGNITUDES, DoseResponse, dose_response
from analysis.agreement.page_trend import page_trend
from analysis.correlation.separation import separation
from analysis.messages import labelled, message, message_list
from analysis.resampling.bootstrap import Interval
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic
from assets.shared.intervals import bound_columns, interval_words
from resources.configuration.fidelity import FidelityStudy, FidelityThresholds
from resources.tables.fidelity.golden import (
    DISTURBED,
    DOSE_RESPONSE,
    IN_PART,
    KEPT,
    KINDS,
    NOT_SEEN,
    SEEN,
    SENSITIVITY,
    UNKNOWN,
)

NOT_HELD_OUT = message("not held out")
NO_PAIR = message("every number: no item has a pair of scores that counts")
A_COIN = 0.5
# Factors say how much is left, or how much larger: the dose is what was taken away or added.
LEFT_OVER, LARGER = ("saturation", "brightness"), ("texture_scale",)
DESCRIBED = ["setting", "alteration", "kind", "magnitude", "magnitude_unit", "expected"]


def held_out_pairs(scores: pd.DataFrame) -> pd.DataFrame:
    """The pairs that count: items that chose the setting do not, unless no other item has a pair of scores.

    Args:
        scores: Table `golden_scores`. Built-in kinds have the same items; each of the user's own kinds has its own.
    """
    pairs = scores[scores["undefined"].isna()]
    with_same_items = pairs["kind"].where(~pairs["kind"].isin(KINDS), "")
    none_is_held_out = chose_setting(pairs).groupby(with_same_items).transform("all").astype(bool)
    return pairs[~chose_setting(pairs) | none_is_held_out]


def kinds_in(scores: pd.DataFrame) -> list[str]:
    """The kinds of alteration that there are: built-in ones in their order, then the user's own as they come."""
    there = list(dict.fromkeys(scores["kind"]))
    return [*(kind for kind in KINDS if kind in there), *(kind for kind in there if kind not in KINDS)]


def toward(expected: str) -> float:
    """The sign that makes a difference original - altered positive where it goes the way that is expected."""
    return -1.0 if expected == "better" else 1.0


def chose_setting(scores: pd.DataFrame) -> pd.Series:
    """By row, whether its item had a part in choosing the setting."""
    return scores["chose_setting"].astype(bool)


def mark(pairs: pd.DataFrame) -> str:
    """What a method says behind itself where items count that chose the setting."""
    return NOT_HELD_OUT if chose_setting(pairs).any() else ""


def dose_of(kind: str, magnitude: float) -> float:
    """How strong an alteration is, 0 where nothing is changed, in the unit of `dose_unit`."""
    if kind in LEFT_OVER:
        return round(1.0 - magnitude, 12)
    return round(magnitude - 1.0, 12) if kind in LARGER else float(magnitude)


def dose_unit(kind: str, magnitude_unit: str) -> str:
    """The unit of a kind's dose."""
    if kind in LEFT_OVER:
        return f"1 - {magnitude_unit}"
    return f"{magnitude_unit} - 1" if kind in LARGER else magnitude_unit


def sensitivity_rows(scores: pd.DataFrame, study: FidelityStudy) -> pd.DataFrame:
    """One row per alteration, by kind and dose; what the data do not define is null with the reason."""
    pairs = held_out_pairs(scores)
    rows = []
    for name, group in scores.groupby("alteration", sort=False):
        row = dict(group.iloc[0][DESCRIBED])
        row |= {"n_total": len(group), "n_chose_setting": int(chose_setting(group).sum())}
        rows.append(row | _of_alteration(pairs[pairs["alteration"] == name], row["expected"], study))
    order = kinds_in(scores)
    rows.sort(key=lambda row: (order.index(row["kind"]), _order(row), row["alteration"]))
    return pd.DataFrame(rows, columns=[column.name for column in SENSITIVITY.columns])


def _order(row: dict[str, Any]) -> float:
    return 0.0 if pd.isna(row["magnitude"]) else dose_of(row["kind"], row["magnitude"])


def _of_alteration(pairs: pd.DataFrame, expected: str, study: FidelityStudy) -> dict[str, Any]:
    original, altered = (pairs[f"{side}_score"].to_numpy(dtype=float) for side in ("original", "altered"))
    # The side first that should be scored higher.
    sides = (altered, original) if expected == "better" else (original, altered)
    products, resampling = pairs["product_id"].to_numpy(dtype=str), study.resampling
    try:
        tolerance = study.golden.same_tolerance
        hits = hit_rate(original, altered, expected, products, tolerance=tolerance, resampling=resampling)  # type: ignore[arg-type]
    except UndefinedStatistic:
        nothing = {"n_items": 0, "n_hits": 0, "n_misses": 0, "n_ties": 0, "seen": UNKNOWN}
        return nothing | {"undefined": NO_PAIR}
    auc = separation(*sides, products, resampling=resampling)
    row: dict[str, Any] = {
        "n_items": hits.n_pairs,
        "mean_original": hits.mean_original,
        "mean_altered": hits.mean_altered,
        "mean_drop": hits.mean_difference,
        "hit_rate": hits.value,
        "n_hits": hits.n_hits,
        "n_misses": hits.n_misses,
        "n_ties": hits.n_ties,
        "false_alarm_rate": hits.n_misses / hits.n_pairs if expected == "same" else None,
        "auc": auc.auc,
        **bound_columns("hit_rate", hits.interval),
        **bound_columns("auc", auc.interval),
    }
    methods, undefined = {message("hit rate"): hits.interval, "AUC": auc.interval}, []
    try:
        effect = effect_size(*sides, products, resampling=resampling)
    except UndefinedStatistic as none:
        undefined.append(labelled("cohens_d, hedges_g, d_z", none.reason))
    else:
        row |= {"cohens_d": effect.d.value, "hedges_g": effect.g.value, "d_z": effect.d_z.value}
        row |= bound_columns("cohens_d", effect.d.interval) | bound_columns("d_z", effect.d_z.interval)
        row["d_band"] = effect_band(effect.d.value)
        for names, part in (("cohens_d, hedges_g", effect.d), ("d_z", effect.d_z)):
            if part.interval is None:
                undefined.append(labelled(names, part.reason or ""))
            else:
                methods[names.split(",")[0]] = part.interval
    row["method"] = message_list([_methods(methods), mark(pairs)])
    row["undefined"] = message_list(undefined) or None
    seen = seen_in_words(hits, row.get("cohens_d"), expected, study.thresholds, study.golden.same_tolerance)
    return row | {"seen": seen}


def seen_in_words(
    hits: HitRate, d: float | None, expected: str, thresholds: FidelityThresholds, same_tolerance: float
) -> str:
    """Whether the judge sees an alteration, in a word; unknown below two pairs of scores, of which one may be chance.

    Seen: d and hit rate both reach their threshold. In part: one of them does, or the mean drop is more than what
    counts as the same score, or more items drop than a coin would let; a rise, where better is expected. Where the
    score should stay: kept, if the false-alarm rate keeps its limit, else disturbed.
    """
    if hits.n_pairs < FEWEST:
        return UNKNOWN
    if expected == "same":
        kept = bool(compare(hits.n_misses / hits.n_pairs, thresholds.false_alarm_rate) <= 0)
        return KEPT if kept else DISTURBED
    often = bool(compare(hits.value, thresholds.hit_rate) >= 0)
    far = d is not None and bool(compare(d, thresholds.effect_size) >= 0)
    if often and far:
        return SEEN
    above_chance = hits.interval.low is not None and bool(compare(hits.interval.low, A_COIN) > 0)
    beyond = bool(compare(toward(expected) * hits.mean_difference, same_tolerance, hits.mean_original) >= 0)
    return IN_PART if often or far or above_chance or beyond else NOT_SEEN


def dose_points(scores: pd.DataFrame) -> pd.DataFrame:
    """The pairs that count with their dose: columns kind, object, product_id, drop, chose_setting, dose, unit.

    A drop is a rise where better is expected; where the score should stay, more of it is expected to cost nothing.
    """
    pairs = held_out_pairs(scores)
    pairs = pairs[pairs["magnitude"].notna() & (pairs["expected"] != "same")]
    kinds = pairs["kind"].tolist()
    return pairs[["kind", "object", "product_id", "drop", "chose_setting"]].assign(
        drop=pairs["drop"] * pairs["expected"].map(toward).astype(float),
        dose=[dose_of(kind, size) for kind, size in zip(kinds, pairs["magnitude"].astype(float), strict=True)],
        unit=[dose_unit(kind, unit) for kind, unit in zip(kinds, pairs["magnitude_unit"], strict=True)],
    )


def dose_rows(scores: pd.DataFrame, study: FidelityStudy) -> pd.DataFrame:
    """One row per kind with at least three magnitudes, in the order of the kinds."""
    points, rows = dose_points(scores), []
    for kind in kinds_in(scores):
        of_kind = scores[(scores["kind"] == kind) & scores["magnitude"].notna() & (scores["expected"] != "same")]
        doses = sorted({dose_of(kind, size) for size in of_kind["magnitude"].astype(float)})
        if len(doses) < FEWEST_MAGNITUDES:
            continue
        counts = {
            "setting": of_kind["setting"].iloc[0],
            "kind": kind,
            "dose_unit": dose_unit(kind, of_kind["magnitude_unit"].iloc[0]),
            "n_magnitudes": len(doses),
            "n_total": int(of_kind["object"].nunique()),
            "n_missing_pairs": int(of_kind["undefined"].notna().sum()),
        }
        rows.append(counts | _of_kind(points[points["kind"] == kind], doses, study))
    return pd.DataFrame(rows, columns=[column.name for column in DOSE_RESPONSE.columns])


def _of_kind(points: pd.DataFrame, doses: list[float], study: FidelityStudy) -> dict[str, Any]:
    drops = points.pivot_table("drop", index=["product_id", "object"], columns="dose", aggfunc="first").reindex(
        columns=doses
    )
    matrix, products = drops.to_numpy(dtype=float), drops.index.get_level_values("product_id").to_numpy(dtype=str)
    present = (~np.isnan(matrix)).sum(axis=1)
    row: dict[str, Any] = {"n_items": int((present == len(doses)).sum()), "n_line": int((present >= 2).sum())}
    undefined = []
    if not len(matrix):
        return row | {"undefined": NO_PAIR}
    try:
        line = dose_response(matrix, doses, products, resampling=study.resampling)
    except UndefinedStatistic as none:
        undefined.append(labelled("r2, pearson_r, slope, intercept", none.reason))
    else:
        row |= _of_line(line) | {"method": message_list([interval_words(line.slope_interval), mark(points)])}
        undefined += [labelled("r2, pearson_r", line.reason)] if line.reason else []
    try:
        trend = page_trend(matrix, doses)
    except UndefinedStatistic as none:
        undefined.append(labelled("page_l, page_p", none.reason))
    else:
        row |= {"page_l": trend.value, "page_p": trend.p, "page_method": message_list([trend.p_method, mark(points)])}
    return row | {"undefined": message_list(undefined) or None}


def _of_line(line: DoseResponse) -> dict[str, Any]:
    return {
        "r2": line.r2,
        "pearson_r": line.pearson,
        "slope": line.slope,
        "intercept": line.intercept,
        **bound_columns("slope", line.slope_interval),
    }


def _methods(intervals: dict[str, Interval]) -> str:
    """Each way once, behind the numbers that have it."""
    names: dict[str, list[str]] = {}
    for name, interval in intervals.items():
        names.setdefault(interval_words(interval), []).append(name)
    return message_list(labelled(message_list(of, ", "), words) for words, of in names.items())
