"""The plots of the golden set draw: on ordinary tables, on nulls, and on nothing; and they say what is on them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reports.fidelity.plots.sensitivity import draw_dose_response, draw_golden_scores, draw_sensitivity
from reports.shared.figure import png
from resources.configuration.fidelity import FidelityThresholds
from tests.reports.drawn_figures import drawn, texts

LIMITS = FidelityThresholds().model_dump()
SCORES = pd.DataFrame(
    {
        "setting": ["t0.2_p1.0"] * 4,
        "kind": ["stripes", "stripes", "untouched", "untouched"],
        "original_score": [0.8, 0.7, 0.8, np.nan],
        "altered_score": [0.3, 0.4, 0.8, 0.7],
        "undefined": [None, None, None, "too few valid repeats"],
    }
)
SEEN = pd.DataFrame(
    {
        "setting": ["t0.2_p1.0"] * 3,
        "alteration": ["stripes7_o70", "hue_5", "untouched"],
        "n_items": [10, 10, 10],
        "seen": ["seen", "not seen", "kept"],
        **{f"cohens_d{end}": value for end, value in (("", [2.0, 0.1, 0.0]), ("_low", [1.0, -0.2, -0.1]))},
        "cohens_d_high": [3.0, 0.4, 0.1],
        **{f"hit_rate{end}": [0.9, 0.5, 1.0] for end in ("", "_low", "_high")},
    }
)
POINTS = pd.DataFrame(
    {"kind": ["blur"] * 6, "object": list("aaabbb"), "dose": [1.0, 2.0, 4.0] * 2, "drop": [0.1, 0.2, 0.3, 0, 0.1, 0.4]}
)
LINES = pd.DataFrame(
    {
        "setting": ["t0.2_p1.0"],
        "kind": ["blur"],
        "dose_unit": ["px at 512"],
        "slope": [0.1],
        "intercept": [0.0],
        "r2": [0.9],
    }
)
PLOTS: dict[str, Callable[[bool], Callable[[Any], None]]] = {
    "golden scores": lambda none: lambda figure: draw_golden_scores(figure, SCORES.head(0) if none else SCORES),
    "sensitivity": lambda none: lambda figure: draw_sensitivity(figure, SEEN.head(0) if none else SEEN, LIMITS),
    "dose response": lambda none: (
        lambda figure: draw_dose_response(figure, POINTS.head(0) if none else POINTS, LINES.head(0) if none else LINES)
    ),
}


@pytest.mark.parametrize("name", PLOTS)
def test_an_ordinary_table_gives_the_same_picture_each_time(name: str) -> None:
    assert png(PLOTS[name](False)) == png(PLOTS[name](False))


@pytest.mark.parametrize("name", PLOTS)
def test_an_empty_table_gives_a_picture_that_says_so(name: str) -> None:
    assert any(text.startswith("no ") for text in texts(drawn(PLOTS[name](True))))


def test_pairs_without_a_score_are_not_drawn() -> None:
    figure = drawn(PLOTS["golden scores"](False))
    assert figure.axes[0].get_title() == "t0.2_p1.0: 3 pairs"


def test_each_alteration_is_named_with_its_items_and_the_words_explain_the_colours() -> None:
    figure = drawn(PLOTS["sensitivity"](False))
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == ["stripes7_o70 (n=10)", "hue_5 (n=10)", "untouched (n=10)"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["seen", "not seen", "kept"]


def test_numbers_that_are_undefined_leave_a_gap() -> None:
    blank = SEEN.assign(**{name: np.nan for name in SEEN.columns if name.startswith(("cohens", "hit"))}, seen="unknown")
    drawn(lambda figure: draw_sensitivity(figure, blank, LIMITS))
    lines = LINES.assign(slope=np.nan, intercept=np.nan, r2=np.nan)
    figure = drawn(lambda figure: draw_dose_response(figure, POINTS.head(0), lines))
    assert figure.axes[0].get_title() == "blur: R² undefined"


def test_the_line_within_items_is_drawn_over_the_doses() -> None:
    figure = drawn(PLOTS["dose response"](False))
    line = figure.axes[0].get_lines()[-1]
    np.testing.assert_allclose(line.get_xdata(), [1, 4])
    np.testing.assert_allclose(line.get_ydata(), [0.1, 0.4])
