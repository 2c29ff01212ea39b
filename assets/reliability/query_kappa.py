"""Table `query_kappa`: how well two judges agree on the documents of each query."""

from typing import Any

import dagster as dg
import numpy as np
import pandas as pd

from analysis.agreement.kappa import COUNTS, ONE_LABEL, headline_kappas, is_low, kappas
from analysis.agreement.landis_koch import landis_koch
from analysis.significance.walsh import score_differences
from assets.reliability.judgments import compared
from assets.reliability.logic.judge_pairs import Pair, Scored
from assets.shared.partitions import metadata_value, readable
from reports.reliability.plots import kappa_panels
from reports.shared.figure import figure_metadata
from resources.study import Study
from resources.tables.reliability.agreement import QUERY_KAPPA

NOT_SCORED = "no document that both judges scored"


@dg.asset(group_name="reliability_agreement", kinds={"pandas"}, code_version="1")
def query_kappa(
    context: dg.AssetExecutionContext,
    query_documents: pd.DataFrame,
    judgments: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per query and pair of judges, on documents that both scored, at the current thresholds."""
    scored, _, pairs = compared(judgments, query_documents, study)
    low_kappa = study.reliability.gate.low_kappa
    frame = pd.concat([kappa_rows(pair, scored, low_kappa) for pair in pairs])
    plot = figure_metadata(kappa_panels(frame, low_kappa))
    context.add_output_metadata(readable(headline(frame) | {"plot": plot}))
    return frame.reset_index(drop=True)


def kappa_rows(pair: Pair, scored: Scored, low_kappa: float) -> pd.DataFrame:
    """The rows of one pair of judges."""
    n_queries, counts = pair.n_queries, pair.counts
    found, headlines = kappas(counts), headline_kappas(counts)
    n_both = counts.sum(axis=1)
    first = np.unique(scored.queries, return_index=True)[1]
    difference = np.full(n_queries, np.nan)
    np.fmax.at(difference, pair.queries, np.abs(score_differences(pair.score_1, pair.score_2)))
    with np.errstate(invalid="ignore"):
        same = (counts[:, 0] + counts[:, 3]) / n_both
    defined = np.isfinite(found)
    reasons = np.where(n_both == 0, NOT_SCORED, ONE_LABEL).astype(object)
    frame = pd.DataFrame(
        {
            "judge_1": pair.judge_1,
            "judge_2": pair.judge_2,
            "query_id": scored.query_ids,
            "prompt_version": scored.documents["prompt_version"].to_numpy()[first],
            "n_documents": np.bincount(scored.queries, minlength=n_queries),
            "n_both": n_both,
            **dict(zip(COUNTS, counts.T, strict=True)),
            "kappa": found,
            "kappa_headline": headlines,
            "is_low": is_low(found, low_kappa),
            "band": [landis_koch(value) if there else None for value, there in zip(found, defined, strict=True)],
            "percent_agreement": same,
            "largest_difference": difference,
            "undefined": [None if there else reason for there, reason in zip(defined, reasons, strict=True)],
        }
    )
    return frame[[column.name for column in QUERY_KAPPA.columns]]


def lowest_kappas(frame: pd.DataFrame) -> pd.Series:
    """Each query's kappa, the lowest over pairs of judges; NaN where none is defined."""
    return frame.groupby("query_id", sort=False)["kappa"].min()


def headline(frame: pd.DataFrame) -> dict[str, Any]:
    """How many queries there are, how many have no kappa and how many a low one; of several pairs the lowest."""
    lowest = lowest_kappas(frame)
    numbers = {
        "n_queries": len(lowest),
        "n_without_kappa": int(lowest.isna().sum()),
        "n_low": int(frame.groupby("query_id")["is_low"].any().sum()),
        "median_kappa": lowest.median(),
    }
    return {name: metadata_value(value) for name, value in numbers.items()}
