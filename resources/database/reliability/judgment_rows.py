"""Judgments inside a transaction of the query store: written as rows, read as table `judgments`."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.dialects import postgresql, sqlite

from analysis.ties import TIE
from analysis.words import count_noun
from resources.database.bulk_rows import (
    NUMBER,
    TEXT,
    WHOLE,
    count_distinct_values,
    in_batches,
    read_frame,
    staged,
    staging,
    write_rows,
)
from resources.database.models import UtcTime, Words
from resources.database.reliability.counted_judgments import Judged, counted
from resources.database.reliability.models import Document, Judgment, Query
from resources.database.reliability.records import IMPORTED, SHOWN, JudgmentRecord, KeptOtherwise, Source
from resources.errors import UserError
from resources.tables.reliability.agreement import JUDGMENTS as TABLE

QUERIES, DOCUMENTS, JUDGMENTS = Query.__table__, Document.__table__, Judgment.__table__
KEY = ("document_row", "judge", "prompt_version", "judge_identity", "prompt_hash")
ANSWER = ("score", "state", "message", "raw_answer", "run", "judged_at")
NAMES = (*KEY, *ANSWER)
NEW = staging(
    "new_judgments",
    sa.Column("n", sa.Integer()),
    sa.Column("document_row", sa.BigInteger()),
    *[sa.Column(name, sa.Text()) for name in KEY[1:]],
    sa.Column("score", sa.Double()),
    sa.Column("state", sa.Text()),
    sa.Column("message", Words()),
    sa.Column("raw_answer", Words()),
    sa.Column("run", sa.Text()),
    sa.Column("judged_at", UtcTime()),
)
RECORDS_AT_A_TIME = 20_000
NAMES_IN_A_QUESTION = 5_000
_SAME_KEY = [JUDGMENTS.c[name] == NEW.c[name] for name in KEY]
TEXTS = ("judge", "prompt_version", "prompt_hash", "judge_identity", "state", "message")


def record(connection: sa.Connection, study: str, judgments: Iterable[JudgmentRecord]) -> int:
    """Keep judgments; how many are new or took the place of one without a score.

    Raises:
        UserError: A document is not of this study.
        KeptOtherwise: A judgment is there with another score.
    """
    with staged(connection, NEW):
        given = _stage(connection, study, judgments)
        if not given:
            return 0
        inserted = _insert(connection)
        if inserted == given:
            return inserted
        better = JUDGMENTS.c.score.is_(None) & NEW.c.score.is_not(None)
        replaced = connection.execute(
            sa.update(Judgment).values({name: NEW.c[name] for name in ANSWER}).where(*_SAME_KEY, better)
        ).rowcount
        _refuse_other_scores(connection)
        return inserted + replaced


def refuse_changed(connection: sa.Connection, study: str, judgments: Iterable[JudgmentRecord]) -> None:
    """Refuse what `record` would refuse of documents that are known, and pass over others; nothing is kept.

    Raises:
        KeptOtherwise: A judgment is there with another score.
    """
    with staged(connection, NEW):
        if _stage(connection, study, judgments, known_alone=True):
            _refuse_other_scores(connection)


def _stage(
    connection: sa.Connection, study: str, judgments: Iterable[JudgmentRecord], *, known_alone: bool = False
) -> int:
    """Write them into the table that waits for them; how many."""
    given = _Numbered(connection, study, judgments, known_alone)
    write_rows(connection, NEW, ["n", *NAMES], given)
    if given.n:
        count_distinct_values(connection, NEW)
    return given.n


class _Numbered:
    """The judgments as rows, each with its document's row; `n` counts them as they are read.

    Of documents that the study does not have they are passed over with `known_alone`, else refused.
    """

    def __init__(
        self, connection: sa.Connection, study: str, judgments: Iterable[JudgmentRecord], known_alone: bool
    ) -> None:
        self._connection, self._study, self._judgments = connection, study, judgments
        self._known_alone = known_alone
        self.n = 0

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        for chunk in in_batches(self._judgments, RECORDS_AT_A_TIME):
            rows = _document_rows(self._connection, self._study, dict.fromkeys(one.query_id for one in chunk))
            for one in chunk:
                row = rows.get((one.query_id, one.doc_id))
                if row is None and self._known_alone:
                    continue
                if row is None:
                    raise UserError(
                        f"Query '{one.query_id}' has no document '{one.doc_id}' in study '{self._study}', and "
                        f"judge '{one.judge}' scored it. Nothing was stored. Add the document to the queries first."
                    )
                score = None if one.score is None else float(one.score)
                yield (
                    self.n,
                    row,
                    one.judge,
                    one.prompt_version,
                    one.judge_identity,
                    one.prompt_hash,
                    score,
                    one.state,
                    one.message,
                    one.raw_answer,
                    one.run,
                    one.judged_at,
                )
                self.n += 1


def _document_rows(connection: sa.Connection, study: str, queries: Iterable[str]) -> dict[tuple[str, str], int]:
    question = sa.select(QUERIES.c.query_id, DOCUMENTS.c.doc_id, DOCUMENTS.c.id).join(
        DOCUMENTS, DOCUMENTS.c.query_row == QUERIES.c.id
    )
    rows: dict[tuple[str, str], int] = {}
    for names in in_batches(queries, NAMES_IN_A_QUESTION):
        found = connection.execute(question.where(QUERIES.c.study == study, QUERIES.c.query_id.in_(names)))
        rows |= {(query, document): row for query, document, row in found}
    return rows


def _insert(connection: sa.Connection) -> int:
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    # SQLite takes ON CONFLICT for the condition of a join where the question has no WHERE.
    rows = sa.select(*[NEW.c[name] for name in NAMES]).where(NEW.c.n >= 0).order_by(NEW.c.n)
    statement = dialect.insert(JUDGMENTS).from_select(list(NAMES), rows)
    return connection.execute(statement.on_conflict_do_nothing(index_elements=list(KEY))).rowcount


def _refuse_other_scores(connection: sa.Connection) -> None:
    question = (
        sa.select(
            QUERIES.c.query_id,
            DOCUMENTS.c.doc_id,
            NEW.c.judge,
            NEW.c.prompt_version,
            JUDGMENTS.c.score.label("kept"),
            NEW.c.score.label("given"),
        )
        .join_from(NEW, JUDGMENTS, sa.and_(*_SAME_KEY))
        .join(DOCUMENTS, DOCUMENTS.c.id == JUDGMENTS.c.document_row)
        .join(QUERIES, QUERIES.c.id == DOCUMENTS.c.query_row)
        .where(sa.func.abs(JUDGMENTS.c.score - NEW.c.score) > TIE * sa.func.abs(JUDGMENTS.c.score))
    )
    changed = Changed(connection, question, NEW.c.n)
    if not changed.rows:
        return
    query, document, judge, version, kept, given = changed.rows[0]
    others = [
        f"query '{one.query_id}', document '{one.doc_id}', judge '{one.judge}', '{one.prompt_version}': "
        f"{one.kept!r} -> {one.given!r}"
        for one in changed.rows[1:]
    ]
    raise KeptOtherwise(
        f"Query '{query}', document '{document}': judge '{judge}' scored {kept!r} under prompt version '{version}', "
        f"and now {given!r}.{changed.others('score', 'scores', others)} Nothing was stored. A score is kept for ever: "
        "give the new scores another prompt_version, or the changed study another name.",
        query,
        document,
        judge,
        version,
    )


class Meant(NamedTuple):
    """Which judgments are meant: `among` has `query_id` and `doc_id` of documents, each once; null is no limit.

    `withdrawn` are rows that are not meant: the input has these scores no more.
    """

    among: pd.DataFrame | None = None
    sources: Collection[Source] | None = None
    withdrawn: Collection[int] = ()


def judgments(connection: sa.Connection, study: str, judges: Sequence[str], meant: Meant) -> pd.DataFrame:
    """What stands of these judges, and which scores count: by query and document as the input has them, then judge."""
    # Documents after judgments, so that each judgment finds its document whatever is recorded meanwhile.
    rows = _recorded(connection, study, judges)
    documents = _documents_of(connection, study)
    if meant.among is not None and len(meant.among) < len(documents):
        documents = documents.merge(meant.among[["query_id", "doc_id"]], on=["query_id", "doc_id"])
    place = pd.Index(documents["row"]).get_indexer(pd.Index(rows["document_row"]))
    if bool((place < 0).any()):
        rows, place = rows[place >= 0].reset_index(drop=True), place[place >= 0]
    kept = _meant(rows, meant.sources, meant.withdrawn)
    n_others = int((rows["score"].notna().to_numpy(dtype=bool) & ~kept).sum())
    rows, place = rows[kept].reset_index(drop=True), place[kept]
    document_query = pd.factorize(documents["query_id"])[0].astype(np.int64)
    query = document_query[place]
    judge = pd.Index(judges).get_indexer(pd.Index(rows["judge"])).astype(np.int64)
    version = pd.factorize(rows["prompt_version"])[0].astype(np.int64)
    parts = [pd.factorize(rows[name])[0].astype(np.int64) for name in ("judge_identity", "prompt_hash")]
    source = parts[0] * (int(parts[1].max(initial=0)) + 1) + parts[1]
    found = counted(
        Judged(query, judge, version, source, rows["score"].notna().to_numpy(dtype=bool)),
        np.bincount(document_query).astype(np.int64),
        len(judges),
    )
    rows["counts"] = found.counts
    order = np.lexsort((version, judge, place))
    order = order[found.stands[order]]
    frame = rows.iloc[order]
    of_document = documents[["query_id", "doc_id"]].iloc[place[order]].reset_index(drop=True)
    frame = pd.concat([of_document, frame.reset_index(drop=True)], axis=1)
    frame["prompt_hash"] = frame["prompt_hash"].replace("", None)
    table = TABLE.validated(frame[[column.name for column in TABLE.columns]])
    table.attrs["about"] = {"n_of_other_sources": n_others}
    return table


def withdrawn(connection: sa.Connection, study: str, given: pd.DataFrame, among: pd.DataFrame) -> list[int]:
    """The rows of scores of an earlier input that this one has not, of its documents, judges and prompt versions.

    Args:
        connection: An open connection.
        study: The study's name.
        given: `query_id`, `doc_id`, `judge` and `prompt_version` of the input's scores, all of them kept.
        among: `query_id` and `doc_id` of its documents.
    """
    of_study = (
        sa.select(JUDGMENTS.c.id, QUERIES.c.query_id, DOCUMENTS.c.doc_id, JUDGMENTS.c.judge, JUDGMENTS.c.prompt_version)
        .join(DOCUMENTS, DOCUMENTS.c.id == JUDGMENTS.c.document_row)
        .join(QUERIES, QUERIES.c.id == DOCUMENTS.c.query_row)
        .where(QUERIES.c.study == study, JUDGMENTS.c.judge_identity == IMPORTED)
    )
    n_kept = connection.scalar(sa.select(sa.func.count()).select_from(of_study.subquery())) or 0
    if n_kept == len(given):
        return []
    keys = ["query_id", "doc_id", "judge", "prompt_version"]
    rows = read_frame(connection, of_study, {"id": WHOLE, **dict.fromkeys(keys, TEXT)})
    could = pd.MultiIndex.from_frame(rows[keys[:2]]).isin(pd.MultiIndex.from_frame(among[keys[:2]]))
    could &= pd.MultiIndex.from_frame(rows[keys[2:]]).isin(pd.MultiIndex.from_frame(given[keys[2:]].drop_duplicates()))
    rows = rows[could]
    there = pd.MultiIndex.from_frame(rows[keys]).isin(pd.MultiIndex.from_frame(given[keys]))
    return [int(row) for row in rows["id"][~there]]


def _meant(rows: pd.DataFrame, sources: Collection[Source] | None, withdrawn: Collection[int]) -> NDArray[np.bool_]:
    """Judgments of one of the sources, but for those that the input has no more."""
    meant = np.ones(len(rows), dtype=bool)
    if sources is not None:
        wanted = pd.MultiIndex.from_tuples([tuple(one) for one in sources], names=Source._fields)
        # A judgment for each of few combinations: these are looked up, not every row.
        found = rows.groupby(list(Source._fields), sort=False)
        numbers = found.ngroup().to_numpy()
        known = pd.MultiIndex.from_frame(rows[list(Source._fields)].iloc[np.unique(numbers, return_index=True)[1]])
        meant = known.isin(wanted)[numbers] if len(rows) else meant
    if withdrawn:
        meant &= ~rows["id"].isin(list(withdrawn)).to_numpy(dtype=bool)
    return np.asarray(meant)


def _documents_of(connection: sa.Connection, study: str) -> pd.DataFrame:
    question = (
        sa.select(DOCUMENTS.c.id, QUERIES.c.query_id, DOCUMENTS.c.doc_id)
        .join(QUERIES, QUERIES.c.id == DOCUMENTS.c.query_row)
        .where(QUERIES.c.study == study)
        .order_by(QUERIES.c.position, QUERIES.c.id, DOCUMENTS.c.position, DOCUMENTS.c.id)
    )
    return read_frame(connection, question, {"row": WHOLE, "query_id": TEXT, "doc_id": TEXT})


def _recorded(connection: sa.Connection, study: str, judges: Sequence[str]) -> pd.DataFrame:
    """In the order in which they were recorded."""
    own = sa.select(DOCUMENTS.c.id).join(QUERIES, QUERIES.c.id == DOCUMENTS.c.query_row).where(QUERIES.c.study == study)
    question = sa.select(
        JUDGMENTS.c.id, JUDGMENTS.c.document_row, JUDGMENTS.c.score, *[JUDGMENTS.c[name] for name in TEXTS]
    ).where(JUDGMENTS.c.document_row.in_(own), JUDGMENTS.c.judge.in_(list(judges)))
    types = {"id": WHOLE, "document_row": WHOLE, "score": NUMBER, **dict.fromkeys(TEXTS, TEXT)}
    return read_frame(connection, question, types).sort_values("id", ignore_index=True)


class Changed:
    """Values that differ, the first of them in `rows`; none where `rows` is empty."""

    def __init__(self, connection: sa.Connection, question: sa.Select[Any], order: sa.ColumnElement[Any]) -> None:
        """Look them up."""
        self.rows = connection.execute(question.order_by(order).limit(SHOWN)).all()
        self.n = len(self.rows)
        if self.n == SHOWN:
            self.n = connection.scalar(sa.select(sa.func.count()).select_from(question.subquery("changed"))) or 0

    def others(self, one: str, several: str, changes: list[str]) -> str:
        """A sentence on all but the first, with a space before it; nothing where it is alone.

        Args:
            one: What they are, such as `score`.
            several: The same of several.
            changes: The rows but for the first, each in words.
        """
        if self.n == 1:
            return ""
        left = self.n - 1 - len(changes)
        rest = f"; and {left:,} more" if left else ""
        return f" {count_noun(self.n - 1, f'more {one}', f'more {several}')} changed: {'; '.join(changes)}{rest}."
