"""How often headline intervals contain the truth here: a fixed part of the grid or all of it, against the table."""

import json
import os
from collections.abc import Callable, Iterator
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

from analysis.intervals.coverage import ONE_SIDE, PROMISED, cells, condensed, keeps_promise, measure
from analysis.intervals.measured_row import Row
from analysis.intervals.measured_rows import SEED, STATISTICS
from resources.errors import UserError, listing

# The numbers of clusters of the fixed part: minutes on two cores.
PART = (8, 10, 20, 50)
# Beyond so many Monte Carlo errors of both a coverage is worse than the table says.
ERRORS = 3.0
COLUMNS = (
    "statistic",
    "clusters",
    "designs",
    "kept",
    "coverage",
    "below",
    "above",
    "width",
    "worst",
    "+/-",
    "worst design",
)
SECTION = f"""## Coverage of intervals

How often headline intervals of 95 % contain the truth, by simulation: [the measured table](coverage.md).
`touchstone conformance --coverage` measures its designs of {listing(PART)} clusters again, in minutes, and ends with 1
where one covers less than the worst there by more than three Monte Carlo errors; `--full` measures all of them, and
`--results FILE` lets a stopped run go on.
"""


class Measured(NamedTuple):
    """A row per statistic and design, the same condensed, and the rows that cover less than the shipped table says."""

    rows: list[dict[str, Any]]
    table: dict[str, tuple[Row, ...]]
    worse: list[dict[str, Any]]


def measured(
    results: Path | None, *, full: bool, done: Callable[[int, int], None], data_sets: int | None = None
) -> Measured:
    """Simulates what is not in the results yet.

    Args:
        results: A file with a line per row; what it has is not simulated again, and each design is written as it ends.
            None: nothing is kept.
        full: The whole grid rather than `PART` of the numbers of clusters.
        done: Called with the designs that are done and their number.
        data_sets: For each design; none: as many as the table has.

    Raises:
        UserError: The file is no such file, or cannot be written.
    """
    grid = cells() if full else cells(clusters=PART)
    rows = _read(results)
    wanted = {cell.key for cell in grid}
    rows = [row for row in rows if row["cell"] in wanted]
    known = {row["cell"] for row in rows}
    done(len(known), len(grid))
    for cell in [cell for cell in grid if cell.key not in known]:
        found = measure(cell, seed=SEED, data_sets=data_sets)
        if results is not None:
            _append(results, found)
        rows += found
        known.add(cell.key)
        done(len(known), len(grid))
    return Measured(rows, condensed(rows), [row for row in rows if worse_than_shipped(row)])


def worse_than_shipped(row: dict[str, Any]) -> bool:
    """Whether a design covers less than the worst design of the shipped table, beyond Monte Carlo error."""
    shipped = [one for one in STATISTICS.get(row["kind"], ()) if one.clusters == row["clusters"]]
    if not shipped or not row["n"]:
        return False
    return bool(row["coverage"] < shipped[0].worst - ERRORS * sqrt(row["error"] ** 2 + shipped[0].error ** 2))


def lines(table: dict[str, tuple[Row, ...]]) -> Iterator[tuple[str, ...]]:
    """The table as `COLUMNS` have it."""
    for kind, rows in table.items():
        for row in rows:
            shares = (f"{100 * share:.1f}" for share in (row.mean, row.below, row.above))
            worst, error = f"{100 * row.worst:.1f}", f"{100 * row.error:.1f}"
            counts = (str(row.clusters), str(row.cells), str(row.kept))
            yield (kind, *counts, *shares, f"{row.width:.3g}", worst, error, row.design)


def as_json(found: Measured) -> dict[str, Any]:
    """All of it in plain values."""
    return {
        "promised": {"coverage": PROMISED, "one_side": ONE_SIDE},
        "seed": SEED,
        "n_designs": len({row["cell"] for row in found.rows}),
        "n_rows": len(found.rows),
        "n_kept": sum(bool(row["n"]) and keeps_promise(row) for row in found.rows),
        "worse_than_shipped": found.worse,
        "statistics": {kind: [row._asdict() for row in rows] for kind, rows in found.table.items()},
        "rows": found.rows,
    }


def _read(results: Path | None) -> list[dict[str, Any]]:
    if results is None or not results.exists():
        return []
    rows = []
    for number, line in enumerate(results.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            rows.append(row | {"cell": row["cell"], "kind": row["kind"]})
        except (ValueError, KeyError, TypeError) as problem:
            raise UserError(
                f"{results}, line {number} is no row of simulated coverage. Name another file, or remove that line: "
                "its design is simulated again."
            ) from problem
    return rows


def _append(results: Path, rows: list[dict[str, Any]]) -> None:
    """All rows of a design at once, so that a run that is stopped leaves whole designs."""
    with results.open("a", encoding="utf-8") as file:
        file.write("".join(json.dumps(row) + "\n" for row in rows))
        file.flush()
        os.fsync(file.fileno())
