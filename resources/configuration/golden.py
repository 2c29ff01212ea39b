"""The golden set in the configuration: which altered renders are made, and how much of each alteration."""

from typing import Annotated, Literal

from pydantic import Field

from resources.configuration.section import Section

Share = Annotated[float, Field(gt=0, lt=1)]
Larger = Annotated[float, Field(gt=1)]
Amount = Annotated[float, Field(gt=0)]
HexColour = Annotated[str, Field(pattern=r"^#[0-9A-Fa-f]{6}$")]


class Stripes(Section):
    """Diagonal bands across the object."""

    colours: tuple[HexColour, HexColour] = ("#FF00FF", "#FFFF00")
    bands: int = Field(7, ge=2, le=99)
    blend: Literal["multiply", "overlay", "normal"] = "multiply"
    opacities: tuple[Share, ...] = (0.3, 0.5, 0.7)
    shaded_opacities: tuple[Share, ...] = (0.7,)


class GoldenSet(Section):
    """Controlled alterations of the candidate, on the object only; an empty list leaves a kind out.

    `items` names the items; left out, `n_items` are drawn among products that did not choose the setting. `setting` is
    the one at which they are judged; left out, the recommended one, else the nearest, else the baseline.
    """

    n_items: int = Field(10, ge=2)
    items: tuple[str, ...] | None = None
    setting: str | None = None
    stripes: Stripes = Stripes()
    hue_degrees: tuple[Amount, ...] = (5, 10, 20, 40)
    saturation: tuple[Share, ...] = (0.75, 0.5, 0.25)
    brightness: tuple[Share, ...] = (0.9, 0.75, 0.6)
    blur_px: tuple[Amount, ...] = Field((1, 2, 4), description="sigma in pixels on an image of 512 px")
    texture_scale: tuple[Larger, ...] = (1.25, 1.5, 2)
    logo_share: tuple[Share, ...] = Field((0.05, 0.1, 0.2), description="share of the object that the patch covers")
    same_tolerance: float = Field(0.05, gt=0, lt=1, description="scores nearer than this count as the same")
