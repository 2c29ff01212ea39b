"""How often gates are right: those on a number and on its lower bound at and around their thresholds."""

from collections.abc import Callable, Iterator
from operator import ge, le
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from analysis.agreement.alternative_annotator import EPSILON, alternative_annotator
from analysis.agreement.kappa import LOW_KAPPA, kappas
from analysis.agreement.reliability_gate import MAX_LOW_SHARE
from analysis.agreement.stability import stability
from analysis.intervals.worlds import (
    MANY,
    REPEATS,
    SEED_OF_TRUTHS,
    Design,
    World,
    answers_world,
    drops_world,
    label_tables,
    labels_world,
    normals,
    on_five,
    pairs_world,
    ranks_world,
    repeats_world,
)

DATA_SETS = 1000
CLUSTERS = (10, 20, 40)
MEMBERS, SHARE = "3", 0.24
ANNOTATORS = 3
# Noise of one rating next to true scores of variance 1, for a reliability of 0.75.
NOISE = float(np.sqrt(1.0 / 0.75 - 1.0))
JUDGES = {
    "as a person": (1.0, NOISE),
    "half a person's noise": (1.0, NOISE / 2.0),
    "twice a person's noise": (1.0, 2.0 * NOISE),
    "unrelated": (0.0, float(np.hypot(1.0, NOISE))),
    "unrelated, near the middle": (0.0, 0.3),
}


class GateRate(NamedTuple):
    """Shares of made studies in which a gate passes: on the number itself, and on the bound next to what is needed.

    Where `truth` is worse than `needed`, passing is a false alarm; elsewhere not passing is a miss. `at_most`: `needed`
    is the largest that passes. `by_bound`: none where nothing reads a bound.
    """

    gate: str
    needed: float
    truth: float
    clusters: int
    by_number: float
    by_bound: float | None
    at_most: bool = False


class _Gate(NamedTuple):
    """A gate, what its worlds are made with (the truth, or the judges' share of errors), and the statistic there.

    `at_most`: the largest that passes is given, and the statistic's unit is such that its truth is the setting.
    """

    name: str
    needed: float
    settings: tuple[float, ...]
    statistic: str
    world: Callable[[float], World]
    at_most: bool = False


GATES = (
    _Gate(
        "repeatable, repeatable_for_sure", 0.85, (0.75, 0.85, 0.92), "ICC(1,5)", lambda truth: repeats_world("", truth)
    ),
    _Gate(
        "orders_like_people, recommended_for_sure",
        0.7,
        (0.55, 0.7, 0.85),
        "Spearman",
        lambda truth: ranks_world("", 2.0 * float(np.sin(np.pi * truth / 6.0)), 0.0),
    ),
    _Gate("stripes: Cohen's d", 0.8, (0.4, 0.8, 1.6), "Cohen's d", lambda truth: drops_world("", truth)),
    _Gate("kappa, macro", 0.7, (0.1, 0.049, 0.02), "kappa, macro", lambda errors: labels_world("", 0.4, errors)),
    _Gate("kappa, micro", 0.7, (0.1, 0.062, 0.02), "kappa, micro", lambda errors: labels_world("", 0.4, errors)),
    _Gate("hit rate", 0.8, (0.65, 0.8, 0.89), "share", lambda truth: answers_world(truth)),
    _Gate("close_to_people: MAE", 0.1, (0.13, 0.1, 0.08), "MAE", lambda _: pairs_world("", 0.8), at_most=True),
    _Gate("no_large_errors: RMSE", 0.15, (0.2, 0.15, 0.12), "RMSE", lambda _: pairs_world("", 0.8), at_most=True),
)
MEDIAN_MAD, MADS = 0.05, (0.065, 0.05, 0.04)
# How much the noise of objects differs: the standard deviation of its logarithm.
UNEVEN = 0.5
DOCUMENTS, PREVALENCE, ERRORS = 20, 0.4, (0.12, 0.0902, 0.06)
DRIFT_SHIFT, SHIFTS = 0.05, (0.08, 0.05, 0.02)
# Of an object's score on one occasion less that on another: means of five repeats whose typical MAD is 0.05.
SD_OF_CHANGE = 0.05


def number_gates(*, seed: int, data_sets: int = DATA_SETS) -> Iterator[GateRate]:
    """Gates on a number and its bound, over products of three objects that share 0.24 of their variance."""
    for gate in GATES:
        for setting in gate.settings:
            world = gate.world(setting)
            for clusters in CLUSTERS:
                random = np.random.default_rng([seed, clusters, round(1000 * setting)])
                members = MEMBERS if MEMBERS in world.members else world.members[1]
                made = world.measure(random, Design(clusters, members, SHARE), data_sets)
                found = next(one for one in made if one.statistic == gate.statistic)
                unit, bound, passes = 1.0, found.bounds.low, ge
                if gate.at_most:
                    unit, bound, passes = setting / found.truth, found.bounds.high, le
                # A study without a bound does not pass by it: nothing is above or below NaN.
                by_number, by_bound = (
                    float(np.mean(passes(unit * seen, gate.needed))) for seen in (found.values, bound)
                )
                truth = setting if gate.at_most else found.truth
                yield GateRate(gate.name, gate.needed, truth, clusters, by_number, by_bound, gate.at_most)


def steadiness_gates(*, seed: int, data_sets: int = DATA_SETS) -> Iterator[GateRate]:
    """The median over objects of the MAD of five repeats, whose noise differs between objects."""
    truth = float(np.median(_mads(np.random.default_rng(SEED_OF_TRUTHS), 1, MANY // int(MEMBERS))))
    for clusters in CLUSTERS:
        median = np.median(_mads(np.random.default_rng([seed, clusters]), data_sets, clusters), axis=1)
        for wanted in MADS:
            passed = float(np.mean(median * wanted / truth <= MEDIAN_MAD))
            yield GateRate("repeats_agree: median MAD", MEDIAN_MAD, wanted, clusters, passed, None, at_most=True)


def _mads(random: np.random.Generator, data_sets: int, clusters: int) -> NDArray[np.float64]:
    noise = np.exp(UNEVEN * normals(random, np.full((data_sets, clusters), int(MEMBERS)), SHARE)).reshape(-1, 1)
    return stability(noise * random.standard_normal((len(noise), REPEATS))).mad.reshape(data_sets, -1)


def low_share_gates(*, seed: int, data_sets: int = DATA_SETS) -> Iterator[GateRate]:
    """The share of queries with a low kappa, of those with a defined one; `clusters` are queries of 20 documents."""

    def shares(random: np.random.Generator, data_sets: int, queries: int, errors: float) -> NDArray[np.float64]:
        tables = label_tables(random, np.full((data_sets, queries), DOCUMENTS), PREVALENCE, errors)
        of_query = kappas(tables.reshape(-1, 4)).reshape(data_sets, queries)
        return np.asarray((of_query < LOW_KAPPA).sum(axis=1) / np.isfinite(of_query).sum(axis=1))

    for errors in ERRORS:
        truth = float(shares(np.random.default_rng(SEED_OF_TRUTHS), 1, MANY // DOCUMENTS, errors)[0])
        for queries in CLUSTERS:
            random = np.random.default_rng([seed, queries, round(10_000 * errors)])
            passed = float(np.mean(shares(random, data_sets, queries, errors) <= MAX_LOW_SHARE))
            yield GateRate("kappa, share of low queries", MAX_LOW_SHARE, truth, queries, passed, None, at_most=True)


def drift_gates() -> Iterator[GateRate]:
    """The shift of the anchor's mean, exactly by the normal distribution of a mean of clusters."""
    members = int(MEMBERS)
    for shift in SHIFTS:
        for clusters in CLUSTERS:
            error = SD_OF_CHANGE * float(np.sqrt((1.0 + SHARE * (members - 1)) / (clusters * members)))
            passed = float(np.diff(scipy.stats.norm.cdf([-DRIFT_SHIFT, DRIFT_SHIFT], shift, error))[0])
            yield GateRate("anchor_mean_holds: shift", DRIFT_SHIFT, shift, clusters, passed, None, at_most=True)


def validity_gates(calls: tuple[int, ...] = (100, 200, 500)) -> Iterator[GateRate]:
    """The share of valid first answers, exactly by the binomial; its bound is Wilson's. `clusters` are calls."""
    needed, z = 0.98, float(scipy.stats.norm.ppf(0.975))
    for truth in (0.95, 0.98, 0.99):
        for n in calls:
            share = np.arange(n + 1) / n
            weight = scipy.stats.binom.pmf(np.arange(n + 1), n, truth)
            middle = (share + z * z / (2 * n)) / (1 + z * z / n)
            half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
            by_number, by_bound = (float(weight[side >= needed - 1e-12].sum()) for side in (share, middle - half))
            yield GateRate("valid answers", needed, truth, n, by_number, by_bound)


def annotator_gates(*, seed: int, data_sets: int = 200) -> Iterator[tuple[str, int, float]]:
    """The alternative annotator test with three people, scores 1 to 5 and a reliability of 0.75.

    Yields:
        What the judge is, the number of objects, and the share of studies in which it passes: omega at least 0.5 at
        the epsilon of experts.
    """
    for number, (judge, (slope, noise)) in enumerate(JUDGES.items()):
        for n in (40, 80, 200):
            random = np.random.default_rng([seed, number, n])
            passed = [_stands_in(random, n, slope, noise) for _ in range(data_sets)]
            yield judge, n, float(np.mean(passed))


def _stands_in(random: np.random.Generator, n: int, slope: float, noise: float) -> bool:
    truth = random.standard_normal(n)
    people = on_five(truth[:, None] + NOISE * random.standard_normal((n, ANNOTATORS)))
    verdicts: NDArray[np.float64] = on_five(slope * truth + noise * random.standard_normal(n))
    return alternative_annotator(people, verdicts, epsilon=EPSILON["expert"]).winning_rate >= 0.5
