"""Every validation so far: both kappas over time, and the steps that people took between them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from analysis.agreement.contingency import CONTINGENCY, PASSED, RESOLVED
from reports.reliability.contents import Contents, band, bounds_of, level, say, when
from reports.shared.charts import Chart, Interval, error_bars, finite, line_at, note_at_line, words
from reports.shared.figure import BLUE, DARK, PALE
from reports.shared.numbers import number, percent, plain_number, whole
from reports.shared.table_view import Head, TableView
from reports.shared.text import Part, Text, joined, lines

HEIGHT_PX: Final = 380
SYMBOLS: Final = {PASSED: "circle", CONTINGENCY: "circle-open", RESOLVED: "diamond"}
SERIES: Final = (("kappa_macro", BLUE, "solid", -0.03), ("kappa_micro", DARK, "dot", 0.03))
FLAGS: Final = ("not_proven", "depends_on_convention")
MOST_TICKS: Final = 12
MOST_NAMED: Final = 40


@dataclass(frozen=True)
class Event:
    """One validation with what was done before it; `kind` is its status."""

    number: int
    kind: str
    title: Text
    kappas: Text
    steps: list[Text]


def history_chart(contents: Contents) -> Chart:
    """Macro and micro of each validation with intervals and limits; the mark says what it led to."""
    rows = contents.history
    traces: list[dict[str, Any]] = []
    for name, color, dash, beside in SERIES:
        traces += _lines(rows, name, color, dash, beside, contents)
    traces += _entries_of_marks(rows)
    shapes, notes = _limits(contents)
    numbers = [int(row["number"]) for row in rows]
    ticks = numbers[:: -(-len(numbers) // MOST_TICKS)] if numbers else []
    return Chart(
        "history",
        say("chart.history.title"),
        say("chart.history.reading", level=level(contents)),
        history_table(contents),
        traces,
        {
            "xaxis": {
                "title": {"text": words(say("axis.validation"))},
                "tickmode": "array",
                "tickvals": ticks,
                "range": [0.5, len(rows) + 0.5],
                "showgrid": False,
            },
            "yaxis": {
                "title": {"text": words(say("axis.kappa"))},
                "range": [_lowest(rows, contents.plan.gate.min_macro), 1.04],
            },
            "shapes": shapes,
            "annotations": notes,
            "showlegend": True,
            "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "xanchor": "left"},
            "margin": {"l": 56, "r": 20, "t": 64, "b": 48},
        },
        HEIGHT_PX,
        empty=None if rows else say("chart.no_validation"),
    )


def _entries_of_marks(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the mark of each status that is there means, for the legend alone."""
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [None],
            "y": [None],
            "name": words(say(f"status.{status}")),
            "marker": {"symbol": SYMBOLS[status], "size": 10, "color": DARK, "line": {"width": 1.6, "color": DARK}},
        }
        for status in SYMBOLS
        if any(row["status"] == status for row in rows)
    ]


def _limits(contents: Contents) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Lines at what the kappas have to reach, with their words; one where both have the same limit."""
    gate = contents.plan.gate
    shapes = [line_at(gate.min_macro, vertical=False)]
    notes = [note_at_line(say("chart.needed", limit=plain_number(gate.min_macro)), gate.min_macro, vertical=False)]
    if gate.min_macro != gate.min_micro:
        shapes.append(line_at(gate.min_micro, vertical=False, dash="dot"))
        said = say("chart.needed_micro", limit=plain_number(gate.min_micro))
        notes.append(note_at_line(said, gate.min_micro, vertical=False))
    return shapes, notes


def history_table(contents: Contents) -> TableView:
    """The numbers of the chart, with counts and flags."""
    bounds = say("head.interval", level=level(contents))
    heads = [
        Head(say("head.validation"), numeric=False),
        Head(say("head.status"), numeric=False, term="status"),
        Head(say("head.macro"), term="kappa_macro", note=bounds),
        Head(say("head.macro_defined"), term="convention"),
        Head(say("head.micro"), term="kappa_micro", note=bounds),
        Head(say("head.low_share"), term="low_share"),
        Head(say("head.queries"), note=say("head.documents")),
        Head(say("head.judges"), numeric=False),
    ]
    cells: list[list[Part]] = [
        [
            joined([whole(row["number"]), when(row["timestamp"])], "\u2002"),
            lines([say(f"status.{row['status']}"), *(say(f"flag.{flag}") for flag in FLAGS if row[flag])]),
            lines([number(row["kappa_macro"]), bounds_of(row, "kappa_macro")]),
            number(row["kappa_macro_defined"]),
            lines([number(row["kappa_micro"]), bounds_of(row, "kappa_micro")]),
            percent(row["low_share"]),
            lines([whole(row["total_queries"]), whole(row["n_documents"])]),
            joined([row["judge_1"], row["judge_2"]]),
        ]
        for row in contents.history
    ]
    return TableView(say("chart.history.table"), heads, cells, stacks=True)


def events(contents: Contents) -> list[Event]:
    """The validations with the steps on record before each, the first one first."""
    return [
        Event(
            int(row["number"]),
            str(row["status"]),
            say("event.title", number=whole(row["number"]), when=when(row["timestamp"]), status=_status(row)),
            say(
                "event.kappas",
                macro=number(row["kappa_macro"]),
                micro=number(row["kappa_micro"]),
                band=band(row["kappa_macro"]),
            ),
            [said for step in json.loads(row["contingency_actions"]) for said in step_on_record(step)],
        )
        for row in contents.history
    ]


def step_on_record(step: dict[str, Any]) -> list[Text]:
    """One entry of `contingency_actions` in words; nothing for one that says nothing."""
    who = {"who": str(step.get("who", ""))}
    match step["step"]:
        case "disagreements":
            return [say("record.disagreements", n=whole(step["n_queries"]), documents=whole(step["n_documents"]))]
        case "tiebreaks":
            votes, left = whole(step["n_votes"]), whole(step["n_undecided_documents"])
            return [say("record.tiebreaks", n=votes, reviewed=whole(step["n_reviewed_queries"]), left=left)]
        case "bias_test":
            pairs = [say("judges.two", one=one, other=other) for one, other in step["biased_pairs"]]
            return [say("record.biased", pairs=joined(pairs, "; ")) if pairs else say("record.unbiased")]
        case "thresholds_accepted":
            named = [joined([judge, plain_number(value)], " ") for judge, value in step["thresholds"].items()]
            return [say("record.thresholds", thresholds=joined(named), **who)]
        case "recalibration_started":
            held = whole(len(step["held_out"]))
            return [
                say(
                    "record.recalibration",
                    n=whole(len(step["queries"])),
                    held=held,
                    prompt=step["prompt_version"],
                    **who,
                )
            ]
        case "manual_review_opened":
            return [say("record.manual_review", **who)]
    return [say("record.other", step=str(step["step"]))]


def _status(row: dict[str, Any]) -> Text:
    return say(f"status.{row['status']}")


def _lines(
    rows: Sequence[dict[str, Any]], name: str, color: str, dash: str, beside: float, contents: Contents
) -> list[dict[str, Any]]:
    points = [Interval(row[name], row[f"{name}_low"], row[f"{name}_high"]) for row in rows]
    hover = [
        joined(
            [
                say(f"statistic.{name}"),
                number(one.value),
                bounds_of(row, name),
                _status(row),
                when(row["timestamp"]),
            ],
            " ",
        )
        for row, one in zip(rows, points, strict=True)
    ]
    return [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": words(say(f"statistic.{name}")),
            # Side by side, so that neither interval hides the other.
            "x": [int(row["number"]) + beside for row in rows],
            "y": [finite(one.value) for one in points],
            "error_y": error_bars(points, PALE if len(rows) > MOST_NAMED else color, 1.1),
            "line": {"color": color, "width": 2, "dash": dash},
            "marker": {
                "symbol": [SYMBOLS[str(row["status"])] for row in rows],
                "size": 10,
                "color": color,
                "line": {"width": 1.6, "color": color},
            },
            "text": [words(one) for one in hover],
            "hoverinfo": "text",
            "cliponaxis": False,
        }
    ]


def _lowest(rows: Sequence[dict[str, Any]], limit: float) -> float:
    """Where the axis begins: at 0, lower where a bound is."""
    found = [finite(row[name]) for row in rows for name in ("kappa_macro", "kappa_micro", "kappa_macro_low")]
    return min([0.0, limit, *(value for value in found if value is not None)]) - 0.04
