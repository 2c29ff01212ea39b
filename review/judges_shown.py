"""What judges said, in words: the scores of a document, and of which pair of judges a query's kappa is."""

from collections.abc import Mapping

import pandas as pd


def scores_shown(scores: Mapping[str, float]) -> str:
    """Each judge's score."""
    return " · ".join(f"{judge} {score:.2f}" for judge, score in scores.items())


def kappa_shown(name: str, kappa: float, pair: str) -> str:
    """A query's kappa with the pair that it is of; `pair` is empty where there are only two judges."""
    return f"{name}{pair}: {kappa:.2f}"


def pair_of_kappa(query_kappa: pd.DataFrame | None, query_id: str, kappa: float | None, judges: int) -> str:
    """Which pair of more than two judges has the lowest kappa of the query, as words to put behind the name."""
    if judges <= 2 or kappa is None:
        return ""
    lowest = " (the lowest of the pairs of judges)"
    if query_kappa is None:
        return lowest
    rows = query_kappa[(query_kappa["query_id"] == query_id) & (query_kappa["kappa"] == kappa)]
    if rows.empty:
        return lowest
    return f", {rows['judge_1'].iloc[0]} and {rows['judge_2'].iloc[0]}{lowest}"
