"""The real file of photo pairs: every count that the pairwise study states, and the fit of its 12,989 images."""

import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.preference.bradley_terry import BradleyTerry, bradley_terry
from analysis.preference.orders import MergedPairs, merge_orders, opposite_winners, position_effect
from analysis.preference.truth import contradicts_max_vote, filter_pairs, majority_share, winners
from analysis.resampling.bootstrap import Resampling
from tests.analysis.preference.chances import fitted_chances


@pytest.fixture(scope="module")
def rows(shared_data: Path) -> pd.DataFrame:
    table = pd.read_csv(shared_data / "pairwise" / "photo_triage_pairs.csv", dtype={"series_id": str})
    for side in "12":
        table[f"image{side}"] = table["series_id"] + "/" + table[f"compareID{side}"].astype(str)
    return table


@pytest.fixture(scope="module")
def merged(rows: pd.DataFrame) -> MergedPairs:
    return merge_orders(*(rows[name] for name in ("series_id", "compareID1", "compareID2", "LEFT", "RIGHT")))


@pytest.fixture(scope="module")
def strengths(rows: pd.DataFrame) -> BradleyTerry:
    return bradley_terry(rows["image1"], rows["image2"], rows["LEFT"], rows["RIGHT"])


def merged_images(merged: MergedPairs) -> tuple[np.ndarray, np.ndarray]:
    both = [
        np.array([f"{series}/{number}" for series, number in zip(merged.series, side, strict=True)])
        for side in (merged.lower, merged.higher)
    ]
    return both[0], both[1]


def test_rows_are_pairs_in_one_or_both_orders(rows, merged):
    assert (len(rows), len(merged.lower), int((merged.n_orders == 2).sum())) == (24_186, 12_790, 11_396)
    assert merged.votes_lower.sum() + merged.votes_higher.sum() == 74_655


def test_ties_before_and_after_merging(rows, merged):
    assert int((winners(rows["LEFT"], rows["RIGHT"]) == 0).sum()) == 3_312
    assert int((winners(merged.votes_lower, merged.votes_higher) == 0).sum()) == 1_280


def test_max_vote_names_the_winner_and_on_every_tie_the_second_image(rows):
    columns = (rows[name] for name in ("LEFT", "RIGHT", "compareID1", "compareID2", "MaxVote"))
    assert not contradicts_max_vote(*columns).any()
    tied = rows["LEFT"] == rows["RIGHT"]
    assert (rows["MaxVote"] == rows["compareID2"])[tied].all()


def test_the_filter_on_merged_pairs(rows, merged):
    reviewers = np.bincount(merged.pair_of_row, weights=rows["num_reviewers"])
    kept = filter_pairs(merged.votes_lower, merged.votes_higher, reviewers).kept
    fit = bradley_terry(*(side[kept] for side in (*merged_images(merged), merged.votes_lower, merged.votes_higher)))
    assert int(kept.sum()) == 7_707
    assert (len(set(merged.series[kept])), len(fit.images), fit.n_components) == (3_604, 9_702, 3_622)


def test_the_filter_on_rows_as_listed(rows, merged):
    found = filter_pairs(rows["LEFT"], rows["RIGHT"], rows["num_reviewers"])
    kept = rows[found.kept]
    fit = bradley_terry(kept["image1"], kept["image2"], kept["LEFT"], kept["RIGHT"])
    assert (found.kept.sum(), found.tied.sum()) == (12_073, 3_312)
    assert (kept["series_id"].nunique(), len(fit.images), fit.n_components) == (4_333, 11_420, 4_342)
    assert len(set(merged.pair_of_row[found.kept])) == 9_085
    listed = merge_orders(*(kept[name] for name in ("series_id", "compareID1", "compareID2", "LEFT", "RIGHT")))
    assert int(opposite_winners(listed, kept["LEFT"], kept["RIGHT"]).sum()) == 385
    assert filter_pairs(rows["LEFT"], rows["RIGHT"], rows["num_reviewers"], min_reviewers=0).kept.sum() == 16_205


def test_the_filter_selects_on_the_outcome(rows):
    # Of rows with two reviewers or more; over all rows, single votes among them, the share is 0.801.
    several = rows[rows["num_reviewers"] >= 2]
    kept = rows[filter_pairs(rows["LEFT"], rows["RIGHT"], rows["num_reviewers"]).kept]
    assert majority_share(several["LEFT"], several["RIGHT"]) == pytest.approx(0.789, abs=5e-4)
    assert majority_share(kept["LEFT"], kept["RIGHT"]) == pytest.approx(0.917, abs=5e-4)
    assert majority_share(rows["LEFT"], rows["RIGHT"]) == pytest.approx(0.801, abs=5e-4)


def test_people_prefer_the_first_place_a_little(rows, merged):
    whole = position_effect(rows["LEFT"], rows["RIGHT"], rows["series_id"], resampling=Resampling(1))
    assert (whole.votes_first, whole.votes, round(whole.share, 4)) == (38_150, 74_655, 0.5110)
    both = rows[merged.n_orders[merged.pair_of_row] == 2]
    balanced = position_effect(both["LEFT"], both["RIGHT"], both["series_id"], resampling=Resampling(1))
    assert (round(balanced.share, 4), round(balanced.z, 2)) == (0.5100, 5.37)
    assert 0.5 < balanced.interval.low < balanced.share < balanced.interval.high


def test_strengths_of_all_images(strengths):
    assert (len(strengths.images), strengths.n_components, strengths.n_votes) == (12_989, 4_986, 74_655)
    assert (strengths.n_components_regularised, int(strengths.regularised.sum())) == (722, 1_873)
    assert np.isfinite(strengths.strengths).all()
    assert (strengths.errors > 0).all()


def test_both_orders_in_rows_or_merged_are_the_same_votes(strengths, merged):
    again = bradley_terry(*merged_images(merged), merged.votes_lower, merged.votes_higher)
    assert again.strengths == pytest.approx(strengths.strengths, abs=1e-9)


def test_each_image_wins_as_often_as_expected(rows, strengths):
    one, two = (strengths.positions(rows[name]) for name in ("image1", "image2"))
    votes = (rows["LEFT"] + rows["RIGHT"]).to_numpy()
    expected = fitted_chances(strengths, rows["image1"], rows["image2"])[:, 0] * votes
    surplus = np.bincount(one, rows["LEFT"] - expected) - np.bincount(two, rows["LEFT"] - expected)
    assert np.abs(surplus[~strengths.regularised]).max() < 1e-6


def test_the_fit_takes_under_2_seconds_of_a_processor(rows):
    start = time.process_time()
    bradley_terry(rows["image1"], rows["image2"], rows["LEFT"], rows["RIGHT"])
    assert time.process_time() - start < 2.0
