"""Resampling against loops and scipy: Spearman's correlation, clusters, BCa, a million samples."""

import os
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from analysis.resampling.bca import delete_one_values
from analysis.resampling.bootstrap import CHUNK, Statistics, resampled_values
from analysis.resampling.weighted import spearman_of_counts
from benchmarks.table import Row, at_most, cpu_s, in_turns, times_as_fast, wall_s

SEED, N = 42, 3000
# Of the 1,000 that the rows name, so many are made by each.
OURS, THEIRS, LARGE = 1000, 100, 20


def sides(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two related columns; the second has ties, as opinion scores do."""
    random = np.random.default_rng(SEED)
    x = random.normal(size=n)
    return x, np.round(x + random.normal(size=n), 3)


def bootstrapped(clusters: NDArray[np.intp], x: NDArray[np.float64], y: NDArray[np.float64], resamples: int) -> None:
    """Spearman's correlation of resamples."""
    spearman = spearman_of_counts(x, y)
    resampled_values(lambda counts: spearman(counts)[:, None], clusters, resamples=resamples, seed=SEED)


def srcc() -> Iterator[Row]:
    """1,000 resamples of 3,000 samples, in turns with a loop over scipy's spearmanr and with scipy's bootstrap."""
    x, y = sides(N)
    counts = resampled_values(lambda drawn: drawn, np.arange(N), resamples=20, seed=SEED)
    exact = [stats.spearmanr(np.repeat(x, row), np.repeat(y, row)).statistic for row in counts]
    assert np.allclose(spearman_of_counts(x, y)(counts), exact, atol=1e-12)

    def loop() -> None:
        random = np.random.default_rng(SEED)
        for _ in range(THEIRS):
            rows = random.integers(0, N, N)
            stats.spearmanr(x[rows], y[rows])

    found = in_turns([lambda: bootstrapped(np.arange(N), x, y, OURS), loop, lambda: scipys(x, y, "percentile")], 3)
    ours, slow, percentile = found[0], *(seconds * OURS / THEIRS for seconds in found[1:])
    name = f"SRCC bootstrap, 1,000 x {N:,}"
    yield Row(name, ours, peer=slow, of_peer="loop over spearmanr", target=times_as_fast(20))
    yield Row(name, ours, peer=percentile, of_peer="scipy, percentile", target=times_as_fast(20))


def scipys(x: NDArray[np.float64], y: NDArray[np.float64], method: str) -> None:
    """Scipy's bootstrap of Spearman's correlation."""
    stats.bootstrap(
        (x, y),
        lambda a, b: stats.spearmanr(a, b).statistic,
        paired=True,
        vectorized=False,
        n_resamples=THEIRS,
        method=method,
        rng=np.random.default_rng(SEED),
    )


def bca() -> Iterator[Row]:
    """1,000 resamples of 500 samples and one with each left out, as BCa needs."""
    x, y = sides(500)
    spearman = spearman_of_counts(x, y)

    def ours() -> None:
        bootstrapped(np.arange(500), x, y, OURS)
        delete_one_values(lambda counts: spearman(counts)[:, None], np.arange(500))

    # scipy's own jackknife does not shrink with the resamples.
    evaluations = (OURS + 500) / (THEIRS + 500)
    fast, slow = in_turns([ours, lambda: scipys(x, y, "BCa")], 2)
    yield Row("SRCC, BCa, 1,000 x 500", fast, peer=slow * evaluations, of_peer="scipy, BCa")


def clustered() -> Iterator[Row]:
    """1,000 resamples of 300 clusters of 10, against a loop that joins the drawn clusters' rows."""
    x, y = sides(N)
    clusters = np.repeat(np.arange(300), 10)
    members = np.split(np.arange(N), 300)

    def loop() -> None:
        random = np.random.default_rng(SEED)
        for _ in range(THEIRS):
            rows = np.concatenate([members[one] for one in random.integers(0, 300, 300)])
            stats.spearmanr(x[rows], y[rows])

    fast, slow = in_turns([lambda: bootstrapped(clusters, x, y, OURS), loop], 3)
    yield Row("SRCC, 300 clusters of 10", fast, peer=slow * OURS / THEIRS, of_peer="plain loop")


def million() -> Iterator[Row]:
    """1,000 resamples of a million samples: on the clock from two hundred in two processes, else from twenty."""
    x, y = sides(1_000_000)
    spearman = spearman_of_counts(x, y)

    def resampled(resamples: int, workers: int) -> None:
        statistics: Statistics = lambda counts: spearman(counts)[:, None]  # noqa: E731
        resampled_values(statistics, np.arange(1_000_000), resamples=resamples, seed=SEED, workers=workers)

    name = "SRCC bootstrap, 1,000 x 1 million"
    yield Row(name, cpu_s(lambda: resampled(LARGE, 1), 2) * 1000 / LARGE)
    if (os.cpu_count() or 1) > 1:
        taken = wall_s(lambda: resampled(2 * CHUNK, 2)) * 1000 / (2 * CHUNK)
        yield Row(f"{name}, 2 processes", taken, "s on the clock", target=at_most(20))


BENCHES = (srcc, bca, clustered, million)
