"""The curves that map a metric's values to opinion scores, on standardised values, and their published parameters."""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MappingFunction = Literal["logistic_4", "logistic_5", "cubic"]


# Of the five-parameter logistic: places, each with every steepness, and how many of the best places are starts.
PROFILE_MIDDLES = 40
PROFILE_RATES = (0.5, 1.0, 2.0, 5.0, 20.0, 100.0)
PROFILE_PLACES = 8


class Curve(NamedTuple):
    """One family of curves.

    `value(z, p)` is the curve on standardised values z, `starts(z, y)` are first guesses of p, and `published(p, ...)`
    turns p into the parameters of `formula`, in the user's units.
    """

    formula: str
    source: str
    n_parameters: int
    value: Callable[[Floats, Floats], Floats]
    starts: Callable[[Floats, Floats], Iterator[Floats]]
    published: Callable[[Floats, float, float, float, float], dict[str, float]]


def _logistic_4(z: Floats, p: Floats) -> Floats:
    low_is, high_is, middle, width = p
    return np.asarray(high_is + (low_is - high_is) * scipy.special.expit((z - middle) / max(abs(width), 1e-9)))


def _logistic_4_starts(z: Floats, y: Floats) -> Iterator[Floats]:
    low, high = np.quantile(y, [0.02, 0.98])
    for top, bottom in ((high, low), (low, high)):
        for middle, width in ((0.0, 0.5), (float(np.median(z)), 0.1), (float(np.quantile(z, 0.1)), 1.0)):
            yield np.array([top, bottom, middle, width])


def _logistic_4_published(p: Floats, x0: float, sx: float, y0: float, sy: float) -> dict[str, float]:
    return _named(y0 + sy * p[0], y0 + sy * p[1], x0 + sx * p[2], sx * max(abs(p[3]), 1e-9))


def _logistic_5(z: Floats, p: Floats) -> Floats:
    height, rate, middle, slope, level = p
    return np.asarray(height * (scipy.special.expit(rate * (z - middle)) - 0.5) + slope * z + level)


def _logistic_5_starts(z: Floats, y: Floats) -> Iterator[Floats]:
    slope, level = np.polyfit(z, y, 1)
    span = float(np.ptp(np.quantile(y, [0.02, 0.98])))
    # A rate of the other sign is the same curve with the other sign of the height.
    for height in (span, -span):
        for middle, rate in ((0.0, 1.0), (float(np.median(z)), 5.0), (float(np.quantile(z, 0.1)), 2.0)):
            yield np.array([height, rate, middle, 0.0, level])
    yield np.array([0.1 * span, 1.0, 0.0, slope, level])
    yield from _logistic_5_profile(z, y)


def _logistic_5_profile(z: Floats, y: Floats) -> Iterator[Floats]:
    """The best curve of each steepness, and the best of each place but for the worst places.

    With middle and rate fixed the rest is linear and solved exactly. A steep curve has an optimum of its own between
    any two neighbouring samples, so that few starts rarely meet the best of them.
    """
    distinct = np.unique(z)
    between = (distinct[1:] + distinct[:-1]) / 2.0
    middles = between[np.linspace(0, between.size - 1, min(between.size, PROFILE_MIDDLES)).astype(int)]
    found = []
    for middle in middles.tolist():
        for rate in PROFILE_RATES:
            columns = np.column_stack([scipy.special.expit(rate * (z - middle)) - 0.5, z, np.ones(z.size)])
            (height, slope, level), *_ = np.linalg.lstsq(columns, y)
            squares = float(((columns @ (height, slope, level) - y) ** 2).sum())
            found.append((squares, rate, middle, np.array([height, rate, middle, slope, level])))
    found.sort(key=lambda one: one[:3])
    rates: set[float] = set()
    places: set[float] = set()
    for _, rate, middle, start in found:
        if rate not in rates or (middle not in places and len(places) < PROFILE_PLACES):
            rates.add(rate)
            places.add(middle)
            yield start


def _logistic_5_published(p: Floats, x0: float, sx: float, y0: float, sy: float) -> dict[str, float]:
    slope = sy * p[3] / sx
    # Turning the signs of height and rate leaves the curve; the rate is given as positive.
    sign = -1.0 if p[1] < 0.0 else 1.0
    return _named(sign * sy * p[0], sign * p[1] / sx, x0 + sx * p[2], slope, y0 + sy * p[4] - slope * x0)


def rising_cubic(half_width: float) -> Callable[[Floats, Floats], Floats]:
    """The cubic whose derivative is at least 0 on -half_width to half_width, whatever its parameters.

    With t = z / half_width its derivative is ``(p1 + p2 t)^2 + p3^2 (1 - t^2)``: every quadratic that is at least 0 on
    -1 to 1 has this form, and p0 is the value at 0.

    Args:
        half_width: Half the data's range, standardised.

    Returns:
        The curve's value for z and p.

    Source:
        Lukacs' theorem; Szego (1975), Orthogonal Polynomials, theorem 1.21.1.
    """

    def value(z: Floats, p: Floats) -> Floats:
        return np.asarray(np.polyval(cubic_coefficients(p), z / half_width))

    return value


def cubic_coefficients(p: Floats) -> Floats:
    """The coefficients in t, highest power first, of `rising_cubic` with parameters p."""
    start, level, tilt, bulge = p
    return np.array([(tilt**2 - bulge**2) / 3.0, level * tilt, level**2 + bulge**2, start])


def _cubic(z: Floats, p: Floats) -> Floats:
    return np.asarray(np.polyval(p, z))


def _cubic_starts(z: Floats, y: Floats) -> Iterator[Floats]:
    yield np.polyfit(z, y, 3)


def _cubic_published(p: Floats, x0: float, sx: float, y0: float, sy: float) -> dict[str, float]:
    cube, square, slope, level = (float(value) for value in sy * p)
    u = x0 / sx
    return _named(
        y0 + level - slope * u + square * u**2 - cube * u**3,
        (slope - 2.0 * square * u + 3.0 * cube * u**2) / sx,
        (square - 3.0 * cube * u) / sx**2,
        cube / sx**3,
    )


def _named(*values: float) -> dict[str, float]:
    return {f"b{number}": float(value) for number, value in enumerate(values, start=1)}


CURVES: dict[MappingFunction, Curve] = {
    "logistic_4": Curve(
        "b2 + (b1 - b2) / (1 + exp(-(x - b3) / |b4|))",
        "VQEG (2000), Final report on the validation of objective models of video quality assessment",
        4,
        _logistic_4,
        _logistic_4_starts,
        _logistic_4_published,
    ),
    "logistic_5": Curve(
        "b1 (1/2 - 1 / (1 + exp(b2 (x - b3)))) + b4 x + b5",
        "Sheikh, Sabir and Bovik (2006), IEEE Trans. Image Process. 15:3440-3451",
        5,
        _logistic_5,
        _logistic_5_starts,
        _logistic_5_published,
    ),
    "cubic": Curve(
        "b1 + b2 x + b3 x^2 + b4 x^3, derivative at least 0 on the data's range",
        "ITU-T P.1401 (2020), Methods, metrics and procedures for statistical evaluation",
        4,
        _cubic,
        _cubic_starts,
        _cubic_published,
    ),
}
