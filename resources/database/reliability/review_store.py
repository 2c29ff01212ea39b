"""Tiebreaks by people: what is in dispute, who said what, and whether enough of it is reviewed."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime

import pandas as pd
import sqlalchemy as sa

from analysis.agreement.contingency import PASSED, RESOLVED
from analysis.agreement.disagreement import review_quota
from analysis.agreement.kappa import LOW_KAPPA
from resources.configuration.reliability import Review
from resources.database.engine import usable, writing
from resources.database.reliability import review_frames
from resources.database.reliability import review_questions as ask
from resources.database.reliability.models import Dispute, Tiebreak
from resources.database.reliability.review_questions import DISPUTES, STANDS, VOTES
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
from resources.database.reliability.review_rows import keep, query_of, sent_of, task_of, values_of
from resources.errors import UserError

BATCH = 10_000
SETTLED = (PASSED, RESOLVED)


class ReviewStore:
    """Reads and writes `disputes` and `tiebreaks` of one study; safe in several threads and processes at once.

    A reviewer has one standing vote on a document: a new one withdraws the one before, undo withdraws it without
    another. Nothing is deleted.
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
        self, reviewer: str, *, only: Only | None = None, skip_rows: Collection[int] = ()
    ) -> ReviewTask | None:
        """The disputed query of highest disagreement that this reviewer has something to say about.

        Args:
            reviewer: The reviewer's name.
            only: `unreviewed`: with a document without a vote; `skipped`: that this reviewer skipped;
                `low_kappa`: with a defined kappa below the limit; `tied`: with as many votes for a document as against
                it, also where one is this reviewer's. Where left out, every query with a document that this reviewer
                neither voted on nor skipped.
            skip_rows: Rows of queries to pass over.

        Raises:
            UserError: The database cannot be reached, is damaged or locked; or the name cannot be one.
        """
        with usable(self.engine), self.engine.connect() as connection:
            name = self._person(connection, reviewer)
            first = connection.execute(ask.first_open(self.study, name, only, self.low_kappa, skip_rows)).first()
            if first is None:
                return None
            found = connection.execute(ask.open_documents(self.study, name, only, first.place)).mappings().all()
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
            return keep(connection, name, submission, query_row, votes, kept, words_kept(note), blind)

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
            mine = ask.standing(VOTES.c.reviewer == name, ask.IS_VOTE)
            left = connection.scalars(
                sa.select(DISPUTES.c.document_row).where(
                    DISPUTES.c.study == self.study, DISPUTES.c.query_row == query_row, ~mine
                )
            ).all()
            known = connection.scalar(sa.select(sa.exists().where(VOTES.c.submission == submission)))
            if known or not left:
                return False
            return keep(connection, name, submission, query_row, dict.fromkeys(left), kept, None)

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
        """Every vote and skip there ever was, one row each, in the order in which they came; see `review_frames`."""
        return review_frames.votes(self.engine, self.study)

    def decisions(self) -> pd.DataFrame:
        """One row per document with a standing vote, and what most reviewers say of it; see `review_frames`."""
        return review_frames.decisions(self.engine, self.study)

    def blindness(self) -> Blindness:
        """How many of the votes that stand were cast without the judges' scores on the screen."""
        return review_frames.blindness(self.engine, self.study)

    def words(self) -> pd.DataFrame:
        """What reviewers wrote with the votes and skips that stand, one row each; see `review_frames`."""
        return review_frames.words(self.engine, self.study)

    def reviewer_agreement(self) -> pd.DataFrame:
        """Table `reviewer_agreement`: one row per two reviewers who voted on the same document."""
        return review_frames.reviewer_agreement(self.engine, self.study)

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
