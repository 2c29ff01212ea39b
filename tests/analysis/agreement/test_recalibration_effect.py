"""What judging again did to kappa: by hand, against scikit-learn, paired by query."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from analysis.agreement.recalibration_effect import recalibration_effect
from analysis.resampling.bootstrap import Resampling
from tests.analysis.jackknifed import freedom_of, jackknifed, left_out

# Documents relevant to both, to the first alone, to the second alone, to neither.
PERFECT, CHANCE, ONE_LABEL = [2, 0, 0, 2], [1, 1, 1, 1], [0, 0, 0, 4]


def every(n):
    return {"all": np.ones(n, dtype=bool)}


def random_tables(seed, n):
    return np.random.default_rng(seed).integers(0, 4, (n, 4)) + [1, 0, 0, 1]


def test_from_chance_to_perfect_by_hand():
    # Before: kappa 0, 0 and 1 by convention: macro 1/3; pooled 2 2 2 6: p_o 8/12, p_e (4 x 4 + 8 x 8)/144 = 5/9: 1/4.
    before, after = [CHANCE, CHANCE, ONE_LABEL], [PERFECT, PERFECT, ONE_LABEL]
    macro, micro = recalibration_effect(before, after, every(3), resampling=Resampling(1))
    assert (macro.part, macro.statistic, macro.n_queries) == ("all", "kappa_macro", 3)
    assert (macro.before, macro.after, macro.change) == pytest.approx((1 / 3, 1, 2 / 3))
    assert (micro.before, micro.after, micro.change) == pytest.approx((1 / 4, 1, 3 / 4))
    assert macro.interval.method == "none: 3 clusters, fewer than 5"


def test_micro_kappa_is_scikit_learns_on_the_pooled_labels():
    before, after = random_tables(1, 12), random_tables(2, 12)
    found = recalibration_effect(before, after, every(12), resampling=Resampling(1))[1]
    for table, value in ((before, found.before), (after, found.after)):
        labels = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], table.sum(axis=0), axis=0)
        assert value == pytest.approx(cohen_kappa_score(*labels.T), abs=1e-12)


def test_the_interval_leaves_each_query_out_of_both_sides():
    before, after = random_tables(3, 20), random_tables(4, 20)
    macro, micro = recalibration_effect(before, after, every(20), resampling=Resampling(9))

    def kappa(table):
        labels = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], table, axis=0)
        return cohen_kappa_score(*labels.T)

    per_query = np.array([kappa(new) - kappa(old) for old, new in zip(before, after, strict=True)])
    expected = jackknifed(lambda rows: per_query[rows].mean(), range(20))
    assert macro.interval[:2] == pytest.approx(expected, abs=1e-12)

    def change(rows):
        return kappa(after[rows].sum(axis=0)) - kappa(before[rows].sum(axis=0))

    value, left = left_out(change, range(20))
    half = np.sqrt(19 / 20 * np.sum((left - left.mean()) ** 2)) * stats.t.ppf(
        0.975, freedom_of((before + after).sum(axis=1) / 2)
    )
    assert micro.interval[:2] == pytest.approx((value - half, value + half), abs=1e-12)


def test_queries_left_alone_change_by_exactly_nothing():
    before = random_tables(5, 30)
    judged_again = np.arange(30) < 12
    after = np.where(judged_again[:, None], PERFECT, before)
    parts = {"judged_again": judged_again, "untouched": ~judged_again}
    found = {
        (one.part, one.statistic): one for one in recalibration_effect(before, after, parts, resampling=Resampling(1))
    }
    for statistic in ("kappa_macro", "kappa_micro"):
        untouched = found["untouched", statistic]
        assert (untouched.change, untouched.interval.low, untouched.interval.high) == (0.0, 0.0, 0.0)
        assert found["judged_again", statistic].interval.low > 0
        assert found["judged_again", statistic].n_queries == 12


def test_queries_without_documents_on_one_side_are_left_out_of_both():
    before, after = random_tables(6, 8), random_tables(7, 8)
    before[0], after[1] = 0, 0
    kept = recalibration_effect(before[2:], after[2:], every(6), resampling=Resampling(1))
    assert recalibration_effect(before, after, every(8), resampling=Resampling(1)) == kept
    assert kept[0].n_queries == 6


def test_other_roles_flip_the_change_and_the_order_of_queries_does_not_matter():
    before, after = random_tables(8, 25), random_tables(9, 25)
    order = np.random.default_rng(1).permutation(25)
    found, shuffled, flipped = (
        recalibration_effect(*tables, every(25), resampling=Resampling(2))
        for tables in ((before, after), (before[order], after[order]), (after, before))
    )
    for one, other, mirror in zip(found, shuffled, flipped, strict=True):
        assert one[2:5] == pytest.approx(other[2:5], abs=1e-12)
        assert one.change == pytest.approx(-mirror.change, abs=1e-12)
        assert one.interval[:2] == pytest.approx((-mirror.interval.high, -mirror.interval.low), abs=1e-12)


def test_one_label_throughout_has_no_micro_kappa():
    macro, micro = recalibration_effect([ONE_LABEL] * 6, [PERFECT] * 6, every(6), resampling=Resampling(1))
    assert (macro.before, macro.after) == (1.0, 1.0)
    assert (micro.before, micro.after, micro.change) == (None, 1.0, None)
    assert "0/0" in micro.undefined
    assert micro.interval.low is None


def test_a_part_without_queries_says_so():
    found = recalibration_effect([PERFECT], [PERFECT], {"held_out": np.array([False])}, resampling=Resampling(1))
    assert [(one.change, one.n_queries) for one in found] == [(None, 0), (None, 0)]
    assert "no query of this part" in found[0].undefined


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="got shapes"):
        recalibration_effect([PERFECT], [PERFECT, CHANCE], every(1), resampling=Resampling(1))
    with pytest.raises(ValueError, match="negative"):
        recalibration_effect([[-1, 0, 0, 1]], [PERFECT], every(1), resampling=Resampling(1))
    with pytest.raises(ValueError, match="part 'all'"):
        recalibration_effect([PERFECT], [PERFECT], every(2), resampling=Resampling(1))
