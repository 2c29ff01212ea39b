"""Table `threshold_advice`: whether another threshold for the judge that scores higher would raise kappa."""

import dagster as dg
import pandas as pd

from assets.reliability.judgments import compared
from assets.reliability.logic.judge_bias import advice_row
from assets.shared.partitions import readable
from resources.study import Study
from resources.tables.reliability.agreement import THRESHOLD_ADVICE

COLUMNS = [column.name for column in THRESHOLD_ADVICE.columns]


@dg.asset(group_name="reliability_people", kinds={"pandas"}, code_version="1")
def threshold_advice(
    context: dg.AssetExecutionContext,
    query_documents: pd.DataFrame,
    judgments: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per pair of judges, in words too; nothing is changed before a person accepts it."""
    _, thresholds, pairs = compared(judgments, query_documents, study)
    frame = pd.DataFrame([advice_row(pair, thresholds, study.reliability.seed) for pair in pairs], columns=COLUMNS)
    numbers = {"n_pairs": len(frame), "n_advised": int(frame["threshold_advised"].notna().sum())}
    context.add_output_metadata(
        readable(numbers | {f"{row.judge_1}, {row.judge_2}": row.advice for row in frame.itertuples()})
    )
    return frame
