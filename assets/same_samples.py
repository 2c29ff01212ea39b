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
    columns = ["sample_id", "prediction_score", "truth_score", "truth_answer", *also]
    return first.merge(second[columns], on="sample_id", suffixes=("_x", "_y"))


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
