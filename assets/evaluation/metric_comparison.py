"""Table `metric_comparison`: two score data sets on the same samples."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import dagster as dg
import pandas as pd

from analysis.metric_comparison import compare_metrics
from analysis.undefined import UndefinedStatistic
from assets.datasets import known_datasets, sampling_of
from assets.evaluation.correlation import is_scores
from assets.evaluation_rows import Sampling, clusters_of
from assets.intervals import in_words
from assets.same_samples import are_same_samples, shared_samples
from resources.configuration.evaluation import Dataset
from resources.parquet_tables import Frames
from resources.study import Study
from resources.tables.evaluation import METRIC_COMPARISON

MADE_SO_FAR = dg.AssetIn(metadata={"allow_missing_partitions": True})


@dg.asset(
    group_name="evaluation",
    ins={"evaluation_samples": MADE_SO_FAR},
    kinds={"pandas"},
    code_version="1",
    pool="evaluation_over_datasets",
)
def metric_comparison(
    context: dg.AssetExecutionContext, evaluation_samples: Frames, study: dg.ResourceParam[Study]
) -> pd.DataFrame:
    """One row per pair of score data sets with the same samples and truth, and per correlation."""
    known, sampling = known_datasets(study.evaluation), sampling_of(study.evaluation)
    frames = {name: frame for name, frame in sorted(evaluation_samples.items()) if name in known and is_scores(frame)}
    rows = [row for pair in combinations(frames, 2) for row in comparison_rows(frames, pair, known, sampling)]
    context.add_output_metadata({"n_pairs": len({(row["first"], row["second"]) for row in rows})})
    return pd.DataFrame(rows, columns=[column.name for column in METRIC_COMPARISON.columns])


def comparison_rows(
    frames: Frames, pair: tuple[str, str], known: dict[str, Dataset], sampling: Sampling
) -> Iterator[dict[str, Any]]:
    """The differences of one pair on the samples that both have; nothing where the two are of other samples."""
    first, second = pair
    if not are_same_samples(frames[first], frames[second]):
        return
    both = shared_samples(frames[first], frames[second])
    try:
        found = compare_metrics(
            both["prediction_score_x"],
            both["prediction_score_y"],
            both["truth_score_x"],
            clusters_of(both, known[first]),
            first_higher_is_better=known[first].higher_is_better,
            second_higher_is_better=known[second].higher_is_better,
            **sampling.percentile,
        )
    except UndefinedStatistic:
        # One side is constant: the table `correlation` gives the reason.
        return
    for statistic, one in found.differences.items():
        yield {
            "first": first,
            "second": second,
            "statistic": statistic,
            "first_value": one.first,
            "second_value": one.second,
            "difference": one.difference,
            "ci_low": one.interval.low,
            "ci_high": one.interval.high,
            "significant": one.significant,
            "williams_t": found.williams.statistic,
            "williams_p": found.williams.p,
            "steiger_z": found.steiger.statistic,
            "steiger_p": found.steiger.p,
            "n_used": found.n,
            "n_clusters": found.n_clusters,
            "method": in_words(one.interval),
        }
