"""Rows of the reliability study as values: one judgment, one query's ground truth."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import pandas as pd

from analysis.agreement.contingency import PASSED, RESOLVED
from resources.errors import UserError
from resources.tables.call_states import ANSWER_STATES, SCORED_STATES

IMPORTED: Final = "imported"
# Characters of the reason for another decision.
LONGEST_REASON: Final = 200
# Statuses of a validation after which ground truth is written.
ALLOWS_GROUND_TRUTH: Final = (PASSED, RESOLVED)
SHOWN: Final = 3
SHOWN_CHARACTERS: Final = 60


class Source(NamedTuple):
    """Who answered which prompt: what tells the scores of one judge and version apart.

    A score that came with the input has `judge_identity` `imported` and an empty `prompt_hash`.
    """

    judge: str
    prompt_version: str
    judge_identity: str = IMPORTED
    prompt_hash: str = ""


class KeptOtherwise(UserError):
    """What is given contradicts what is kept; nothing was stored.

    It is about a query's text, a document's where `doc_id` is given, or a score where `judge` and `prompt_version` are.
    """

    def __init__(
        self,
        message: str,
        query_id: str,
        doc_id: str | None = None,
        judge: str | None = None,
        prompt_version: str | None = None,
    ) -> None:
        super().__init__(message)
        self.query_id, self.doc_id, self.judge, self.prompt_version = query_id, doc_id, judge, prompt_version


@dataclass(frozen=True, slots=True)
class JudgmentRecord:
    """What one judge said of one document under one prompt; `score` is 0-1, null unless valid or recovered.

    `judge_identity` is `imported` and `prompt_hash` empty where the score came with the input. The fields are those of
    `resources.judges.relevance.documents.Judged`, and the run.

    Raises:
        ValueError: The parts contradict each other, or the score is outside 0-1.
    """

    query_id: str
    doc_id: str
    judge: str
    prompt_version: str
    score: float | None
    state: str = "valid"
    judge_identity: str = IMPORTED
    prompt_hash: str = ""
    message: str | None = None
    raw_answer: str | None = None
    judged_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    run: str | None = None

    def __post_init__(self) -> None:
        if self.state not in ANSWER_STATES:
            raise ValueError(f"'{self.state}' is no state of an answer")
        if (self.score is not None) != (self.state in SCORED_STATES):
            raise ValueError(f"state '{self.state}' with score {self.score}: only {SCORED_STATES} have one, always")
        if self.score is not None and not 0 <= self.score <= 1:
            raise ValueError(f"score {self.score} is outside 0-1")
        if self.judged_at.tzinfo is None:
            raise ValueError(f"judged_at {self.judged_at} has no time zone")


def imported(frame: pd.DataFrame, run: str | None = None) -> Iterator[JudgmentRecord]:
    """Scores that came with the input, as records.

    Args:
        frame: Columns query_id, doc_id, judge, prompt_version and score (0-1, never missing).
        run: The run that read them.
    """
    now = datetime.now(UTC)
    columns = [frame[name].tolist() for name in ("query_id", "doc_id", "judge", "prompt_version", "score")]
    for query, document, judge, version, score in zip(*columns, strict=True):
        yield JudgmentRecord(query, document, judge, version, score, judged_at=now, run=run)


@dataclass(frozen=True)
class ValidationRecord:
    """One validation as a run made it: kappa of the deciding pair, by the headline convention, and what follows.

    `not_proven`: it passes, and a lower bound does not. `depends_on_convention`: it passes under one convention of the
    macro alone. `contingency_actions` are the steps since the validation before, of finite numbers and words.
    `measures` are further columns of table `kappa_validation` by name; `thresholds` is a dict by judge.
    """

    run: str
    status: str
    kappa_macro: float
    kappa_micro: float
    total_queries: int
    not_proven: bool
    depends_on_convention: bool
    contingency_actions: Sequence[Mapping[str, Any]]
    notes: str
    measures: Mapping[str, Any]


@dataclass(frozen=True)
class GroundTruthRecord:
    """The consensus on one query.

    `scores` has, for each judge, the scores of the documents with a label, in the documents' order: 0-1, null where a
    judge gave none and people decided.
    `validation` is the number of the validation that allowed it.

    Raises:
        ValueError: The parts contradict each other.
    """

    query_id: str
    expected_docs: tuple[str, ...]
    scores: Mapping[str, list[float | None]]
    n_documents: int
    n_by_people: int
    kappa: float | None
    human_override: bool
    override_reason: str | None
    reviewer: str | None
    decided_at: datetime | None
    prompt_version: str
    validation: int

    def __post_init__(self) -> None:
        if not self.scores or any(len(scores) != self.n_documents for scores in self.scores.values()):
            raise ValueError(f"query '{self.query_id}': each judge needs {self.n_documents} scores")
        if not 0 <= self.n_by_people <= self.n_documents or self.human_override != (self.n_by_people > 0):
            raise ValueError(
                f"query '{self.query_id}': people decided {self.n_by_people} of {self.n_documents} documents, and "
                f"human_override is {self.human_override}"
            )
        if self.override_reason is not None and len(self.override_reason) > LONGEST_REASON:
            raise ValueError(f"query '{self.query_id}': the reason is longer than {LONGEST_REASON} characters")
        if self.decided_at is not None and self.decided_at.tzinfo is None:
            raise ValueError(f"query '{self.query_id}': decided_at {self.decided_at} has no time zone")


def short(text: str) -> str:
    """The text in quotes, cut where it is long."""
    return f"'{text if len(text) <= SHOWN_CHARACTERS else f'{text[:SHOWN_CHARACTERS]}...'}'"
