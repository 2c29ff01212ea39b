"""Table `ground_truth`: the documents that count as relevant to each query, once the judges may be trusted."""

import json
from collections import Counter
from typing import Any

import dagster as dg
import numpy as np
import pandas as pd

from analysis.agreement.consensus import NO_DOCUMENT, consensus
from analysis.agreement.kappa import kappa_summary
from analysis.gates import Gate
from analysis.ties import compare
from assets.reliability.judgments import sound_scores
from assets.reliability.logic.judge_pairs import KEY, Scored, Thresholds, pairs_of_judges, scored_documents
from assets.reliability.query_kappa import lowest_kappas
from assets.shared.checks import require
from resources.database.reliability.records import ALLOWS_GROUND_TRUTH, GroundTruthRecord
from resources.study import Study

# Why a query has no row, next to what `consensus` says: not in the input now, or settled after it was written.
GONE, SINCE = "gone", "since"


@dg.asset(group_name="reliability_people", kinds={"database"}, code_version="1")
def ground_truth(
    context: dg.AssetExecutionContext,
    query_documents: pd.DataFrame,
    kappa_validation: pd.DataFrame,
    judgments: pd.DataFrame,
    query_kappa: pd.DataFrame,
    disputed_documents: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per resolved query, in the database too; refused unless the latest validation allows it."""
    require(allowed_gate(kappa_validation))
    scored = sound_scores(judgments, query_documents, study.reliability)
    thresholds = study.thresholds(scored.judges)
    require(current_gate(kappa_validation, scored, thresholds))
    records, unresolved = consensus_of(
        scored,
        thresholds,
        study.reviews.decisions(),
        lowest_kappas(query_kappa),
        int(kappa_validation["id"].iloc[-1]),
    )
    study.validations.write_ground_truth(records)
    context.add_output_metadata(
        {
            "n_queries": len(records),
            "n_unresolved": len(unresolved),
            **{f"n_{why}": count for why, count in Counter(unresolved.values()).items()},
            "n_by_people": sum(record.human_override for record in records),
            "status": str(kappa_validation["status"].iloc[-1]),
        }
    )
    return study.validations.ground_truth_rows()


def allowed_gate(history: pd.DataFrame) -> Gate:
    """Whether the latest validation lets ground truth be written."""
    name, needed = "validation_allows_it", " or ".join(ALLOWS_GROUND_TRUTH)
    if history.empty:
        return Gate(name, False, None, needed, "There is no validation yet, so there is no ground truth to write.", 0)
    status = str(history["status"].iloc[-1])
    sentence = f"The latest validation is {status}; needed: {needed}. `touchstone reliability status` says what is due."
    return Gate(name, status in ALLOWS_GROUND_TRUTH, None, needed, sentence, int(history["total_queries"].iloc[-1]))


def current_gate(history: pd.DataFrame, scored: Scored, thresholds: Thresholds) -> Gate:
    """Whether the latest validation is of these scores at these thresholds: a run without a verdict leaves no row."""
    last = history.iloc[-1]
    seen: list[float | None] = []
    for pair in pairs_of_judges(scored, thresholds):
        if (pair.judge_1, pair.judge_2) == (last["judge_1"], last["judge_2"]) and len(pair.queries):
            found = kappa_summary(pair.counts)
            seen = [found.macro, found.macro_defined, found.micro, found.n_documents]
    then = [last[name] for name in ("kappa_macro", "kappa_macro_defined", "kappa_micro", "n_documents")]
    recorded: Thresholds = json.loads(last["thresholds"])
    same = len(seen) == len(then) and all(map(_alike, seen, then)) and recorded.keys() == thresholds.keys()
    same = same and all(_alike(recorded[judge], limit) for judge, limit in thresholds.items())
    others = "Scores or thresholds are others than those of the latest validation. Run `touchstone run reliability`."
    gate = Gate("validation_is_of_these_scores", same, None, "the same", others, int(last["n_documents"]))
    return gate.passing_as("The latest validation is of these scores and thresholds.")


def _alike(one: Any, other: Any) -> bool:
    """Both missing, or equal but for the last digits of arithmetic."""
    missing = [value is None or pd.isna(value) for value in (one, other)]
    return all(missing) or (not any(missing) and bool(compare(one, other) == 0))


def consensus_of(
    scored: Scored, thresholds: Thresholds, decisions: pd.DataFrame, kappas: pd.Series, validation: int
) -> tuple[list[GroundTruthRecord], dict[str, str]]:
    """The queries in which every document has a label, and of the others why not (`analysis.agreement.consensus`).

    A document without a score of every judge has people's label alone. Where they gave none it is left out, unless the
    judges that scored it differ: then its query is unresolved.
    """
    votes = scored.documents[KEY].merge(decisions, how="left", on=KEY)
    yes, no = (votes[name].fillna(0).to_numpy(dtype=np.int64) for name in ("votes_relevant", "votes_not_relevant"))
    counting = scored.complete | scored.labels_differ(thresholds) | (scored.of_several & (yes != no))
    scored, votes = scored.only(counting), votes[counting].reset_index(drop=True)
    labels, complete = scored.labels(thresholds), scored.complete
    found = consensus(labels, yes[counting], no[counting], scored.queries, len(scored.query_ids), complete)
    of_query = _rows_of(scored.queries, len(scored.query_ids))
    of_queries = kappas.dropna().to_dict()
    names, versions = (scored.documents[name].to_numpy(dtype=object) for name in ("doc_id", "prompt_version"))
    records = []
    for number in np.flatnonzero(found.query_resolved):
        rows = of_query[number]
        by_people = rows[found.by_people[rows]]
        records.append(
            GroundTruthRecord(
                query_id=scored.query_ids[number],
                expected_docs=tuple(names[rows[found.relevant[rows]]]),
                scores={judge: _known(scored.scores[rows, column]) for column, judge in enumerate(scored.judges)},
                n_documents=len(rows),
                n_by_people=len(by_people),
                kappa=of_queries.get(scored.query_ids[number]),
                human_override=len(by_people) > 0,
                **_last_vote(votes.iloc[by_people] if len(by_people) else None),
                prompt_version=versions[rows[0]],
                validation=validation,
            )
        )
    unresolved = np.flatnonzero(~found.query_resolved)
    return records, {str(scored.query_ids[number]): str(found.why_not[number]) for number in unresolved}


def why_left_out(study: Study, judgments: pd.DataFrame, query_documents: pd.DataFrame) -> dict[str, str]:
    """Why queries of the study have no row of ground truth now: as `consensus` says, or `GONE` or `SINCE`."""
    without = study.queries.query_rows().keys() - set(study.validations.ground_truth_rows()["query_id"])
    scored = scored_documents(judgments, study.reliability, documents=query_documents)
    there = {str(query) for query in scored.query_ids}
    unresolved = dict.fromkeys(there, NO_DOCUMENT)
    if len(scored.judges) > 1:
        thresholds = study.thresholds(scored.judges)
        unresolved = consensus_of(scored, thresholds, study.reviews.decisions(), pd.Series(dtype="float64"), 0)[1]
    return {query: unresolved.get(query, SINCE if query in there else GONE) for query in sorted(without)}


def _known(scores: np.ndarray) -> list[float | None]:
    return [float(score) if np.isfinite(score) else None for score in scores]


def _rows_of(queries: np.ndarray, n_queries: int) -> list[np.ndarray]:
    """The documents' rows of each query."""
    order = np.argsort(queries, kind="stable")
    return np.split(order, np.searchsorted(queries[order], np.arange(1, n_queries)))


def _last_vote(decided: pd.DataFrame | None) -> dict[str, Any]:
    """Who decided last of these documents and when, and the last reason that anyone gave."""
    if decided is None:
        return {"override_reason": None, "reviewer": None, "decided_at": None}
    in_order = decided.sort_values("decided_at", kind="stable")
    return {
        "override_reason": next(iter(in_order["reason"].dropna()[::-1]), None),
        "reviewer": in_order["reviewer"].iloc[-1],
        "decided_at": in_order["decided_at"].iloc[-1].to_pydatetime(),
    }
