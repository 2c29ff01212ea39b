"""`make bench`: one table of what is measured, what others take for the same, the floor, and whether the target holds.

    python -m benchmarks.table            everything, under 15 minutes on a quiet machine of 2 cores
    python -m benchmarks.table icc calls  the benches whose names have these words in them

Seconds are of the processor, all threads together, unless the unit says otherwise: other work on the machine disturbs
them least. A missed target is a line of the table, no failure; a bench that breaks is one, once all others are done.
"""

import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

# A developer's own study and network must not steer what is measured.
for name in ("TOUCHSTONE_CONFIG", "TOUCHSTONE_DATABASE_URL"):
    os.environ.pop(name, None)
os.environ["TOUCHSTONE_HOME"] = str(Path("/nonexistent/touchstone-home-of-no-benchmark"))

RESULTS: Final = Path(__file__).resolve().parent / "results"
# In this order; each has a function `benches`.
MODULES: Final = ("agreement", "resampling", "preference", "photos", "calls", "house", "growth")
COLUMNS: Final = ("what", "ours", "unit", "peer or floor", "its", "ratio", "target", "holds")


class Target(NamedTuple):
    """What a bench promises: of the ratio to the peer or the floor, or of the number itself."""

    of: str  # "ratio" or "ours"
    sign: str  # ">=" or "<="
    limit: float

    def holds(self, row: "Row") -> bool:
        """Whether the row keeps it."""
        seen = row.ours if self.of == "ours" else row.ratio
        return seen is not None and (seen >= self.limit if self.sign == ">=" else seen <= self.limit)


def times_as_fast(limit: float) -> Target:
    """The peer takes at least so many times as long."""
    return Target("ratio", ">=", limit)


def over_the_floor(limit: float) -> Target:
    """At most so many times what nothing can undercut."""
    return Target("ratio", "<=", limit)


def at_most(limit: float) -> Target:
    """At most so much, in the row's unit."""
    return Target("ours", "<=", limit)


class Row(NamedTuple):
    """One line: `floor` and `peer` are in the unit of `ours`; `note` says why something is missing."""

    what: str
    ours: float | None
    unit: str = "s"
    peer: float | None = None
    of_peer: str = ""
    floor: float | None = None
    target: Target | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """The peer's time over ours, or ours over the floor."""
        if not self.ours:
            return None
        if self.peer is not None:
            return self.peer / self.ours
        return self.ours / self.floor if self.floor else None


Bench = Callable[[], Iterable[Row]]


def cpu_s(work: Callable[[], Any], times: int = 3) -> float:
    """Seconds of the processor that this process needs for it, the least of several runs."""
    return _least(work, times, time.process_time)


def wall_s(work: Callable[[], Any], times: int = 1) -> float:
    """Seconds on the clock, for what waits."""
    return _least(work, times, time.perf_counter)


def _least(work: Callable[[], Any], times: int, clock: Callable[[], float]) -> float:
    taken = []
    for _ in range(times):
        started = clock()
        work()
        taken.append(clock() - started)
    return min(taken)


def in_turns(
    works: Sequence[Callable[[], Any]], times: int, clock: Callable[[], float] = time.process_time
) -> list[float]:
    """The least seconds of each of several works that take turns, so that other work disturbs them alike."""
    least = [float("inf")] * len(works)
    for _ in range(times):
        least = [min(before, _least(work, 1, clock)) for before, work in zip(least, works, strict=True)]
    return least


def cells(row: Row) -> list[str]:
    """The row as words."""
    compared = row.peer if row.peer is not None else row.floor
    kept = "" if row.target is None or row.ours is None else "yes" if row.target.holds(row) else "NO"
    target = "" if row.target is None else f"{row.target.sign} {row.target.limit:g}"
    if row.target is not None and row.target.of == "ours" and row.unit:
        target += f" {row.unit}"
    named = row.note or (row.of_peer if row.peer is not None or row.floor is None else row.of_peer or "floor")
    return [row.what, _number(row.ours), row.unit, named, _number(compared), _number(row.ratio), target, kept]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def show(words: Iterable[str]) -> None:
    """One line of the table, in Markdown."""
    print("| " + " | ".join(words) + " |", flush=True)


def machine() -> dict[str, Any]:
    """What a result depends on; no name of the machine is kept."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "load": [round(one, 1) for one in os.getloadavg()],
        "date": datetime.now(UTC).date().isoformat(),
    }


def kept(rows: Sequence[Row], facts: dict[str, Any]) -> Path:
    """Write the numbers under the kind of machine; the last ones of each kind stay."""
    RESULTS.mkdir(exist_ok=True)
    named = f"{facts['system']} {facts['cores']} cores".lower().replace(" ", "_")
    path = RESULTS / f"{named}.json"
    found = [
        {name: value for name, value in row._asdict().items() if name != "target" and value not in (None, "")}
        | ({} if row.ratio is None else {"ratio": round(row.ratio, 3)})
        | (
            {}
            if row.target is None or row.ours is None
            else {"target": list(row.target), "holds": row.target.holds(row)}
        )
        for row in rows
    ]
    path.write_text(json.dumps(facts | {"rows": found}, indent=1) + "\n")
    return path


def chosen(words: Sequence[str]) -> list[tuple[str, Bench]]:
    """The benches whose name, with its module's, has one of these words in it; all without any."""
    every = [(f"{name}.{one.__name__}", one) for name in MODULES for one in import_module(f"benchmarks.{name}").BENCHES]
    return [(name, one) for name, one in every if not words or any(word in name for word in words)]


def main(words: Sequence[str]) -> int:
    """Measure, print, keep; 1 where a bench broke."""
    facts, rows, broken = machine(), list[Row](), 0
    started = time.perf_counter()
    show(COLUMNS)
    show("---:" if name in ("ours", "its", "ratio") else "---" for name in COLUMNS)
    for name, bench in chosen(words):
        try:
            for row in bench():
                rows.append(row)
                show(cells(row))
        except Exception as fault:
            broken += 1
            show(
                cells(Row(name, None, "", note=f"broke: {type(fault).__name__}: {' '.join(str(fault).split())[:150]}"))
            )
    facts["seconds"] = round(time.perf_counter() - started)
    print(f"\n{facts['cores']} cores, load {facts['load'][0]} at the start, {facts['seconds']} s")
    if not words:
        print(f"Kept in {kept(rows, facts)}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
