"""Small textured surfaces cut to a silhouette, for the tests of the appearance measures."""

import cv2
import numpy as np
from numpy.typing import NDArray

SIDE_PX = 320


def silhouette(form: str, size_px: int = 220) -> NDArray[np.bool_]:
    """A disc of this diameter in the middle of the frame, or a square or a wide ellipse of the same area."""
    drawn = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    middle, half = SIDE_PX // 2, size_px // 2
    if form == "square":
        side = round(half * np.sqrt(np.pi) / 2)
        drawn[middle - side : middle + side, middle - side : middle + side] = 1
    else:
        axes = (half, half) if form == "disc" else (int(half * 1.25), int(half * 0.8))
        cv2.ellipse(drawn, (middle, middle), axes, 0, 0, 360, 1, -1)
    return drawn > 0


def cloth(wavelength_px: float, seed: int = 0, hue_deg: float = 20.0) -> NDArray[np.uint8]:
    """A cloth of crossing threads with a little noise, RGB; lightness and chroma do not depend on the hue."""
    rows, columns = np.indices((SIDE_PX, SIDE_PX)) * (2 * np.pi / wavelength_px)
    noise = cv2.GaussianBlur(np.random.default_rng(seed).normal(size=(SIDE_PX, SIDE_PX)), (0, 0), wavelength_px / 8)
    lightness = 58 + 9 * np.sin(rows) * np.sin(columns) + 4 * noise / noise.std()
    hue = np.radians(hue_deg)
    chroma = np.full_like(lightness, 30.0)
    lab = np.dstack([lightness, chroma * np.cos(hue), chroma * np.sin(hue)]).astype(np.float32)
    return np.rint(np.clip(cv2.cvtColor(lab, cv2.COLOR_LAB2RGB), 0, 1) * 255).astype(np.uint8)


def cut_out(rgb: NDArray[np.uint8], mask: NDArray[np.bool_], transparent: bool = False) -> NDArray[np.uint8]:
    """RGBA: the surface inside the mask, black or nothing outside."""
    alpha = np.where(mask, 255, 0 if transparent else 255).astype(np.uint8)
    return np.dstack([np.where(mask[..., None], rgb, 0), alpha]).astype(np.uint8)
