"""Tiebreaks by people: what is in dispute, who said what, and whether enough of it is reviewed."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import sqlalchemy as sa

from analysis.agreement.consensus import majority
from analysis.agreement.contingency import PASSED, RESOLVED
from analysis.agreement.disagreement import review_quota
from analysis.agreement.kappa import LOW_KAPPA, cohens_kappa
from analysis.agreement.overlap import is_shared, place_in_line
from analysis.undefined import UndefinedStatistic
from resources.configuration.reliability import Review
from resources.database.engine import usable, writing
from resources.database.reliability import review_rows as ask
from resources.database.reliability.models import Dispute, Tiebreak
from resources.database.reliability.review_records import (
    Blindness,
    DisputedDocument,
    Only,
    ReviewProgress,
    ReviewTask,
    Sent,
    one_person,
    reason_kept,
    reviewer_name,
    words_kept,
)
from resources.database.reliability.review_rows import (
    DISPUTES,
    IS_VOTE,
    STANDS,
    VOTES,
    Submission,
    keep,
    query_of,
    sent_of,
    task_of,
    values_of,
)
from resources.errors import UserError
from resources.tables.declare import DTYPES
from resources.tables.reliability.decision import REVIEWER_AGREEMENT

BATCH = 10_000
SETTLED = (PASSED, RESOLVED)
VOTE_TYPES = {
    "query_row": "int64",
    "document_row": "int64",
    "query_id": DTYPES["text"],
    "doc_id": DTYPES["text"],
    "reviewer": DTYPES["text"],
    "relevant": DTYPES["flag"],
    "reason": DTYPES["text"],
    "note": DTYPES["text"],
    "submission": DTYPES["text"],
    "blind": DTYPES["flag"],
    "voted_at": DTYPES["time"],
    "withdrawn_at": DTYPES["time"],
}
WORD_TYPES = {
    "query_id": DTYPES["text"],
    "reviewer": DTYPES["text"],
    "votes_relevant": DTYPES["whole"],
    "votes_not_relevant": DTYPES["whole"],
    "blind": DTYPES["flag"],
    "reason": DTYPES["text"],
    "note": DTYPES["text"],
    "sent_at": DTYPES["time"],
}
DECISION_TYPES = {
    "query_row": "int64",
    "document_row": "int64",
    "query_id": DTYPES["text"],
    "doc_id": DTYPES["text"],
    "votes_relevant": DTYPES["whole"],
    "votes_not_relevant": DTYPES["whole"],
    "decision": DTYPES["flag"],
    "reviewer": DTYPES["text"],
    "decided_at": DTYPES["time"],
    "reason": DTYPES["text"],
}


class ReviewStore:
    """Reads and writes `disputes` and `tiebreaks` of one study; safe in several threads and processes at once.

    A reviewer has one standing vote on a document: a new one withdraws the one before, undo withdraws it without
    another. Nothing is deleted. `UserError` is raised where the database cannot be reached, is damaged or locked.
    """

    def __init__(self, engine: sa.Engine, study: str, review: Review, low_kappa: float = LOW_KAPPA) -> None:
        """Use a database whose tables are up to date; `low_kappa` is the gate's limit, for the filter of that name."""
        self.engine, self.study, self.review, self.low_kappa = engine, study, review, low_kappa

    def replace_disputes(self, rows: Iterable[DisputedDocument]) -> int:
        """Put what a validation found in dispute in the place of what the one before found, all or nothing.

        Votes stay, whether or not their documents are still in dispute.

        Returns:
            How many documents are in dispute.

        Raises:
            ValueError: Places leave a gap, a document is there twice, or a score is not finite.
            UserError: The database cannot be reached, is damaged or locked.
        """
        values = values_of(rows, self.study)
        with self._alone() as connection:
            connection.execute(sa.delete(Dispute).where(DISPUTES.c.study == self.study))
            for start in range(0, len(values), BATCH):
                connection.execute(sa.insert(Dispute), values[start : start + BATCH])
        return len(values)

    def next_query(
        self,
        reviewer: str,
        *,
        only: Only | None = None,
        skip_rows: Collection[int] = (),
        on_desks: Collection[int] = (),
    ) -> ReviewTask | None:
        """The disputed query of highest disagreement that this reviewer has something to say about.

        Args:
            reviewer: The reviewer's name.
            only: `offered`: with a document without a vote, first those of this reviewer's own share, then those of
                colleagues', from the last; and, next to the own ones, those that are shared among all, voted on by
                others or not (`analysis.agreement.overlap`). `skipped`: that this reviewer skipped;
                `low_kappa`: with a defined kappa below the limit; `tied`: with as many votes for a document as against
                it, also where one is this reviewer's. Where left out, every query with a document that this reviewer
                neither voted on nor skipped.
            skip_rows: Rows of queries to pass over.
            on_desks: Rows of queries that colleagues have on their screens; with `offered` they come last, unless they
                are shared.

        Raises:
            UserError: The database cannot be reached, is damaged or locked; or the name cannot be one.
        """
        with usable(self.engine), self.engine.connect() as connection:
            name = self._person(connection, reviewer)
            if only == "offered":
                place = self._offered(connection, name, skip_rows, on_desks)
            else:
                first = connection.execute(ask.first_open(self.study, name, only, self.low_kappa, skip_rows)).first()
                place = None if first is None else first.place
            if place is None:
                return None
            found = connection.execute(ask.open_documents(self.study, name, only, place)).mappings().all()
            return task_of(connection, list(found), self.review.documents_at_a_time)

    def vote(
        self,
        reviewer: str,
        submission: str,
        votes: Mapping[int, bool],
        reason: str | None = None,
        note: str | None = None,
        blind: bool | None = None,
    ) -> bool:
        """Keep one reviewer's votes on documents of one query; they are there for good when this returns.

        Args:
            reviewer: Who votes.
            submission: Drawn once for each form: the same form sent again counts once.
            votes: Row of each document, and whether it is relevant.
            reason: At most 200 characters; goes into `override_reason`.
            note: Any length.
            blind: False where the judges' scores were on the screen before the vote; none: not recorded.

        Returns:
            Whether it is new; false where this submission is there already, withdrawn since or not.

        Raises:
            ValueError: No vote, one that is neither true nor false, or documents of several queries.
            UserError: The name or the reason cannot be kept, a document is not one of this study, the submission was
                sent with other votes before, or the database cannot be used. Nothing was saved.
        """
        if not votes or not all(isinstance(relevant, bool) for relevant in votes.values()):
            raise ValueError(f"votes must be true or false, and one at least, got {dict(votes)}")
        kept = reason_kept(reason)
        with self._alone() as connection:
            name = self._person(connection, reviewer)
            query_row = query_of(connection, self.study, votes)
            return keep(connection, Submission(name, submission, query_row, kept, words_kept(note), blind), votes)

    def skip(self, reviewer: str, submission: str, query_row: int, reason: str) -> bool:
        """Pass over what is left of a query: its disputed documents that this reviewer has not voted on.

        A skip is no vote; a vote later takes its place.

        Returns:
            Whether it is new; false where it is there already, or nothing is left to pass over.

        Raises:
            UserError: There is no reason, or it is too long; the name cannot be kept; the database cannot be used.
        """
        kept = reason_kept(reason)
        if kept is None:
            raise UserError("A skip needs a reason. Nothing was saved: write why, then skip.")
        with self._alone() as connection:
            name = self._person(connection, reviewer)
            mine = ask.standing(VOTES.c.reviewer == name, IS_VOTE)
            left = connection.scalars(
                sa.select(DISPUTES.c.document_row).where(
                    DISPUTES.c.study == self.study, DISPUTES.c.query_row == query_row, ~mine
                )
            ).all()
            known = connection.scalar(sa.select(sa.exists().where(VOTES.c.submission == submission)))
            if known or not left:
                return False
            return keep(connection, Submission(name, submission, query_row, kept), dict.fromkeys(left))

    def undo(self, reviewer: str, submission: str | None = None) -> str | None:
        """Withdraw what this reviewer sent in last; it stays on record.

        Args:
            reviewer: Whose.
            submission: The one meant: another that came after it is left alone, so that a second click does nothing.

        Returns:
            The submission that was withdrawn; null where there was none, or another.
        """
        with self._alone() as connection:
            name = self._person(connection, reviewer)
            latest = connection.scalar(ask.latest_submission(self.study, name))
            if latest is None or submission not in (None, latest):
                return None
            connection.execute(
                sa.update(Tiebreak)
                .where(VOTES.c.submission == latest, VOTES.c.reviewer == name, STANDS)
                .values(withdrawn_at=datetime.now(UTC))
            )
            return latest

    def latest(self, reviewer: str) -> Sent | None:
        """What this reviewer sent in last and has not taken back, with what judges and other reviewers said of it."""
        with usable(self.engine), self.engine.connect() as connection:
            name = self._person(connection, reviewer)
            submission = connection.scalar(ask.latest_submission(self.study, name))
            return None if submission is None else sent_of(connection, submission, name)

    def known_name(self, written: str) -> str:
        """The name as this person spelt it first; see `review_records.one_person`.

        Raises:
            UserError: It cannot be a name.
        """
        with usable(self.engine), self.engine.connect() as connection:
            return self._person(connection, written)

    def progress(self) -> ReviewProgress:
        """How many disputed queries are reviewed, how many there are, how many the quota asks for."""
        with usable(self.engine), self.engine.connect() as connection:
            disputed = connection.scalar(ask.n_disputed(self.study)) or 0
            reviewed = connection.scalar(ask.n_reviewed(self.study)) or 0
            asks_for_none = connection.scalar(ask.latest_status(self.study)) in SETTLED
        needed = 0 if asks_for_none else review_quota(disputed, self.review.min_reviewed_share)
        return ReviewProgress(reviewed, disputed, needed)

    def n_shared(self) -> int:
        """How many disputed queries are shared: offered to every reviewer, so that their agreement can be measured."""
        with usable(self.engine), self.engine.connect() as connection:
            names = connection.scalars(ask.disputed_names(self.study)).all()
        return sum(is_shared(self.study, name, self.review.overlap) for name in names)

    def n_tied(self) -> int:
        """How many disputed queries have a document with as many votes for it as against it."""
        with usable(self.engine), self.engine.connect() as connection:
            return connection.scalar(ask.n_tied(self.study)) or 0

    def n_undecided(self) -> int:
        """How many documents in dispute have labels that differ and no majority of the votes that stand."""
        with usable(self.engine), self.engine.connect() as connection:
            return connection.scalar(ask.n_undecided(self.study)) or 0

    def quota_met(self) -> bool:
        """Whether enough disputed queries are reviewed for the next validation."""
        progress = self.progress()
        return progress.reviewed >= progress.needed

    def require_quota(self) -> None:
        """Return when enough is reviewed.

        Raises:
            UserError: It is not.
        """
        progress = self.progress()
        if progress.reviewed < progress.needed:
            left = f"{progress.needed - progress.reviewed}{' more' if progress.reviewed else ''}"
            raise UserError(
                f"{progress} ({self.review.min_reviewed_share:.0%} of them). Nothing was changed: this step comes "
                f"after the review. Decide {left} with `touchstone review`."
            )

    def votes(self) -> pd.DataFrame:
        """Every vote (`relevant` true or false) and skip (null) there ever was, in the order in which they came.

        `withdrawn_at` is null for those that stand.
        """
        return self._votes()

    def decisions(self) -> pd.DataFrame:
        """One row per document with a standing vote, in dispute now or not, by query and document.

        `decision` is what most reviewers say, null on a tie. `reviewer`, `decided_at` and `reason` are of the last
        standing vote; where that one has no reason, of the last before it that has one.
        """
        standing = self._votes(STANDS, IS_VOTE)
        rows = standing.assign(
            relevant_votes=standing["relevant"].astype("int64"), not_relevant=(~standing["relevant"]).astype("int64")
        ).groupby(["query_row", "document_row"], sort=True)
        found = rows.agg(
            query_id=("query_id", "first"),
            doc_id=("doc_id", "first"),
            votes_relevant=("relevant_votes", "sum"),
            votes_not_relevant=("not_relevant", "sum"),
            reviewer=("reviewer", "last"),
            decided_at=("voted_at", "last"),
            reason=("reason", "last"),
        ).reset_index()
        counts = zip(found["votes_relevant"].tolist(), found["votes_not_relevant"].tolist(), strict=True)
        found["decision"] = pd.array([majority(*pair) for pair in counts], dtype=DECISION_TYPES["decision"])
        return found[list(DECISION_TYPES)].astype(DECISION_TYPES)

    def blindness(self) -> Blindness:
        """How many of the votes that stand were cast without the judges' scores on the screen."""
        blind = self._votes(STANDS, IS_VOTE)["blind"]
        return Blindness(int(blind.eq(True).sum()), int(blind.eq(False).sum()), int(blind.isna().sum()))

    def words(self) -> pd.DataFrame:
        """What reviewers wrote: one row per submission with a reason or a note that stands, in the order they came.

        A row without votes is a skip.
        """
        standing = self._votes(STANDS, ask.HAS_WORDS)
        rows = standing.assign(
            relevant_votes=standing["relevant"].eq(True).fillna(False).astype("int64"),
            not_relevant=standing["relevant"].eq(False).fillna(False).astype("int64"),
        ).groupby("submission", sort=False)
        found = rows.agg(
            query_id=("query_id", "first"),
            reviewer=("reviewer", "first"),
            votes_relevant=("relevant_votes", "sum"),
            votes_not_relevant=("not_relevant", "sum"),
            blind=("blind", "min"),
            reason=("reason", "first"),
            note=("note", "first"),
            sent_at=("voted_at", "first"),
        )
        return found.reset_index(drop=True)[list(WORD_TYPES)].astype(WORD_TYPES)

    def reviewer_agreement(self) -> pd.DataFrame:
        """Table `reviewer_agreement`: one row per two reviewers who voted on the same document, by their names."""
        with usable(self.engine), self.engine.connect() as connection:
            rows = connection.execute(ask.votes_in_common(self.study)).all()
        found = [_agreement(*row) for row in rows]
        columns = [column.name for column in REVIEWER_AGREEMENT.columns]
        frame = pd.DataFrame(found, columns=columns).sort_values(["reviewer_1", "reviewer_2"])
        return REVIEWER_AGREEMENT.validated(frame)

    def _offered(
        self, connection: sa.Connection, name: str, skip_rows: Collection[int], on_desks: Collection[int]
    ) -> int | None:
        """The place of the query to offer next; see `next_query`."""
        colleagues = [one for one in connection.scalars(ask.reviewers(self.study)) if one != name]
        place, fewest = None, len(colleagues) + 1
        for row in connection.execute(ask.offers(self.study, name)):
            shared = is_shared(self.study, row.query_id, self.review.overlap)
            if row.query_row in skip_rows or (row.has_votes and not shared):
                continue
            if shared:
                return row.place
            before = place_in_line(row.query_id, name, colleagues)
            if row.query_row in on_desks:
                before = len(colleagues) + 1
            elif before == 0:
                return row.place
            # Of colleagues' shares the last: they begin with the first.
            if before <= fewest:
                place, fewest = row.place, before
        return place

    def _votes(self, *conditions: sa.ColumnElement[bool]) -> pd.DataFrame:
        with usable(self.engine), self.engine.connect() as connection:
            rows = connection.execute(ask.votes_of(self.study, *conditions)).mappings().all()
        columns = list(VOTE_TYPES)
        frame = pd.DataFrame([[row[name] for name in columns] for row in rows], columns=columns, dtype="object")
        return frame.astype(VOTE_TYPES)

    def _person(self, connection: sa.Connection, written: str) -> str:
        """The name under which this person's votes are kept: one person is no two reviewers for spelling it anew."""
        name = reviewer_name(written)
        known = connection.scalars(ask.reviewers(self.study)).all()
        return name if name in known else next((one for one in known if one_person(one) == one_person(name)), name)

    @contextmanager
    def _alone(self) -> Iterator[sa.Connection]:
        """A transaction that no other writer of this study's disputes or tiebreaks runs next to."""
        with usable(self.engine), writing(self.engine).begin() as connection:
            # On SQLite a writing transaction is alone by itself.
            if self.engine.dialect.name == "postgresql":
                digest = hashlib.sha256(f"review of {self.study}".encode()).digest()
                number = int.from_bytes(digest[:8], "big", signed=True)
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(number)))
            yield connection


def _agreement(one: str, other: str, n_queries: int, *counts: int) -> dict[str, Any]:
    """A row of the table; kappa and agreement do not depend on who comes first.

    `counts` of documents: both say yes, the first alone, the second alone, neither.
    """
    n_documents = sum(counts)
    kappa, undefined = None, None
    try:
        kappa = cohens_kappa(counts)
    except UndefinedStatistic as reason:
        undefined = f"kappa: {reason}"
    # Databases order names differently, Python does not.
    first, second = sorted((one, other))
    return {
        "reviewer_1": first,
        "reviewer_2": second,
        "n_documents": n_documents,
        "n_queries": n_queries,
        "percent_agreement": (counts[0] + counts[3]) / n_documents,
        "kappa": kappa,
        "undefined": undefined,
    }
