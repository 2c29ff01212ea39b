"""Table `human_agreement`: how well the judge stands in for people."""

from collections.abc import Iterator

import dagster as dg
import pandas as pd

from analysis.gates import Gate, at_least, at_most
from analysis.intervals.measured import reliable_from
from assets.fidelity.logic.agreement_rows import agreement_rows, unit_of
from assets.fidelity.matched_scores import match_column, sound_matches
from assets.shared.gate import Kind, gate
from assets.shared.partitions import ONE_RUN, SETTINGS, Frames, each_partition
from reports.fidelity.plots.settings import agreement_by_group
from reports.shared.figure import figure_metadata
from resources.configuration.fidelity import FidelityStudy, FidelityThresholds
from resources.study import Study

ALL = "all objects"
NOT_ENOUGH = "It takes three objects or more that judge and people scored, with scores that differ: score more."
GROUPINGS = ("category_l3", "algorithm")
HEADLINE = ("spearman_r", "pearson_r", "mae", "rmse", "bias")


@dg.asset(
    group_name="fidelity_people", partitions_def=SETTINGS, backfill_policy=ONE_RUN, kinds={"pandas"}, code_version="1"
)
def human_agreement(
    context: dg.AssetExecutionContext,
    matched_scores: Frames,
    human_scores: pd.DataFrame,
    study_objects: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> Frames:
    """One row per group and statistic: overall, by category and by algorithm."""
    return each_partition(
        context,
        lambda key: agreement_table(
            key, sound_matches(matched_scores[key]), human_scores, study_objects, study.fidelity
        ),
        lambda frame: headline(frame, study.fidelity.thresholds),
    )


def agreement_table(
    setting: str, matched: pd.DataFrame, human_scores: pd.DataFrame, study_objects: pd.DataFrame, study: FidelityStudy
) -> pd.DataFrame:
    """Every statistic for all objects and for each group of them, with how many objects and products it rests on."""
    judged = study_objects[study_objects["excluded"].isna()]
    judged = judged.assign(match_key=judged[match_column(study)])
    # The ceiling is about people on the same object, also where scores are matched by item.
    ratings = human_scores.merge(judged[["object", "match_key"]], on="object")
    rows = []
    for grouping, group, keys in _groups(judged):
        part = matched[matched["match_key"].isin(keys)]
        behind = ratings[ratings["match_key"].isin(part["match_key"])]
        counts = {"n_used": len(part), "n_total": len(keys), "n_products": part["product_id"].nunique()}
        named = {"setting": setting, "grouped_by": grouping, "group": group}
        for row in agreement_rows(part, behind, study):
            rows.append(named | row._asdict() | {"unit": unit_of(row.statistic)} | counts)
    return pd.DataFrame(rows)


def _groups(judged: pd.DataFrame) -> Iterator[tuple[str, str, set[str]]]:
    """All keys, then those of each category and algorithm; an item whose objects differ is in a group of its own."""
    yield "overall", ALL, set(judged["match_key"])
    for grouping in GROUPINGS:
        named = judged.assign(group=judged[grouping].fillna("(missing)")).groupby("match_key")["group"]
        group_of = named.first().where(named.nunique() < 2, "(several)")
        for name in sorted(group_of.unique()):
            yield grouping, name, set(group_of.index[group_of == name])


def headline(frame: pd.DataFrame, limits: FidelityThresholds) -> dict[str, object]:
    """The overall numbers and the groups at a glance."""
    overall = frame[frame["grouped_by"] == "overall"].set_index("statistic")
    numbers = {name: overall.loc[name, "value"] for name in HEADLINE}
    plots = {
        name: figure_metadata(agreement_by_group(frame, limit, statistic).specification())
        for name, limit, statistic in (("plot", limits.spearman, "spearman_r"), ("plot_mae", limits.mae, "mae"))
    }
    return {"n_used": overall["n_used"].iloc[0], **numbers, **plots}


@gate(
    human_agreement,
    Kind.QUALITY,
    to_do="Look at the scatter plot in matched_scores; try another prompt or judge.",
    withheld="the setting is not recommended.",
)
def orders_like_people(human_agreement: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """The judge orders objects as people do: Spearman reaches its threshold."""
    return spearman_gate(human_agreement, plan.thresholds.spearman)


@gate(human_agreement, Kind.ADVICE, to_do="Judge objects of more products.")
def orders_like_people_for_sure(human_agreement: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """The lower bound of Spearman reaches the threshold too."""
    threshold = plan.thresholds.spearman
    return spearman_gate(human_agreement, threshold, "ci_low")


@gate(
    human_agreement,
    Kind.QUALITY,
    to_do="Calibrate: `mae_linear` in human_agreement says what that would leave.",
    withheld="nothing; read the scores as an order, not as people's numbers.",
)
def close_to_people(human_agreement: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """The judge's scores are near people's: the mean absolute error keeps its limit."""
    return error_gate(human_agreement, "mae", plan.thresholds.mae)


@gate(human_agreement, Kind.ADVICE, to_do="Calibrate: `mae_linear` in human_agreement says what that would leave.")
def no_large_errors(human_agreement: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """The root mean squared error, in which large errors weigh more, keeps its limit."""
    return error_gate(human_agreement, "rmse", plan.thresholds.rmse)


def spearman_gate(frame: pd.DataFrame, threshold: float, column: str = "value") -> Gate:
    """The overall Spearman correlation, or its lower bound, against the threshold."""
    row, seen = _overall(frame, "spearman_r", column)
    remedy = "Look at the scatter plot in matched_scores: which objects does the judge place elsewhere?"
    if column != "value":
        remedy = "More products narrow the interval."
    gate = at_least(
        "orders_like_people" if column == "value" else "orders_like_people_for_sure",
        seen,
        threshold,
        n=int(row["n_used"]),
        what="Spearman with people" if column == "value" else "The lower bound of Spearman with people",
        reason=_reason(row),
        remedy=NOT_ENOUGH if pd.isna(row["value"]) else remedy,
    )
    return _with_interval(gate, row) if column == "value" else gate


def error_gate(frame: pd.DataFrame, statistic: str, limit: float) -> Gate:
    """The overall MAE or RMSE against its limit."""
    row, seen = _overall(frame, statistic, "value")
    names = {"mae": ("close_to_people", "Mean absolute error"), "rmse": ("no_large_errors", "Root mean squared error")}
    name, what = names[statistic]
    gate = at_most(
        name,
        seen,
        limit,
        n=int(row["n_used"]),
        what=f"{what} against people",
        reason=_reason(row),
        remedy=NOT_ENOUGH
        if seen is None
        else "Calibrate: mae_linear in human_agreement says what a calibration on held-out products would leave.",
    )
    return _with_interval(gate, row)


def _with_interval(gate: Gate, row: pd.Series) -> Gate:
    return gate.with_interval(
        row["ci_low"], row["ci_high"], unreliable=bool(row["n_products"] < reliable_from("spearman"))
    )


def _overall(frame: pd.DataFrame, statistic: str, column: str) -> tuple[pd.Series, float | None]:
    row = frame[(frame["grouped_by"] == "overall") & (frame["statistic"] == statistic)].iloc[0]
    return row, None if pd.isna(row[column]) else float(row[column])


def _reason(row: pd.Series) -> str:
    return str(row["method"] if pd.isna(row["undefined"]) else row["undefined"])
