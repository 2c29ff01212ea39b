"""Which settings can stand next to each other, and on which objects."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from analysis.messages import message
from assets.fidelity.logic.current_plan import CurrentPlan, difference
from assets.fidelity.logic.judge_answers import as_planned, enough_repeats_gate
from assets.shared.partitions import SETTINGS, Frames
from resources.configuration.fidelity import FidelityStudy
from resources.configuration.settings import setting_from_key
from resources.errors import UserError


class ComparedSettings(NamedTuple):
    """The settings that were made, in the configuration's order, and what they have in common.

    Attributes:
        made: Every setting that was run.
        obstacles: Why some of them are not compared, by setting.
        valid: The objects with enough valid repeats, by setting.
        common: The objects valid in every setting that is compared.
    """

    made: list[str]
    obstacles: dict[str, str]
    valid: dict[str, set[str]]
    common: set[str]

    @property
    def keys(self) -> list[str]:
        """The settings that are compared."""
        return [key for key in self.made if key not in self.obstacles]


def compared_settings(
    calls: Frames, matrices: Frames, study: FidelityStudy, plans: Mapping[str, CurrentPlan] | None = None
) -> ComparedSettings:
    """The settings that keep their integrity gate under the current plan, on common objects: failures are not random.

    A setting that fails its gate, or was made under another plan, does not decide on which objects the others are
    compared.

    Args:
        calls: Table `judge_calls` by setting.
        matrices: Table `score_matrix` by setting.
        study: The configuration.
        plans: Judge, prompts and images now, by setting; none: they are not asked about.
    """
    made = [key for key in SETTINGS.get_partition_keys() if key in matrices]
    now = plans or {}
    obstacles = {
        key: obstacle for key in made if (obstacle := _obstacle(calls[key], matrices[key], study, now.get(key)))
    }
    enough = {key: matrices[key]["n_valid"] >= study.minimum_repeats for key in made}
    valid = {key: set(matrices[key].loc[enough[key], "object"]) for key in made}
    passing = [valid[key] for key in made if key not in obstacles]
    return ComparedSettings(made, obstacles, valid, set.intersection(*passing) if passing else set())


def described(key: str, study: FidelityStudy) -> dict[str, Any]:
    """The columns that say which setting a row is about."""
    setting = setting_from_key(key)
    baseline = setting == study.asking(key).settings.baseline
    return {"setting": key, "temperature": setting.temperature, "top_p": setting.top_p, "baseline": baseline}


def _obstacle(calls: pd.DataFrame, matrix: pd.DataFrame, study: FidelityStudy, plan: CurrentPlan | None) -> str | None:
    """Why a setting cannot be compared: its gate, or a plan that is no longer current."""
    if plan is not None and (changed := difference(calls, plan)):
        return message("{changed}. Run the setting again.", changed=changed)
    try:
        gate = enough_repeats_gate(as_planned(matrix, study.repeats), study)
    except UserError as problem:
        return str(problem)
    return None if gate.passed else gate.sentence
