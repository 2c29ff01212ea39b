"""The gates of study B as its report shows them: the same functions that the asset checks call."""

from collections.abc import Mapping

import pandas as pd

from assets.pairwise.bradley_terry import all_votes_gate
from assets.pairwise.logic.strengths import strengths_of
from assets.pairwise.method_metrics import available_gate, chance_gate, plausible_gate
from assets.pairwise.pairwise_results import predictions_gate
from assets.pairwise.photo_pairs import judged_gate, no_photo_missing_gate, photos_gate
from reports.shared.gate_row import GateRow, gate_row
from resources.configuration.pairwise import PairwiseStudy


def pairwise_gates(tables: Mapping[str, pd.DataFrame], plan: PairwiseStudy) -> dict[str, list[GateRow]]:
    """Every gate on the tables that the report reads, by method or, of all methods together, under the study's name.

    Args:
        tables: Frames by name, all methods in one.
        plan: The study.
    """
    pairs, metrics, strengths = tables["photo_pairs"], tables["method_metrics"], tables["bradley_terry"]
    fit = strengths_of(pairs, plan) if strengths.empty and len(pairs) else None
    votes = all_votes_gate(strengths, pairs, fit if isinstance(fit, str) else "")
    whole = [
        (photos_gate(pairs, plan), plan.max_missing_share, False),
        (judged_gate(pairs), 1.0, False),
        *([(votes, 0.0, False)] if votes.n is not None else []),
        (no_photo_missing_gate(pairs, plan), 0.0, True),
        (available_gate(metrics), 0.0, True),
        (chance_gate(metrics, plan), 1.0, True),
        (plausible_gate(metrics), 0.0, True),
    ]
    found = {"study": [gate_row(gate, needed, advice=advice) for gate, needed, advice in whole]}
    for name, rows in tables["pairwise_results"].groupby("method", sort=False):
        gate = predictions_gate(rows, plan.max_missing_share)
        found[str(name)] = [gate_row(gate, plan.max_missing_share, advice=True)]
    return found
