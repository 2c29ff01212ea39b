"""Intraclass correlation: how far one repeat's score stands in for another's."""

from dataclasses import dataclass
from math import isfinite, nan, sqrt
from typing import Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.mean_squares import (
    OneWay,
    Parted,
    TwoWay,
    agreement_icc,
    one_way,
    one_way_icc,
    parted,
    score_matrix,
    two_way,
)
from analysis.messages import labelled, message, message_list
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic

Band = Literal["excellent", "good", "moderate", "poor"]
BANDS: tuple[tuple[float, Band], ...] = ((0.85, "excellent"), (0.70, "good"), (0.50, "moderate"))
TWO_WAY = (("ICC(A,1)", "ICC(2,1)"), ("ICC(C,1)", "ICC(3,1)"), ("ICC(A,k)", "ICC(2,k)"), ("ICC(C,k)", "ICC(3,k)"))
DETERMINISTIC = message(
    "deterministic: every object's repeats are equal, so there is no within-object variance to test"
)
NO_VALUE = message("Spearman-Brown has no finite value there: the objects differ less than chance repeats would")


class IccForm(NamedTuple):
    """One form of the coefficient, unitless; None where the data do not define a number, and `reason` says why."""

    name: str
    shrout_fleiss: str
    value: float | None
    low: float | None = None
    high: float | None = None
    f: float | None = None
    df1: int | None = None
    df2: int | None = None
    p: float | None = None
    method: str | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Icc:
    """All six forms, the headline at the planned number of repeats, and what they were made from."""

    icc_1_1: IccForm
    icc_a_1: IccForm
    icc_c_1: IccForm
    icc_1_k: IccForm
    icc_a_k: IccForm
    icc_c_k: IccForm
    icc_1k_planned: IccForm
    planned_repeats: int
    k0: float
    n_objects: int
    n_used_objects: int
    n_complete: int
    n_cells: int
    n_missing_cells: int
    between_variance: float
    within_variance: float
    standard_error_of_measurement: float
    repeatability_limit: float
    deterministic: bool
    approximate: bool
    two_way_rows: str | None

    @property
    def forms(self) -> tuple[IccForm, ...]:
        """The six forms in the usual order: three for one repeat, three for the mean."""
        return (self.icc_1_1, self.icc_a_1, self.icc_c_1, self.icc_1_k, self.icc_a_k, self.icc_c_k)

    @property
    def method(self) -> str | None:
        """How the headline's interval was made; None where there is none."""
        return self.icc_1k_planned.method


class _Test(NamedTuple):
    f: float | None
    df1: int
    df2: int


def icc(scores: ArrayLike, planned_repeats: int | None = None, confidence: float = 0.95) -> Icc:
    """How repeatable a judge is at one setting, in the six classical forms; headline ICC(1,k) at the planned k.

    Args:
        scores: Shape ``(n_objects, n_repeats)``, any one scale; NaN is a missing score.
        planned_repeats: Repeats whose mean is the judge's score; the number of columns when left out.
        confidence: Of every interval, between 0 and 1.

    Returns:
        Coefficients unclamped: a negative one is shown as it is. One-way forms use every object with a valid score,
        two-way forms the complete rows only. With missing scores ``icc_1_k`` is ICC(1,k0) and its interval is
        approximate; gates read ``icc_1k_planned``. Repeats without any valid score are no repeats, but their cells
        count as missing. A deterministic setting has ICC 1 by construction and no F, p or interval.

    Raises:
        ValueError: Not a matrix, an infinite score, no planned repeat, or a confidence outside 0-1.
        UndefinedStatistic: Fewer than 2 objects; no object with 2 valid repeats; every score equal; or no spread
            within objects although some object lacks its second repeat.

    Source:
        Shrout & Fleiss (1979), Psychological Bulletin 86:420-428; McGraw & Wong (1996), Psychological Methods
        1:30-46; unequal repeats: Donner & Koval (1980), Biometrics 36:19-25.
    """
    given = score_matrix(scores)
    planned = given.shape[1] if planned_repeats is None else planned_repeats
    if planned < 1:
        raise ValueError(f"planned_repeats is {planned}; at least 1 repeat must be planned")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; it must lie between 0 and 1")
    used, repeats, all_repeated = _used_part(given)
    if len(used) < 2:
        raise UndefinedStatistic("ICC needs at least 2 objects with a valid score; there are {n}", n=len(used))
    parts = parted(used, repeats)
    squares = one_way(parts)
    deterministic = squares.msw == 0.0
    if squares.msb == squares.msw == 0.0:
        raise UndefinedStatistic("every score equals every other: neither objects nor repeats differ")
    if deterministic and not all_repeated:
        raise UndefinedStatistic("no spread within any object, and not every object has 2 valid repeats")
    n_cells, n_complete, unequal = squares.df1 + squares.df2 + 1, len(used), False
    rows: Parted | None = parts
    if n_cells < used.size:
        complete = repeats == used.shape[1]
        n_complete = int(complete.sum())
        rows = parted(used[complete], repeats[complete]) if n_complete >= 2 else None
        unequal = bool((repeats != repeats[0]).any())
    agreement_1, consistency_1, agreement_k, consistency_k = _two_way_forms(rows, confidence, deterministic)
    one_way_1, one_way_k, one_way_planned = _one_way_forms(squares, planned, confidence, unequal)
    partial = f"complete rows only: {n_complete} of {len(given)} objects, {used.shape[1]} of {given.shape[1]} repeats"
    return Icc(
        icc_1_1=one_way_1,
        icc_a_1=agreement_1,
        icc_c_1=consistency_1,
        icc_1_k=one_way_k,
        icc_a_k=agreement_k,
        icc_c_k=consistency_k,
        icc_1k_planned=one_way_planned,
        planned_repeats=planned,
        k0=squares.k0,
        n_objects=len(given),
        n_used_objects=len(used),
        n_complete=n_complete,
        n_cells=n_cells,
        n_missing_cells=len(given) * max(planned, given.shape[1]) - n_cells,
        between_variance=(squares.msb - squares.msw) / squares.k0,
        within_variance=squares.msw,
        standard_error_of_measurement=sqrt(squares.msw),
        repeatability_limit=1.96 * sqrt(2) * sqrt(squares.msw),
        deterministic=deterministic,
        approximate=unequal,
        two_way_rows=None if n_cells == given.size else partial,
    )


def icc_band(value: float | None) -> Band | None:
    """The word for a coefficient: excellent from 0.85, good from 0.70, moderate from 0.50, else poor; None has none."""
    if value is None:
        return None
    return next((band for least, band in BANDS if compare(value, least) >= 0), "poor")


def _used_part(given: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
    """The matrix without its empty rows and columns, their valid repeats, and whether every object given has 2."""
    present = ~np.isnan(given)
    n_objects, n_repeats = given.shape
    if present.all():
        return given, np.full(n_objects, float(n_repeats)), n_repeats >= 2
    repeats = present.sum(axis=1, dtype=np.float64)
    return given[repeats > 0][:, present.any(axis=0)], repeats[repeats > 0], bool((repeats >= 2).all())


def _one_way_forms(squares: OneWay, planned: int, confidence: float, unequal: bool) -> tuple[IccForm, ...]:
    """ICC(1,1), ICC(1,k) or ICC(1,k0), and ICC(1,k) at the planned k."""
    msb, msw, df1, df2, k0 = squares
    headline = f"ICC(1,k) at k = {planned}"
    names = (("ICC(1,1)", "ICC(1,1)"), ("ICC(1,k0)" if unequal else "ICC(1,k)", "ICC(1,k)"), (headline, "ICC(1,k)"))
    if msw == 0.0:
        return tuple(IccForm(*name, 1.0, reason=DETERMINISTIC) for name in names)
    method = message("F, {level:g} %, one-way random effects", level=100 * confidence)
    approximate = message("approximate: unequal repeats, k0 = {k0:.3f}", k0=k0) if unequal else None
    stepped = message("Spearman-Brown to k = {k}", k=planned) if planned != k0 else None
    how = message_list([method, approximate], ", ")
    methods = (how, how, message_list([method, stepped, approximate], ", "))
    points = one_way_icc(msb, msw * _critical(df1, df2, confidence), k0, np.array([[1.0], [k0], [planned]]))
    test = _Test(msb / msw, df1, df2)
    return tuple(_form(*name, row, test, how) for name, row, how in zip(names, points.tolist(), methods, strict=True))


def _two_way_forms(rows: Parted | None, confidence: float, deterministic: bool) -> tuple[IccForm, ...]:
    """ICC(A,1), ICC(C,1), ICC(A,k), ICC(C,k) of complete rows."""
    if rows is None:
        return _all_two_way(None, message("two-way forms need complete rows, and fewer than 2 objects have one"))
    squares = two_way(rows)
    n, k, msb, msj, mse = squares
    if msb == mse == 0.0:
        return _all_two_way(
            None, message("the complete objects do not differ, and nothing but shifts of repeats is left")
        )
    if deterministic or msj == mse == 0.0:
        return _all_two_way(1.0, DETERMINISTIC)
    test = _Test(msb / mse if mse > 0.0 else None, n - 1, (n - 1) * (k - 1))
    df = _agreement_df(squares)
    agreement = agreement_icc(squares, _critical(n - 1, df, confidence)).tolist()
    method = message("F, {level:g} %, two-way", level=100 * confidence)
    agreeing = message("{method}, absolute agreement, df {df:.2f} by Satterthwaite", method=method, df=df)
    consistent = message_list([method, message("consistency")], ", ")
    agreement_1 = _form(*TWO_WAY[0], agreement[0], test, agreeing)
    agreement_k = _form(
        *TWO_WAY[2], agreement[1], test, message_list([agreeing, message("Spearman-Brown to k = {k}", k=k)], ", ")
    )
    if mse == 0.0:
        why = message("repeats differ by shifts only: there is no error to test")
        consistency_1, consistency_k = (IccForm(*names, 1.0, reason=why) for names in TWO_WAY[1::2])
    else:
        points = one_way_icc(msb, mse * _critical(n - 1, test.df2, confidence), k, np.array([[1.0], [k]])).tolist()
        consistency_1 = _form(*TWO_WAY[1], points[0], test, consistent)
        consistency_k = _form(*TWO_WAY[3], points[1], test, consistent)
    return agreement_1, consistency_1, agreement_k, consistency_k


def _all_two_way(value: float | None, reason: str) -> tuple[IccForm, ...]:
    return tuple(IccForm(*names, value, reason=reason) for names in TWO_WAY)


def _agreement_df(squares: TwoWay) -> float:
    """Satterthwaite's degrees of freedom behind the interval of ICC(A,1)."""
    n, k, msb, msj, mse = squares
    denominator = n * msb + k * msj + (k * n - k - n) * mse
    icc_a_1 = n * (msb - mse) / denominator if denominator > 0.0 else nan
    repeats = k * icc_a_1 * msj
    error = (n * (1 + (k - 1) * icc_a_1) - k * icc_a_1) * mse
    spread = repeats**2 / (k - 1) + error**2 / ((n - 1) * (k - 1))
    return (repeats + error) ** 2 / spread if spread > 0.0 else nan


def _critical(df1: float, df2: float, confidence: float) -> NDArray[np.float64]:
    """What the error is multiplied by for the estimate, the lower and the upper bound."""
    tail = 0.5 + confidence / 2
    lower, upper = float(scipy.special.fdtri(df1, df2, tail)), float(scipy.special.fdtri(df2, df1, tail))
    # Satterthwaite's degrees of freedom can fall to nearly none, where the quantiles run off to 0 or infinity.
    return np.array([1.0, lower if isfinite(lower) else nan, 1.0 / upper if upper > 0.0 else nan])


def _form(name: str, shrout_fleiss: str, points: list[float], test: _Test, method: str) -> IccForm:
    """A form from its estimate, lower and upper bound; NaN becomes None with the reason."""
    value, low, high = (None if point != point else point for point in points)
    words = (message("no value"), message("no lower bound"), message("no upper bound"))
    missing = [word for word, point in zip(words, (value, low, high), strict=True) if point is None]
    return IccForm(
        name=name,
        shrout_fleiss=shrout_fleiss,
        value=value,
        low=low,
        high=high,
        f=test.f,
        df1=test.df1,
        df2=test.df2,
        p=None if test.f is None else float(scipy.special.fdtrc(test.df1, test.df2, test.f)),
        method=None if low is None and high is None else method,
        reason=labelled(message_list(missing, ", "), NO_VALUE) if missing else None,
    )
