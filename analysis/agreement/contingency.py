"""Which step is due when judges do not agree well enough."""

from typing import Final, Literal, NamedTuple

from analysis.words import count_noun, noun, queries

Status = Literal["passed", "contingency_triggered", "resolved_by_review"]
StepName = Literal[
    "none", "more_data", "review", "validate", "accept_thresholds", "recalibrate", "manual_review", "verdict"
]
PASSED: Final = "passed"
CONTINGENCY: Final = "contingency_triggered"
RESOLVED: Final = "resolved_by_review"
STATUSES: tuple[Status, ...] = (PASSED, CONTINGENCY, RESOLVED)


class ContingencyFacts(NamedTuple):
    """What the step that is due depends on.

    `status` is that of the latest validation, none without one. `n_disputed` and `n_reviewed` count disputed queries,
    `quota` how many of them must be reviewed. `threshold_helps`: an advised threshold raises kappa and is not used
    yet. `n_low` counts queries of low kappa: what recalibration judges again. `n_undecided` counts documents whose
    labels differ and that no person has decided. `changed`: scores or thresholds are others than at the latest
    validation. `moved`: it is the first one at accepted thresholds, which put other documents in dispute.
    `one_document`: no query has more than one, so that the table is none of queries. `without_effect` says in a
    sentence why a recalibration that was started is none yet: no query counts under its prompt.
    """

    status: Status | None
    n_disputed: int
    n_reviewed: int
    quota: int
    biased: bool
    threshold_helps: bool
    recalibrated: bool
    n_low: int
    n_undecided: int
    changed: bool = False
    moved: bool = False
    without_effect: str = ""
    one_document: bool = False


class ContingencyStep(NamedTuple):
    """The step that is due, and what to do in plain words."""

    name: StepName
    sentence: str


def step_due(facts: ContingencyFacts) -> ContingencyStep:
    """The one step that comes next.

    Returns:
        After a contingency: `review` until the quota is met, `validate` where something changed since or nothing is
        left undecided, `accept_thresholds` where judges are biased and a threshold helps, `recalibrate` once, then
        `manual_review` of every document whose labels differ. Else `none`, `validate` where something changed since, or
        `more_data` without a validation. `verdict` in place of all steps but `none` where there are no queries.

    Raises:
        ValueError: An unknown status, or counts that are negative or do not fit.

    Source:
        docs/reliability.md.
    """
    _refuse(facts)
    if facts.one_document and facts.status in (None, CONTINGENCY):
        return ContingencyStep(
            "verdict",
            "Each query has one document: this is a table of ratings rather than of queries, and `touchstone verdict` "
            "answers it.",
        )
    if facts.status is None:
        return ContingencyStep(
            "more_data",
            "There is no verdict: add queries with relevant and irrelevant documents to the input, scored by every "
            "judge, until each two judges have a query with a defined kappa.",
        )
    others = ContingencyStep(
        "validate", "Scores or thresholds are others than at the latest validation: validate again."
    )
    if facts.status != "contingency_triggered" and facts.changed:
        return others
    if facts.status == "passed":
        return ContingencyStep("none", "The judges agree well enough. Nothing is due.")
    if facts.status == "resolved_by_review":
        return ContingencyStep("none", "People decided every document on which the judges differ. Nothing is due.")
    missing = facts.quota - facts.n_reviewed
    if missing > 0:
        return ContingencyStep("review", _review(facts, missing))
    if facts.changed:
        return others
    if facts.n_undecided == 0:
        return ContingencyStep(
            "validate", "People decided every document on which the judges differ: validate again to settle it."
        )
    if facts.biased and facts.threshold_helps:
        return ContingencyStep(
            "accept_thresholds",
            "One judge scores higher than the other, and another threshold for it raises micro kappa: accept the "
            "advised threshold.",
        )
    if not facts.recalibrated and facts.n_low > 0:
        why = (
            "No further threshold helps against the bias"
            if facts.biased
            else "Neither judge is shown to score higher, so no threshold is to blame"
        )
        return ContingencyStep(
            "recalibrate",
            f"{why}: judge the {queries(facts.n_low)} of low kappa again under the next prompt."
            f"{' ' if facts.without_effect else ''}{facts.without_effect}",
        )
    why = "Recalibration is done" if facts.recalibrated else "No query has a low kappa to be judged again"
    return ContingencyStep(
        "manual_review",
        f"{why} and kappa is still too low: decide the {count_noun(facts.n_undecided, 'document')} on which the "
        "judges still differ.",
    )


def _review(facts: ContingencyFacts, missing: int) -> str:
    """How much is left to review, and why it is asked for again after thresholds were accepted."""
    why = "The accepted threshold changed labels, so other documents are in dispute now. " if facts.moved else ""
    disputed = count_noun(facts.n_disputed, "disputed query", "disputed queries")
    if facts.n_reviewed == 0:
        return f"{why}Review {missing} of {disputed}."
    done = f"{facts.n_reviewed} of the {facts.quota} needed {noun(facts.n_reviewed, 'is', 'are')} done"
    return f"{why}Review {missing} more of {disputed}: {done}."


def _refuse(facts: ContingencyFacts) -> None:
    if facts.status is not None and facts.status not in STATUSES:
        raise ValueError(f"status '{facts.status}' is none of {', '.join(STATUSES)}")
    counts = (facts.n_disputed, facts.n_reviewed, facts.quota, facts.n_low, facts.n_undecided)
    if min(counts) < 0 or max(facts.n_reviewed, facts.quota) > facts.n_disputed:
        raise ValueError(
            f"counts that do not fit: {facts.n_reviewed} reviewed and {facts.quota} needed of {facts.n_disputed} "
            f"disputed queries, {facts.n_low} low, {facts.n_undecided} undecided"
        )
