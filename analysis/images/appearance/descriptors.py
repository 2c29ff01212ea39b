"""A surface measured at each pixel, and an object's appearance as counts per patch, which any part adds up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from analysis.images.appearance.mask import isolated

Floats = NDArray[np.float32]
NEIGHBOURS = 8
_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.072175), (0.0193339, 0.119192, 0.9503041))
LBP_CODES = NEIGHBOURS + 2  # 0-8 bits set in a uniform pattern, 9 for the rest
SIDE_PX = 208  # an object is scaled to the area of a square of this side: "object width" below
LONGEST_PX = 640
RIM_PX = 3
PATCH_PX = 26  # patches are an eighth of the object's width
LBP_RADII_PX = (1, 2, 4)
LBP_TOLERANCE = 1.0  # CIELAB lightness
BAND_SIGMAS_PX = tuple(0.7 * 2 ** (step / 2) for step in range(9))
BASE_SIGMA_PX = 5.0  # texture finer than this is taken off before gloss is measured


class Block(NamedTuple):
    """One histogram: its name, range and number of bins, all bins of one width."""

    name: str
    low: float
    high: float
    bins: int

    @property
    def width(self) -> float:
        """Of a bin, in the unit of the measured value."""
        return (self.high - self.low) / self.bins


BLOCKS = (
    Block("lightness", 0, 100, 40),
    Block("red_green", -80, 80, 64),
    Block("yellow_blue", -80, 80, 64),
    Block("diagonal_up", -80, 80, 64),
    Block("diagonal_down", -80, 80, 64),
    Block("base_lightness", 0, 100, 50),
    Block("base_whiteness", 0, 100, 50),
    Block("lbp_1", 0, LBP_CODES, LBP_CODES),
    Block("lbp_2", 0, LBP_CODES, LBP_CODES),
    Block("lbp_4", 0, LBP_CODES, LBP_CODES),
    Block("detail", -30, 30, 30),
    Block("coherence", 0, 1, 10),
)
STARTS = np.cumsum([0, *(block.bins for block in BLOCKS)])
SLICES = {
    block.name: slice(int(start), int(start) + block.bins) for block, start in zip(BLOCKS, STARTS[:-1], strict=True)
}
WIDTHS = {block.name: block.width for block in BLOCKS}


@dataclass(frozen=True)
class Patches:
    """An object cut into patches; small enough to be kept for every candidate of a study."""

    pixels: NDArray[np.int64]  # (n,), of the object in each patch
    counts: NDArray[np.uint16]  # (n, sum of bins)
    energies: NDArray[np.float32]  # (n, bands), summed over the patch's pixels
    texture: NDArray[np.float32]  # (n,), mean energy per pixel: what `top_p` ranks by


@dataclass(frozen=True)
class Descriptor:
    """What was seen of one object: ``shares`` sum to 1 in each block, ``energies`` are means per pixel."""

    shares: NDArray[np.float64]  # (sum of bins,)
    energies: NDArray[np.float64]  # (bands,)

    def block(self, name: str) -> NDArray[np.float64]:
        """One histogram by its name."""
        return self.shares[SLICES[name]]


def patches(image: NDArray[np.uint8]) -> Patches:
    """Everything that is measured on an image, once.

    Args:
        image: Shape ``(height, width, 4)``, RGBA, sRGB, 0-255.
    """
    rgb, mask = isolated(image, SIDE_PX, RIM_PX, LONGEST_PX)
    lab = lab_of(rgb)
    lightness = np.ascontiguousarray(lab[..., 0])
    red, green, blue = cv2.split(rgb)
    whiteness = cv2.min(cv2.min(red, green), blue) * 100
    base = blurred(cv2.merge([lightness, whiteness]), BASE_SIGMA_PX)
    red_green, yellow_blue = lab[..., 1], lab[..., 2]
    values = (
        lightness,
        red_green,
        yellow_blue,
        (red_green + yellow_blue) * np.float32(np.sqrt(0.5)),
        (red_green - yellow_blue) * np.float32(np.sqrt(0.5)),
        base[..., 0],
        base[..., 1],
        *(uniform_lbp(_steadied(lightness, radius), radius, LBP_TOLERANCE) for radius in LBP_RADII_PX),
        lightness - base[..., 0],
        coherence(lightness, BASE_SIGMA_PX),
    )
    rows, columns = np.nonzero(mask)
    across = -(-mask.shape[1] // PATCH_PX)
    cell = rows // PATCH_PX * across + columns // PATCH_PX
    filled = np.bincount(cell) > 0
    patch, number = (np.cumsum(filled) - 1)[cell], int(filled.sum())
    counts = [_counted(value[mask], patch, number, block) for value, block in zip(values, BLOCKS, strict=True)]
    bands = [
        np.bincount(patch, weights=energy[mask], minlength=number) for energy in band_energies(lab, BAND_SIGMAS_PX)
    ]
    pixels = np.bincount(patch, minlength=number)
    energies = np.stack(bands, axis=1).astype(np.float32)
    return Patches(pixels, np.concatenate(counts, axis=1), energies, energies.sum(axis=1) / pixels)


def _steadied(lightness: NDArray[np.float32], radius: int) -> NDArray[np.float32]:
    """Smoothed in step with the ring, so that a wide ring is not compared through one pixel's noise."""
    return lightness if radius == 1 else blurred(lightness, radius / 2.5)


def _counted(values: NDArray[np.generic], patch: NDArray[np.int64], number: int, block: Block) -> NDArray[np.uint16]:
    place = ((values.astype(np.float32) - np.float32(block.low)) / np.float32(block.width)).astype(np.int32)
    place = np.clip(place, 0, block.bins - 1)
    counts = np.bincount(patch * block.bins + place, minlength=number * block.bins)
    return counts.reshape(number, block.bins).astype(np.uint16)


def described(seen: Patches, chosen: NDArray[np.int64] | None = None) -> Descriptor:
    """The patches added up.

    Args:
        seen: From `patches`.
        chosen: Indices of the patches in view; all of them when left out.

    Raises:
        ValueError: No patch is in view.
    """
    index = np.arange(len(seen.pixels)) if chosen is None else chosen
    total = int(seen.pixels[index].sum())
    if total == 0:
        raise ValueError("no patch of the object is in view")
    counts = seen.counts[index].sum(axis=0, dtype=np.int64)
    return Descriptor(counts / total, seen.energies[index].sum(axis=0, dtype=np.float64) / total)


def uniform_lbp(lightness: Floats, radius: int, tolerance: float) -> NDArray[np.uint8]:
    """Rotation-invariant uniform local binary patterns (riu2) with 8 neighbours.

    Args:
        lightness: Shape ``(h, w)``, any unit.
        radius: Of the ring of neighbours, pixels; they are taken at whole pixels.
        tolerance: A neighbour counts as brighter only when it is brighter by this, in the unit of ``lightness``:
            flat surfaces then read as flat instead of as noise.

    Returns:
        Shape ``(h, w)``: number of brighter neighbours where they lie in one arc, else 9.

    Source:
        Ojala, Pietikainen, Maenpaa (2002), IEEE PAMI 24:971-987.
    """
    angles = 2 * np.pi * np.arange(NEIGHBOURS) / NEIGHBOURS
    offsets = np.rint(radius * np.stack([np.sin(angles), np.cos(angles)])).astype(int)
    height, width = lightness.shape
    padded = np.pad(lightness, radius, mode="edge")
    threshold = lightness + np.float32(tolerance)
    bits = [
        (padded[radius + dy : radius + dy + height, radius + dx : radius + dx + width] > threshold).view(np.uint8)
        for dy, dx in offsets.T
    ]
    count, changes = np.zeros((height, width), np.uint8), np.zeros((height, width), np.uint8)
    for bit, following in zip(bits, bits[1:] + bits[:1], strict=True):
        count += bit
        changes += bit ^ following
    return np.where(changes <= 2, count, np.uint8(LBP_CODES - 1)).astype(np.uint8)


def blurred(image: Floats, sigma: float) -> Floats:
    """Gaussian blur; a kernel of 3 sigma each way, edges replicated."""
    width = 2 * int(np.ceil(3 * sigma)) + 1
    # In doubles, so that processors agree on the float that they round to.
    double = cv2.GaussianBlur(image.astype(np.float64), (width, width), sigma, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(double, dtype=np.float32)


def lab_of(rgb: Floats) -> Floats:
    """CIELAB (D65) of sRGB colours, worked out in doubles.

    Args:
        rgb: Shape ``(h, w, 3)``, 0-1.

    Source:
        IEC 61966-2-1 and CIE 15:2004.
    """
    red, green, blue = (
        np.where(stored <= 0.04045, stored / 12.92, ((stored + 0.055) / 1.055) ** 2.4)
        for stored in np.moveaxis(rgb.astype(np.float64), -1, 0)
    )
    light = [(row[0] * red + row[1] * green + row[2] * blue) / (row[0] + row[1] + row[2]) for row in _XYZ]
    x, y, z = (np.where(share <= (6 / 29) ** 3, share * 841 / 108 + 4 / 29, np.cbrt(share)) for share in light)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1).astype(np.float32)


def band_energies(lab: Floats, sigmas: Sequence[float]) -> list[Floats]:
    """How much the surface varies around each scale: squared differences of Gaussians, summed over the channels.

    This is the radial power spectrum measured in place, so that it can be read off any part of an object.

    Args:
        lab: Shape ``(h, w, 3)``, CIELAB.
        sigmas: Ascending widths in pixels; band ``i`` lies between ``sigmas[i]`` and ``sigmas[i + 1]``.

    Returns:
        One map of shape ``(h, w)`` per band, squared CIELAB units.
    """
    energies = []
    finer, reached = blurred(lab, sigmas[0]), sigmas[0]
    for sigma in sigmas[1:]:
        # Blurs add in squares, so each step only does what is missing.
        coarser = blurred(finer, float(np.sqrt(sigma**2 - reached**2)))
        gap = finer - coarser
        energies.append(gap[..., 0] * gap[..., 0] + gap[..., 1] * gap[..., 1] + gap[..., 2] * gap[..., 2])
        finer, reached = coarser, sigma
    return energies


def coherence(lightness: Floats, sigma: float) -> Floats:
    """How far the texture runs in one direction: 0 no direction, 1 parallel lines.

    Args:
        lightness: Shape ``(h, w)``.
        sigma: Width of the neighbourhood, pixels.

    Source:
        Structure tensor, Bigun and Granlund (1987), ICCV: (l1 - l2) / (l1 + l2) of its eigenvalues.
    """
    double = lightness.astype(np.float64)
    dx, dy = (np.float32(cv2.Sobel(double, cv2.CV_64F, *way)) for way in ((1, 0), (0, 1)))
    tensor = blurred(np.dstack([dx * dx, dy * dy, dx * dy]), sigma)
    apart = np.sqrt((tensor[..., 0] - tensor[..., 1]) ** 2 + 4 * tensor[..., 2] ** 2)
    return np.asarray(apart / (tensor[..., 0] + tensor[..., 1] + 1.0), dtype=np.float32)
