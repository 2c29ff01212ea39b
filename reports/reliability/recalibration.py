"""What judging queries of low kappa again under another prompt did, part by part."""

from typing import Any, Final

from reports.reliability.contents import Contents, level, note_of, say
from reports.shared.charts import Chart
from reports.shared.colours import MAIN, NEUTRAL
from reports.shared.drawing import Axis, Drawing, rows_axis, rows_height
from reports.shared.marks import Entry, Interval, legend, line_at, path, row_layers
from reports.shared.numbers import interval, is_number, is_unreliable, number, whole
from reports.shared.table_view import Head, TableView, records
from reports.shared.text import Part, Text, joined

LEGEND_PX: Final = 28


def said_of_recalibration(contents: Contents) -> list[Text]:
    """How many queries were judged again and how to read the change."""
    rows = records(contents.tables["recalibration"])
    if not rows:
        return [say("recalibration.none", limit=number(contents.plan.gate.low_kappa, 1))]
    counts = {row["part"]: row["n_queries"] for row in rows}
    again, held = counts.get("judged_again", 0), counts.get("held_out", 0)
    said = [say("recalibration.said", n=whole(again), held=whole(held), prompt=str(rows[0]["prompt_version"]))]
    return [*said, say("recalibration.every" if counts.get("untouched", 0) == 0 else "recalibration.regression")]


def recalibration_chart(contents: Contents) -> Chart:
    """Macro and micro of each part before and after, a line from one to the other."""
    rows = [row for row in records(contents.tables["recalibration"]) if is_number(row["change"])]
    names = [joined([_name(row), joined(["n", whole(row["n_queries"])], "\u00a0=\u00a0")]) for row in rows]
    layers = [path([(row["before"], place), (row["after"], place)], NEUTRAL) for place, row in enumerate(rows)]
    for side, color, hollow in (("before", NEUTRAL, True), ("after", MAIN, False)):
        points = [Interval(row[side]) for row in rows]
        label = say(f"legend.{side}")
        hover = [joined([name, label, number(row[side])], " ") for name, row in zip(names, rows, strict=True)]
        layers += row_layers(points, hover, [color] * len(rows), hollow=[hollow] * len(rows))
    entries = [Entry(say("legend.before"), NEUTRAL, hollow=True), Entry(say("legend.after"), MAIN)]
    lowest = min([0.0, *(float(row[side]) for row in rows for side in ("before", "after"))])
    return Chart(
        "recalibration",
        say("chart.recalibration.title"),
        say("chart.recalibration.reading"),
        recalibration_table(contents),
        drawing=Drawing(
            [*layers, legend(entries)],
            Axis(say("axis.kappa"), (lowest - 0.05, 1.05)),
            rows_axis(names),
            rows_height(len(rows)) + LEGEND_PX,
        ),
        empty=None if rows else say("chart.not_recalibrated"),
    )


def change_chart(contents: Contents) -> Chart:
    """By how much kappa of each part changed, with its interval, on an axis of its own."""
    rows = [row for row in records(contents.tables["recalibration"]) if is_number(row["change"])]
    points = [Interval(row["change"], row["change_low"], row["change_high"]) for row in rows]
    hover = [joined([_name(row), _change(row)], " ") for row in rows]
    return Chart(
        "recalibration_change",
        say("chart.recalibration_change.title"),
        say("chart.recalibration_change.reading", level=level(contents)),
        None,
        drawing=Drawing(
            [line_at(0, vertical=True, color=NEUTRAL), *row_layers(points, hover, [MAIN] * len(rows))],
            Axis(say("axis.kappa_change"), zero=True),
            rows_axis([_name(row) for row in rows]),
            rows_height(len(rows)) + LEGEND_PX,
        ),
        empty=None if rows else say("chart.not_recalibrated"),
    )


def recalibration_table(contents: Contents) -> TableView | None:
    """Before, after and the change with its interval; none where nothing was judged again."""
    rows = records(contents.tables["recalibration"])
    if not rows:
        return None
    heads = [
        Head(say("head.part"), numeric=False, term="recalibration"),
        Head(say("head.before")),
        Head(say("head.after")),
        Head(say("head.change")),
        Head(say("head.interval", level=level(contents)), term="interval"),
        Head(say("head.queries")),
        Head(say("head.note"), numeric=False),
    ]
    cells: list[list[Part]] = [
        [
            _name(row),
            number(row["before"]),
            number(row["after"]),
            number(row["change"]),
            interval(row["change_low"], row["change_high"], unreliable=is_unreliable(row["method"])),
            whole(row["n_queries"]),
            note_of(row),
        ]
        for row in rows
    ]
    return TableView(say("chart.recalibration.table"), heads, cells)


def _change(row: dict[str, Any]) -> Text:
    bounds = interval(row["change_low"], row["change_high"], unreliable=is_unreliable(row["method"]))
    return say("hover.change", change=number(row["change"]), bounds=bounds)


def _name(row: dict[str, Any]) -> Text:
    return joined([say(f"part.{row['part']}"), say(f"short.{row['statistic']}")])
