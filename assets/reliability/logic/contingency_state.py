"""Where the contingency stands: what is due now, from the tables of the latest validation and from the store."""

import json
from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from analysis.agreement.contingency import PASSED, ContingencyFacts, ContingencyStep, StepName, step_due
from analysis.ties import compare
from assets.reliability.logic.disputes import VOTES, undecided, with_votes
from assets.reliability.logic.judge_bias import biased_pairs, helpful
from assets.reliability.logic.judge_pairs import refuse_unjudged
from assets.reliability.logic.judged_again import judged_again_now, refuse_without_judges
from assets.reliability.logic.verdict import judges_of, why_no_verdict
from resources.database.reliability.recalibrations import Recalibrated, judged_again, latest_recalibration
from resources.database.reliability.records import ALLOWS_GROUND_TRUTH
from resources.errors import UserError
from resources.study import Study, stored_table

RUN: Final = "touchstone run reliability"
REVIEW: Final = "touchstone review"
COMMANDS: Final[Mapping[StepName, str]] = {
    "none": "touchstone reliability export ground_truth.csv",
    "more_data": "touchstone import reliability",
    "review": REVIEW,
    "validate": RUN,
    "accept_thresholds": "touchstone reliability accept-thresholds",
    "recalibrate": "touchstone reliability recalibrate",
    "manual_review": "touchstone reliability manual-review",
    "verdict": "touchstone verdict",
}


class ContingencyTables(NamedTuple):
    """The tables of those names, as the latest run made them."""

    disputed_documents: pd.DataFrame
    query_kappa: pd.DataFrame
    bias_test: pd.DataFrame
    threshold_advice: pd.DataFrame


def stored_tables(study: Study) -> ContingencyTables | None:
    """What `facts_of` needs; null where one was never made."""
    found = {name: table for name in ContingencyTables._fields if (table := stored_table(study, name)) is not None}
    return ContingencyTables(**found) if len(found) == len(ContingencyTables._fields) else None


def facts_of(study: Study, tables: ContingencyTables) -> ContingencyFacts:
    """What the step that is due depends on, as it is now: votes and accepted steps since the latest run count."""
    history = study.validations.validations()
    progress = study.reviews.progress()
    in_force = thresholds_now(study, tables.query_kappa)
    return ContingencyFacts(
        status=None if history.empty else history["status"].iloc[-1],
        n_disputed=progress.disputed,
        n_reviewed=progress.reviewed,
        quota=progress.needed,
        biased=bool(biased_pairs(tables.bias_test)),
        threshold_helps=bool(advised_thresholds(tables, in_force)),
        recalibrated=recalibrated(study, history, tables.query_kappa),
        n_low=len(queries_of_low_kappa(study, tables.query_kappa, history)),
        n_undecided=len(undecided_now(study, tables.disputed_documents)),
        changed=changed(study, history, in_force),
        moved=thresholds_moved(history),
        without_effect=without_effect(study, tables.query_kappa),
        one_document=of_one_document(tables.query_kappa),
    )


def due(study: Study) -> ContingencyStep:
    """The one step that comes next, from the tables in the home and the store."""
    if no_verdict(study):
        query_kappa = stored_table(study, "query_kappa")
        alone = query_kappa is not None and of_one_document(query_kappa)
        return step_due(ContingencyFacts(None, 0, 0, 0, False, False, False, 0, 0, one_document=alone))
    tables = stored_tables(study)
    if tables is not None:
        return step_due(facts_of(study, tables))
    if study.validations.validations().empty:
        return ContingencyStep("validate", "The study was not run yet: run it to see whether the judges agree.")
    return ContingencyStep("validate", "The tables of the latest validation are not in this home: validate again.")


def no_verdict(study: Study) -> str | None:
    """Why the tables of the latest run give no verdict; null where they give one or were never made."""
    query_kappa, agreement = (stored_table(study, name) for name in ("query_kappa", "judge_agreement"))
    if query_kappa is None or agreement is None:
        return None
    return why_no_verdict(query_kappa, agreement, study.reliability)


def of_one_document(query_kappa: pd.DataFrame) -> bool:
    """Whether no query has a second document: there is nothing within a query that judges could agree on."""
    return bool(len(query_kappa) and query_kappa["n_documents"].max() == 1)


def next_command(study: Study, step: ContingencyStep) -> str:
    """What to type for a step; for a manual review that was opened the review itself."""
    if step.name == "verdict":
        return f"{COMMANDS['verdict']} {study.reliability.queries or 'FILE'}"
    if step.name == "manual_review" and study.validations.manual_review_is_open():
        return REVIEW
    return COMMANDS[step.name]


def require_contingency(study: Study, *, or_passed: bool = False) -> pd.DataFrame:
    """The validations so far, where the latest one asks for steps and enough disagreements are reviewed.

    Raises:
        UserError: There is none, it asks for nothing, or the quota of reviews is not met. Nothing was changed.
    """
    history = study.validations.validations()
    if history.empty:
        raise UserError(f"There is no validation yet. Nothing was changed. Run `{RUN}`.")
    status = str(history["status"].iloc[-1])
    if or_passed and status == PASSED:
        return history
    if status in ALLOWS_GROUND_TRUTH:
        raise UserError(f"The latest validation is {status}: no step is due. Nothing was changed.")
    study.reviews.require_quota()
    refuse_unjudged_input(study)
    return history


def thresholds_now(study: Study, query_kappa: pd.DataFrame) -> dict[str, float]:
    """Each judge's current threshold."""
    return study.thresholds(judges_of(query_kappa))


def advised_thresholds(tables: ContingencyTables, in_force: Mapping[str, float]) -> dict[str, float]:
    """Thresholds that are advised for judges of a biased pair and not set yet, by judge."""
    biased = biased_pairs(tables.bias_test)
    rows = tables.threshold_advice
    pairs = [pair in biased for pair in zip(rows["judge_1"], rows["judge_2"], strict=True)]
    advised = helpful(rows[np.array(pairs, dtype=bool)])
    return {judge: value for judge, value in advised.items() if compare(value, in_force[judge]) != 0}


def recalibrated(study: Study, history: pd.DataFrame, query_kappa: pd.DataFrame) -> bool:
    """Whether queries were judged again under the configured prompt since the judges were last trusted.

    One of them at least must count under it: a recalibration of which nothing came is none.
    """
    actions = study.validations.actions()
    started = actions[actions["action"] == "recalibration_started"]
    trusted = history.loc[history["status"].isin(ALLOWS_GROUND_TRUTH), "timestamp"]
    version = study.reliability.recalibration.prompt_version
    counts = bool((query_kappa["prompt_version"] == version).any())
    return counts and any(
        row["details"]["prompt_version"] == version and (trusted.empty or row["taken_at"] > trusted.iloc[-1])
        for row in started.to_dict("records")
    )


def thresholds_moved(history: pd.DataFrame) -> bool:
    """Whether the latest validation is the first one at thresholds that a person accepted."""
    steps = [] if history.empty else json.loads(history["contingency_actions"].iloc[-1])
    return any(step["step"] == "thresholds_accepted" for step in steps)


def without_effect(study: Study, query_kappa: pd.DataFrame) -> str:
    """Why no query counts under the prompt of the started recalibration; nothing where one does, or none was."""
    started = judged_again(study.validations)
    if started is None or (query_kappa["prompt_version"] == started.prompt_version).any():
        return ""
    judgments, documents = stored_table(study, "judgments"), stored_table(study, "query_documents")
    if judgments is None or documents is None:
        return ""
    return judged_again_now(judgments, documents, started, study.reliability).sentence


def nobody_to_judge_again(study: Study) -> str | None:
    """Why the queries of low kappa cannot be judged again, by the judges of the latest run; null where they can."""
    query_kappa = stored_table(study, "query_kappa")
    judges = () if query_kappa is None else judges_of(query_kappa)
    try:
        refuse_without_judges(study.reliability, judges)
    except UserError as problem:
        return str(problem)
    return None


def refuse_unjudged_input(study: Study) -> None:
    """Refuse a step on judgments that are of another input than the queries in the home.

    Raises:
        UserError: The queries changed since they were judged.
    """
    judgments, documents = stored_table(study, "judgments"), stored_table(study, "query_documents")
    if judgments is not None and documents is not None:
        refuse_unjudged(judgments, documents)


def queries_of_low_kappa(study: Study, query_kappa: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
    """Rows of `query_kappa` that recalibration would judge again: of the deciding pair, not under that prompt yet."""
    rows = queries_of_older_prompts(study, query_kappa, history)
    return rows[rows["is_low"].astype(bool)]


def queries_of_older_prompts(study: Study, query_kappa: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
    """Rows of `query_kappa` of the deciding pair that do not count under the configured next prompt yet."""
    if history.empty:
        return query_kappa.iloc[:0]
    last = history.iloc[-1]
    ours = (query_kappa["judge_1"] == last["judge_1"]) & (query_kappa["judge_2"] == last["judge_2"])
    version = study.reliability.recalibration.prompt_version
    return query_kappa[ours & (query_kappa["prompt_version"] != version)]


def undecided_now(study: Study, disputed: pd.DataFrame) -> pd.DataFrame:
    """Documents whose labels differ and that no majority of the votes that stand now has decided."""
    return undecided(with_votes(disputed.drop(columns=VOTES), study))


def changed(study: Study, history: pd.DataFrame, in_force: Mapping[str, float]) -> bool:
    """Whether thresholds are others than at the latest validation, or queries were set to be judged again since."""
    if history.empty:
        return False
    recorded: dict[str, float] = json.loads(history["thresholds"].iloc[-1])
    same = recorded.keys() == in_force.keys() and all(
        compare(recorded[judge], in_force[judge]) == 0 for judge in recorded
    )
    return not same or recalibration_under_way(study) is not None


def recalibration_under_way(study: Study) -> Recalibrated | None:
    """The recalibration that no validation has followed yet."""
    steps = study.validations.actions_since_validation()
    if not any(step["step"] == "recalibration_started" for step in steps):
        return None
    return latest_recalibration(study.validations)
