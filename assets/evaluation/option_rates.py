"""Table `option_rates`: how each option fares."""

import dagster as dg
import pandas as pd

from assets.evaluation.logic.rows import as_table, confusions_of, option_rows
from assets.evaluation.mcq_confusion import is_answers
from assets.shared.partitions import DATASETS, ONE_RUN, each_dataset
from resources.tables.evaluation import OPTION_RATES
from resources.tables.parquet_tables import Frames


@dg.asset(
    group_name="evaluation_people", partitions_def=DATASETS, backfill_policy=ONE_RUN, kinds={"pandas"}, code_version="1"
)
def option_rates(context: dg.AssetExecutionContext, evaluation_samples: Frames) -> Frames:
    """One row per option of an answer data set: precision, recall, answers too many; empty for scores."""

    def make(name: str) -> pd.DataFrame:
        samples = evaluation_samples[name]
        return as_table(OPTION_RATES, name, option_rows(confusions_of(samples)) if is_answers(samples) else [])

    return each_dataset(context, make, headline)


def headline(frame: pd.DataFrame) -> dict[str, object]:
    """How many options there are, the worst recall, and the options that are answered too often and too rarely."""
    if frame.empty:
        return {"n_options": 0, "note": "not multiple choice"}
    over, under = frame[frame["excess"] > 0], frame[frame["excess"] < 0]
    return {
        "n_options": len(frame),
        "lowest_recall": frame["recall"].min(),
        "over_predicted": ", ".join(over.sort_values("excess", ascending=False)["option"]) or "none",
        "under_predicted": ", ".join(under.sort_values("excess")["option"]) or "none",
    }
