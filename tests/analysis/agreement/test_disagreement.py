"""Disagreement of judges on documents: what is in dispute, in which order, and how much must be reviewed."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.agreement.disagreement import document_disagreement, review_order, review_quota


def test_two_judges_by_hand():
    # .9 - .5 = .4 is not above .4, but .5 is not relevant and .9 is; .95 - .54 = .41; .7 and .6 agree.
    found = document_disagreement([[0.9, 0.5], [0.95, 0.54], [0.6, 0.7], [0.1, 0.51]], [0.5, 0.5])
    assert found.largest.tolist() == pytest.approx([0.4, 0.41, 0.1, 0.41], abs=1e-15)
    assert found.largest[1] == found.largest[3]
    assert found.is_high.tolist() == [False, True, False, True]
    assert found.labels_differ.tolist() == [True, False, False, True]
    assert found.disputed.tolist() == [True, True, False, True]
    assert found.lowest_judge.tolist() == [1, 1, 0, 0]
    assert found.highest_judge.tolist() == [0, 0, 1, 1]


def test_a_difference_of_four_tenths_is_not_high_whatever_the_last_bit():
    # 0.7 - 0.3 is 0.39999..., 1 - 0.6 exactly 0.4, 0.9 - 0.5 is 0.4 and 0.5 - 0.1 too.
    pairs = [[0.7, 0.3], [1.0, 0.6], [0.9, 0.5], [0.5, 0.1], [0.3 + 0.6, 0.1 + 0.4]]
    assert not document_disagreement(pairs, [0.0, 0.0]).is_high.any()


def test_of_three_judges_the_outermost_two_count():
    found = document_disagreement([[0.6, 0.2, 0.9]], [0.5, 0.1, 0.8])
    assert found.largest.tolist() == [0.7]
    assert (found.lowest_judge.tolist(), found.highest_judge.tolist()) == ([1], [2])
    assert not found.labels_differ[0]  # each above its own threshold
    assert found.disputed[0]


def test_queries_by_their_largest_difference_then_kappa_then_number():
    # Query 0: .5; 1: no dispute; 2: .6; 3: .5 with lower kappa; 4: .5 without kappa; 5: .5 as query 0.
    first = np.array([0.9, 0.8, 0.3, 0.9, 0.9, 0.9, 0.2, 0.9])
    second = np.array([0.4, 0.7, 0.3, 0.3, 0.4, 0.4, 0.7, 0.4])
    queries = np.array([0, 0, 1, 2, 3, 4, 4, 5])
    disagreement = document_disagreement(np.column_stack([first, second]), [0.5, 0.5])
    found = review_order(disagreement, queries, [0.2, 1.0, 0.9, -0.1, np.nan, 0.2])
    assert found.queries.tolist() == [2, 3, 0, 5, 4]
    assert found.largest.tolist() == pytest.approx([0.6, 0.5, 0.5, 0.5, 0.5], abs=1e-15)
    # Query 0 has documents .5 and .1 apart, only the first in dispute.
    assert found.mean.tolist() == pytest.approx([0.6, 0.5, 0.3, 0.5, 0.5])
    assert found.documents.tolist() == [3, 4, 0, 7, 5, 6]
    assert found.place.tolist() == [0, 1, 2, 3, 4, 4]
    assert found.place_in_query.tolist() == [0, 0, 0, 0, 0, 1]


def test_a_querys_largest_difference_may_lie_on_a_document_that_is_not_in_dispute():
    # .51 and .49 differ in label; .9 and .6 are further apart and agree.
    disagreement = document_disagreement([[0.51, 0.49], [0.9, 0.6]], [0.5, 0.5])
    found = review_order(disagreement, [0, 0], [0.0])
    assert found.largest.tolist() == pytest.approx([0.3], abs=1e-15)
    assert found.documents.tolist() == [0]


def test_nothing_in_dispute_leaves_empty_lists():
    found = review_order(document_disagreement([[0.9, 0.9]], [0.5, 0.5]), [0], [1.0])
    assert all(len(part) == 0 for part in found)
    nothing = document_disagreement(np.empty((0, 2)), [0.5, 0.5])
    assert all(len(part) == 0 for part in review_order(nothing, [], []))


SCORES = st.lists(st.tuples(*[st.integers(0, 10).map(lambda tenths: tenths / 10)] * 3), min_size=1, max_size=25)


@given(SCORES, st.randoms(use_true_random=False))
def test_largest_is_the_worst_pair_and_judges_may_change_places(rows, random):
    scores = np.array(rows)
    found = document_disagreement(scores, [0.5] * 3)
    pairs = [(0, 1), (0, 2), (1, 2)]
    assert found.largest == pytest.approx(np.max([np.abs(scores[:, i] - scores[:, j]) for i, j in pairs], axis=0))
    columns = [0, 1, 2]
    random.shuffle(columns)
    other = document_disagreement(scores[:, columns], [0.5] * 3)
    assert other.largest.tolist() == found.largest.tolist()
    assert other.disputed.tolist() == found.disputed.tolist()


@given(SCORES)
def test_every_disputed_document_is_listed_once_and_places_follow_the_order(rows):
    disagreement = document_disagreement(rows, [0.5] * 3)
    queries = np.arange(len(rows)) % 4
    found = review_order(disagreement, queries, np.linspace(1, -1, 4))
    assert sorted(found.documents) == np.flatnonzero(disagreement.disputed).tolist()
    assert (found.queries[found.place] == queries[found.documents]).all()
    assert (np.diff(found.largest) <= 0).all()
    for place in range(len(found.queries)):
        inside = found.documents[found.place == place]
        assert found.place_in_query[found.place == place].tolist() == list(range(len(inside)))
        assert (np.diff(disagreement.largest[inside]) <= 0).all()


@given(st.integers(0, 5000), st.integers(0, 100))
def test_the_quota_is_the_share_rounded_up_in_exact_arithmetic(n, percent):
    assert review_quota(n, percent / 100) == math.ceil(Fraction(percent, 100) * n)


def test_a_fifth_of_24_and_of_25():
    assert [review_quota(n) for n in (0, 1, 5, 24, 25, 26)] == [0, 1, 1, 5, 5, 6]


def test_a_judge_without_a_score_neither_differs_nor_agrees():
    found = document_disagreement([[0.9, np.nan, 0.2], [np.nan, 0.9, 0.8], [0.1, 0.2, np.nan]], [0.5] * 3)
    assert found.largest.tolist() == pytest.approx([0.7, 0.1, 0.1], abs=1e-15)
    assert found.largest[1] == found.largest[2]
    assert found.labels_differ.tolist() == [True, False, False]
    assert found.lowest_judge.tolist() == [2, 2, 0]
    assert found.highest_judge.tolist() == [0, 1, 1]


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="two judges or more"):
        document_disagreement([[0.5]], [0.5])
    with pytest.raises(ValueError, match="two judges or more"):
        document_disagreement([[0.5, 0.6]], [0.5])
    with pytest.raises(ValueError, match="fewer than two scores"):
        document_disagreement([[0.5, np.nan]], [0.5, 0.5])
    with pytest.raises(ValueError, match="infinite"):
        document_disagreement([[0.5, np.inf]], [0.5, 0.5])
    one = document_disagreement([[0.5, 0.6]], [0.5, 0.5])
    with pytest.raises(ValueError, match="one query per document"):
        review_order(one, [0, 0], [0.1])
    with pytest.raises(ValueError, match="from 0 to 0"):
        review_order(one, [1], [0.1])
    with pytest.raises(ValueError, match="share of 0-1"):
        review_quota(5, 1.5)
