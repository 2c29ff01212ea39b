"""Table `recommended_setting`: which setting to use, how surely, and why not another."""

from typing import Any, NamedTuple

import dagster as dg
import pandas as pd

from analysis.bootstrap import RELIABLE_CLUSTERS
from analysis.gates import Gate, at_least
from analysis.words import counted
from assets.checks import WARN, gate_result, told
from assets.choosing_products import products_that_choose
from assets.compared_settings import compared_settings, described
from assets.fidelity.judge_calls import judged_objects
from assets.partitions import MADE_SO_FAR, Frames, metadata_value
from assets.plan_in_force import PlanInForce, plan_in_force
from assets.setting_conditions import FOUR_CONDITIONS, is_corrected
from assets.setting_selection import on_common_objects, selection_columns, sides_of, why_not_split
from resources.configuration.fidelity import FidelityStudy, FidelityThresholds
from resources.errors import listed
from resources.plots.figure import figure_metadata
from resources.plots.recommendation import draw_recommendation
from resources.study import Study
from resources.tables.fidelity_decision import RECOMMENDED_SETTING

COUNTS = (
    "n_settings_tried",
    "n_choosing",
    "n_reporting",
    "n_products_choosing",
    "n_products_reporting",
    "n_matched_choosing",
    "n_matched_reporting",
    "n_matched_products_choosing",
    "n_matched_products_reporting",
    "n_first_choosing",
    "n_first_reporting",
)
# Each number to report in words, its column, and the column of the same on the objects that choose.
REPORTED = (
    ("ICC(1,k)", "icc_reported", "icc"),
    ("Spearman", "spearman_reported", "spearman_r"),
    ("median MAD", "mad_reported", "mad"),
    ("JSON validity", "json_validity_reported", "json_validity_rate"),
)
NOTHING_COMMON = "no object is valid in every setting"
NOTHING_TO_CONFIRM = "No setting is recommended, so there is nothing to confirm."


class Chosen(NamedTuple):
    """The key of the setting to use; where there is none, `nearest` lacks the least (none: all are deterministic)."""

    setting: str | None
    nearest: str | None


@dg.asset(
    group_name="fidelity",
    ins={"judge_calls": MADE_SO_FAR, "score_matrix": MADE_SO_FAR, "convergence_curves": MADE_SO_FAR},
    kinds={"pandas"},
    code_version="2",
    # One run at a time: of two that overlap, the one that read first must not write last.
    pool="recommended_setting",
)
def recommended_setting(
    context: dg.AssetExecutionContext,
    judge_calls: Frames,
    score_matrix: Frames,
    convergence_curves: Frames,
    human_scores: pd.DataFrame,
    study_objects: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per setting: conditions, score, what cannot be told from the best, numbers to report, cost."""
    tables = Judgements(judge_calls, score_matrix, convergence_curves, human_scores, study_objects)
    plan = plan_in_force(study.fidelity, judged_objects(study_objects))
    made = recommendation_rows(tables, study.fidelity, plan)
    context.add_output_metadata(headline(made))
    return made


class Judgements(NamedTuple):
    """The tables behind a recommendation; the first three by setting."""

    calls: Frames
    matrices: Frames
    curves: Frames
    human_scores: pd.DataFrame
    study_objects: pd.DataFrame


def recommendation_rows(tables: Judgements, study: FidelityStudy, plan: PlanInForce | None = None) -> pd.DataFrame:
    """Every setting that was made; those of another plan or with too few repeats are shown and not compared."""
    found = compared_settings(tables.calls, tables.matrices, study, plan)
    columns: dict[str, dict[str, Any]] = {}
    why_none = NOTHING_COMMON
    if found.common:
        given = on_common_objects(found.keys, found.common, tables.calls, tables.matrices, tables.human_scores, study)
        choosing = products_that_choose(tables.study_objects, tables.human_scores, study)
        why_none = why_not_split(given, choosing) or ""
        if not why_none:
            chosen = selection_columns(sides_of(given, choosing, study), study)
            columns = dict(zip(found.keys, chosen, strict=True))
    rows = []
    for key in found.made:
        row = described(key, study) | columns.get(key, _not_compared(found.obstacles.get(key, why_none)))
        rows.append(row | _cost(tables.calls[key], tables.matrices[key]) | _repeats_needed(tables.curves.get(key)))
    return pd.DataFrame(rows, columns=[column.name for column in RECOMMENDED_SETTING.columns])


def _not_compared(obstacle: str) -> dict[str, Any]:
    flags = dict.fromkeys(("deterministic", "recommended", "nearest", "passes"), False)
    return flags | dict.fromkeys(COUNTS, 0) | {"failed": f"not compared: {obstacle}", "method": "none: not compared"}


def _cost(calls: pd.DataFrame, matrix: pd.DataFrame) -> dict[str, Any]:
    n_items = int(matrix["item_id"].nunique())
    return {"cost_per_item_usd": float(calls["cost_usd"].sum()) / n_items if n_items else None}


def _repeats_needed(curves: pd.DataFrame | None) -> dict[str, Any]:
    """What the spread of each object's repeats asks for; a setting without curves says nothing about any object."""
    if curves is None:
        return {"repeats_needed_median": None, "repeats_needed_most": None, "n_without_projection": 0}
    projected = curves.drop_duplicates("object")["projected_n"]
    known = projected.dropna()
    return {
        "repeats_needed_median": float(known.median()) if len(known) else None,
        "repeats_needed_most": int(known.max()) if len(known) else None,
        "n_without_projection": int(projected.isna().sum()),
    }


def chosen_setting(recommended: pd.DataFrame) -> Chosen:
    """The recommended setting, or none and the nearest.

    Args:
        recommended: Table `recommended_setting`.
    """

    def only(flag: str) -> str | None:
        keys = recommended.loc[recommended[flag].astype(bool), "setting"]
        return str(keys.iloc[0]) if len(keys) else None

    return Chosen(only("recommended"), only("nearest"))


def headline(recommended: pd.DataFrame) -> dict[str, Any]:
    """The setting to use with its reported numbers, or the nearest, and all settings at a glance."""
    chosen = chosen_setting(recommended)
    numbers: dict[str, Any] = {"recommended": chosen.setting or "none", "n_settings": len(recommended)}
    if chosen.nearest is not None:
        numbers["nearest"] = chosen.nearest
    shown = recommended[recommended["setting"] == chosen.setting]
    for name in ("icc_reported", "spearman_reported", "mad_reported", "json_validity_reported", "n_reporting"):
        numbers[name] = metadata_value(shown[name].iloc[0] if len(shown) else None)
    plot = figure_metadata(lambda figure: draw_recommendation(figure, recommended), 8.4, 1.8 + 0.32 * len(recommended))
    return numbers | {"plot": plot}


@dg.asset_check(asset=recommended_setting)
def a_setting_is_recommended(recommended_setting: pd.DataFrame) -> dg.AssetCheckResult:
    """Some setting keeps the four conditions: repeatable, like people, steady, in the answer's form."""
    return gate_result(recommended_gate(recommended_setting))


@dg.asset_check(asset=recommended_setting)
def recommendation_confirmed(recommended_setting: pd.DataFrame) -> dg.AssetCheckResult:
    """Advice: the conditions hold in the numbers to report too, which choosing did not make better than they are."""
    return gate_result(confirmed_gate(recommended_setting), WARN)


@dg.asset_check(asset=recommended_setting)
def recommended_for_sure(recommended_setting: pd.DataFrame, study: dg.ResourceParam[Study]) -> dg.AssetCheckResult:
    """Advice: ICC and Spearman reach their thresholds with their lower bounds, for all settings tried together."""
    return gate_result(sure_gate(recommended_setting, study.fidelity.thresholds), WARN)


def recommended_gate(recommended: pd.DataFrame) -> Gate:
    """How many settings keep the four conditions, against one."""
    chosen = chosen_setting(recommended)
    compared = recommended[recommended["n_settings_tried"] > 0]
    n_passing = int(compared["passes"].astype(bool).sum())
    remedy = "No setting was compared whose repeats vary."
    if compared.empty and len(recommended):
        remedy = f"None was compared: {listed(recommended['failed'].unique(), 3)}"
    if chosen.nearest is not None:
        lacks = recommended.loc[recommended["setting"] == chosen.nearest, "failed"].iloc[0]
        remedy = f"Nearest is {chosen.nearest}: {lacks}"
    gate = at_least(
        "a_setting_is_recommended",
        float(n_passing),
        1,
        n=len(compared),
        counted="setting" if len(compared) == 1 else "settings",
        what=f"Number of settings that keep {FOUR_CONDITIONS}",
        remedy=remedy,
    )
    equals = [key for key in as_good_as_best(recommended) if key != chosen.setting]
    like = f" Cannot be told from it: {', '.join(equals)}." if equals else ""
    keep = "keeps" if n_passing == 1 else "keep"
    passing = f"{n_passing} of {counted(len(compared), 'setting')} {keep} {FOUR_CONDITIONS}"
    words = f"{chosen.setting} is recommended: {passing}.{like}"
    return told(gate, words)


def confirmed_gate(recommended: pd.DataFrame) -> Gate:
    """Whether the numbers to report keep the four conditions, with the lower bounds beside them."""
    row = _recommended_row(recommended)
    if row is None:
        return Gate("recommendation_confirmed", False, None, FOUR_CONDITIONS, NOTHING_TO_CONFIRM)
    bounds = f"Lower bounds for {_tried(row)} (Holm): "
    bounds += f"ICC(1,k) {_shown(row['icc_holm_low'])}, Spearman {_shown(row['spearman_holm_low'])}."
    where = f"over {counted(int(row['n_reporting']), 'object')} of {_products(row['n_products_reporting'])}"
    if (row["n_matched_reporting"], row["n_matched_products_reporting"]) != (
        row["n_reporting"],
        row["n_products_reporting"],
    ):
        matched = counted(int(row["n_matched_reporting"]), "object")
        where += f" (Spearman over {matched} of {_products(row['n_matched_products_reporting'])})"
    if pd.isna(row["lacks_when_reported"]):
        numbers = ", ".join(
            f"{what} {_shown(row[name])}{f' ({_shown(row[column])} seen)' if is_corrected(row.to_dict()) else ''}"
            for what, name, column in REPORTED
        )
        if is_corrected(row.to_dict()):
            where += ", corrected for the choice"
        words = f"{row['setting']} keeps {FOUR_CONDITIONS} in the numbers to report, {where}: {numbers}. {bounds}"
        return Gate("recommendation_confirmed", True, None, FOUR_CONDITIONS, words)
    words = (
        f"{row['setting']} misses conditions in the numbers to report, {where}: {row['lacks_when_reported']} {bounds}"
    )
    return Gate("recommendation_confirmed", False, None, FOUR_CONDITIONS, words)


def sure_gate(recommended: pd.DataFrame, thresholds: FidelityThresholds) -> Gate:
    """The Holm-adjusted lower bounds of ICC and Spearman against their thresholds; a failing one is named first."""
    row = _recommended_row(recommended)
    if row is None:
        return Gate("recommended_for_sure", False, None, "lower bounds", NOTHING_TO_CONFIRM)
    gates = [
        at_least(
            "recommended_for_sure",
            None if pd.isna(row[column]) else float(row[column]),
            needed,
            n=int(row[n]),
            counted=f"{'object' if row[n] == 1 else 'objects'} of {_products(row[n_products])}",
            what=f"For {_tried(row)} (Holm), the lower bound of {what}",
            reason="too few products, undefined in too many resamples, or the same in all; column `method` says which",
            remedy="" if pd.isna(row[column]) else "More products narrow the interval.",
        )
        for column, what, needed, n, n_products in (
            ("icc_holm_low", "ICC(1,k)", thresholds.icc, "n_reporting", "n_products_reporting"),
            (
                "spearman_holm_low",
                "Spearman with people",
                thresholds.spearman,
                "n_matched_reporting",
                "n_matched_products_reporting",
            ),
        )
    ]
    first, second = sorted(gates, key=lambda gate: gate.passed)
    return first._replace(sentence=f"{first.sentence} {second.sentence}")


def as_good_as_best(recommended: pd.DataFrame) -> list[str]:
    """The settings that the data do not tell from the best, the best among them; also where there is no interval."""
    passing = recommended[recommended["passes"].astype(bool)]
    same = zip(passing["setting"], passing["as_good_as_best"], strict=True)
    return [str(key) for key, as_good in same if pd.isna(as_good) or bool(as_good)]


def _recommended_row(recommended: pd.DataFrame) -> "pd.Series | None":
    rows = recommended[recommended["recommended"].astype(bool)]
    return rows.iloc[0] if len(rows) else None


def _tried(row: pd.Series) -> str:
    return f"{counted(int(row['n_settings_tried']), 'setting')} tried"


def _products(n: Any) -> str:
    """So many products, and a mark where an interval over them is not to be relied on."""
    few = f" (unreliable: under {RELIABLE_CLUSTERS})" if n < RELIABLE_CLUSTERS else ""
    return f"{counted(int(n), 'product')}{few}"


def _shown(value: Any) -> str:
    return "undefined" if pd.isna(value) else f"{float(value):.3f}"
