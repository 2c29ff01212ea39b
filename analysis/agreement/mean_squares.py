"""Analysis of variance of a score matrix: mean squares between objects, within objects and of repeats."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.ties import TIE
from analysis.undefined import UndefinedStatistic


class Parted(NamedTuple):
    """A score is the grand mean + its object's part + its part within the object, which is 0 where missing.

    Attributes:
        objects: Shape ``(n_objects,)``.
        within: Shape ``(n_repeats, n_objects)``.
        repeats: Shape ``(n_objects,)``, valid scores.
        msb: Mean square of the objects' parts.
        within_squares: Sum of squares of ``within``.
        largest: The largest absolute score.
    """

    objects: NDArray[np.float64]
    within: NDArray[np.float64]
    repeats: NDArray[np.float64]
    msb: float
    within_squares: float
    largest: float


class OneWay(NamedTuple):
    """Objects against their repeats: squared score units, degrees of freedom, effective repeats per object."""

    msb: float
    msw: float
    df1: int
    df2: int
    k0: float


class TwoWay(NamedTuple):
    """Objects and repeats of complete rows: squared score units; `mse` is what neither explains."""

    n: int
    k: int
    msb: float
    msj: float
    mse: float


def score_matrix(scores: ArrayLike) -> NDArray[np.float64]:
    """Scores as a float matrix ``(n_objects, n_repeats)``, NaN where missing.

    Raises:
        ValueError: Not two-dimensional, no column, or an infinite score.
    """
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ValueError(f"scores must be a matrix (n_objects, n_repeats); the shape is {matrix.shape}")
    infinite = np.isinf(matrix)
    if infinite.any():
        row, column = np.argwhere(infinite)[0].tolist()
        raise ValueError(f"the score of object {row}, repeat {column} is {matrix[row, column]}; scores are finite")
    return matrix


def parted(matrix: NDArray[np.float64], repeats: NDArray[np.float64]) -> Parted:
    """Scores taken apart, centred on their mean first so that a small variance on a large mean keeps its digits.

    Args:
        matrix: Shape ``(n_objects, n_repeats)``, NaN where missing, at least one valid score in each row.
        repeats: Shape ``(n_objects,)``, valid scores in each row.
    """
    n_cells = int(repeats.sum())
    missing = None if n_cells == matrix.size else np.isnan(matrix).T
    middle = float(np.nansum(matrix) if missing is not None else matrix.sum()) / n_cells
    # One repeat a row: numpy is several times faster along a long last axis.
    within = np.subtract(matrix.T, middle, order="C")
    if missing is not None:
        within[missing] = 0.0
    objects = within.sum(axis=0) / repeats
    within -= objects
    if missing is not None:
        within[missing] = 0.0
    largest = _largest(matrix)
    squares = _sum_of_squares(within.ravel())
    constant = _constant_rows(matrix, squares, largest)
    if constant is not None:
        within[:], squares, objects = 0.0, 0.0, constant - middle
    weighted = repeats * objects
    between = float((weighted * objects).sum()) - float(weighted.sum()) ** 2 / n_cells
    msb = _or_nothing(between / max(len(objects) - 1, 1), largest)
    return Parted(objects, within, repeats, msb, squares, largest)


def one_way(parts: Parted) -> OneWay:
    """Mean squares of objects with any number of valid repeats; a `msw` of 0 means equal repeats in every object.

    Raises:
        UndefinedStatistic: No object has 2 valid repeats.

    Source:
        ``k0 = (N - sum n_i^2 / N) / (n - 1)``: Donner & Koval (1980), Biometrics 36:19-25.
    """
    repeats = parts.repeats
    n_objects, n_cells = len(repeats), int(repeats.sum())
    df1, df2 = n_objects - 1, n_cells - n_objects
    if df2 == 0:
        raise UndefinedStatistic("no object has 2 valid repeats")
    k0 = (n_cells - _sum_of_squares(repeats) / n_cells) / df1
    return OneWay(parts.msb, parts.within_squares / df2, df1, df2, k0)


def two_way(parts: Parted) -> TwoWay:
    """Mean squares of complete rows, of which there are at least 2 with at least 2 repeats each."""
    k, n = parts.within.shape
    repeats = parts.within.sum(axis=1) / n
    # One repeat at a time: a second array of the matrix's size costs more in fresh memory than in arithmetic.
    residual = sum(float(np.square(row - mean).sum()) for row, mean in zip(parts.within, repeats, strict=True))
    msj = n * _sum_of_squares(repeats) / (k - 1)
    mse = residual / ((n - 1) * (k - 1))
    return TwoWay(n, k, parts.msb, _or_nothing(msj, parts.largest), _or_nothing(mse, parts.largest))


def one_way_icc(msb: ArrayLike, msw: ArrayLike, k0: ArrayLike, k: ArrayLike) -> NDArray[np.float64]:
    """ICC(1,k) from mean squares: Spearman-Brown of ICC(1,1) to k repeats, written without its intermediate.

    Args:
        msb: Mean squares between objects, squared score units; all four have shapes that broadcast.
        msw: Mean squares within objects; times a quantile of F they give a bound instead of the estimate.
        k0: Effective repeats per object behind them.
        k: Repeats to be averaged; 1 gives ICC(1,1), ``k0`` gives ``(msb - msw) / msb``.

    Returns:
        Unclamped; NaN where the denominator is not positive (Spearman-Brown would flip the sign there).
    """
    between, within = np.asarray(msb, dtype=np.float64), np.asarray(msw, dtype=np.float64)
    averaged, effective = np.asarray(k, dtype=np.float64), np.asarray(k0, dtype=np.float64)
    denominator = averaged * between + (effective - averaged) * within
    return _ratio(averaged * (between - within), denominator, between + within)


def agreement_icc(squares: TwoWay, factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """ICC(A,1) and ICC(A,k), with the mean squares of error and repeats times each factor.

    Args:
        squares: Of complete rows.
        factors: Shape ``(m,)``; 1 gives the estimate, a quantile of F a bound.

    Returns:
        Shape ``(2, m)``, unclamped; NaN where the denominator is not positive.

    Source:
        McGraw & Wong (1996), Psychological Methods 1:30-46, tables 4 and 7.
    """
    n, k, msb, msj, mse = squares
    noise = np.array([[k * msj + (k * n - k - n) * mse], [msj - mse]])
    return _ratio(n * (msb - factors * mse), factors * noise + n * msb, msb + msj + mse)


def _ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64], size: ArrayLike) -> NDArray[np.float64]:
    """NaN where the denominator is not positive, judged against the size of what it was made of."""
    positive = denominator > np.multiply(TIE, size)
    return np.asarray(np.divide(numerator, denominator, out=np.full(denominator.shape, np.nan), where=positive))


def _sum_of_squares(values: NDArray[np.float64]) -> float:
    """Not through BLAS, whose threads wait for each other on a busy machine."""
    return float(np.einsum("i,i->", values, values))


def _largest(matrix: NDArray[np.float64]) -> float:
    least, most = float(matrix.min()), float(matrix.max())
    if least != least:
        least, most = float(np.nanmin(matrix)), float(np.nanmax(matrix))
    return max(most, -least)


def _or_nothing(mean_square: float, largest: float) -> float:
    """Zero where the spread is no more than the last digits of scores of that size."""
    return mean_square if mean_square > (TIE * largest) ** 2 else 0.0


def _constant_rows(matrix: NDArray[np.float64], within_squares: float, largest: float) -> NDArray[np.float64] | None:
    """Each row's one value where all scores of every row are equal."""
    # Equal scores leave no more than the last digits of their mean; this spares most calls the look at every row.
    if within_squares > matrix.size * (TIE * largest) ** 2:
        return None
    highest = np.nanmax(matrix, axis=1)
    return highest if np.array_equal(highest, np.nanmin(matrix, axis=1)) else None
