"""Made data whose truth is known, many data sets at once, and the headline intervals of their statistics."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from analysis.agreement.kappa import headline_kappas, kappas
from analysis.correlation.separation import auc_of_counts
from analysis.intervals.headline import (
    METHODS,
    NEAR_EDGE,
    Statistic,
    bounds_of,
    correlation_difference_bounds,
    freedoms,
    limit_bounds,
)
from analysis.intervals.jackknife import Bounds, Estimate
from analysis.resampling.weighted import OfCounts, kendall_of_counts, spearman_of_counts

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

UNEQUAL = "1-15"
LIMIT = 1.96
REPEATS = 5
# A truth that no formula gives is the statistic of this many observations.
MANY = 400_000
SEED_OF_TRUTHS = 20_261_129


class Design(NamedTuple):
    """How observations fall into clusters.

    Attributes:
        clusters: How many.
        members: Observations of each: a whole number, or `1-15`, each as likely.
        share: Share of the variance between observations that lies between clusters.
    """

    clusters: int
    members: str
    share: float


class Measured(NamedTuple):
    """One statistic of many data sets, its intervals, and the value that they should contain."""

    statistic: str
    kind: Statistic
    values: Floats
    bounds: Bounds
    truth: float


class World(NamedTuple):
    """One kind of data; `measure` draws that many data sets of a design and gives their intervals.

    `costly`: its statistics are computed data set by data set. `members` and `shares` are those of its designs.
    """

    name: str
    measure: Callable[[np.random.Generator, Design, int], list[Measured]]
    costly: bool = False
    members: tuple[str, ...] = ("1", "3", UNEQUAL)
    shares: tuple[float, ...] = (0.0, 0.24, 0.6)


def sizes_of(random: np.random.Generator, design: Design, data_sets: int) -> Integers:
    """Observations of each cluster, shape ``(data_sets, clusters)``."""
    shape = (data_sets, design.clusters)
    return random.integers(1, 16, shape) if design.members == UNEQUAL else np.full(shape, int(design.members))


def inside(sizes: Integers) -> Floats:
    """1 where a cluster has an observation, shape ``(data_sets, clusters, largest)``."""
    return (np.arange(sizes.max()) < sizes[..., None]).astype(np.float64)


def normals(random: np.random.Generator, sizes: Integers, share: float) -> Floats:
    """Standard normal values of which clusters share a part, shape ``(data_sets, clusters, largest)``."""
    of_cluster = random.standard_normal((*sizes.shape, 1))
    own = random.standard_normal((*sizes.shape, int(sizes.max())))
    return np.asarray(np.sqrt(share) * of_cluster + np.sqrt(1.0 - share) * own)


def with_and_without(statistic: Callable[[Floats], Floats], sums: Floats) -> Estimate:
    """A statistic of sums ``(data_sets, clusters, k)``: of all clusters, and without each of them."""
    total = sums.sum(axis=1)
    return Estimate(statistic(total), statistic(total[:, None, :] - sums))


def repeats_world(name: str, truth: float) -> World:
    """Objects scored five times with a true ICC(1,5)."""
    noise = np.sqrt(REPEATS * (1.0 / truth - 1.0))

    def measure(random: np.random.Generator, design: Design, data_sets: int) -> list[Measured]:
        sizes = sizes_of(random, design, data_sets)
        mask = inside(sizes)
        objects = normals(random, sizes, design.share)
        scores = objects[..., None] + noise * random.standard_normal((*objects.shape, REPEATS))
        means, within = scores.mean(axis=-1), scores.var(axis=-1) * REPEATS
        sums = np.stack([(mask * part).sum(axis=-1) for part in (1.0, means, means**2, within)], axis=-1)
        one = with_and_without(icc_of_sums, sums)
        return [Measured("ICC(1,5)", "icc", one.value, bounds_of("icc", one, sizes, design.clusters), truth)]

    return World(f"repeats, {name}", measure)


def icc_of_sums(sums: Floats) -> Floats:
    """ICC(1,5) of the number of objects and the sums of means, squared means and squares within objects."""
    n, means, squares, within = np.moveaxis(sums, -1, 0)
    between = REPEATS * (squares - means**2 / n) / (n - 1.0)
    return np.asarray(1.0 - within / (n * (REPEATS - 1)) / between)


def _pairs(random: np.random.Generator, sizes: Integers, share: float, r: float, shift: float) -> tuple[Floats, Floats]:
    human = normals(random, sizes, share)
    other = normals(random, sizes, share)
    return r * human + np.sqrt(1.0 - r * r) * other + shift, human


def on_five(values: Floats) -> Floats:
    """Scores on the whole numbers 1 to 5, with the ties that they have."""
    return np.clip(np.round(values + 3.0), 1.0, 5.0)


def sums_of_pairs(mask: Floats, x: Floats, y: Floats) -> Floats:
    """What statistics of pairs need: n, x, y, x^2, y^2, xy, |x - y|, summed over each cluster."""
    return np.stack([(mask * part).sum(axis=-1) for part in (1.0, x, y, x * x, y * y, x * y, np.abs(x - y))], axis=-1)


def of_pairs(sums: Floats) -> dict[str, Floats]:
    """Statistics of pairs by name."""
    n, x, y, xx, yy, xy, away = np.moveaxis(sums, -1, 0)
    of_x, of_y, both = xx / n - (x / n) ** 2, yy / n - (y / n) ** 2, xy / n - x * y / n**2
    bias, ddof = (x - y) / n, n / (n - 1.0)
    with np.errstate(all="ignore"):
        deviation = np.sqrt(np.maximum(of_x + of_y - 2.0 * both, 0.0) * ddof)
        return {
            "pearson": both / np.sqrt(of_x * of_y),
            "ccc": 2.0 * both / (of_x + of_y + bias**2),
            "bias": bias,
            "mae": away / n,
            "rmse": np.sqrt((xx + yy - 2.0 * xy) / n),
            "deviation": deviation,
            "d": bias / np.sqrt((of_x + of_y) * ddof / 2.0),
            "d_z": bias / deviation,
        }


def pairs_world(name: str, r: float, shift: float = 0.0, *, ties: bool = False) -> World:
    """Scores of a judge and of people: normal, or rounded to 1 to 5."""
    seen = on_five if ties else np.asarray

    @cache
    def truths() -> dict[str, float]:
        if ties:
            random = np.random.default_rng(SEED_OF_TRUTHS)
            judge, human = _pairs(random, np.ones((1, MANY), dtype=np.int64), 0.0, r, shift)
            sums = sums_of_pairs(np.ones((1, MANY, 1)), seen(judge), seen(human)).sum(axis=1)
            return {key: float(values[0]) for key, values in of_pairs(sums).items()}
        sd = float(np.sqrt(2.0 - 2.0 * r))
        normal = scipy.stats.norm(shift, sd)
        mae = float(2.0 * sd**2 * normal.pdf(0.0) + shift * (1.0 - 2.0 * normal.cdf(0.0)))
        rmse = float(np.hypot(sd, shift))
        return {
            "pearson": r,
            "ccc": 2.0 * r / (2.0 + shift**2),
            "bias": shift,
            "mae": mae,
            "rmse": rmse,
            "deviation": sd,
        }

    kinds: dict[str, tuple[str, Statistic]] = {
        "pearson": ("Pearson", "pearson"),
        "ccc": ("CCC", "ccc"),
        "bias": ("bias", "mean"),
        "mae": ("MAE", "size"),
        "rmse": ("RMSE", "size"),
    }

    def measure(random: np.random.Generator, design: Design, data_sets: int) -> list[Measured]:
        sizes = sizes_of(random, design, data_sets)
        x, y = _pairs(random, sizes, design.share, r, shift)
        sums = sums_of_pairs(inside(sizes), seen(x), seen(y))
        total = sums.sum(axis=1)
        value, deleted = of_pairs(total), of_pairs(total[:, None, :] - sums)
        found = [
            Measured(
                words,
                kind,
                value[key],
                bounds_of(kind, Estimate(value[key], deleted[key]), sizes, design.clusters),
                truths()[key],
            )
            for key, (words, kind) in kinds.items()
        ]
        bias, deviation = (Estimate(value[key], deleted[key]) for key in ("bias", "deviation"))
        bounds = limit_bounds(bias, deviation, freedoms(METHODS["limit_of_agreement"], sizes), LIMIT)
        upper = truths()["bias"] + LIMIT * truths()["deviation"]
        values = value["bias"] + LIMIT * value["deviation"]
        return [*found, Measured("upper limit of agreement", "limit_of_agreement", values, bounds, upper)]

    return World(f"pairs, {name}", measure)


def drops_world(name: str, effect: float) -> World:
    """Scores of original and altered images whose difference is so many standard deviations."""

    def measure(random: np.random.Generator, design: Design, data_sets: int) -> list[Measured]:
        sizes = sizes_of(random, design, data_sets)
        x, y = _pairs(random, sizes, design.share, 0.5, effect)
        sums = sums_of_pairs(inside(sizes), x, y)
        total = sums.sum(axis=1)
        value, deleted = of_pairs(total), of_pairs(total[:, None, :] - sums)
        found = []
        for key, words, kind in (("d", "Cohen's d", "cohens_d"), ("d_z", "d_z", "d_z")):
            one = Estimate(value[key], deleted[key])
            bounds = bounds_of(kind, one, sizes, design.clusters)  # type: ignore[arg-type]
            found.append(Measured(words, kind, value[key], bounds, effect))  # type: ignore[arg-type]
        factor, left = hedges(2.0 * total[:, 0] - 2.0), hedges(2.0 * (total[:, None, 0] - sums[..., 0]) - 2.0)
        g = value["d"] * factor
        bounds = bounds_of("cohens_d", Estimate(g, deleted["d"] * left), sizes, design.clusters)
        return [*found, Measured("Hedges' g", "cohens_d", g, bounds, effect)]

    return World(f"drops, {name}", measure)


def hedges(freedom: Floats) -> Floats:
    """Hedges' exact factor."""
    half = freedom / 2.0
    log = scipy.special.gammaln(half) - np.log(half) / 2.0 - scipy.special.gammaln(half - 0.5)
    return np.asarray(np.exp(log))


def ranks_world(name: str, r: float, shift: float, *, ties: bool = False) -> World:
    """Rank statistics of pairs, data set by data set."""
    seen = on_five if ties else np.asarray

    @cache
    def truths() -> dict[str, float]:
        if not ties:
            auc = float(scipy.stats.norm.cdf(shift / np.sqrt(2.0)))
            return {
                "spearman": 6.0 / np.pi * np.arcsin(r / 2.0),
                "kendall": 2.0 / np.pi * np.arcsin(r),
                "auc": auc,
            }
        random = np.random.default_rng(SEED_OF_TRUTHS)
        once = np.ones((1, MANY), dtype=np.int64)
        x, y = (seen(side)[0, :, 0] for side in _pairs(random, once, 0.0, r, shift))
        return {
            "spearman": float(scipy.stats.spearmanr(x, y).statistic),
            "kendall": float(scipy.stats.kendalltau(x, y).statistic),
            "auc": float(auc_of_counts(np.concatenate([x, y]))(once)[0]),
        }

    functions: dict[Statistic, tuple[str, Callable[[Floats, Floats], OfCounts]]] = {
        "spearman": ("Spearman", spearman_of_counts),
        "kendall": ("Kendall", kendall_of_counts),
        "auc": ("AUC", lambda x, y: auc_of_counts(np.concatenate([x, y]))),
    }

    def measure(random: np.random.Generator, design: Design, data_sets: int) -> list[Measured]:
        sizes = sizes_of(random, design, data_sets)
        x, y = (seen(side) for side in _pairs(random, sizes, design.share, r, shift))
        mask = inside(sizes).astype(np.bool_)
        values: dict[Statistic, tuple[Floats, Floats]] = {
            kind: (np.empty(data_sets), np.empty(sizes.shape)) for kind in functions
        }
        for row in range(data_sets):
            cluster = np.nonzero(mask[row])[0]
            counts = np.vstack([np.ones((1, cluster.size)), cluster != np.arange(design.clusters)[:, None]])
            for kind, (_, function) in functions.items():
                found = function(x[row][mask[row]], y[row][mask[row]])(counts.astype(np.int64))
                values[kind][0][row], values[kind][1][row] = found[0], found[1:]
        return [
            Measured(
                words,
                kind,
                values[kind][0],
                bounds_of(kind, Estimate(*values[kind]), sizes, design.clusters),
                truths()[kind],
            )
            for kind, (words, _) in functions.items()
        ]

    return World(f"ranks, {name}", measure, costly=True)


def label_tables(random: np.random.Generator, sizes: Integers, prevalence: float, error: float) -> Floats:
    """Counts ``(..., 4)`` of both, only the first, only the second, neither judge saying relevant, for each query.

    Queries differ in prevalence and in how often a judge errs: standard normal around both on the logit scale.
    """
    shape = (*sizes.shape, 1)
    relevant, wrong = (
        scipy.special.expit(scipy.special.logit(rate) + random.standard_normal(shape)) for rate in (prevalence, error)
    )
    whole = (*sizes.shape, int(sizes.max()))
    truth = random.random(whole) < relevant
    a, b = (truth ^ (random.random(whole) < wrong) for _ in range(2))
    mask = inside(sizes).astype(np.bool_)
    return np.stack([(mask & cell).sum(axis=-1) for cell in (a & b, a & ~b, ~a & b, ~a & ~b)], axis=-1).astype(float)


def labels_world(name: str, prevalence: float, error: float) -> World:
    """Labels of two judges whose queries differ in prevalence and in how hard they are."""

    def measure(random: np.random.Generator, design: Design, data_sets: int) -> list[Measured]:
        counts = label_tables(random, sizes_of(random, design, data_sets), prevalence, error)
        micro, macro, share = truth_of(design.members)
        sizes = counts.sum(axis=-1)
        of_query = headline_kappas(counts.reshape(-1, 4)).reshape(sizes.shape)
        ones = np.ones_like(sizes)
        means = with_and_without(lambda sums: sums[..., 0] / sums[..., 1], np.stack([of_query, ones], axis=-1))
        pooled = with_and_without(lambda sums: kappas(sums.reshape(-1, 4)).reshape(sums.shape[:-1]), counts)
        agreed = with_and_without(lambda sums: (sums[..., 0] + sums[..., 3]) / sums.sum(axis=-1), counts)
        return [
            Measured("kappa, micro", "kappa", pooled.value, bounds_of("kappa", pooled, sizes, design.clusters), micro),
            Measured(
                "kappa, macro",
                "kappa_macro",
                means.value,
                bounds_of("kappa_macro", means, sizes, design.clusters),
                macro,
            ),
            Measured(of_share(share), "share", agreed.value, bounds_of("share", agreed, sizes, design.clusters), share),
        ]

    known: dict[str, tuple[float, float, float]] = {}

    def truth_of(members: str) -> tuple[float, float, float]:
        if members not in known:
            random = np.random.default_rng(SEED_OF_TRUTHS)
            sizes = sizes_of(random, Design(MANY // 2, members, 0.0), 1)
            drawn = label_tables(random, sizes, prevalence, error)[0]
            total = drawn.sum(axis=0)
            share = float((total[0] + total[3]) / total.sum())
            known[members] = float(kappas(total[None])[0]), float(headline_kappas(drawn).mean()), share
        return known[members]

    return World(f"labels, {name}", measure, members=("5", "20", UNEQUAL), shares=(0.0,))


def answers_world(truth: float) -> World:
    """Right and wrong answers whose share differs between clusters by a beta distribution."""

    def measure(random: np.random.Generator, design: Design, data_sets: int) -> list[Measured]:
        sizes = sizes_of(random, design, data_sets)
        if design.share:
            weight = 1.0 / design.share - 1.0
            rates = random.beta(truth * weight, (1.0 - truth) * weight, (*sizes.shape, 1))
        else:
            rates = np.full((*sizes.shape, 1), truth)
        mask = inside(sizes)
        right = (mask * (random.random(mask.shape) < rates)).sum(axis=-1)
        both = with_and_without(lambda sums: sums[..., 0] / sums[..., 1], np.stack([right, sizes], axis=-1))
        return [Measured(of_share(truth), "share", both.value, bounds_of("share", both, sizes, design.clusters), truth)]

    return World(f"answers, {truth:g}", measure)


def of_share(truth: float) -> str:
    """The row of the measured table of a share."""
    return "share" if NEAR_EDGE < truth < 1.0 - NEAR_EDGE else "share near an edge"


def metrics_world(name: str, first: float, second: float, between: float) -> World:
    """Pearson of two metrics with the same opinion scores: their difference."""
    root = np.linalg.cholesky(np.array([[1.0, first, second], [first, 1.0, between], [second, between, 1.0]]))

    def both(sums: Floats) -> tuple[Floats, Floats]:
        n, y, yy, *rest = np.moveaxis(sums, -1, 0)
        found = []
        for x, xx, xy in (rest[:3], rest[3:]):
            covariance = xy / n - x * y / n**2
            found.append(covariance / np.sqrt((xx / n - (x / n) ** 2) * (yy / n - (y / n) ** 2)))
        return found[0], found[1]

    def measure(random: np.random.Generator, design: Design, data_sets: int) -> list[Measured]:
        sizes = sizes_of(random, design, data_sets)
        mask = inside(sizes)
        drawn = np.stack([normals(random, sizes, design.share) for _ in range(3)])
        y, a, b = np.einsum("ij,j...->i...", root, drawn)
        parts = (1.0, y, y * y, a, a * a, a * y, b, b * b, b * y)
        sums = np.stack([(mask * part).sum(axis=-1) for part in parts], axis=-1)
        total = sums.sum(axis=1)
        (one, other), (one_left, other_left) = both(total), both(total[:, None, :] - sums)
        freedom = freedoms(METHODS["correlation_difference"], sizes)
        bounds = correlation_difference_bounds(Estimate(one, one_left), Estimate(other, other_left), freedom)
        return [Measured("difference of correlations", "correlation_difference", one - other, bounds, first - second)]

    return World(f"metrics, {name}", measure)


WORLDS: tuple[World, ...] = (
    repeats_world("0.5", 0.5),
    repeats_world("0.85", 0.85),
    repeats_world("0.97", 0.97),
    pairs_world("r 0.2", 0.2),
    pairs_world("r 0.8", 0.8),
    pairs_world("r 0.8, shift 0.7 sd", 0.8, 0.7),
    pairs_world("r 0.95", 0.95),
    pairs_world("r 0.8, whole numbers 1 to 5, shift 0.3 sd", 0.8, 0.3, ties=True),
    drops_world("0", 0.0),
    drops_world("0.8", 0.8),
    drops_world("1.5", 1.5),
    drops_world("3", 3.0),
    ranks_world("r 0", 0.0, 0.0),
    ranks_world("r 0.8, shift 1.5 sd", 0.8, 1.5),
    ranks_world("r 0.9, whole numbers 1 to 5, shift 0.7 sd", 0.9, 0.7, ties=True),
    labels_world("prevalence 0.4, errors 0.08", 0.4, 0.08),
    labels_world("prevalence 0.15, errors 0.05", 0.15, 0.05),
    labels_world("prevalence 0.4, errors 0.2", 0.4, 0.2),
    answers_world(0.5),
    answers_world(0.75),
    answers_world(0.95),
    metrics_world("0.8 and 0.8", 0.8, 0.8, 0.7),
    metrics_world("0.9 and 0.7", 0.9, 0.7, 0.7),
)
