"""Plain and noisy objects on black or on nothing, for the tests of the alterations."""

import cv2
import numpy as np
from numpy.typing import NDArray

SIDE_PX = 256


def outline(form: str) -> NDArray[np.bool_]:
    """A square, a wide box, a tall ellipse, a ring or a stool with thin legs in the middle of the frame."""
    drawn = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    if form == "square":
        drawn[48:208, 48:208] = 1
    elif form == "wide":
        drawn[100:150, 20:236] = 1
    elif form == "ellipse":
        cv2.ellipse(drawn, (128, 128), (50, 100), 0, 0, 360, 1, -1)
    elif form == "ring":
        cv2.circle(drawn, (128, 128), 90, 1, 24)
    else:
        drawn[60:100, 60:196] = 1
        drawn[100:220, 64:70] = drawn[100:220, 186:192] = 1
    return drawn > 0


FORMS = ("square", "wide", "ellipse", "ring", "stool")


def coloured(mask: NDArray[np.bool_], colour: tuple[int, int, int], transparent: bool = False) -> NDArray[np.uint8]:
    """RGBA: the object in one colour, around it black, or nothing at all over a hidden green."""
    outside = (0, 200, 0, 0) if transparent else (0, 0, 0, 255)
    return np.where(mask[..., None], np.uint8([*colour, 255]), np.uint8(outside))


def noisy(mask: NDArray[np.bool_], seed: int = 0, low: int = 40, high: int = 240) -> NDArray[np.uint8]:
    """RGBA: the object in coloured noise, black around it."""
    rgb = np.random.default_rng(seed).integers(low, high, (*mask.shape, 3))
    return np.dstack([np.where(mask[..., None], rgb, 0), np.full(mask.shape, 255)]).astype(np.uint8)


def lightness_chroma_hue(rgb: NDArray[np.uint8]) -> NDArray[np.float64]:
    """L*, C* and hue in degrees by OpenCV's own CIELAB; shape ``(3, n)`` of colours ``(n, 3)``."""
    lab = cv2.cvtColor(rgb[None].astype(np.float32) / 255, cv2.COLOR_RGB2LAB)[0].astype(float)
    return np.stack([lab[:, 0], np.hypot(lab[:, 1], lab[:, 2]), np.degrees(np.arctan2(lab[:, 2], lab[:, 1]))])
