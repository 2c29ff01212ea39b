"""A chart's specification: layers on two axes, written once for the page, for the picture in it and for files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pandas as pd

from reports.shared.colours import AXIS, GRID, INK, NEUTRAL, PAPER
from reports.shared.embedded import columns_of
from reports.shared.marks import Layer, is_legend, labels, words
from reports.shared.text import Part

WHOLE_NUMBERS: Final = {"labelExpr": "datum.value % 1 ? '' : format(datum.value, ',d')"}
# An axis of counts.
COUNTS: Final[dict[str, Any]] = {"zero": True, "more": WHOLE_NUMBERS}
ROW_PX: Final = 30
AROUND_PX: Final = 74
WIDTH_PX: Final = 760
MOST_TICKS: Final = 6
# A picture's room is measured with Arial or what is as wide; for fonts that are wider, rows' names have some more.
FONT: Final = "Arial, 'Liberation Sans', 'Helvetica Neue', Helvetica, sans-serif"
SLACK_PX: Final = 24
PADDING_PX: Final = 5
RIGHT_PX: Final = 12
SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"
CONFIG: Final[Layer] = {
    # The picture around it has one name and one description; its marks are no pictures of their own.
    "aria": False,
    "mark": {"aria": False},
    "background": PAPER,
    "font": FONT,
    "axis": {
        "labelFontSize": 12,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "labelColor": INK,
        "titleColor": INK,
        "gridColor": GRID,
        "domainColor": AXIS,
        "tickColor": AXIS,
        "labelLimit": 280,
        # On a narrow page numbers that touch are left out, every second one.
        "labelSeparation": 6,
        "titlePadding": 8,
    },
    "legend": {
        "labelFontSize": 12,
        "titleFontSize": 12,
        "labelColor": INK,
        "titleColor": INK,
        "rowPadding": 3,
        "offset": 24,
    },
    "title": {"fontSize": 13, "fontWeight": 600, "color": INK, "anchor": "start", "subtitleColor": NEUTRAL},
    "text": {"color": INK},
    "view": {"stroke": None},
}


@dataclass(frozen=True)
class Axis:
    """One axis.

    Attributes:
        title: What is measured, with its unit.
        domain: Ends; as far as the data go if none.
        ticks: Where numbers are, if not anywhere.
        names: What is written at the ticks in place of numbers; upwards they go down.
        zero: Begins at 0, where no domain is given.
        log: Logarithmic.
        grid: Lines across the chart.
        kind: As Vega-Lite names it: ``quantitative`` or ``temporal``.
        more: What else Vega-Lite's axis is to have.
    """

    title: Part = ""
    domain: tuple[float, float] | None = None
    ticks: Sequence[float] | None = None
    names: Sequence[Part] | None = None
    zero: bool = False
    log: bool = False
    grid: bool = True
    kind: str = "quantitative"
    more: Mapping[str, Any] = field(default_factory=dict)

    def channel(self, names: str, *, reverse: bool) -> Layer:
        """What is the same for every layer; `names` is the parameter that holds the names of ticks."""
        scale: Layer = {"type": "log"} if self.log else {"zero": True} if self.zero else {"zero": False, "padding": 8}
        if self.kind != "quantitative":
            del scale["zero"]
        if self.domain is not None:
            scale = {"type": "log"} if self.log else {"zero": False}
            scale |= {"domain": list(self.domain), "nice": False}
        if reverse:
            scale["reverse"] = True
        shown: Layer = {"grid": self.grid}
        shown |= {"tickCount": MOST_TICKS} if self.ticks is None else {"values": list(self.ticks)}
        if self.ticks and all(float(tick).is_integer() for tick in self.ticks):
            shown["format"] = ",d"
        if self.names is not None:
            shown |= {"labelExpr": f"{names}[indexof({names}_at, datum.value)]", "labelOverlap": False}
        title = words(self.title) if self.title else None
        return {"type": self.kind, "scale": scale, "title": title, "axis": shown | dict(self.more)}


def rows_axis(names: Sequence[Part], **look: Any) -> Axis:
    """Rows from the top down, named at the left; `look` is what else Vega-Lite's axis has."""
    more = {"ticks": False, "domain": False, "labelPadding": 6, **look}
    domain = (-0.6, max(len(names), 1) - 0.4)
    return Axis("", domain, ticks=range(len(names)), names=names, grid=False, more=more)


def rows_height(n: int) -> int:
    """The height at which so many rows stand well apart."""
    return AROUND_PX + ROW_PX * max(n, 2)


@dataclass(frozen=True)
class Drawing:
    """Layers on two axes.

    Attributes:
        layers: From the back to the front.
        x: From left to right.
        y: Upwards; rows go down.
        height_px: Of the whole, with axes and legend; of the panel alone where it is one of several.
        title: Above a panel.
        variants: Layers for the one setting that is shown.
        source: Table that `rows_of_column` takes rows from.
        width_px: Of the whole, of the panel alone where it is one of several.
    """

    layers: Sequence[Layer]
    x: Axis
    y: Axis
    height_px: int = 340
    title: Part | Sequence[Part] | None = None
    variants: Mapping[str, Sequence[Layer]] = field(default_factory=dict)
    source: str | None = None
    width_px: int = WIDTH_PX

    def for_page(self) -> dict[str, Any]:
        """As the browser reads it: it adds the width and the layers of the setting that is shown."""
        return {
            "chart": self._whole(self.layers),
            "variants": {key: [self._placed(one) for one in _drawn(layers)] for key, layers in self.variants.items()},
            "source": self.source,
        }

    def specification(
        self, language: str = "en", chosen: str | None = None, table: pd.DataFrame | None = None
    ) -> dict[str, Any]:
        """As Vega-Lite reads it.

        Args:
            language: Of the words.
            chosen: Setting that is shown, of those of `variants`.
            table: Rows of the source for that setting.
        """
        layers = [*self.layers, *(self.variants.get(chosen, ()) if chosen is not None else ())]
        whole = self._whole(layers) | {"width": self.width_px}
        if self.y.names is not None:
            whole["padding"] = whole["padding"] | {"left": PADDING_PX + SLACK_PX}
        return resolved(whole, language, {} if table is None else columns_of(table))

    def panel(self, place: int) -> dict[str, Any]:
        """One of several, with the parameters that the whole has to have under ``params``."""
        made = self._whole(self.layers, f"panel_{place}")
        del made["$schema"], made["autosize"], made["config"], made["padding"]
        return made | {"width": self.width_px, "params": made.get("params", [])}

    def _whole(self, layers: Sequence[Layer], name: str = "names") -> dict[str, Any]:
        made: Layer = {
            "$schema": SCHEMA,
            "autosize": {"type": "fit", "contains": "padding"},
            "config": CONFIG,
            "height": self.height_px,
            "padding": {**dict.fromkeys(("left", "top", "bottom"), PADDING_PX), "right": RIGHT_PX},
            "layer": [self._placed(one, name) for one in _drawn(layers)],
        }
        if sum(is_legend(one) for one in layers) > 1:
            made["resolve"] = {"scale": dict.fromkeys(("fill", "stroke", "shape", "strokeDash"), "independent")}
        params = []
        for side, axis in (("x", self.x), ("y", self.y)):
            if axis.names is not None:
                params.append({"name": f"{name}_{side}", "value": [words(one) for one in axis.names]})
                params.append({"name": f"{name}_{side}_at", "value": list(axis.ticks or ())})
        if self.title is not None:
            title = [self.title] if isinstance(self.title, Part) else list(self.title)
            made["title"] = {"text": [words(one) for one in title]}
        return made | ({"params": params} if params else {})

    def _placed(self, layer: Layer, name: str = "names") -> Layer:
        """The layer with its axes."""
        encoding = dict(layer["encoding"])
        for side, axis in (("x", self.x), ("y", self.y)):
            if "field" in encoding.get(side, {}):
                down = side == "y" and axis.names is not None
                encoding[side] = axis.channel(f"{name}_{side}", reverse=down) | encoding[side]
        return layer | {"encoding": encoding}


def _drawn(layers: Sequence[Layer]) -> list[Layer]:
    """Layers with something on them: of the others Vega says that their axis has no end."""
    return [one for one in layers if one["data"]["values"] != []]


def panels(drawings: Sequence[Drawing], *, across: int = 1, title: Part | None = None) -> dict[str, Any]:
    """Several drawings as one figure, so many next to each other, as Vega-Lite reads it."""
    made = [one.panel(place) for place, one in enumerate(drawings)]
    params = [param for one in made for param in one.pop("params")]
    spec: Layer = {"$schema": SCHEMA, "config": CONFIG, "concat": made, "columns": across, "params": params}
    spec["resolve"] = {"scale": dict.fromkeys(("fill", "stroke", "shape", "strokeDash"), "independent")}
    if title is not None:
        spec["title"] = {"text": words(title)}
    return resolved(spec, "en", {})


def nothing_to_draw(why: Part, width_px: int = WIDTH_PX, height_px: int = 200, title: Part | None = None) -> Drawing:
    """An empty plot that says why, without an axis that measures nothing."""
    none = Axis("", (0, 1), grid=False, more={"labels": False, "ticks": False, "domain": False})
    said = labels([{"x": 0.5, "y": 0.5, "label": words(why)}], size=13, color=NEUTRAL)
    return Drawing([said], none, none, height_px, title, width_px=width_px)


def resolved(node: Any, language: str, source: Mapping[str, Sequence[Any]]) -> Any:
    """What a specification leaves open: words by language, rows of the source table."""
    if isinstance(node, Mapping):
        if "$t" in node:
            return node["$t"][language]
        if "$rows" in node:
            cells = zip(*(source[name] for name in node["$rows"]), strict=True)
            return [dict(zip(node["$rows"], row, strict=True)) for row in cells]
        return {key: resolved(value, language, source) for key, value in node.items()}
    if isinstance(node, list | tuple):
        return [resolved(one, language, source) for one in node]
    return node
