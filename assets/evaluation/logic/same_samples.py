"""Whether two data sets are of the same samples, as two metrics of the same pictures are."""

import numpy as np
import pandas as pd


def shared_samples(first: pd.DataFrame, second: pd.DataFrame, also: tuple[str, ...] = ()) -> pd.DataFrame:
    """The samples that both have, with the second one's scores and truths in columns that end in ``_y``.

    Args:
        first: Rows of `evaluation_samples` of one data set.
        second: The same of another.
        also: More columns of both.
    """
    first, second = _with_common_ids(first, second)
    columns = ["sample_id", "prediction_score", "truth_score", "truth_answer", *also]
    return first.merge(second[columns], on="sample_id", suffixes=("_x", "_y"))


def _with_common_ids(first: pd.DataFrame, second: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both with ``0001`` as ``1`` where no id of theirs would be in both otherwise and all are whole numbers."""
    both = [first["sample_id"].astype("str"), second["sample_id"].astype("str")]
    if set(both[0]) & set(both[1]) or not all(ids.str.fullmatch(r"\d+").all() for ids in both):
        return first, second
    short = [ids.str.replace(r"^0+(?=\d)", "", regex=True) for ids in both]
    if not all(ids.is_unique for ids in short):
        return first, second
    return first.assign(sample_id=short[0]), second.assign(sample_id=short[1])


def are_same_samples(first: pd.DataFrame, second: pd.DataFrame) -> bool:
    """Whether at least half of either's samples are in both, all with the same truth.

    Args:
        first: Rows of `evaluation_samples` of one data set.
        second: The same of another. Rows that only one of them could use make no other data set of it.
    """
    sizes = sorted((len(first), len(second)))
    if first["kind"].iloc[0] != second["kind"].iloc[0] or 2 * sizes[0] < sizes[1]:
        return False
    both = shared_samples(first, second)
    if 2 * len(both) < sizes[1]:
        return False
    if first["kind"].iloc[0] == "answers":
        return bool((both["truth_answer_x"] == both["truth_answer_y"]).all())
    return bool((np.round(both["truth_score_x"] - both["truth_score_y"], 12) == 0).all())
