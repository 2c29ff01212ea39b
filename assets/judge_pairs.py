"""Judgments as arrays: documents by judges, the scores that count, and the pairs of judges."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.kappa import counts_of_queries, relevant
from analysis.undefined import UndefinedStatistic
from resources.configuration.reliability import ReliabilityStudy

Thresholds = dict[str, float]


class Scored(NamedTuple):
    """Documents by judges.

    `documents` has a row per document: `query_id`, `doc_id`, `prompt_version`; `scores` has shape
    ``(n_documents, n_judges)`` with NaN where a judge gave none; `queries` is each document's number of its query, from
    0, and `query_ids` their names.
    """

    judges: tuple[str, ...]
    documents: pd.DataFrame
    scores: NDArray[np.float64]
    queries: NDArray[np.intp]
    query_ids: NDArray[np.object_]

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Documents that every judge has scored, shape ``(n_documents,)``."""
        return np.asarray(np.isfinite(self.scores).all(axis=1))

    def of_all(self) -> "Scored":
        """Only the documents that every judge has scored; queries keep their numbers."""
        kept = self.complete
        return self._replace(
            documents=self.documents[kept].reset_index(drop=True),
            scores=self.scores[kept],
            queries=self.queries[kept],
        )

    def labels(self, thresholds: Thresholds) -> NDArray[np.bool_]:
        """What each judge calls relevant, shape ``(n_documents, n_judges)``; false where it has no score."""
        scores = np.where(np.isfinite(self.scores), self.scores, 0.0)
        columns = [relevant(scores[:, column], thresholds[judge]) for column, judge in enumerate(self.judges)]
        return np.column_stack(columns)


class Pair(NamedTuple):
    """Two judges on the documents that both have scored."""

    judge_1: str
    judge_2: str
    score_1: NDArray[np.float64]
    score_2: NDArray[np.float64]
    label_1: NDArray[np.bool_]
    label_2: NDArray[np.bool_]
    queries: NDArray[np.intp]
    n_queries: int

    @property
    def counts(self) -> NDArray[np.int64]:
        """Documents of each query by both labels, shape ``(n_queries, 4)``."""
        return counts_of_queries(self.label_1, self.label_2, self.queries, self.n_queries)


def judges_in(judgments: pd.DataFrame, plan: ReliabilityStudy) -> tuple[str, ...]:
    """The study's judges: as configured, else in the order in which the table first has them."""
    return tuple(plan.judges) or tuple(dict.fromkeys(judgments["judge"].tolist()))


def scored_documents(judgments: pd.DataFrame, plan: ReliabilityStudy, prompt_version: str | None = None) -> Scored:
    """The scores that count, documents by judges, in the table's order.

    Args:
        judgments: Table `judgments`.
        plan: The study.
        prompt_version: Only scores under this version, whether they count or not; those that count where left out.
    """
    judges = judges_in(judgments, plan)
    rows = judgments["counts"].astype(bool) if prompt_version is None else judgments["prompt_version"] == prompt_version
    chosen = judgments[rows & judgments["judge"].isin(judges)]
    documents = chosen[["query_id", "doc_id", "prompt_version"]].drop_duplicates(["query_id", "doc_id"])
    documents = documents.reset_index(drop=True)
    place = {key: row for row, key in enumerate(zip(documents["query_id"], documents["doc_id"], strict=True))}
    scores = np.full((len(documents), len(judges)), np.nan)
    rows_of = [place[key] for key in zip(chosen["query_id"], chosen["doc_id"], strict=True)]
    columns = chosen["judge"].map({judge: column for column, judge in enumerate(judges)}).to_numpy(dtype=np.intp)
    scores[rows_of, columns] = chosen["score"].to_numpy(dtype=np.float64, na_value=np.nan)
    queries, query_ids = pd.factorize(documents["query_id"].astype(object))
    return Scored(judges, documents, scores, queries.astype(np.intp), np.asarray(query_ids, dtype=object))


def pairs_of_judges(scored: Scored, thresholds: Thresholds) -> list[Pair]:
    """Every two judges, in the judges' order.

    Args:
        scored: The documents.
        thresholds: Of each judge; a score above it is relevant.

    Raises:
        UndefinedStatistic: There are fewer than two judges.
    """
    if len(scored.judges) < 2:
        raise UndefinedStatistic(f"{len(scored.judges)} judge has scores; agreement takes two")
    pairs = []
    for one, other in combinations(range(len(scored.judges)), 2):
        both = np.isfinite(scored.scores[:, [one, other]]).all(axis=1)
        score_1, score_2 = scored.scores[both, one], scored.scores[both, other]
        pairs.append(
            Pair(
                scored.judges[one],
                scored.judges[other],
                score_1,
                score_2,
                relevant(score_1, thresholds[scored.judges[one]]),
                relevant(score_2, thresholds[scored.judges[other]]),
                scored.queries[both],
                len(scored.query_ids),
            )
        )
    return pairs
