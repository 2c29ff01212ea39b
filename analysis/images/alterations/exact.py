"""Filters and sums that give the same bytes on any machine.

A processor's vector units add in an order of their own and fuse a product with a sum, so floating-point results differ
in the last digit from one to the next. Here either all numbers are whole and below 2^53, so that doubles add and
multiply them without rounding in whatever order, or one operation at a time is rounded as IEEE 754 says. What has no
such rule (sines, powers, cube roots) is rounded to a grid much wider than its error before it is used.
"""

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float32]
KERNEL_SUM = 2**13  # of a kernel's whole weights; two passes of it times 27 bits of a picture stay below 2^53
_DECIMALS = 12


def settled(values: ArrayLike) -> NDArray[np.float64]:
    """Values of order 1 on a grid of 12 decimals, which no library's last digit reaches."""
    return np.asarray(np.round(np.asarray(values, dtype=np.float64), _DECIMALS))


def mixed(matrix: Floats, planes: Floats) -> Floats:
    """The matrix product, each sum taken from left to right.

    Args:
        matrix: Shape ``(m, k)``.
        planes: Shape ``(k, n)``.
    """
    result = np.empty((len(matrix), planes.shape[1]), np.float32)
    for row, weights in enumerate(matrix):
        total = weights[0] * planes[0]
        for weight, plane in zip(weights[1:], planes[1:], strict=True):
            total = total + weight * plane
        result[row] = total
    return result


def smoothed(whole: NDArray[np.float64], sigma_px: float, border: int) -> NDArray[np.float64]:
    """A picture of whole numbers under a Gaussian of whole weights, times `KERNEL_SUM` squared; exact.

    Args:
        whole: Shape ``(h, w)`` or ``(h, w, channels)``, whole numbers from 0 to below 2^27.
        sigma_px: Pixels; weights reach to three times as far.
        border: OpenCV's rule for what is beyond the picture.
    """
    reach = int(np.ceil(3 * sigma_px))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma_px) ** 2)
    kernel = np.rint(settled(weights / weights.sum()) * KERNEL_SUM)
    kernel[reach] += KERNEL_SUM - kernel.sum()
    return np.asarray(cv2.sepFilter2D(whole, cv2.CV_64F, kernel, kernel, borderType=border), dtype=np.float64)
