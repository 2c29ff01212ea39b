"""What is in the table of photo pairs: counts before and after the filter, the position effect, missing photos."""

from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.preference.bradley_terry import BradleyTerry
from analysis.preference.bradley_terry import bradley_terry as fit_strengths
from analysis.preference.bradley_terry_components import connected
from analysis.preference.bradley_terry_counts import win_counts
from analysis.preference.orders import PositionEffect, position_effect
from analysis.preference.position import PositionCoefficient, position_within_pairs
from analysis.undefined import UndefinedStatistic
from assets.shared.intervals import bound_columns, interval_words
from assets.shared.seeded_draw import lot
from resources.configuration.pairwise import PairwiseStudy
from resources.errors import listing
from resources.inputs.pairwise.photo_pairs import FEW_REVIEWERS, LOW_AGREEMENT, MISSING, TIE

NOT_SAMPLED: Final = "not_sampled"
CAUSES: Final = (TIE, LOW_AGREEMENT, FEW_REVIEWERS, MISSING, NOT_SAMPLED)
NOT_ASKED: Final = "use_bradley_terry is false"


def sampled(frame: pd.DataFrame, n: int | None, seed: int) -> pd.DataFrame:
    """The table with all but `n` of its judged pairs left out as not sampled, by lot.

    Args:
        frame: Table `photo_pairs`.
        n: How many stay; none: all.
        seed: Of the lots: the same pairs stay whatever other pairs come or go, as long as these do.
    """
    judged = frame.index[frame["excluded"].isna()]
    if n is None or len(judged) <= n:
        return frame
    of_judged = frame.loc[judged]
    names = of_judged["image_1"] + " " + of_judged["image_2"]
    lots = pd.Series([lot(seed, name) for name in names], index=judged)
    left_out = lots.sort_values().index[n:]
    return frame.assign(excluded=frame["excluded"].mask(frame.index.isin(left_out), NOT_SAMPLED))


def after_filter(frame: pd.DataFrame) -> pd.DataFrame:
    """Pairs with a winner on whom enough people agree enough, photos there or not, drawn or not."""
    return frame[frame["excluded"].isna() | frame["excluded"].isin([MISSING, NOT_SAMPLED])]


def counts_of(frame: pd.DataFrame) -> dict[str, int]:
    """How many pairs, images, series and components there are, before and after the filter, and what was left out."""
    kept = after_filter(frame)
    both = _photo_pairs(frame[frame["n_orders"] == 2])
    return {
        "n_pairs": len(frame),
        "n_photo_pairs": len(_photo_pairs(frame)),
        "n_shown_in_both_orders": len(both),
        "n_votes": int(frame[["votes_1", "votes_2", "votes_neither"]].to_numpy().sum()),
        "n_votes_for_neither": int(frame["votes_neither"].sum()),
        "n_series": frame["series_id"].nunique(),
        "n_clusters": frame["cluster"].nunique(),
        "n_images": n_images(frame),
        **{f"n_left_out_{cause}": int((frame["excluded"] == cause).sum()) for cause in CAUSES},
        "n_after_filter": len(kept),
        "n_after_filter_photo_pairs": len(_photo_pairs(kept)),
        "n_after_filter_series": kept["series_id"].nunique(),
        "n_after_filter_clusters": kept["cluster"].nunique(),
        "n_after_filter_images": n_images(kept),
        "n_after_filter_components": n_components(kept),
        "n_opposite_winners": len(_photo_pairs(frame[frame["opposite_orders"].astype("bool")])),
        "n_opposite_winners_after_filter": _n_opposite(frame),
        "n_judged": int(frame["excluded"].isna().sum()),
    }


def n_images(frame: pd.DataFrame) -> int:
    """How many different photos the pairs are of."""
    return len({*frame["image_1"], *frame["image_2"]})


def n_components(frame: pd.DataFrame) -> int:
    """How many groups of photos no pair connects."""
    if frame.empty:
        return 0
    columns = ("image_1", "image_2", "votes_1", "votes_2", "votes_neither")
    counts = win_counts(*(frame[name] for name in columns)).counts
    return connected(counts).n


def position_of(frame: pd.DataFrame, study: PairwiseStudy) -> PositionEffect | None:
    """How far people prefer what they are shown first; none without a vote for a photo.

    Args:
        frame: Rows of `photo_pairs`, merged or as listed: votes for the first-shown photo add up either way.
        study: Its seed, resamples and confidence.
    """
    frame = frame[frame["votes_1"] + frame["votes_2"] > 0]
    if frame.empty:
        return None
    first = frame["first_shown_votes"]
    return position_effect(
        first,
        frame["votes_1"] + frame["votes_2"] - first,
        frame["cluster"],
        resampling=study.resampling,
    )


def position_numbers(frame: pd.DataFrame, study: PairwiseStudy) -> dict[str, Any]:
    """The position effect over all pairs, and over those shown in both orders, where the place alone differs."""
    numbers: dict[str, Any] = {}
    for name, rows in (("position", frame), ("position_both_orders", frame[frame["n_orders"] == 2])):
        found = position_of(rows, study)
        numbers |= {
            f"{name}_share": None if found is None else found.share,
            **bound_columns(f"{name}_share", None if found is None else found.interval),
            f"{name}_share_interval_method": None if found is None else interval_words(found.interval),
            f"{name}_z": None if found is None else found.z,
            f"{name}_votes_first": 0 if found is None else found.votes_first,
        }
    gained = position_coefficient_of(frame, study)
    if isinstance(gained, str):
        bounds: dict[str, float | str | None] = {
            "": None,
            "_low": None,
            "_high": None,
            "_interval_method": f"none: {gained}",
        }
    else:
        words = interval_words(gained.interval)
        low, high = gained.interval.low, gained.interval.high
        bounds = {"": gained.log_odds, "_low": low, "_high": high, "_interval_method": words}
    return numbers | {f"position_log_odds{end}": value for end, value in bounds.items()}


def position_coefficient_of(frame: pd.DataFrame, study: PairwiseStudy) -> PositionCoefficient | str:
    """The log odds that a photo gains from being shown first, from pairs in both orders; or why there is none.

    Args:
        frame: Rows of `photo_pairs`, merged (a row holds the votes of both orders) or as listed (a row per order).
        study: Its confidence.
    """
    both = frame[frame["n_orders"] == 2]
    one_first = both["votes_1_shown_first"].to_numpy(dtype=np.int64)
    two_first = both["first_shown_votes"].to_numpy(dtype=np.int64) - one_first
    one, two = both["image_1"].to_numpy(dtype=np.str_), both["image_2"].to_numpy(dtype=np.str_)
    try:
        # The votes with image 1 shown first, and those with image 2 shown first.
        return position_within_pairs(
            np.concatenate([one, two]),
            np.concatenate([two, one]),
            np.concatenate([one_first, two_first]),
            np.concatenate([both["votes_2"] - two_first, both["votes_1"] - one_first]),
            np.tile(both["cluster"].to_numpy(dtype=np.str_), 2),
            confidence=study.confidence,
        )
    except UndefinedStatistic as undefined:
        return undefined.reason


def missing_of(frame: pd.DataFrame) -> list[str]:
    """Names of the photos that pairs need and that are not there."""
    wanted = after_filter(frame)
    return sorted({name for names in wanted["absent_images"] for name in names}) if "absent_images" in wanted else []


def missing_numbers(frame: pd.DataFrame) -> dict[str, Any]:
    """How many photos of pairs that pass the filter are missing, and the first of them."""
    missing, needed = missing_of(frame), n_images(after_filter(frame))
    return {
        "n_missing_images": len(missing),
        "missing_share": len(missing) / needed if needed else None,
        "missing_images": listing(missing) or "none",
    }


def _photo_pairs(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per two photos, whatever their order."""
    return _unordered(frame).drop_duplicates()


def _unordered(frame: pd.DataFrame) -> pd.DataFrame:
    """The two photos of each row, whatever their order."""
    ids = frame[["compareID1", "compareID2"]].to_numpy(dtype=np.int64)
    return frame[["series_id"]].assign(lower=ids.min(axis=1), higher=ids.max(axis=1))


def _n_opposite(frame: pd.DataFrame) -> int:
    """Photo pairs with opposite winners of which every row, one merged or two listed, passes the filter."""
    flagged = frame[frame["opposite_orders"].astype("bool")]
    passes = _unordered(flagged).assign(passes=flagged.index.isin(after_filter(flagged).index))
    return int(passes.groupby(["series_id", "lower", "higher"])["passes"].all().sum())


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
