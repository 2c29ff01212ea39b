"""The plots of study B: what is on them, for methods with and without numbers, and for nothing at all."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reports.pairwise.plots import accuracies, bands, couples, speeds, strengths_and_errors
from reports.shared.drawing import Drawing
from resources.tables.all_tables import TABLES
from resources.tables.parquet import checked
from tests.reports.specifications import axis_of, drawn, legend_of, names_of, rows_of, texts

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


def pairs_of_methods(separated: bool = True) -> pd.DataFrame:
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


def of_all(frame: pd.DataFrame) -> Drawing:
    return accuracies(frame, 0.05)


@pytest.mark.parametrize("draw", [of_all, bands])
def test_methods_stand_in_order_of_accuracy_and_those_without_a_number_below(
    draw: Callable[[pd.DataFrame], Drawing],
) -> None:
    spec = drawn(draw(metrics()))
    assert names_of(spec) == list(NAMES)
    assert [text for text in texts(spec) if text.isalpha()] == ["unavailable", "undefined"]


def test_another_confidence_and_an_unreliable_test_leave_fewer_methods_sure() -> None:
    # p 0.001 and 0.002 of the better and the worse method: sure at 0.0015 is the first alone, and unreliable none.
    for level, unreliable, sure in ((0.0015, False, {"significantly better"}), (0.05, True, set())):
        spec = drawn(accuracies(metrics().assign(p_chance_unreliable=unreliable), level))
        assert {label for label in legend_of(spec) if label.startswith("significantly")} == sure


def test_colours_say_who_is_surely_apart_from_chance() -> None:
    spec = drawn(of_all(metrics()))
    assert legend_of(spec) == ["significantly better", "not significantly different", "significantly worse"]
    assert [text for text in texts(spec) if text.startswith("0.")] == ["0.620", "0.510", "0.420"]
    assert "a coin" in texts(spec)


def test_bands_name_their_pairs_and_an_empty_band_draws_no_point() -> None:
    spec = drawn(bands(metrics()))
    assert legend_of(spec)[0].replace("\u00a0", " ") == "agreement 70 to 80 %, n = 30"
    assert [len(rows) for rows in rows_of(spec, "point")] == [3, 3]


def test_of_methods_with_one_time_the_best_is_named() -> None:
    spec = drawn(speeds(metrics()))
    assert sorted(set(texts(spec)) - {"a coin"}) == ["exposure_only", "sharpness_only"]


def test_on_a_narrow_chart_a_name_at_the_right_is_off_the_height_of_the_nearest_at_the_left() -> None:
    # The right one is less accurate (0.42) than the nearest of the left (0.62): below it, else on a level.
    def offs(frame: pd.DataFrame) -> list[tuple[str, str]]:
        layers = [one for one in drawn(speeds(frame))["layer"] if isinstance(one["mark"].get("dy"), dict)]
        return [(row["label"], one["mark"]["dy"]["expr"]) for one in layers for row in one["data"]["values"]]

    assert offs(metrics()) == [("exposure_only", "width < 420 ? 14 : 0")]
    turned = metrics().assign(accuracy=1.0 - metrics()["accuracy"])
    assert offs(turned) == [("exposure_only", "width < 420 ? -14 : 0")]


@pytest.mark.parametrize("times", [(5.0, 5.0), (5.0, 5.0000001), (5.0, 6.0)])
def test_methods_that_all_cost_the_same_have_an_axis_of_some_length(times: tuple[float, ...]) -> None:
    spec = drawn(speeds(metrics(NAMES[:2]).assign(avg_time_ms=times)))
    assert axis_of(spec, "x")["scale"]["domain"] == pytest.approx([5 / 1.8, 6 * times[1]])


def test_separated_couples_have_their_difference_and_the_others_a_dot() -> None:
    spec = drawn(couples(pairs_of_methods()))
    assert sorted(texts(spec)) == ["20", "·", "·"]
    assert names_of(spec) == ["a  a", "b  a", "c  b"]
    # The better is the column, the other the row.
    [cell] = rows_of(spec, "rect")[0]
    assert (cell["x"], cell["y"]) == (-0.5, 1.5)
    assert texts(drawn(couples(pairs_of_methods(False)))) == ["·"] * 3


def test_strengths_held_by_the_prior_are_told_apart() -> None:
    spec = drawn(strengths_and_errors(strengths(40)))
    assert legend_of(spec) == ["by votes: 30", "held by the prior: 10"]
    assert sum(row["y2"] - row["y"] for row in rows_of(spec, "rect")[0]) == 40
    assert len(rows_of(spec, "point")[0]) == 40


@pytest.mark.parametrize(
    ("draw", "frame", "words"),
    [
        (of_all, metrics(NAMES[3:]), "no method has an accuracy"),
        (bands, metrics(()), "no method has an accuracy"),
        (speeds, metrics(NAMES[3:]), "no method has both a time and an accuracy"),
        (couples, pairs_of_methods().iloc[:0], "fewer than two methods to compare"),
        (strengths_and_errors, strengths(0), "no photo has a strength"),
    ],
)
def test_nothing_to_draw_is_said(draw: Callable[[pd.DataFrame], Any], frame: pd.DataFrame, words: str) -> None:
    assert words in texts(drawn(draw(frame)))[0]
