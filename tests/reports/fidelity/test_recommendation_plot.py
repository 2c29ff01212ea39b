"""The plot of the recommendation: intervals where settings pass, reasons where they do not."""

import numpy as np
import pandas as pd

from reports.fidelity.plots.recommendation import draw_recommendation
from tests.reports.drawn_figures import drawn, texts

ROWS = pd.DataFrame(
    {
        "setting": ["t0.0_p1.0", "t0.2_p1.0", "t0.5_p1.0", "t0.8_p1.0"],
        "baseline": pd.array([True, False, False, False], "boolean"),
        "recommended": pd.array([False, True, False, False], "boolean"),
        "nearest": pd.array([False] * 4, "boolean"),
        "passes": pd.array([False, True, True, False], "boolean"),
        "failed": ["deterministic: costs $1 to see", None, None, "Median MAD of the repeats is 0.069. " * 9],
        "behind_best": [np.nan, 0.0, 0.1, np.nan],
        "behind_best_low": [np.nan, 0.0, -0.02, np.nan],
        "behind_best_high": [np.nan, 0.0, 0.22, np.nan],
        "n_settings_tried": [4] * 4,
    }
)


def labels(figure):
    return [label.get_text() for label in figure.axes[0].get_yticklabels()]


def test_the_recommended_setting_is_named_and_the_others_stand_behind_it():
    figure = drawn(lambda figure: draw_recommendation(figure, ROWS))
    assert labels(figure) == ["t0.0_p1.0 (baseline)", "recommended: t0.2_p1.0", "t0.5_p1.0", "t0.8_p1.0"]
    assert figure.axes[0].get_title() == "2 of 4 settings keep the four conditions (ICC, JSON validity, Spearman, MAD)"
    [lines, points] = figure.axes[0].collections
    assert [segment[:, 0].tolist() for segment in lines.get_segments()] == [[0, 0], [-0.02, 0.22]]
    assert points.get_offsets().tolist() == [[0, 1], [0.1, 2]]


def test_a_setting_that_misses_a_condition_says_so_in_its_row_and_a_long_reason_is_cut():
    said = texts(drawn(lambda figure: draw_recommendation(figure, ROWS)))
    assert said[0] == r" deterministic: costs \$1 to see"
    assert said[1].endswith("…")
    assert len(said) == 2


def test_where_none_passes_the_nearest_is_marked():
    rows = ROWS.iloc[[0, 3]].assign(nearest=pd.array([False, True], "boolean"))
    figure = drawn(lambda figure: draw_recommendation(figure, rows))
    assert labels(figure)[1] == "nearest: t0.8_p1.0"
    assert figure.axes[0].get_title() == "No setting keeps the four conditions (ICC, JSON validity, Spearman, MAD)"


def test_a_passing_setting_without_interval_is_a_point():
    bare = ROWS.assign(behind_best_low=np.nan, behind_best_high=np.nan)
    assert labels(drawn(lambda figure: draw_recommendation(figure, bare)))[1] == "recommended: t0.2_p1.0"


def test_before_any_setting_was_run_the_plot_says_so():
    assert texts(drawn(lambda figure: draw_recommendation(figure, ROWS.iloc[:0]))) == ["no setting was run yet"]
