"""Judgments as arrays: documents by judges, the scores that count, and the pairs of judges."""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.agreement.kappa import counts_of_queries, relevant
from analysis.undefined import UndefinedStatistic
from resources.configuration.reliability import ReliabilityStudy
from resources.database.reliability.records import Source
from resources.errors import UserError
from resources.inputs.reliability.relevance_records import RelevanceInput

Thresholds = dict[str, float]
KEY = ["query_id", "doc_id"]
NOT_JUDGED = (
    "The queries changed and were not judged yet. Nothing was changed. Run `touchstone run reliability`: it judges and "
    "validates them."
)
SCORES = "scores"


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
        # Without a judge nothing is missing, and nothing is scored.
        return np.asarray(np.isfinite(self.scores).all(axis=1) & bool(self.judges))

    @property
    def of_several(self) -> NDArray[np.bool_]:
        """Documents that two judges or more have scored, shape ``(n_documents,)``."""
        return np.asarray(np.isfinite(self.scores).sum(axis=1) > 1)

    def of_all(self) -> "Scored":
        """Only the documents that every judge has scored; queries keep their numbers."""
        return self.only(self.complete)

    def of_two(self) -> "Scored":
        """Only the documents that two judges or more have scored; queries keep their numbers."""
        return self.only(self.of_several)

    def only(self, kept: NDArray[np.bool_]) -> "Scored":
        """Only these documents, shape ``(n_documents,)``; queries keep their numbers."""
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

    def labels_differ(self, thresholds: Thresholds) -> NDArray[np.bool_]:
        """Documents on which two judges that scored them give two labels, shape ``(n_documents,)``."""
        labels, there = self.labels(thresholds), np.isfinite(self.scores)
        return np.asarray((labels & there).any(axis=1) & (there & ~labels).any(axis=1))


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


def refuse_unjudged(judgments: pd.DataFrame, query_documents: pd.DataFrame) -> None:
    """Refuse judgments that were made before the queries that are there now.

    Raises:
        UserError: They are of another input, or of documents that it does not have.
    """
    then, now = (frame.attrs.get("about", {}).get("input") for frame in (judgments, query_documents))
    known = pd.MultiIndex.from_frame(query_documents[KEY])
    if then != now or (then is None and not pd.MultiIndex.from_frame(judgments[KEY]).isin(known).all()):
        raise UserError(NOT_JUDGED)


def judges_in(judgments: pd.DataFrame, plan: ReliabilityStudy) -> tuple[str, ...]:
    """The study's judges: as configured, else in the order of the input, which the table keeps inside a document."""
    names = tuple(pd.unique(judgments["judge"]))
    if plan.judges or len(names) < 2:
        return tuple(plan.judges) or names
    # The first document of all may lack a judge: one that has most of them tells the order.
    pairs = pd.DataFrame({"place": _places(judgments[KEY]), "judge": judgments["judge"]}).drop_duplicates()
    fullest = pairs["place"].value_counts(sort=False).idxmax()
    return tuple(dict.fromkeys([*pairs.loc[pairs["place"] == fullest, "judge"], *names]))


def scored_documents(
    judgments: pd.DataFrame,
    plan: ReliabilityStudy,
    prompt_version: str | None = None,
    documents: pd.DataFrame | None = None,
) -> Scored:
    """The scores that count, documents by judges, in the table's order.

    Args:
        judgments: Table `judgments`.
        plan: The study.
        prompt_version: Only scores under this version, whether they count or not; those that count where left out.
        documents: Table `query_documents`: all of its documents and no others, also those without a judgment; the
            documents of `judgments` where left out.
    """
    judges = judges_in(judgments, plan)
    rows = judgments["counts"].astype(bool) if prompt_version is None else judgments["prompt_version"] == prompt_version
    chosen = judgments[rows & judgments["judge"].isin(judges)].reset_index(drop=True)
    known = (chosen if documents is None else documents)[KEY]
    place = _places(pd.concat([known, chosen[KEY]], ignore_index=True))
    first = np.flatnonzero(~pd.Series(place[: len(known)]).duplicated().to_numpy())
    n = len(first)
    place = place[len(known) :]
    if documents is not None and bool((place >= n).any()):
        chosen, place = chosen[place < n].reset_index(drop=True), place[place < n]
    scores = np.full((n, len(judges)), np.nan)
    columns = pd.Index(judges).get_indexer(pd.Index(chosen["judge"]))
    scores[place, columns] = chosen["score"].to_numpy(dtype=np.float64, na_value=np.nan)
    found = known.iloc[first].reset_index(drop=True)
    queries, query_ids = pd.factorize(found["query_id"])
    found["prompt_version"] = _versions(chosen["prompt_version"], place, queries, plan.prompt_version)
    return Scored(judges, found, scores, queries.astype(np.intp), np.asarray(query_ids, dtype=object))


def current_scores(judgments: pd.DataFrame, query_documents: pd.DataFrame, plan: ReliabilityStudy) -> Scored:
    """The scores that count, of all documents that are there now.

    Raises:
        UserError: The judgments are of other queries.
    """
    refuse_unjudged(judgments, query_documents)
    return scored_documents(judgments, plan, documents=query_documents)


def _places(keys: pd.DataFrame) -> NDArray[np.intp]:
    """A number for each query and document, from 0 in the order in which they first come."""
    queries, documents = (pd.factorize(keys[name])[0].astype(np.int64) for name in KEY)
    return pd.factorize(queries * (int(documents.max(initial=0)) + 1) + documents)[0].astype(np.intp)


def _versions(versions: pd.Series, place: NDArray[np.intp], queries: NDArray[np.intp], first: str) -> pd.Series:
    """The prompt version of each document; of one without a judgment its query's, else the study's first."""
    row = np.full(len(queries), -1, dtype=np.intp)
    row[place[::-1]] = np.arange(len(place), dtype=np.intp)[::-1]
    found = (
        versions.take(np.maximum(row, 0)).reset_index(drop=True) if len(versions) else versions.reindex(range(len(row)))
    )
    if bool((row < 0).any()):
        found = found.where(row >= 0)
        found = found.fillna(found.groupby(queries).transform("first")).fillna(first)
    return found


def pairs_of_judges(scored: Scored, thresholds: Thresholds) -> list[Pair]:
    """Every two judges, in the judges' order.

    Args:
        scored: The documents.
        thresholds: Of each judge; a score above it is relevant.

    Raises:
        UndefinedStatistic: There are fewer than two judges.
    """
    if len(scored.judges) < 2:
        raise UndefinedStatistic(
            "{n:,} judge has scores; agreement takes two|{n:,} judges have scores; agreement takes two",
            n=len(scored.judges),
        )
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


class InputScores(NamedTuple):
    """Who scored in the input, in its order, under which versions, and the rows of what an earlier one had alone."""

    judges: tuple[str, ...]
    sources: list[Source]
    withdrawn: list[int]


def told_of(read: RelevanceInput, withdrawn: list[int]) -> dict[str, Any]:
    """The input's scores as `attrs["about"]` keeps them."""
    sources = read.scores[["judge", "prompt_version"]].drop_duplicates().to_numpy().tolist()
    return {SCORES: {"judges": list(read.judges), "sources": sources, "withdrawn": withdrawn}}


def input_scores(query_documents: pd.DataFrame) -> InputScores:
    """The scores that came with the input of a table.

    Raises:
        UserError: It was made while judges were configured, who are asked instead, or by an older version.
    """
    scores = query_documents.attrs.get("about", {}).get(SCORES)
    if scores is None:
        raise UserError(NOT_JUDGED)
    return InputScores(tuple(scores["judges"]), [Source(*one) for one in scores["sources"]], scores["withdrawn"])
