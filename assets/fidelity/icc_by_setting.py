"""Table `icc_by_setting`: how far one repeat's score stands in for another's."""

import warnings
from typing import Any

import dagster as dg
import numpy as np
import pandas as pd

from analysis.agreement.icc import Icc, IccForm, icc, icc_band
from analysis.agreement.icc_by_product import icc_by_product
from analysis.agreement.variance_components import reml_icc
from analysis.gates import DETERMINISTIC, DOES_NOT_APPLY, Gate, at_least, at_most
from analysis.intervals.measured import reliable_from
from analysis.messages import message, message_list, none_because
from analysis.resampling.bootstrap import Interval
from analysis.undefined import UndefinedStatistic
from assets.fidelity.logic.judge_answers import as_planned, scores_of
from assets.fidelity.score_matrix import sound_matrix
from assets.shared.gate import Kind, gate
from assets.shared.intervals import interval_words
from assets.shared.partitions import ONE_RUN, SETTINGS, Frames, each_partition
from reports.fidelity.plots.settings import icc_forms
from reports.shared.figure import figure_metadata
from resources.configuration.fidelity import FidelityStudy
from resources.study import Study
from resources.tables.fidelity.statistics import FORMS, ICC_BY_SETTING

PINGOUIN_TOLERANCE = 1e-8
NOT_ENOUGH = "It takes two objects or more with two valid repeats or more that differ: judge more."
HEADLINE = ["icc_1k", "icc_1k_low", "icc_1k_high", "lower_bound", "band", "n_used", "n_products"]


@dg.asset(
    group_name="fidelity_repeatability",
    partitions_def=SETTINGS,
    backfill_policy=ONE_RUN,
    kinds={"pandas"},
    code_version="2",
)
def icc_by_setting(context: dg.AssetExecutionContext, score_matrix: Frames, study: dg.ResourceParam[Study]) -> Frames:
    """One row per setting: six ICC forms with F test and interval (unitless)."""
    threshold = study.fidelity.thresholds.icc
    return each_partition(
        context,
        lambda key: of_sound_objects(score_matrix[key], study.fidelity),
        lambda row: headline(row, threshold),
    )


def headline(row: pd.DataFrame, threshold: float) -> dict[str, Any]:
    """The coefficient that counts with its bounds, and all six at a glance."""
    numbers = {name: row[name].iloc[0] for name in HEADLINE}
    return numbers | {"plot": figure_metadata(icc_forms(row, threshold).specification())}


def of_sound_objects(matrix: pd.DataFrame, study: FidelityStudy) -> pd.DataFrame:
    """One setting's coefficients over the objects with enough valid repeats; the others stay counted."""
    row = icc_row(sound_matrix(matrix, study), study)
    return row.assign(n_objects=len(matrix), n_missing=int(matrix["n_planned"].sum() - matrix["n_valid"].sum()))


def icc_row(matrix: pd.DataFrame, study: FidelityStudy) -> pd.DataFrame:
    """One setting's coefficients; what the data do not define is null with the reason in `undefined`."""
    matrix = as_planned(matrix, study.repeats)
    used = matrix[matrix["n_valid"] >= 1]
    counts = {
        "setting": matrix["setting"].iloc[0],
        "n_objects": len(matrix),
        "n_used": len(used),
        "n_complete": int((matrix["n_valid"] == matrix["n_planned"]).sum()),
        "n_products": int(used["product_id"].nunique()),
        "n_planned": study.reliable_repeats,
        "n_missing": int(matrix["n_planned"].sum() - matrix["n_valid"].sum()),
    }
    try:
        result = icc(scores_of(matrix), study.reliable_repeats, study.confidence)
    except UndefinedStatistic as undefined:
        return pd.DataFrame([_undefined_row(counts, undefined.reason)])
    by_product = _interval_by_product(matrix, result, study)
    forms = dict(zip(("11", "a1", "c1", "ak", "ck"), _without_headline(result), strict=True))
    forms["1k"] = result.icc_1k_planned
    # Objects of one product resemble each other; the F interval takes them for unrelated and is too narrow.
    clustered = counts["n_products"] < counts["n_used"]
    lower = by_product.low if clustered else result.icc_1k_planned.low
    row = counts | {
        "n_complete": result.n_complete,
        "k0": result.k0,
        "icc_1k0": result.icc_1_k.value,
        **_by_restricted_likelihood(matrix, study),
        **{column: value for key, form in forms.items() for column, value in _form_columns(key, form).items()},
        "icc_1k_low_by_product": by_product.low,
        "icc_1k_high_by_product": by_product.high,
        "interval_by_product": interval_words(by_product),
        "variance_between": result.between_variance,
        "variance_within": result.within_variance,
        "standard_error_of_measurement": result.standard_error_of_measurement,
        "repeatability_limit": result.repeatability_limit,
        "band": icc_band(result.icc_1k_planned.value),
        "band_lower": icc_band(lower),
        "lower_bound": lower,
        "deterministic": result.deterministic,
        "method": result.method or message("none"),
        "two_way_rows": result.two_way_rows or "all rows",
        "undefined": _reasons(forms),
    }
    return pd.DataFrame([row])


def _interval_by_product(matrix: pd.DataFrame, result: Icc, study: FidelityStudy) -> Interval:
    if result.deterministic:
        products = int(matrix["product_id"].nunique())
        return Interval(None, None, none_because("deterministic"), products, unreliable=True, n_dropped=0)
    return icc_by_product(
        scores_of(matrix),
        matrix["product_id"],
        planned_repeats=study.reliable_repeats,
        resampling=study.resampling,
    )


def _by_restricted_likelihood(matrix: pd.DataFrame, study: FidelityStudy) -> dict[str, float | None]:
    """ICC(1,k) that weighs each object by what its repeats tell, where objects have different numbers of them."""
    names = ("icc_1k_reml", "icc_1k_reml_low", "icc_1k_reml_high")
    try:
        found = reml_icc(scores_of(matrix), study.reliable_repeats, study.confidence)
    except UndefinedStatistic:
        return dict.fromkeys(names)
    interval = found.icc_1k_planned_interval
    return dict(zip(names, (found.icc_1k_planned, interval.low, interval.high), strict=True))


def _without_headline(result: Icc) -> tuple[IccForm, ...]:
    return (result.icc_1_1, result.icc_a_1, result.icc_c_1, result.icc_a_k, result.icc_c_k)


def _form_columns(key: str, form: IccForm) -> dict[str, float | None]:
    columns = {"": form.value, "_low": form.low, "_high": form.high, "_f": form.f}
    tests = {"_df1": form.df1, "_df2": form.df2, "_p": form.p}
    return {f"icc_{key}{suffix}": value for suffix, value in (columns | tests).items()}


def _reasons(forms: dict[str, IccForm]) -> str | None:
    reasons = dict.fromkeys(form.reason for form in forms.values() if form.reason)
    return message_list(reasons) or None


def _undefined_row(counts: dict[str, object], reason: str) -> dict[str, object]:
    empty = {column.name: None for column in ICC_BY_SETTING.columns}
    words = dict.fromkeys(("interval_by_product", "method", "two_way_rows"), "none")
    return empty | counts | words | {"deterministic": False, "undefined": reason}


@gate(
    icc_by_setting,
    Kind.QUALITY,
    to_do="Plan more repeats, or judge at a lower temperature above 0.",
    withheld="the setting is not recommended.",
)
def repeatable(icc_by_setting: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """The mean of the repeats is repeatable: ICC(1,k) reaches its threshold."""
    seen = icc_by_setting.iloc[0]
    if seen["deterministic"]:
        return _deterministic_gate("repeatable", int(seen["n_used"]), plan.thresholds.icc)
    gate = at_least(
        "repeatable",
        None if pd.isna(seen["icc_1k"]) else float(seen["icc_1k"]),
        plan.thresholds.icc,
        n=int(seen["n_used"]),
        what="ICC(1,k)",
        reason=str(seen["undefined"]),
        remedy=NOT_ENOUGH
        if pd.isna(seen["icc_1k"])
        else "More repeats raise ICC(1,k), and so does a lower temperature above 0.",
    )
    by_product = bool(seen["n_products"] < seen["n_used"])
    few = by_product and bool(seen["n_products"] < reliable_from("icc"))
    which = "_by_product" if by_product else ""
    return gate.with_interval(seen[f"icc_1k_low{which}"], seen[f"icc_1k_high{which}"], unreliable=few)


@gate(icc_by_setting, Kind.ADVICE, to_do="Judge more objects of more products.")
def repeatable_for_sure(icc_by_setting: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """The lower bound of ICC(1,k) reaches the threshold too."""
    seen = icc_by_setting.iloc[0]
    if seen["deterministic"]:
        return _deterministic_gate("repeatable_for_sure", int(seen["n_used"]), plan.thresholds.icc)
    return at_least(
        "repeatable_for_sure",
        None if pd.isna(seen["lower_bound"]) else float(seen["lower_bound"]),
        plan.thresholds.icc,
        n=int(seen["n_used"]),
        what="The lower bound of ICC(1,k)",
        reason=str(seen["interval_by_product"] if pd.isna(seen["undefined"]) else seen["undefined"]),
        remedy=NOT_ENOUGH if pd.isna(seen["icc_1k"]) else "More objects of more products narrow the interval.",
    )


@gate(icc_by_setting, Kind.ADVICE, to_do="Report it with the score matrix: one of the two is wrong.")
def icc_agrees_with_pingouin(icc_by_setting: pd.DataFrame, score_matrix: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """An independent implementation gives the same six coefficients."""
    return pingouin_gate(icc_by_setting, sound_matrix(score_matrix, plan))


def _deterministic_gate(name: str, n: int, threshold: float) -> Gate:
    sentence = (
        f"{DOES_NOT_APPLY}: the setting is deterministic, all repeats of each object are equal, so ICC(1,k) is 1 by "
        f"construction over {n} objects and shows nothing about repeatability. A temperature above 0 would show it."
    )
    return Gate(name, True, None, f">= {threshold:g}", sentence, n, DETERMINISTIC, limit=threshold)


def pingouin_gate(row: pd.DataFrame, matrix: pd.DataFrame) -> Gate:
    """The largest difference from pingouin over the coefficients that both define, on complete rows."""
    import pingouin

    seen, scores = row.iloc[0], scores_of(matrix)
    needed = f"<= {PINGOUIN_TOLERANCE:g}"
    if seen["deterministic"] or pd.isna(seen["icc_1k"]) or np.isnan(scores).any():
        return Gate(
            "icc_agrees_with_pingouin",
            True,
            None,
            needed,
            "Nothing to compare: pingouin needs complete rows that vary.",
        )
    count, repeats = scores.shape
    places = {"object": np.repeat(np.arange(count), repeats), "repeat": np.tile(np.arange(repeats), count)}
    with warnings.catch_warnings():
        # Pingouin's own use of pandas is not ours to fix.
        warnings.simplefilter("ignore")
        long = pd.DataFrame(places | {"score": scores.ravel()})
        theirs = pingouin.intraclass_corr(long, "object", "repeat", "score").set_index("Type")["ICC"]
    ours = {form: seen[f"icc_{key}"] for key, (form, _) in FORMS.items() if not pd.isna(seen[f"icc_{key}"])}
    difference = max(abs(float(value) - float(theirs[form])) for form, value in ours.items())
    gate = at_most(
        "icc_agrees_with_pingouin",
        difference,
        PINGOUIN_TOLERANCE,
        n=len(scores),
        what="Largest difference from pingouin's coefficients",
        remedy="One of the two is wrong: report it with the score matrix.",
    )
    words = f"An independent implementation, pingouin, gives the same six coefficients over {len(scores)} objects"
    return gate.passing_as(f"{words}: they differ by {difference:.0e} at most, and {PINGOUIN_TOLERANCE:g} is allowed.")
