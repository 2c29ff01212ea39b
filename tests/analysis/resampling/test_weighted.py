"""Correlations of counts: scipy on wide and on huge resamples, and discordant pairs by a plain loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from analysis.agreement.chance_corrected import chance_corrected
from analysis.resampling.weighted import (
    discordance_of_counts,
    gwet_of_counts,
    kappa_of_counts,
    kendall_of_counts,
    pearson_of_counts,
    spearman_of_counts,
)
from tests.analysis.resampling.counts import resample_counts

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
OF_COUNTS = {"pearson": pearson_of_counts, "spearman": spearman_of_counts, "kendall": kendall_of_counts}
every_kind = pytest.mark.parametrize("kind", OF_COUNTS)


@every_kind
@pytest.mark.parametrize("ties", [False, True])
def test_3000_samples_in_clusters_equal_scipy_on_each_resample(kind, ties):
    rng = np.random.default_rng(8)
    x = rng.random(3000)
    y = 0.6 * x + 0.4 * rng.random(3000)
    if ties:
        x, y = np.round(x, 2), np.round(y, 1)
    clusters = rng.integers(0, 25, 3000)
    counts = resample_counts(clusters, 8, 1)
    expected = [SCIPY[kind](np.repeat(x, row), np.repeat(y, row)).statistic for row in counts]
    assert OF_COUNTS[kind](x, y)(counts) == pytest.approx(expected, abs=1e-12)


@every_kind
def test_a_row_does_not_depend_on_the_rows_beside_it(kind):
    rng = np.random.default_rng(8)
    function = OF_COUNTS[kind](rng.random(700), rng.random(700))
    counts = resample_counts(np.arange(700), 90, 1)
    together = function(counts)
    assert [function(row[None, :])[0] for row in counts] == pytest.approx(together, abs=1e-14)


@pytest.mark.parametrize("kind", ["spearman", "kendall"])
def test_a_million_copies_of_a_resample_have_its_correlation(kind):
    # Both coefficients are ratios of forms of one degree in the counts. 8 million copies in all leave 64-bit cubes.
    x, y, counts = np.array([0.1, 0.4, 0.2, 0.4]), np.array([0.3, 0.9, 0.1, 0.5]), np.array([[2, 1, 3, 2]])
    assert (int(counts.sum()) * 1_000_000) ** 3 > 2**63
    function = OF_COUNTS[kind](x, y)
    assert function(counts * 1_000_000)[0] == pytest.approx(function(counts)[0], abs=1e-14)


def test_spearman_of_counts_beyond_a_byte_and_of_many_values_is_that_of_the_values():
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=20_000).round(2), rng.normal(size=20_000)
    y += x
    counts = rng.integers(0, 3, size=(1, 20_000))
    counts[0, 7] = 300
    small = np.minimum(counts, 255)
    for row in (counts, small):
        expected = stats.spearmanr(np.repeat(x, row[0]), np.repeat(y, row[0])).statistic
        assert OF_COUNTS["spearman"](x, y)(row)[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_pearson_keeps_its_digits_far_from_zero_and_in_any_unit(scale):
    rng = np.random.default_rng(1)
    x = (1000.0 + rng.random(200)) * scale
    y = x / scale + rng.random(200)
    counts = resample_counts(np.arange(200), 20, 1)
    expected = [stats.pearsonr(np.repeat(x, row), np.repeat(y, row)).statistic for row in counts]
    assert pearson_of_counts(x, y)(counts) == pytest.approx(expected, abs=1e-12)


def test_discordant_pairs_of_four_by_hand():
    # x 1 2 3 4, y 2 1 4 3: discordant are (1, 2) and (3, 4). With counts 2 3 1 1 they are 2*3 + 1*1.
    discordance = discordance_of_counts(np.array([1, 2, 3, 4]), np.array([2, 1, 4, 3]))
    assert discordance(np.array([[1, 1, 1, 1], [2, 3, 1, 1], [1, 0, 5, 0]])).tolist() == [2, 7, 0]


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_any_discordance_equals_a_plain_loop_over_pairs(data):
    n = data.draw(st.integers(1, 20))
    column = st.lists(st.integers(0, 6), min_size=n, max_size=n)
    x, y, counts = (np.array(data.draw(column)) for _ in range(3))
    looped = sum(counts[i] * counts[j] for i in range(n) for j in range(i) if (x[i] - x[j]) * (y[i] - y[j]) < 0)
    assert discordance_of_counts(x, y)(counts[None, :]).tolist() == [looped]


@pytest.mark.parametrize(("ordered", "weights"), [(False, "unweighted"), (True, "quadratic")], ids=["AC1", "AC2"])
def test_gwet_of_counts_is_that_of_the_repeated_rows(ordered: bool, weights: str) -> None:
    random = np.random.default_rng(6)
    pairs = random.integers(1, 5, (30, 2)).astype(float)
    times = random.integers(1, 4, 30)
    expected = chance_corrected(np.repeat(pairs, times, axis=0), "gwet", weights=weights)  # type: ignore[arg-type]
    assert gwet_of_counts(*pairs.T, ordered=ordered)(times[None, :])[0] == pytest.approx(expected.value)


def test_linear_kappa_of_counts_is_scikit_learns() -> None:
    random = np.random.default_rng(7)
    x, y = random.integers(0, 4, (2, 50)).astype(float)
    expected = cohen_kappa_score(x, y, weights="linear")
    assert kappa_of_counts(x, y, ordered=True, power=1)(np.ones((1, 50), dtype=int))[0] == pytest.approx(expected)
