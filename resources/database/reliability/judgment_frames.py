"""Table `judgments`, read from the database."""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
import sqlalchemy as sa
from numpy.typing import NDArray

from resources.database.bulk_frames import NUMBER, TEXT, WHOLE, read_frame
from resources.database.reliability.counted_judgments import Judged, counted
from resources.database.reliability.models import Document, Judgment, Query
from resources.database.reliability.records import IMPORTED, Source
from resources.tables.reliability.agreement import JUDGMENTS as TABLE

QUERIES, DOCUMENTS, ROWS = Query.__table__, Document.__table__, Judgment.__table__
TEXTS = ("judge", "prompt_version", "prompt_hash", "judge_identity", "state", "message")


def judgments(
    connection: sa.Connection,
    study: str,
    judges: Sequence[str],
    among: pd.DataFrame | None = None,
    sources: Collection[Source] | None = None,
    withdrawn: Collection[int] = (),
) -> pd.DataFrame:
    """What stands of these judges, and which scores count: by query and document as the input has them, then judge.

    Args:
        connection: An open connection.
        study: The study's name.
        judges: Names, in their order.
        among: `query_id` and `doc_id` of the documents meant, each once; all where left out.
        sources: Whose judgments are meant; everyone's where left out.
        withdrawn: Rows that are not meant: the input has these scores no more.
    """
    # Documents after judgments, so that each judgment finds its document whatever is recorded meanwhile.
    rows = _rows(connection, study, judges)
    documents = _documents(connection, study)
    if among is not None and len(among) < len(documents):
        documents = documents.merge(among[["query_id", "doc_id"]], on=["query_id", "doc_id"])
    place = pd.Index(documents["row"]).get_indexer(pd.Index(rows["document_row"]))
    if bool((place < 0).any()):
        rows, place = rows[place >= 0].reset_index(drop=True), place[place >= 0]
    meant = _meant(rows, sources, withdrawn)
    n_others = int((rows["score"].notna().to_numpy(dtype=bool) & ~meant).sum())
    rows, place = rows[meant].reset_index(drop=True), place[meant]
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
        sa.select(ROWS.c.id, QUERIES.c.query_id, DOCUMENTS.c.doc_id, ROWS.c.judge, ROWS.c.prompt_version)
        .join(DOCUMENTS, DOCUMENTS.c.id == ROWS.c.document_row)
        .join(QUERIES, QUERIES.c.id == DOCUMENTS.c.query_row)
        .where(QUERIES.c.study == study, ROWS.c.judge_identity == IMPORTED)
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


def _documents(connection: sa.Connection, study: str) -> pd.DataFrame:
    question = (
        sa.select(DOCUMENTS.c.id, QUERIES.c.query_id, DOCUMENTS.c.doc_id)
        .join(QUERIES, QUERIES.c.id == DOCUMENTS.c.query_row)
        .where(QUERIES.c.study == study)
        .order_by(QUERIES.c.position, QUERIES.c.id, DOCUMENTS.c.position, DOCUMENTS.c.id)
    )
    return read_frame(connection, question, {"row": WHOLE, "query_id": TEXT, "doc_id": TEXT})


def _rows(connection: sa.Connection, study: str, judges: Sequence[str]) -> pd.DataFrame:
    """In the order in which they were recorded."""
    own = sa.select(DOCUMENTS.c.id).join(QUERIES, QUERIES.c.id == DOCUMENTS.c.query_row).where(QUERIES.c.study == study)
    question = sa.select(ROWS.c.id, ROWS.c.document_row, ROWS.c.score, *[ROWS.c[name] for name in TEXTS]).where(
        ROWS.c.document_row.in_(own), ROWS.c.judge.in_(list(judges))
    )
    types = {"id": WHOLE, "document_row": WHOLE, "score": NUMBER, **dict.fromkeys(TEXTS, TEXT)}
    return read_frame(connection, question, types).sort_values("id", ignore_index=True)
