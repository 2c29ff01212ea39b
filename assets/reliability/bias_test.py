"""Table `bias_test`: whether one judge scores higher than the other."""

from typing import Any

import dagster as dg
import pandas as pd

from analysis.agreement.judge_bias import BiasTest, judge_bias
from analysis.significance.walsh import score_differences
from analysis.undefined import UndefinedStatistic
from assets.reliability.judgments import compared
from assets.reliability.logic.judge_pairs import Pair
from assets.shared.intervals import interval_words
from assets.shared.partitions import metadata_value
from reports.reliability.plots import difference_panels
from reports.shared.figure import figure_metadata
from resources.configuration.reliability import ReliabilityStudy
from resources.study import Study
from resources.tables.reliability.agreement import BIAS_TEST

COLUMNS = [column.name for column in BIAS_TEST.columns]
TESTS = ("query_medians", "pooled")


@dg.asset(group_name="reliability", kinds={"pandas"}, code_version="1")
def bias_test(
    context: dg.AssetExecutionContext,
    query_documents: pd.DataFrame,
    judgments: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """Two rows per pair of judges: the signed-rank test of queries' medians, which decides, and the pooled one."""
    pairs = compared(judgments, query_documents, study).pairs
    frame = pd.DataFrame([row for pair in pairs for row in bias_rows(pair, study.reliability)], columns=COLUMNS)
    apart = {(pair.judge_1, pair.judge_2): score_differences(pair.score_1, pair.score_2) for pair in pairs}
    plot = figure_metadata(difference_panels(apart, frame))
    context.add_output_metadata(headline(frame) | {"plot": plot})
    return frame


def bias_rows(pair: Pair, plan: ReliabilityStudy) -> list[dict[str, Any]]:
    """Both tests of one pair of judges."""
    known = {"judge_1": pair.judge_1, "judge_2": pair.judge_2}
    try:
        found = judge_bias(
            pair.score_1,
            pair.score_2,
            pair.queries,
            seed=plan.seed,
            resamples=plan.bootstrap_resamples,
            confidence=plan.confidence,
        )
    except UndefinedStatistic as undefined:
        nothing = {"method": "none", "interval_method": "none", "n": 0, "n_zero": 0, "undefined": undefined.reason}
        return [known | nothing | {"test": test} for test in TESTS]
    names = (pair.judge_1, pair.judge_2)
    return [known | _row(test, names) for test in (found.query_medians, found.pooled)]


def _row(test: BiasTest, names: tuple[str, str]) -> dict[str, Any]:
    fields = test._asdict()
    interval, higher = fields.pop("interval"), fields.pop("higher")
    return fields | {
        "higher_judge": None if higher is None else names[higher - 1],
        "shift_low": interval.low,
        "shift_high": interval.high,
        "interval_method": interval_words(interval),
    }


def biased_pairs(frame: pd.DataFrame) -> set[tuple[str, str]]:
    """Pairs of judges of which one scores higher, by the test that decides."""
    called = frame[frame["biased"].fillna(False).astype(bool)]
    return set(zip(called["judge_1"], called["judge_2"], strict=True))


def headline(frame: pd.DataFrame) -> dict[str, Any]:
    """The first pair's shift and p."""
    decides = frame[frame["test"] == "query_medians"]
    if decides.empty:
        return {}
    first = decides.iloc[0]
    return {name: metadata_value(first[name]) for name in ("p", "shift", "n")} | {
        "n_biased_pairs": len(biased_pairs(frame))
    }
