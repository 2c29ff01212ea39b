"""Charts as data: what Plotly draws, with words in every language and long columns taken from the embedded tables.

The browser resolves three kinds of place-holder: ``{"$t": {...}}`` words by language, ``{"$column": name}`` a column of
the chart's source table for the setting that is shown, ``{"$mean": [a, b]}`` the mean of two columns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from reports.shared.drawing import Drawing
from reports.shared.figure import BLUE, DARK, GREY, PALE, RED
from reports.shared.numbers import is_number
from reports.shared.table_view import DataTable, TableView
from reports.shared.text import LANGUAGES, Part, Text

ROW_PX: Final = 30
AROUND_PX: Final = 74
NO_LINE: Final = {"showgrid": False, "zeroline": False}


@dataclass(frozen=True)
class Chart:
    """A chart with its words and the same numbers as a table; `empty` says why there is nothing to draw.

    `variants` add traces and layout for the one setting that is shown.
    """

    id: str
    title: Text
    reading: Text
    table: TableView | DataTable | None
    traces: Sequence[Mapping[str, Any]] = ()
    layout: Mapping[str, Any] = field(default_factory=dict)
    height_px: int = 340
    source: str | None = None
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    empty: Text | None = None
    drawing: Drawing | None = None

    @property
    def specification(self) -> dict[str, Any]:
        """In English, for the first of the settings."""
        assert self.drawing is not None
        return self.drawing.specification()

    @property
    def spec(self) -> dict[str, Any]:
        """As the browser reads it."""
        if self.drawing is not None:
            return self.drawing.for_page()
        return {
            "traces": list(self.traces),
            "layout": {**self.layout, "height": self.height_px},
            "source": self.source,
            "variants": dict(self.variants),
        }


class Interval(NamedTuple):
    """One value with its interval, where there is one."""

    value: Any
    low: Any = None
    high: Any = None


def words(text: Part) -> Any:
    """A text for a chart: Plotly reads a little markup, so that of users is made harmless."""
    if not isinstance(text, Text):
        return harmless(str(text))
    return {"$t": {language: harmless(text.plain(language)) for language in LANGUAGES}}


def harmless(text: str) -> str:
    """Words in which Plotly finds no tag and no entity."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def column(name: str) -> dict[str, str]:
    """A column of the chart's source table."""
    return {"$column": name}


def mean_of(*names: str) -> dict[str, list[str]]:
    """The mean of columns, row by row."""
    return {"$mean": list(names)}


def finite(value: Any) -> float | None:
    """A number as JSON takes it."""
    return float(value) if is_number(value) else None


def error_bars(points: Sequence[Interval], color: str = DARK, thickness: float = 1.4) -> dict[str, Any]:
    """Plotly's error bars that reach to the bounds."""
    known = [is_number(one.value) and is_number(one.low) and is_number(one.high) for one in points]
    pairs = list(zip(points, known, strict=True))
    return {
        "type": "data",
        "symmetric": False,
        "array": [max(0.0, float(one.high) - float(one.value)) if there else 0 for one, there in pairs],
        "arrayminus": [max(0.0, float(one.value) - float(one.low)) if there else 0 for one, there in pairs],
        "color": color,
        "thickness": thickness,
        "width": 4,
    }


def rows_axis(labels: Sequence[Part]) -> dict[str, Any]:
    """Rows from the top down, named at the left."""
    return {
        "tickmode": "array",
        "tickvals": list(range(len(labels))),
        "ticktext": [words(label) for label in labels],
        "range": [len(labels) - 0.4, -0.6],
        "automargin": True,
        "ticks": "",
        **NO_LINE,
    }


def rows_height(n: int) -> int:
    """The height at which so many rows stand well apart."""
    return AROUND_PX + ROW_PX * max(n, 2)


def line_at(value: float, *, vertical: bool, color: str = RED, dash: str = "dash") -> dict[str, Any]:
    """A line across the chart, for a limit."""
    across, along = ("y", "x") if vertical else ("x", "y")
    return {
        "type": "line",
        f"{across}ref": "paper",
        f"{across}0": 0,
        f"{across}1": 1,
        f"{along}0": value,
        f"{along}1": value,
        "line": {"color": color, "width": 1.4, "dash": dash},
    }


def band(low: float, high: float, color: str = GREY) -> dict[str, Any]:
    """A pale stripe across the chart, for a line's interval."""
    return {
        "type": "rect",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": low,
        "y1": high,
        "fillcolor": color,
        "opacity": 0.16 if color != PALE else 0.4,
        "line": {"width": 0},
        "layer": "below",
    }


def note_at_line(
    text: Text, value: float, *, vertical: bool, color: str = RED, anchor: str = "center"
) -> dict[str, Any]:
    """The words at a limit's line; `anchor` is the side of the words at which an upright line stands."""
    place = (
        {"x": value, "y": 1, "yref": "paper", "yanchor": "bottom", "xanchor": anchor}
        if vertical
        else {"y": value, "x": 1, "xref": "paper", "xanchor": "right", "yanchor": "bottom"}
    )
    look = {"showarrow": False, "font": {"color": color, "size": 12}, "bgcolor": "rgba(255,255,255,0.85)"}
    return {"text": words(text), **look, **place}


def row_traces(
    points: Sequence[Interval],
    hover: Sequence[Text],
    colors: Sequence[str],
    *,
    bars: bool,
    hollow: Sequence[bool] = (),
    name: Text | None = None,
    offset: float = 0.0,
    symbol: str = "circle",
) -> list[dict[str, Any]]:
    """Bars or points in rows with their intervals, from the top down.

    Args:
        points: One a row.
        hover: What is said at each.
        colors: Of each.
        bars: Bars from 0, else points.
        hollow: Rows that do not count.
        name: In the legend, where there is one.
        offset: How far from the row's middle, in rows.
        symbol: Of a point.
    """
    open_ = [bool(one) for one in hollow] or [False] * len(points)
    filled = ["#ffffff" if empty else color for color, empty in zip(colors, open_, strict=True)]
    shared: dict[str, Any] = {
        "x": [finite(one.value) for one in points],
        "y": [place + offset for place in range(len(points))],
        "error_x": error_bars(points),
        "text": [words(one) for one in hover],
        "hoverinfo": "text",
        "textposition": "none",
    }
    if name is not None:
        shared["name"] = words(name)
    if bars:
        edge = {"color": list(colors), "width": 1.4}
        return [{"type": "bar", "orientation": "h", "width": 0.62, "marker": {"color": filled, "line": edge}, **shared}]
    marker = {"color": filled, "size": 9, "symbol": symbol, "line": {"color": list(colors), "width": 1.8}}
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "marker": marker,
            "cliponaxis": False,
            **shared,
            "textposition": "top center",
        }
    ]


def shade(*, focus: bool, baseline: bool = False) -> str:
    """The accent for the setting to look at, dark for the baseline, grey for the rest."""
    return BLUE if focus else DARK if baseline else "#a0aec0"
