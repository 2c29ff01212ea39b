"""Table `judges_against_reviewers`: which way each judge errs on documents that people decided."""

import dagster as dg
import numpy as np
import pandas as pd

from analysis.agreement.kappa_intervals import of_sums
from analysis.messages import none_because
from assets.reliability.logic.judge_pairs import KEY, current_scores
from assets.shared.intervals import bound_columns, interval_words
from assets.shared.partitions import metadata_value
from resources.configuration.reliability import ReliabilityStudy
from resources.study import Study
from resources.tables.reliability.decision import JUDGES_AGAINST_REVIEWERS

COLUMNS = [column.name for column in JUDGES_AGAINST_REVIEWERS.columns]


@dg.asset(group_name="reliability_people", kinds={"pandas"}, code_version="1")
def judges_against_reviewers(
    context: dg.AssetExecutionContext,
    query_documents: pd.DataFrame,
    judgments: pd.DataFrame,
    disputed_documents: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per judge; the documents were chosen because judges differ, so these are no error rates."""
    scored = current_scores(judgments, query_documents, study.reliability)
    decided = disputed_documents.dropna(subset=["decision"])
    numbered = scored.documents[KEY].assign(row=np.arange(len(scored.scores)))
    rows = decided[KEY].merge(numbered, on=KEY, validate="one_to_one")["row"].to_numpy(dtype=np.intp)
    labels = scored.labels(study.thresholds(scored.judges))
    people = decided["decision"].to_numpy(dtype=bool)
    queries, there = scored.queries[rows], np.isfinite(scored.scores[rows])
    frame = pd.DataFrame(
        [
            judge_row(judge, labels[rows[given], column], people[given], queries[given], study.reliability)
            for judge, column, given in zip(scored.judges, range(len(scored.judges)), there.T, strict=True)
        ],
        columns=COLUMNS,
    )
    bias = {f"bias_{place}": metadata_value(value) for place, value in enumerate(frame["bias"], start=1)}
    context.add_output_metadata({"n_decided": len(decided), "judges": ", ".join(scored.judges), **bias})
    return frame


def judge_row(
    judge: str, labels: np.ndarray, people: np.ndarray, queries: np.ndarray, plan: ReliabilityStudy
) -> dict[str, object]:
    """One judge against people.

    Args:
        judge: Its name.
        labels: Shape ``(n,)``, what it says of the decided documents.
        people: Shape ``(n,)``, what people say of them.
        queries: Shape ``(n,)``, the number of each document's query.
        plan: The study.
    """
    too_high, too_low = labels & ~people, ~labels & people
    known: dict[str, object] = {
        "judge": judge,
        "n_documents": len(labels),
        "n_queries": int(np.unique(queries).size),
        "too_high": int(too_high.sum()),
        "too_low": int(too_low.sum()),
    }
    if not len(labels):
        return known | {"method": none_because("people decided no document")}
    _, index = np.unique(queries, return_inverse=True)
    per_query = np.column_stack([np.bincount(index, too_high.astype(float) - too_low), np.bincount(index)]).astype(
        float
    )
    values, [interval] = of_sums(
        per_query,
        lambda sums: sums[..., :1] / sums[..., 1:],
        ("mean",),
        per_query[:, 1],
        resampling=plan.resampling,
    )
    return known | {
        "bias": float(values[0]),
        **bound_columns("bias", interval),
        "method": interval_words(interval),
    }
