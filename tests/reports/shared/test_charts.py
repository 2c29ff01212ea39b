"""Charts as data: words in both languages and harmless, bars that reach their bounds, nothing that is no number."""

import json
import re

import altair
import pytest

from reports.fidelity.agreement import agreement_charts, scatter_chart
from reports.fidelity.contents import WORDS, Contents
from reports.fidelity.repeatability import icc_chart, repeatability_charts
from reports.fidelity.sensitivity import sensitivity_charts
from reports.fidelity.settings import TERM_OF_GATE
from reports.shared.drawing import Axis, Drawing, rows_axis
from reports.shared.embedded import strict_json
from reports.shared.marks import Interval, finite, is_legend, row_layers, words
from reports.shared.text import same
from tests.reports.fidelity.made_contents import contents_of_size
from tests.reports.made_size import KEYS
from tests.reports.specifications import axis_of, layers_of, names_of, rows_of


@pytest.fixture(scope="module")
def contents() -> Contents:
    return contents_of_size()


def test_words_are_those_of_each_language_and_users_own_as_they_are() -> None:
    assert words("<b>") == "<b>"
    assert words(same("<b>")) == {"$t": {"en": "<b>", "it": "<b>"}}


def test_intervals_reach_to_the_bounds_and_are_none_without_them() -> None:
    points = [Interval(0.5, 0.25, 1.0), Interval(0.5), Interval(None, 0.1, 0.2)]
    bars, dots = row_layers(points, ["a", "b", "c"], ["#111111"] * 3)
    assert [(row["low"], row["high"]) for row in bars["data"]["values"]] == [(0.25, 1.0)]
    assert [row["y"] for row in dots["data"]["values"]] == [0, 1]


def test_no_number_is_a_null() -> None:
    assert [finite(value) for value in (0.5, None, float("nan"), float("inf"))] == [0.5, None, None, None]


def test_hollow_rows_are_drawn_white_inside() -> None:
    [bars, _] = row_layers([Interval(1.0), Interval(0.9)], ["a", "b"], ["#111111"] * 2, bars=True, hollow=[True, False])
    assert [row["fill"] for row in bars["data"]["values"]] == ["#ffffff", "#111111"]
    assert [(row["x"], row["x2"]) for row in bars["data"]["values"]] == [(0, 1.0), (0, 0.9)]


def test_rows_go_from_the_top_down() -> None:
    spec = Drawing(
        row_layers([Interval(1.0)] * 2, ["a", "b"], ["#111111"] * 2), Axis("x"), rows_axis(["a", "b"])
    ).specification()
    assert names_of(spec) == ["a", "b"]
    assert axis_of(spec, "y")["scale"]["reverse"] is True


def test_every_chart_has_its_numbers_as_a_table_and_is_strict_json(contents: Contents) -> None:
    for chart in [*repeatability_charts(contents), *agreement_charts(contents)]:
        assert chart.table is not None, chart.id
        assert json.loads(strict_json(chart.drawing.for_page()))["chart"]["height"] == chart.drawing.height_px


def test_every_specification_keeps_to_the_schema_of_vega_lite(contents: Contents) -> None:
    # What is misspelt in a specification is not drawn, and nothing says so.
    table = contents.tables["matched_scores"]
    for chart in [*repeatability_charts(contents), *agreement_charts(contents), *sensitivity_charts(contents)]:
        spec = chart.drawing.specification("it", contents.focus, table if chart.drawing.source else None)
        altair.LayerChart.from_dict(spec)


def test_people_are_on_x_and_the_judge_on_y(contents: Contents) -> None:
    drawing = scatter_chart(contents).drawing
    spec = drawing.specification("en", KEYS[1], contents.of("matched_scores", KEYS[1]))
    [points] = [layer for layer in layers_of(spec, "point") if not is_legend(layer)]
    assert [one["calculate"] for one in points["transform"]] == ["datum.human_score", "datum.judge_score"]
    assert len(points["data"]["values"]) == len(contents.of("matched_scores", KEYS[1]))
    line = rows_of(spec, "line")[-1]
    # Human on judge: x = intercept + slope * y at both ends.
    slope, start = (contents.statistic(KEYS[1], f"calibration_{part}")["value"] for part in ("slope", "intercept"))
    assert [row["x"] for row in line] == pytest.approx([start + slope * row["y"] for row in line])


def test_the_interval_that_counts_resamples_products_where_objects_share_one(contents: Contents) -> None:
    row = contents.row("icc_by_setting", KEYS[1])
    [bars] = [rows for rows in rows_of(icc_chart(contents).specification, "rule") if "low" in rows[0]]
    assert {bar["y"]: bar["high"] for bar in bars}[1] == pytest.approx(row["icc_1k_high_by_product"])


def test_every_term_that_is_linked_is_in_the_help() -> None:
    import inspect

    from reports.fidelity import agreement, agreement_tables, calls, dose, people, repeatability, sensitivity

    linked = set(TERM_OF_GATE.values()) | set(agreement_tables.TERMS.values())
    for module in (agreement, agreement_tables, calls, dose, people, repeatability, sensitivity):
        linked |= set(re.findall(r'term="(\w+)"', inspect.getsource(module)))
    assert linked <= set(WORDS.names_below("glossary"))
