"""When two numbers are equal: by hand, against exact arithmetic, in any unit, on files with tiny or huge scores."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.accuracy.hit_rate import hit_rate
from analysis.agreement.alternative_annotator import alternative_annotator
from analysis.agreement.judge_bias import judge_bias
from analysis.agreement.page_trend import page_trend
from analysis.correlation.correlation import correlations
from analysis.correlation.score_correlation import score_correlations
from analysis.correlation.separation import separation
from analysis.preference.accuracy import predicted_winners
from analysis.resampling.bootstrap import Resampling
from analysis.significance.signed_rank import signed_rank
from analysis.significance.walsh import score_differences
from analysis.ties import ceiling, compare, differences, join_ties, row_means, snap

pytestmark = pytest.mark.filterwarnings("error")

# Two judges' scores of 20 documents, 1 to 4.
FIRST = np.array([1, 2, 3, 4, 3, 2, 4, 2, 4, 1, 2, 2, 2, 4, 2, 2, 2, 2, 2, 1])
SECOND = np.array([2, 3, 4, 4, 4, 3, 4, 1, 3, 1, 3, 3, 1, 4, 3, 3, 1, 3, 1, 2])
QUICK = {"resampling": Resampling(1, resamples=40)}


@pytest.mark.parametrize("scale", [(1, 4), (1, 5), (0, 1e-11), (-1e6, 1e6), (0, 3)])
def test_a_rescaled_scale_leaves_ranks_and_p_alone(scale):
    # 16 differences of one step, 11 down and 5 up, and 4 zeros below them: all ranks are 4 + 8.5, V = 5 * 12.5.
    one, two = ((scores - scale[0]) / (scale[1] - scale[0]) for scores in (FIRST, SECOND))
    found = signed_rank(score_differences(one, two))
    assert (found.statistic, found.n_zero) == (62.5, 4)
    # The smaller side has at most 5 of 16 heads: 2 * (1 + 16 + 120 + 560 + 1820 + 4368) / 65536.
    assert found.p == 2 * 6885 / 65536 == pytest.approx(0.2101, abs=1e-4)
    bias = judge_bias(one, two, np.arange(20), **QUICK)
    assert not bias.biased
    assert bias.query_medians.p == found.p


def test_equal_differences_are_equal_and_zero_has_no_sign():
    assert 0.7 - 0.6 != 0.8 - 0.7
    found = differences([0.7, 0.8, 0.6, 0.3], [0.6, 0.7, 0.7, 0.1 + 0.2])
    assert found[0] == found[1] == -found[2]
    assert found[3] == 0.0
    assert not np.signbit(differences([-0.0], [0.0]))[0]


def test_a_group_begins_where_the_gap_is_larger_than_the_tolerance():
    # Operands of 1: gaps of 0.9e-12 join, however many follow each other; one of 1.1e-12 does not.
    values = 0.5 + 1e-12 * np.array([0.0, 0.9, 1.8, 2.9])
    assert join_ties(values, 1.0).tolist() == [values[0]] * 3 + [values[3]]
    # Operands of 1000 join all of them; the values' own size joins none.
    assert len(set(join_ties(values, 1000.0))) == 1
    assert join_ties(values).tolist() == values.tolist()
    # A gap of exactly the tolerance is no larger than it, and so is a distance from 0: a quarter of operands of 1.
    assert join_ties([1.0, 1.25, 1.75, -1.25, 0.25], 1.0, relative=0.25).tolist() == [1.0, 1.0, 1.75, -1.0, 0.0]
    # The larger operand of the two decides: that of the first value, or of the second.
    assert join_ties([1.0, 1.25], [1.0, 0.1], relative=0.25).tolist() == [1.0, 1.0]
    assert join_ties([1.0, 1.25], [0.1, 1.0], relative=0.25).tolist() == [1.0, 1.0]
    assert join_ties([1.0, 2.0, 2.4], [0.1, 2.0, 0.1], relative=0.25).tolist() == [1.0, 2.0, 2.0]
    assert join_ties(np.array([[1.0, 1.25], [np.nan, 0.0]]), 1.0, relative=0.25).shape == (2, 2)


def test_one_huge_score_leaves_the_others_apart():
    huge = differences([1e300, 0.3, 0.4, 1e300], [0.1, 0.1, 0.3, 1e300])
    assert huge[1:].tolist() == [*differences([0.3, 0.4], [0.1, 0.3]), 0.0]


def test_means_of_the_same_scores_are_equal():
    rows = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.2, 0.2], [0.1, 0.3, np.nan]])
    assert len(set(np.nanmean(rows, axis=1).tolist())) > 1
    assert len(set(row_means(rows).tolist())) == 1
    assert len(set(row_means(rows * 1e-12).tolist())) == 1


def test_a_limit_is_neither_above_nor_below_itself():
    assert compare(0.1 + 0.2, 0.3) == 0
    assert compare([0.3 + 1e-9, 0.3 - 1e-9, np.nan], 0.3).tolist() == pytest.approx([1, -1, np.nan], nan_ok=True)
    assert compare(1e-15) == 1  # a number that was read
    assert compare(1e-15, operands=0.3) == 0  # what is left of 0.3 - 0.3
    assert compare([1e-12, -1e-12, 1.01e-12], operands=1.0).tolist() == [0, 0, 1]  # as far as that, and further
    assert compare([2.1e-12, 1.9e-12], operands=[-1.0, -2.0]).tolist() == [1, 0]  # the size of an operand counts
    assert snap([0.1 + 0.2, 0.31], [0.1, 0.3]).tolist() == [0.3, 0.31]
    assert snap([[0.1 + 0.2, 0.5], [0.7, 0.1]], [0.1, 0.3, 0.5]).tolist() == [[0.3, 0.5], [0.7, 0.1]]
    assert snap([1e-13], [0.0]).tolist() == [1e-13]  # a number that was read
    assert snap([1e-13], [0.0], 0.3).tolist() == [0.0]  # what is left of arithmetic
    assert (ceiling(0.07 * 100), ceiling(7.01), -ceiling(-0.29 * 100)) == (7, 8, 29)


@given(
    st.lists(st.tuples(*[st.integers(0, 40)] * 2), min_size=2, max_size=30),
    st.sampled_from([(7, 0), (3, 5), (300, 1), (4, 10**6)]),
)
def test_differences_tie_where_those_of_exact_fractions_do(pairs, scale):
    steps, shift = scale
    one, two = (np.array([(score + shift) / steps for score in side]) for side in zip(*pairs, strict=True))
    exact = [abs(Fraction(a + shift, steps) - Fraction(b + shift, steps)) for a, b in pairs]
    found = np.abs(differences(one, two))
    np.testing.assert_array_equal(stats.rankdata(found), stats.rankdata([float(value) for value in exact]))


def test_scores_nearer_than_12_decimals_are_different_scores():
    truth = np.arange(1.0, 13.0)
    tiny = 1e-13 * np.array([1, 3, 2, 4, 6, 5, 7, 9, 8, 10, 12, 11])
    found = score_correlations(tiny, truth, higher_is_better=True, **QUICK)["srcc"].oriented
    assert found.value == pytest.approx(stats.spearmanr(tiny, truth).statistic, abs=1e-12)


FILES = {
    "log-likelihoods": lambda r: (-1e5 - r.gamma(2.0, 1e-3, 60), r.normal(size=60)),
    "probabilities": lambda r: (10.0 ** r.uniform(-30, -12, 60), r.normal(size=60)),
    "perplexities": lambda r: (10.0 ** r.uniform(0, 40, 60), r.normal(size=60)),
    "far from zero": lambda r: (1.7e12 + np.arange(60.0) % 17, r.normal(size=60)),
    "one huge": lambda r: (np.r_[1e300, r.normal(size=59)], r.normal(size=60)),
    "one not so huge": lambda r: (np.r_[1e13, r.random(59)], r.random(60)),
    "both tiny": lambda r: (1e-300 * r.random(60), 1e-290 * r.random(60)),
    "both huge": lambda r: (1e300 * r.random(60), 1e305 * r.random(60)),
}


@pytest.mark.parametrize("file", FILES)
def test_correlations_are_scipys_on_the_raw_columns(file):
    random = np.random.default_rng(5)
    x, noise = FILES[file](random)
    y = stats.rankdata(x) / 60 + 0.1 * noise if np.ptp(noise) < 100 else noise
    found = correlations(x, y, **QUICK)
    assert found["spearman"].value == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert found["kendall"].value == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    assert found["spearman"].p == pytest.approx(stats.spearmanr(x, y).pvalue, rel=1e-9)
    # Pearson's in numbers of 40 digits: scipy's own loses them far from zero.
    exact = [[Fraction(value) for value in side.tolist()] for side in (x, y)]
    dx, dy = ([value - sum(side) / 60 for value in side] for side in exact)
    both = sum(a * b for a, b in zip(dx, dy, strict=True))
    squared = float(both**2 / (sum(a * a for a in dx) * sum(b * b for b in dy)))
    assert found["pearson"].value == pytest.approx((squared**0.5 if both > 0 else -(squared**0.5)), abs=1e-9)
    for one in found.values():
        # Ranks in perfect order are at the limit of their statistic: there is no interval, and it says why.
        at_limit = one.value >= 1.0 - 1e-12
        assert (one.interval.low is None) == at_limit
        assert ("at its limit" in one.interval.method) == at_limit


RANK_STATISTICS = {
    "spearman": lambda s: correlations(s[:, 0], s[:, 1], kinds=("spearman",), **QUICK)["spearman"],
    "kendall": lambda s: correlations(s[:, 0], s[:, 1], kinds=("kendall",), **QUICK)["kendall"],
    "separation": lambda s: separation(s[:, 0], s[:, 1], resampling=Resampling(1)),
    "hits": lambda s: hit_rate(s[:, 0], s[:, 1], "worse", resampling=Resampling(1))[:7],
    "signed_rank": lambda s: signed_rank(score_differences(s[:, 0], s[:, 1])),
    "query_medians": lambda s: judge_bias(s[:, 0], s[:, 1], np.arange(len(s)) // 2, **QUICK).query_medians[:7],
    "page_trend": lambda s: page_trend(differences(s[:, :1], s[:, 1:]), [1, 2, 3]),
    "alternative_annotator": lambda s: alternative_annotator(s[:, 1:], s[:, 0], fewest_instances=2),
    "predicted_winners": lambda s: predicted_winners(s[:, 0], s[:, 1]).tolist(),
    "agreement of means": lambda s: correlations(row_means(s[:, :3]), s[:, 3], kinds=("kendall",), **QUICK),
}
scores = st.lists(st.integers(0, 9), min_size=40, max_size=40).map(lambda cells: np.array(cells).reshape(10, 4))


def outcome(statistic, matrix):
    try:
        return statistic(matrix)
    except ValueError as reason:  # also an undefined statistic's
        return str(reason)


@pytest.mark.parametrize("name", RANK_STATISTICS)
@settings(max_examples=25, deadline=None)
@given(
    whole=scores,
    step=st.sampled_from([1, 10, 3, 7, 300]),
    factor=st.sampled_from([1e-12, 3.0, 1e9]),
    shift=st.sampled_from([0, 64, 4096, 10**6]),
)
def test_scale_and_shift_change_no_rank_no_sign_and_no_tie(name, whole, step, factor, shift):
    statistic = RANK_STATISTICS[name]
    expected = outcome(statistic, whole.astype(float))
    assert outcome(statistic, whole / step * factor) == expected
    assert outcome(statistic, (whole + shift * step) / step) == expected


@pytest.mark.parametrize("name", RANK_STATISTICS)
@settings(max_examples=25, deadline=None)
@given(whole=scores, step=st.sampled_from([1, 10, 3]))
def test_one_huge_row_is_no_more_than_a_large_one(name, whole, step):
    large, huge = whole / step, whole / step
    large[0], huge[0] = [1e3, 4e3, 2e3, 3e3], [1e300, 4e300, 2e300, 3e300]
    assert outcome(RANK_STATISTICS[name], huge) == outcome(RANK_STATISTICS[name], large)


def test_one_huge_score_costs_no_interval(shared_inputs):
    # One prediction of 1e13 among numbers of 0-1.
    path = shared_inputs / "c01_one_huge_score.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    columns = [np.array([row[name] for row in rows]) for name in ("prediction", "mos")]
    found = score_correlations(*columns, higher_is_better=True, resampling=Resampling(42))["srcc"].oriented
    assert found.value == pytest.approx(0.906, abs=5e-4)
    assert found.interval.low < 0.906 < found.interval.high
    assert found.interval.n_dropped == 0
