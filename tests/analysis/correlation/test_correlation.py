"""Tests of `analysis/correlation/correlation.py`."""

import csv
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.conformance.published import GPA, LSAT
from analysis.correlation.correlation import KINDS, correlation, correlations, usual_p
from analysis.resampling.bootstrap import CHUNK, Resampling, percentile_interval
from analysis.resampling.exact_permutation import exact_p
from analysis.resampling.weighted import kendall_of_counts, pearson_of_counts, spearman_of_counts
from analysis.ties import differences, row_means
from analysis.undefined import UndefinedStatistic
from tests.analysis.jackknifed import jackknifed

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
OF_COUNTS = {"pearson": pearson_of_counts, "spearman": spearman_of_counts, "kendall": kendall_of_counts}


def looped_values(kind, x, y, clusters, resamples, seed):
    """Every resample written out, cluster by cluster, and handed to scipy."""
    names = sorted(set(clusters))
    members = [[i for i, label in enumerate(clusters) if label == name] for name in names]
    values = []
    for child in np.random.SeedSequence(seed).spawn(-(-resamples // CHUNK)):
        rows = min(CHUNK, resamples - len(values))
        for drawn in np.random.default_rng(child).integers(0, len(names), size=(rows, len(names))):
            rows_of_resample = [i for cluster in drawn for i in members[cluster]]
            a, b = x[rows_of_resample], y[rows_of_resample]
            constant = len(set(a)) == 1 or len(set(b)) == 1
            values.append(np.nan if constant else SCIPY[kind](a, b).statistic)
    return np.array(values)


def test_pearson_of_four_pairs_is_the_published_number():
    judge, human = [0.8, 0.6, 0.9, 0.7], [0.75, 0.65, 0.85, 0.70]
    assert correlation(judge, human, "pearson", resampling=Resampling(1)).value == pytest.approx(
        0.9827076298, abs=1e-10
    )
    assert usual_p("pearson", judge, human) == pytest.approx(0.01729237, abs=1e-8)


def test_law_schools_give_efrons_correlation():
    # Efron and Tibshirani (1993), table 3.2.
    assert correlation(LSAT, GPA, "pearson", resampling=Resampling(1)).value == pytest.approx(0.77637449, abs=1e-8)


@pytest.mark.parametrize(
    ("metric", "spearman", "kendall", "pearson"),
    [
        ("DSSIM", -0.860908, -0.678464, -0.772744),
        ("SSIMULACRA", -0.673300, -0.485133, -0.662763),
        ("Butteraugli", -0.760307, -0.571815, -0.647701),
    ],
)
def test_3000_real_images_on_scales_beyond_1_give_the_known_correlations(
    shared_data, metric, spearman, kendall, pearson
):
    with (shared_data / "evaluation" / "tid2013_metrics.csv").open() as file:
        rows = list(csv.DictReader(file))
    result = correlations(
        [float(row[metric]) for row in rows],
        [float(row["mos"]) for row in rows],
        [row["ref_img"].lower() for row in rows],
        resampling=Resampling(1, resamples=20),
    )
    seen = [result[kind].value for kind in ("spearman", "kendall", "pearson")]
    assert seen == pytest.approx([spearman, kendall, pearson], abs=5e-7)
    assert result["spearman"].n_clusters == 25


def test_kendall_of_four_pairs_with_a_tie_by_hand():
    # x 1 2 3 4, y 1 3 2 3: of 6 pairs 4 concordant, 1 discordant (2,3), 1 tied in y (2,4).
    # tau-b = (4 - 1) / sqrt(6 * 5).
    result = correlation([0.1, 0.2, 0.3, 0.4], [0.1, 0.3, 0.2, 0.3], "kendall", resampling=Resampling(1))
    assert result.value == pytest.approx(3 / np.sqrt(30), abs=1e-14)


def test_exact_p_of_three_ordered_pairs_is_two_of_six():
    for kind in KINDS:
        result = correlation([0.1, 0.2, 0.3], [0.2, 0.4, 0.6], kind, resampling=Resampling(1))
        assert result.p == pytest.approx(2 / 6, abs=1e-15)
        assert result.p_method == "exact permutation"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ties", [False, True])
def test_exact_p_equals_a_plain_loop_over_all_pairings(kind, ties):
    rng = np.random.default_rng(5)
    x, y = np.round(rng.random(6), 1 if ties else 6), np.round(rng.random(6), 1 if ties else 6)
    observed = abs(SCIPY[kind](x, y).statistic)
    every = [abs(SCIPY[kind](x, list(order)).statistic) for order in itertools.permutations(y)]
    assert exact_p(kind, x, y) == pytest.approx(np.mean([value >= observed - 1e-12 for value in every]), abs=1e-15)


def test_exact_kendall_p_equals_scipys_without_ties():
    x, y = np.arange(9) / 10, np.array([3, 1, 2, 5, 4, 9, 6, 8, 7]) / 10
    assert exact_p("kendall", x, y) == pytest.approx(stats.kendalltau(x, y, method="exact").pvalue, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_from_ten_pairs_on_value_and_p_are_scipys(kind):
    rng = np.random.default_rng(2)
    x = np.round(rng.random(30), 1)
    y = np.round(0.4 * x + 0.6 * rng.random(30), 1)
    result, expected = correlation(x, y, kind, resampling=Resampling(1)), SCIPY[kind](x, y)
    assert (result.value, result.p) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_each_resample_equals_scipy_on_that_resample(kind):
    rng = np.random.default_rng(4)
    clusters = rng.integers(0, 11, 40)
    x = np.round(rng.random(40), 1)
    y = np.round(0.5 * x + 0.5 * rng.random(40), 1)
    looped = looped_values(kind, x, y, clusters.tolist(), 130, seed=9)
    expected = percentile_interval(looped, confidence=0.9, n_clusters=11)
    result = correlations(x, y, clusters, resampling=Resampling(9, confidence=0.9, resamples=130), kinds=(kind,))[kind]
    assert result.interval_percentile[:2] == pytest.approx(expected[:2], abs=1e-12)
    assert result.interval_percentile[2:] == expected[2:]


@pytest.mark.parametrize("kind", KINDS)
def test_the_headline_leaves_each_cluster_out_in_turn_on_fishers_scale(kind):
    rng = np.random.default_rng(4)
    clusters = rng.integers(0, 11, 40)
    x = np.round(rng.random(40), 1)
    y = np.round(0.5 * x + 0.5 * rng.random(40), 1)
    result = correlation(x, y, kind, clusters, resampling=Resampling(9, confidence=0.9))
    corrected = {"pearson": 1.0, "spearman": 0.5, "kendall": 0.5}[kind]
    expected = jackknifed(
        lambda rows: SCIPY[kind](x[rows], y[rows]).statistic, clusters, "z", corrected=corrected, confidence=0.9
    )
    assert result.interval[:2] == pytest.approx(expected, abs=1e-10)
    assert result.interval.method.startswith("delete-one jackknife, Fisher's z, t(")


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_counts_equal_scipy_on_the_rows_written_out(kind, data):
    n = data.draw(st.integers(3, 12))
    grid = st.lists(st.integers(0, 20).map(lambda v: v / 20), min_size=n, max_size=n)
    x, y = np.array(data.draw(grid)), np.array(data.draw(grid))
    counts = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any)))
    a, b = np.repeat(x, counts), np.repeat(y, counts)
    value = OF_COUNTS[kind](x, y)(counts[None, :])[0]
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert np.isnan(value)
    else:
        assert value == pytest.approx(SCIPY[kind](a, b).statistic, abs=1e-12)


def test_digits_survive_a_resample_without_the_outlier():
    # Moments about the full sample's mean would lose 8 digits here.
    x, y = np.array([1e8, 0.1, 0.2, 0.4]), np.array([1.0, 0.3, 0.1, 0.2])
    value = pearson_of_counts(x, y)(np.array([[0, 2, 1, 3]]))[0]
    expected = stats.pearsonr(np.repeat(x, [0, 2, 1, 3]), np.repeat(y, [0, 2, 1, 3])).statistic
    assert value == pytest.approx(expected, abs=1e-12)


def test_equal_differences_in_floating_point_count_as_ties():
    # 0.7 - 0.6 and 0.8 - 0.7 differ in the last bit; without joining they would be two ranks.
    x = differences([0.7, 0.8, 0.4, 0.5], [0.6, 0.7, 0.1, 0.1])
    result = correlation(x, [0.2, 0.1, 0.3, 0.4], "kendall", resampling=Resampling(1))
    # 5 concordant pairs, 1 tied in x: 5 / sqrt(5 * 6).
    assert result.value == pytest.approx(5 / np.sqrt(30), abs=1e-14)


def test_a_p_value_that_ignores_products_says_so_and_the_interval_decides():
    # 12 objects, 6 products with both objects alike: the t-test counts each product twice.
    human = np.repeat([0.1, 0.3, 0.5, 0.6, 0.8, 0.9], 2)
    judge = np.repeat([0.5, 0.2, 0.4, 0.7, 0.5, 0.8], 2)
    result = correlation(judge, human, "pearson", np.repeat(np.arange(6), 2), resampling=Resampling(1))
    assert result.p_method == "t distribution, assumes independence"
    assert result.p < 0.05
    assert result.significant is (result.interval.low > 0)
    assert (result.n, result.n_clusters, result.interval.unreliable) == (12, 6, False)


def test_significance_is_unknown_where_products_repeat_and_are_too_few():
    result = correlation(
        [0.1, 0.2, 0.3, 0.4], [0.1, 0.3, 0.2, 0.4], "spearman", ["a", "a", "b", "b"], resampling=Resampling(1)
    )
    assert result.significant is None
    assert result.interval.low is None


def test_all_kinds_together_are_each_alone():
    rng = np.random.default_rng(0)
    x, y = rng.random(20), rng.random(20)
    together = correlations(x, y, resampling=Resampling(8))
    assert together == {kind: correlation(x, y, kind, resampling=Resampling(8)) for kind in KINDS}


def test_two_pairs_are_too_few():
    with pytest.raises(UndefinedStatistic, match="only 2 pairs, at least 3"):
        correlation([0.1, 0.2], [0.1, 0.2], "pearson", resampling=Resampling(1))


def test_a_constant_side_is_named():
    with pytest.raises(UndefinedStatistic, match="all 3 human scores are equal"):
        correlation([0.1, 0.2, 0.3], [0.5, 0.5, 0.5], "pearson", resampling=Resampling(1))


def test_means_that_differ_in_the_last_bit_are_constant():
    with pytest.raises(UndefinedStatistic, match="all 3 judge scores are equal"):
        correlation(
            row_means([[0.3, 0.3], [0.1, 0.5], [0.2, 0.4]]), [0.1, 0.2, 0.3], "spearman", resampling=Resampling(1)
        )


def test_ten_pairs_are_too_many_for_all_permutations():
    with pytest.raises(ValueError, match="too many"):
        exact_p("pearson", np.arange(10.0), np.arange(10.0))
