"""At which setting altered renders and the anchor are judged: the configured one, else what the recommendation says."""

import pandas as pd

from assets.fidelity.recommended_setting import chosen_setting
from resources.errors import UserError


def setting_in_force(configured: str | None, recommended_setting: pd.DataFrame, section: str) -> str:
    """The partition key of one setting.

    Args:
        configured: What the configuration names, if anything.
        recommended_setting: The table: one row per setting.
        section: Of the configuration, for the error: golden or anchor.

    Returns:
        Else the recommended setting, else the one that lacks least, which is never a deterministic one.

    Raises:
        UserError: No setting is named, recommended or nearest.
    """
    if configured is not None:
        return configured
    chosen = chosen_setting(recommended_setting)
    if key := chosen.setting or chosen.nearest:
        return key
    raise UserError(
        "No setting can be recommended, and none is the nearest: each is deterministic, or not compared (column "
        f"`failed` of recommended_setting says why). Name one of the study's settings as `{section}.setting`."
    )
