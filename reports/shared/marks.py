"""What stands on a chart, as Vega-Lite: dots, intervals, bars, lines and words, each drawn from rows of a frame.

Every function returns one layer. Rows name their own look: ``fill``, ``stroke`` and ``shape`` are taken as they are.
Words may be texts in all languages; `Drawing` says which is written.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reports.shared.colours import BLACK, INK, LIMIT, MAIN, NEUTRAL, PALE, PAPER, RAMP
from reports.shared.numbers import is_number
from reports.shared.text import Part, Text

Layer = dict[str, Any]
Row = Mapping[str, Any]

HOVER: Final[Layer] = {"field": "hover", "type": "nominal"}
DASHES: Final = {"solid": [1, 0], "dash": [6, 4], "dot": [2, 3]}


class Interval(NamedTuple):
    """One value with its interval, where there is one."""

    value: Any
    low: Any = None
    high: Any = None


class Entry(NamedTuple):
    """One entry of a legend; the shape ``stroke`` is a line."""

    label: Part
    color: str = MAIN
    shape: str = "circle"
    hollow: bool = False
    dash: str = "solid"


def finite(value: Any) -> float | None:
    """A number as JSON takes it."""
    return float(value) if is_number(value) else None


def words(text: Part) -> Any:
    """A text for a chart: the words of each language, or the user's own."""
    return {"$t": text.plains} if isinstance(text, Text) else str(text)


def rows_of_column(*names: str) -> dict[str, list[str]]:
    """Rows of the chart's source table with these columns, for the setting that is shown."""
    return {"$rows": list(names)}


def dots(
    rows: Any, *, size: float = 64, opacity: float = 1.0, hover: Any = HOVER, clip: bool = False, **encoding: Any
) -> Layer:
    """A dot a row.

    Args:
        rows: With ``x``, ``y``, ``fill``, ``stroke``, ``shape`` and ``hover``, as far as `encoding` leaves them open.
        size: Area in square pixels.
        opacity: 0 to 1.
        hover: What is said at each dot, as Vega-Lite's ``tooltip``; none for nothing.
        clip: Dots outside the axes are not drawn, as they would be where an axis ends before the data do.
        encoding: Channels that differ.
    """
    look = {name: {"field": name, "type": "nominal", "scale": None} for name in ("fill", "stroke", "shape")}
    return {
        "data": _data(rows),
        "mark": {"type": "point", "size": size, "opacity": opacity, "strokeWidth": 1.6, "clip": clip},
        "encoding": {"x": {"field": "x"}, "y": {"field": "y"}, **look, **_said(hover), **encoding},
    }


def whiskers(rows: Sequence[Row], *, along: str, width: float = 1.5) -> Layer:
    """The interval of each row that has one, from ``low`` to ``high`` along an axis, in the colour ``stroke``."""
    across = "y" if along == "x" else "x"
    return {
        "data": _data([row for row in rows if row["low"] is not None and row["high"] is not None]),
        "mark": {"type": "rule", "strokeWidth": width},
        "encoding": {
            along: {"field": "low"},
            f"{along}2": {"field": "high"},
            across: {"field": across},
            "stroke": {"field": "stroke", "type": "nominal", "scale": None},
        },
    }


def boxes(rows: Sequence[Row], *, hover: Any = HOVER, mark: Row | None = None, **encoding: Any) -> Layer:
    """Bars and cells: from ``x`` to ``x2`` and from ``y`` to ``y2``, filled with ``fill``; the rest as of `dots`."""
    look = {name: {"field": name, "type": "nominal", "scale": None} for name in ("fill", "stroke")}
    sides = {"x": {"field": "x"}, "x2": {"field": "x2"}, "y": {"field": "y"}, "y2": {"field": "y2"}}
    return {
        "data": _data(rows),
        "mark": {"type": "rect", "strokeWidth": 1.2, **(mark or {})},
        "encoding": sides | look | _said(hover) | encoding,
    }


class Bins(NamedTuple):
    """How many each bin holds, between `edges` (one more), and what is said at each; on `base`, if not on 0."""

    edges: Sequence[float]
    counts: Sequence[int]
    hover: Sequence[Part]
    base: Sequence[int] | None = None


def columns(bins: Bins, color: str, *, share: float = 0.92) -> list[dict[str, Any]]:
    """Rows for `boxes`: an upright bar for each bin that holds something.

    Args:
        bins: The bins.
        color: Of all bars.
        share: Of the bin's width that its bar takes.
    """
    rows, (edges, counts, hover, base) = [], bins
    for place, count in enumerate(counts):
        low, high, foot = float(edges[place]), float(edges[place + 1]), 0 if base is None else int(base[place])
        gap = (high - low) * (1 - share) / 2
        if count:
            sides = {"x": round(low + gap, 12), "x2": round(high - gap, 12), "y": foot, "y2": foot + int(count)}
            rows.append(sides | {"fill": color, "stroke": color, "hover": words(hover[place])})
    return rows


def path(
    points: Sequence[tuple[Any, Any]], color: str, *, dash: str = "solid", width: float = 2.0, clip: bool = False
) -> Layer:
    """One line through points in their order; a missing value leaves a gap."""
    rows = [{"x": finite(x), "y": finite(y), "at": place} for place, (x, y) in enumerate(points)]
    return {
        "data": _data(rows),
        "mark": {"type": "line", "strokeWidth": width, "strokeDash": DASHES[dash], "color": color, "clip": clip},
        "encoding": {"x": {"field": "x"}, "y": {"field": "y"}, "order": {"field": "at", "type": "quantitative"}},
    }


def paths(rows: Sequence[Row]) -> Layer:
    """A thin line for each ``of``, through its rows in order of x."""
    return {
        "data": _data(rows),
        "mark": {"type": "line", "strokeWidth": 0.7, "color": NEUTRAL, "opacity": 0.4, "clip": True},
        "encoding": {"x": {"field": "x"}, "y": {"field": "y"}, "detail": {"field": "of", "type": "nominal"}},
    }


def stripe(rows: Sequence[Row]) -> Layer:
    """A pale area along x between ``low`` and ``high``."""
    return {
        "data": _data(rows),
        "mark": {"type": "area", "color": MAIN, "opacity": 0.14, "clip": True},
        "encoding": {"x": {"field": "x"}, "y": {"field": "low"}, "y2": {"field": "high"}},
    }


def line_at(value: float, *, vertical: bool, color: str = LIMIT, dash: str = "dash") -> Layer:
    """A line across the chart, for a limit."""
    return {
        "data": _data([{"at": float(value)}]),
        "mark": {"type": "rule", "strokeWidth": 1.4, "strokeDash": DASHES[dash], "color": color},
        "encoding": {"x" if vertical else "y": {"field": "at"}},
    }


def band(low: float, high: float, color: str = NEUTRAL) -> Layer:
    """A pale stripe across the chart, for a line's interval."""
    return {
        "data": _data([{"low": float(low), "high": float(high)}]),
        "mark": {"type": "rect", "color": color, "opacity": 0.4 if color == PALE else 0.16},
        "encoding": {"y": {"field": "low"}, "y2": {"field": "high"}},
    }


def note_at_line(text: Part, value: float, *, vertical: bool, color: str = LIMIT, anchor: str = "center") -> Layer:
    """The words at a limit's line; `anchor` is their side at which an upright line is, or the end of a level one."""
    at: Layer = (
        {"align": anchor, "baseline": "bottom", "y": -4, "dx": {"left": 3, "right": -3}.get(anchor, 0)}
        if vertical
        else {"align": "left", "baseline": "bottom", "x": 3, "dy": -3}
        if anchor == "left"
        else {"align": "right", "baseline": "bottom", "x": {"expr": "width"}, "dy": -3}
    )
    return {
        "data": _data([{"at": float(value), "label": words(text)}]),
        "mark": {"type": "text", "color": color, "fontSize": 12, **at},
        "encoding": {"x" if vertical else "y": {"field": "at"}, "text": {"field": "label"}},
    }


def labels(rows: Sequence[Row], *, size: float = 11, color: str | None = None, **mark: Any) -> Layer:
    """Words: ``label`` at ``x`` and ``y``, or at the mark's place in pixels, in ``color`` or in one colour for all."""
    own = {"color": {"field": "color", "type": "nominal", "scale": None}} if color is None else {}
    places = {side: {"field": side} for side in ("x", "y") if side not in mark}
    return {
        "data": _data(rows),
        "mark": {"type": "text", "fontSize": size, **({"color": color} if color else {}), **mark},
        "encoding": {**places, "text": {"field": "label"}, **own},
    }


def at_right(rows: Sequence[Row], **look: Any) -> Layer:
    """Words in their row, to the right of the chart."""
    return labels(rows, x={"expr": "width"}, dx=8, align="left", baseline="middle", **look)


def in_rows(rows: Sequence[Row]) -> Layer:
    """Words in the place of a value, at the left of their row ``y``."""
    return labels(rows, color=NEUTRAL, x=4, align="left", baseline="middle", fontStyle="italic")


def around(row: int, column: int, half: float = 0.5) -> dict[str, float]:
    """The sides of a matrix's cell."""
    return {"x": column - half, "x2": column + half, "y": row - half, "y2": row + half}


def matrix(counts: NDArray[np.float64], letters: float, *, zeros: bool = False) -> list[Layer]:
    """Cells coloured by their share of the row, with counts and shares.

    Args:
        counts: Shape ``(n_rows, n_columns)``.
        letters: Size of the words in pixels; none are written if 0.
        zeros: Write shares of 0 as well, where the row has any count.
    """
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    cells, said = [], []
    for row, column in np.ndindex(*counts.shape):
        share = float(shares[row, column])
        [color] = share_colors([share])
        cells.append({**around(row, column), "fill": color})
        written = share or (zeros and totals[row, 0])
        text = f"{int(counts[row, column]):,}" + (f"\n{100 * share:.0f} %" if written else "")
        said.append({"x": column, "y": row, "label": text, "color": readable_on(color)})
    drawn: list[Layer] = [boxes(cells, hover=None, stroke={"value": PAPER}, mark={"strokeWidth": 1.5})]
    # Two lines are about the middle.
    for n_lines in (1, 2) if letters else ():
        rows = [one for one in said if one["label"].count("\n") + 1 == n_lines]
        lift = -0.5 * letters * (n_lines - 1)
        drawn.append(labels(rows, size=letters, lineBreak="\n", lineHeight=letters * 1.1, baseline="middle", dy=lift))
    return drawn


def legend(entries: Sequence[Entry], *, side: str = "top", title: Part | None = None) -> Layer:
    """What colours, shapes and dashes mean: a layer that draws nothing else."""
    names = [words(entry.label) for entry in entries]
    shown = {
        "orient": side,
        "title": None if title is None else words(title),
        "symbolOpacity": 1,
        "symbolStrokeWidth": 1.8,
        "labelLimit": 420,
    } | ({"columns": 1} if side == "right" else {})

    def scale(values: Sequence[Any]) -> Layer:
        return {"field": "label", "type": "nominal", "scale": {"domain": names, "range": list(values)}, "legend": shown}

    return {
        "data": _data([{"label": name} for name in names]),
        "mark": {"type": "point", "opacity": 0},
        "encoding": {
            "fill": scale([PAPER if entry.hollow else entry.color for entry in entries]),
            "stroke": scale([entry.color for entry in entries]),
            "shape": scale([entry.shape for entry in entries]),
            "strokeDash": scale([DASHES[entry.dash] for entry in entries]),
        },
    }


def is_legend(layer: Layer) -> bool:
    """Whether a layer draws nothing but its legend."""
    return layer["mark"].get("opacity") == 0


def row_layers(
    points: Sequence[Interval],
    hover: Sequence[Part],
    colors: Sequence[str],
    *,
    bars: bool = False,
    hollow: Sequence[bool] = (),
    offset: float = 0.0,
    shape: str = "circle",
    whisker: str | None = INK,
) -> list[Layer]:
    """Bars or dots in rows with their intervals, from the top down.

    Args:
        points: One a row.
        hover: What is said at each.
        colors: Of each.
        bars: Bars from 0, else dots.
        hollow: Rows that do not count.
        offset: How far from the row's middle, in rows.
        shape: Of a dot.
        whisker: Colour of the intervals; each row's own if none.
    """
    open_ = [bool(one) for one in hollow] or [False] * len(points)
    rows = [
        {
            "x": finite(one.value),
            "y": place + offset,
            "low": finite(one.low) if is_number(one.value) else None,
            "high": finite(one.high) if is_number(one.value) else None,
            "fill": PAPER if empty else color,
            "stroke": color,
            "shape": shape,
            "hover": words(said),
        }
        for place, (one, said, color, empty) in enumerate(zip(points, hover, colors, open_, strict=True))
    ]
    drawn = [row for row in rows if row["x"] is not None]
    lines = whiskers([row | {"stroke": whisker or row["stroke"]} for row in drawn], along="x")
    if bars:
        sides = [row | {"x": 0, "x2": row["x"], "y": row["y"] - 0.31, "y2": row["y"] + 0.31} for row in drawn]
        return [boxes(sides), lines]
    return [lines, dots(drawn)]


def share_colors(shares: Sequence[float]) -> list[str]:
    """A colour of the ramp for each share, 0 to 1."""
    return [_between(min(max(share, 0.0), 1.0) * (len(RAMP) - 1)) for share in shares]


def readable_on(color: str) -> str:
    """Black or white, whichever stands out more from the colour (relative luminance as WCAG 2 defines it)."""
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in _parts(color)]
    return PAPER if 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] < 0.179 else BLACK


def _between(place: float) -> str:
    low = min(int(place), len(RAMP) - 2)
    ends = zip(_parts(RAMP[low]), _parts(RAMP[low + 1]), strict=True)
    return "#" + "".join(f"{round(255 * (one + (other - one) * (place - low))):02x}" for one, other in ends)


def _parts(color: str) -> list[float]:
    return [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]


def _said(hover: Any) -> Layer:
    return {} if hover is None else {"tooltip": hover}


def _data(rows: Any) -> Layer:
    return {"values": rows if isinstance(rows, dict) else list(rows)}
