"""What goes into the JSON of validations and actions: plain values, and details that fit their action."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from resources.database.reliability.models import ACTIONS


def plain(value: Any) -> Any:
    """The value with numpy's numbers as Python's, tuples as lists and mappings as dicts, at any depth."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def details_kept(action: str, details: Mapping[str, Any]) -> dict[str, Any]:
    """The details of a step as they are stored.

    Raises:
        ValueError: There is no such action, or the details do not fit it.
    """
    kept: dict[str, Any] = plain(details)
    if action not in ACTIONS:
        raise ValueError(f"'{action}' is no action; those that are: {', '.join(ACTIONS)}")
    wanted = {
        "thresholds_accepted": {"thresholds"},
        "recalibration_started": {"prompt_version", "queries", "held_out"},
        "manual_review_opened": set(),
    }[action]
    if kept.keys() != wanted:
        raise ValueError(f"{action} takes {sorted(wanted) or 'no details'}, got {sorted(kept)}")
    if action == "thresholds_accepted":
        thresholds = kept["thresholds"]
        if not thresholds or not all(0 <= threshold <= 1 for threshold in thresholds.values()):
            raise ValueError(f"thresholds must lie in 0-1, got {thresholds}")
    if action == "recalibration_started" and not set(kept["held_out"]) <= set(kept["queries"]):
        raise ValueError("queries are held out that are not judged again")
    return kept
