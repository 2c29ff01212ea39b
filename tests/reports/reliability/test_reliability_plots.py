"""The charts of study D: what is on them, of one validation, of many, of none, and of queries without a kappa."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from reports.reliability.plots import MOST_PANELS, difference_panels, kappa_history, kappa_panels
from tests.assets.reliability.made_judgments import BASE, THREE, query_kappa_of
from tests.reports.specifications import axis_of, drawn, legend_of, lines_at, rows_of, texts, titles


def validations(*statuses: str, **columns: Any) -> pd.DataFrame:
    """Rows of table `kappa_validation`, as far as the chart reads it."""
    numbers = {"kappa_macro": 0.6, "kappa_micro": 0.65}
    bounds = {f"{name}_{side}": value for name in numbers for side, value in (("low", 0.5), ("high", 0.75))}
    known = {"timestamp": pd.Timestamp("2026-01-02T03:04Z"), "total_queries": 40}
    return pd.DataFrame([{**numbers, **bounds, **known, "status": status} for status in statuses]).assign(**columns)


def test_both_kappas_stand_over_validations_with_the_limit_and_what_each_led_to() -> None:
    spec = drawn(kappa_history(validations("contingency_triggered", "contingency_triggered", "passed"), 0.7, 0.7))
    assert legend_of(spec) == ["Kappa, macro", "Kappa, micro", "passed", "contingency"]
    assert texts(spec) == ["needed: at least 0.7"]
    assert lines_at(spec) == [0.7]
    assert axis_of(spec, "x")["axis"]["values"] == [1, 2, 3]
    assert [row["y"] for row in rows_of(spec, "line")[0]] == [0.6, 0.6, 0.6]


def test_two_limits_are_two_lines_and_a_low_bound_is_not_cut_off() -> None:
    spec = drawn(kappa_history(validations("resolved_by_review", kappa_micro_low=-0.3), 0.7, 0.6))
    assert "needed of micro: at least 0.6" in texts(spec)
    assert axis_of(spec, "y")["scale"]["domain"][0] < -0.3


def test_a_validation_without_bounds_is_a_point() -> None:
    spec = drawn(kappa_history(validations("passed", kappa_macro_low=np.nan, kappa_macro_high=np.nan), 0.7, 0.7))
    assert [len(rows) for rows in rows_of(spec, "point")] == [1, 1]


def test_before_the_first_validation_the_chart_says_so() -> None:
    assert texts(drawn(kappa_history(validations("passed").iloc[:0], 0.7, 0.7))) == ["There is no validation yet."]


@pytest.mark.parametrize("n", [1, 12, 13, 200])
def test_the_validations_that_are_numbered_do_not_crowd(n: int) -> None:
    spec = drawn(kappa_history(validations(*["passed"] * n), 0.7, 0.7))
    assert 1 <= len(axis_of(spec, "x")["axis"]["values"]) <= 12


def test_low_queries_the_others_and_those_without_a_kappa_are_counted() -> None:
    # Kappas 0.5, 1, none and -1.
    spec = drawn(kappa_panels(query_kappa_of(BASE), 0.4))
    assert legend_of(spec) == ["low kappa", "other queries", "one label throughout (0/0)"]
    [bars] = rows_of(spec, "rect")
    assert [(round(bar["x"], 1), bar["y2"]) for bar in bars] == [(-1.0, 1), (0.5, 1), (0.9, 1), (1.1, 1)]
    assert titles(spec) == ["careful and hasty"]


def test_each_pair_of_judges_has_a_panel_up_to_a_number() -> None:
    scores = {query: {doc: (*given, 0.4) for doc, given in docs.items()} for query, docs in BASE.items()}
    frame = query_kappa_of(scores, THREE)
    assert len(drawn(kappa_panels(frame, 0.4))["concat"]) == 3
    many = pd.concat([frame.assign(judge_1=f"judge {number}") for number in range(9)])
    assert len(drawn(kappa_panels(many, 0.4))["concat"]) == MOST_PANELS


def test_differences_stand_around_zero_with_the_shift() -> None:
    bias = pd.DataFrame([{"judge_1": "$a$", "judge_2": "b", "test": "pooled", "shift": 0.125}])
    spec = drawn(difference_panels({("$a$", "b"): np.array([0.1, 0.15])}, bias))
    assert lines_at(spec) == [0.0, 0.125]
    assert texts(spec) == ["shift 0.125"]
    assert titles(spec) == ["$a$ - b"]


def test_differences_without_a_test_have_no_shift_and_without_judges_say_so() -> None:
    bias = pd.DataFrame([{"judge_1": "a", "judge_2": "b", "test": "pooled", "shift": None}])
    spec = drawn(difference_panels({("a", "b"): np.array([])}, bias))
    assert (lines_at(spec), texts(spec)) == ([0.0], [])
    assert texts(drawn(difference_panels({}, bias))) == ["no two judges scored the same documents"]
