"""Table `setting_summary`: all settings side by side, on the objects that are valid in every one of them."""

from collections.abc import Mapping
from typing import Any

import dagster as dg
import numpy as np
import pandas as pd

from analysis.agreement.deviation import deviation
from analysis.agreement.icc import icc, icc_band
from analysis.agreement.icc_by_product import icc_by_product
from analysis.agreement.missing_answers import filled_against_people, filled_between_repeats
from analysis.agreement.variance_components import variance_components
from analysis.correlation.correlation import correlations
from analysis.messages import labelled, message, message_list
from analysis.undefined import UndefinedStatistic
from assets.fidelity.logic.compared_settings import compared_settings, described
from assets.fidelity.logic.current_plan import CurrentPlan, current_plans
from assets.fidelity.logic.judge_answers import (
    Judgements,
    as_planned,
    first_answers,
    incomplete_objects,
    judged_objects,
    scores_of,
)
from assets.fidelity.matched_scores import matched_rows
from assets.fidelity.stability import stability_rows
from assets.shared.intervals import bound_columns, interval_words
from assets.shared.partitions import MADE_SO_FAR, Frames, metadata_value, readable
from reports.fidelity.plots.settings import setting_summary as setting_summary_chart
from reports.shared.figure import figure_metadata
from resources.configuration.fidelity import FidelityStudy
from resources.configuration.settings import judge_in
from resources.study import Study
from resources.tables.call_states import ANSWER_STATES
from resources.tables.fidelity.statistics import SETTING_SUMMARY

NOT_COMPARED = "not compared: "
SOURCES = {
    "object": "variance_object",
    "setting": "variance_setting",
    "object:setting": "variance_object_setting",
    "residual": "variance_repeat",
}


@dg.asset(
    group_name="fidelity_verdict",
    ins={"judge_calls": MADE_SO_FAR, "score_matrix": MADE_SO_FAR},
    kinds={"pandas"},
    code_version="3",
    # One run at a time: of two that overlap, the one that read first must not write last.
    pool="setting_summary",
)
def setting_summary(
    context: dg.AssetExecutionContext,
    judge_calls: Frames,
    score_matrix: Frames,
    human_scores: pd.DataFrame,
    study_objects: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per setting: repeatability, agreement with people, answers and cost."""
    plans = current_plans(study.fidelity, judged_objects(study_objects), list(score_matrix))
    tables = Judgements(judge_calls, score_matrix, human_scores, study_objects)
    summary = summary_rows(tables, study.fidelity, plans)
    context.add_output_metadata(readable(headline(summary, study.fidelity)))
    return summary


def summary_rows(
    tables: Judgements, study: FidelityStudy, plans: Mapping[str, CurrentPlan] | None = None
) -> pd.DataFrame:
    """Every setting that was made, judged on the same objects: failures are not random.

    A setting that fails its integrity gate, or was made under another plan than the current one, is shown without
    numbers and does not decide on which objects the others are compared.
    """
    calls, matrices, human_scores, study_objects, _ = tables
    compared = compared_settings(calls, matrices, study, plans)
    n_total = int(study_objects["excluded"].isna().sum())
    # Of each judge by itself: what judges differ by is no variance between settings.
    variances = {
        judge: _variances({key: matrices[key] for key in compared.keys if judge_in(key) == judge}, compared.common)
        for judge in set(map(judge_in, compared.keys))
    }
    rows = []
    for key in compared.made:
        left_out = len(compared.valid[key] - compared.common)
        row = described(key, study) | answers(calls[key]) | {"n_total": n_total, "n_left_out": left_out}
        row["incomplete"] = ", ".join(incomplete_objects(matrices[key], study.minimum_repeats)) or None
        if key in compared.obstacles:
            nothing = {"deterministic": False, "n_objects": 0, "n_products": 0, "n_matched": 0}
            rows.append(
                row | nothing | {"undefined": message("not compared: {obstacle}", obstacle=compared.obstacles[key])}
            )
            continue
        matrix = matrices[key][matrices[key]["object"].isin(compared.common)]
        matched = matched_rows(key, matrix, human_scores, study_objects, study)
        reasons: dict[str, None] = {}
        row |= _repeatability(matrix, study, reasons) | _agreement(matched, study, reasons)
        if len(matrix) < len(matrices[key]):
            row |= _if_all_had_answered(key, matrices[key], human_scores, study_objects, study)
        counts = {"n_objects": len(matrix), "n_products": matrix["product_id"].nunique(), "n_matched": len(matched)}
        rows.append(row | counts | variances[judge_in(key)] | {"undefined": message_list(reasons) or None})
    return pd.DataFrame(rows, columns=[column.name for column in SETTING_SUMMARY.columns])


def _variances(matrices: Frames, objects: set[str]) -> dict[str, Any]:
    """How the spread of single scores divides over objects, settings, both together, and repeats."""
    parts = [(key, matrix[matrix["object"].isin(objects)]) for key, matrix in matrices.items()]
    scores = [scores_of(matrix) for _, matrix in parts]
    factors = {
        "object": [
            np.repeat(m["object"].to_numpy(dtype=str), s.shape[1]) for (_, m), s in zip(parts, scores, strict=True)
        ],
        "setting": [np.repeat(key, s.size) for (key, _), s in zip(parts, scores, strict=True)],
    }
    try:
        if len(parts) < 2:
            raise UndefinedStatistic("fewer than two settings to compare")
        found = variance_components(
            np.concatenate([s.ravel() for s in scores]),
            {name: np.concatenate(levels) for name, levels in factors.items()},
        )
    except UndefinedStatistic as undefined:
        return {"variance_undefined": undefined.reason}
    return {column: found.variances.get(source) for source, column in SOURCES.items()}


def _if_all_had_answered(
    key: str, matrix: pd.DataFrame, human_scores: pd.DataFrame, study_objects: pd.DataFrame, study: FidelityStudy
) -> dict[str, Any]:
    """The setting's numbers over all objects, were its missing answers the worst or best for the judge."""
    matrix, people = as_planned(matrix, study.repeats), human_scores.groupby("object")["score"].mean()
    scored = matrix[matrix["object"].isin(people.index)]
    row: dict[str, Any] = {}
    if matrix["n_valid"].any():
        for end, scores in filled_between_repeats(scores_of(matrix))._asdict().items():
            found = _repeatability(_with_scores(matrix, scores), study, {})
            row |= {f"icc_{end}": found.get("icc"), f"mad_{end}": found["mad"]}
    if len(scored):
        human = people.loc[scored["object"]].to_numpy(dtype=float)
        for end, scores in filled_against_people(scores_of(scored), human)._asdict().items():
            matched = matched_rows(key, _with_scores(scored, scores), human_scores, study_objects, study)
            found = _agreement(matched, study, {})
            row |= {f"spearman_{end}": found.get("spearman_r"), f"mae_{end}": found.get("mae")}
    return row


def _with_scores(matrix: pd.DataFrame, scores: np.ndarray) -> pd.DataFrame:
    names = [name for name in matrix.columns if name.startswith("repeat_")]
    # Where an object was known well enough, what came after was not asked, and is no answer that is missing.
    asked = np.arange(len(names)) < matrix["n_planned"].to_numpy()[:, None]
    scores = np.where(asked, scores, np.nan)
    return matrix.assign(n_valid=matrix["n_planned"], **dict(zip(names, scores.T, strict=True)))


def _repeatability(matrix: pd.DataFrame, study: FidelityStudy, reasons: dict[str, None]) -> dict[str, Any]:
    spread = stability_rows(matrix, study.confidence)
    row: dict[str, Any] = {
        "mad": spread["mad"].median(),
        "half_width": spread["half_width"].median(),
        "deterministic": False,
    }
    try:
        found = icc(scores_of(matrix), study.reliable_repeats, study.confidence)
    except UndefinedStatistic as undefined:
        reasons[labelled("icc", undefined.reason)] = None
        return row
    form = found.icc_1k_planned
    if form.reason:
        reasons[labelled("icc", form.reason)] = None
    row |= {"icc": form.value, **bound_columns("icc", form), "icc_band": icc_band(form.value)}
    used = matrix[matrix["n_valid"] >= 1]
    if not found.deterministic and used["product_id"].nunique() < len(used):
        # Objects of one product resemble each other; the F interval takes them for unrelated and is too narrow.
        interval = icc_by_product(
            scores_of(used), used["product_id"], planned_repeats=study.reliable_repeats, resampling=study.resampling
        )
        row |= bound_columns("icc", interval)
        if interval.low is None:
            reasons[labelled("icc_low, icc_high", interval.method)] = None
    return row | {"deterministic": found.deterministic}


def _agreement(matched: pd.DataFrame, study: FidelityStudy, reasons: dict[str, None]) -> dict[str, Any]:
    judge, human = matched["judge_score"].to_numpy(dtype=float), matched["human_score"].to_numpy(dtype=float)
    products = matched["product_id"].to_numpy(dtype=str)
    row: dict[str, Any] = {}
    try:
        found = correlations(judge, human, products, kinds=("spearman", "pearson"), resampling=study.resampling)
    except UndefinedStatistic as undefined:
        reasons[labelled("spearman_r, pearson_r", undefined.reason)] = None
    else:
        spearman = found["spearman"]
        row |= {"spearman_r": spearman.value, "pearson_r": found["pearson"].value}
        row |= bound_columns("spearman", spearman.interval)
        row["spearman_interval"] = interval_words(spearman.interval)
    try:
        errors = deviation(judge, human, products, resampling=study.resampling)
    except UndefinedStatistic as undefined:
        reasons[labelled("mae", undefined.reason)] = None
        return row
    return row | {"mae": errors.mae.value, "rmse": errors.rmse.value, "bias": errors.bias.value}


def answers(calls: pd.DataFrame) -> dict[str, Any]:
    """How many attempts got an answer, how many of the first ones were valid, what they cost."""
    first = first_answers(calls)
    n_answered = int(calls["state"].isin(ANSWER_STATES).sum())
    return {
        "json_validity_rate": (first["state"] == "valid").mean() if len(first) else None,
        "n_evaluations": n_answered,
        "n_faults": len(calls) - n_answered,
        "cost_usd": calls["cost_usd"].sum(),
    }


def headline(summary: pd.DataFrame, study: FidelityStudy) -> dict[str, Any]:
    """The settings at a glance, and the best ICC and Spearman among those that are not deterministic."""
    varying = summary[~summary["deterministic"].astype(bool)]
    thresholds = study.thresholds.model_dump()
    plot = figure_metadata(setting_summary_chart(summary, thresholds))
    best = {f"best_{name}": metadata_value(varying[name].max()) for name in ("icc", "spearman_r")}
    return {"n_settings": len(summary), "cost_usd": float(summary["cost_usd"].sum()), **best, "plot": plot}
