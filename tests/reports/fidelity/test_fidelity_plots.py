"""Every plot of study A draws: on ordinary tables, on one row, on nulls, and on nothing."""

import struct
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reports.fidelity.plots import settings as plots
from reports.shared.figure import DOTS_PER_INCH, figure_metadata, png
from resources.configuration.fidelity import FidelityThresholds

LIMITS = FidelityThresholds().model_dump()
MATRIX = pd.DataFrame({"object": ["a", "b"], "repeat_1": [0.2, 0.8], "repeat_2": [0.3, np.nan]})
CURVES = pd.DataFrame(
    {"object": list("aaabbb"), "n": [1, 2, 3] * 2, "half_width": [np.nan, 0.2, 0.05, np.nan, 0.3, 0.1]}
)
LOOKS = pd.DataFrame({"n": [1, 2, 3], "median_half_width": [np.nan, 0.25, 0.075], "threshold": [0.02] * 3})
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
IMAGE = np.full((8, 8, 4), 200, np.uint8)

Draw = Callable[[Any], None]

PLOTS: dict[str, Callable[[pd.DataFrame], Draw]] = {
    "human scores": lambda frame: lambda figure: plots.draw_human_scores(figure, frame),
    "score matrix": lambda frame: lambda figure: plots.draw_score_matrix(figure, frame),
    "stability": lambda frame: lambda figure: plots.draw_stability(figure, frame, 0.05),
    "curves": lambda frame: lambda figure: plots.draw_convergence(figure, frame, LOOKS),
    "looks": lambda frame: lambda figure: plots.draw_convergence(figure, CURVES, frame),
    "matched scores": lambda frame: lambda figure: plots.draw_matched_scores(figure, frame),
    "agreement": lambda frame: lambda figure: plots.draw_agreement_by_group(figure, frame, 0.7),
    "setting summary": lambda frame: lambda figure: plots.draw_setting_summary(figure, frame, LIMITS),
    "icc": lambda frame: lambda figure: plots.draw_icc(figure, frame, 0.85),
}
TABLES = {
    "human scores": SCORES,
    "score matrix": MATRIX,
    "stability": STABILITY,
    "curves": CURVES,
    "looks": LOOKS,
    "matched scores": MATCHED,
    "agreement": AGREEMENT,
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


def size_of(picture: bytes) -> tuple[int, int]:
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


def drawn(draw: Draw) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return png(draw, 4.0, 3.0)


@pytest.mark.parametrize("name", PLOTS)
def test_an_ordinary_table_gives_a_picture_of_the_size_asked_for(name: str) -> None:
    picture = drawn(PLOTS[name](TABLES[name]))
    assert size_of(picture) == (4 * DOTS_PER_INCH, 3 * DOTS_PER_INCH)
    assert picture != drawn(lambda figure: None)


@pytest.mark.parametrize("name", PLOTS)
def test_a_single_row_gives_a_picture(name: str) -> None:
    size_of(drawn(PLOTS[name](TABLES[name].head(1))))


@pytest.mark.parametrize("name", [name for name in PLOTS if name != "human scores"])
def test_a_table_of_nulls_gives_a_picture(name: str) -> None:
    size_of(drawn(PLOTS[name](with_nulls(TABLES[name]))))


@pytest.mark.parametrize("name", [name for name in PLOTS if name not in ALWAYS_A_ROW])
def test_an_empty_table_gives_a_picture(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        size_of(png(PLOTS[name](TABLES[name].head(0))))


def test_photos_and_render_stand_in_a_row_of_each_object() -> None:
    rows = [("one photo", [IMAGE, IMAGE]), ("three photos", [IMAGE] * 4)]
    size_of(drawn(lambda figure: plots.draw_study_objects(figure, rows)))
    size_of(drawn(lambda figure: plots.draw_study_objects(figure, [("render only", [IMAGE])])))


def test_the_same_table_gives_the_same_picture() -> None:
    draw = PLOTS["setting summary"](SUMMARY)
    assert png(draw) == png(draw)


def test_the_metadata_is_markdown_with_the_picture_in_it() -> None:
    value = figure_metadata(PLOTS["stability"](STABILITY)).value
    assert isinstance(value, str)
    assert value.startswith("![plot](data:image/png;base64,iVBORw0KGgo")
    assert value.endswith(")")


def test_intervals_over_few_products_are_marked() -> None:
    from matplotlib.figure import Figure

    groups = Figure()
    plots.draw_agreement_by_group(groups, AGREEMENT, 0.7)
    assert [label.get_text() for label in groups.axes[0].get_yticklabels()] == [
        "Lamps (n=3; 3 products)",
        "all objects (n=12)",
    ]
    assert "under 10 products, unreliable" in groups.get_suptitle()
    settings = Figure()
    plots.draw_setting_summary(settings, SUMMARY.assign(n_products=6), LIMITS)
    labels = [axes.get_xlabel() for axes in settings.axes]
    assert ["unreliable: 6 products" in label for label in labels] == [False, False, True, False]
