"""The scatter plot shows every pair, the lines and the note, whatever the pairs are."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.evaluation.plots import scatter as plots
from reports.evaluation.plots.scatter import MOST_POINTS
from reports.shared.colours import GROUPS, NEUTRAL
from reports.shared.marks import is_legend
from tests.reports.specifications import axis_of, drawn, layers_of, legend_of, rows_of, texts, titles

WORDS: dict[str, str] = {"title": "Sharpness", "x_label": "sharpness score (0-1)", "y_label": "MOS (0-9)"}
NOTE = "SRCC 0.870 [0.861, 0.879]\nPLCC 0.801 [0.790, 0.812]\nn = 3,000"


def scatter(x: Any, y: Any, **more: Any) -> Any:
    return drawn(plots.scatter(x, y, **(WORDS | more)))


def points(spec: Any) -> list[list[float]]:
    return [[row["x"], row["y"]] for rows in rows_of(spec, "point") for row in rows]


def legend_at(spec: Any, side: str) -> dict[str, Any]:
    """The legend on this side: title, labels and colours."""
    legends = [one["encoding"]["stroke"] for one in spec["layer"] if is_legend(one)]
    [found] = [one for one in legends if one["legend"]["orient"] == side]
    return {"title": found["legend"]["title"], **found["scale"]}


def line(spec: Any, place: int) -> np.ndarray:
    """A line's points; every line but that of equal values lies on one that is its ground."""
    return np.array([[row["x"], row["y"]] for row in rows_of(spec, "line")[place]])


def test_prediction_lies_on_x_and_truth_on_y_under_their_own_names() -> None:
    spec = scatter([0.1, 0.5, 0.9], [2.0, 4.0, 8.0], note=NOTE)
    assert [axis_of(spec, side)["title"] for side in "xy"] == ["sharpness score (0-1)", "MOS (0-9)"]
    assert titles(spec) == ["Sharpness"]
    assert points(spec) == [[0.1, 2.0], [0.5, 4.0], [0.9, 8.0]]


def test_the_note_is_written_on_the_plot_word_for_word() -> None:
    assert texts(scatter([0.1, 0.5], [2.0, 4.0], note=NOTE)) == [NOTE]


def test_pairs_without_a_number_are_left_out_and_counted_on_the_plot() -> None:
    figure = scatter(pd.array([0.1, None, 0.9, 0.3], "Float64"), [2.0, 4.0, np.inf, 3.0], note="n = 4")
    assert points(figure) == [[0.1, 2.0], [0.3, 3.0]]
    assert texts(figure) == ["n = 4\n2 without a number: not drawn"]


def test_the_regression_line_is_the_one_worked_out_by_hand() -> None:
    # Means 1 and 4; slope = ((-1)(-1) + 0(-1) + 1(2)) / (1 + 0 + 1) = 3/2, level = 4 - 3/2 = 5/2.
    spec = scatter([0, 1, 2], [3, 3, 6])
    assert legend_of(spec) == ["regression line: y = 2.5 + 1.5 x"]
    np.testing.assert_allclose(line(spec, 1), [[0, 2.5], [2, 5.5]])


def test_a_metric_of_which_less_is_better_has_a_falling_line() -> None:
    assert legend_of(scatter([0, 1, 2], [6, 3, 3])) == ["regression line: y = 5.5 - 1.5 x"]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 1e6]), st.sampled_from([1e-6, 1.0, 1e6]))
def test_the_regression_line_is_that_of_numpy_at_any_offset_and_scale(seed: int, offset: float, scale: float) -> None:
    random = np.random.default_rng(seed)
    x, y = offset * scale + scale * random.normal(size=30), random.normal(size=30)
    (at, other), found = line(plots.scatter(x, y, **WORDS).specification(), 1).T
    # Centred, so that polyfit keeps its digits too.
    expected = np.polyval(np.polyfit((x - x.mean()) / scale, y, 1), (np.array([at, other]) - x.mean()) / scale)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_constant_predictions_have_points_and_no_regression_line() -> None:
    figure = scatter([0.3, 0.3, 0.3], [1, 2, 3])
    assert len(points(figure)) == 3
    assert layers_of(figure, "line") == []


def test_the_mapped_curve_is_drawn_from_left_to_right_and_does_not_stretch_the_axes() -> None:
    figure = scatter([0, 1], [0, 1], curve=([1.0, 0.0, 0.5], [1e6, 0.0, 3.0]))
    assert line(figure, -1).tolist() == [[0, 0], [0.5, 3], [1, 1e6]]
    assert axis_of(figure, "y")["scale"]["domain"][1] < 2


def test_the_identity_line_comes_with_the_same_range_on_both_axes() -> None:
    figure = scatter([0.0, 1.0], [0.5, 2.0], identity=True)
    assert legend_of(figure)[0] == "the same value"
    ends = line(figure, 0)
    assert (ends[:, 0] == ends[:, 1]).all()
    assert axis_of(figure, "x")["scale"] == axis_of(figure, "y")["scale"]
    assert "the same value" not in legend_of(scatter([0.0, 1.0], [0.5, 2.0]))


@pytest.mark.parametrize(("sign", "side"), [(1, "left"), (-1, "right")])
def test_the_note_stands_in_the_corner_that_the_cloud_leaves_free(sign: int, side: str) -> None:
    x = np.linspace(0, 1, 50)
    note = layers_of(scatter(x, sign * x, note=NOTE), "text")[-1]["mark"]
    assert (note["align"], note["y"]) == (side, 8)


def test_thirteen_groups_are_ten_colours_and_one_grey_with_the_legend_outside() -> None:
    # Group k has 20 - k pairs: the ten largest are k = 0..9.
    labels = [f"type {k}" for k in range(13) for _ in range(20 - k)]
    figure = scatter(np.arange(len(labels)), np.arange(len(labels)), groups=pd.Series(labels, name="field.distortion"))
    assert len(points(figure)) == len(labels)
    legend = legend_at(figure, "right")
    assert legend["title"] == "distortion"
    assert legend["domain"] == [*(f"type {k} ({20 - k})" for k in range(10)), "other: 3 groups (27)"]
    assert legend["range"] == [*GROUPS, NEUTRAL]


def test_every_pair_has_the_colour_of_its_group() -> None:
    figure = scatter([0, 1, 2, 3], [0, 1, 2, 3], groups=["b", None, "b", "a"])
    assert legend_of(figure)[:3] == ["b (2)", "(missing) (1)", "a (1)"]
    [cloud] = [rows for rows in rows_of(figure, "point") if len(rows) == 4]
    assert [GROUPS.index(row["fill"]) for row in cloud] == [0, 1, 0, 2]
    # Shapes say the same.
    assert len({row["shape"] for row in cloud}) == 3


def test_more_than_twenty_thousand_pairs_are_a_density_that_counts_each() -> None:
    x = np.random.default_rng(0).normal(size=MOST_POINTS + 1)
    figure = scatter(x, x + 1)
    [cells] = rows_of(figure, "rect")
    assert sum(row["n"] for row in cells) == MOST_POINTS + 1
    assert rows_of(figure, "point") == []


def test_more_than_twenty_thousand_coloured_pairs_are_cells_in_the_colours_of_the_groups() -> None:
    half = MOST_POINTS // 2 + 1
    x = np.repeat([0.0, 1.0], half)
    figure = scatter(x, x, groups=["left"] * half + ["right"] * half)
    [cells] = rows_of(figure, "rect")
    assert {row["fill"] for row in cells} == set(GROUPS[:2])
    assert "left (10,001)" in legend_of(figure)


def test_words_of_users_are_no_formulas_and_no_hidden_labels() -> None:
    figure = scatter(
        [0, 1], [0, 1], title="$x$ and $y$", note=r"$\frac{", x_label="$", y_label="_", groups=["_g", "$h$"]
    )
    assert titles(figure) == ["$x$ and $y$"]
    assert legend_of(figure)[:2] == ["$h$ (1)", "_g (1)"]


def test_sides_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="got 2, 1 and 2"):
        plots.scatter([1, 2], [1], **WORDS)
    with pytest.raises(ValueError, match="got 2, 2 and 3"):
        plots.scatter([1, 2], [1, 2], groups=["a"] * 3, **WORDS)


DEGENERATE = {
    "empty": ([], []),
    "one pair": ([1], [2]),
    "constant predictions": ([1, 1, 1], [1, 2, 3]),
    "all tied": ([5.0] * 4, [0.0] * 4),
    "all null": ([None] * 3, [None] * 3),
    "one side null": ([np.nan] * 3, [1, 2, 3]),
    "beyond what squares allow": ([1e308, -1e308, 1], [1, 2, 3]),
    "next to nothing": ([1e-320, 0], [1, 2]),
    "many in one place": (np.ones(MOST_POINTS + 1), np.ones(MOST_POINTS + 1)),
}


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("grouped", [False, True])
def test_degenerate_pairs_are_drawn_without_a_fault_or_a_warning(name: str, grouped: bool) -> None:
    x, y = DEGENERATE[name]
    groups = [None] * len(x) if grouped else None
    figure = scatter(x, y, groups=groups, identity=grouped, curve=([], []), note=NOTE)
    assert NOTE in "".join(texts(figure))


def test_an_empty_plot_says_so() -> None:
    assert "no pair to draw" in texts(scatter([], []))


def test_the_three_thousand_images_of_tid2013_are_all_there(shared_data: Path) -> None:
    table = pd.read_csv(shared_data / "evaluation" / "tid2013_metrics.csv")
    figure = scatter(table["SSIMULACRA"], table["mos"], groups=table["dst_type"].astype(str))
    assert len(points(figure)) == 3000
    # 24 types of 125 images each, so the first ten are named; 14 x 125 = 1,750.
    assert legend_of(figure)[:11] == [*(f"{k} (125)" for k in range(1, 11)), "other: 14 groups (1,750)"]
