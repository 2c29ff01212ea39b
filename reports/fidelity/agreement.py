"""Charts of agreement with people: scatter, limits of agreement, signed errors, and the errors of every setting."""

from typing import Any

from reports.fidelity.contents import Contents, defined, few, say
from reports.shared.charts import (
    Chart,
    Interval,
    band,
    column,
    line_at,
    mean_of,
    note_at_line,
    row_traces,
    rows_axis,
    rows_height,
    words,
)
from reports.shared.figure import BLUE, DARK, GREY, ORANGE, PALE
from reports.shared.numbers import interval, is_number, number, plain_number, whole
from reports.shared.table_view import DataColumn, DataTable, Head, TableView
from reports.shared.text import LANGUAGES, Text, joined

SOURCE = "matched_scores"
SCALE = {"range": [-0.03, 1.03], "dtick": 0.2}


def agreement_charts(contents: Contents) -> list[Chart]:
    """In the order of the page."""
    return [scatter_chart(contents), limits_chart(contents), signed_chart(contents), errors_chart(contents)]


def scatter_chart(contents: Contents) -> Chart:
    """People on x, judge on y, with the line of equal scores and the calibration line."""
    same = {
        "type": "scatter",
        "mode": "lines",
        "x": [0, 1],
        "y": [0, 1],
        "line": {"color": GREY, "width": 1.3, "dash": "dash"},
        "name": words(say("legend.same_score")),
        "hoverinfo": "skip",
        "showlegend": True,
    }
    return Chart(
        "scatter",
        say("chart.scatter.title"),
        say("chart.scatter.reading"),
        _table(contents, "scatter"),
        [same, _points(column("human_score"), column("judge_score"))],
        {
            "xaxis": {"title": {"text": words(say("axis.people"))}, **SCALE},
            "yaxis": {"title": {"text": words(say("axis.judge"))}, **SCALE},
            "showlegend": True,
        },
        520,
        SOURCE,
        {key: {"traces": _calibration_line(contents, key)} for key in contents.settings},
        empty=_nothing_matched(contents),
    )


def _calibration_line(contents: Contents, key: str) -> list[dict[str, Any]]:
    """Human on judge, drawn where the judge's scores lie."""
    slope = contents.statistic(key, "calibration_slope")["value"]
    start = contents.statistic(key, "calibration_intercept")["value"]
    judge = contents.of(SOURCE, key)["judge_score"]
    if not defined(slope, start) or judge.empty:
        return []
    ends = [float(judge.min()), float(judge.max())]
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [float(start) + float(slope) * end for end in ends],
            "y": ends,
            "line": {"color": ORANGE, "width": 2.2},
            "name": words(say("legend.calibration")),
            "hoverinfo": "skip",
            "showlegend": True,
        }
    ]


def limits_chart(contents: Contents) -> Chart:
    """Bland and Altman: differences against means, with bias and limits and their intervals."""
    return Chart(
        "limits",
        say("chart.limits.title"),
        say("chart.limits.reading"),
        _limits_table(contents),
        [_points(mean_of("judge_score", "human_score"), column("difference"))],
        {
            "xaxis": {"title": {"text": words(say("axis.mean_of_both"))}, **SCALE},
            "yaxis": {"title": {"text": words(say("axis.difference"))}},
        },
        420,
        SOURCE,
        {key: {"layout": _limit_lines(contents, key)} for key in contents.settings},
        empty=_nothing_matched(contents),
    )


def _limit_lines(contents: Contents, key: str) -> dict[str, Any]:
    shapes, notes = [line_at(0, vertical=False, color=GREY, dash="dot")], []
    for name, color in (("bias", BLUE), ("limit_low", DARK), ("limit_high", DARK)):
        row = contents.statistic(key, name)
        if not is_number(row["value"]):
            continue
        value = float(row["value"])
        shapes.append(line_at(value, vertical=False, color=color, dash="solid" if name == "bias" else "dash"))
        if defined(row["ci_low"], row["ci_high"]):
            shapes.append(band(float(row["ci_low"]), float(row["ci_high"]), BLUE if name == "bias" else PALE))
        label = joined([say(f"statistic.{name}"), number(value)], " ")
        notes.append(note_at_line(label, value, vertical=False, color=color))
    return {"shapes": shapes, "annotations": notes}


def signed_chart(contents: Contents) -> Chart:
    """The judge's error against the human score: where on the scale it is too high or too low."""
    return Chart(
        "signed",
        say("chart.signed.title"),
        say("chart.signed.reading"),
        _table(contents, "signed"),
        [_points(column("human_score"), column("difference"))],
        {
            "xaxis": {"title": {"text": words(say("axis.people"))}, **SCALE},
            "yaxis": {"title": {"text": words(say("axis.difference"))}},
            "shapes": [line_at(0, vertical=False, color=DARK, dash="solid")],
        },
        420,
        SOURCE,
        empty=_nothing_matched(contents),
    )


def errors_chart(contents: Contents) -> Chart:
    """MAE and RMSE of every setting with their intervals and limits."""
    limits, keys = contents.plan.thresholds, contents.settings
    traces: list[dict[str, Any]] = []
    cells: list[list[Text]] = [[contents.named(key)] for key in keys]
    values: list[Any] = []
    for name, color, offset, symbol in (("mae", BLUE, -0.14, "circle"), ("rmse", DARK, 0.14, "diamond")):
        found = [contents.statistic(key, name) for key in keys]
        points = [Interval(row["value"], row["ci_low"], row["ci_high"]) for row in found]
        label = say(f"statistic.{name}")
        hover = [
            joined([key, label, number(one.value), interval(one.low, one.high, unreliable=few(row))], " ")
            for key, one, row in zip(keys, points, found, strict=True)
        ]
        marks = {"offset": offset, "symbol": symbol, "name": label}
        traces += row_traces(points, hover, [color] * len(keys), bars=False, **marks)  # type: ignore[arg-type]
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
    shapes = [line_at(limits.mae, vertical=True, color=BLUE), line_at(limits.rmse, vertical=True, color=DARK)]
    notes = [
        note_at_line(
            say("chart.at_most", limit=plain_number(limits.mae)), limits.mae, vertical=True, color=BLUE, anchor="right"
        ),
        note_at_line(
            say("chart.at_most", limit=plain_number(limits.rmse)), limits.rmse, vertical=True, color=DARK, anchor="left"
        ),
    ]
    return Chart(
        "errors",
        say("chart.errors.title"),
        say("chart.errors.reading"),
        TableView(say("chart.errors.table"), heads, cells),
        traces,
        {
            "xaxis": {"title": {"text": words(say("axis.error"))}, "rangemode": "tozero"},
            "yaxis": rows_axis(keys),
            "shapes": shapes,
            "annotations": notes,
            "showlegend": True,
            "legend": {"orientation": "h", "x": 0, "y": 1.1, "yanchor": "bottom"},
            "margin": {"l": 56, "r": 20, "t": 64, "b": 48},
        },
        rows_height(len(keys)) + 40,
        empty=None if any(is_number(value) for value in values) else say("chart.nothing_matched"),
    )


def _points(x: Any, y: Any) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": x,
        "y": y,
        "customdata": {"$hover": ["item_id", "match_key", "human_score", "judge_score"]},
        "hovertemplate": {"$t": {language: _hover(language) for language in LANGUAGES}},
        "marker": {"color": BLUE, "size": 8, "opacity": 0.62, "line": {"color": "#ffffff", "width": 0.6}},
        "showlegend": False,
    }


def _hover(language: str) -> str:
    people, judge = (say(f"head.{name}").plain(language) for name in ("people", "judge"))
    lines = ["<b>%{customdata[0]}</b>", "%{customdata[1]}", people + ": %{customdata[2]:.3f}"]
    return "<br>".join([*lines, judge + ": %{customdata[3]:.3f}"]) + "<extra></extra>"


def _table(contents: Contents, name: str) -> DataTable:
    by = "object" if contents.plan.match_by == "object" else "item"
    return DataTable(
        say(f"chart.{name}.table"),
        SOURCE,
        [
            DataColumn("item_id", say("head.item")),
            *([DataColumn("match_key", say("head.object"))] if by == "object" else []),
            DataColumn("human_score", say("head.people"), 3),
            DataColumn("judge_score", say("head.judge"), 3),
            DataColumn("difference", say("head.difference"), 3),
            DataColumn("n_ratings", say("head.ratings"), 0),
        ],
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
