"""Signed distances of the simple solids that sample products are built from; lengths in object units (about 1)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Distance = Callable[[Floats, Floats, Floats], Floats]
PROFILE_STEPS = 256


@dataclass(frozen=True)
class Part:
    """One solid of a product: ``main`` parts wear the product's own material, the others its trim."""

    distance: Distance
    main: bool = True


class Point(NamedTuple):
    """A place in object space, y up."""

    x: float
    y: float
    z: float


def box(centre: Point, half: Point, radius: float, turn_deg: float = 0.0) -> Distance:
    """A box with rounded edges, leaning backwards by ``turn_deg`` about the x axis."""
    cosine, sine = np.float32(np.cos(np.radians(turn_deg))), np.float32(np.sin(np.radians(turn_deg)))

    def distance(x: Floats, y: Floats, z: Floats) -> Floats:
        up, deep = y - np.float32(centre.y), z - np.float32(centre.z)
        qx = np.abs(x - np.float32(centre.x)) - np.float32(half.x - radius)
        qy = np.abs(up * cosine + deep * sine) - np.float32(half.y - radius)
        qz = np.abs(deep * cosine - up * sine) - np.float32(half.z - radius)
        outside = np.sqrt(np.maximum(qx, 0) ** 2 + np.maximum(qy, 0) ** 2 + np.maximum(qz, 0) ** 2)
        return outside + np.minimum(np.maximum(np.maximum(qx, qy), qz), 0) - np.float32(radius)

    return distance


def pillow(half: Point, pinch: float) -> Distance:
    """A cushion around the origin: thick in the middle, thin along the seam, corners drawn out by ``pinch``."""

    def distance(x: Floats, y: Floats, z: Floats) -> Floats:
        u, v = np.abs(x) / np.float32(half.x), np.abs(y) / np.float32(half.y)
        drawn_in = np.float32(pinch) * (np.clip(1 - u * u, 0, 1) * v * v + np.clip(1 - v * v, 0, 1) * u * u)
        edge = np.maximum(u, v) + drawn_in
        thick = np.float32(half.z) * np.sqrt(np.clip(1 - u**2, 0.015, 1) * np.clip(1 - v**2, 0.015, 1))
        across = (edge - 1) * np.float32(min(half.x, half.y))
        # Not a true distance: the slope of `thick` near the seam would overshoot without the factor.
        return np.maximum(across, (np.abs(z) - thick) * np.float32(0.45))

    return distance


def rod(start: Point, end: Point, radius: float, end_radius: float | None = None) -> Distance:
    """A round bar between two points that tapers from ``radius`` to ``end_radius``."""
    along = np.array(end, np.float32) - np.array(start, np.float32)
    length2 = np.float32(along @ along)
    taper = np.float32((radius if end_radius is None else end_radius) - radius)

    def distance(x: Floats, y: Floats, z: Floats) -> Floats:
        px, py, pz = x - np.float32(start.x), y - np.float32(start.y), z - np.float32(start.z)
        share = np.clip((px * along[0] + py * along[1] + pz * along[2]) / length2, 0, 1)
        gap = np.sqrt((px - share * along[0]) ** 2 + (py - share * along[1]) ** 2 + (pz - share * along[2]) ** 2)
        return gap - (np.float32(radius) + share * taper)

    return distance


def disc(centre: Point, radius: float, half_height: float, rounding: float) -> Distance:
    """An upright cylinder with rounded rims."""

    def distance(x: Floats, y: Floats, z: Floats) -> Floats:
        ring = np.sqrt((x - np.float32(centre.x)) ** 2 + (z - np.float32(centre.z)) ** 2)
        qr = ring - np.float32(radius - rounding)
        qy = np.abs(y - np.float32(centre.y)) - np.float32(half_height - rounding)
        outside = np.sqrt(np.maximum(qr, 0) ** 2 + np.maximum(qy, 0) ** 2)
        return outside + np.minimum(np.maximum(qr, qy), 0) - np.float32(rounding)

    return distance


def ellipsoid(centre: Point, half: Point) -> Distance:
    """A squashed ball."""

    def distance(x: Floats, y: Floats, z: Floats) -> Floats:
        qx, qy, qz = x - np.float32(centre.x), y - np.float32(centre.y), z - np.float32(centre.z)
        scaled = np.sqrt((qx / half.x) ** 2 + (qy / half.y) ** 2 + (qz / half.z) ** 2)
        steep = np.sqrt((qx / half.x**2) ** 2 + (qy / half.y**2) ** 2 + (qz / half.z**2) ** 2)
        return (scaled * (scaled - 1) / np.maximum(steep, np.float32(1e-4))).astype(np.float32)

    return distance


def turned(heights: Sequence[float], radii: Sequence[float], wall: float = 0.0) -> Distance:
    """A body turned on a lathe through the given (height, radius) points, open at the top if it has a wall."""
    from scipy.interpolate import PchipInterpolator

    low, high = heights[0], heights[-1]
    levels = np.linspace(low, high, PROFILE_STEPS)
    profile = PchipInterpolator(heights, radii)(levels).astype(np.float32)
    steepest = float(np.abs(np.gradient(profile, levels)).max())
    slack = np.float32(1 / np.sqrt(1 + min(steepest, 2.5) ** 2))
    step = np.float32((PROFILE_STEPS - 1) / (high - low))
    middle, half = np.float32((low + high) / 2), np.float32((high - low) / 2)

    def distance(x: Floats, y: Floats, z: Floats) -> Floats:
        place = np.clip((y - np.float32(low)) * step, 0, PROFILE_STEPS - 1.001)
        index = place.astype(np.int32)
        share = place - index
        radius = profile[index] * (1 - share) + profile[index + 1] * share
        ring = np.sqrt(x * x + z * z)
        body = np.maximum((ring - radius) * slack, np.abs(y - middle) - half)
        if wall <= 0:
            return body
        hollow = np.maximum((ring - radius + np.float32(wall)) * slack, np.float32(low + wall) - y)
        return np.maximum(body, -hollow)

    return distance
