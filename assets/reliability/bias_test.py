"""Table `bias_test`: whether one judge scores higher than the other."""

from typing import Any

import dagster as dg
import pandas as pd

from analysis.significance.walsh import score_differences
from assets.reliability.judgments import compared
from assets.reliability.logic.judge_bias import bias_rows, biased_pairs
from assets.shared.partitions import metadata_value, readable
from reports.reliability.plots import difference_panels
from reports.shared.figure import figure_metadata
from resources.study import Study
from resources.tables.reliability.agreement import BIAS_TEST

COLUMNS = [column.name for column in BIAS_TEST.columns]


@dg.asset(group_name="reliability_agreement", kinds={"pandas"}, code_version="2")
def bias_test(
    context: dg.AssetExecutionContext,
    query_documents: pd.DataFrame,
    judgments: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """Per pair of judges the signed-rank test of queries' medians, which decides, the pooled one, and one of bins."""
    pairs = compared(judgments, query_documents, study).pairs
    frame = pd.DataFrame([row for pair in pairs for row in bias_rows(pair, study.reliability)], columns=COLUMNS)
    apart = {(pair.judge_1, pair.judge_2): score_differences(pair.score_1, pair.score_2) for pair in pairs}
    plot = figure_metadata(difference_panels(apart, frame))
    context.add_output_metadata(readable(headline(frame) | {"plot": plot}))
    return frame


def headline(frame: pd.DataFrame) -> dict[str, Any]:
    """The first pair's shift and p."""
    decides = frame[frame["test"] == "query_medians"]
    if decides.empty:
        return {}
    first = decides.iloc[0]
    return {name: metadata_value(first[name]) for name in ("p", "shift", "n")} | {
        "n_biased_pairs": len(biased_pairs(frame))
    }
