"""What a camera sees of a product's shape: surface points, normals and parts per pixel, by sphere tracing."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tools.samples.products import Shape
from tools.samples.solids import Floats

SIDE_PX = 512
DISTANCE = 5.2  # camera to the origin, object units
HALF_ANGLE = 0.225  # tangent of half the field of view
BOUND = 1.28  # every product lies inside this ball
STEPS = 48
BLOCK_PX = 4
HIT = 0.0025
NORMAL_STEP = 0.004
OCCLUSION_REACH = (0.05, 0.16)  # object units along the normal


@dataclass(frozen=True)
class Camera:
    """Where the picture is taken from: angles in degrees, zoom 1 frames a ball of radius 1.17."""

    azimuth_deg: float
    elevation_deg: float
    zoom: float = 1.0


@dataclass(frozen=True)
class View:
    """The visible surface: ``pixels`` are flat indices, all other arrays hold one row per pixel."""

    pixels: NDArray[np.int64]
    points: Floats  # (n, 3), object space
    normals: Floats  # (n, 3), unit length
    towards_camera: Floats  # (n, 3), unit length
    occlusion: Floats  # (n,), 1 in the open, 0 in a crease
    main: NDArray[np.bool_]  # (n,), wears the product's material
    axes: Floats  # (3, 3), rows: camera's right, up, back in object space


def lengths(vectors: Floats) -> Floats:
    """Euclidean lengths of rows of three; several times as fast as `numpy.linalg.norm` on so short an axis."""
    return np.sqrt(np.einsum("ij,ij->i", vectors, vectors))


def _axes(camera: Camera) -> Floats:
    azimuth, elevation = np.radians(camera.azimuth_deg), np.radians(camera.elevation_deg)
    back = np.array(
        [np.sin(azimuth) * np.cos(elevation), np.sin(elevation), np.cos(azimuth) * np.cos(elevation)], np.float32
    )
    right = np.array([np.cos(azimuth), 0, -np.sin(azimuth)], np.float32)
    return np.stack([right, np.cross(back, right), back]).astype(np.float32)


def _rays(axes: Floats, camera: Camera, pixels: NDArray[np.int64], side_px: int) -> Floats:
    """Directions through pixels (flat indices) of a picture of ``side_px``: shape (n, 3), unit length."""
    offsets = ((np.arange(side_px, dtype=np.float32) + 0.5) / side_px * 2 - 1) * np.float32(HALF_ANGLE / camera.zoom)
    place = np.stack([offsets[pixels % side_px], -offsets[pixels // side_px], np.full(len(pixels), -1, np.float32)], 1)
    return (place @ axes) / lengths(place)[:, None]


def _nearest(shape: Shape, x: Floats, y: Floats, z: Floats) -> Floats:
    nearest = shape[0].distance(x, y, z)
    for part in shape[1:]:
        np.minimum(nearest, part.distance(x, y, z), out=nearest)
    return nearest


def _trace(shape: Shape, origin: Floats, ahead: Floats, gone: Floats, hit: float) -> tuple[NDArray[np.int64], Floats]:
    """Rows of the rays that come within ``hit`` of the shape, in order, and how far they went."""
    closest = -(ahead @ origin)
    deep2 = BOUND**2 - (float(origin @ origin) - closest**2)
    active = np.flatnonzero(deep2 > 0)
    reach = np.sqrt(deep2[active])
    gone, end = np.maximum(gone[active], closest[active] - reach), closest[active] + reach
    x, y, z = (np.ascontiguousarray(ahead[active, axis]) for axis in range(3))
    rows, distances = [], []
    for step in range(STEPS):
        gap = _nearest(shape, origin[0] + gone * x, origin[1] + gone * y, origin[2] + gone * z)
        arrived = gap < hit
        gone = np.where(arrived, gone, gone + gap)
        if step % 3 == 2 or step == STEPS - 1:
            rows.append(active[arrived])
            distances.append(gone[arrived])
            stay = ~arrived & (gone < end)
            active, gone, end, x, y, z = (array[stay] for array in (active, gone, end, x, y, z))
    found = np.concatenate(rows)
    order = np.argsort(found, kind="stable")
    return found[order], np.concatenate(distances)[order]


def _surface(shape: Shape, axes: Floats, camera: Camera) -> tuple[NDArray[np.int64], Floats]:
    """Flat indices of the pixels that show the shape, and the points they show.

    A first pass walks one thick ray per block of pixels up to the shape: blocks that pass it by are done with,
    and the rays of the others start there.
    """
    origin = axes[2] * np.float32(DISTANCE)
    coarse_px = SIDE_PX // BLOCK_PX
    thick = 1.6 * (DISTANCE + BOUND) * HALF_ANGLE / camera.zoom / coarse_px
    blocks = np.arange(coarse_px * coarse_px)
    ahead = _rays(axes, camera, blocks, coarse_px)
    blocks, start = _trace(shape, origin, ahead, np.zeros(len(blocks), np.float32), thick)
    inside = np.arange(BLOCK_PX)
    down, across = (blocks // coarse_px * BLOCK_PX)[:, None, None], (blocks % coarse_px * BLOCK_PX)[:, None, None]
    pixels = ((down + inside[:, None]) * SIDE_PX + across + inside[None, :]).ravel()
    ahead = _rays(axes, camera, pixels, SIDE_PX)
    rows, gone = _trace(shape, origin, ahead, np.repeat(start, BLOCK_PX**2), HIT)
    order = np.argsort(pixels[rows])
    rows, gone = rows[order], gone[order]
    return pixels[rows], np.asarray(origin + gone[:, None] * ahead[rows], dtype=np.float32)


def _normals(shape: Shape, points: Floats) -> tuple[Floats, Floats]:
    """Unit normals, and how fast the distance grows along them: some solids understate it."""
    normals = np.zeros_like(points)
    x, y, z = (np.ascontiguousarray(points[:, axis]) for axis in range(3))
    step = np.float32(NORMAL_STEP)
    for sx, sy, sz in ((1, -1, -1), (-1, -1, 1), (-1, 1, -1), (1, 1, 1)):  # corners of a tetrahedron
        gap = _nearest(shape, x + sx * step, y + sy * step, z + sz * step)
        normals += gap[:, None] * np.array([sx, sy, sz], np.float32)
    length = np.maximum(lengths(normals), np.float32(1e-9))
    return np.asarray(normals / length[:, None], np.float32), np.asarray(length / (4 * step), np.float32)


def _occlusion(shape: Shape, points: Floats, normals: Floats, slope: Floats) -> Floats:
    open_share = np.ones(len(points), np.float32)
    for reach in OCCLUSION_REACH:
        above = points + normals * np.float32(reach)
        gap = _nearest(shape, *(np.ascontiguousarray(above[:, axis]) for axis in range(3)))
        open_share -= np.clip(1 - gap / (slope * np.float32(reach)), 0, 1) * np.float32(0.42)
    return np.clip(open_share, 0.12, 1)


def look(shape: Shape, camera: Camera) -> View:
    """The surface of a shape as the camera sees it, ``SIDE_PX`` pixels a side."""
    axes = _axes(camera)
    pixels, points = _surface(shape, axes, camera)
    normals, slope = _normals(shape, points)
    x, y, z = (np.ascontiguousarray(points[:, axis]) for axis in range(3))
    gaps = np.stack([part.distance(x, y, z) for part in shape])
    main = np.array([part.main for part in shape])[gaps.argmin(axis=0)]
    towards = axes[2] * np.float32(DISTANCE) - points
    occlusion = _occlusion(shape, points, normals, slope)
    return View(pixels, points, normals, towards / lengths(towards)[:, None], occlusion, main, axes)
