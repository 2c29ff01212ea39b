"""The plots of study B: what is on them, for methods with and without numbers, and for nothing at all."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reports.pairwise.plots.methods import (
    draw_accuracies,
    draw_agreement_bands,
    draw_significance,
    draw_speed,
    draw_strengths,
    forest_height_in,
)
from resources.tables.all_tables import TABLES
from resources.tables.parquet import checked
from tests.reports.drawn_figures import drawn, texts

NAMES = ("sharpness_only", "contrast_only", "exposure_only", "vit_base", "probe_of_few")


def metrics(names: tuple[str, ...] = NAMES) -> pd.DataFrame:
    """Better, like and worse than chance; one without weights, one undefined."""
    numbers: list[dict[str, Any]] = [
        {"accuracy": 0.62, "p_chance_holm": 0.001, "p_chance_unreliable": False, "avg_time_ms": 50.0},
        {"accuracy": 0.51, "p_chance_holm": 0.6, "p_chance_unreliable": False, "avg_time_ms": 50.2},
        {"accuracy": 0.42, "p_chance_holm": 0.002, "p_chance_unreliable": False, "avg_time_ms": 400.0},
        {"unavailable": "no weights", "n": 0},
        {"undefined": "all: 2 series, fewer than the 5 folds", "n": 0},
    ]
    rows = []
    for name, own in zip(NAMES, numbers, strict=True):
        seen = own.get("accuracy")
        row: dict[str, Any] = {"method": name, "n": 100, "n_total": 100, "n_series": 40, "n_clusters": 40, **own}
        row |= {f"n_{band}": 30 if seen else 0 for band in ("70_80", "80_90", "90_100")}
        if seen:
            for column in ("accuracy", "accuracy_80_90", "accuracy_90_100"):
                row |= {column: seen, f"{column}_low": seen - 0.05, f"{column}_high": seen + 0.05}
        rows.append(row)
    columns = [column.name for column in TABLES["method_metrics"].columns]
    frame = checked(TABLES["method_metrics"], pd.DataFrame(rows, columns=columns))
    return frame[frame["method"].isin(names)]


def couples(separated: bool = True) -> pd.DataFrame:
    rows = [
        {"method_1": "a", "method_2": "b", "difference": 0.02, "separated": False, "letters_1": "a", "letters_2": "a"},
        {
            "method_1": "a",
            "method_2": "c",
            "difference": 0.2,
            "separated": separated,
            "letters_1": "a",
            "letters_2": "b",
        },
        {"method_1": "b", "method_2": "c", "difference": 0.18, "separated": False, "letters_1": "a", "letters_2": "b"},
    ]
    return pd.DataFrame(rows)


def strengths(n: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "strength": np.linspace(-2, 2, n),
            "standard_error": np.full(n, 0.5),
            "n_votes": np.arange(n) + 1,
            "regularised": np.arange(n) % 4 == 0,
        }
    )


def ticks(axes: Any) -> list[str]:
    return [label.get_text() for label in axes.get_yticklabels()]


def draw_forest(figure: Any, frame: pd.DataFrame) -> None:
    draw_accuracies(figure, frame, 0.05, "series")


@pytest.mark.parametrize("draw", [draw_forest, draw_agreement_bands])
def test_methods_stand_in_order_of_accuracy_and_those_without_a_number_below(draw: Callable[..., None]) -> None:
    figure = drawn(lambda figure: draw(figure, metrics()), 7.6, forest_height_in(5))
    assert ticks(figure.axes[0]) == list(NAMES)
    assert [text for text in texts(figure) if text.isalpha()] == ["unavailable", "undefined"]


def test_another_confidence_and_an_unreliable_test_leave_fewer_methods_sure() -> None:
    # p 0.001 and 0.002 of the better and the worse method: sure at 0.0015 is the first alone, and unreliable none.
    for level, unreliable, sure in ((0.0015, False, {"significantly better than chance"}), (0.05, True, set())):
        frame = metrics().assign(p_chance_unreliable=unreliable)
        figure = drawn(lambda figure, frame=frame, level=level: draw_accuracies(figure, frame, level, "series"))
        labels = {text.get_text() for legend in figure.legends for text in legend.get_texts()}
        assert {label for label in labels if label.startswith("significantly")} == sure


def test_colours_say_who_is_surely_apart_from_chance() -> None:
    figure = drawn(lambda figure: draw_forest(figure, metrics()))
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words == [
        "significantly better than chance",
        "not significantly different from chance",
        "significantly worse",
        "chance; intervals over 40 series",
    ]
    assert [text for text in texts(figure) if text.startswith("0.")] == ["0.620", "0.510", "0.420"]


def test_bands_name_their_pairs_and_an_empty_band_draws_no_point() -> None:
    figure = drawn(lambda figure: draw_agreement_bands(figure, metrics()))
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words[0] == "agreement 70 to 80 % (30 pairs)"
    of_first = figure.axes[0].get_lines()[0]
    assert not np.isfinite(of_first.get_xdata()).any()


def test_of_methods_with_one_time_the_best_is_named() -> None:
    figure = drawn(lambda figure: draw_speed(figure, metrics()))
    assert sorted(texts(figure)) == ["exposure_only", "sharpness_only"]


@pytest.mark.parametrize("times", [(5.0, 5.0), (5.0, 5.0000001), (5.0, 6.0)])
@pytest.mark.filterwarnings("error")
def test_methods_that_all_cost_the_same_have_an_axis_of_some_length(times: tuple[float, ...]) -> None:
    frame = metrics(NAMES[:2]).assign(avg_time_ms=times)
    low, high = drawn(lambda figure: draw_speed(figure, frame)).axes[0].get_xlim()
    assert (low, high) == (2.5, 2 * times[1])


def test_separated_couples_have_their_difference_and_the_others_a_dot() -> None:
    figure = drawn(lambda figure: draw_significance(figure, couples()))
    axes = figure.axes[0]
    assert sorted(text.get_text() for text in axes.texts) == ["20", "·", "·"]
    assert ticks(axes) == ["a  a", "b  a", "c  b"]
    assert [text.get_text() for text in drawn(lambda f: draw_significance(f, couples(False))).axes[0].texts] == [
        "·"
    ] * 3


def test_strengths_held_by_the_prior_are_told_apart() -> None:
    figure = drawn(lambda figure: draw_strengths(figure, strengths(40)))
    words = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert words == ["by votes (30)", "held by the prior (10)"]


@pytest.mark.parametrize(
    ("draw", "frame", "words"),
    [
        (draw_forest, metrics(NAMES[3:]), "no method has an accuracy"),
        (draw_agreement_bands, metrics(()), "no method has an accuracy"),
        (draw_speed, metrics(NAMES[3:]), "no method has both a time and an accuracy"),
        (draw_significance, couples().iloc[:0], "fewer than two methods to compare"),
        (draw_strengths, strengths(0), "no photo has a strength"),
    ],
)
def test_nothing_to_draw_is_said(draw: Callable[..., None], frame: pd.DataFrame, words: str) -> None:
    assert words in texts(drawn(lambda figure: draw(figure, frame)))
