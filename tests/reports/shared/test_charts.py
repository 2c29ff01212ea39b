"""Charts as data: words in both languages and harmless, bars that reach their bounds, nothing that is no number."""

import json
import re

import pytest

from reports.fidelity.agreement import agreement_charts, scatter_chart
from reports.fidelity.contents import Contents
from reports.fidelity.repeatability import icc_chart, repeatability_charts
from reports.fidelity.report import TERMS
from reports.fidelity.settings import TERM_OF_GATE
from reports.shared.charts import Interval, error_bars, finite, harmless, row_traces, rows_axis, words
from reports.shared.embedded import strict_json
from reports.shared.text import same
from tests.reports.fidelity.made_contents import contents_of_size
from tests.reports.made_size import KEYS


@pytest.fixture(scope="module")
def contents() -> Contents:
    return contents_of_size()


def test_plotly_finds_no_markup_in_what_users_wrote() -> None:
    assert harmless('<a href="x">&amp;</a>') == '&lt;a href="x"&gt;&amp;amp;&lt;/a&gt;'
    assert words("<b>") == "&lt;b&gt;"
    assert words(same("<b>")) == {"$t": {"en": "&lt;b&gt;", "it": "&lt;b&gt;"}}


def test_error_bars_reach_to_the_bounds_and_are_none_without_them() -> None:
    bars = error_bars([Interval(0.5, 0.25, 1.0), Interval(0.5), Interval(None, 0.1, 0.2)])
    assert bars["array"] == [0.5, 0, 0]
    assert bars["arrayminus"] == [0.25, 0, 0]


def test_no_number_is_a_null() -> None:
    assert [finite(value) for value in (0.5, None, float("nan"), float("inf"))] == [0.5, None, None, None]


def test_hollow_rows_are_drawn_white_inside() -> None:
    [trace] = row_traces(
        [Interval(1.0), Interval(0.9)], [same("a"), same("b")], ["#111111"] * 2, bars=True, hollow=[1, 0]
    )
    assert trace["marker"]["color"] == ["#ffffff", "#111111"]


def test_rows_go_from_the_top_down() -> None:
    axis = rows_axis(["first", "second"])
    assert axis["ticktext"] == ["first", "second"]
    assert axis["range"][0] > axis["range"][1]


def test_every_chart_has_its_numbers_as_a_table_and_is_strict_json(contents: Contents) -> None:
    for chart in [*repeatability_charts(contents), *agreement_charts(contents)]:
        assert chart.table is not None, chart.id
        assert json.loads(strict_json(chart.spec))["layout"]["height"] == chart.height_px


def test_people_are_on_x_and_the_judge_on_y(contents: Contents) -> None:
    chart = scatter_chart(contents)
    points = chart.traces[1]
    assert (points["x"], points["y"]) == ({"$column": "human_score"}, {"$column": "judge_score"})
    [line] = chart.variants[KEYS[1]]["traces"]
    # Human on judge: x = intercept + slope * y at both ends.
    slope, start = (contents.statistic(KEYS[1], f"calibration_{part}")["value"] for part in ("slope", "intercept"))
    assert line["x"] == pytest.approx([start + slope * end for end in line["y"]])


def test_the_interval_that_counts_resamples_products_where_objects_share_one(contents: Contents) -> None:
    row = contents.row("icc_by_setting", KEYS[1])
    bars = icc_chart(contents).traces[0]["error_x"]
    assert bars["array"][1] == pytest.approx(row["icc_1k_high_by_product"] - row["icc_1k"])


def test_every_term_that_is_linked_is_in_the_help() -> None:
    import inspect

    from reports.fidelity import agreement, agreement_tables, calls, dose, people, repeatability, sensitivity

    linked = set(TERM_OF_GATE.values()) | set(agreement_tables.TERMS.values())
    for module in (agreement, agreement_tables, calls, dose, people, repeatability, sensitivity):
        linked |= set(re.findall(r'term="(\w+)"', inspect.getsource(module)))
    assert linked <= set(TERMS)
