"""Per-pixel measures of a surface: uniform local binary patterns, band energies, orientation, light and dark."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
NEIGHBOURS = 8
_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.072175), (0.0193339, 0.119192, 0.9503041))
LBP_CODES = NEIGHBOURS + 2  # 0-8 bits set in a uniform pattern, 9 for the rest


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
