"""Bias between two judges: found where it is, not where it is not, and called on query medians alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.agreement.judge_bias import judge_bias, query_medians
from analysis.resampling.bootstrap import Resampling
from analysis.undefined import UndefinedStatistic

QUICK = {"resampling": Resampling(1, resamples=100)}


def two_judges(bias, n_queries=40, n_documents=5, seed=2):
    random = np.random.default_rng(seed)
    truth = random.uniform(0.2, 0.8, n_queries * n_documents)
    first, second = (np.clip(truth + moved + random.normal(0, 0.05, truth.size), 0, 1) for moved in (bias, 0.0))
    return first, second, np.arange(truth.size) // n_documents


def test_a_bias_of_a_tenth_is_found():
    found = judge_bias(*two_judges(0.1), **QUICK)
    assert found.biased
    assert found.query_medians.p < 1e-6
    assert found.pooled.shift == pytest.approx(0.1, abs=0.02)
    assert found.pooled.interval.low <= 0.1 <= found.pooled.interval.high
    assert (found.query_medians.n, found.pooled.n) == (40, 200)


def test_judges_without_bias_are_not_called_biased():
    found = judge_bias(*two_judges(0.0), **QUICK)
    assert not found.biased
    assert found.query_medians.interval.low < 0 < found.query_medians.interval.high


def test_pooled_documents_do_not_call_a_bias_that_four_queries_cannot_show():
    # 4 queries of 20 documents, all 0.1 apart: pooled p is tiny, 2 of 16 flips of 4 medians is 0.125.
    second = np.tile(np.linspace(0.1, 0.8, 20), 4)
    found = judge_bias(second + 0.1, second, np.repeat(range(4), 20), **QUICK)
    assert found.pooled.p < 1e-6
    assert found.query_medians.p == 0.125
    assert not found.biased
    assert found.pooled.biased is None
    assert found.pooled.method.endswith("assumes independent documents")
    assert "assumes" not in found.query_medians.method


def test_six_queries_by_hand():
    # First - second is -.2, .1, .1 in each query: median .1, p 2/64. Either judge's own median is .3: no difference.
    first, second = np.tile([0.1, 0.3, 0.9], 6), np.tile([0.3, 0.2, 0.8], 6)
    found = judge_bias(first, second, np.repeat(list("abcdef"), 3), **QUICK).query_medians
    assert (found.p, found.statistic, found.n_zero) == (2 / 64, 21.0, 0)
    assert (found.shift, found.difference_of_medians, found.biased) == (pytest.approx(0.1, abs=1e-15), 0.0, True)


def test_judges_that_say_the_same_have_no_test_and_no_bias():
    second = np.linspace(0, 1, 12)
    found = judge_bias(second, second, np.arange(12) // 2, **QUICK)
    assert not found.biased
    assert found.query_medians.biased is False
    for one in found:
        assert (one.p, one.statistic, one.shift) == (None, None, 0.0)
        assert "are 0" in one.undefined


def test_p_of_exactly_the_level_is_no_bias():
    second = np.full(5, 0.4)
    found = judge_bias(second + 0.1, second, range(5), level=0.0625, **QUICK)
    assert found.query_medians.p == 0.0625
    assert not found.biased


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.tuples(*[st.integers(0, 10).map(lambda x: x / 10)] * 2), min_size=6, max_size=30),
    st.randoms(use_true_random=False),
)
def test_other_roles_flip_the_shift_and_another_order_changes_nothing(pairs, random):
    scores, queries = np.array(pairs), np.arange(len(pairs)) // 3
    found = judge_bias(*scores.T, queries, **QUICK)
    order = list(range(len(pairs)))
    random.shuffle(order)
    assert judge_bias(*scores[order].T, queries[order], **QUICK) == found
    flipped = judge_bias(*scores.T[::-1], queries, **QUICK)
    assert flipped.biased == found.biased
    for one, other in zip(found, flipped, strict=True):
        assert one.p == other.p
        assert one.shift == pytest.approx(-other.shift, abs=1e-12)
        assert one.difference_of_medians == pytest.approx(-other.difference_of_medians, abs=1e-12)


def test_query_medians_are_numpys_for_odd_and_even_queries():
    random = np.random.default_rng(4)
    values, queries = random.uniform(0, 1, 50), np.r_[np.arange(7), random.integers(0, 7, 43)]
    expected = [np.median(values[queries == query]) for query in range(7)]
    assert query_medians(values, queries) == pytest.approx(expected, abs=1e-12)


def test_bad_input_is_refused():
    with pytest.raises(UndefinedStatistic, match="no document"):
        judge_bias([], [], [], **QUICK)
    with pytest.raises(ValueError, match="lack a score"):
        judge_bias([0.1, np.nan], [0.1, 0.2], [0, 0], **QUICK)
    with pytest.raises(ValueError, match="one query per document"):
        judge_bias([0.1, 0.3], [0.1, 0.2], [0], **QUICK)


def test_the_higher_judge_is_told_by_the_ranks_where_the_shift_is_0():
    # 20 queries differ by 0 and 8 by .1: most Walsh averages, 20 * 21 / 2 of 406, are 0, and 210 is over half of them.
    first = np.r_[np.full(20, 0.5), np.full(8, 0.6)]
    second = np.full(28, 0.5)
    for one, other, higher in ((first, second, 1), (second, first, 2)):
        found = judge_bias(one, other, np.arange(28), **QUICK).query_medians
        assert (found.shift, found.p, found.biased, found.higher) == (0.0, 2 / 2**8, True, higher)


def test_where_the_ranks_lie_in_the_middle_neither_judge_is_higher():
    assert judge_bias([0.6, 0.4], [0.5, 0.5], [0, 1], **QUICK).query_medians.higher is None
