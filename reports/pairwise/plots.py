"""The charts of study B: accuracy, also by agreement and against time, couples of methods, strengths of photos."""

import itertools
import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.preference.accuracy import BAND_NAMES
from analysis.preference.significance import CHANCE
from reports.pairwise.contents import say
from reports.shared import marks
from reports.shared.colours import INK, LIMIT, MAIN, NEUTRAL, OTHER, PALE, PAPER
from reports.shared.drawing import COUNTS, Axis, Drawing, nothing_to_draw, panels, rows_axis, rows_height
from reports.shared.marks import Entry, Interval, Layer, finite, readable_on, share_colors, words
from reports.shared.numbers import interval, number, plain_number, whole
from reports.shared.table_view import records
from reports.shared.text import joined
from reports.shared.words import short
from resources.tables.pairwise_rows import chance_of, letters_of, measured

LONGEST_NAME: Final = 32
COLORS: Final = {"better": MAIN, "open": NEUTRAL, "worse": LIMIT}
BAND_MARKS: Final = ((NEUTRAL, "circle"), (MAIN, "square"), (INK, "diamond"))
# Three points a row need more room than one.
BAND_ROW_PX: Final = 14
LEGEND_PX: Final = 36
# How many times the logarithmic axis goes beyond the points.
ROOM: Final = 1.8
NAME_ROOM: Final = 6.0
# A chart narrower than this has no room for two names next to each other; so far apart they do not touch, both in px.
NARROW, NAME_OFF = 420, 14
BINS: Final = 24


def accuracies(metrics: pd.DataFrame, level: float) -> Drawing:
    """Accuracy of each method with its interval, the best on top; methods without one below, by name.

    Args:
        metrics: Table `method_metrics`.
        level: What a sure p is below.
    """
    rows = records(measured(metrics))
    if not rows:
        return nothing_to_draw(say("chart.no_method"))
    kinds = [chance_of(row, level) for row in rows]
    points = [_accuracy(row) for row in rows]
    hover = [
        joined([row["method"], number(one.value), interval(one.low, one.high), say(f"chance.{kind}")], " ")
        for row, one, kind in zip(rows, points, kinds, strict=True)
    ]
    colors, hollow = [COLORS[kind] for kind in kinds], [kind == "open" for kind in kinds]
    entries = [
        Entry(say(f"chance.{kind}"), color, hollow=kind == "open") for kind, color in COLORS.items() if kind in kinds
    ]
    numbers = [{"y": place, "label": words(number(one.value))} for place, one in enumerate(points)]
    return Drawing(
        [
            *_chance(vertical=True),
            *marks.row_layers(points, hover, colors, hollow=hollow),
            marks.at_right(numbers, color=INK, size=12),
            *_lacking(metrics, len(rows)),
            marks.legend(entries),
        ],
        Axis(say("axis.accuracy")),
        _methods(metrics),
        rows_height(len(metrics)) + LEGEND_PX,
    )


def bands(metrics: pd.DataFrame) -> Drawing:
    """Accuracy of each method where people agree somewhat, mostly, and almost all."""
    rows = records(measured(metrics))
    if not rows:
        return nothing_to_draw(say("chart.no_method"))
    layers, entries = _chance(vertical=True), []
    for shift, band, (color, shape) in zip((-0.24, 0.0, 0.24), BAND_NAMES, BAND_MARKS, strict=True):
        points = [_accuracy(row, f"_{band}") for row in rows]
        label = say(f"band.{band}")
        hover = [
            joined([row["method"], label, number(one.value), interval(one.low, one.high)], " ")
            for row, one in zip(rows, points, strict=True)
        ]
        # Bars of three points a row are close: each has its point's colour.
        layers += marks.row_layers(points, hover, [color] * len(rows), offset=shift, shape=shape, whisker=None)
        n = max(int(row[f"n_{band}"]) for row in rows)
        entries.append(Entry(joined([label, joined(["n", whole(n)], "\u00a0=\u00a0")]), color, shape))
    return Drawing(
        [*layers, *_lacking(metrics, len(rows)), marks.legend(entries)],
        Axis(say("axis.accuracy")),
        _methods(metrics),
        rows_height(len(metrics)) + BAND_ROW_PX * len(rows) + LEGEND_PX,
    )


def speeds(metrics: pd.DataFrame) -> Drawing:
    """Accuracy against what a method alone would take per pair; the best of each cluster of equal times is named."""
    rows = timed(metrics)
    if not rows:
        return nothing_to_draw(say("chart.no_time"))
    times = [float(row["avg_time_ms"]) for row in rows]
    points = [
        {
            "x": time,
            "y": float(row["accuracy"]),
            "low": finite(row["accuracy_low"]),
            "high": finite(row["accuracy_high"]),
            "fill": MAIN,
            "stroke": MAIN,
            "shape": "circle",
            "hover": words(
                joined(
                    [
                        row["method"],
                        say("hover.ms", ms=number(time, 1)),
                        number(row["accuracy"]),
                        interval(row["accuracy_low"], row["accuracy_high"]),
                    ],
                    " ",
                )
            ),
        }
        for row, time in zip(rows, times, strict=True)
    ]
    # Names of the left points are to their right.
    low, high = min(times) / ROOM, max(times) * (ROOM if max(times) > min(times) * ROOM else NAME_ROOM)
    ticks = _ticks(low, high)
    names = [point | {"label": name} for point, name in zip(points, _named_points(rows), strict=True) if name]
    middle = math.sqrt(min(times) * max(times))
    left = [one for one in names if one["x"] <= middle]
    sides = [marks.labels(left, color=INK, align="left", dx=8)]
    # In a narrow chart names of the right points are off the height of the left one that is nearest to it.
    for is_lower, off in ((True, NAME_OFF), (False, -NAME_OFF)):
        right = [one for one in names if one["x"] > middle and (one["y"] <= _nearest(left, one)) is is_lower]
        off_when_narrow = {"expr": f"width < {NARROW} ? {off} : 0"}
        sides.append(marks.labels(right, color=INK, align="right", dx=-8, dy=off_when_narrow))
    return Drawing(
        [
            *_chance(vertical=False),
            marks.whiskers([point | {"stroke": PALE} for point in points], along="y", width=1.2),
            marks.dots(points),
            *sides,
        ],
        Axis(say("axis.time"), (low, high), ticks=ticks, names=[plain_number(tick) for tick in ticks], log=True),
        Axis(say("axis.accuracy")),
        420,
    )


def _nearest(others: Sequence[dict[str, Any]], one: dict[str, Any]) -> float:
    """The accuracy of the other that is most like this one's."""
    return min((float(other["y"]) for other in others), key=lambda y: abs(y - one["y"]), default=0.0)


def timed(metrics: pd.DataFrame) -> list[dict[str, Any]]:
    """The methods with an accuracy and a time, the most accurate first."""
    frame = measured(metrics)
    return records(frame[frame["avg_time_ms"] > 0])


def _named_points(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Each row's name where it is the most accurate at its time; names of methods of one stage would be in a heap."""
    best: dict[float, str] = {}
    for row in rows:
        # Rows come in order of accuracy.
        best.setdefault(round(math.log10(row["avg_time_ms"]), 1), str(row["method"]))
    shown = set(best.values())
    return [short(row["method"], LONGEST_NAME) if row["method"] in shown else "" for row in rows]


def _ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times the powers of ten between these times."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [tick for power in powers for step in (1, 2, 5) if low <= (tick := step * 10.0**power) <= high]


def couples(rows: pd.DataFrame) -> Drawing:
    """Differences between all couples of methods; those that Holm separates are coloured and have their number."""
    if rows.empty:
        return nothing_to_draw("fewer than two methods to compare")
    letters = letters_of(rows)
    names = list(letters)
    apart = {
        (names.index(row["method_2"]), names.index(row["method_1"])): float(row["difference"])
        for row in rows.to_dict("records")
        if row["separated"] and not pd.isna(row["difference"])
    }
    largest = max(apart.values(), default=1.0)
    colors = share_colors([value / largest for value in apart.values()])
    cells, said = [], []
    for (down, across), color in zip(apart, colors, strict=True):
        cells.append(marks.around(down, across) | {"fill": color})
        label = f"{100 * apart[down, across]:.0f}"
        said.append({"x": across, "y": down, "label": label, "color": readable_on(color)})
    said += [
        {"x": across, "y": down, "label": "·", "color": NEUTRAL}
        for across, down in itertools.combinations(range(len(names)), 2)
        if (down, across) not in apart
    ]
    ends = (-0.5, len(names) - 0.5)
    columns = [short(name, LONGEST_NAME) for name in names]
    slanted = {"labelAngle": -50, "labelAlign": "right"}
    return Drawing(
        [marks.boxes(cells, hover=None, stroke={"value": PAPER}), marks.labels(said, size=12, baseline="middle")],
        Axis("", ends, ticks=range(len(names)), names=columns, grid=False, more=slanted),
        Axis(
            "",
            ends,
            ticks=range(len(names)),
            names=[f"{column}  {letters[name]}" for column, name in zip(columns, names, strict=True)],
            grid=False,
        ),
        190 + 26 * len(names),
        "By how many points of accuracy (0-100) the column beats the row; a dot: not distinguishable",
        width_px=max(620, 320 + 34 * len(names)),
    )


def strengths(frame: pd.DataFrame, **size: Any) -> Drawing:
    """How many photos have which strength, those held by the prior apart."""
    if frame.empty:
        return nothing_to_draw("no photo has a strength", **size)
    strength, held = frame["strength"].to_numpy(dtype=np.float64), frame["regularised"].to_numpy(dtype=bool)
    edges = np.histogram_bin_edges(strength, BINS)
    bars: list[dict[str, Any]] = []
    base = np.zeros(len(edges) - 1, dtype=np.int64)
    entries = []
    for name, chosen, color in (("by_votes", ~held, MAIN), ("by_prior", held, OTHER)):
        counts = np.histogram(strength[chosen], edges)[0]
        label = say(f"legend.{name}")
        hover = [
            joined([label, joined([number(low, 2), number(high, 2)], "\u2009\u2013\u2009"), whole(int(n))])
            for low, high, n in zip(edges[:-1], edges[1:], counts, strict=True)
        ]
        bars += marks.columns(marks.Bins(edges.tolist(), counts.tolist(), hover, base.tolist()), color)
        base = base + counts
        entries.append(Entry(joined([label, whole(int(chosen.sum()))], ": "), color, "square"))
    x = Axis(say("axis.strength"), (float(edges[0]), float(edges[-1])), grid=False)
    return Drawing([marks.boxes(bars), marks.legend(entries)], x, Axis(say("axis.photos"), **COUNTS), **size)


def strengths_and_errors(frame: pd.DataFrame) -> dict[str, Any]:
    """`strengths`, and how precise they are by the number of votes."""
    size: dict[str, Any] = {"width_px": 340, "height_px": 230}
    if frame.empty:
        return nothing_to_draw("no photo has a strength").specification()
    colors = np.where(frame["regularised"].to_numpy(dtype=bool), OTHER, MAIN)
    errors = frame["standard_error"].to_numpy(dtype=np.float64, na_value=np.nan)
    points = [
        {"x": int(votes), "y": finite(error), "fill": color}
        for votes, error, color in zip(frame["n_votes"], errors, colors.tolist(), strict=True)
    ]
    look: dict[str, Any] = {"stroke": {"value": None}, "shape": {"value": "circle"}}
    dots = marks.dots([point for point in points if point["y"] is not None], size=16, opacity=0.5, hover=None, **look)
    right = Drawing([dots], Axis("votes about the photo"), Axis("standard error (log odds)", zero=True), **size)
    title = f"Strengths of {len(frame):,} photos by people's votes"
    return panels([strengths(frame, **size), right], across=2, title=title)


def preference_confusion(counts: Sequence[Sequence[int]], method: str) -> Drawing:
    """True winners in rows, predicted ones in columns: counts, and shares of the row as colours.

    Args:
        counts: Two rows (winner 1, 2) of three counts (predicted 1, 2, tie).
        method: Its name.
    """
    table = np.asarray(counts, dtype=np.float64)
    n, n_right, n_ties = int(table.sum()), int(table[0, 0] + table[1, 1]), int(table[:, 2].sum())
    right = (
        f"{100 * (n_right + n_ties / 2) / n:.1f} % right" + (", ties half" if n_ties else "") if n else "none judged"
    )
    upright = {"labelAngle": 0}
    return Drawing(
        marks.matrix(table, 13, zeros=True),
        Axis(f"{method} picks", (-0.5, 2.5), range(3), ["image 1", "image 2", "tie"], grid=False, more=upright),
        Axis("people prefer", (-0.5, 1.5), range(2), ["image 1", "image 2"], grid=False),
        300,
        f"{n:,} pairs, {right}",
        width_px=440,
    )


def _chance(*, vertical: bool) -> list[Layer]:
    line = marks.line_at(CHANCE, vertical=vertical, color=NEUTRAL)
    return [line, marks.note_at_line(say("chart.chance"), CHANCE, vertical=vertical, color=NEUTRAL)]


def _methods(metrics: pd.DataFrame) -> Axis:
    names = [*measured(metrics)["method"], *metrics.loc[metrics["accuracy"].isna(), "method"]]
    return rows_axis([short(name, LONGEST_NAME) for name in names])


def _lacking(metrics: pd.DataFrame, start: int) -> list[Layer]:
    """Words in the rows of methods without an accuracy."""
    lacking = metrics[metrics["accuracy"].isna()]
    said = [
        {"y": place, "label": "undefined" if pd.isna(why) else "unavailable"}
        for place, why in enumerate(lacking["unavailable"], start=start)
    ]
    return [marks.in_rows(said)] if said else []


def _accuracy(row: dict[str, Any], which: str = "") -> Interval:
    name = f"accuracy{which}"
    return Interval(row[name], row[f"{name}_low"], row[f"{name}_high"])
