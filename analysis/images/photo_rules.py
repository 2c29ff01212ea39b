"""What can be measured on a photo's pixels without a model: sharpness, contrast, exposure, colourfulness, mixtures."""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.undefined import UndefinedStatistic

MEASURES: Final = ("sharpness", "contrast", "exposure", "colorfulness")
# What is done for them, in this order, and which of it each one needs; what several need is done once.
STEPS: Final = ("grey", "histogram", *MEASURES)
STEPS_OF: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "sharpness": ("grey", "sharpness"),
        "contrast": ("grey", "histogram", "contrast"),
        "exposure": ("grey", "histogram", "exposure"),
        "colorfulness": ("colorfulness",),
    }
)
# The value at which a measure counts half in a mixture; exposure lies on 0-1 already.
HALF_AT: Final[Mapping[str, float]] = MappingProxyType({"sharpness": 1000.0, "contrast": 0.8, "colorfulness": 100.0})
COMPOSITES: Final[Mapping[str, Mapping[str, float]]] = MappingProxyType(
    {
        "composite_balanced": dict(zip(MEASURES, (0.3, 0.2, 0.3, 0.2), strict=True)),
        "composite_sharpness_focused": dict(zip(MEASURES, (0.5, 0.15, 0.25, 0.1), strict=True)),
        "composite_exposure_focused": dict(zip(MEASURES, (0.2, 0.15, 0.5, 0.15), strict=True)),
    }
)
ALL_BLACK: Final = "contrast: every pixel is black, so the mean of grey is 0"
# A strip and what is derived from it stay in the processor's cache, which halves the time.
_STRIP_ROWS: Final = 32


class PhotoMeasures(NamedTuple):
    """The measures of one photo: `contrast` is null where every pixel is black, and `undefined` says so."""

    sharpness: float
    contrast: float | None
    exposure: float
    colorfulness: float
    undefined: str | None


def photo_measures(photo: NDArray[np.uint8], done: Callable[[str], None] = lambda step: None) -> PhotoMeasures:
    """All measures of a photo, its grey version and histogram made once.

    Args:
        photo: Shape ``(height, width, 3)``, red, green, blue, 0-255.
        done: Called with each of `STEPS` when it is done, to time them.
    """
    grey = grey_of(photo)
    done("grey")
    histogram = histogram_of(grey)
    done("histogram")
    sharp = sharpness(grey)
    done("sharpness")
    try:
        seen, undefined = contrast(histogram), None
    except UndefinedStatistic as error:
        seen, undefined = None, error.reason
    done("contrast")
    exposed = exposure(histogram)
    done("exposure")
    colorful = colorfulness(photo)
    done("colorfulness")
    return PhotoMeasures(sharp, seen, exposed, colorful, undefined)


def grey_of(photo: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """0.299 red + 0.587 green + 0.114 blue, rounded to 0-255.

    Args:
        photo: Shape ``(height, width, 3)``, red, green, blue, 0-255.

    Raises:
        ValueError: It is no such array.
    """
    if photo.ndim != 3 or photo.shape[2] != 3 or photo.dtype != np.uint8 or not photo.size:
        raise ValueError(f"a photo is (height, width, 3) of 8-bit red, green, blue, not {photo.shape} {photo.dtype}")
    return np.asarray(cv2.cvtColor(photo, cv2.COLOR_RGB2GRAY), dtype=np.uint8)


def sharpness(grey: NDArray[np.uint8]) -> float:
    """Variance of the Laplacian (4 neighbours, mirrored at the border without the edge itself), in squared levels.

    Args:
        grey: Shape ``(height, width)``, 0-255.

    Returns:
        0 for a flat picture; no upper limit. Noise raises it like detail does.

    Source:
        Pech-Pacheco et al. (2000), ICPR 3:314-317.
    """
    _refuse_no_grey(grey)
    height = grey.shape[0]
    total = squares = 0.0
    for top in range(0, height, _STRIP_ROWS):
        # One row more on each side, or the strip's edge would be taken for the picture's.
        first = max(0, top - 1)
        rows = grey[first : min(height, top + _STRIP_ROWS + 1)]
        laplacian = cv2.Laplacian(rows, cv2.CV_16S)[top - first :][:_STRIP_ROWS]
        total += cv2.sumElems(laplacian)[0]
        squares += _sum_of_squares(laplacian)
    return _variance(total, squares, grey.size)


def histogram_of(grey: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Pixels at each of the 256 levels."""
    _refuse_no_grey(grey)
    # OpenCV counts in 32-bit floats, exact up to 2**24 a level; strips keep large pictures below that.
    counts = np.zeros(256)
    for top in range(0, grey.shape[0], rows := max(1, 2**24 // grey.shape[1])):
        counts += cv2.calcHist([grey[top : top + rows]], [0], None, [256], [0, 256]).ravel()
    return counts


def contrast(histogram: NDArray[np.float64]) -> float:
    """Standard deviation of grey over its mean, unitless; 0 for a flat picture.

    Raises:
        UndefinedStatistic: Every pixel is black.
    """
    levels, pixels = np.arange(256.0), histogram.sum()
    total = float(levels @ histogram)
    if total == 0.0:
        raise UndefinedStatistic(ALL_BLACK)
    return float(math.sqrt(_variance(total, float(levels**2 @ histogram), pixels)) / (total / pixels))


def exposure(histogram: NDArray[np.float64]) -> float:
    """0.5 (1 - share of pixels at 0 or 255) + 0.5 entropy / ln 256: 0-1, larger is better exposed."""
    shares = histogram / histogram.sum()
    used = shares[shares > 0]
    entropy = float(-(used * np.log(used)).sum())
    return 0.5 * (1.0 - float(shares[0] + shares[255])) + 0.5 * entropy / math.log(256.0)


def colorfulness(photo: NDArray[np.uint8]) -> float:
    """How colourful a photo looks: 0 for grey, about 100 for very vivid.

    Args:
        photo: Shape ``(height, width, 3)``, red, green, blue, 0-255.

    Returns:
        ``sqrt(var(rg) + var(yb)) + 0.3 sqrt(mean(rg)^2 + mean(yb)^2)`` with ``rg = R - G`` and ``yb = (R + G)/2 - B``.

    Source:
        Hasler and Suesstrunk (2003), Proc. SPIE 5007:87-95, formula for M(3).
    """
    pixels = photo.shape[0] * photo.shape[1]
    totals, squares = np.zeros(2), np.zeros(2)
    for top in range(0, photo.shape[0], _STRIP_ROWS):
        red, green, blue = cv2.split(photo[top : top + _STRIP_ROWS])
        red_green = cv2.subtract(red, green, dtype=cv2.CV_16S)
        # Twice yellow-blue, so that it stays a whole number and the sums are exact.
        both = cv2.add(red, green, dtype=cv2.CV_16S)
        yellow_blue = cv2.subtract(both, cv2.add(blue, blue, dtype=cv2.CV_16S))
        for place, opponent in enumerate((red_green, yellow_blue)):
            totals[place] += cv2.sumElems(opponent)[0]
            squares[place] += _sum_of_squares(opponent)
    rg, yb = (_variance(totals[place], squares[place], pixels) for place in (0, 1))
    mean_rg, mean_yb = totals / pixels
    return math.sqrt(rg + yb / 4.0) + 0.3 * math.hypot(mean_rg, mean_yb / 2.0)


def composite(measures: Mapping[str, ArrayLike], weights: Mapping[str, float]) -> NDArray[np.float64]:
    """Weighted mean of measures, each brought to 0-1 by v/(v + c), which never saturates.

    Args:
        measures: Name to values, shape ``(n,)`` each, in the measures' own units; NaN where one is undefined.
        weights: Name to weight, above 0; measures without a weight do not count.

    Returns:
        Shape ``(n,)``, 0-1; NaN where a measure that counts is undefined.

    Raises:
        ValueError: No weight, an unknown measure, or one without values.
    """
    if not weights:
        raise ValueError("a composite needs the weight of at least one measure")
    if unknown := sorted(set(weights) - set(MEASURES)):
        raise ValueError(f"no such measure: {', '.join(unknown)}; there are {', '.join(MEASURES)}")
    if missing := sorted(set(weights) - set(measures)):
        raise ValueError(f"no values of {', '.join(missing)}")
    parts = [weight * _on_unit_scale(name, measures[name]) for name, weight in weights.items()]
    return np.asarray(np.sum(parts, axis=0) / sum(weights.values()), dtype=np.float64)


def _on_unit_scale(name: str, values: ArrayLike) -> NDArray[np.float64]:
    numbers = np.asarray(values, dtype=np.float64)
    return numbers / (numbers + HALF_AT[name]) if name in HALF_AT else numbers


def _refuse_no_grey(grey: NDArray[np.uint8]) -> None:
    if grey.ndim != 2 or grey.dtype != np.uint8 or not grey.size:
        raise ValueError(f"a grey picture is (height, width) of 8 bits, not {grey.shape} {grey.dtype}")


def _sum_of_squares(values: NDArray[np.int16]) -> int:
    # OpenCV takes a root and squares it again; of whole numbers this small, rounding fixes that exactly.
    return round(cv2.norm(values, cv2.NORM_L2SQR))


def _variance(total: float, squares: float, n: float) -> float:
    """Population variance from sums of whole numbers, which are exact, so that little cancels."""
    return max(0.0, float((squares - total * (total / n)) / n))
