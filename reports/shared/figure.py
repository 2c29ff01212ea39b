"""A figure as a picture that the Dagster UI shows, or as a file: drawn off screen, in one style."""

import base64
import io
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dagster as dg
from upath import UPath

from resources.errors import UserError
from resources.runtime.partial_files import whole_file

# Nothing is shown on a screen, and a name that matplotlib does not know would end its import.
os.environ["MPLBACKEND"] = "agg"

BLUE, ORANGE, GREY, RED = "#2b6cb0", "#c05621", "#718096", "#c53030"
GREEN, DARK, PALE = "#2f855a", "#1a202c", "#cbd5e0"
DOTS_PER_INCH = 90
FILE_DOTS_PER_INCH = 150
UI_SCALE, FILE_SCALE = 1.25, 2.0
LARGEST_SVG = 400_000
FORMATS = (".png", ".svg")


class PictureFormatError(UserError):
    """A picture is asked for in a format that is not written."""


def figure_metadata(
    draw: Callable[[Any], None] | dict[str, Any], width_in: float = 6.4, height_in: float = 3.6
) -> dg.MetadataValue:
    """The figure as Markdown with an embedded PNG.

    Args:
        draw: Draws onto the matplotlib figure that it is handed.
        width_in: Width in inches.
        height_in: Height in inches.
    """
    return dg.MetadataValue.md(
        f"![plot](data:image/png;base64,{base64.b64encode(png(draw, width_in, height_in)).decode()})"
    )


def svg(spec: dict[str, Any], name: str = "part") -> str:
    """A chart as SVG: letters stay letters, and the same specification gives the same text.

    Args:
        spec: As Vega-Lite reads it.
        name: With which the names of parts that are referred to begin: no other chart on a page has it.
    """
    import vl_convert

    drawn = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    # Vega numbers them over all that it has drawn.
    found = dict.fromkeys(re.findall(r' id="([^"]+)"', drawn))
    names = {old: f"{name}-{place}" for place, old in enumerate(found)}
    return re.sub(r'( id="|url\(#)([^")]+)', lambda one: one[1] + names[one[2]], drawn)


def picture_of(spec: dict[str, Any], name: str) -> str:
    """A chart as markup for a page: SVG, or a PNG where it has so many marks that SVG would be heavy.

    Args:
        spec: As Vega-Lite reads it.
        name: Of the chart; no other one on the page has it.
    """
    drawn = svg(spec, name)
    if len(drawn) <= LARGEST_SVG:
        return drawn
    return f'<img alt="" src="data:image/png;base64,{base64.b64encode(_raster(spec, FILE_SCALE)).decode()}">'


def folder_metadata(folder: Path) -> dg.MetadataValue:
    """Where files are, as the Dagster UI shows a place."""
    return dg.MetadataValue.path(folder)


def png(draw: Callable[[Any], None] | dict[str, Any], width_in: float = 6.4, height_in: float = 3.6) -> bytes:
    """The figure as PNG bytes, drawn without pyplot so that threads do not share a canvas."""
    if isinstance(draw, dict):
        return _raster(draw, UI_SCALE)
    return _encoded(_figure(draw, width_in, height_in, DOTS_PER_INCH), "png")


def save_figure(
    draw: Callable[[Any], None] | dict[str, Any], path: Path | UPath, width_in: float = 6.4, height_in: float = 3.6
) -> None:
    """Write the figure as a file, whole or not at all; folders that are missing are made.

    Args:
        draw: Draws onto the matplotlib figure that it is handed.
        path: Its suffix says what is written: ``.png`` (150 dots per inch) or ``.svg``.
        width_in: Width in inches.
        height_in: Height in inches.

    Raises:
        PictureFormatError: The suffix is another one.
    """
    target = UPath(path)
    suffix = target.suffix.lower()
    if suffix not in FORMATS:
        raise PictureFormatError(
            f"{target.name}: pictures are written as .png or .svg, not as '{target.suffix}'. "
            f"Name it {target.stem}.png or {target.stem}.svg."
        )
    if isinstance(draw, dict):
        picture = svg(draw).encode() if suffix == ".svg" else _raster(draw, FILE_SCALE)
    else:
        picture = _encoded(_figure(draw, width_in, height_in, FILE_DOTS_PER_INCH), suffix[1:])
    with whole_file(target) as part:
        part.write_bytes(picture)


def _raster(spec: dict[str, Any], scale: float) -> bytes:
    import vl_convert

    return vl_convert.vegalite_to_png(spec, scale=scale, allowed_base_urls=[])


def say_nothing_to_draw(axes: Any, words: str) -> None:
    """An empty plot that says why, without the numbers of an axis that measures nothing."""
    axes.set(xticks=[], yticks=[])
    axes.text(0.5, 0.5, words, transform=axes.transAxes, ha="center", va="center", color=GREY)


def _figure(draw: Callable[[Any], None], width_in: float, height_in: float, dots_per_inch: int) -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width_in, height_in), dpi=dots_per_inch, layout="constrained")
    FigureCanvasAgg(figure)
    draw(figure)
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
        if not axes.images:
            axes.grid(visible=True, color="#e2e8f0", linewidth=0.6)
        axes.set_axisbelow(True)
    return figure


def _encoded(figure: Any, kind: str) -> bytes:
    from matplotlib import rc_context

    target = io.BytesIO()
    # The same figure gives the same bytes: no date, no random identifiers.
    with rc_context({"svg.hashsalt": "touchstone"}):
        figure.savefig(target, format=kind, metadata={"Date": None} if kind == "svg" else None)
    return target.getvalue()
