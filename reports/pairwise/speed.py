"""What each method costs and what it is worth: time per pair against accuracy."""

import math
from typing import Any

from analysis.preference.significance import CHANCE
from reports.pairwise.contents import Contents, level, named, say
from reports.shared.charts import Chart, Interval, error_bars, line_at, words
from reports.shared.figure import BLUE, GREY
from reports.shared.numbers import interval, is_number, number, plain_number, whole
from reports.shared.table_view import Head, TableView
from reports.shared.text import Part, Text, joined

HEIGHT_PX = 420
# How many times the logarithmic axis goes beyond the points.
ROOM = 1.8
NAME_ROOM = 6.0


def speed_chart(contents: Contents) -> Chart:
    """Accuracy against what a method alone would take per pair; the best of each cluster of equal times is named."""
    rows = _timed(contents)
    times = [float(row["avg_time_ms"]) for row in rows]
    names = _named_points(rows)
    points = [Interval(row["accuracy"], row["accuracy_low"], row["accuracy_high"]) for row in rows]
    hover = [
        joined([row["method"], say("hover.ms", ms=number(row["avg_time_ms"], 1)), number(row["accuracy"]),
                interval(row["accuracy_low"], row["accuracy_high"])], " ")
        for row in rows
    ]  # fmt: skip
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers+text",
        "x": times,
        "y": [float(row["accuracy"]) for row in rows],
        # Methods of one stage take the same time: ends of their bars would cover one another.
        "error_y": {**error_bars(points, "#cbd5e0", 1.2), "width": 0},
        "text": [words(name) for name in names],
        "textfont": {"size": 11},
        "textposition": [_side(time, times) for time in times],
        "hovertext": [words(one) for one in hover],
        "hoverinfo": "text",
        "marker": {"color": BLUE, "size": 9},
        "cliponaxis": False,
    }
    axis: dict[str, Any] = {"title": {"text": words(say("axis.time"))}, "type": "log", "dtick": 1}
    if times:
        # Names of the left points stand to their right.
        low, high = min(times) / ROOM, max(times) * (ROOM if max(times) > min(times) * ROOM else NAME_ROOM)
        ticks = _ticks(low, high)
        axis |= {"range": [math.log10(low), math.log10(high)], "tickmode": "array", "tickvals": ticks}
        axis["ticktext"] = [words(plain_number(tick)) for tick in ticks]
    return Chart(
        "speed",
        say("chart.speed.title"),
        say("chart.speed.reading"),
        speed_table(contents),
        [trace],
        {
            "xaxis": axis,
            "yaxis": {"title": {"text": words(say("axis.accuracy"))}},
            "shapes": [line_at(CHANCE, vertical=False, color=GREY)],
        },
        HEIGHT_PX,
        empty=None if rows else say("chart.no_time"),
    )


def speed_table(contents: Contents) -> TableView:
    """Time alone and here, throughput and accuracy, the fastest first."""
    heads = [
        Head(say("head.method"), numeric=False),
        Head(say("head.time"), term="time"),
        Head(say("head.throughput"), term="time"),
        Head(say("head.shared_time"), term="time"),
        Head(say("head.accuracy"), term="accuracy"),
        Head(say("head.interval", level=level(contents))),
    ]
    rows: list[list[Part]] = [
        [
            str(row["method"]),
            number(row["avg_time_ms"], 2),
            number(row["throughput"], 1),
            number(row["shared_time_ms"], 2),
            number(row["accuracy"]),
            interval(row["accuracy_low"], row["accuracy_high"]),
        ]
        for row in sorted(_timed(contents), key=lambda row: (row["avg_time_ms"], -row["accuracy"]))
    ]
    return TableView(say("chart.speed.table"), heads, rows)


def said_of_speed(contents: Contents) -> list[Text]:
    """Which methods no other beats in both, and how fast photos were measured."""
    rows, said = _timed(contents), []
    if rows:
        front = [row["method"] for row in rows if not any(_beats(other, row) for other in rows)]
        said.append(say("speed.front", n=whole(len(front)), methods=named(front)))
    features = contents.tables["image_features"]
    n = int(features["n_images"].sum())
    if n:
        plan = contents.plan
        size = number(plan.rules_long_side, 0) if plan.rules_long_side else None
        said.append(say("speed.fast_mode", side=size) if size else say("speed.full"))
        rates = features.loc[features["images_per_s"].notna(), ["n_computed", "images_per_s"]]
        seconds = float((rates["n_computed"] / rates["images_per_s"]).sum()) if len(rates) else 0.0
        if seconds > 0:
            computed = int(rates["n_computed"].sum())
            said.append(say("speed.computed", n=whole(computed), rate=number(computed / seconds, 0)))
    return said


def _timed(contents: Contents) -> list[dict[str, Any]]:
    return [row for row in contents.measured if is_number(row["avg_time_ms"]) and row["avg_time_ms"] > 0]


def _named_points(rows: list[dict[str, Any]]) -> list[str]:
    """Each row's name where it is the most accurate at its time; names of methods of one stage would lie in a heap."""
    best: dict[float, str] = {}
    for row in rows:
        # Rows come in order of accuracy.
        best.setdefault(round(math.log10(row["avg_time_ms"]), 1), str(row["method"]))
    shown = set(best.values())
    return [str(row["method"]) if row["method"] in shown else "" for row in rows]


def _side(time: float, times: list[float]) -> str:
    """Where a point's name has room: to the right of points on the left, to the left of points on the right."""
    middle = math.sqrt(min(times) * max(times))
    return "middle right" if time <= middle else "middle left"


def _ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times the powers of ten between these times."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [tick for power in powers for step in (1, 2, 5) if low <= (tick := step * 10.0**power) <= high]


def _beats(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """At least as good in both, and better in one."""
    faster, better = one["avg_time_ms"] - other["avg_time_ms"], one["accuracy"] - other["accuracy"]
    return bool(faster <= 0 and better >= 0 and (faster < 0 or better > 0))
