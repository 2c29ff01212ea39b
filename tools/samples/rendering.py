"""Light on a product: the picture of a view in a material, on black or on nothing."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from tools.samples.materials import Material
from tools.samples.patterns import TILE_PX, Floats
from tools.samples.views import SIDE_PX, View, lengths

TEXELS_PER_PIXEL = 1.25  # finer texture than the screen shows would flicker between views
PIXELS_PER_UNIT = 205.0  # of the screen at zoom 1
FAINT = 0.01  # a projection that weighs less is left out
BLEND = 5  # sharpness of the change from one projection plane to the next


@dataclass(frozen=True)
class Light:
    """A studio: one key light from a direction (degrees, relative to the camera), fill and softboxes."""

    side_deg: float
    height_deg: float
    exposure: float = 1.0
    warmth: float = 0.0  # -1 blue to 1 orange


def _level(image: Floats, tile: float) -> tuple[Floats, float]:
    """The texture at the screen's resolution, and its texels per object unit."""
    side = int(np.clip(round(tile * PIXELS_PER_UNIT * TEXELS_PER_PIXEL), 16, TILE_PX))
    return np.asarray(cv2.resize(image, (side, side), interpolation=cv2.INTER_AREA), dtype=np.float32), side / tile


def _sample(image: Floats, u: Floats, v: Floats) -> Floats:
    """Values at texel coordinates; `remap` takes at most 32767 per side, so the row is folded."""
    count, width = len(u), 1024
    rows = -(-count // width)
    folded = [np.resize(place % image.shape[0], (rows, width)).astype(np.float32) for place in (u, v)]
    values = cv2.remap(image, folded[0], folded[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP)
    return values.reshape(rows * width, -1)[:count]


def _textured(view: View, worn: Material) -> tuple[Floats, Floats]:
    """Linear albedo and bumped normals, projected along the three axes and blended by the normal."""
    albedo, density = _level(worn.albedo, worn.tile)
    albedo = albedo ** np.float32(2.2)
    height, _ = _level(worn.height, worn.tile)
    slope_u = (np.roll(height, -1, 1) - np.roll(height, 1, 1)) * worn.relief
    slope_v = (np.roll(height, -1, 0) - np.roll(height, 1, 0)) * worn.relief
    slopes = np.dstack([slope_u, slope_v])
    weights = np.abs(view.normals) ** BLEND
    weights[weights < FAINT] = 0
    weights /= (weights[:, 0] + weights[:, 1] + weights[:, 2])[:, None]
    colour, bump = np.zeros_like(view.points), np.zeros_like(view.points)
    for axis, (across, up) in enumerate(((2, 1), (0, 2), (0, 1))):
        seen = np.flatnonzero(weights[:, axis])
        u, v = view.points[seen, across] * density, -view.points[seen, up] * density
        share = weights[seen, axis, None]
        colour[seen] += share * _sample(albedo, u, v)
        if worn.relief > 0:
            tilt = share * _sample(slopes, u, v)
            bump[seen, across] += tilt[:, 0]
            bump[seen, up] -= tilt[:, 1]
    normals = view.normals - bump
    return colour, normals / lengths(normals)[:, None]


def _direction(view: View, side_deg: float, height_deg: float) -> Floats:
    side, height = np.radians(side_deg), np.radians(height_deg)
    local = np.array([np.sin(side) * np.cos(height), np.sin(height), np.cos(side) * np.cos(height)], np.float32)
    return local @ view.axes


def _smooth(values: Floats, low: float, high: float) -> Floats:
    share = np.clip((values - np.float32(low)) / np.float32(high - low), 0, 1)
    return share * share * (3 - 2 * share)


def _mirrored(view: View, normals: Floats, light: Light, roughness: float) -> Floats:
    """Brightness of the studio in the direction of reflection: two softboxes over a dim gradient."""
    facing = np.einsum("ij,ij->i", normals, view.towards_camera)[:, None]
    reflected = 2 * facing * normals - view.towards_camera
    soft = 0.03 + 0.6 * roughness
    total = 0.06 + 0.4 * _smooth(reflected[:, 1], -0.3, 0.8)
    for side, height, size, power in (
        (light.side_deg, light.height_deg, 0.93, 7.0),
        (-1.6 * light.side_deg, 12.0, 0.9, 3.0),
    ):
        aligned = reflected @ _direction(view, side, height)
        spread = 1 / (1 + 10 * roughness**2)
        total += np.float32(power) * spread * _smooth(aligned, size - soft, size + 0.06 + 0.3 * soft)
    return total.astype(np.float32)


def _lit(view: View, albedo: Floats, normals: Floats, light: Light, worn: Material) -> Floats:
    key = np.clip(normals @ _direction(view, light.side_deg, light.height_deg), 0, None)
    fill = np.clip(normals @ _direction(view, -light.side_deg, 10.0) * 0.5 + 0.5, 0, None)
    sky = normals[:, 1] * 0.5 + 0.5
    diffuse = 1.15 * key * (0.35 + 0.65 * view.occlusion) + (0.2 * fill + 0.17 * sky) * view.occlusion
    facing = np.clip(np.einsum("ij,ij->i", normals, view.towards_camera), 0, 1)
    edge = (1 - facing) ** 5 * (1 - worn.roughness) ** 2
    share = (worn.reflectance + (1 - worn.reflectance) * edge)[:, None]
    mirror = (_mirrored(view, normals, light, worn.roughness) * view.occlusion)[:, None]
    tint = 1 - worn.metal + worn.metal * albedo
    body = albedo * (1 - worn.metal * 0.75)
    # A glossy dielectric's highlight is white and much brighter than 4 % of a lamp-lit wall: the lamp itself.
    gain = 1.0 if worn.metal > 0.5 else 5.0
    return body * diffuse[:, None] * (1 - share) + mirror * share * tint * gain


def _antialiased(colour: Floats, pixels: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """A soft silhouette: coverage from a small blur, colours drawn outwards so that no black seam appears."""
    picture = np.zeros((SIDE_PX * SIDE_PX, 3), np.float32)
    cover = np.zeros(SIDE_PX * SIDE_PX, np.float32)
    picture[pixels], cover[pixels] = colour, 1
    square, covered = picture.reshape(SIDE_PX, SIDE_PX, 3), cover.reshape(SIDE_PX, SIDE_PX)
    spread, weight = cv2.GaussianBlur(square, (5, 5), 1.0), cv2.GaussianBlur(covered, (5, 5), 1.0)
    filled = spread / np.maximum(weight, 1e-4)[..., None]
    inside = cv2.GaussianBlur(np.where(covered[..., None] > 0, square, filled), (3, 3), 0.55)
    return inside, cv2.GaussianBlur(covered, (3, 3), 0.7)


def render(view: View, worn: Material, trim: Material, light: Light, transparent: bool) -> NDArray[np.uint8]:
    """The picture, shape ``(SIDE_PX, SIDE_PX, 4)``: blue, green, red, alpha (0 outside, or 255 over black)."""
    colour = np.zeros_like(view.points)
    for surface, where in ((worn, view.main), (trim, ~view.main)):
        if where.any():
            part = View(
                view.pixels[where],
                view.points[where],
                view.normals[where],
                view.towards_camera[where],
                view.occlusion[where],
                view.main[where],
                view.axes,
            )
            albedo, normals = _textured(part, surface)
            colour[where] = _lit(part, albedo, normals, light, surface)
    warm = np.array([1 + 0.06 * light.warmth, 1, 1 - 0.06 * light.warmth], np.float32)
    exposed = np.float32(1.25 * light.exposure) * colour * warm
    toned = 1 - np.exp(-exposed * (1 + 0.35 * exposed))
    # The darkest product is still not the background: a camera's black point lies above nothing.
    screen = 0.045 + 0.955 * np.clip(toned, 0, 1) ** (1 / 2.2)
    inside, cover = _antialiased(screen.astype(np.float32), view.pixels)
    alpha = cover if transparent else np.ones_like(cover)
    shown = inside if transparent else inside * cover[..., None]
    rgba = np.dstack([shown[..., ::-1], alpha])
    rgba[alpha == 0] = 0
    return np.rint(np.clip(rgba, 0, 1) * 255).astype(np.uint8)
