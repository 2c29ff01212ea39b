"""Documents about which judges differ: which, in what order people see them, and what people said."""

import numpy as np
import pandas as pd

from analysis.agreement.disagreement import document_disagreement, review_order
from assets.reliability.logic.judge_pairs import KEY, Scored
from resources.configuration.reliability import ReliabilityStudy
from resources.database.reliability.review_records import DisputedDocument
from resources.study import Study

VOTES = ["votes_relevant", "votes_not_relevant", "decision"]


def disputes(scored: Scored, thresholds: dict[str, float], kappas: pd.Series, plan: ReliabilityStudy) -> pd.DataFrame:
    """The disputed documents without votes, the worst query first; `row` is each one's in `scored`.

    Args:
        scored: Documents that two judges or more have scored.
        thresholds: Of each judge.
        kappas: Of each query by its name, NaN where there is none.
        plan: The study.
    """
    limits = [thresholds[judge] for judge in scored.judges]
    differ = document_disagreement(scored.scores, limits, plan.review.high_disagreement)
    order = review_order(differ, scored.queries, kappas.reindex(scored.query_ids).to_numpy(dtype=np.float64))
    rows, judges = order.documents, np.asarray(scored.judges, dtype=object)
    return pd.DataFrame(
        {
            **{name: scored.documents[name].take(rows).reset_index(drop=True) for name in KEY},
            "row": rows,
            "place": order.place + 1,
            "place_in_query": order.place_in_query + 1,
            "disagreement": differ.largest[rows],
            "is_high": differ.is_high[rows],
            "labels_differ": differ.labels_differ[rows],
            "lowest_judge": judges[differ.lowest_judge[rows]],
            "lowest_score": scored.scores[rows, differ.lowest_judge[rows]],
            "highest_judge": judges[differ.highest_judge[rows]],
            "highest_score": scored.scores[rows, differ.highest_judge[rows]],
        }
    )


def with_votes(frame: pd.DataFrame, study: Study) -> pd.DataFrame:
    """The documents with the votes that stand, and what most reviewers say."""
    votes = study.reviews.decisions()[[*KEY, *VOTES]]
    joined = frame.merge(votes, how="left", on=KEY)
    counts = ["votes_relevant", "votes_not_relevant"]
    return joined.assign(**{name: joined[name].fillna(0).astype("Int64") for name in counts})


def rows_for_review(frame: pd.DataFrame, scored: Scored, kappas: pd.Series, study: Study) -> list[DisputedDocument]:
    """The documents as the review app is offered them."""
    rows_in_store, queries_in_store = study.queries.document_rows(), study.queries.query_rows()
    scores = scored.scores[frame["row"].to_numpy(dtype=np.intp)].tolist()
    judges = scored.judges
    of_queries = kappas.dropna().to_dict()
    columns = [*KEY, "place", "place_in_query", "disagreement", "labels_differ"]
    return [
        DisputedDocument(
            query_row=queries_in_store[query],
            document_row=rows_in_store[query, document],
            place=place - 1,
            place_in_query=place_in_query - 1,
            disagreement=disagreement,
            labels_differ=labels_differ,
            kappa=of_queries.get(query),
            scores={judge: one for judge, one in zip(judges, of_judges, strict=True) if np.isfinite(one)},
        )
        for query, document, place, place_in_query, disagreement, labels_differ, of_judges in zip(
            *(frame[name].tolist() for name in columns), scores, strict=True
        )
    ]


def reviewed_queries(frame: pd.DataFrame) -> set[str]:
    """Disputed queries of which every disputed document has a vote."""
    voted = frame["votes_relevant"] + frame["votes_not_relevant"] > 0
    every = voted.groupby(frame["query_id"], sort=False).all()
    return set(every.index[every.to_numpy(dtype=bool)])


def undecided(frame: pd.DataFrame) -> pd.DataFrame:
    """Documents whose labels differ and that no majority of people has decided."""
    return frame[frame["labels_differ"].astype(bool) & frame["decision"].isna()]
