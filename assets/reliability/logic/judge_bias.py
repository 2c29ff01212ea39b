"""Whether one judge scores higher than the other, and which threshold would then help."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.agreement.coefficients import bins_of
from analysis.agreement.judge_bias import ASSUMES_INDEPENDENCE, BiasTest, judge_bias
from analysis.agreement.threshold_advice import threshold_advice as advice_of
from analysis.messages import message
from analysis.significance.marginal_homogeneity import bhapkar
from analysis.undefined import UndefinedStatistic
from assets.reliability.logic.judge_pairs import Pair
from assets.shared.intervals import bound_columns, interval_words
from resources.configuration.reliability import ReliabilityStudy

TESTS = ("query_medians", "pooled", "bins")


def bias_rows(pair: Pair, plan: ReliabilityStudy) -> list[dict[str, Any]]:
    """Both tests of one pair of judges, and whether they use the bins of scores equally often."""
    known = {"judge_1": pair.judge_1, "judge_2": pair.judge_2}
    try:
        found = judge_bias(
            pair.score_1,
            pair.score_2,
            pair.queries,
            resampling=replace(plan.resampling, resamples=plan.bootstrap_resamples),
        )
    except UndefinedStatistic as undefined:
        nothing = {"method": "none", "interval_method": "none", "n": 0, "n_zero": 0, "undefined": undefined.reason}
        return [known | nothing | {"test": test} for test in TESTS]
    names = (pair.judge_1, pair.judge_2)
    rows = [known | _row(test, names) for test in (found.query_medians, found.pooled)]
    return [*rows, known | _bins_row(pair, plan.anchors)]


def _bins_row(pair: Pair, anchors: tuple[float, ...]) -> dict[str, Any]:
    """Bhapkar's test on the bins that the judges' scores lie in: shares can differ where no judge scores higher."""
    k = len(anchors)
    cells = bins_of(pair.score_1, anchors) * k + bins_of(pair.score_2, anchors)
    table = np.bincount(cells, minlength=k**2).reshape(k, k)
    known = {"test": "bins", "interval_method": "none", "n": len(cells), "n_zero": int(np.trace(table))}
    try:
        found = bhapkar(table)
    except UndefinedStatistic as undefined:
        return known | {"method": "none", "undefined": undefined.reason}
    method = message("Bhapkar, {df} df, {assumes}", df=found.df, assumes=ASSUMES_INDEPENDENCE)
    return known | {"method": method, "p": found.p, "statistic": found.statistic}


def _row(test: BiasTest, names: tuple[str, str]) -> dict[str, Any]:
    fields = test._asdict()
    interval, higher = fields.pop("interval"), fields.pop("higher")
    return fields | {
        "higher_judge": None if higher is None else names[higher - 1],
        **bound_columns("shift", interval),
        "interval_method": interval_words(interval),
    }


def biased_pairs(frame: pd.DataFrame) -> set[tuple[str, str]]:
    """Pairs of judges of which one scores higher, by the test that decides."""
    called = frame[frame["biased"].fillna(False).astype(bool)]
    return set(zip(called["judge_1"], called["judge_2"], strict=True))


def advice_row(pair: Pair, thresholds: dict[str, float], seed: int) -> dict[str, object]:
    """The advice on one pair of judges."""
    names = (pair.judge_1, pair.judge_2)
    known: dict[str, object] = {"judge_1": pair.judge_1, "judge_2": pair.judge_2}
    try:
        found = advice_of(
            pair.score_1,
            pair.score_2,
            pair.queries,
            thresholds=(thresholds[pair.judge_1], thresholds[pair.judge_2]),
            names=names,
            seed=seed,
        )
    except UndefinedStatistic as undefined:
        return known | {"n_queries": 0, "advice": f"no advice: {undefined.reason}"}
    fields = found._asdict()
    return known | fields | {"higher_judge": None if found.higher is None else names[found.higher - 1]}


def helpful(frame: pd.DataFrame) -> dict[str, float]:
    """Thresholds that are advised, by judge; of several pairs' advice on one judge the highest."""
    advised = frame.dropna(subset=["threshold_advised"])
    return {str(judge): float(rows["threshold_advised"].max()) for judge, rows in advised.groupby("higher_judge")}
