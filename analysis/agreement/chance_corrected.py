"""The family of chance-corrected coefficients: one table of ratings and one matrix of weights give all of them."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.resampling.bootstrap import FEWEST_CLUSTERS, RELIABLE_CLUSTERS, Interval, cluster_index, no_interval
from analysis.undefined import UndefinedStatistic

Floats = NDArray[np.float64]
Coefficient = Literal["percent_agreement", "cohen", "fleiss", "brennan_prediger", "gwet", "krippendorff"]
COEFFICIENTS: tuple[Coefficient, ...] = (
    "percent_agreement",
    "cohen",
    "fleiss",
    "brennan_prediger",
    "gwet",
    "krippendorff",
)
Weights = Literal["unweighted", "linear", "quadratic"]
POWERS: dict[str, int] = {"linear": 1, "quadratic": 2}


class ChanceCorrected(NamedTuple):
    """`value` = (`agreement` - `chance`) / (1 - `chance`), at most 1; 0 is what chance alone would give.

    `error` is its standard error over other units, the raters taken as given. `n_used` units have a rating that enters,
    of `n_total`.
    """

    value: float
    agreement: float
    chance: float
    error: float
    interval: Interval
    n_used: int
    n_total: int
    n_raters: int
    n_categories: int


class _Parts(NamedTuple):
    """Agreement and chance agreement, and by how much each unit moves them, shape ``(n_units,)``."""

    agreement: float
    chance: float
    agreement_by_unit: Floats
    chance_by_unit: Floats


def agreement_weights(weights: Weights | ArrayLike, categories: ArrayLike) -> Floats:
    """How much each pair of categories counts as agreement.

    Args:
        weights: `unweighted` (equal or not), `linear` (1 - distance / range), `quadratic` (1 - (distance / range)²), or
            a matrix of one's own, shape ``(q, q)``, symmetric, 0-1, with 1 on the diagonal.
        categories: Shape ``(q,)``, where the categories lie; only distances between them count.

    Returns:
        Shape ``(q, q)``.

    Raises:
        ValueError: An unknown name, or a matrix that is not as above.

    Source:
        Cohen (1968), Psychol. Bull. 70:213-220; Gwet (2014), Handbook of Inter-Rater Reliability, chapter 3.
    """
    places = np.asarray(categories, dtype=np.float64)
    q = places.size
    if isinstance(weights, str):
        if weights == "unweighted":
            return np.eye(q)
        if weights not in POWERS:
            raise ValueError(f"weights must be unweighted, linear, quadratic or a matrix, got '{weights}'")
        distances = np.abs(places[:, None] - places)
        return np.asarray(
            1.0 - (distances / max(float(distances.max(initial=0.0)), np.finfo(float).tiny)) ** POWERS[weights]
        )
    matrix = np.asarray(weights, dtype=np.float64)
    if matrix.shape != (q, q):
        raise ValueError(f"weights of {q} categories need shape {(q, q)}, got {matrix.shape}")
    if not bool(np.all((matrix >= 0.0) & (matrix <= 1.0))):
        raise ValueError("each weight must be a number from 0 (no agreement) to 1 (full agreement)")
    if bool(np.any(matrix != matrix.T)) or bool(np.any(np.diag(matrix) != 1.0)):
        raise ValueError("weights must be symmetric, with 1 on the diagonal")
    return matrix


def chance_corrected(
    ratings: ArrayLike,
    coefficient: Coefficient,
    *,
    weights: Weights | ArrayLike = "unweighted",
    categories: Sequence[float] | None = None,
    clusters: ArrayLike | None = None,
    times: ArrayLike | None = None,
    confidence: float = 0.95,
) -> ChanceCorrected:
    """Agreement of any number of raters on any number of categories, with gaps, beyond one notion of chance.

    Args:
        ratings: Shape ``(n_units, n_raters)``, categories as numbers; NaN where a rater gave none.
        coefficient: What chance means, with w the weights, p the mean share of each category, q categories:
            ``percent_agreement`` nothing is taken off; ``cohen`` each rater's own shares (two raters: Cohen's kappa,
            more: Conger's); ``fleiss`` p'wp, the shares of all raters (two raters: Scott's pi); ``brennan_prediger``
            sum(w)/q², all categories alike; ``gwet`` sum(w) sum(p(1 - p)) / (q(q - 1)) (AC1, with weights AC2);
            ``krippendorff`` fleiss on units with two ratings or more, corrected for small samples (alpha).
        weights: As `agreement_weights`.
        categories: All categories there are, in the order of a matrix of weights; none: those that occur.
        clusters: Shape ``(n_units,)``, such as the query of each document; none: units are independent.
        times: Shape ``(n_units,)``, how many equal units each row stands for, as cells of a table do; none: 1.
        confidence: Of the interval, between 0 and 1.

    Returns:
        Agreement is from units with two ratings or more, shares of categories from all with one (alpha: from the former
        alone). The error is by linearisation, and the interval t with clusters (or units) - 1, cut off at -1 and 1.

    Raises:
        ValueError: Not two-dimensional, an infinite value, a category outside `categories`, or weights, clusters or
            times refused.
        UndefinedStatistic: No unit with two ratings, only one category, or chance agreement of 1.

    Source:
        Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., chapters 2-6; Cohen (1960), Educ. Psychol. Meas.
        20:37-46; Conger (1980), Psychol. Bull. 88:322-328; Fleiss (1971), 76:378-382; Scott (1955), Public Opin. Q.
        19:321-325; Brennan and Prediger (1981), Educ. Psychol. Meas. 41:687-699; Gwet (2008), Br. J. Math. Stat.
        Psychol. 61:29-48.
    """
    values = np.asarray(ratings, dtype=np.float64)
    if coefficient not in COEFFICIENTS:
        raise ValueError(f"coefficient must be one of {', '.join(COEFFICIENTS)}, got '{coefficient}'")
    if values.ndim != 2:
        raise ValueError(f"one row per unit and one column per rater are needed, got shape {values.shape}")
    if bool(np.isinf(values).any()):
        raise ValueError("a rating is infinite; ratings must be finite, missing ones NaN")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
    of_row = np.ones(len(values)) if times is None else np.asarray(times, dtype=np.float64)
    if of_row.shape != (len(values),) or not bool(np.all((of_row > 0.0) & (of_row == np.floor(of_row)))):
        raise ValueError(f"times need a whole number from 1 on per unit, got shape {of_row.shape} for {len(values)}")
    if clusters is not None and np.shape(clusters) != (len(values),):
        raise ValueError(f"one cluster per unit is needed, got shape {np.shape(clusters)} for {len(values)} units")
    present = ~np.isnan(values)
    fewest = 2 if coefficient in ("percent_agreement", "krippendorff") else 1
    used = present.sum(axis=1) >= fewest
    if not bool((present.sum(axis=1) >= 2).any()):
        raise UndefinedStatistic("no unit with ratings of two raters")
    occurring = np.unique(values[present])
    known = occurring if categories is None else np.asarray(categories, dtype=np.float64)
    if not np.isin(occurring, known).all():
        strange = occurring[~np.isin(occurring, known)]
        raise ValueError(f"{strange[0]:g} is rated, which is none of the {known.size} categories")
    if known.size < 2 and coefficient != "percent_agreement":
        raise UndefinedStatistic("there is only one category, so chance alone agrees always")
    matrix = agreement_weights(weights, known)
    given, of_used = (values[used][:, :, None] == known).astype(np.float64), of_row[used]
    parts = _parts(given, of_used, coefficient, matrix)
    left = 1.0 - parts.chance
    if left <= 1e-12:
        raise UndefinedStatistic("chance alone agrees always: all ratings are in one category, or weigh as such")
    value = (parts.agreement - parts.chance) / left
    by_unit = (parts.agreement_by_unit - (1.0 - value) * parts.chance_by_unit) / left
    group = None if clusters is None else cluster_index(np.asarray(clusters)[used])[0]
    error, n_groups = _error(by_unit, of_used, group)
    return ChanceCorrected(
        value,
        parts.agreement,
        parts.chance,
        error,
        _interval(value, error, n_groups, clusters is not None, confidence),
        int(of_used.sum()),
        int(of_row.sum()),
        values.shape[1],
        int(known.size),
    )


def _parts(given: Floats, times: Floats, coefficient: Coefficient, weights: Floats) -> _Parts:
    """Agreement and chance of ratings given as ones and zeros, shape ``(n_units, n_raters, q)``."""
    counts = given.sum(axis=1)
    n, q = float(times.sum()), counts.shape[1]
    sizes = counts.sum(axis=1)
    several = sizes >= 2
    in_agreement = (counts * (counts @ weights - 1.0)).sum(axis=1)
    if coefficient == "krippendorff":
        mean_size = float(times @ sizes) / n
        raw = in_agreement / (mean_size * (sizes - 1.0))
        mean_raw = float(times @ raw) / n
        shrunk = 1.0 - 1.0 / (n * mean_size)
        shares = times @ counts / (n * mean_size)
        moved = counts / mean_size - shares * (sizes / mean_size)[:, None]
        return _Parts(
            shrunk * mean_raw + 1.0 - shrunk,
            float(shares @ weights @ shares),
            shrunk * (raw - mean_raw * sizes / mean_size),
            2.0 * moved @ weights @ shares,
        )
    unit = np.divide(in_agreement, sizes * (sizes - 1.0), out=np.zeros(len(counts)), where=several)
    n_several = float(times[several].sum())
    agreement = float(times[several] @ unit[several]) / n_several
    agreed = np.where(several, unit - agreement, 0.0) * n / n_several
    shares = times @ (counts / sizes[:, None]) / n
    moved = counts / sizes[:, None] - shares
    if coefficient == "fleiss":
        return _Parts(agreement, float(shares @ weights @ shares), agreed, 2.0 * moved @ weights @ shares)
    if coefficient == "gwet":
        scale = float(weights.sum()) / (q * (q - 1))
        chance = scale * float(shares @ (1.0 - shares))
        return _Parts(agreement, chance, agreed, scale * moved @ (1.0 - 2.0 * shares))
    if coefficient == "cohen":
        chance, by_unit = _between_raters(given, times, weights)
        return _Parts(agreement, chance, agreed, by_unit)
    chance = float(weights.sum()) / q**2 if coefficient == "brennan_prediger" else 0.0
    return _Parts(agreement, chance, agreed, np.zeros(len(counts)))


def _between_raters(given: Floats, times: Floats, weights: Floats) -> tuple[float, Floats]:
    """Chance agreement of two different raters who keep their own shares, and each unit's part in it."""
    rated = given.sum(axis=2)
    own = times @ rated
    if bool(np.any(own == 0.0)):
        given, rated, own = given[:, own > 0.0], rated[:, own > 0.0], own[own > 0.0]
    r = own.size
    if r < 2:
        raise UndefinedStatistic("only one rater gave ratings")
    shares = np.einsum("i,irq->rq", times, given) / own[:, None]
    others = (shares.sum(axis=0) - shares) @ weights
    chance = float((shares * others).sum()) / (r * (r - 1))
    moved = (given - shares * rated[:, :, None]) * (float(times.sum()) / own)[:, None]
    return chance, np.einsum("irq,rq->i", moved, others) * 2.0 / (r * (r - 1))


def _error(by_unit: Floats, times: Floats, group: NDArray[np.intp] | None) -> tuple[float, int]:
    """The standard error of a mean of what units contribute, and the number of clusters behind it."""
    n = float(times.sum())
    if group is None:
        n_groups, squares = int(n), float(times @ by_unit**2)
    else:
        sums = np.bincount(group, weights=times * by_unit)
        n_groups, squares = sums.size, float(sums @ sums)
    if n_groups < 2:
        return 0.0, n_groups
    error = float(np.sqrt(n_groups / (n_groups - 1) * squares)) / n
    # Units that all agree alike leave the last digits of arithmetic.
    return error if error > 1e-12 else 0.0, n_groups


def _interval(value: float, error: float, n_groups: int, clustered: bool, confidence: float) -> Interval:
    what = "clusters" if clustered else "units, assumes independence of units"
    if n_groups < FEWEST_CLUSTERS:
        return no_interval(f"{n_groups} {what}, fewer than {FEWEST_CLUSTERS}", n_groups)
    if error == 0.0:
        return no_interval("every unit agrees alike", n_groups)
    half = float(scipy.stats.t.ppf(0.5 + confidence / 2.0, n_groups - 1)) * error
    method = f"linearised, t, {n_groups} {what}"
    return Interval(max(-1.0, value - half), min(1.0, value + half), method, n_groups, n_groups < RELIABLE_CLUSTERS, 0)
