"""Charts of agreement with people: scatter, limits of agreement, signed errors, and the errors of every setting."""

from typing import Any

from reports.fidelity.contents import Contents, defined, few, say
from reports.fidelity.plots.settings import SCALE, UNIT, same_score
from reports.shared import marks
from reports.shared.charts import Chart
from reports.shared.colours import INK, MAIN, NEUTRAL, OTHER, PALE, PAPER
from reports.shared.drawing import Axis, Drawing, rows_axis, rows_height
from reports.shared.marks import (
    Entry,
    Interval,
    Layer,
    band,
    legend,
    line_at,
    note_at_line,
    path,
    row_layers,
    rows_of_column,
    words,
)
from reports.shared.numbers import interval, is_number, number, plain_number, whole
from reports.shared.pictures import MOST_IN_ROWS
from reports.shared.table_view import DataColumn, DataTable, Head, TableView
from reports.shared.text import Text, joined

SOURCE = "matched_scores"


def agreement_charts(contents: Contents) -> list[Chart]:
    """In the order of the page."""
    return [scatter_chart(contents), limits_chart(contents), signed_chart(contents), errors_chart(contents)]


def scatter_chart(contents: Contents) -> Chart:
    """People on x, judge on y, with the line of equal scores and the calibration line."""
    entries = [
        Entry(say("legend.same_score"), NEUTRAL, "stroke", dash="dash"),
        Entry(say("legend.calibration"), OTHER, "stroke"),
    ]
    return Chart(
        "scatter",
        say("chart.scatter.title"),
        say("chart.scatter.reading"),
        _table(contents, "scatter"),
        drawing=Drawing(
            [same_score(), _points(x="human_score", y="judge_score"), legend(entries)],
            Axis(say("axis.people"), UNIT, SCALE),
            Axis(say("axis.judge"), UNIT, SCALE),
            520,
            variants={key: _calibration_line(contents, key) for key in contents.settings},
            source=SOURCE,
        ),
        empty=_nothing_matched(contents),
    )


def _calibration_line(contents: Contents, key: str) -> list[Layer]:
    """Human on judge, drawn where the judge's scores lie."""
    slope = contents.statistic(key, "calibration_slope")["value"]
    start = contents.statistic(key, "calibration_intercept")["value"]
    judge = contents.of(SOURCE, key)["judge_score"]
    if not defined(slope, start) or judge.empty:
        return []
    ends = [float(judge.min()), float(judge.max())]
    return [path([(float(start) + float(slope) * end, end) for end in ends], OTHER, width=2.2)]


def limits_chart(contents: Contents) -> Chart:
    """Bland and Altman: differences against means, with bias and limits and their intervals."""
    return Chart(
        "limits",
        say("chart.limits.title"),
        say("chart.limits.reading"),
        _limits_table(contents),
        drawing=Drawing(
            [_points(x="(datum.judge_score + datum.human_score) / 2", y="difference")],
            Axis(say("axis.mean_of_both"), UNIT, SCALE),
            Axis(say("axis.difference")),
            420,
            variants={key: _limit_lines(contents, key) for key in contents.settings},
            source=SOURCE,
        ),
        empty=_nothing_matched(contents),
    )


def _limit_lines(contents: Contents, key: str) -> list[Layer]:
    layers = [line_at(0, vertical=False, color=NEUTRAL, dash="dot")]
    for name, color in (("bias", MAIN), ("limit_low", INK), ("limit_high", INK)):
        row = contents.statistic(key, name)
        if not is_number(row["value"]):
            continue
        value = float(row["value"])
        layers.append(line_at(value, vertical=False, color=color, dash="solid" if name == "bias" else "dash"))
        if defined(row["ci_low"], row["ci_high"]):
            layers.append(band(float(row["ci_low"]), float(row["ci_high"]), MAIN if name == "bias" else PALE))
        label = joined([say(f"statistic.{name}"), number(value)], " ")
        layers.append(note_at_line(label, value, vertical=False, color=color))
    return layers


def signed_chart(contents: Contents) -> Chart:
    """The judge's error against the human score: where on the scale it is too high or too low."""
    return Chart(
        "signed",
        say("chart.signed.title"),
        say("chart.signed.reading"),
        _table(contents, "signed"),
        drawing=Drawing(
            [line_at(0, vertical=False, color=INK, dash="solid"), _points(x="human_score", y="difference")],
            Axis(say("axis.people"), UNIT, SCALE),
            Axis(say("axis.difference")),
            420,
            source=SOURCE,
        ),
        empty=_nothing_matched(contents),
    )


def errors_chart(contents: Contents) -> Chart:
    """MAE and RMSE of every setting with their intervals and limits."""
    limits, keys = contents.plan.thresholds, contents.settings
    layers: list[Layer] = []
    entries = []
    cells: list[list[Text]] = [[contents.named(key)] for key in keys]
    values: list[Any] = []
    for name, color, offset, symbol in (("mae", MAIN, -0.14, "circle"), ("rmse", INK, 0.14, "diamond")):
        found = [contents.statistic(key, name) for key in keys]
        points = [Interval(row["value"], row["ci_low"], row["ci_high"]) for row in found]
        label = say(f"statistic.{name}")
        hover = [
            joined([key, label, number(one.value), interval(one.low, one.high, unreliable=few(row))], " ")
            for key, one, row in zip(keys, points, found, strict=True)
        ]
        layers += row_layers(points, hover, [color] * len(keys), offset=offset, shape=symbol)
        entries.append(Entry(label, color, symbol))
        for cell, one, row in zip(cells, points, found, strict=True):
            cell += [number(one.value), interval(one.low, one.high, unreliable=few(row))]
        values += [one.value for one in points]
    for cell, key in zip(cells, keys, strict=True):
        cell += [number(contents.statistic(key, name)["value"]) for name in ("mae_linear", "rmse_linear")]
        cell.append(whole(contents.statistic(key, "mae")["n_used"]))
    heads = [
        Head(say("head.setting"), numeric=False),
        Head(say("statistic.mae"), term="mae"),
        Head(say("head.interval")),
        Head(say("statistic.rmse"), term="rmse"),
        Head(say("head.interval")),
        Head(say("head.mae_calibrated"), term="calibration"),
        Head(say("head.rmse_calibrated"), term="calibration"),
        Head(say("head.objects")),
    ]
    for limit, color, anchor in ((limits.mae, MAIN, "right"), (limits.rmse, INK, "left")):
        said = say("chart.at_most", limit=plain_number(limit))
        layers.append(line_at(limit, vertical=True, color=color))
        layers.append(note_at_line(said, limit, vertical=True, color=color, anchor=anchor))
    return Chart(
        "errors",
        say("chart.errors.title"),
        say("chart.errors.reading"),
        TableView(say("chart.errors.table"), heads, cells),
        drawing=Drawing(
            [*layers, legend(entries)],
            Axis(say("axis.error"), zero=True),
            rows_axis(keys),
            rows_height(len(keys)) + 40,
        ),
        empty=None if any(is_number(value) for value in values) else say("chart.nothing_matched"),
    )


def _points(*, x: str, y: str) -> Layer:
    """A dot for each object of the setting that is shown; x and y are columns, or what Vega makes of them."""
    columns = ("item_id", "match_key", "human_score", "judge_score", "difference")
    said = [
        {"field": "item_id", "type": "nominal", "title": words(say("head.item"))},
        {"field": "match_key", "type": "nominal", "title": words(say("head.object"))},
        *(
            {"field": f"{name}_score", "type": "quantitative", "format": ".3f", "title": words(say(f"head.{head}"))}
            for name, head in (("human", "people"), ("judge", "judge"))
        ),
    ]
    look: dict[str, Any] = {"fill": {"value": MAIN}, "stroke": {"value": PAPER}, "shape": {"value": "circle"}}
    dots = marks.dots(rows_of_column(*columns), size=50, opacity=0.62, hover=said, **look)
    places = {"x": x, "y": y}
    made = [{"calculate": f"datum.{of}" if of in columns else of, "as": side} for side, of in places.items()]
    return dots | {"transform": made}


def _table(contents: Contents, name: str) -> DataTable:
    by_object = contents.plan.match_by == "object"
    caption, n = say(f"chart.{name}.table"), len(contents.candidates)
    if n > MOST_IN_ROWS:
        caption = joined([caption, say("agreement.some_pictures", n=whole(MOST_IN_ROWS), total=whole(n))], ". ")
    return DataTable(
        caption,
        SOURCE,
        [
            DataColumn("item_id", say("head.item"), pictured=not by_object),
            *([DataColumn("match_key", say("head.object"), pictured=True)] if by_object else []),
            DataColumn("human_score", say("head.people"), 3),
            DataColumn("judge_score", say("head.judge"), 3),
            DataColumn("difference", say("head.difference"), 3),
            DataColumn("n_ratings", say("head.ratings"), 0),
        ],
        searchable=True,
    )


def _limits_table(contents: Contents) -> TableView:
    names = ("bias", "limit_low", "limit_high")
    heads = [Head(say("head.setting"), numeric=False)]
    for name in names:
        heads += [Head(say(f"statistic.{name}"), term="limits"), Head(say("head.interval"))]
    heads.append(Head(say("statistic.difference_slope"), term="limits"))
    rows = []
    for key in contents.settings:
        found = [contents.statistic(key, name) for name in names]
        cells = [
            cell
            for row in found
            for cell in (number(row["value"]), interval(row["ci_low"], row["ci_high"], unreliable=few(row)))
        ]
        rows.append([contents.named(key), *cells, number(contents.statistic(key, "difference_slope")["value"])])
    return TableView(say("chart.limits.table"), heads, rows)


def _nothing_matched(contents: Contents) -> Text | None:
    return say("chart.nothing_matched") if contents.tables[SOURCE].empty else None
