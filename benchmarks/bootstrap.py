"""How much faster the counted bootstrap is than scipy, what more workers bring, and the memory of a million samples."""

import os
import resource
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from analysis.resampling.bootstrap import resample_counts, resampled_values
from analysis.resampling.weighted import OfCounts, kendall_of_counts, pearson_of_counts, spearman_of_counts

SEED = 42


def best_seconds(call: Callable[[], Any], times: int) -> float:
    """The shortest of several runs: the one that other work on the machine disturbed least."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def sides(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two related columns; the second has ties, as opinion scores do."""
    random = np.random.default_rng(SEED)
    x = random.normal(size=n)
    return x, np.round(x + random.normal(size=n), 3)


def bootstrapped(function: OfCounts, n: int, resamples: int, workers: int = 1) -> NDArray[np.float64]:
    """One statistic over resamples of n independent samples."""
    return resampled_values(
        lambda counts: function(counts)[:, None], np.arange(n), resamples=resamples, seed=SEED, workers=workers
    )[:, 0]


def against_scipy(n: int, resamples: int) -> None:
    """SRCC on one core: a loop over spearmanr, scipy's bootstrap, and the difference on each resample."""
    x, y = sides(n)

    def loop() -> None:
        random = np.random.default_rng(SEED)
        for _ in range(resamples):
            rows = random.integers(0, n, n)
            stats.spearmanr(x[rows], y[rows])

    def theirs(method: str) -> None:
        stats.bootstrap(
            (x, y),
            lambda a, b: stats.spearmanr(a, b).statistic,
            paired=True,
            vectorized=False,
            n_resamples=resamples,
            method=method,
            rng=np.random.default_rng(SEED),
        )

    ours = best_seconds(lambda: bootstrapped(spearman_of_counts(x, y), n, resamples), 7)
    print(f"SRCC, {resamples:,} resamples of {n:,} samples, one core")
    print(f"  ours                           {ours:8.3f} s")
    for name, seconds in (
        ("loop over scipy's spearmanr", best_seconds(loop, 2)),
        ("scipy's bootstrap, percentile", best_seconds(lambda: theirs("percentile"), 2)),
        ("scipy's bootstrap, its default", best_seconds(lambda: theirs("BCa"), 1)),
    ):
        print(f"  {name:<30} {seconds:8.3f} s, ours is {seconds / ours:.1f} times as fast")
    for name, of_counts, scipys in (
        ("SRCC", spearman_of_counts, stats.spearmanr),
        ("PLCC", pearson_of_counts, stats.pearsonr),
        ("KRCC", kendall_of_counts, stats.kendalltau),
    ):
        counts = next(resample_counts(np.arange(n), 50, SEED))
        exact = [scipys(np.repeat(x, row), np.repeat(y, row)).statistic for row in counts]
        difference = np.abs(of_counts(x, y)(counts) - exact).max()
        took = best_seconds(partial(bootstrapped, of_counts(x, y), n, resamples), 3)
        print(f"  {name}: {took:.3f} s; largest difference from scipy on 50 resamples {difference:.1e}")


def with_workers(n: int, resamples: int, workers: int) -> None:
    """Sequential against parallel, and that both give the same."""
    x, y = sides(n)
    print(f"{resamples:,} resamples of {n:,} samples")
    for name, function in (("SRCC", spearman_of_counts(x, y)), ("KRCC", kendall_of_counts(x, y))):
        # In turn, so that other work on the machine disturbs both alike.
        turns = [
            [best_seconds(partial(bootstrapped, function, n, resamples, number), 1) for number in (1, workers)]
            for _ in range(3)
        ]
        one, many = (min(seconds) for seconds in zip(*turns, strict=True))
        same = (bootstrapped(function, n, 500) == bootstrapped(function, n, 500, workers)).all()
        print(f"  {name}: one worker {one:.2f} s, {workers} workers {many:.2f} s, {one / many:.2f} times as fast")
        print(f"  {name}: identical results {bool(same)}")


def of_a_million(n: int, resamples: int) -> None:
    """Time per resample of SRCC, and the most memory this process ever held."""
    x, y = sides(n)
    function = spearman_of_counts(x, y)
    seconds = best_seconds(lambda: bootstrapped(function, n, resamples), 1)
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"SRCC, {resamples:,} resamples of {n:,} samples: {seconds:.1f} s, most memory held {held:.2f} GiB")


def main() -> None:
    """Print times, ratios, differences and memory."""
    against_scipy(3000, 1000)
    with_workers(10_000, 10_000, os.cpu_count() or 1)
    of_a_million(1_000_000, 1000)


if __name__ == "__main__":
    main()
