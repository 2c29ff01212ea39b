"""The CSV files of the benchmark's folder, column for column as existing analysis notebooks read them."""

from collections.abc import Hashable, Mapping
from typing import Any, Final

import pandas as pd

from resources.tables.pairwise_rows import available

METHODS_SUMMARY: Final = (
    *("method", "avg_top1_accuracy", "avg_top2_accuracy", "avg_mrr"),
    *("avg_time_ms", "datasets_tested"),
)
DETAILED_RESULTS: Final = (
    *("dataset", "method", "top1_accuracy", "top2_accuracy", "mrr"),
    *("avg_time_ms", "throughput"),
)
RANKING: Final = ("method", "accuracy", "avg_time_ms", "efficiency")
CONFUSION: Final = ("truth", "1", "2", "tie")
PER_PAIR: Final = (
    *("pair_idx", "series_id", "compareID1", "compareID2", "compareFile1", "compareFile2"),
    *("ground_truth_winner", "predicted_winner", "score_image1", "score_image2"),
    *("correct", "agreement", "num_reviewers"),
)
# The form asks for them; a pair has no second place.
NOT_MEASURED: Final = 0.0
DATASETS_TESTED: Final = 1


def methods_summary(metrics: pd.DataFrame) -> pd.DataFrame:
    """`methods_summary.csv`."""
    rows = available(metrics)
    frame = rows.assign(
        avg_top1_accuracy=rows["accuracy"],
        avg_top2_accuracy=NOT_MEASURED,
        avg_mrr=NOT_MEASURED,
        datasets_tested=DATASETS_TESTED,
    )
    return frame[list(METHODS_SUMMARY)]


def detailed_results(metrics: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """`detailed_results.csv`."""
    rows = available(metrics)
    frame = rows.assign(dataset=dataset, top1_accuracy=rows["accuracy"], top2_accuracy=NOT_MEASURED, mrr=NOT_MEASURED)
    return frame[list(DETAILED_RESULTS)]


def rankings(metrics: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The three rankings by file name: accuracy down, time up, efficiency down."""
    rows = available(metrics)
    rows = rows.assign(efficiency=rows["accuracy"] / (rows["avg_time_ms"] + 1.0))[list(RANKING)]
    return {
        "accuracy_ranking.csv": rows,
        "speed_ranking.csv": rows.sort_values(["avg_time_ms", "method"], ignore_index=True),
        "efficiency_ranking.csv": rows.sort_values(
            ["efficiency", "method"], ascending=[False, True], ignore_index=True
        ),
    }


def confusion(row: Mapping[Hashable, Any]) -> pd.DataFrame:
    """`confusion_matrix.csv` of a method: a row per true winner, a column per predicted one.

    Args:
        row: Its row of `method_metrics`; counts that are null, where nothing is predicted, are 0.
    """
    counts = [
        [0 if pd.isna(count := row[f"truth_{truth}_predicted_{said}"]) else int(count) for said in CONFUSION[1:]]
        for truth in (1, 2)
    ]
    return pd.DataFrame([[truth, *cells] for truth, cells in enumerate(counts, start=1)], columns=list(CONFUSION))


def per_pair(results: pd.DataFrame, photo_pairs: pd.DataFrame) -> pd.DataFrame:
    """`per_pair_results.csv` of a method: pairs with a prediction, in the order of the pairs.

    Args:
        results: Its rows of `pairwise_results`.
        photo_pairs: Table `photo_pairs`.

    Returns:
        On a tie ``predicted_winner`` is 0 and ``correct`` false, so that the mean of ``correct`` lies half the tie rate
        below the accuracy. A pair without a defined score is in neither.
    """
    predicted = results[results["predicted_winner"].notna()]
    described = photo_pairs[["pair_idx", "compareID1", "compareID2", "compareFile1", "compareFile2"]]
    frame = predicted.merge(described, on="pair_idx", how="left", validate="one_to_one").sort_values("pair_idx")
    frame = frame.assign(
        ground_truth_winner=frame["winner"],
        correct=(frame["predicted_winner"] == frame["winner"]).astype("bool"),
    )
    return frame[list(PER_PAIR)].reset_index(drop=True)
