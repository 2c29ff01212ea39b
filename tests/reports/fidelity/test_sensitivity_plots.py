"""The plots of the golden set draw: on ordinary tables, on nulls, and on nothing; and they say what is on them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reports.fidelity.plots.golden import dose_panels, golden_scores, sensitivity_panels
from reports.shared.drawing import Drawing
from reports.shared.figure import svg
from resources.configuration.fidelity import FidelityThresholds
from tests.reports.specifications import drawn, legend_of, rows_of, texts, titles

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
PLOTS: dict[str, Callable[[bool], Drawing | dict[str, Any]]] = {
    "golden scores": lambda none: golden_scores(SCORES.head(0) if none else SCORES),
    "sensitivity": lambda none: sensitivity_panels(SEEN.head(0) if none else SEEN, LIMITS),
    "dose response": lambda none: dose_panels(POINTS.head(0) if none else POINTS, LINES.head(0) if none else LINES),
}


@pytest.mark.parametrize("name", PLOTS)
def test_an_ordinary_table_gives_the_same_picture_each_time(name: str) -> None:
    assert svg(drawn(PLOTS[name](False))) == svg(drawn(PLOTS[name](False)))


@pytest.mark.parametrize("name", PLOTS)
def test_an_empty_table_gives_a_picture_that_says_so(name: str) -> None:
    assert any(text.startswith("no ") for text in texts(drawn(PLOTS[name](True))))


def test_pairs_without_a_score_are_not_drawn() -> None:
    spec = drawn(PLOTS["golden scores"](False))
    assert titles(spec) == ["t0.2_p1.0: 3 pairs"]
    assert len(rows_of(spec, "point")[0]) == 3


def test_each_alteration_is_named_with_its_items_and_the_words_explain_the_colours() -> None:
    spec = drawn(PLOTS["sensitivity"](False))
    names = [param["value"] for param in spec["params"] if param["name"] == "panel_0_y"]
    assert names == [["stripes7_o70 (n=10)", "hue_5 (n=10)", "untouched (n=10)"]]
    assert legend_of(spec["concat"][0]) == ["seen", "not seen", "score kept"]
    assert [row["x"] for row in rows_of(spec["concat"][0], "point")[0]] == SEEN["cohens_d"].tolist()


def test_numbers_that_are_undefined_leave_a_gap() -> None:
    blank = SEEN.assign(**{name: np.nan for name in SEEN.columns if name.startswith(("cohens", "hit"))}, seen="unknown")
    drawn(sensitivity_panels(blank, LIMITS))
    lines = LINES.assign(slope=np.nan, intercept=np.nan, r2=np.nan)
    assert titles(drawn(dose_panels(POINTS.head(0), lines))) == ["blur: R² undefined"]


def test_the_line_within_items_is_drawn_over_the_doses() -> None:
    items, means, line = rows_of(drawn(PLOTS["dose response"](False)), "line")
    assert {row["of"] for row in items} == {"a", "b"}
    np.testing.assert_allclose([(row["x"], row["y"]) for row in means], [(1, 0.05), (2, 0.15), (4, 0.35)])
    np.testing.assert_allclose([(row["x"], row["y"]) for row in line], [(1, 0.1), (4, 0.4)])
