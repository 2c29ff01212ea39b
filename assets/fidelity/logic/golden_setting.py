"""At which setting altered renders and the anchor are judged: the configured one, else what the recommendation says."""

import pandas as pd

from assets.fidelity.logic.recommendation_gates import chosen_setting
from resources.errors import UserError


def setting_in_force(configured: str | None, recommended_setting: pd.DataFrame, section: str) -> str:
    """The partition key of one setting.

    Args:
        configured: What the configuration names, if anything.
        recommended_setting: The table: one row per setting.
        section: Of the configuration, for the error: golden or anchor.

    Returns:
        Else the recommended setting, else the one that lacks least; where each that was compared is deterministic, the
        baseline, or the first that was compared. Where none was compared, the same of all that were made.

    Raises:
        UserError: No setting is named, and none was made.
    """
    if configured is not None:
        return configured
    chosen = chosen_setting(recommended_setting)
    if key := chosen.setting or chosen.nearest:
        return key
    compared = recommended_setting[recommended_setting["n_settings_tried"] > 0]
    for rows in (compared, recommended_setting):
        if len(rows):
            baseline_first = rows.assign(other=~rows["baseline"].astype(bool)).sort_values("other", kind="stable")
            return str(baseline_first["setting"].iloc[0])
    raise UserError(f"No setting was run yet. Run one, or name one of the study's settings as `{section}.setting`.")
