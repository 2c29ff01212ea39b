"""Table `kappa_validation`: whether the judges agree well enough, run by run, and what follows."""

from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate
from analysis.undefined import UndefinedStatistic
from assets.reliability.logic.disputes import reviewed_queries, undecided
from assets.reliability.logic.judge_bias import biased_pairs
from assets.reliability.logic.verdict import (
    agreement_gate,
    convention_gate,
    judges_of,
    notes_of,
    proven_gate,
    status_of,
    verdict_of,
    why_no_verdict,
)
from assets.shared.gate import Kind, gate
from assets.shared.partitions import metadata_value, readable
from reports.reliability.plots import kappa_history
from reports.shared.figure import figure_metadata
from resources.configuration.reliability import ReliabilityStudy
from resources.database.reliability.recalibrations import recalibrations
from resources.database.reliability.records import ValidationRecord
from resources.study import Study


@dg.asset(group_name="reliability_agreement", kinds={"database"}, code_version="1")
def kappa_validation(
    context: dg.AssetExecutionContext,
    query_kappa: pd.DataFrame,
    judge_agreement: pd.DataFrame,
    disputed_documents: pd.DataFrame,
    bias_test: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """Adds this run's row to `validation_results`; none where kappa is not defined, and then it says why."""
    try:
        verdict = verdict_of(query_kappa, judge_agreement, study.reliability)
    except UndefinedStatistic as undefined:
        context.add_output_metadata({"status": "no verdict", "reason": undefined.reason})
        return study.validations.validations()
    status = status_of(verdict, disputed_documents)
    thresholds = study.thresholds(judges_of(query_kappa))
    record = ValidationRecord(
        run=context.run.run_id,
        status=status,
        kappa_macro=verdict.measures["kappa_macro"],
        kappa_micro=verdict.measures["kappa_micro"],
        total_queries=verdict.measures["total_queries"],
        not_proven=verdict.gate.not_proven,
        depends_on_convention=verdict.gate.depends_on_convention,
        contingency_actions=steps_taken(study, disputed_documents, bias_test),
        notes=notes_of(verdict, status, chosen_low=only_low_again(study, query_kappa)),
        measures=verdict.measures | {"thresholds": thresholds},
    )
    study.validations.record_validation(record)
    history = study.validations.validations()
    context.add_output_metadata(readable(headline(history) | {"plot": history_plot(history, study.reliability)}))
    return history


@gate(
    kappa_validation,
    Kind.QUALITY,
    to_do="Go through the contingency: `touchstone reliability status` says what is due.",
    withheld="`ground_truth`, until a validation passes or people decide every dispute.",
)
def judges_agree(
    kappa_validation: pd.DataFrame,
    query_kappa: pd.DataFrame,
    judge_agreement: pd.DataFrame,
    plan: ReliabilityStudy,
) -> Gate:
    """Macro and micro kappa reach their limits, and few queries have a low kappa."""
    return agreement_gate(query_kappa, judge_agreement, plan)


@gate(kappa_validation, Kind.ADVICE, to_do="Judge more queries: the bounds narrow.")
def agreement_is_proven(
    kappa_validation: pd.DataFrame,
    query_kappa: pd.DataFrame,
    judge_agreement: pd.DataFrame,
    plan: ReliabilityStudy,
) -> Gate:
    """Where the judges agree, the lower bounds of both kappas do too."""
    reason = why_no_verdict(query_kappa, judge_agreement, plan)
    return proven_gate(kappa_validation, plan.gate, reason)


@gate(kappa_validation, Kind.ADVICE, to_do="Sample queries with relevant and irrelevant documents.")
def convention_does_not_decide(
    kappa_validation: pd.DataFrame,
    query_kappa: pd.DataFrame,
    judge_agreement: pd.DataFrame,
    plan: ReliabilityStudy,
) -> Gate:
    """Where the judges agree, they do whether queries with one label count as 1 or not at all."""
    reason = why_no_verdict(query_kappa, judge_agreement, plan)
    return convention_gate(kappa_validation, reason)


def only_low_again(study: Study, query_kappa: pd.DataFrame) -> bool:
    """Whether some queries count under a prompt that they alone were judged again under, the others not."""
    again = {one.prompt_version for one in recalibrations(study.validations)}
    counting = query_kappa["prompt_version"].isin(again - {study.reliability.prompt_version})
    return bool(counting.any() and not counting.all())


def steps_taken(study: Study, disputed: pd.DataFrame, bias: pd.DataFrame) -> list[dict[str, Any]]:
    """What happened since the validation before: disagreements found, votes, bias, and what people set going."""
    n_queries = int(disputed["query_id"].nunique())
    steps: list[dict[str, Any]] = [
        {"step": "disagreements", "n_queries": n_queries, "n_documents": len(disputed)},
        {
            "step": "tiebreaks",
            "n_votes": votes_since_validation(study),
            "n_reviewed_queries": len(reviewed_queries(disputed)),
            "n_undecided_documents": len(undecided(disputed)),
        },
        {"step": "bias_test", "biased_pairs": sorted(map(list, biased_pairs(bias)))},
    ]
    return steps + study.validations.actions_since_validation()


def votes_since_validation(study: Study) -> int:
    """Votes on documents that people gave after the validation before, and that still stand."""
    history, votes = study.validations.validations(), study.reviews.votes()
    standing = votes[votes["relevant"].notna() & votes["withdrawn_at"].isna()]
    return len(standing if history.empty else standing[standing["voted_at"] > history["timestamp"].iloc[-1]])


def headline(history: pd.DataFrame) -> dict[str, Any]:
    """The latest row."""
    last = history.iloc[-1]
    names = (
        "kappa_macro",
        "kappa_micro",
        "low_share",
        "status",
        "not_proven",
        "depends_on_convention",
        "total_queries",
    )
    return {name: metadata_value(last[name]) for name in names} | {"n_validations": len(history)}


def history_plot(history: pd.DataFrame, plan: ReliabilityStudy) -> dg.MetadataValue:
    """Both kappas over all validations, with what they have to reach."""
    gate = plan.gate
    return figure_metadata(kappa_history(history, gate.min_macro, gate.min_micro).specification())
