"""Table `bradley_terry`: strengths by all votes, what they rest on, and the gate that they rest on all of them."""

import math
from pathlib import Path

import pandas as pd
import pytest

from assets.pairwise.bradley_terry import all_votes_gate, headline, strength_rows
from assets.pairwise.logic.photo_pair_counts import NOT_ASKED, strengths_of
from tests.assets.pairwise.made_photo_pairs import photo_pairs_of, plan
from tests.assets.shared.made_tables import keeps_to_its_declaration

# Series 1: 8 to 2 between photos 1 and 2, a tie of 2 and 3. Series 2: photo 1 wins all votes.
PAIRS = photo_pairs_of([(1, 0, 1, 8, 2), (1, 1, 2, 5, 5), (2, 0, 1, 3, 0)])


def rows(pairs: pd.DataFrame = PAIRS) -> pd.DataFrame:
    return keeps_to_its_declaration("bradley_terry", strength_rows(pairs, strengths_of(pairs, plan()), 0.95))


def test_strengths_are_centred_in_their_component_and_ties_among_pairs_count() -> None:
    seen = rows().set_index("image")
    # log 4 above photo 2, which equals photo 3: (2/3, -1/3, -1/3) log 4.
    expected = [2 / 3 * math.log(4), -math.log(4) / 3, -math.log(4) / 3]
    assert seen["strength"].iloc[:3].tolist() == pytest.approx(expected, abs=1e-6)
    assert seen["component"].tolist() == [0, 0, 0, 1, 1]
    assert seen["n_component"].tolist() == [3, 3, 3, 2, 2]
    assert seen.loc["000001-02", ["series_id", "n_votes", "n_wins"]].tolist() == ["000001", 20, 7]


def test_bounds_are_normal_and_letters_say_what_is_distinguishable() -> None:
    seen = rows().set_index("image")
    half = 1.959963984540054 * seen["standard_error"]
    assert (seen["strength_high"] - seen["strength"]).tolist() == pytest.approx(half.tolist(), rel=1e-9)
    assert (seen["strength"] - seen["strength_low"]).tolist() == pytest.approx(half.tolist(), rel=1e-9)
    # 8 of 10 votes are not enough (log 4 / sqrt(1/8 + 1/2) = 1.75); what rests on the prior is not tested.
    assert seen["rank_group"].tolist()[:3] == ["a", "a", "a"]
    assert seen["rank_group"].isna().tolist() == [False, False, False, True, True]
    clear = rows(photo_pairs_of([(1, 0, 1, 80, 20), (1, 1, 2, 50, 50)])).set_index("image")
    assert clear["rank_group"].tolist() == ["a", "b", "b"]


def test_a_photo_that_never_loses_is_held_by_the_prior_and_marked() -> None:
    seen = rows().set_index("image")
    assert seen["regularised"].tolist() == [False, False, False, True, True]
    # 0.1 wins and losses against strength 0 each; by symmetry d / 2 = s solves 3 (1 - p(2s)) = 0.2 p(s) - 0.1.
    strength = seen.loc["000002-01", "strength"]
    logistic = [1 / (1 + math.exp(-value)) for value in (strength, 2 * strength)]
    assert 3 * (1 - logistic[1]) == pytest.approx(0.2 * logistic[0] - 0.1, abs=1e-6)


def test_the_headline_counts_components_and_says_what_the_prior_is() -> None:
    seen = headline(PAIRS, rows(), strengths_of(PAIRS, plan()))
    assert (seen["n_images"], seen["n_votes"], seen["n_components"], seen["n_images_regularised"]) == (5, 23, 2, 2)
    assert seen["prior"].startswith("0.1 wins and losses against strength 0")
    # Majorities 8, 5 and 3 of 23 votes.
    assert seen["majority_share_of_votes"] == pytest.approx(16 / 23)


def test_all_votes_are_in_the_strengths() -> None:
    gate = all_votes_gate(rows(), PAIRS)
    assert gate.passed
    assert gate.sentence == "The strengths of 5 photos rest on all 23 votes."


def test_strengths_of_judged_pairs_only_are_noticed() -> None:
    filtered = rows(PAIRS[PAIRS["excluded"].isna()])
    gate = all_votes_gate(filtered, PAIRS)
    assert not gate.passed
    # Photo 2 of series 1 lacks the tie's votes, photo 3 is not there.
    assert gate.seen == 2
    assert "000001-02" in gate.sentence


def test_strengths_that_are_not_asked_for_leave_an_empty_table_that_says_so() -> None:
    study = plan(use_bradley_terry=False)
    fit = strengths_of(PAIRS, study)
    assert fit == NOT_ASKED
    frame = keeps_to_its_declaration("bradley_terry", strength_rows(PAIRS, fit, 0.95))
    assert headline(PAIRS, frame, fit) == {"n_images": 0, "note": NOT_ASKED}
    assert all_votes_gate(frame, PAIRS, why_none=NOT_ASKED).passed
    assert not all_votes_gate(frame, PAIRS).passed


@pytest.mark.slow
def test_the_real_votes_give_12989_strengths(shared_data: Path) -> None:
    from resources.inputs.pairwise.photo_pairs import read_photo_pairs

    study = plan(pairs_csv=shared_data / "pairwise" / "photo_triage_pairs.csv")
    pairs = read_photo_pairs(study).frame
    seen = rows(pairs)
    assert (len(seen), seen["component"].nunique(), int(seen["regularised"].sum())) == (12_989, 4_986, 1_873)
    assert all_votes_gate(seen, pairs).sentence == "The strengths of 12989 photos rest on all 74655 votes."
