"""The scatter plot shows every pair, the lines and the note, whatever the pairs are."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from reports.evaluation.plots.evaluation import draw_scatter
from reports.evaluation.plots.scatter_layers import GROUP_COLORS, MOST_POINTS
from reports.shared.figure import GREY
from tests.reports.drawn_figures import drawn, texts

WORDS: dict[str, str] = {"title": "Sharpness", "x_label": "sharpness score (0-1)", "y_label": "MOS (0-9)"}
NOTE = "SRCC 0.870 [0.861, 0.879]\nPLCC 0.801 [0.790, 0.812]\nn = 3,000"


def scatter(x: Any, y: Any, **more: Any) -> Any:
    return drawn(lambda figure: draw_scatter(figure, x, y, **(WORDS | more)))


def points(figure: Any) -> np.ndarray:
    clouds = [one for one in figure.axes[0].collections if isinstance(one, PathCollection)]
    return np.concatenate([np.asarray(cloud.get_offsets()) for cloud in clouds])


def line(figure: Any, beginning: str) -> Any:
    return next(one for one in figure.axes[0].lines if one.get_label().startswith(beginning))


def legend_texts(figure: Any) -> list[str]:
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_prediction_lies_on_x_and_truth_on_y_under_their_own_names() -> None:
    figure = scatter([0.1, 0.5, 0.9], [2.0, 4.0, 8.0], note=NOTE)
    axes = figure.axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == (
        "sharpness score (0-1)",
        "MOS (0-9)",
        "Sharpness",
    )
    assert points(figure).tolist() == [[0.1, 2.0], [0.5, 4.0], [0.9, 8.0]]


def test_the_note_is_written_on_the_plot_word_for_word() -> None:
    assert texts(scatter([0.1, 0.5], [2.0, 4.0], note=NOTE)) == [NOTE]


def test_pairs_without_a_number_are_left_out_and_counted_on_the_plot() -> None:
    figure = scatter(pd.array([0.1, None, 0.9, 0.3], "Float64"), [2.0, 4.0, np.inf, 3.0], note="n = 4")
    assert points(figure).tolist() == [[0.1, 2.0], [0.3, 3.0]]
    assert texts(figure) == ["n = 4\n2 without a number: not drawn"]


def test_the_regression_line_is_the_one_worked_out_by_hand() -> None:
    # Means 1 and 4; slope = ((-1)(-1) + 0(-1) + 1(2)) / (1 + 0 + 1) = 3/2, level = 4 - 3/2 = 5/2.
    found = line(scatter([0, 1, 2], [3, 3, 6]), "regression line")
    assert found.get_label() == "regression line: y = 2.5 + 1.5 x"
    np.testing.assert_allclose(found.get_xydata(), [[0, 2.5], [2, 5.5]])


def test_a_metric_of_which_less_is_better_has_a_falling_line() -> None:
    assert line(scatter([0, 1, 2], [6, 3, 3]), "regression").get_label() == "regression line: y = 5.5 - 1.5 x"


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 1e6]), st.sampled_from([1e-6, 1.0, 1e6]))
def test_the_regression_line_is_that_of_numpy_at_any_offset_and_scale(seed: int, offset: float, scale: float) -> None:
    random = np.random.default_rng(seed)
    x, y = offset * scale + scale * random.normal(size=30), random.normal(size=30)
    figure = Figure()
    draw_scatter(figure, x, y, **WORDS)
    (at, other), found = line(figure, "regression").get_xdata(), line(figure, "regression").get_ydata()
    # Centred, so that polyfit keeps its digits too.
    expected = np.polyval(np.polyfit((x - x.mean()) / scale, y, 1), (np.array([at, other]) - x.mean()) / scale)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_constant_predictions_have_points_and_no_regression_line() -> None:
    figure = scatter([0.3, 0.3, 0.3], [1, 2, 3])
    assert len(points(figure)) == 3
    assert len(figure.axes[0].lines) == 0


def test_the_mapped_curve_is_drawn_from_left_to_right_and_does_not_stretch_the_axes() -> None:
    figure = scatter([0, 1], [0, 1], curve=([1.0, 0.0, 0.5], [1e6, 0.0, 3.0]))
    assert line(figure, "mapped curve").get_xydata().tolist() == [[0, 0], [0.5, 3], [1, 1e6]]
    assert figure.axes[0].get_ylim()[1] < 2


def test_the_identity_line_comes_with_the_same_range_on_both_axes() -> None:
    figure = scatter([0.0, 1.0], [0.5, 2.0], identity=True)
    ends = line(figure, "the same value").get_xydata()
    assert (ends[:, 0] == ends[:, 1]).all()
    assert figure.axes[0].get_xlim() == figure.axes[0].get_ylim()
    assert all("same value" not in text for text in legend_texts(scatter([0.0, 1.0], [0.5, 2.0])))


@pytest.mark.parametrize(("sign", "side"), [(1, "left"), (-1, "right")])
def test_the_note_stands_in_the_corner_that_the_cloud_leaves_free(sign: int, side: str) -> None:
    x = np.linspace(0, 1, 50)
    note = scatter(x, sign * x, note=NOTE).axes[0].texts[0]
    assert (note.get_ha(), note.get_va()) == (side, "top")


def test_thirteen_groups_are_ten_colours_and_one_grey_with_the_legend_outside() -> None:
    # Group k has 20 - k pairs: the ten largest are k = 0..9.
    labels = [f"type {k}" for k in range(13) for _ in range(20 - k)]
    figure = scatter(np.arange(len(labels)), np.arange(len(labels)), groups=pd.Series(labels, name="field.distortion"))
    assert len(points(figure)) == len(labels)
    legend = next(one for one in figure.legends if one.get_title().get_text() == "distortion")
    named = [text.get_text() for text in legend.get_texts()]
    assert named == [*(f"type {k} ({20 - k})" for k in range(10)), "other: 3 groups (27)"]
    colors = [tuple(handle.get_color()) for handle in legend.legend_handles]
    assert colors == [to_rgba(color) for color in (*GROUP_COLORS, GREY)]
    assert legend.get_window_extent().x0 >= figure.axes[0].get_window_extent().x1


def test_every_pair_has_the_colour_of_its_group() -> None:
    figure = scatter([0, 1, 2, 3], [0, 1, 2, 3], groups=["b", None, "b", "a"])
    assert legend_texts(figure)[:3] == ["b (2)", "(missing) (1)", "a (1)"]
    cloud = next(one for one in figure.axes[0].collections if len(one.get_offsets()) == 4)
    numbers = [[to_rgba(color)[:3] for color in GROUP_COLORS].index(tuple(face[:3])) for face in cloud.get_facecolors()]
    assert numbers == [0, 1, 0, 2]


def test_more_than_twenty_thousand_pairs_are_a_density_that_counts_each() -> None:
    x = np.random.default_rng(0).normal(size=MOST_POINTS + 1)
    figure = scatter(x, x + 1)
    cells = figure.axes[0].collections[0]
    assert int(cells.get_array().sum()) == MOST_POINTS + 1
    assert not any(isinstance(one, PathCollection) for one in figure.axes[0].collections)


def test_more_than_twenty_thousand_coloured_pairs_are_cells_in_the_colours_of_the_groups() -> None:
    half = MOST_POINTS // 2 + 1
    x = np.repeat([0.0, 1.0], half)
    figure = scatter(x, x, groups=["left"] * half + ["right"] * half)
    picture = figure.axes[0].images[0].get_array()
    seen = {tuple(color[:3]) for color in picture[picture[..., 3] > 0]}
    assert seen == {to_rgba(color)[:3] for color in GROUP_COLORS[:2]}
    assert "left (10,001)" in legend_texts(figure)


def test_words_of_users_are_no_formulas_and_no_hidden_labels() -> None:
    figure = scatter(
        [0, 1], [0, 1], title="$x$ and $y$", note=r"$\frac{", x_label="$", y_label="_", groups=["_g", "$h$"]
    )
    assert figure.axes[0].title.get_text() == r"\$x\$ and \$y\$"
    assert legend_texts(figure)[:2] == [r"\$h\$ (1)", "_g (1)"]


def test_sides_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="got 2, 1 and 2"):
        draw_scatter(None, [1, 2], [1], **WORDS)
    with pytest.raises(ValueError, match="got 2, 2 and 3"):
        draw_scatter(None, [1, 2], [1, 2], groups=["a"] * 3, **WORDS)


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
    assert legend_texts(figure)[:11] == [*(f"{k} (125)" for k in range(1, 11)), "other: 14 groups (1,750)"]
