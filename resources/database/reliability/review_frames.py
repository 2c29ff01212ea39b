"""Votes, decisions and the agreement between reviewers as tables, for assets and reports."""

from typing import Any

import pandas as pd
import sqlalchemy as sa

from analysis.agreement.consensus import majority
from analysis.agreement.kappa import cohens_kappa
from analysis.undefined import UndefinedStatistic
from resources.database.engine import usable
from resources.database.reliability import review_questions as ask
from resources.database.reliability.review_questions import IS_VOTE, STANDS
from resources.database.reliability.review_records import Blindness
from resources.tables.declare import DTYPES
from resources.tables.reliability.decision import REVIEWER_AGREEMENT

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


def votes(engine: sa.Engine, study: str) -> pd.DataFrame:
    """Every vote (`relevant` true or false) and skip (null) there ever was, in the order in which they came.

    `withdrawn_at` is null for those that stand.

    Raises:
        UserError: The database cannot be reached, is damaged or locked.
    """
    return _votes(engine, study)


def decisions(engine: sa.Engine, study: str) -> pd.DataFrame:
    """One row per document with a standing vote, in dispute now or not, by query and document.

    `decision` is what most reviewers say, null on a tie. `reviewer`, `decided_at` and `reason` are of the last standing
    vote; where that one has no reason, of the last before it that has one.

    Raises:
        UserError: The database cannot be reached, is damaged or locked.
    """
    standing = _votes(engine, study, STANDS, IS_VOTE)
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


def blindness(engine: sa.Engine, study: str) -> Blindness:
    """How many of the votes that stand were cast without the judges' scores on the screen.

    Raises:
        UserError: The database cannot be reached, is damaged or locked.
    """
    blind = _votes(engine, study, STANDS, IS_VOTE)["blind"]
    return Blindness(int(blind.eq(True).sum()), int(blind.eq(False).sum()), int(blind.isna().sum()))


def words(engine: sa.Engine, study: str) -> pd.DataFrame:
    """What reviewers wrote: one row per submission with a reason or a note that stands, in the order they came.

    A row without votes is a skip.

    Raises:
        UserError: The database cannot be reached, is damaged or locked.
    """
    standing = _votes(engine, study, STANDS, ask.HAS_WORDS)
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


def reviewer_agreement(engine: sa.Engine, study: str) -> pd.DataFrame:
    """Table `reviewer_agreement`: one row per two reviewers who voted on the same document, by their names.

    Raises:
        UserError: The database cannot be reached, is damaged or locked.
    """
    with usable(engine), engine.connect() as connection:
        rows = connection.execute(ask.votes_in_common(study)).all()
    found = [_agreement(*row) for row in rows]
    columns = [column.name for column in REVIEWER_AGREEMENT.columns]
    frame = pd.DataFrame(found, columns=columns).sort_values(["reviewer_1", "reviewer_2"])
    return REVIEWER_AGREEMENT.validated(frame)


def _agreement(one: str, other: str, n_queries: int, n_11: int, n_10: int, n_01: int, n_00: int) -> dict[str, Any]:
    """A row of the table; kappa and agreement do not depend on who comes first."""
    n_documents = n_11 + n_10 + n_01 + n_00
    kappa, undefined = None, None
    try:
        kappa = cohens_kappa([n_11, n_10, n_01, n_00])
    except UndefinedStatistic as reason:
        undefined = f"kappa: {reason}"
    # Databases order names differently, Python does not.
    first, second = sorted((one, other))
    return {
        "reviewer_1": first,
        "reviewer_2": second,
        "n_documents": n_documents,
        "n_queries": n_queries,
        "percent_agreement": (n_11 + n_00) / n_documents,
        "kappa": kappa,
        "undefined": undefined,
    }


def _votes(engine: sa.Engine, study: str, *conditions: sa.ColumnElement[bool]) -> pd.DataFrame:
    with usable(engine), engine.connect() as connection:
        rows = connection.execute(ask.votes_of(study, *conditions)).mappings().all()
    columns = list(VOTE_TYPES)
    frame = pd.DataFrame([[row[name] for name in columns] for row in rows], columns=columns, dtype="object")
    return frame.astype(VOTE_TYPES)
