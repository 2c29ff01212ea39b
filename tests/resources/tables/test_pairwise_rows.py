"""What is read off the tables of study B: ranking, letters, what differs from a coin, what is odd."""

import numpy as np
import pandas as pd
import pytest

from resources.tables.pairwise_rows import (
    available,
    chance_of,
    interval_column,
    letters_of,
    measured,
    plausible,
    ranked,
)


@pytest.mark.parametrize(
    ("p", "accuracy", "kind"),
    [(0.0499, 0.6, "better"), (0.05, 0.6, "open"), (0.01, 0.4, "worse"), (None, 0.6, "open"), (np.nan, 0.6, "open")],
)
def test_surely_needs_a_corrected_p_under_the_level(p: float | None, accuracy: float, kind: str) -> None:
    assert chance_of({"p_chance_holm": p, "p_chance_unreliable": False, "accuracy": accuracy}, 0.05) == kind


def test_an_unreliable_p_makes_nothing_sure_and_another_confidence_another_level() -> None:
    row = {"p_chance_holm": 0.03, "p_chance_unreliable": False, "accuracy": 0.6}
    assert [chance_of(row, 1.0 - confidence) for confidence in (0.9, 0.95, 0.99)] == ["better", "better", "open"]
    assert chance_of(row | {"p_chance_unreliable": True}, 0.05) == "open"
    assert chance_of(row | {"p_chance_unreliable": pd.NA}, 0.05) == "open"


def test_a_p_that_only_the_last_bit_brings_under_the_level_is_not_under_it() -> None:
    # 1 - 0.95 is 0.050000000000000044, and 0.05 lies below it by floating point alone.
    row = {"p_chance_holm": 0.05, "p_chance_unreliable": False, "accuracy": 0.6}
    assert chance_of(row, 1.0 - 0.95) == "open"


def test_an_accuracy_at_a_limit_but_for_the_last_bit_is_plausible() -> None:
    # 0.1 + 0.6 is 0.7 and 7 * 0.1 is 0.7000000000000001; 1 - 0.6 is 0.4 and 1.2 - 0.8 is 0.3999999999999999.
    assert [plausible(value) for value in (7 * 0.1, 1.2 - 0.8, 0.5)] == [True] * 3
    assert [plausible(value) for value in (0.7001, 0.3999)] == [False] * 2


def test_methods_are_ranked_by_accuracy_then_name_and_those_without_one_come_last() -> None:
    metrics = pd.DataFrame(
        {
            "method": ["b", "a", "c", "d", "e"],
            "accuracy": [0.5, 0.5, 0.7, np.nan, np.nan],
            "unavailable": [None, None, None, None, "no weights"],
        }
    )
    assert list(ranked(metrics)["method"]) == ["c", "a", "b", "d", "e"]
    assert list(measured(metrics)["method"]) == ["c", "a", "b"]
    assert list(available(metrics)["method"]) == ["c", "a", "b", "d"]


def test_letters_come_from_both_sides_of_the_couples_the_best_method_first() -> None:
    couples = pd.DataFrame(
        [("b", "a", "a", "ab"), ("a", "c", "ab", "b"), ("b", "c", "a", "b")],
        columns=["method_1", "method_2", "letters_1", "letters_2"],
    )
    assert list(letters_of(couples).items()) == [("b", "a"), ("a", "ab"), ("c", "b")]


def test_each_number_with_bounds_names_its_column_of_methods() -> None:
    assert (interval_column("accuracy"), interval_column("accuracy_70_80")) == (
        "interval_method",
        "accuracy_70_80_interval_method",
    )
