"""Small tables of judged documents that the tests of study D's tables share, with kappas worked by hand."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from assets.reliability.judge_agreement import pair_rows
from assets.reliability.logic.disputes import VOTES, disputes
from assets.reliability.logic.judge_pairs import Pair, Scored, pairs_of_judges, scored_documents
from assets.reliability.query_kappa import kappa_rows, lowest_kappas
from resources.configuration.reliability import ReliabilityStudy
from resources.tables.all_tables import TABLES
from resources.tables.declare import DTYPES

Scores = Mapping[str, Mapping[str, Sequence[float | None]]]
TWO, THREE = ("careful", "hasty"), ("careful", "hasty", "odd")

# q1: labels 1 1 0 0 and 1 0 0 0: n_11 1, n_10 1, n_01 0, n_00 2; kappa 2 (1*2 - 1*0) / (2*3 + 2*1) = 0.5.
# q2: both 1 0, kappa 1. q3: both 1 1, no kappa. q4: 1 0 and 0 1, kappa 2 (0 - 1) / (1*1 + 1*1) = -1.
BASE: Scores = {
    "q1": {"d1": (0.9, 0.8), "d2": (0.8, 0.2), "d3": (0.1, 0.3), "d4": (0.2, 0.1)},
    "q2": {"d1": (0.9, 0.9), "d2": (0.1, 0.1)},
    "q3": {"d1": (0.7, 0.8), "d2": (0.6, 0.9)},
    "q4": {"d1": (0.9, 0.1), "d2": (0.2, 0.6)},
}


def plan(**changes: Any) -> ReliabilityStudy:
    """A study whose files nobody reads."""
    return ReliabilityStudy(**{"queries": Path("queries.jsonl"), "bootstrap_resamples": 200, **changes})


def documents_of(scores: Scores) -> pd.DataFrame:
    """Table `query_documents` of these queries."""
    rows = [
        (query, f"what about {query}?", doc, f"text of {doc}", position)
        for query, docs in scores.items()
        for position, doc in enumerate(docs)
    ]
    table = TABLES["query_documents"]
    return table.validated(pd.DataFrame(rows, columns=[column.name for column in table.columns]))


def judgments_of(scores: Scores, judges: Sequence[str] = TWO, version: str = "v1", counts: bool = True) -> pd.DataFrame:
    """Table `judgments`: a score per judge; no row where it is None, and a row without a score where it is NaN."""
    rows = [
        {
            "query_id": query,
            "doc_id": doc,
            "judge": judge,
            "prompt_version": version,
            "prompt_hash": None,
            "judge_identity": "imported",
            "score": score,
            "state": "valid" if score == score else "invalid_json",
            "message": None,
            "counts": counts,
        }
        for query, docs in scores.items()
        for doc, given in docs.items()
        for judge, score in zip(judges, given, strict=True)
        if score is not None
    ]
    table = TABLES["judgments"]
    return table.validated(pd.DataFrame(rows, columns=[column.name for column in table.columns]))


def scored_of(scores: Scores, judges: Sequence[str] = TWO) -> Scored:
    """The scores that count, with all documents."""
    return scored_documents(judgments_of(scores, judges), plan(), documents=documents_of(scores))


def at(judges: Sequence[str], threshold: float = 0.5) -> dict[str, float]:
    """One threshold for all."""
    return dict.fromkeys(judges, threshold)


def pair_of(scores: Scores) -> Pair:
    """Two judges at 0.5."""
    [pair] = pairs_of_judges(scored_of(scores), at(TWO))
    return pair


def query_kappa_of(scores: Scores, judges: Sequence[str] = TWO) -> pd.DataFrame:
    """Table `query_kappa`."""
    scored = scored_of(scores, judges)
    pairs = pairs_of_judges(scored, at(judges))
    return TABLES["query_kappa"].validated(pd.concat([kappa_rows(pair, scored, 0.4) for pair in pairs]))


def judge_agreement_of(scores: Scores, judges: Sequence[str] = TWO, **changes: Any) -> pd.DataFrame:
    """Table `judge_agreement`, of pairs alone."""
    pairs = pairs_of_judges(scored_of(scores, judges), at(judges))
    rows = [row for pair in pairs for row in pair_rows(pair, plan(**changes))]
    table = TABLES["judge_agreement"]
    return table.validated(pd.DataFrame(rows, columns=[column.name for column in table.columns]))


def disputed_of(
    scores: Scores, judges: Sequence[str] = TWO, votes: Mapping[tuple[str, str], tuple[int, int]] | None = None
) -> pd.DataFrame:
    """Table `disputed_documents`; `votes` are those for relevant and those against, by query and document."""
    scored = scored_of(scores, judges).of_two()
    frame = disputes(scored, at(judges), lowest_kappas(query_kappa_of(scores, judges)), plan())
    given = [(votes or {}).get(key, (0, 0)) for key in zip(frame["query_id"], frame["doc_id"], strict=True)]
    said = [(yes, no, None if yes == no else yes > no) for yes, no in given]
    table = TABLES["disputed_documents"]
    decided = pd.DataFrame(said, columns=VOTES, index=frame.index).astype({"decision": DTYPES["flag"]})
    return table.validated(frame.join(decided)[[column.name for column in table.columns]])


def blocks(counts: Sequence[tuple[int, int, int, int]]) -> Scores:
    """A query for each 2 x 2 table: documents relevant to both, to the first alone, to the second alone, to neither."""
    kinds = ((0.9, 0.8), (0.9, 0.2), (0.1, 0.7), (0.2, 0.1))
    return {
        f"q{number:03}": dict(enumerated for enumerated in _named(np.repeat(np.arange(4), table), kinds))
        for number, table in enumerate(counts)
    }


def _named(kinds_of: np.ndarray, kinds: Sequence[tuple[float, float]]) -> list[tuple[str, tuple[float, float]]]:
    return [(f"d{place:02}", kinds[kind]) for place, kind in enumerate(kinds_of)]
