"""Strengths of photos by everybody's votes, fitted once in the same way wherever they are asked for."""

from typing import Final

import pandas as pd

from analysis.preference.bradley_terry import BradleyTerry
from analysis.preference.bradley_terry import bradley_terry as fit_strengths
from analysis.undefined import UndefinedStatistic
from resources.configuration.pairwise import PairwiseStudy

NOT_ASKED: Final = "use_bradley_terry is false"


def strengths_of(photo_pairs: pd.DataFrame, study: PairwiseStudy) -> BradleyTerry | str:
    """Bradley and Terry's model on all votes, or why there is none.

    Args:
        photo_pairs: All pairs: those that are not judged have votes as well, and leaving out ties and narrow wins
            would exaggerate the strengths.
        study: Whether to fit at all, its model of ties, and what it does where no finite strengths exist.
    """
    if not study.use_bradley_terry:
        return NOT_ASKED
    try:
        return fit_strengths(
            photo_pairs["image_1"],
            photo_pairs["image_2"],
            photo_pairs["votes_1"].to_numpy(dtype="float64"),
            photo_pairs["votes_2"].to_numpy(dtype="float64"),
            photo_pairs["votes_neither"].to_numpy(dtype="float64"),
            tie_model=study.tie_model,
            separation=study.separation,
        )
    except UndefinedStatistic as undefined:
        return undefined.reason
