"""Table `recommended_setting`: which setting to use, how surely, and why not another."""

from collections.abc import Mapping
from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate
from analysis.messages import message, none_because
from assets.fidelity.logic.compared_settings import compared_settings, described
from assets.fidelity.logic.current_plan import CurrentPlan, current_plans
from assets.fidelity.logic.judge_answers import Judgements, judged_objects
from assets.fidelity.logic.recommendation_gates import chosen_setting, confirmed_gate, recommended_gate, sure_gate
from assets.fidelity.logic.selection_split import products_that_choose
from assets.fidelity.logic.setting_selection import on_common_objects, selection_columns, sides_of, why_not_split
from assets.shared.gate import Kind, gate
from assets.shared.partitions import MADE_SO_FAR, Frames, metadata_value, readable
from reports.fidelity.plots.decision import recommendation
from reports.shared.figure import figure_metadata
from resources.configuration.fidelity import FidelityStudy
from resources.study import Study
from resources.tables.fidelity.decision import RECOMMENDED_SETTING

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
NOTHING_COMMON = message("no object is valid in every setting")


@dg.asset(
    group_name="fidelity_verdict",
    ins={"judge_calls": MADE_SO_FAR, "score_matrix": MADE_SO_FAR, "convergence_curves": MADE_SO_FAR},
    kinds={"pandas"},
    code_version="3",
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
    """One row per setting: conditions, score, what cannot be distinguished from the best, numbers to report, cost."""
    tables = Judgements(judge_calls, score_matrix, human_scores, study_objects, convergence_curves)
    plans = current_plans(study.fidelity, judged_objects(study_objects), list(score_matrix))
    made = recommendation_rows(tables, study.fidelity, plans)
    context.add_output_metadata(readable(headline(made)))
    return made


def recommendation_rows(
    tables: Judgements, study: FidelityStudy, plans: Mapping[str, CurrentPlan] | None = None
) -> pd.DataFrame:
    """Every setting that was made; those of another plan or with too few repeats are shown and not compared."""
    found = compared_settings(tables.calls, tables.matrices, study, plans)
    columns: dict[str, dict[str, Any]] = {}
    why_none = NOTHING_COMMON
    if found.common:
        given = on_common_objects(found.keys, found.common, tables, study)
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
    words = {
        "failed": message("not compared: {obstacle}", obstacle=obstacle),
        "method": none_because("not compared"),
    }
    return flags | dict.fromkeys(COUNTS, 0) | words


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


def headline(recommended: pd.DataFrame) -> dict[str, Any]:
    """The setting to use with its reported numbers, or the nearest, and all settings at a glance."""
    chosen = chosen_setting(recommended)
    numbers: dict[str, Any] = {"recommended": chosen.setting or "none", "n_settings": len(recommended)}
    if chosen.nearest is not None:
        numbers["nearest"] = chosen.nearest
    shown = recommended[recommended["setting"] == chosen.setting]
    for name in ("icc_reported", "spearman_reported", "mad_reported", "json_validity_reported", "n_reporting"):
        numbers[name] = metadata_value(shown[name].iloc[0] if len(shown) else None)
    plot = figure_metadata(recommendation(recommended).specification())
    return numbers | {"plot": plot}


@gate(
    recommended_setting,
    Kind.QUALITY,
    to_do="Fix what the nearest setting lacks, or add settings.",
    withheld="a recommendation; golden set and anchor are judged at the nearest setting.",
)
def a_setting_is_recommended(recommended_setting: pd.DataFrame) -> Gate:
    """Some setting keeps the four conditions: repeatable, like people, steady, in the answer's form."""
    return recommended_gate(recommended_setting)


@gate(recommended_setting, Kind.ADVICE, to_do="Use the setting provisionally; judge more objects.")
def recommendation_confirmed(recommended_setting: pd.DataFrame) -> Gate:
    """The conditions hold in the numbers to report too, which choosing did not flatter."""
    return confirmed_gate(recommended_setting)


@gate(recommended_setting, Kind.ADVICE, to_do="Use the setting provisionally; judge objects of more products.")
def recommended_for_sure(recommended_setting: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """ICC and Spearman reach their thresholds with their lower bounds, for all settings tried together."""
    return sure_gate(recommended_setting, plan.thresholds)
