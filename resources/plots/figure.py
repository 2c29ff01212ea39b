"""A figure as a picture that the Dagster UI shows: drawn off screen, small, in one style."""

import base64
import io
from collections.abc import Callable
from typing import Any

import dagster as dg

BLUE, ORANGE, GREY, RED = "#2b6cb0", "#c05621", "#718096", "#c53030"
DOTS_PER_INCH = 90


def figure_metadata(draw: Callable[[Any], None], width_in: float = 6.4, height_in: float = 3.6) -> dg.MetadataValue:
    """The figure as Markdown with an embedded PNG.

    Args:
        draw: Draws onto the matplotlib figure that it is handed.
        width_in: Width in inches.
        height_in: Height in inches.
    """
    return dg.MetadataValue.md(
        f"![plot](data:image/png;base64,{base64.b64encode(png(draw, width_in, height_in)).decode()})"
    )


def png(draw: Callable[[Any], None], width_in: float = 6.4, height_in: float = 3.6) -> bytes:
    """The figure as PNG bytes, drawn without pyplot so that threads do not share a canvas."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width_in, height_in), dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    draw(figure)
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
        if not axes.images:
            axes.grid(visible=True, color="#e2e8f0", linewidth=0.6)
        axes.set_axisbelow(True)
    target = io.BytesIO()
    figure.savefig(target, format="png")
    return target.getvalue()
