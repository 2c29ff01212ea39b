"""The plots of study D: what is on them, of one validation, of many, of none, and of queries without a kappa."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from reports.reliability.plots import (
    MOST_PANELS,
    draw_differences,
    draw_kappa_history,
    draw_kappas,
    panels_height_in,
)
from tests.assets.reliability.made_judgments import BASE, THREE, query_kappa_of
from tests.reports.drawn_figures import drawn, texts


def validations(*statuses: str, **columns: Any) -> pd.DataFrame:
    """Rows of table `kappa_validation`, as far as the plot reads it."""
    numbers = {"kappa_macro": 0.6, "kappa_micro": 0.65}
    bounds = {f"{name}_{side}": value for name in numbers for side, value in (("low", 0.5), ("high", 0.75))}
    return pd.DataFrame([{**numbers, **bounds, "status": status} for status in statuses]).assign(**columns)


def labels(axes: Any) -> list[str]:
    return list(axes.get_legend_handles_labels()[1])


def test_both_kappas_stand_over_validations_with_the_limit_and_what_each_led_to() -> None:
    frame = validations("contingency_triggered", "contingency_triggered", "passed")
    [axes] = drawn(lambda figure: draw_kappa_history(figure, frame, 0.7, 0.7)).axes
    assert labels(axes) == ["kappa macro", "kappa micro", "needed 0.7", "contingency triggered", "passed"]
    assert axes.get_xticks().tolist() == [1, 2, 3]
    assert axes.lines[0].get_ydata().tolist() == [0.6, 0.6, 0.6]


def test_two_limits_are_two_lines_and_a_low_bound_is_not_cut_off() -> None:
    frame = validations("resolved_by_review", kappa_micro_low=-0.3)
    [axes] = drawn(lambda figure: draw_kappa_history(figure, frame, 0.7, 0.6)).axes
    assert "needed 0.6" in labels(axes)
    assert axes.get_ylim()[0] < -0.3


def test_a_validation_without_bounds_is_a_point() -> None:
    frame = validations("passed", kappa_macro_low=np.nan, kappa_macro_high=np.nan)
    assert drawn(lambda figure: draw_kappa_history(figure, frame, 0.7, 0.7)).axes


def test_before_the_first_validation_the_plot_says_so() -> None:
    figure = drawn(lambda one: draw_kappa_history(one, validations("passed").iloc[:0], 0.7, 0.7))
    assert texts(figure) == ["there is no validation yet"]


@pytest.mark.parametrize("n", [1, 12, 13, 200])
def test_the_validations_that_are_numbered_do_not_crowd(n: int) -> None:
    [axes] = drawn(lambda figure: draw_kappa_history(figure, validations(*["passed"] * n), 0.7, 0.7)).axes
    assert 1 <= len(axes.get_xticks()) <= 12


def test_low_queries_the_others_and_those_without_a_kappa_are_counted() -> None:
    # Kappas 0.5, 1, none and -1.
    [axes] = drawn(lambda figure: draw_kappas(figure, query_kappa_of(BASE), 0.4)).axes
    assert labels(axes) == ["low (1)", "others (2)", "0/0, one label (1)"]
    assert axes.get_title() == "careful and hasty"


def test_each_pair_of_judges_has_a_panel_up_to_a_number() -> None:
    scores = {query: {doc: (*given, 0.4) for doc, given in docs.items()} for query, docs in BASE.items()}
    frame = query_kappa_of(scores, THREE)
    assert len(drawn(lambda figure: draw_kappas(figure, frame, 0.4)).axes) == 3
    many = pd.concat([frame.assign(judge_1=f"judge {number}") for number in range(9)])
    assert len(drawn(lambda figure: draw_kappas(figure, many, 0.4), 6, panels_height_in(27)).axes) == MOST_PANELS


def test_differences_stand_around_zero_with_the_shift() -> None:
    bias = pd.DataFrame([{"judge_1": "$a$", "judge_2": "b", "test": "pooled", "shift": 0.125}])
    [axes] = drawn(lambda figure: draw_differences(figure, {("$a$", "b"): np.array([0.1, 0.15])}, bias)).axes
    assert labels(axes) == ["shift +0.125"]
    assert axes.get_title() == "$a$ - b"


def test_differences_without_a_test_have_no_shift_and_without_judges_say_so() -> None:
    bias = pd.DataFrame([{"judge_1": "a", "judge_2": "b", "test": "pooled", "shift": None}])
    [axes] = drawn(lambda figure: draw_differences(figure, {("a", "b"): np.array([])}, bias)).axes
    assert labels(axes) == []
    figure = drawn(lambda one: draw_differences(one, {}, bias))
    assert texts(figure) == ["no two judges scored the same documents"]
