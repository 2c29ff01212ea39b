"""Gates in made studies: half pass by the number at their threshold, few by its bound, and none that is hopeless."""

import pytest
from scipy.stats import binom, norm

from tools.gate_rates import (
    annotator_gates,
    drift_gates,
    low_share_gates,
    number_gates,
    steadiness_gates,
    validity_gates,
)

# Simulations take their time.
pytestmark = pytest.mark.slow


def test_at_its_threshold_a_bound_passes_seldom_and_a_number_about_half_of_the_time():
    found = [row for row in number_gates(seed=1, data_sets=200) if row.clusters == 20]
    at_threshold = [row for row in found if row.truth == pytest.approx(row.needed)]
    assert len(at_threshold) == 6
    for row in at_threshold:
        assert 0.3 < row.by_number < 0.75, row
        assert row.by_bound < 0.07, row
    for row in found:
        better = (row.needed - row.truth if row.at_most else row.truth - row.needed) / row.needed
        if better < -0.07:
            assert row.by_bound < 0.03, row
            assert row.by_number < 0.3, row
        elif better > 0.07:
            assert row.by_number > 0.8, row


def test_valid_answers_are_exactly_binomial():
    # Of 100 calls at least 98 valid at a true share of 0.95: P(X <= 2) of 5 % faults.
    rate = next(row for row in validity_gates() if (row.truth, row.clusters) == (0.95, 100))
    assert rate.by_number == pytest.approx(binom.cdf(2, 100, 0.05), abs=1e-12)
    # Not even 100 of 100 has a lower bound of 0.98: 189 are needed.
    assert rate.by_bound == 0.0


def test_the_alternative_annotator_test_tells_an_unrelated_judge_from_a_person():
    rates = {(judge, n): rate for judge, n, rate in annotator_gates(seed=1, data_sets=20)}
    assert rates["unrelated", 200] == 0.0
    assert rates["half a person's noise", 200] == 1.0


def test_the_median_mad_and_the_share_of_low_queries_pass_as_their_truth_says():
    found = [*steadiness_gates(seed=1, data_sets=200), *low_share_gates(seed=1, data_sets=200)]
    for row in found:
        if row.truth > 1.2 * row.needed:
            assert row.by_number < 0.5, row
        elif row.truth < 0.85 * row.needed:
            assert row.by_number > 0.8, row
        assert row.by_bound is None


def test_the_shift_of_an_anchor_is_that_of_a_mean_of_clusters():
    # 30 objects in 10 clusters of 3 that share 0.24: variance 0.05^2 (1 + 2 x 0.24) / 30; both limits count.
    rate = next(row for row in drift_gates() if (row.truth, row.clusters) == (0.08, 10))
    error = 0.05 * (1.48 / 30) ** 0.5
    assert rate.by_number == pytest.approx(norm.cdf((0.05 - 0.08) / error) - norm.cdf((-0.05 - 0.08) / error), rel=1e-9)
    at_limit = next(row for row in drift_gates() if row.truth == row.needed)
    assert at_limit.by_number == pytest.approx(0.5, abs=1e-6)
