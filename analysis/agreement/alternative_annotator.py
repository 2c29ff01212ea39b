"""The alternative annotator test: whether a judge represents a group of annotators as well as one of them does."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.messages import Name, message
from analysis.resampling.bootstrap import cluster_index
from analysis.significance.benjamini_yekutieli import benjamini_yekutieli
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic

Metric = Literal["negative_rmse", "accuracy"]
FEWEST_INSTANCES = 30
FEWEST_ANNOTATORS = 2
ADVISED_ANNOTATORS = 3
MOST_NAMES = 5
POOLED = "all annotators"
EPSILON = {"expert": 0.2, "skilled": 0.15, "crowd": 0.1}


class AgainstAnnotator(NamedTuple):
    """The judge against one annotator, both measured by the remaining annotators; unitless.

    `judge_share` is the share of instances on which the judge is at least as near to the others as the annotator,
    `annotator_share` the reverse; ties are in both. `mean_d` is the second less the first, `error` its standard error
    over `n_clusters`, and `t` and `p` rest on it; `p_independent` is the paper's own, which assumes that instances are
    independent. A skipped annotator (too few instances) has no other number.
    """

    n_instances: int
    skipped: bool
    judge_share: float | None
    annotator_share: float | None
    t: float | None
    p: float | None
    p_adjusted: float | None
    rejected: bool | None
    mean_d: float | None = None
    error: float | None = None
    n_clusters: int | None = None
    p_independent: float | None = None


@dataclass(frozen=True)
class AlternativeAnnotator:
    """What the test says over all annotators.

    Attributes:
        winning_rate: Omega: share of the annotators tested against whom the judge wins.
        advantage: Rho: mean over annotators tested of `judge_share`.
        annotators: Each annotator's part, by the name given (or the column's number).
        n_tested: Annotators that were tested.
        n_skipped: Annotators with fewer than the fewest instances.
        n_rejected: Annotators against whom the judge wins.
        n_instances: Instances that entered at least one test.
        epsilon: What the judge is allowed for being cheaper.
        q: Share of false rejections allowed.
        metric: How alignment was measured.
        warning: That few annotators have a part in the test; none where there are enough.
        method: How the p-values were made.
    """

    winning_rate: float
    advantage: float
    annotators: Mapping[Hashable, AgainstAnnotator]
    n_tested: int
    n_skipped: int
    n_rejected: int
    n_instances: int
    epsilon: float
    q: float
    metric: Metric
    warning: str | None
    method: str

    @property
    def mean_d(self) -> float:
        """How often a person is nearer to the others than the judge, less the reverse: mean over annotators."""
        found = [part.mean_d for part in self.annotators.values() if part.mean_d is not None]
        return sum(found) / len(found)

    @property
    def not_tested(self) -> str:
        """Who has too few instances to be tested, with how many; nothing where all have enough."""
        few = [f"{name} ({part.n_instances})" for name, part in self.annotators.items() if part.skipped]
        named = few if len(few) <= MOST_NAMES else [*few[:MOST_NAMES], f"+{len(few) - MOST_NAMES}"]
        words = "not tested, with fewer than {fewest} objects: {names}"
        return message(words, fewest=FEWEST_INSTANCES, names=Name(", ".join(named))) if few else ""


def alternative_annotator(
    ratings: ArrayLike,
    judge: ArrayLike,
    names: Sequence[Hashable] | None = None,
    *,
    metric: Metric = "negative_rmse",
    epsilon: float = EPSILON["expert"],
    q: float = 0.05,
    fewest_instances: int = FEWEST_INSTANCES,
    clusters: ArrayLike | None = None,
    pool_small: bool = False,
) -> AlternativeAnnotator:
    """Leave each annotator out in turn: is the judge at least as near to the others, but for epsilon?

    With S(x) the alignment of x with the remaining annotators on an instance, ``d = [S(annotator) >= S(judge)] -
    [S(judge) >= S(annotator)]``, so that a tie counts for both. A one-sided t-test asks whether the mean of d is below
    epsilon; where all d are equal, p is 0 if they are below epsilon and 1 otherwise.

    Args:
        ratings: Shape ``(n_instances, n_annotators)``; NaN where somebody did not rate.
        judge: Shape ``(n_instances,)``; NaN where the judge gave no score.
        names: Shape ``(n_annotators,)``, how to call the columns; none: 0, 1, 2 ...
        metric: ``negative_rmse`` for scores, ``accuracy`` for categories coded as numbers.
        epsilon: 0.2 against experts, 0.15 against skilled annotators, 0.1 against a crowd.
        q: Level of the Benjamini-Yekutieli procedure.
        fewest_instances: An annotator with fewer instances that the judge and another annotator rated is skipped.
        clusters: Shape ``(n_instances,)``, instances that share a source; none: each is its own, which is the paper's
            test. Else the variance of d is between clusters, with Student's t of clusters - 1.
        pool_small: Where every annotator is below `fewest_instances`, as in a crowd, test all of them as one: d of
            every annotator and instance, an instance's in one cluster. Not in the paper.

    Returns:
        The judge may stand in for an annotator where `winning_rate` is high enough; the paper asks for 0.5.

    Raises:
        ValueError: Shapes do not fit, a score is infinite, or an argument is outside its range.
        UndefinedStatistic: Fewer than 2 annotators rated anything, or none has enough instances.

    Source:
        Calderon, Reichart and Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge, ACL 2025.
    """
    if metric not in ("negative_rmse", "accuracy"):
        raise ValueError(f"metric must be negative_rmse or accuracy, got {metric!r}")
    if fewest_instances < 2:
        raise ValueError(f"fewest_instances must be at least 2, got {fewest_instances}")
    scores, verdicts, labels = _checked(ratings, judge, names, epsilon, q)
    sources = np.arange(len(verdicts)) if clusters is None else cluster_index(clusters)[0]
    given = ~np.isnan(scores)
    if given.any(axis=0).sum() < FEWEST_ANNOTATORS:
        raise UndefinedStatistic("only 1 annotator, at least {fewest} needed", fewest=FEWEST_ANNOTATORS)
    usable = given & ~np.isnan(verdicts)[:, None] & (given.sum(axis=1) >= 2)[:, None]
    sizes = usable.sum(axis=0)
    tested = np.flatnonzero(sizes >= fewest_instances)
    pooled = pool_small and not tested.size and int(usable.any(axis=1).sum()) >= fewest_instances
    if not tested.size and not pooled:
        raise UndefinedStatistic(
            "no person rated {fewest} objects that the judge and another person also rated (most: {most})",
            fewest=fewest_instances,
            most=int(sizes.max()),
        )
    nearer = {
        column: _nearer(scores, verdicts, column, usable, metric)
        for column in (np.flatnonzero(sizes) if pooled else tested).tolist()
    }
    parts: dict[Hashable, AgainstAnnotator]
    if pooled:
        rows = np.concatenate([np.flatnonzero(usable[:, column]) for column in nearer])
        parts = {POOLED: _against(np.concatenate(list(nearer.values())), sources[rows], epsilon)}
    else:
        parts = {
            labels[column]: _against(found, sources[usable[:, column]], epsilon) for column, found in nearer.items()
        }
    adjusted = benjamini_yekutieli(np.array([part.p for part in parts.values()], dtype=np.float64))
    for label, p in zip(parts, adjusted, strict=True):
        parts[label] = parts[label]._replace(p_adjusted=p, rejected=bool(compare(p, q) <= 0))
    n_rejected = sum(bool(part.rejected) for part in parts.values())
    skipped = {label: _skipped(int(sizes[column])) for column, label in enumerate(labels) if label not in parts}
    of_whom = f"{len(nearer)} annotators together, each with few instances" if pooled else f"{len(parts)} annotators"
    return AlternativeAnnotator(
        winning_rate=n_rejected / len(parts),
        advantage=float(np.mean([part.judge_share for part in parts.values()])),
        annotators=parts if pooled else {label: parts.get(label) or skipped[label] for label in labels},
        n_tested=len(parts),
        n_skipped=0 if pooled else len(skipped),
        n_rejected=n_rejected,
        n_instances=int(usable[:, list(nearer)].any(axis=1).sum()),
        epsilon=float(epsilon),
        q=float(q),
        metric=metric,
        warning=_warning(int(usable.any(axis=0).sum())),
        method=f"one-sided t-test of mean d < {epsilon:g}, Benjamini-Yekutieli at {q:g} over {of_whom}"
        + ("" if clusters is None else ", variance between clusters"),
    )


def winning_rate_of_counts(
    ratings: ArrayLike, judge: ArrayLike, clusters: NDArray[np.intp], *, epsilon: float, q: float = 0.05
) -> Callable[[NDArray[np.int64]], NDArray[np.float64]]:
    """A function from how often each cluster was drawn to omega of scores, for many resamples at once.

    Args:
        ratings: Shape ``(n_instances, n_annotators)``; NaN where somebody did not rate.
        judge: Shape ``(n_instances,)``; NaN where the judge gave no score.
        clusters: Shape ``(n_instances,)``, the number of each instance's cluster from 0 on.
        epsilon: As in `alternative_annotator`.
        q: As there.

    Returns:
        Takes counts of shape ``(resamples, n_clusters)`` and gives shape ``(resamples,)``: `winning_rate` with the
        variance between clusters, NaN where no annotator has `FEWEST_INSTANCES`.
    """
    scores, verdicts, _ = _checked(ratings, judge, None, epsilon, q)
    given = ~np.isnan(scores)
    usable = given & ~np.isnan(verdicts)[:, None] & (given.sum(axis=1) >= 2)[:, None]
    n_clusters = int(clusters.max()) + 1
    sums, sizes = np.zeros((2, n_clusters, scores.shape[1]))
    for column in np.flatnonzero(usable.any(axis=0)).tolist():
        sources = clusters[usable[:, column]]
        d = -_nearer(scores, verdicts, column, usable, "negative_rmse")
        sums[:, column] = np.bincount(sources, weights=d, minlength=n_clusters)
        sizes[:, column] = np.bincount(sources, minlength=n_clusters)

    def winning_rate(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        drawn = counts.astype(np.float64)
        n, total, groups = drawn @ sizes, drawn @ sums, drawn @ (sizes > 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = total / n
            spread = drawn @ sums**2 - 2.0 * mean * (drawn @ (sums * sizes)) + mean**2 * (drawn @ sizes**2)
            error = np.sqrt(np.clip(spread, 0.0, None) / n**2 * groups / (groups - 1.0))
            p = scipy.special.stdtr(groups - 1.0, (mean - epsilon) / error)
        same = spread <= 1e-12 * n
        p = np.where(same, np.where(compare(mean, epsilon, 1.0) < 0, 0.0, 1.0), p)
        p = np.where((groups < 2) & (n > 1), 1.0, p)
        tested = n >= FEWEST_INSTANCES
        m = tested.sum(axis=1, keepdims=True)
        places = np.arange(1, p.shape[1] + 1)
        limits = q * places / (np.maximum(m, 1) * np.cumsum(1.0 / places)[np.maximum(m, 1) - 1])
        below = np.sort(np.where(tested, p, 2.0), axis=1) <= limits
        rejected = np.where(below, places, 0).max(axis=1)
        return np.asarray(np.divide(rejected, m[:, 0], out=np.full(len(m), np.nan), where=m[:, 0] > 0))

    return winning_rate


def _checked(
    ratings: ArrayLike,
    judge: ArrayLike,
    names: Sequence[Hashable] | None,
    epsilon: float,
    q: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[Hashable]]:
    scores, verdicts = np.asarray(ratings, dtype=np.float64), np.asarray(judge, dtype=np.float64)
    if scores.ndim != 2 or verdicts.shape != scores.shape[:1]:
        raise ValueError(f"a matrix and a score per row are needed, got shapes {scores.shape} and {verdicts.shape}")
    if np.isinf(scores).any() or np.isinf(verdicts).any():
        raise ValueError("a rating or a judge's score is infinite")
    labels: list[Hashable] = list(range(scores.shape[1])) if names is None else list(names)
    if len(labels) != scores.shape[1] or len(set(labels)) != len(labels):
        raise ValueError(f"each of the {scores.shape[1]} annotators needs a name of its own")
    if not 0.0 <= epsilon <= 1.0 or not 0.0 < q < 1.0:
        raise ValueError(f"epsilon must lie in 0-1 and q between 0 and 1, got {epsilon} and {q}")
    if not scores.size or np.isnan(scores).all():
        raise UndefinedStatistic("no annotator rated anything")
    return scores, verdicts, labels


def _nearer(
    scores: NDArray[np.float64],
    verdicts: NDArray[np.float64],
    column: int,
    usable: NDArray[np.bool_],
    metric: Metric,
) -> NDArray[np.float64]:
    """1 where the judge is nearer to the other annotators than this one, -1 where this one is, 0 for a tie."""
    rows = usable[:, column]
    others = np.delete(scores[rows], column, axis=1)
    person = _alignment(scores[rows, column], others, metric)
    machine = _alignment(verdicts[rows], others, metric)
    # An error is a difference of scores, a share of agreement a mean of zeros and ones.
    seen = np.column_stack([verdicts[rows], scores[rows]])
    largest = 1.0 if metric == "accuracy" else np.nanmax(np.abs(seen), axis=1)
    return compare(machine - person, 0.0, largest)


def _against(nearer: NDArray[np.float64], sources: NDArray[np.intp], epsilon: float) -> AgainstAnnotator:
    judge_wins, person_wins = nearer >= 0, nearer <= 0
    d = person_wins.astype(np.int64) - judge_wins.astype(np.int64)
    n, total, squares = len(d), int(d.sum()), int((d * d).sum())
    mean = total / n
    # From sums of whole numbers, so that the order of the instances cannot show in the last digit.
    independent = _tested(mean, (n * squares - total * total) / (n * n * (n - 1.0)), n, epsilon)
    of_source = np.unique(sources, return_inverse=True)[1]
    sums, sizes = np.bincount(of_source, weights=d), np.bincount(of_source)
    if len(sums) == n:
        error, t, p = independent
    elif len(sums) < 2:
        error, t, p = None, None, 1.0
    else:
        between = float(((n * sums - sizes * total) ** 2).sum()) / n**4 * len(sums) / (len(sums) - 1.0)
        error, t, p = _tested(mean, between, len(sums), epsilon)
    shares = float(judge_wins.mean()), float(person_wins.mean())
    return AgainstAnnotator(n, False, *shares, t, p, None, None, mean, error, len(sums), independent[2])


def _tested(mean: float, variance: float, n: int, epsilon: float) -> tuple[float, float | None, float]:
    """Standard error, t and one-sided p of a mean below epsilon; where nothing varies the mean alone decides."""
    if variance == 0.0:
        return 0.0, None, 0.0 if compare(mean, epsilon, 1.0) < 0 else 1.0
    error = float(np.sqrt(variance))
    t = (mean - epsilon) / error
    return error, t, float(scipy.special.stdtr(n - 1, t))


def _alignment(values: NDArray[np.float64], others: NDArray[np.float64], metric: Metric) -> NDArray[np.float64]:
    """How near each value is to those of the remaining annotators; larger is nearer."""
    if metric == "accuracy":
        agree = np.where(np.isnan(others), np.nan, values[:, None] == others)
        return np.asarray(np.nanmean(agree, axis=1))
    away = np.abs(values[:, None] - others)
    # In units of the largest one, whose square then neither vanishes nor overflows.
    unit = np.nanmax(away, axis=1)
    unit[unit == 0.0] = 1.0
    return np.asarray(-unit * np.sqrt(np.nanmean(np.square(away / unit[:, None]), axis=1)))


def _skipped(n_instances: int) -> AgainstAnnotator:
    return AgainstAnnotator(n_instances, True, None, None, None, None, None, None)


def _warning(n_annotators: int) -> str | None:
    if n_annotators >= ADVISED_ANNOTATORS:
        return None
    return message(
        "only {n} annotators: each is measured by the other alone; {advised} or more are advised",
        n=n_annotators,
        advised=ADVISED_ANNOTATORS,
    )
