"""A chart as a picture that the Dagster UI shows, as one in a page, or as a file."""

import base64
import io
import re
from pathlib import Path
from typing import Any, Final

import dagster as dg
from PIL import Image
from upath import UPath

from resources.errors import UserError
from resources.runtime.partial_files import whole_file

# Dots of a PNG for each pixel of the specification.
UI_SCALE: Final = 1.25
FILE_SCALE: Final = 2.0
LARGEST_SVG: Final = 400_000
FORMATS: Final = (".png", ".svg")


class PictureFormatError(UserError):
    """A picture is asked for in a format that is not written."""


def figure_metadata(spec: dict[str, Any]) -> dg.MetadataValue:
    """A chart, as Vega-Lite reads it, as Markdown with a picture embedded."""
    return picture_metadata(png(spec))


def picture_metadata(picture: bytes) -> dg.MetadataValue:
    """A picture as Markdown with it embedded: as WebP without loss, an eighth of the charts' PNG in Dagster's database.

    Args:
        picture: A PNG.
    """
    small = io.BytesIO()
    Image.open(io.BytesIO(picture)).save(small, "WEBP", lossless=True, quality=40, method=1)
    return dg.MetadataValue.md(f"![plot](data:image/webp;base64,{base64.b64encode(small.getvalue()).decode()})")


def png(spec: dict[str, Any]) -> bytes:
    """A chart, as Vega-Lite reads it, as the Dagster UI shows it."""
    return _raster(spec, UI_SCALE)


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


def save_figure(spec: dict[str, Any], path: Path | UPath) -> None:
    """Write the chart as a file, whole or not at all; folders that are missing are made.

    Args:
        spec: As Vega-Lite reads it.
        path: Its suffix says what is written: ``.png`` (two dots to the pixel) or ``.svg``.

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
    picture = svg(spec).encode() if suffix == ".svg" else _raster(spec, FILE_SCALE)
    with whole_file(target) as part:
        part.write_bytes(picture)


def _raster(spec: dict[str, Any], scale: float) -> bytes:
    import vl_convert

    return vl_convert.vegalite_to_png(spec, scale=scale, allowed_base_urls=[])
