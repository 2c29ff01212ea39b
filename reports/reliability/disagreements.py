"""The worst disagreements: each query with its documents side by side, what the judges score and people say."""

from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from analysis.agreement.contingency import CONTINGENCY
from analysis.agreement.kappa import relevant
from reports.reliability.contents import Contents, say
from reports.shared.numbers import number, percent, whole
from reports.shared.table_view import records
from reports.shared.text import Part, Text, same

MOST_QUERIES: Final = 6
MOST_DOCUMENTS: Final = 4
MOST_SIGNS: Final = 600
MOST_SIGNS_OF_QUERY: Final = 300


@dataclass(frozen=True)
class Score:
    """What one judge says of a document; shares of the scale in percent, as a bar is drawn."""

    judge: str
    value: Text
    filled_percent: str
    threshold_percent: str
    relevant: bool


@dataclass(frozen=True)
class DisputedOne:
    """One document in dispute."""

    doc_id: str
    text: Part
    scores: list[Score]
    people: Text
    labels_differ: bool


@dataclass(frozen=True)
class DisputedQuery:
    """One query with its disputed documents; `hidden` where its texts are kept back from this reader."""

    place: int
    query_id: str
    query: Part
    about: Text
    documents: list[DisputedOne]
    more: Text | None
    hidden: bool


def said_of_disagreements(contents: Contents) -> list[Text]:
    """How many there are, what makes a dispute, and how far people have come."""
    queries, documents = contents.tables["disagreements"], contents.tables["disputed_documents"]
    if queries.empty:
        return [say("disagreements.none")]
    facts = contents.standing.facts
    counts = {"high": whole(int(documents["is_high"].sum())), "labels": whole(int(documents["labels_differ"].sum()))}
    said = [
        say(
            "disagreements.said",
            n=whole(len(queries)),
            documents=whole(len(documents)),
            limit=number(contents.plan.review.high_disagreement, 1),
            **counts,
        ),
        say(
            "disagreements.asked_for" if facts.status == CONTINGENCY else "disagreements.reviewed",
            n=whole(facts.n_reviewed),
            total=whole(facts.n_disputed),
            needed=whole(facts.quota),
            left=whole(facts.n_undecided),
        ),
    ]
    cast = contents.blindness
    if cast.total:
        counts = {"seen": whole(cast.seen), "unknown": whole(cast.unknown), "total": whole(cast.total)}
        said.append(
            say("disagreements.cast_blind", n=whole(cast.blind), share=percent(cast.blind / cast.total), **counts)
        )
    if has_blind_readers(contents):
        said.append(say("disagreements.blind"))
    return said


def has_blind_readers(contents: Contents) -> bool:
    """Whether somebody may still have to vote, who should not see what judges and colleagues say."""
    facts = contents.standing.facts
    return contents.plan.review.blind and (facts.n_reviewed < facts.n_disputed or facts.n_undecided > 0)


def worst_queries(contents: Contents) -> list[DisputedQuery]:
    """The queries with the highest disagreement."""
    worst = contents.tables["disagreements"].nsmallest(MOST_QUERIES, "place")
    chosen = contents.tables["disputed_documents"]
    chosen = chosen[chosen["query_id"].isin(worst["query_id"])].sort_values(["place", "place_in_query"])
    texts = _of(contents.tables["query_documents"], worst).set_index(["query_id", "doc_id"])["document"].to_dict()
    judgments = _of(contents.tables["judgments"], worst)
    counted = judgments[judgments["counts"].astype(bool)]
    scores = counted.set_index(["query_id", "doc_id", "judge"])["score"].to_dict()
    documents: dict[str, list[dict[str, Any]]] = {}
    for row in records(chosen):
        documents.setdefault(str(row["query_id"]), []).append(row)
    return [_query(contents, row, documents.get(str(row["query_id"]), []), texts, scores) for row in records(worst)]


def _query(
    contents: Contents, row: dict[str, Any], documents: list[dict[str, Any]], texts: Any, scores: Any
) -> DisputedQuery:
    hidden, query = bool(row["held_out"]), str(row["query_id"])
    more = len(documents) - MOST_DOCUMENTS
    return DisputedQuery(
        int(row["place"]),
        query,
        say("disagreements.held_out") if hidden else shortened(str(row["query"]), MOST_SIGNS_OF_QUERY),
        say(
            "disagreements.about",
            query=query,
            kappa=_kappa(contents, query, row["kappa"]),
            largest=number(row["max_disagreement"]),
            prompt=str(row["prompt_version"]),
        ),
        [
            _document(contents, one, None if hidden else texts.get((query, one["doc_id"])), scores, hidden=hidden)
            for one in documents[:MOST_DOCUMENTS]
        ],
        say("disagreements.more", n=whole(more)) if more > 0 else None,
        hidden,
    )


def _kappa(contents: Contents, query: str, kappa: float | None) -> Text:
    """The query's kappa; of several pairs of judges the lowest, with the pair that it is of."""
    shown = same("0/0") if kappa is None else number(kappa)
    if kappa is None or len(contents.pairs) < 2:
        return shown
    rows = contents.tables["query_kappa"]
    of_query = rows[rows["query_id"] == query].nsmallest(1, "kappa").iloc[0]
    pair = (str(of_query["judge_1"]), str(of_query["judge_2"]))
    return say("disagreements.lowest", kappa=shown, judges=contents.named(pair))


def _document(contents: Contents, row: dict[str, Any], text: Any, scores: Any, *, hidden: bool) -> DisputedOne:
    shown: Part = say("disagreements.text_hidden") if hidden else say("disagreements.no_text")
    if isinstance(text, str):
        shown = shortened(text, MOST_SIGNS)
    found = []
    for judge, threshold in contents.thresholds.items():
        score = scores.get((row["query_id"], row["doc_id"], judge))
        if score is None or pd.isna(score):
            continue
        bar = (f"{100 * float(score):.1f}", f"{100 * threshold:.1f}")
        found.append(Score(judge, number(score), *bar, bool(relevant(float(score), threshold))))
    return DisputedOne(str(row["doc_id"]), shown, found, _people(row), bool(row["labels_differ"]))


def _people(row: dict[str, Any]) -> Text:
    """What people decided, with the votes."""
    yes, no = row["votes_relevant"], row["votes_not_relevant"]
    if not yes + no:
        return say("people.no_vote")
    decision = "tie" if row["decision"] is None else "relevant" if row["decision"] else "not_relevant"
    return say(f"people.{decision}", yes=whole(yes), no=whole(no))


def shortened(text: str, most: int) -> str:
    """The text's beginning, with a mark where there is more."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "\u2026"


def _of(frame: pd.DataFrame, queries: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["query_id"].isin(queries["query_id"])]
