"""Which pairs of the golden set count: those of items that had no part in choosing the setting, where there are any."""

import pandas as pd

NOT_HELD_OUT = "; not held out"


def held_out_pairs(scores: pd.DataFrame) -> pd.DataFrame:
    """The pairs that count: items that chose the setting do not, unless no other item has a pair of scores.

    Args:
        scores: Table `golden_scores`.
    """
    pairs = scores[scores["undefined"].isna()]
    held_out = pairs[~chose_setting(pairs)]
    return held_out if len(held_out) else pairs


def chose_setting(scores: pd.DataFrame) -> pd.Series:
    """By row, whether its item had a part in choosing the setting."""
    return scores["chose_setting"].astype(bool)


def mark(pairs: pd.DataFrame) -> str:
    """What a method says behind itself where items count that chose the setting."""
    return NOT_HELD_OUT if chose_setting(pairs).any() else ""
