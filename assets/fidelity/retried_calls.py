"""Table `retried_calls`: whether calls that were tried again score as the others do."""

from typing import Any

import dagster as dg
import numpy as np
import pandas as pd

from analysis.gates import Gate, at_most
from analysis.intervals.headline import headline_intervals
from analysis.messages import labelled, message, message_list
from analysis.resampling.bootstrap import FEWEST_CLUSTERS
from assets.fidelity.matched_scores import matched_rows
from assets.fidelity.score_matrix import sound_matrix
from assets.shared.gate import Kind, gate
from assets.shared.intervals import bound_columns, interval_words
from assets.shared.partitions import ONE_RUN, SETTINGS, Frames, each_partition
from reports.fidelity.plots.people import retried_calls as retried_calls_chart
from reports.shared.figure import figure_metadata
from resources.configuration.fidelity import FidelityStudy
from resources.errors import listing
from resources.study import Study
from resources.tables.call_states import ANSWER_STATES, SCORED_STATES
from resources.tables.fidelity.decision import RETRIED_CALLS

SHOWN = 20
HEADLINE = ("n_calls", "n_retried_calls", "n_retried_objects", "difference", "mae_retried", "mae_others")


@dg.asset(
    group_name="fidelity_judging", partitions_def=SETTINGS, backfill_policy=ONE_RUN, kinds={"pandas"}, code_version="1"
)
def retried_calls(
    context: dg.AssetExecutionContext,
    judge_calls: Frames,
    score_matrix: Frames,
    human_scores: pd.DataFrame,
    study_objects: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> Frames:
    """One row per setting: objects whose score comes from a later attempt, next to the others."""
    by_object = study.fidelity.model_copy(update={"match_by": "object"})
    return each_partition(
        context,
        lambda key: retried_row(
            key,
            judge_calls[key],
            matched_rows(key, sound_matrix(score_matrix[key], study.fidelity), human_scores, study_objects, by_object),
            study_objects,
            study.fidelity,
        ),
        headline,
    )


def retried_row(
    setting: str, calls: pd.DataFrame, matched: pd.DataFrame, study_objects: pd.DataFrame, study: FidelityStudy
) -> pd.DataFrame:
    """Retried against other repeats of the same objects, and both groups of objects against people.

    Objects that the study no longer has are left out and counted; `matched` has a row per object.
    """
    known = calls["object"].isin(study_objects["object"])
    counted = counted_calls(calls[known])
    scored = counted[counted["state"].isin(SCORED_STATES) & counted["score"].notna()]
    retried = sorted(set(scored.loc[scored["retried"], "object"]))
    scores = scored.groupby("retried")["score"].mean()
    error = matched["difference"].abs().groupby(matched["match_key"].isin(retried)).agg(["mean", "size"])
    reasons: dict[str, None] = {}
    row = {
        "setting": setting,
        "n_calls": len(counted),
        "n_retried_calls": int(counted["retried"].sum()),
        "n_retried_answers": int(counted["answered_before"].sum()),
        "n_retried_objects": len(retried),
        "n_other_objects": counted["object"].nunique() - len(retried),
        "n_objects_gone": calls.loc[~known, "object"].nunique(),
        "mean_retried": scores.get(True),
        "mean_others": scores.get(False),
        "mae_retried": error["mean"].get(True),
        "mae_others": error["mean"].get(False),
        "n_mae_retried": int(error["size"].get(True, 0)),
        "n_mae_others": int(error["size"].get(False, 0)),
        "retried": listing(retried, SHOWN) or "none",
        **_difference(scored, study_objects, study, reasons),
    }
    reasons |= {
        labelled(name, message("no such score")): None for name in ("mean_retried", "mean_others") if row[name] is None
    }
    reasons |= {
        labelled(name, message("no such object that people scored")): None
        for name in ("mae_retried", "mae_others")
        if row[name] is None
    }
    row["undefined"] = message_list(reasons) or None
    return pd.DataFrame([row], columns=[column.name for column in RETRIED_CALLS.columns])


def counted_calls(calls: pd.DataFrame) -> pd.DataFrame:
    """The attempt that counts of every call, whether it is a later one, and whether an answer came before it."""
    ordered = calls.sort_values("attempt")
    last = ordered.drop_duplicates(["object", "repeat"], keep="last").set_index(["object", "repeat"])
    earlier = ordered[ordered.duplicated(["object", "repeat"], keep="last") & ordered["state"].isin(ANSWER_STATES)]
    answered = pd.MultiIndex.from_frame(earlier[["object", "repeat"]])
    return last.assign(retried=last["attempt"] > 1, answered_before=last.index.isin(answered)).reset_index()


def _difference(
    scored: pd.DataFrame, study_objects: pd.DataFrame, study: FidelityStudy, reasons: dict[str, None]
) -> dict[str, Any]:
    """Within objects, so that objects which are hard to judge do not look like an effect of trying again."""
    means = scored.pivot_table(index="object", columns="retried", values="score").reindex(columns=[True, False])
    both = means.dropna()
    if both.empty:
        none_retried = bool(means[True].isna().all())
        why = (
            message("no call that gave a score was tried again")
            if none_retried
            else message("no object has both kinds")
        )
        reasons[message("difference: {why}", why=why)] = None
        return {}
    differences = np.round((both[True] - both[False]).to_numpy(dtype=float), 12)
    products = study_objects.set_index("object").loc[both.index, "product_id"].to_numpy(dtype=str)
    [interval] = headline_intervals(
        lambda counts: (counts @ differences / counts.sum(axis=1))[:, None],
        ("mean",),
        products,
        resampling=study.resampling,
    )
    bounds = bound_columns("difference", interval)
    return {"difference": float(differences.mean()), "method": interval_words(interval)} | bounds


def headline(row: pd.DataFrame) -> dict[str, object]:
    """How many calls were tried again and what they say."""
    plot = figure_metadata(retried_calls_chart(row))
    return {name: row[name].iloc[0] for name in HEADLINE} | {"plot": plot}


@gate(retried_calls, Kind.ADVICE, to_do="Look at the objects in retried_calls before their scores are used.")
def retries_not_told_apart(retried_calls: pd.DataFrame) -> Gate:
    """The scores do not tell calls that were tried again from other repeats of the same objects.

    That is not to say that they are equal; few retried calls tell nothing apart.
    """
    seen = retried_calls.iloc[0]
    name, n_calls, n_retried = "retries_not_told_apart", int(seen["n_calls"]), int(seen["n_retried_calls"])
    if not n_retried:
        return Gate(name, True, None, "<= 0", f"None of the {n_calls} calls was tried again.")
    tried = f"{n_retried} of {n_calls} calls {'was' if n_retried == 1 else 'were'} tried again"
    known = not pd.isna(seen["difference_low"])
    n_objects = int(seen["n_retried_objects"])
    if not known:
        objects = "1 object" if n_objects == 1 else f"{n_objects} objects"
        words = f"{tried}, and a score came of it for {objects}"
        if n_objects < FEWEST_CLUSTERS:
            return Gate(name, True, None, "<= 0", f"{words}: fewer than {FEWEST_CLUSTERS}, too few to compare.")
        why = seen["undefined"] if pd.isna(seen["difference"]) else seen["method"]
        return Gate(name, True, None, "<= 0", f"{words}: too few to compare ({why}).")
    differs = f"{seen['difference']:+.3f} ({seen['difference_low']:.3f} to {seen['difference_high']:.3f})"
    gate = at_most(
        name,
        max(float(seen["difference_low"]), -float(seen["difference_high"]), 0.0),
        0.0,
        n=n_retried,
        counted="retried call" if n_retried == 1 else "retried calls",
        what="Distance from 0 of the interval of retried minus other repeats of the same objects",
        remedy=f"The difference is {differs}: look at the objects in retried_calls before their scores are used.",
    )
    return gate.passing_as(f"{tried}; the scores do not tell them from other repeats: {differs}.")
