"""What judges of relevance are asked about, and what they say: a query with a document, a score from 0 to 1."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from analysis.words import count_noun
from resources.errors import UserError, listing

# Two names make one, so that the sign between them may stand in neither; the others mean something in the ledger.
_ESCAPED: Final = str.maketrans({"%": "%25", "/": "%2F", "~": "%7E", "@": "%40"})


def escaped(name: str) -> str:
    """The name without signs that mean something in the ledger."""
    return name.translate(_ESCAPED)


@dataclass(frozen=True)
class AskedDocument:
    """One document of one query; `document` is null where its text is not known."""

    query_id: str
    query: str
    doc_id: str
    document: str | None

    @property
    def object(self) -> str:
        """Its name in the ledger, `query_id/doc_id`, with `% / ~ @` in either id as `%25 %2F %7E %40`."""
        return f"{escaped(self.query_id)}/{escaped(self.doc_id)}"

    @property
    def item_id(self) -> str:
        """The same name."""
        return self.object

    @property
    def image_hashes(self) -> tuple[str, ...]:
        """No image is shown."""
        return ()

    @property
    def text(self) -> str:
        """What the document says.

        Raises:
            ValueError: It is not known; `registry.judge_documents` refuses such documents before it asks.
        """
        if self.document is None:
            raise ValueError(f"query '{self.query_id}', document '{self.doc_id}' has no text")
        return self.document


class JudgedBy(NamedTuple):
    """Who judges, under which prompt version, and when."""

    judge: str
    judge_identity: str
    prompt_version: str
    judged_at: datetime


class Judged(NamedTuple):
    """What one judge said of one document under one prompt; `score` is 0-1, null unless valid or recovered.

    `prompt_hash` is the SHA-256 of the prompt's file, and empty for judges that read none.
    """

    query_id: str
    doc_id: str
    judge: str
    judge_identity: str
    prompt_version: str
    prompt_hash: str
    score: float | None
    state: str
    message: str | None
    raw_answer: str | None
    judged_at: datetime

    @classmethod
    def without_prompt(
        cls,
        asked: AskedDocument,
        by: "JudgedBy",
        score: float | None,
        measured: float | None,
        message: str | None,
    ) -> "Judged":
        """What a judge says that reads no prompt; `measured` is what it had before it was a score."""
        return cls(
            query_id=asked.query_id,
            doc_id=asked.doc_id,
            judge=by.judge,
            judge_identity=by.judge_identity,
            prompt_version=by.prompt_version,
            prompt_hash="",
            score=score,
            state="schema_error" if score is None else "valid",
            message=message,
            raw_answer=None if measured is None else repr(measured),
            judged_at=by.judged_at,
        )


Keep = Callable[[list[Judged]], None]


BATCH: Final = 500


class Outcome(NamedTuple):
    """How many documents were asked about, have an answer with a score, one without, and none.

    `without_answer` are those without any: calls that got a fault that stays, or without a record.
    `judge_identity` and `prompt_hash` are those of the judgments.
    """

    n_asked: int
    n_scored: int
    n_without_score: int
    without_answer: tuple[AskedDocument, ...] = ()
    judge_identity: str = ""
    prompt_hash: str = ""


class Count:
    """Passes judgments on and counts them."""

    def __init__(self, asked: Sequence[AskedDocument], keep: Keep) -> None:
        self._asked, self._keep = asked, keep
        self._score_of: dict[tuple[str, str], bool] = {}

    def keep(self, judged: Sequence[Judged]) -> None:
        """Hand them on in batches; they count once that has returned."""
        for start in range(0, len(judged), BATCH):
            batch = list(judged[start : start + BATCH])
            self._keep(batch)
            self._score_of.update({(one.query_id, one.doc_id): one.score is not None for one in batch})

    def has(self, query_id: str, doc_id: str) -> bool:
        """Whether a judgment of this document was handed on."""
        return (query_id, doc_id) in self._score_of

    @property
    def outcome(self) -> Outcome:
        """What came of it so far."""
        without = tuple(one for one in self._asked if not self.has(one.query_id, one.doc_id))
        n_scored = sum(self._score_of.values())
        return Outcome(len(self._asked), n_scored, len(self._score_of) - n_scored, without)


def refuse_without_text(judge: str, asked: Iterable[AskedDocument]) -> None:
    """Ask about no document before each has a text.

    Raises:
        UserError: Some have none; they are named.
    """
    without = [f"query '{one.query_id}', document '{one.doc_id}'" for one in asked if one.document is None]
    if without:
        have = count_noun(len(without), "document has", "documents have")
        raise UserError(
            f"judges.{judge}: {have} no text, and cannot be judged by reading: {listing(without)}. Give the text in "
            "column 'document' (of a Postgres input: `documents_table`), or scores given earlier; nothing was changed."
        )
