"""Diagonal stripes painted on the object, flat or with a relief that light from one side brings out."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.images.alterations.exact import settled
from analysis.images.alterations.surface import (
    CannotAlter,
    Floats,
    Mask,
    Picture,
    laid_on,
    surface_of,
    to_linear,
    to_stored,
)

Blend = Literal["multiply", "overlay", "normal"]
Colour = tuple[int, int, int]
MAGENTA: Colour = (255, 0, 255)
YELLOW: Colour = (255, 255, 0)
NARROWEST_PX = 2.0


class Relief(NamedTuple):
    """Every stripe bulges like half a rod, and light comes across the stripes.

    ``height`` is that of the rods in half stripe widths (0 flat, 1 half a circle), ``light_elevation_deg`` the light's
    angle above the surface.
    """

    height: float = 0.3
    light_elevation_deg: float = 45.0


def stripes(
    image: Picture,
    mask: Mask,
    opacity: float,
    *,
    blend: Blend = "multiply",
    colours: Sequence[Colour] = (MAGENTA, YELLOW),
    bands: int = 7,
    angle_deg: float = 45.0,
    relief: Relief | None = None,
) -> Picture:
    """The object with parallel stripes of equal width, side by side from its one end to the other.

    Args:
        image: Shape ``(height, width, 3 or 4)``, sRGB, 0-255.
        mask: Shape ``(height, width)``, true on the object.
        opacity: Of the stripes, 0 (none) to 1.
        blend: How a stripe's colour meets the object's, on stored sRGB values as image editors do it.
        colours: Taken in turn.
        bands: How many stripes fill the object's extent across them.
        angle_deg: Direction in which stripes run, counter-clockwise from the horizontal.
        relief: Shading of the stripes as of a normal map; none where left out. It does not follow the opacity.

    Raises:
        ValueError: The opacity is not within 0-1, or there is no band.
        CannotAlter: A stripe would be narrower than 2 px.

    Source:
        W3C, Compositing and Blending Level 1 (2015), section 10: multiply, overlay, normal.
    """
    if not 0 <= opacity <= 1 or bands < 1:
        raise ValueError(f"opacity {opacity} has to be within 0-1 and bands {bands} at least 1")
    surface = surface_of(image, mask)
    across = places_across(surface.mask, bands, angle_deg)
    number = np.clip(across.astype(np.int32), 0, bands - 1)
    painted = np.empty(surface.rgb.shape, np.uint8)
    for channel in range(3):
        tables = np.stack([_blended(colour[channel], opacity, blend) for colour in colours])
        painted[..., channel] = tables[number % len(colours), surface.rgb[..., channel]]
    if relief is not None:
        light = shading(across - number, relief)
        painted = to_stored(to_linear(painted) * light[..., None])
    return laid_on(image, surface, painted)


def places_across(mask: Mask, bands: int, angle_deg: float) -> Floats:
    """How far across the stripes each pixel lies, in stripes: 0 at the object's one end, ``bands`` at its other.

    Args:
        mask: Shape ``(h, w)``, true on the object; not empty.
        bands: Stripes in the object's extent.
        angle_deg: Direction in which stripes run, counter-clockwise from the horizontal.

    Returns:
        Shape ``(h, w)``. Stripe ``i`` is where the whole part is ``i``.

    Raises:
        CannotAlter: A stripe would be narrower than 2 px.
    """
    height, width = mask.shape
    turn = np.radians(angle_deg)
    # Rows count downwards: with this normal, stripes of 45 degrees rise to the right.
    normal = settled([np.sin(turn), np.cos(turn)])
    # Rounded, so that pixels of one diagonal have one value: an edge that falls on them would be ragged.
    across = np.round(normal[0] * np.arange(width) + normal[1] * np.arange(height)[:, None], 6)
    on_object = across[mask]
    # Half the distance of two neighbouring lines of pixels: the outermost lines get their full share of a stripe.
    margin = np.abs(normal).max() / 2
    first, last = on_object.min() - margin, on_object.max() + margin
    if (last - first) / bands < NARROWEST_PX:
        raise CannotAlter(
            f"The object is {last - first:.0f} px across and {bands} stripes would be under {NARROWEST_PX:g} px wide."
        )
    return np.asarray((across - first) * np.float32(bands / (last - first)), dtype=np.float32)


def shading(within: Floats, relief: Relief) -> Floats:
    """Light on rods relative to light on a flat surface (Lambert).

    Args:
        within: Any shape, place in the stripe across it, 0-1.
        relief: The rods and the light.

    Returns:
        The same shape: 1 on the top of a rod, more on the side of the light, less behind, never below 0.
    """
    # The profile h (1 - u^2), u from -1 to 1 in half stripe widths, has the slope -2 h u: gentle on top, steep at the
    # seams. Its normal is (2 h u, 1) before it is brought to length 1.
    slope = np.float32(-2 * relief.height) * (2 * within - 1)
    towards_light = settled(1 / np.tan(np.radians(relief.light_elevation_deg))).astype(np.float32)
    return np.asarray(np.maximum((1 + slope * towards_light) / np.sqrt(1 + slope * slope), 0))


def _blended(colour: int, opacity: float, blend: Blend) -> NDArray[np.uint8]:
    """What each of the 256 values of a channel becomes under one stripe."""
    below, above = np.arange(256) / 255, colour / 255
    if blend == "multiply":
        mixed = below * above
    elif blend == "overlay":
        mixed = np.where(below <= 0.5, 2 * below * above, 1 - 2 * (1 - below) * (1 - above))
    elif blend == "normal":
        mixed = np.full(256, above)
    else:
        raise ValueError(f"blend '{blend}' is none of multiply, overlay, normal")
    return np.rint(255 * ((1 - opacity) * below + opacity * mixed)).astype(np.uint8)
