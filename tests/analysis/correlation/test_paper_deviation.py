"""Our number next to a paper's: bounds, directions, and no interval."""

import pytest

from analysis.correlation.paper_deviation import paper_deviation
from analysis.resampling.bootstrap import Interval, no_interval

INTERVAL = Interval(0.80, 0.90, "percentile bootstrap, 1000 resamples, 25 clusters", 25, False, 0)


def test_a_value_outside_the_interval_deviates():
    found = paper_deviation(0.85, INTERVAL, 0.68)
    assert (found.delta, found.relative) == pytest.approx((0.17, 0.25), abs=1e-12)
    assert (found.direction, found.deviates) == ("above", True)


@pytest.mark.parametrize("paper", [0.80, 0.1 + 0.7, 0.86, 0.90])
def test_a_value_inside_or_on_a_bound_does_not(paper):
    assert paper_deviation(0.85, INTERVAL, paper).deviates is False


def test_below_and_equal_are_named():
    assert paper_deviation(0.85, INTERVAL, 0.95).direction == "below"
    assert paper_deviation(0.1 + 0.2, INTERVAL, 0.3).direction == "equal"


def test_relative_is_taken_of_the_papers_size():
    assert paper_deviation(-0.4, INTERVAL, -0.5).relative == pytest.approx(0.2, abs=1e-12)
    assert paper_deviation(0.4, INTERVAL, 0.0).relative is None


def test_without_an_interval_nothing_is_said_about_chance():
    found = paper_deviation(0.85, no_interval("3 clusters, fewer than 5", 3), 0.2)
    assert (found.deviates, found.reason) == (None, "none: 3 clusters, fewer than 5")


@pytest.mark.parametrize("paper", [float("nan"), float("inf")])
def test_a_paper_without_a_number_is_refused(paper):
    with pytest.raises(ValueError, match="finite"):
        paper_deviation(0.85, INTERVAL, paper)
