"""How often headline intervals contain the truth: a seeded grid of designs that can be stopped and taken up again."""

import hashlib
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from analysis.intervals.jackknife import Bounds
from analysis.intervals.measured_row import Row
from analysis.intervals.worlds import WORLDS, Design, World

CLUSTERS = (5, 8, 10, 16, 20, 30, 50, 100)
DATA_SETS = 2000
COSTLY_DATA_SETS = 500
AT_ONCE = 250
PROMISED = (0.93, 0.97)
ONE_SIDE = (0.01, 0.04)
# Sums that arithmetic rounds are not misses.
ROUNDING = 1e-12


class Cell(NamedTuple):
    """One world in one design."""

    world: World
    design: Design

    @property
    def key(self) -> str:
        """Its name in a file of results."""
        return f"{self.world.name}; {self.design.clusters} x {self.design.members}, share {self.design.share:g}"


def cells(clusters: Iterable[int] = CLUSTERS, worlds: Iterable[World] = WORLDS) -> list[Cell]:
    """The grid. Clusters of one member have no share between them; other members take all of the world's."""
    return [
        Cell(world, Design(number, members, share))
        for world in worlds
        for number in clusters
        for members in world.members
        for share in (world.shares if members != "1" else (0.0,))
    ]


def measure(cell: Cell, *, seed: int, data_sets: int | None = None) -> list[dict[str, Any]]:
    """The coverage of every statistic of a cell.

    Args:
        cell: What is simulated.
        seed: Of all cells together; each has its own part, whatever else is run.
        data_sets: How many; none: 2,000, and 400 where they are computed one by one.

    Returns:
        A row per statistic: `coverage` and its Monte Carlo `error`, the shares of data sets in which the truth lies
        `below` the interval and `above` it, the median `width`, and `none`, the share without an interval, which counts
        in none of the others.
    """
    wanted = data_sets or (COSTLY_DATA_SETS if cell.world.costly else DATA_SETS)
    of_cell = int.from_bytes(hashlib.sha256(cell.key.encode()).digest()[:8], "big")
    random = np.random.default_rng([seed, of_cell])
    parts = [
        cell.world.measure(random, cell.design, min(AT_ONCE, wanted - start)) for start in range(0, wanted, AT_ONCE)
    ]
    rows = []
    for same in zip(*parts, strict=True):
        first = same[0]
        bounds = Bounds(*(np.concatenate([getattr(part.bounds, side) for part in same]) for side in Bounds._fields))
        rows.append(
            {
                "cell": cell.key,
                "world": cell.world.name,
                **cell.design._asdict(),
                "statistic": first.statistic,
                "kind": first.statistic if first.statistic.startswith(f"{first.kind} ") else first.kind,
                **covered(bounds, first.truth),
            }
        )
    return rows


def covered(bounds: Bounds, truth: float) -> dict[str, Any]:
    """Coverage, misses, width and their number of data sets of intervals that should contain the truth."""
    known = np.isfinite(bounds.low) & np.isfinite(bounds.high)
    low, high, n = bounds.low[known], bounds.high[known], int(known.sum())
    if not n:
        return {"n": 0, "none": 1.0}
    below, above = float(np.mean(truth < low - ROUNDING)), float(np.mean(truth > high + ROUNDING))
    coverage = 1.0 - below - above
    return {
        "n": n,
        "none": float(1.0 - known.mean()),
        "coverage": coverage,
        "error": float(np.sqrt(coverage * (1.0 - coverage) / n)),
        "below": below,
        "above": above,
        "width": float(np.median(high - low)),
    }


def condensed(rows: Iterable[dict[str, Any]]) -> dict[str, tuple[Row, ...]]:
    """The measured table: by kind of statistic a row per number of clusters, over all worlds and designs."""
    by: dict[str, dict[int, list[dict[str, Any]]]] = {}
    for row in rows:
        if row["n"]:
            by.setdefault(row["kind"], {}).setdefault(row["clusters"], []).append(row)
    return {
        kind: tuple(_of_number(number, found) for number, found in sorted(numbers.items()))
        for kind, numbers in sorted(by.items())
    }


def keeps_promise(row: dict[str, Any]) -> bool:
    """Whether coverage and both misses are inside the promised band, give or take two Monte Carlo errors."""
    slack = 2.0 * row["error"]
    side = 2.0 * float(np.sqrt(0.025 * 0.975 / row["n"]))
    return PROMISED[0] - slack <= row["coverage"] <= PROMISED[1] + slack and all(
        ONE_SIDE[0] - side <= row[miss] <= ONE_SIDE[1] + side for miss in ("below", "above")
    )


def _of_number(clusters: int, rows: list[dict[str, Any]]) -> Row:
    worst = min(rows, key=lambda row: float(row["coverage"]))
    world = worst["world"].split(", ", 1)[1].replace("whole numbers ", "")

    def mean(key: str) -> float:
        return round(float(np.mean([row[key] for row in rows])), 3)

    return Row(
        clusters=clusters,
        cells=len(rows),
        kept=sum(keeps_promise(row) for row in rows),
        mean=mean("coverage"),
        below=mean("below"),
        above=mean("above"),
        none=mean("none"),
        width=mean("width"),
        worst=round(float(worst["coverage"]), 3),
        error=round(float(worst["error"]), 3),
        design=f"{world}; {worst['members']} each, share {worst['share']:g}",
    )
