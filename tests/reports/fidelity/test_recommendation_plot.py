"""The plot of the recommendation: intervals where settings pass, reasons where they do not."""

import numpy as np
import pandas as pd

from reports.fidelity.plots.decision import recommendation
from tests.reports.specifications import drawn, names_of, rows_of, texts, titles

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


def test_the_recommended_setting_is_named_and_the_others_stand_behind_it() -> None:
    spec = drawn(recommendation(ROWS))
    assert names_of(spec) == ["t0.0_p1.0 (baseline)", "recommended: t0.2_p1.0", "t0.5_p1.0", "t0.8_p1.0"]
    assert titles(spec) == ["2 of 4 settings keep the four conditions (ICC, JSON validity, Spearman, MAD)"]
    [bars] = [rows for rows in rows_of(spec, "rule") if "low" in rows[0]]
    assert [(row["low"], row["high"]) for row in bars] == [(0, 0), (-0.02, 0.22)]
    assert [(row["x"], row["y"]) for row in rows_of(spec, "point")[0]] == [(0, 1), (0.1, 2)]


def test_a_setting_that_misses_a_condition_says_so_in_its_row_and_a_long_reason_is_cut() -> None:
    said = texts(drawn(recommendation(ROWS)))
    assert said[0] == "deterministic: costs $1 to see"
    assert said[1].endswith("…")
    assert len(said) == 2


def test_where_none_passes_the_nearest_is_marked() -> None:
    spec = drawn(recommendation(ROWS.iloc[[0, 3]].assign(nearest=pd.array([False, True], "boolean"))))
    assert names_of(spec)[1] == "nearest: t0.8_p1.0"
    assert titles(spec) == ["No setting keeps the four conditions (ICC, JSON validity, Spearman, MAD)"]


def test_a_passing_setting_without_interval_is_a_point() -> None:
    bare = ROWS.assign(behind_best_low=np.nan, behind_best_high=np.nan)
    assert names_of(drawn(recommendation(bare)))[1] == "recommended: t0.2_p1.0"


def test_before_any_setting_was_run_the_plot_says_so() -> None:
    assert texts(drawn(recommendation(ROWS.iloc[:0]))) == ["no setting was run yet"]
