"""Every plot of study A draws: on ordinary tables, on one row, on nulls, and on nothing."""

import base64
import io
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from reports.fidelity.plots import settings as plots
from reports.shared.drawing import Drawing
from reports.shared.figure import figure_metadata, png
from resources.configuration.fidelity import FidelityThresholds
from tests.reports.specifications import axis_of, drawn, names_of, rows_of, titles

LIMITS = FidelityThresholds().model_dump()
MATRIX = pd.DataFrame({"object": ["a", "b"], "repeat_1": [0.2, 0.8], "repeat_2": [0.3, np.nan]})
CURVES = pd.DataFrame(
    {"object": list("aaabbb"), "n": [1, 2, 3] * 2, "half_width": [np.nan, 0.2, 0.05, np.nan, 0.3, 0.1]}
)
LOOKS = pd.DataFrame(
    {"n": [1, 2, 3], "median_half_width": [np.nan, 0.25, 0.075], "mean_half_width": [np.nan, 0.25, 0.08]}
)
AGREEMENT = pd.DataFrame(
    {
        "statistic": ["spearman_r", "mae", "spearman_r"],
        "group": ["all objects", "all objects", "Lamps"],
        "n_used": [12, 12, 3],
        "n_products": [12, 12, 3],
        "value": [0.9, 0.1, 0.5],
        "ci_low": [0.8, 0.05, None],
        "ci_high": [0.95, 0.2, None],
    }
)
SUMMARY = pd.DataFrame(
    {
        "setting": ["t0.0_p1.0", "t0.2_p1.0"],
        "baseline": pd.array([True, False], "boolean"),
        "deterministic": pd.array([True, False], "boolean"),
        "icc": [1.0, 0.9],
        "icc_low": [np.nan, 0.8],
        "icc_high": [np.nan, 0.95],
        "mad": [0.0, 0.02],
        "spearman_r": [0.8, 0.85],
        "spearman_low": [0.6, 0.7],
        "spearman_high": [0.9, 0.95],
        "mae": [0.1, 0.08],
        "n_products": [12, 12],
    }
)
MATCHED = pd.DataFrame(
    {"algorithm": ["rodin", "trellis", None], "human_score": [0.1, 0.5, 0.9], "judge_score": [0.2, 0.5, 0.8]}
)
SCORES = pd.DataFrame({"annotator": ["a1", "a1", "a2"], "score": [0.2, 0.9, 0.5]})
STABILITY = pd.DataFrame({"mad": [0.01, 0.05, 0.03]})
FORMS = ("icc_11", "icc_a1", "icc_c1", "icc_1k", "icc_ak", "icc_ck")
ICC = pd.DataFrame(
    [
        {f"{form}{end}": value for form in FORMS for end, value in (("", 0.9), ("_low", 0.8), ("_high", 0.95))}
        | {"icc_1k_low_by_product": 0.7, "icc_1k_high_by_product": 0.97, "deterministic": False, "n_used": 12}
    ]
)

PLOTS: dict[str, Callable[[pd.DataFrame], Drawing | dict[str, Any]]] = {
    "human scores": plots.human_scores,
    "score matrix": plots.score_matrix,
    "stability": lambda frame: plots.stability(frame, 0.05),
    "curves": lambda frame: plots.convergence(frame, LOOKS, 0.02),
    "looks": lambda frame: plots.convergence(CURVES, frame, 0.02),
    "matched scores": plots.matched_scores,
    "agreement": lambda frame: plots.agreement_by_group(frame, 0.7),
    "error": lambda frame: plots.agreement_by_group(frame, 0.1, "mae"),
    "setting summary": lambda frame: plots.setting_summary(frame, LIMITS),
    "icc": lambda frame: plots.icc_forms(frame, 0.85),
}
TABLES = {
    "human scores": SCORES,
    "score matrix": MATRIX,
    "stability": STABILITY,
    "curves": CURVES,
    "looks": LOOKS,
    "matched scores": MATCHED,
    "agreement": AGREEMENT,
    "error": AGREEMENT.assign(statistic="mae"),
    "setting summary": SUMMARY,
    "icc": ICC,
}
NEEDED = {
    "threshold",
    "n",
    "setting",
    "baseline",
    "deterministic",
    "object",
    "statistic",
    "group",
    "n_used",
    "n_products",
}
# A table with one row per setting has a row, whatever is null in it.
ALWAYS_A_ROW = {"icc", "looks"}


def with_nulls(frame: pd.DataFrame) -> pd.DataFrame:
    """The same rows with every number null that may be."""
    blank = {
        name: pd.Series(np.nan, frame.index, dtype="float64")
        for name in frame.columns
        if name not in NEEDED and pd.api.types.is_numeric_dtype(frame[name])
    }
    return frame.assign(**blank)


@pytest.mark.parametrize("name", PLOTS)
def test_an_ordinary_table_gives_a_chart_that_can_be_drawn(name: str) -> None:
    assert rows_of(drawn(PLOTS[name](TABLES[name])), "rect") or rows_of(drawn(PLOTS[name](TABLES[name])), "point")


@pytest.mark.parametrize("name", PLOTS)
def test_a_single_row_gives_a_chart(name: str) -> None:
    drawn(PLOTS[name](TABLES[name].head(1)))


@pytest.mark.parametrize("name", [name for name in PLOTS if name != "human scores"])
def test_a_table_of_nulls_gives_a_chart(name: str) -> None:
    drawn(PLOTS[name](with_nulls(TABLES[name])))


@pytest.mark.parametrize("name", [name for name in PLOTS if name not in ALWAYS_A_ROW])
def test_an_empty_table_gives_a_chart(name: str) -> None:
    drawn(PLOTS[name](TABLES[name].head(0)))


def test_the_numbers_are_those_of_the_tables() -> None:
    [bars] = rows_of(drawn(PLOTS["stability"](STABILITY)), "rect")
    assert [bar["y2"] for bar in bars] == sorted(STABILITY["mad"])
    [dots] = rows_of(drawn(PLOTS["matched scores"](MATCHED)), "point")
    assert sorted((dot["x"], dot["y"]) for dot in dots) == [(0.1, 0.2), (0.5, 0.5), (0.9, 0.8)]
    [forms] = rows_of(drawn(PLOTS["icc"](ICC)), "point")
    assert [(row["low"], row["high"]) for row in forms] == [(0.8, 0.95)] * 6 + [(0.7, 0.97)]
    # Two of the four cells of the first repeat and one of the second.
    [cells] = rows_of(drawn(PLOTS["score matrix"](MATRIX)), "rect")
    assert len(cells) == 3
    [ratings] = rows_of(drawn(PLOTS["human scores"](SCORES)), "rect")
    assert sum(bar["y2"] for bar in ratings) == len(SCORES)


def test_the_metadata_is_markdown_with_the_picture_in_it_small_and_without_loss() -> None:
    spec = drawn(PLOTS["stability"](STABILITY))
    value = figure_metadata(spec).value
    assert isinstance(value, str)
    embedded = re.fullmatch(r"!\[plot]\(data:image/webp;base64,(UklGR[^)]+)\)", value)
    assert embedded is not None
    small, drawn_png = base64.b64decode(embedded[1]), png(spec)
    shown = [np.asarray(Image.open(io.BytesIO(one)).convert("RGB")) for one in (small, drawn_png)]
    np.testing.assert_array_equal(*shown)
    assert len(small) < len(drawn_png) / 3


def test_intervals_over_few_products_are_marked() -> None:
    groups = drawn(PLOTS["agreement"](AGREEMENT))
    assert names_of(groups) == ["all objects (n=12)", "Lamps (n=3; 3 products)"]
    assert "under 5 products there is no interval" in titles(groups)[1]
    settings = drawn(plots.setting_summary(SUMMARY.assign(n_products=4), LIMITS))
    labels = [axis_of(panel, "x")["title"] for panel in settings["concat"]]
    assert ["unreliable: 4 products" in label for label in labels] == [False, False, True, False]
