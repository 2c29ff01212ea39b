"""Validations, actions and ground truth as tables."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from resources.tables.declare import DTYPES
from resources.tables.reliability.decision import GROUND_TRUTH, KAPPA_VALIDATION

MEASURES = (
    "kappa_macro_defined",
    "kappa_macro_low",
    "kappa_macro_high",
    "kappa_micro_low",
    "kappa_micro_high",
    "low_share",
    "n_undefined",
    "n_documents",
    "judge_1",
    "judge_2",
    "thresholds",
)
ACTION_TYPES = {
    "id": "int64",
    "action": DTYPES["text"],
    "details": "object",
    "who": DTYPES["text"],
    "taken_at": DTYPES["time"],
}


def row_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of table `kappa_validation`."""
    found = {**row, **{name: row["measures"][name] for name in MEASURES}}
    found["thresholds"] = json.dumps(found["thresholds"], sort_keys=True)
    found["contingency_actions"] = json.dumps(found["contingency_actions"], sort_keys=True, ensure_ascii=False)
    return {column.name: found[column.name] for column in KAPPA_VALIDATION.columns}


def validations_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Table `kappa_validation`."""
    columns = [column.name for column in KAPPA_VALIDATION.columns]
    return KAPPA_VALIDATION.validated(pd.DataFrame([row_of(row) for row in rows], columns=columns))


def actions_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """One row per step; `details` is a dict."""
    found = [[row[name] for name in ACTION_TYPES] for row in rows]
    return pd.DataFrame(found, columns=list(ACTION_TYPES), dtype="object").astype(ACTION_TYPES)


def ground_truth_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Table `ground_truth`."""
    columns = [column.name for column in GROUND_TRUTH.columns]
    found = [
        {**row, "n_documents": len(next(iter(row["scores"].values()))), "validation": row["validation_row"]}
        for row in rows
    ]
    return GROUND_TRUTH.validated(pd.DataFrame(found, columns=columns))
