"""Table `metric_comparison`: two data sets of one kind held against each other."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import dagster as dg
import pandas as pd

from analysis.correlation.metric_comparison import compare_metrics
from analysis.resampling.bootstrap import Resampling
from analysis.undefined import UndefinedStatistic
from assets.evaluation.correlation import is_scores
from assets.evaluation.logic.differences import TwoSides, accuracy_row, mean_row, two_sides
from assets.evaluation.logic.rows import clusters_of
from assets.evaluation.mcq_confusion import is_answers
from assets.shared.intervals import bound_columns, interval_words
from assets.shared.partitions import MADE_SO_FAR
from resources.configuration.evaluation import Dataset
from resources.inputs.evaluation.known_datasets import known_datasets
from resources.study import Study
from resources.tables.evaluation import METRIC_COMPARISON
from resources.tables.parquet_tables import Frames


@dg.asset(
    group_name="evaluation_people",
    ins={"evaluation_samples": MADE_SO_FAR},
    kinds={"pandas"},
    code_version="1",
    pool="evaluation_over_datasets",
)
def metric_comparison(
    context: dg.AssetExecutionContext, evaluation_samples: Frames, study: dg.ResourceParam[Study]
) -> pd.DataFrame:
    """One row per pair of data sets of one kind and statistic that both have."""
    known, resampling = known_datasets(study.evaluation), study.evaluation.resampling
    frames = {name: frame for name, frame in sorted(evaluation_samples.items()) if name in known and len(frame)}
    rows = [row for pair in combinations(frames, 2) for row in comparison_rows(frames, pair, known, resampling)]
    n_pairs = len({(row["first"], row["second"]) for row in rows})
    context.add_output_metadata({"n_pairs": n_pairs, "data_sets": sorted(evaluation_samples)})
    return pd.DataFrame(rows, columns=[column.name for column in METRIC_COMPARISON.columns])


def comparison_rows(
    frames: Frames, pair: tuple[str, str], known: dict[str, Dataset], resampling: Resampling
) -> Iterator[dict[str, Any]]:
    """The differences of one pair: of accuracy, or of correlations on the same samples and of means on one scale.

    Yields:
        Rows of `metric_comparison`; none for scores next to answers.
    """
    sides = two_sides(frames, pair, known)
    names = {"first": pair[0], "second": pair[1]}
    if is_answers(frames[pair[0]]) and is_answers(frames[pair[1]]):
        yield names | accuracy_row(sides, resampling)
    elif is_scores(frames[pair[0]]) and is_scores(frames[pair[1]]):
        for row in correlation_differences(sides, resampling):
            yield names | row
        if all(known[name].same_scale for name in pair):
            yield names | mean_row(sides, resampling)


def correlation_differences(sides: TwoSides, resampling: Resampling) -> Iterator[dict[str, Any]]:
    """The differences of the correlations on the samples that both have; none where the two are of other samples."""
    if sides.both is None:
        return
    try:
        found = compare_metrics(
            sides.both["prediction_score_x"],
            sides.both["prediction_score_y"],
            sides.both["truth_score_x"],
            clusters_of(sides.both, sides.datasets[0]),
            first_higher_is_better=sides.datasets[0].higher_is_better,
            second_higher_is_better=sides.datasets[1].higher_is_better,
            resampling=resampling.headline,
        )
    except UndefinedStatistic:
        # One side is constant: the table `correlation` gives the reason.
        return
    for statistic, one in found.differences.items():
        yield {
            "statistic": statistic,
            "first_value": one.first,
            "second_value": one.second,
            "difference": one.difference,
            **bound_columns("ci", one.interval),
            "significant": one.significant,
            "williams_t": found.williams.statistic,
            "williams_p": found.williams.p,
            "steiger_z": found.steiger.statistic,
            "steiger_p": found.steiger.p,
            "n_used": found.n,
            "n_clusters": found.n_clusters,
            "method": interval_words(one.interval),
        }
