"""The Walsh median: every pair listed, published data, a naive bootstrap, how it moves with the data."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.conformance.published import DEPRESSION_AFTER, DEPRESSION_BEFORE
from analysis.resampling.bootstrap import Resampling
from analysis.significance.walsh import (
    _distinct,
    _every_pair,
    _median_of_listed,
    differences_by_query,
    score_differences,
    shift,
    walsh_median,
)
from analysis.undefined import UndefinedStatistic
from tests.analysis.resampling.counts import resample_counts

THOUSANDTHS = st.integers(-1000, 1000).map(lambda thousandths: thousandths / 1000)
DIFFERENCES = st.lists(st.one_of(THOUSANDTHS, st.floats(-1, 1)), min_size=1, max_size=40)


def by_listing(differences):
    d = np.asarray(differences, dtype=float)
    i, j = np.triu_indices(len(d))
    return float(np.median((d[i] + d[j]) / 2))


def test_three_differences_by_hand():
    # Averages of 0, .1, .5: 0 .05 .1 .25 .3 .5; the middle two are .1 and .25.
    assert walsh_median([0.5, 0.0, 0.1]) == pytest.approx(0.175, abs=1e-15)


def test_depression_scores_of_hollander_and_wolfe():
    # Hollander and Wolfe, Nonparametric Statistical Methods, example 3.3: 0.46.
    x, y = np.array(DEPRESSION_BEFORE), np.array(DEPRESSION_AFTER)
    assert walsh_median(x - y) == pytest.approx(0.46, abs=1e-15)


def test_zeros_count():
    # 0 0 .4: averages 0 0 0 .2 .2 .4, middle two 0 and .2.
    assert walsh_median([0.0, 0.4, 0.0]) == pytest.approx(0.1, abs=1e-15)


@given(DIFFERENCES)
def test_it_is_the_median_of_all_listed_averages(differences):
    assert walsh_median(differences) == pytest.approx(by_listing(differences), abs=2e-12)


@pytest.mark.parametrize("decimals", [1, 3, 12])
def test_a_thousand_differences_against_the_listing(decimals):
    differences = np.round(np.random.default_rng(decimals).normal(0.1, 0.2, 1001), decimals)
    assert walsh_median(differences) == pytest.approx(by_listing(differences), abs=1e-12)


@given(DIFFERENCES, THOUSANDTHS)
def test_it_moves_with_the_differences_and_flips_with_their_signs(differences, moved):
    d = np.array(differences)
    assert walsh_median(d + moved) == pytest.approx(walsh_median(d) + moved, abs=3e-12)
    assert walsh_median(-d) == pytest.approx(-walsh_median(d), abs=3e-12)


def test_a_million_differences_are_exact():
    # Symmetric about 0.1 by construction, so the median of the averages is 0.1.
    half = np.random.default_rng(3).integers(1, 8 * 10**11, 500_000) / 10**12
    assert walsh_median(np.r_[0.1 - half, 0.1 + half]) == pytest.approx(0.1, abs=1e-15)


@pytest.mark.parametrize("few", [256, 1])
def test_the_interval_is_that_of_a_naive_bootstrap(few, monkeypatch):
    # All averages listed once for all resamples, or the median of each resample looked for.
    monkeypatch.setattr("analysis.significance.walsh.FEW_DISTINCT", few)
    random = np.random.default_rng(5)
    # Clusters of 4 to 6, so that resamples have even and odd numbers of averages.
    differences, clusters = np.round(random.normal(0.1, 0.2, 60), 2), np.repeat(np.arange(12), [4, 5, 6] * 4)
    found = shift(differences, clusters, resampling=Resampling(8, resamples=200))
    naive = [by_listing(np.repeat(differences, counts[clusters])) for counts in resample_counts(np.arange(12), 200, 8)]
    assert found.value == pytest.approx(by_listing(differences), abs=1e-12)
    assert found.interval[:2] == pytest.approx(tuple(np.quantile(naive, [0.025, 0.975])), abs=1e-12)
    assert found.interval.method == "percentile bootstrap, 200 resamples, 12 clusters"


def test_on_a_grid_no_bound_is_off_by_more_than_half_a_step(monkeypatch):
    monkeypatch.setattr("analysis.significance.walsh.MOST_DISTINCT", 50)
    random = np.random.default_rng(6)
    differences, clusters = random.normal(0.1, 0.2, 100), np.arange(100) // 5
    found = shift(differences, clusters, resampling=Resampling(8, resamples=200))
    naive = [by_listing(np.repeat(differences, counts[clusters])) for counts in resample_counts(np.arange(20), 200, 8)]
    half_a_step = np.ptp(np.quantile(differences, [0.001, 0.999])) / 100 + 1e-12
    assert "on a grid of" in found.interval.method
    assert found.interval[:2] == pytest.approx(tuple(np.quantile(naive, [0.025, 0.975])), abs=half_a_step)


@pytest.mark.parametrize("weights", [one for one in product(range(3), repeat=3) if any(one)])
def test_each_resample_of_three_differences_against_the_listing(weights):
    # 1 to 6 differences, so that the averages have one middle or two, within a group of equal ones or between groups.
    values = np.array([0.0, 0.1, 0.5])
    found = _median_of_listed(*_every_pair(values), np.array(weights))
    assert found == pytest.approx(by_listing(np.repeat(values, weights)), abs=1e-15)


def test_differences_far_out_keep_their_own_values(monkeypatch):
    monkeypatch.setattr("analysis.significance.walsh.MOST_DISTINCT", 50)
    differences = np.r_[-7.123456, np.linspace(-1, 1, 998), 9.654321]
    values, place, step = _distinct(differences)
    assert (values[0], values[-1]) == (-7.123456, 9.654321)
    # The quantiles 0.001 and 0.999 of 1,000 lie next to the ends; half a step is the most that one in between moves.
    assert step == pytest.approx(2 / 50, rel=0.01)
    assert np.abs(values[place] - differences).max() <= step / 2 + 1e-12


def test_the_interval_does_not_depend_on_the_order_of_rows_or_on_the_workers():
    random = np.random.default_rng(7)
    differences, clusters, order = np.round(random.normal(0, 0.2, 80), 2), np.arange(80) // 4, random.permutation(80)
    found = shift(differences, clusters, resampling=Resampling(1, resamples=300))
    assert shift(differences[order], clusters[order], resampling=Resampling(1, resamples=300)) == found
    assert shift(differences, clusters, resampling=Resampling(1, workers=2, resamples=300)) == found
    assert found.interval.low <= found.value <= found.interval.high


def test_under_five_clusters_there_is_no_interval():
    found = shift([0.1, 0.2, 0.3, 0.1], ["a", "b", "c", "c"], resampling=Resampling(1, resamples=100))
    assert found.value == pytest.approx(0.175)
    assert (found.interval.low, found.interval.n_clusters) == (None, 3)


def test_one_difference_everywhere_has_an_interval_of_that_difference():
    found = shift([0.1] * 6, range(6), resampling=Resampling(1, resamples=100))
    assert (found.value, found.interval.low, found.interval.high) == (0.1, 0.1, 0.1)


def test_score_differences_that_are_equal_but_for_the_last_bit_are_equal():
    found = score_differences([0.7, 0.8], [0.6, 0.7])
    assert found[0] == found[1] == pytest.approx(0.1, abs=1e-15)


def test_differences_keep_the_query_of_their_document():
    apart, index, n_queries = differences_by_query([0.5, 0.9, 0.2], [0.25, 0.4, 0.2], ["b", "a", "b"])
    assert apart.tolist() == [0.25, 0.5, 0.0]
    assert (index[0] == index[2] != index[1], n_queries) == (True, 2)
    with pytest.raises(UndefinedStatistic, match="no document that both judges scored"):
        differences_by_query([], [], [])
    with pytest.raises(ValueError, match="one query per document"):
        differences_by_query([0.1, 0.2], [0.1, 0.2], ["a"])


def test_one_huge_difference_leaves_the_others_apart():
    # Of 0.1 .. 0.5 and 1e300 the averages with the huge one are the six largest of 21: the 11th of the others, sorted
    # .1 .15 .2 .2 .25 .25 .3 .3 .3 .35 .35 .4 .4 .45 .5, is .35.
    assert walsh_median([0.1, 0.2, 0.3, 0.4, 0.5, 1e300]) == pytest.approx(0.35, abs=1e-15)
    found = shift(
        [*np.tile([0.1, 0.2, 0.3, 0.4, 0.5], 3), 1e300], np.arange(16), resampling=Resampling(1, resamples=100)
    )
    assert 0.2 <= found.interval.low < found.value < found.interval.high < 0.5


def test_many_huge_differences_end_the_search():
    # Half of them are huge and their sums with small ones all equal.
    found = walsh_median(np.r_[np.linspace(0.1, 0.9, 300), np.full(300, 1e300) * np.linspace(1, 2, 300)])
    assert found == pytest.approx(by_listing(np.r_[np.linspace(0.1, 0.9, 300), 1e300 * np.linspace(1, 2, 300)]))


def test_bad_input_is_refused():
    with pytest.raises(UndefinedStatistic, match="no difference"):
        walsh_median([])
    with pytest.raises(ValueError, match="1 of 2 differences are missing"):
        shift([0.1, np.nan], [0, 1], resampling=Resampling(1))
    with pytest.raises(ValueError, match="one cluster per difference"):
        shift([0.1, 0.2], [0], resampling=Resampling(1))
    with pytest.raises(ValueError, match="one score per document"):
        score_differences([0.1, 0.2], [0.1])
    with pytest.raises(ValueError, match="1 of 2 documents lack a score"):
        score_differences([0.1, np.nan], [0.1, 0.2])
