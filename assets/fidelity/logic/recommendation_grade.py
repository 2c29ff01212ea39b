"""How far a recommendation goes: use the setting, use it provisionally, or none."""

from typing import Any, Literal, NamedTuple

import pandas as pd

from analysis.gates import at_least
from assets.fidelity.logic.recommendation_gates import chosen_setting
from resources.configuration.fidelity import FidelityThresholds


class Grade(NamedTuple):
    """`use`: the conditions hold when reported too, and for sure. `provisionally`: one of these does not: `doubts`."""

    name: Literal["use", "provisionally", "none"]
    doubts: tuple[str, ...] = ()


def grade_of(recommended: pd.DataFrame, thresholds: FidelityThresholds) -> Grade:
    """What may be said of the recommended setting.

    Args:
        recommended: Table `recommended_setting`.
        thresholds: The study's; ICC and Spearman must reach theirs with their lower bounds (Holm over settings tried).
    """
    key = chosen_setting(recommended).setting
    if key is None:
        return Grade("none")
    row = recommended[recommended["setting"] == key].iloc[0]
    doubts = []
    if not pd.isna(row["lacks_when_reported"]):
        doubts.append(f"not confirmed: {str(row['lacks_when_reported']).rstrip('.')}")
    short = [
        f"{what} {_shown(row[column])}, needed {needed:g}"
        for what, column, needed in (
            ("ICC(1,k)", "icc_holm_low", thresholds.icc),
            ("Spearman", "spearman_holm_low", thresholds.spearman),
        )
        if not _reaches(row[column], needed)
    ]
    if short:
        tried = int(row["n_settings_tried"])
        over = "1 setting" if tried == 1 else f"{tried} settings"
        doubts.append(f"not for sure: lower bounds over {over} tried: {'; '.join(short)}")
    return Grade("provisionally" if doubts else "use", tuple(doubts))


def _reaches(bound: Any, needed: float) -> bool:
    return at_least("bound", None if pd.isna(bound) else float(bound), needed, n=0, what="").passed


def _shown(bound: Any) -> str:
    return "undefined" if pd.isna(bound) else f"{float(bound):.3f}"
