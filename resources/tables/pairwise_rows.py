"""What several readers of study B's tables ask of them: judged pairs, ranking, letters, what is sure."""

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from analysis.preference.significance import AgainstChance, against_chance
from analysis.ties import compare

# Published measures of photo preference lie between these; beyond them a fault is likelier than a finding.
PLAUSIBLE: Final = (0.4, 0.7)


def judged_pairs(photo_pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs that count, in the table's order."""
    return photo_pairs[photo_pairs["excluded"].isna()].reset_index(drop=True)


def ranked(metrics: pd.DataFrame) -> pd.DataFrame:
    """Rows of `method_metrics`, the most accurate first, ties by name, those without an accuracy last."""
    return metrics.sort_values(["accuracy", "method"], ascending=[False, True], ignore_index=True)


def measured(metrics: pd.DataFrame) -> pd.DataFrame:
    """The methods with an accuracy, ranked."""
    return ranked(metrics[metrics["accuracy"].notna()])


def available(metrics: pd.DataFrame) -> pd.DataFrame:
    """The methods whose stages are there, ranked, those that predict nothing last."""
    return ranked(metrics[metrics["unavailable"].isna()])


def letters_of(couples: pd.DataFrame) -> dict[str, str]:
    """Each method's letters, the most accurate on the shared pairs first."""
    found = dict(zip(couples["method_1"], couples["letters_1"], strict=True))
    found |= dict(zip(couples["method_2"], couples["letters_2"], strict=True))
    # A couple names the more accurate method first, so the best is first in all of its couples.
    wins = couples["method_1"].value_counts()
    order = sorted(found, key=lambda name: (-int(wins.get(name, 0)), name))
    return {str(name): str(found[name]) for name in order}


def chance_of(row: Mapping[Any, Any], level: float) -> AgainstChance:
    """Whether a method is right more often than a coin, less often, or neither: significant after Holm."""
    p, unreliable = row["p_chance_holm"], row["p_chance_unreliable"]
    tested = not pd.isna(p) and not pd.isna(unreliable)
    return against_chance(
        float(row["accuracy"]), float(p) if tested else None, unreliable=tested and bool(unreliable), level=level
    )


def interval_column(name: str) -> str:
    """The column of `method_metrics` that says how a number's interval was made, or why it has no bounds."""
    return "interval_method" if name == "accuracy" else f"{name}_interval_method"


def plausible(accuracy: float) -> bool:
    """Whether an accuracy lies in `PLAUSIBLE`, limits included."""
    return bool(compare(accuracy, PLAUSIBLE[0]) >= 0 >= compare(accuracy, PLAUSIBLE[1]))
