"""Table `paper_comparison`: our numbers next to a paper's."""

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate, at_most
from assets.evaluation.logic.papers import comparison_row, numbers_of, numbers_of_category
from assets.evaluation.logic.rows import as_table, datasets_of
from assets.shared.gate import Kind, gate
from assets.shared.partitions import DATASETS, ONE_RUN, each_dataset
from resources.configuration.evaluation import Dataset
from resources.errors import listing
from resources.inputs.evaluation.known_datasets import known_datasets
from resources.inputs.evaluation.paper_baseline import PaperResult, read_baseline, results_for
from resources.study import Study
from resources.tables.evaluation import PAPER_COMPARISON
from resources.tables.parquet_tables import Frames


@dg.asset(
    group_name="evaluation_people", partitions_def=DATASETS, backfill_policy=ONE_RUN, kinds={"pandas"}, code_version="1"
)
def paper_comparison(
    context: dg.AssetExecutionContext,
    correlation: Frames,
    category_breakdown: Frames,
    study: dg.ResourceParam[Study],
) -> Frames:
    """One row per number that the baseline file gives for the data set; empty without a baseline."""
    baseline, known = baseline_of(study), known_datasets(study.evaluation)

    def make(name: str) -> pd.DataFrame:
        breakdown = category_breakdown[name]
        whole = breakdown[(breakdown["level"] == 0) & (breakdown["statistic"] == "accuracy")].head(1)
        ours = numbers_of([*correlation[name].to_dict("records"), *whole.to_dict("records")])
        groups = breakdown.to_dict("records")
        rows = [
            comparison_row(
                result,
                numbers_of_category(groups, result.category) if result.category else ours,
                lower_is_better=not known[name].higher_is_better,
            )
            for result in results_for(baseline, name)
        ]
        return as_table(PAPER_COMPARISON, name, rows)

    return each_dataset(context, make, headline)


def headline(frame: pd.DataFrame) -> dict[str, Any]:
    """How many numbers deviate."""
    return {"n_compared": int(frame["delta"].notna().sum()), "n_deviating": int((frame["deviates"] == True).sum())}  # noqa: E712


@gate(
    paper_comparison,
    Kind.QUALITY,
    to_do="Compare protocol, split and mapping with the paper's.",
    withheld="nothing.",
    once=lambda study: (datasets_of(study), baseline_of(study)),
)
def near_the_paper(
    paper_comparison: pd.DataFrame, partition: str, once: tuple[Mapping[str, Dataset], list[PaperResult]]
) -> Gate | None:
    """The largest difference from the paper's numbers keeps the data set's limit, where one is set."""
    known, baseline = once
    return paper_gate(paper_comparison, known[partition], lack_of(baseline, partition))


def baseline_of(study: Study) -> list[PaperResult]:
    """The study's baseline, empty where it names none."""
    return read_baseline(study.evaluation.baseline) if study.evaluation.baseline else []


def lack_of(baseline: Sequence[PaperResult], name: str) -> str:
    """Why a baseline has no number for a data set; empty where it has one."""
    if results_for(baseline, name):
        return ""
    if not baseline:
        return "there is no baseline, or an empty one"
    names = dict.fromkeys(f"'{result.dataset}'" for result in baseline)
    return f"the baseline has no number for '{name}'; it has {listing(names)}"


def paper_gate(frame: pd.DataFrame, dataset: Dataset, lack: str = "") -> Gate | None:
    """The largest absolute difference from a paper's number against its limit; none where no limit is set.

    Returns:
        A gate that fails where no number could be compared; numbers left out next to others are named in its sentence.
    """
    if dataset.gates.max_paper_deviation is None:
        return None
    differences = frame["delta"].dropna().abs()
    left_out = frame[frame["delta"].isna()]
    reasons = "; ".join(f"{row.statistic}: {row.undefined}" for row in left_out.itertuples())
    gate = at_most(
        "near_the_paper",
        None if differences.empty else float(differences.max()),
        dataset.gates.max_paper_deviation,
        n=len(differences),
        counted="numbers",
        what="Largest difference from the paper",
        remedy="Correct `baseline` or the data set's name."
        if frame.empty
        else "Compare protocol, split and mapping; the columns name the paper's.",
        reason=reasons or lack,
    )
    if differences.empty or left_out.empty:
        return gate
    return gate._replace(sentence=f"{gate.sentence} Not compared: {reasons}.")
