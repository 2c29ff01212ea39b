"""Winners, agreement and the filter on both: by hand, at their limits, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.preference.truth import agreements, contradicts_max_vote, filter_pairs, majority_share, winners

votes = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(any), min_size=1, max_size=20)


def test_the_side_with_more_votes_wins_and_a_tie_has_no_winner():
    assert winners([3, 1, 2], [1, 4, 2]).tolist() == [1, 2, 0]


def test_agreement_is_the_majoritys_share():
    # 3 of 4, 4 of 5, 2 of 4.
    assert agreements([3, 1, 2], [1, 4, 2]).tolist() == [0.75, 0.8, 0.5]


def test_the_majoritys_share_of_all_votes_weighs_pairs_by_their_votes():
    # (3 + 4 + 2) of (4 + 5 + 4).
    assert majority_share([3, 1, 2], [1, 4, 2]) == pytest.approx(9 / 13, abs=1e-15)


@given(votes)
def test_turning_all_pairs_turns_the_winners_and_keeps_the_agreement(pairs):
    left, right = np.array(pairs).T
    turned = {0: 0, 1: 2, 2: 1}
    assert winners(right, left).tolist() == [turned[winner] for winner in winners(left, right).tolist()]
    assert agreements(right, left).tolist() == agreements(left, right).tolist()


def test_the_named_winner_is_a_compare_id_and_not_a_side():
    # Image 4 beats image 1: MaxVote 4 is right, 1 is not, and 2 (as "second side") is no image of the row.
    assert contradicts_max_vote([1] * 3, [3] * 3, [1] * 3, [4] * 3, [4, 1, 2]).tolist() == [False, True, True]


def test_a_tie_may_name_either_image_but_no_other():
    assert contradicts_max_vote([2] * 3, [2] * 3, [0] * 3, [5] * 3, [5, 0, 1]).tolist() == [False, False, True]


def test_each_pair_left_out_is_counted_once_under_its_first_cause():
    # A tie of 1:1, agreement 2/3, a unanimous pair of one reviewer, and 7 of 10, exactly at the limit.
    found = filter_pairs([1, 2, 1, 7], [1, 1, 0, 3], [2, 3, 1, 10])
    assert found.kept.tolist() == [False, False, False, True]
    assert [np.flatnonzero(one).tolist() for one in found[1:]] == [[0], [1], [2]]


def test_agreement_equal_to_the_limit_but_for_the_last_bit_is_kept():
    # 0.1 + 0.7 is 0.7999999999999999 in floating point.
    assert filter_pairs([4], [1], [5], min_agreement=0.1 + 0.7).kept.all()
    assert filter_pairs([8], [2], [10], min_agreement=0.8 + 1e-13).kept.all()


@given(votes, st.sampled_from([0.5, 0.6, 0.7, 0.9, 1.0]), st.integers(0, 8))
def test_kept_and_left_out_add_up_to_all(pairs, min_agreement, min_reviewers):
    left, right = np.array(pairs).T
    found = filter_pairs(left, right, left + right, min_agreement=min_agreement, min_reviewers=min_reviewers)
    assert (np.sum(found, axis=0) == 1).all()
    assert (winners(left, right)[found.kept] != 0).all()


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        ([1, 2], [1], "shapes"),
        ([1, -1], [1, 3], "whole numbers from 0 on, not so in 1 rows: 1 "),
        ([1, 1.5], [1, 3], "whole numbers"),
        ([1, np.nan], [1, 3], "whole numbers"),
        ([1, 0], [1, 0], "1 pairs have no vote: 1 "),
    ],
)
def test_what_is_no_vote_is_refused(left, right, message):
    with pytest.raises(ValueError, match=message):
        winners(left, right)


def test_no_pair_has_no_majority():
    with pytest.raises(ValueError, match="no pair"):
        majority_share([], [])


def test_columns_that_do_not_fit_and_limits_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="compareID"):
        contradicts_max_vote([1], [2], [0], [1], [1, 1])
    with pytest.raises(ValueError, match="reviewers"):
        filter_pairs([1], [2], [np.nan])
    with pytest.raises(ValueError, match="between 0.5 and 1"):
        filter_pairs([1], [2], [3], min_agreement=70)


def test_votes_for_neither_make_a_pair_count_and_have_no_part_in_winner_and_agreement():
    # 3 of 4 decided votes agree, whatever stands next to them; a pair that all call equal has half on each side.
    left, right, neither = [3, 0], [1, 0], [6, 2]
    assert winners(left, right, neither).tolist() == [1, 0]
    assert agreements(left, right, neither).tolist() == [0.75, 0.5]
    assert filter_pairs(left, right, [10, 2], neither=neither).kept.tolist() == [True, False]
    with pytest.raises(ValueError, match="1 pairs have no vote"):
        winners(left, right)
