"""Table `kappa_validation`: whether the judges agree well enough, run by run, and what follows."""

from typing import Any, NamedTuple

import dagster as dg
import pandas as pd

from analysis.agreement.contingency import CONTINGENCY, PASSED, RESOLVED
from analysis.agreement.kappa import COUNTS, kappa_summary
from analysis.agreement.reliability_gate import REMEDY, ReliabilityVerdict, reliability_gate
from analysis.gates import Gate
from analysis.undefined import UndefinedStatistic
from analysis.words import queries
from assets.reliability.bias_test import biased_pairs
from assets.reliability.disputed_documents import reviewed_queries, undecided
from assets.reliability.logic.verdict_advice import convention_gate, proven_gate
from assets.shared.gate import Kind, gate
from assets.shared.partitions import metadata_value
from reports.reliability.plots import kappa_history
from reports.shared.figure import figure_metadata
from resources.configuration.reliability import ReliabilityStudy
from resources.database.reliability.validation_store import recalibrations
from resources.study import Study

DECIDED = "People decided every document on which the judges differ."
CHOSEN_LOW = (
    "A part of the rise comes from judging only queries of low kappa again: such queries rise by chance too. Fresh "
    "queries show what is left of it, or all queries under the new prompt: `touchstone reliability recalibrate --all`."
)


# What the checks read next to the table: a run without a verdict adds no row to it.
NEXT_TO = {"query_kappa": dg.AssetIn("query_kappa"), "judge_agreement": dg.AssetIn("judge_agreement")}


class Verdict(NamedTuple):
    """What the gate says of the deciding pair of judges, with everything that its row records."""

    judges: tuple[str, str]
    gate: ReliabilityVerdict
    measures: dict[str, Any]


@dg.asset(group_name="reliability", kinds={"database"}, code_version="1")
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
    study.validations.record_validation(
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
    history = study.validations.validations()
    context.add_output_metadata(headline(history) | {"plot": history_plot(history, study.reliability)})
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


def verdict_of(query_kappa: pd.DataFrame, judge_agreement: pd.DataFrame, plan: ReliabilityStudy) -> Verdict:
    """The verdict on the pair of judges that decides: the lowest macro of those that fail, else of all.

    Raises:
        UndefinedStatistic: Some pair has no query with a defined kappa.
    """
    verdicts = [
        _verdict(judges, rows, judge_agreement, plan)
        for judges, rows in query_kappa.groupby(["judge_1", "judge_2"], sort=False)
    ]
    if not verdicts:
        raise UndefinedStatistic("no query was judged by two judges")
    failing = [one for one in verdicts if not one.gate.passed]
    return min(failing or verdicts, key=lambda one: float(one.measures["kappa_macro"]))


def why_no_verdict(query_kappa: pd.DataFrame, judge_agreement: pd.DataFrame, plan: ReliabilityStudy) -> str | None:
    """Why these tables give no verdict; null where they give one."""
    try:
        verdict_of(query_kappa, judge_agreement, plan)
    except UndefinedStatistic as undefined:
        return undefined.reason
    return None


def _verdict(judges: Any, rows: pd.DataFrame, judge_agreement: pd.DataFrame, plan: ReliabilityStudy) -> Verdict:
    gate = plan.gate
    summary = kappa_summary(rows[list(COUNTS)].to_numpy(dtype="int64"), gate.low_kappa)
    of_pair = judge_agreement[
        (judge_agreement["judge_1"] == judges[0]) & (judge_agreement["judge_2"] == judges[1])
    ].set_index("statistic")
    bounds = {
        f"{name}_{side}": _number(of_pair, name, f"value_{side}")
        for name in ("kappa_macro", "kappa_micro")
        for side in ("low", "high")
    }
    verdict = reliability_gate(
        summary,
        macro_low=bounds["kappa_macro_low"],
        micro_low=bounds["kappa_micro_low"],
        min_macro=gate.min_macro,
        min_micro=gate.min_micro,
        low_kappa=gate.low_kappa,
        max_low_share=gate.max_low_share,
    )
    measures = {
        "kappa_macro": summary.macro,
        "kappa_macro_defined": summary.macro_defined,
        "kappa_micro": summary.micro,
        "low_share": summary.low_share,
        "total_queries": summary.n_queries,
        "n_undefined": summary.n_undefined,
        "n_documents": summary.n_documents,
        "judge_1": judges[0],
        "judge_2": judges[1],
        **bounds,
    }
    return Verdict((str(judges[0]), str(judges[1])), verdict, measures)


def status_of(verdict: Verdict, disputed: pd.DataFrame) -> str:
    """Passed by the gate, else resolved where people decided every document whose labels differ, else contingency.

    Nothing is resolved where no one decided anything.
    """
    if verdict.gate.passed:
        return PASSED
    return RESOLVED if disputed["labels_differ"].any() and undecided(disputed).empty else CONTINGENCY


def only_low_again(study: Study, query_kappa: pd.DataFrame) -> bool:
    """Whether some queries count under a prompt that they alone were judged again under, the others not."""
    again = {one.prompt_version for one in recalibrations(study.validations)}
    counting = query_kappa["prompt_version"].isin(again - {study.reliability.prompt_version})
    return bool(counting.any() and not counting.all())


def judges_of(query_kappa: pd.DataFrame) -> tuple[str, ...]:
    """Every judge, in order."""
    return tuple(dict.fromkeys([*query_kappa["judge_1"], *query_kappa["judge_2"]]))


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


def notes_of(verdict: Verdict, status: str, *, chosen_low: bool = False) -> str:
    """The verdict in words; `chosen_low`: only queries of low kappa were judged again."""
    if status == PASSED:
        passed = f"IRR Validation Passed (Kappa: {verdict.measures['kappa_macro']:.2f})"
        return f"{passed}. {CHOSEN_LOW}" if chosen_low else passed
    # What to do is not the same at every step: `contingency_state` says it.
    failing = " ".join(gate.sentence.removesuffix(f" {REMEDY}") for gate in verdict.gate.gates if not gate.passed)
    if status == RESOLVED:
        return f"{DECIDED} {failing}"
    return failing


def agreement_gate(query_kappa: pd.DataFrame, judge_agreement: pd.DataFrame, plan: ReliabilityStudy) -> Gate:
    """The three conditions as one gate, with the numbers of the first that fails, or of macro kappa where none does."""
    name = "judges_agree"
    try:
        verdict = verdict_of(query_kappa, judge_agreement, plan)
    except UndefinedStatistic as undefined:
        remedy = "Sample queries with relevant and irrelevant documents."
        over = queries(query_kappa["query_id"].nunique())
        words = f"No verdict over {over}: {undefined.reason}; needed: a defined kappa. {remedy}"
        return Gate(name, False, None, f">= {plan.gate.min_macro:g}", words, 0, undefined.reason, remedy)
    gates = verdict.gate.gates
    shown = next((gate for gate in gates if not gate.passed), gates[0])
    sentence = " ".join(gate.sentence.removesuffix(f" {REMEDY}") for gate in gates)
    if not verdict.gate.passed:
        sentence = f"{sentence} {REMEDY}"
    return shown._replace(name=name, passed=verdict.gate.passed, sentence=f"{' and '.join(verdict.judges)}: {sentence}")


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


def _number(of_pair: pd.DataFrame, statistic: str, column: str) -> float | None:
    found = of_pair[column].get(statistic)
    return None if found is None or pd.isna(found) else float(found)
