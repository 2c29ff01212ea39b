"""Gates as functions of a frame, and of the study or of a limit."""

from collections.abc import Callable
from types import SimpleNamespace

import dagster as dg
import pandas as pd

from analysis.gates import Gate
from assets.shared.gate import declared


def asked(check: dg.AssetChecksDefinition) -> Callable[..., Gate]:
    """What the gate is declared with: a function of its tables and of the study's section."""
    return declared(check).function


def with_limit(check: dg.AssetChecksDefinition, threshold: str) -> Callable[[pd.DataFrame, float], Gate]:
    """The gate of a frame and of a value of one of the thresholds, at a confidence of 0.95."""

    def gate(frame: pd.DataFrame, limit: float) -> Gate:
        return asked(check)(frame, SimpleNamespace(thresholds=SimpleNamespace(**{threshold: limit}), confidence=0.95))

    return gate
