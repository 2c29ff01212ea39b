"""The plot of the anchor over time: what it shows of one occasion, of several, and of undefined ones."""

from typing import Any

import pandas as pd
import pytest

from reports.fidelity.plots.decision import drift
from tests.reports.specifications import axis_of, drawn, legend_of, lines_at, texts, titles


def occasions(n: int, **columns: Any) -> pd.DataFrame:
    """Weekly rows of table `drift`; the first is the pinned one."""
    days = [str(day.date()) for day in pd.date_range("2026-01-05", periods=n, freq="7D")]
    later: dict[str, Any] = {"shift": 0.02, "shift_low": 0.0, "shift_high": 0.04}
    later |= {"icc": 0.9, "icc_low": 0.8, "icc_high": 0.95}
    rows = [{"occasion": day, "pinned": days[0], "n_pinned": 6} | (later if day != days[0] else {}) for day in days]
    same = dict.fromkeys(("same_identity", "same_models", "same_material"), True)
    return pd.DataFrame(rows, columns=["occasion", "pinned", "n_pinned", *later]).assign(**{**same, **columns})


def panels_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The two panels as drawn."""
    return list(drawn(drift(frame, 0.05, 0.85))["concat"])


def test_shift_and_agreement_stand_over_days_with_their_limits() -> None:
    above, below = panels_of(occasions(5))
    assert legend_of(above) == ["same judge", "pinned 2026-01-05", "limit ±0.05"]
    assert legend_of(below) == ["same judge", "needed 0.85"]
    assert lines_at(above) == [0.0, -0.05, 0.05]
    assert lines_at(below) == [0.85]
    assert titles(above) == ["Anchor of 6 objects over time"]


def test_occasions_of_another_judge_have_a_colour_of_their_own() -> None:
    above, _ = panels_of(occasions(3, same_identity=[True, True, False]))
    assert legend_of(above)[:2] == ["same judge", "judge or material changed"]


def test_the_pinned_occasion_alone_says_that_there_is_nothing_to_compare() -> None:
    _, below = panels_of(occasions(1))
    assert texts(below) == ["nothing to compare with the pinned occasion yet"]


def test_undefined_occasions_leave_a_gap() -> None:
    above, below = panels_of(occasions(3, shift=None, icc=None))
    assert "same judge" not in legend_of(above) + legend_of(below)


@pytest.mark.parametrize("n", [2, 7, 8, 60])
def test_the_days_that_are_named_do_not_crowd(n: int) -> None:
    _, below = panels_of(occasions(n))
    assert 2 <= len(axis_of(below, "x")["axis"]["values"]) <= 7


def test_a_low_bound_is_not_cut_off() -> None:
    _, below = panels_of(occasions(2, icc_low=-0.6))
    assert axis_of(below, "y")["scale"]["domain"][0] < -0.6
