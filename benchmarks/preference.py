"""Bradley-Terry against choix and evalica."""

from collections.abc import Iterator
from importlib.util import find_spec

import choix
import numpy as np

from analysis.preference.bradley_terry import bradley_terry
from benchmarks.table import Row, cpu_s, times_as_fast

IMAGES, PAIRS, VOTES, RIDGE = 300, 3000, 9, 0.01


def strengths() -> Iterator[Row]:
    """300 images, 3,000 pairs with nine votes each: strengths, for ours with standard errors."""
    random = np.random.default_rng(7)
    true = random.normal(size=IMAGES)
    first = random.integers(0, IMAGES, PAIRS)
    second = (first + random.integers(1, IMAGES, PAIRS)) % IMAGES
    wins = random.binomial(VOTES, 1 / (1 + np.exp(true[second] - true[first])))
    winners = np.concatenate([np.repeat(first, wins), np.repeat(second, VOTES - wins)])
    losers = np.concatenate([np.repeat(second, wins), np.repeat(first, VOTES - wins)])
    fast = cpu_s(lambda: bradley_terry(first, second, wins, VOTES - wins), 5)
    name, votes = f"Bradley-Terry, {IMAGES} images, {PAIRS * VOTES:,} votes", list(zip(winners, losers, strict=True))
    slow = cpu_s(lambda: choix.opt_pairwise(IMAGES, votes, alpha=RIDGE), 1)
    yield Row(name, fast, peer=slow, of_peer="choix", target=times_as_fast(10))
    if find_spec("evalica") is None:
        yield Row(name, fast, note="evalica: pip install evalica")
        return
    import evalica

    sides = [[str(one) for one in side.tolist()] for side in (winners, losers)]
    slow = cpu_s(lambda: evalica.bradley_terry(*sides, [evalica.Winner.X] * len(sides[0])))
    yield Row(name, fast, peer=slow, of_peer="evalica")


BENCHES = (strengths,)
