"""An object's appearance as counts per patch: any part of it is described by adding up the patches in view."""

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from analysis.images.appearance.maps import LBP_CODES, band_energies, blurred, coherence, lab_of, uniform_lbp
from analysis.images.appearance.mask import isolated

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
