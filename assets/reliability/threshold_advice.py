"""Table `threshold_advice`: whether another threshold for the judge that scores higher would raise kappa."""

import dagster as dg
import pandas as pd

from analysis.agreement.threshold_advice import threshold_advice as advice_of
from analysis.undefined import UndefinedStatistic
from assets.reliability.judgments import compared
from assets.reliability.logic.judge_pairs import Pair
from resources.study import Study
from resources.tables.reliability.agreement import THRESHOLD_ADVICE

COLUMNS = [column.name for column in THRESHOLD_ADVICE.columns]


@dg.asset(group_name="reliability", kinds={"pandas"}, code_version="1")
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
    context.add_output_metadata(numbers | {f"{row.judge_1}, {row.judge_2}": row.advice for row in frame.itertuples()})
    return frame


def advice_row(pair: Pair, thresholds: dict[str, float], seed: int) -> dict[str, object]:
    """The advice on one pair of judges.

    Args:
        pair: Two judges on the documents that both scored.
        thresholds: The current ones.
        seed: Of the halves of the queries.
    """
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
