"""Table `ground_truth`: the documents that count as relevant to each query, once the judges may be trusted."""

from typing import Any

import dagster as dg
import numpy as np
import pandas as pd

from analysis.consensus import Consensus, consensus
from analysis.gates import Gate
from assets.checks import require
from assets.judge_pairs import Scored, scored_documents
from assets.reliability.kappa_validation import PASSED, RESOLVED
from assets.reliability.query_kappa import lowest_kappas
from resources.reliability.records import GroundTruthRecord
from resources.study import Study

ALLOWED = (PASSED, RESOLVED)


@dg.asset(group_name="reliability", kinds={"database"}, code_version="1")
def ground_truth(
    context: dg.AssetExecutionContext,
    kappa_validation: pd.DataFrame,
    judgments: pd.DataFrame,
    query_kappa: pd.DataFrame,
    disputed_documents: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per resolved query, in the database too; refused unless the latest validation allows it."""
    require(allowed_gate(kappa_validation))
    scored = scored_documents(judgments, study.reliability).of_all()
    records, n_unresolved = consensus_of(
        scored,
        study.thresholds(scored.judges),
        study.reviews.decisions(),
        lowest_kappas(query_kappa),
        int(kappa_validation["id"].iloc[-1]),
    )
    study.validations.write_ground_truth(records)
    context.add_output_metadata(
        {
            "n_queries": len(records),
            "n_unresolved": n_unresolved,
            "n_by_people": sum(record.human_override for record in records),
            "status": str(kappa_validation["status"].iloc[-1]),
        }
    )
    return study.validations.ground_truth_rows()


def allowed_gate(history: pd.DataFrame) -> Gate:
    """Whether the latest validation lets ground truth be written."""
    name, needed = "validation_allows_it", " or ".join(ALLOWED)
    if history.empty:
        return Gate(name, False, None, needed, "There is no validation yet, so there is no ground truth to write.", 0)
    status = str(history["status"].iloc[-1])
    sentence = f"The latest validation is {status}; needed: {needed}. `touchstone reliability status` says what is due."
    return Gate(name, status in ALLOWED, None, needed, sentence, int(history["total_queries"].iloc[-1]))


def consensus_of(
    scored: Scored, thresholds: dict[str, float], decisions: pd.DataFrame, kappas: pd.Series, validation: int
) -> tuple[list[GroundTruthRecord], int]:
    """The queries in which every document has a label, and how many do not.

    Args:
        scored: Documents that every judge has scored.
        thresholds: Of each judge.
        decisions: What people said of documents (`ReviewStore.decisions`).
        kappas: Of each query.
        validation: Number of the validation that allows it.
    """
    keys = ["query_id", "doc_id"]
    votes = scored.documents[keys].merge(decisions, how="left", on=keys)
    yes, no = (votes[name].fillna(0).to_numpy(dtype=np.int64) for name in ("votes_relevant", "votes_not_relevant"))
    found = consensus(scored.labels(thresholds), yes, no, scored.queries, len(scored.query_ids))
    of_query = _rows_of(scored.queries, len(scored.query_ids))
    return [
        _record(scored, found, votes, kappas, of_query[number], str(query), validation)
        for number, query in enumerate(scored.query_ids)
        if found.query_resolved[number]
    ], int((~found.query_resolved).sum())


def _rows_of(queries: np.ndarray, n_queries: int) -> list[np.ndarray]:
    """The documents' rows of each query."""
    order = np.argsort(queries, kind="stable")
    return np.split(order, np.searchsorted(queries[order], np.arange(1, n_queries)))


def _record(
    scored: Scored,
    found: Consensus,
    votes: pd.DataFrame,
    kappas: pd.Series,
    rows: np.ndarray,
    query: str,
    validation: int,
) -> GroundTruthRecord:
    documents = scored.documents["doc_id"].to_numpy()[rows]
    by_people = found.by_people[rows]
    decided = votes.iloc[rows[by_people]].sort_values("decided_at", kind="stable")
    last: dict[str, Any] = decided.iloc[-1].to_dict() if len(decided) else {}
    reasons = decided["reason"].dropna()
    kappa = kappas.get(query)
    return GroundTruthRecord(
        query_id=query,
        expected_docs=tuple(str(one) for one in documents[found.relevant[rows]]),
        scores={judge: scored.scores[rows, column].tolist() for column, judge in enumerate(scored.judges)},
        n_documents=len(rows),
        n_by_people=int(by_people.sum()),
        kappa=None if kappa is None or pd.isna(kappa) else float(kappa),
        human_override=bool(by_people.any()),
        override_reason=str(reasons.iloc[-1]) if len(reasons) else None,
        reviewer=last.get("reviewer"),
        decided_at=last["decided_at"].to_pydatetime() if last else None,
        prompt_version=str(scored.documents["prompt_version"].to_numpy()[rows[0]]),
        validation=validation,
    )
