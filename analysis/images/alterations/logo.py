"""A foreign logo printed on the object: a badge that covers a stated share of it."""

from typing import NamedTuple

import cv2
import numpy as np

from analysis.images.alterations.surface import CannotAlter, Floats, Mask, Picture, laid_on, surface_of

FEWEST_PX = 16
_DEPTHS_A_PX = 64  # of the distance to the outline: libraries differ in what is smaller
Colour = tuple[int, int, int]


class LogoColours(NamedTuple):
    """sRGB, 0-255."""

    rim: Colour = (250, 250, 245)
    ground: Colour = (22, 36, 84)
    mark: Colour = (255, 196, 37)


BADGE = LogoColours()


def logo_patch(image: Picture, mask: Mask, share: float, *, colours: LogoColours = BADGE) -> Picture:
    """The object with an opaque round badge where it is widest.

    The badge is cut by the object's outline where it does not fit, and grows until it covers the share all the same:
    it has the nearest pixels of the object around its centre, to the pixel.

    Args:
        image: Shape ``(height, width, 3 or 4)``, sRGB, 0-255.
        mask: Shape ``(height, width)``, true on the object.
        share: Of the object's pixels that the badge covers, above 0, up to 1.
        colours: Of its rim, ground and mark.

    Raises:
        ValueError: The share is not above 0 and up to 1.
        CannotAlter: The badge would have under 16 pixels.
    """
    surface = surface_of(image, mask)
    covered = covered_by_logo(surface.mask, share)
    rows, columns = np.nonzero(covered.mask)
    place = np.stack([columns - covered.centre[1], rows - covered.centre[0]]).astype(np.float32) / covered.radius_px
    result = surface.rgb.copy()
    result[rows, columns] = _drawn(place, 1 / covered.radius_px, colours)
    return laid_on(image, surface, result)


class Covered(NamedTuple):
    """Where the badge lies."""

    mask: Mask  # (h, w)
    centre: tuple[int, int]  # row, column
    radius_px: float


def covered_by_logo(mask: Mask, share: float) -> Covered:
    """The object's pixels under the badge: as many as the share says, the nearest around its deepest point.

    Args:
        mask: Shape ``(h, w)``, true on the object.
        share: Above 0, up to 1.

    Raises:
        ValueError: The share is not above 0 and up to 1.
        CannotAlter: There would be under 16 of them.
    """
    if not 0 < share <= 1:
        raise ValueError(f"a logo cannot cover a share of {share}")
    rows, columns = np.nonzero(mask)
    count = round(share * len(rows))
    if count < FEWEST_PX:
        raise CannotAlter(f"The object has {len(rows)} pixels and {share:.0%} of them are too few for a logo.")
    # A frame of background, so that an object which fills the picture is deepest in its middle.
    depth = cv2.distanceTransform(np.pad(mask.astype(np.uint8), 1), cv2.DIST_L2, cv2.DIST_MASK_5)[1:-1, 1:-1]
    row, column = np.unravel_index(int(np.rint(depth * _DEPTHS_A_PX).argmax()), depth.shape)
    far = (rows - row) ** 2 + (columns - column) ** 2
    nearest = np.argsort(far, kind="stable")[:count]  # of pixels equally far the upper left ones
    under = np.zeros(mask.shape, dtype=np.bool_)
    under[rows[nearest], columns[nearest]] = True
    return Covered(under, (int(row), int(column)), float(np.sqrt(far[nearest].max())) + 0.5)


def _drawn(place: Floats, soft: float, colours: LogoColours) -> Picture:
    """The badge's colours: a disc with a rim, and on it a stone with a streak drawn across.

    Args:
        place: Shape ``(2, n)``, right and down from the centre in radii.
        soft: Width of a pixel in radii: edges are that soft.
        colours: Of rim, ground and mark.
    """
    right, down = place
    # Products and square roots are rounded alike on every machine, other powers are not.
    radius = np.sqrt(right * right + down * down)
    along, across = (right - down) / np.sqrt(2), (right + down) / np.sqrt(2)

    def inside(distance: Floats) -> Floats:
        """1 within a shape, 0 without, from the distance to its edge (negative within)."""
        return np.asarray(np.clip(0.5 - distance / soft, 0, 1))

    long2, wide2 = (along / 0.66) * (along / 0.66), (across / 0.42) * (across / 0.42)
    stone = inside(np.sqrt(np.sqrt(long2 * long2 + wide2 * wide2)) * 0.5 - 0.5)
    streak = inside(np.maximum(np.abs(across + 0.16 * (along * along) - 0.06) - 0.1, np.abs(along) - 0.5))
    result = np.broadcast_to(np.array(colours.rim, np.float32), (len(right), 3)).copy()
    for shape, colour in (
        (inside(radius - 0.86), colours.ground),
        (stone, colours.mark),
        (streak, colours.ground),
    ):
        result += shape[:, None] * (np.array(colour, np.float32) - result)
    return np.rint(result).astype(np.uint8)
