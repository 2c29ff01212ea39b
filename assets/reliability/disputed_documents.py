"""Table `disputed_documents`: documents about which the judges differ, with what people said of them."""

from typing import Any

import dagster as dg
import pandas as pd

from assets.reliability.logic.disputes import disputes, reviewed_queries, rows_for_review, undecided, with_votes
from assets.reliability.logic.judge_pairs import current_scores
from assets.reliability.query_kappa import lowest_kappas
from assets.shared.partitions import metadata_value, readable
from resources.study import Study
from resources.tables.reliability.agreement import DISPUTED_DOCUMENTS

COLUMNS = [column.name for column in DISPUTED_DOCUMENTS.columns]


@dg.asset(group_name="reliability_people", kinds={"pandas"}, code_version="1")
def disputed_documents(
    context: dg.AssetExecutionContext,
    query_documents: pd.DataFrame,
    judgments: pd.DataFrame,
    query_kappa: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per document far apart or with labels that differ; the review app offers them in this order."""
    scored = current_scores(judgments, query_documents, study.reliability).of_two()
    thresholds = study.thresholds(scored.judges)
    kappas = lowest_kappas(query_kappa)
    frame = with_votes(disputes(scored, thresholds, kappas, study.reliability), study)
    study.reviews.replace_disputes(rows_for_review(frame, scored, kappas, study))
    context.add_output_metadata(readable(headline(frame)))
    return frame[COLUMNS]


def headline(frame: pd.DataFrame) -> dict[str, Any]:
    """How many documents and queries are in dispute, and how far people have come."""
    numbers = {
        "n_disputed_documents": len(frame),
        "n_disputed_queries": frame["query_id"].nunique(),
        "n_labels_differ": int(frame["labels_differ"].sum()),
        "n_reviewed_queries": len(reviewed_queries(frame)),
        "n_undecided_documents": len(undecided(frame)),
    }
    return {name: metadata_value(value) for name, value in numbers.items()}
