"""What reviewers are shown and what they sent in, as values; and what a name and a reason may be."""

import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Literal, NamedTuple

from analysis.words import count_noun
from resources.database.reliability.records import LONGEST_REASON
from resources.database.storable import storable
from resources.errors import UserError

LONGEST_NAME = 60
Only = Literal["offered", "skipped", "low_kappa", "tied"]


class DisputedDocument(NamedTuple):
    """One document in dispute, as a validation saw it; `resources.database.reliability.models.Dispute` says more."""

    query_row: int
    document_row: int
    place: int
    place_in_query: int
    disagreement: float
    labels_differ: bool
    kappa: float | None
    scores: Mapping[str, float]


class OpenDocument(NamedTuple):
    """One document to vote on; `document` is null where the study does not know its text."""

    document_row: int
    doc_id: str
    document: str | None
    disagreement: float
    labels_differ: bool
    scores: dict[str, float]


class ReviewTask(NamedTuple):
    """One query with the documents to vote on now; `n_open` counts those that would come after them too.

    `place` counts disputed queries from 1, the highest disagreement first.
    """

    query_row: int
    query_id: str
    query: str
    place: int
    kappa: float | None
    n_open: int
    documents: tuple[OpenDocument, ...]


class SentDocument(NamedTuple):
    """What one reviewer said of a document (null for a skip), and what the judges and the others said."""

    document_row: int
    doc_id: str
    relevant: bool | None
    scores: dict[str, float]
    others_relevant: int
    others_not_relevant: int


class Words(NamedTuple):
    """What one reviewer wrote about a query, with votes on it or in skipping it; one of both is there."""

    reviewer: str
    skipped: bool
    reason: str | None
    note: str | None


class Sent(NamedTuple):
    """What one reviewer sent in at once about one query.

    `n_open` counts the query's documents that are still this reviewer's to decide. As long as there are some, the words
    of `colleagues` are kept back: they may be about those.
    """

    submission: str
    query_row: int
    query_id: str
    query: str
    kappa: float | None
    reason: str | None
    note: str | None
    sent_at: datetime
    documents: tuple[SentDocument, ...]
    n_open: int
    colleagues: tuple[Words, ...]

    @property
    def skipped(self) -> bool:
        """Whether the query was passed over."""
        return all(one.relevant is None for one in self.documents)


class ReviewProgress(NamedTuple):
    """Disputed queries of which every disputed document has a vote, all of them, and how many the quota asks for.

    `needed` is 0 where the latest validation asks for none: it passed, or people resolved it.
    """

    reviewed: int
    disputed: int
    needed: int

    def __str__(self) -> str:
        asked = f", {self.needed} needed" if self.needed else ""
        return f"{self.reviewed:,}/{count_noun(self.disputed, 'disagreement')} reviewed{asked}"


class Blindness(NamedTuple):
    """Votes that stand: cast blind, cast with the judges' scores on the screen, and those of which it is not known."""

    blind: int
    seen: int
    unknown: int

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self)

    def __str__(self) -> str:
        votes = count_noun(self.total, "vote")
        said = f"{self.blind:,} of {votes} cast blind, {self.seen:,} with the judges' scores shown"
        return said + (f", {self.unknown:,} not recorded" if self.unknown else "")


def visible_name(written: str) -> str:
    """A person's name as it can be read: one spelling for each letter, one space between words, no sign unseen."""
    spaced = "".join(" " if sign.isspace() or unicodedata.category(sign)[0] == "Z" else sign for sign in written)
    seen = "".join(sign for sign in spaced if unicodedata.category(sign) not in ("Cc", "Cf"))
    return " ".join(unicodedata.normalize("NFKC", str(storable(seen))).split())


def one_person(name: str) -> str:
    """What two spellings of one person's name have in common: the letters, whatever their case."""
    return unicodedata.normalize("NFKC", visible_name(name).casefold())


def reviewer_name(written: str) -> str:
    """The name as it is kept; see `visible_name`.

    Raises:
        UserError: Nothing is left, or it is too long.
    """
    name = visible_name(written)
    if not any(sign.isalnum() for sign in name):
        raise UserError("A vote needs its reviewer's name: letters or digits. Nothing was saved.")
    if len(name) > LONGEST_NAME:
        raise UserError(
            f"The reviewer's name has {len(name)} characters; {LONGEST_NAME} are allowed. Nothing was saved."
        )
    return name


def reason_kept(written: str | None) -> str | None:
    """The reason without spaces around it; null where nothing is written.

    Raises:
        UserError: It is longer than `override_reason` may be.
    """
    reason = words_kept(written)
    if reason is not None and len(reason) > LONGEST_REASON:
        raise UserError(
            f"The reason has {len(reason)} characters; {LONGEST_REASON} are allowed. Nothing was saved: shorten it, "
            "and put the rest into the note."
        )
    return reason


def words_kept(written: str | None) -> str | None:
    """The words without spaces around them; null where nothing is written."""
    return None if written is None else str(storable(written)).strip() or None
