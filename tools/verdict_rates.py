"""How often the verdict says what where the truth is known; `python -m tools.verdict_rates` prints the docs' table."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.undefined import UndefinedStatistic
from analysis.verdict.people import Measure, People, standing
from analysis.verdict.rule import Word, decided

Floats = NDArray[np.float64]
WORDS: Final[tuple[Word, ...]] = ("yes", "only for ranking", "not proven", "no", "cannot say")
SPREAD: Final = 1.2  # standard deviation of one person's scores on 1 to 5, before they are rounded


class World(NamedTuple):
    """People and a judge who rate the same objects.

    `judge` names a row of `JUDGES`; `reliability` is that of one rating, the share of its variance that is the
    object's; `members` objects share a source, whose part of the truth's variance is `shared`. `prevalence` is the
    share of the first of two labels; none: scores of 1 to 5.
    """

    judge: str
    reliability: float
    n: int
    people: int = 3
    members: int = 1
    shared: float = 0.0
    prevalence: float | None = None


Judge = Callable[[Floats, float, np.random.Generator], Floats]
# From the objects' truths, a person's noise and a generator to what the judge would say before it is rounded.
JUDGES: Final[dict[str, Judge]] = {
    "as a person": lambda truth, sd, random: truth + sd * random.standard_normal(len(truth)),
    "half a person's noise": lambda truth, sd, random: truth + 0.5 * sd * random.standard_normal(len(truth)),
    "1.3 times a person's noise": lambda truth, sd, random: truth + 1.3 * sd * random.standard_normal(len(truth)),
    "twice a person's noise": lambda truth, sd, random: truth + 2.0 * sd * random.standard_normal(len(truth)),
    "as a person, one noise sd too high": lambda truth, sd, random: (
        truth + sd * (1 + random.standard_normal(len(truth)))
    ),
    "half the noise, one sd too high": lambda truth, sd, random: (
        truth + sd * (1 + random.standard_normal(len(truth)) / 2)
    ),
    "half the noise, two sd too high": lambda truth, sd, random: (
        truth + sd * (2 + random.standard_normal(len(truth)) / 2)
    ),
    "unrelated, same spread": lambda truth, sd, random: np.hypot(1.0, sd) * random.standard_normal(len(truth)),
    "unrelated, near the middle": lambda truth, sd, random: 0.5 * random.standard_normal(len(truth)),
    "permuted": lambda truth, sd, random: random.permutation(truth) + sd * random.standard_normal(len(truth)),
    "constant": lambda truth, sd, random: np.zeros(len(truth)),
}
UNRELATED: Final = ("unrelated, same spread", "unrelated, near the middle", "permuted", "constant")


def drawn(world: World, random: np.random.Generator) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Ratings ``(n, people)``, the judge's ``(n,)`` and the clusters ``(n,)`` of one study in a world."""
    clusters = np.arange(world.n) // world.members
    own, of_source = random.standard_normal(world.n), random.standard_normal(int(clusters[-1]) + 1)
    truth = np.sqrt(1.0 - world.shared) * own + np.sqrt(world.shared) * of_source[clusters]
    sd = np.sqrt((1.0 - world.reliability) / world.reliability) if world.reliability > 0 else 1.0
    truth = truth if world.reliability > 0 else np.zeros(world.n)
    people = truth[:, None] + sd * random.standard_normal((world.n, world.people))
    judge = JUDGES[world.judge](truth, sd, random)
    total = np.hypot(1.0, sd)
    if world.prevalence is None:
        return _steps(people / total), _steps(judge / total), clusters
    cut = float(np.quantile(random.standard_normal(100_000), world.prevalence)) * total
    label = np.zeros(world.n) if world.judge == "constant" else (judge > cut).astype(np.float64)
    return (people > cut).astype(np.float64), label, clusters


def rates(world: World, studies: int, seed: int = 7) -> dict[Word, float]:
    """The share of each word over studies of one world."""
    measure: Measure = "scores" if world.prevalence is None else "labels"
    said: Counter[Word] = Counter()
    for number in range(studies):
        random = np.random.default_rng([seed, number, *_seed(world)])
        people, judge, clusters = drawn(world, random)
        try:
            found = standing(People(people, clusters, measure), judge)
        except UndefinedStatistic:
            said["cannot say"] += 1
            continue
        said[decided(found, can_rank=measure == "scores").word] += 1
    return {word: said[word] / studies for word in WORDS}


def lines(worlds: Sequence[World], studies: int) -> Iterator[str]:
    """The rows of a Markdown table."""
    yield "| ratings | people | reliability | objects | judge | " + " | ".join(WORDS) + " |"
    yield "|---|---|---|---|---|" + "---|" * len(WORDS)
    for world in worlds:
        found = rates(world, studies)
        kind = "1 to 5" if world.prevalence is None else f"two labels, {world.prevalence:g}"
        kind += f", {world.members} a source" if world.members > 1 else ""
        numbers = " | ".join(f"{100 * found[word]:.0f}" for word in WORDS)
        yield f"| {kind} | {world.people} | {world.reliability:g} | {world.n} | {world.judge} | {numbers} |"


def grid() -> list[World]:
    """What docs/verdict.md shows: people who agree well or little, small and large studies, sources, labels."""
    scores = [World(judge, r, n) for r in (0.75, 0.5, 0.3) for judge in JUDGES for n in (40, 80, 200)]
    sources = [World(judge, 0.5, 120, members=6, shared=0.6) for judge in JUDGES]
    none = [World(judge, 0.0, 80) for judge in ("as a person", *UNRELATED)]
    several = [World(judge, 0.5, 80, people=p) for p in (2, 5) for judge in ("as a person", *UNRELATED)]
    labels = [
        World(judge, 0.6, 200, prevalence=p)
        for p in (0.5, 0.8, 0.95)
        for judge in ("as a person", "half a person's noise", "twice a person's noise", *UNRELATED)
    ]
    return [*scores, *sources, *none, *several, *labels]


def _steps(values: Floats) -> Floats:
    return np.clip(np.rint(3.0 + SPREAD * values), 1.0, 5.0)


def _seed(world: World) -> list[int]:
    numbers = (world.reliability, world.n, world.people, world.members, world.shared, world.prevalence or 0.0)
    return [list(JUDGES).index(world.judge), *(round(1000 * number) for number in numbers)]


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--studies", type=int, default=100, help="studies of each world")
    for line in lines(grid(), arguments.parse_args().studies):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
