"""Table `disagreements`: queries with documents in dispute, the worst first, also as a CSV file."""

import dagster as dg
import numpy as np
import pandas as pd

from analysis.ties import differences
from assets.reliability.logic.disputes import reviewed_queries, undecided
from assets.reliability.logic.judge_pairs import Scored, current_scores
from assets.reliability.query_kappa import lowest_kappas
from resources.database.reliability.recalibrations import judged_again
from resources.runtime.partial_files import write_whole
from resources.study import Study
from resources.tables.reliability.agreement import DISAGREEMENTS

COLUMNS = [column.name for column in DISAGREEMENTS.columns]
EXPORTED = {"query_id": "id", "documents": "documents_in_dispute"}
EXPORT = [
    *("query_id", "query", "kappa", "avg_disagreement", "max_disagreement", "avg_judge1", "avg_judge2"),
    *("documents", "n_undecided", "reviewed", "held_out"),
]
TEXTS = ("query_id", "query", "documents", "reviewers_wrote")
# Written with 12 decimals: a mean would show the noise of its sum.
NUMBERS = ("kappa", "avg_disagreement", "max_disagreement", "avg_judge1", "avg_judge2")


@dg.asset(group_name="reliability_agreement", kinds={"csv"}, code_version="1")
def disagreements(
    context: dg.AssetExecutionContext,
    query_documents: pd.DataFrame,
    judgments: pd.DataFrame,
    query_kappa: pd.DataFrame,
    disputed_documents: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per disputed query; `outputs/disagreements.csv` has them for a spreadsheet."""
    scored = current_scores(judgments, query_documents, study.reliability).of_two()
    frame = disputed_queries(disputed_documents, scored, query_kappa, query_documents, held_out_of(study))
    path = study.home.outputs / "disagreements.csv"
    write_whole(path, exported(frame, study.reviews.words()))
    context.add_output_metadata({"n_disputed_queries": len(frame), "file": str(path)})
    return frame


def held_out_of(study: Study) -> frozenset[str]:
    """Queries kept back from the author of the next prompt; none before a recalibration."""
    again = judged_again(study.validations)
    return again.held_out if again else frozenset()


def disputed_queries(
    disputed: pd.DataFrame, scored: Scored, query_kappa: pd.DataFrame, texts: pd.DataFrame, held_out: frozenset[str]
) -> pd.DataFrame:
    """The rows of the table."""
    documents = scored.documents.assign(
        difference=differences(np.nanmax(scored.scores, axis=1), np.nanmin(scored.scores, axis=1)),
        avg_judge1=scored.scores[:, 0],
        avg_judge2=scored.scores[:, 1],
    )
    means = documents.groupby("query_id", sort=False).agg(
        avg_disagreement=("difference", "mean"),
        max_disagreement=("difference", "max"),
        avg_judge1=("avg_judge1", "mean"),
        avg_judge2=("avg_judge2", "mean"),
        prompt_version=("prompt_version", "first"),
    )
    in_dispute = disputed.groupby("query_id", sort=False)
    frame = in_dispute.agg(place=("place", "first"), documents=("doc_id", list)).reset_index()
    open_ones = undecided(disputed).groupby("query_id").size()
    reviewed = reviewed_queries(disputed)
    frame = frame.join(means, on="query_id")
    return frame.assign(
        query=frame["query_id"].map(texts.drop_duplicates("query_id").set_index("query_id")["query"]),
        kappa=frame["query_id"].map(lowest_kappas(query_kappa)),
        n_undecided=frame["query_id"].map(open_ones).fillna(0).astype("Int64"),
        reviewed=frame["query_id"].isin(reviewed),
        held_out=frame["query_id"].isin(held_out),
    )[COLUMNS]


def exported(frame: pd.DataFrame, words: pd.DataFrame) -> str:
    """The table as CSV with a byte-order mark, which spreadsheets need; formulas in texts are made harmless."""
    wrote = lines_by_query(words)
    shown = frame[EXPORT].assign(
        documents=[" ".join(documents) for documents in frame["documents"]],
        reviewers_wrote=[wrote.get(query, "") for query in frame["query_id"]],
    )
    shown = shown.assign(**{name: np.round(shown[name].to_numpy(np.float64, na_value=np.nan), 12) for name in NUMBERS})
    shown = shown.assign(**{name: shown[name].map(harmless) for name in TEXTS})
    return "\ufeff" + shown.rename(columns=EXPORTED).to_csv(index=False)


def lines_by_query(words: pd.DataFrame) -> dict[str, str]:
    """What reviewers wrote about each query, a line for each submission; no text makes a line of its own."""
    lines: dict[str, list[str]] = {}
    for row in words.to_dict("records"):
        skipped = not row["votes_relevant"] + row["votes_not_relevant"]
        parts = [row["reason"], None if pd.isna(row["note"]) else f"(note) {row['note']}"]
        said = " ".join(" ".join(str(part).split()) for part in parts if not pd.isna(part))
        how = " skipped" if skipped else "" if pd.isna(row["blind"]) or row["blind"] else " (saw the scores)"
        lines.setdefault(row["query_id"], []).append(f"{row['reviewer']}{how}: {said}")
    return {query: "\n".join(of_query) for query, of_query in lines.items()}


def harmless(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
