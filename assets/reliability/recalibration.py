"""Table `recalibration`: what judging queries of low kappa again under another prompt did to kappa."""

from typing import Any

import dagster as dg
import numpy as np
import pandas as pd

from analysis.agreement.kappa import counts_of_queries, relevant
from analysis.agreement.recalibration_effect import KappaChange, recalibration_effect
from assets.reliability.logic.judge_pairs import Scored, current_scores, scored_documents
from assets.reliability.logic.judged_again import judged_again_now
from assets.shared.intervals import bound_columns, interval_words
from assets.shared.partitions import metadata_value, readable
from resources.configuration.reliability import ReliabilityStudy
from resources.database.reliability.recalibrations import Recalibrated, judged_again
from resources.study import Study
from resources.tables.reliability.decision import RECALIBRATION

COLUMNS = [column.name for column in RECALIBRATION.columns]


@dg.asset(group_name="reliability_judging", kinds={"pandas"}, code_version="1")
def recalibration(
    context: dg.AssetExecutionContext,
    query_documents: pd.DataFrame,
    judgments: pd.DataFrame,
    kappa_validation: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """Two rows per part of the queries: macro and micro kappa before and after, at the current thresholds."""
    started = judged_again(study.validations)
    after = current_scores(judgments, query_documents, study.reliability)
    pair = deciding_pair(kappa_validation, after.judges)
    if started is None or pair is None:
        context.add_output_metadata({"n_queries": 0, "status": "no query was judged again"})
        return pd.DataFrame([], columns=COLUMNS)
    before = scored_documents(judgments, study.reliability, study.reliability.prompt_version, query_documents)
    thresholds = study.thresholds(after.judges)
    changes = changes_of(before, after, {judge: thresholds[judge] for judge in pair}, started, study.reliability)
    frame = pd.DataFrame([_row(change, started.prompt_version) for change in changes], columns=COLUMNS)
    again = judged_again_now(judgments, query_documents, started, study.reliability)
    context.add_output_metadata(readable(headline(frame) | {"n_counting": again.n_counting, "status": again.sentence}))
    return frame


def deciding_pair(history: pd.DataFrame, judges: tuple[str, ...]) -> tuple[str, str] | None:
    """The pair of judges that the latest validation is of; none where that is of other judges than these."""
    if history.empty:
        return None
    pair = (str(history["judge_1"].iloc[-1]), str(history["judge_2"].iloc[-1]))
    return pair if set(pair) <= set(judges) else None


def changes_of(
    before: Scored, after: Scored, thresholds: dict[str, float], started: Recalibrated, plan: ReliabilityStudy
) -> list[KappaChange]:
    """Kappa of each part before and after."""
    queries = after.query_ids.tolist()
    again = np.array([query in started.queries for query in queries])
    held_out = np.array([query in started.held_out for query in queries])
    parts = {"all": np.ones(len(queries), dtype=bool), "judged_again": again, "held_out": held_out, "untouched": ~again}
    sides = [_counts(scored, queries, thresholds) for scored in (before, after)]
    return recalibration_effect(
        sides[0],
        sides[1],
        {name: part for name, part in parts.items() if part.any()},
        resampling=plan.resampling,
    )


def _counts(scored: Scored, queries: list[str], thresholds: dict[str, float]) -> np.ndarray:
    """Documents by both labels, for the queries in the order given; zeros for a query that has none."""
    columns = [scored.judges.index(judge) for judge in thresholds]
    both = np.isfinite(scored.scores[:, columns]).all(axis=1)
    number = {query: place for place, query in enumerate(queries)}
    of_query = np.array([number.get(query, -1) for query in scored.query_ids], dtype=np.intp)
    index = of_query[scored.queries[both]]
    labels = [
        relevant(scored.scores[both, column], limit) for column, limit in zip(columns, thresholds.values(), strict=True)
    ]
    known = index >= 0
    return counts_of_queries(labels[0][known], labels[1][known], index[known], len(queries))


def _row(change: KappaChange, prompt_version: str) -> dict[str, Any]:
    fields = change._asdict()
    interval = fields.pop("interval")
    return fields | {
        **bound_columns("change", interval),
        "method": interval_words(interval) if interval else "none",
        "prompt_version": prompt_version,
    }


def headline(frame: pd.DataFrame) -> dict[str, Any]:
    """The macro's change over the queries that were judged again."""
    rows = frame[(frame["part"] == "judged_again") & (frame["statistic"] == "kappa_macro")]
    if rows.empty:
        return {}
    return {name: metadata_value(rows.iloc[0][name]) for name in ("before", "after", "change", "n_queries")}
