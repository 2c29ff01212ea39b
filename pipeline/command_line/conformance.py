"""`touchstone conformance`: whether the statistics give the numbers that papers and other software print."""

import json
import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.command_line.terminal import terminal
from resources.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.conformance.case import Checked

# So wide that the columns of all tables stand under each other.
STATISTIC = 31
# Designs between two lines on how far a simulation is.
EVERY = 50


def conformance(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    as_page: Annotated[bool, typer.Option("--page", help="Print the page docs/conformance.md.")] = False,
    tid2013: Annotated[Path | None, typer.Option(help="Check TID2013's correlations too: its CSV file.")] = None,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Instead simulate how often intervals contain the truth: minutes.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="With --coverage: all designs, not a fixed part of them.")
    ] = False,
    results: Annotated[
        Path | None, typer.Option(help="With --coverage: a JSONL file that is added to, where a stopped run goes on.")
    ] = None,
) -> None:
    """Compute every published number again, print both; exit 1 where one is missed (docs/conformance.md)."""
    if coverage:
        raise typer.Exit(_coverage(results, full=full, as_json=as_json))
    if full or results is not None:
        raise UserError("`--full` and `--results` go with `--coverage`. Add it, or leave them out.")
    from pipeline.conformance_page import checked

    found = checked(tid2013)
    if as_json or as_page:
        from pipeline import conformance_page

        text = json.dumps(conformance_page.as_json(found), indent=2, allow_nan=False) + "\n"
        sys.stdout.write(conformance_page.page(found) if as_page else text)
    else:
        _show(found)
    if not all(one.passed for one in found):
        raise typer.Exit(1)


def _coverage(results: Path | None, *, full: bool, as_json: bool) -> int:
    """Simulates, prints, and says whether every design covers what the shipped table says: 0, else 1."""
    from pipeline import interval_coverage as intervals

    progress = terminal(stderr=True)

    def done(n: int, total: int) -> None:
        if n % EVERY == 0 or n == total:
            progress.print(f"{n:,} of {total:,} designs", highlight=False)

    found = intervals.measured(results, full=full, done=done)
    if as_json:
        sys.stdout.write(json.dumps(intervals.as_json(found), indent=2, allow_nan=False) + "\n")
        return int(bool(found.worse))
    from pipeline.command_line.terminal import grid

    console = terminal()
    # The worst design makes a line too long for most terminals; `--json` and the page have it.
    columns = intervals.COLUMNS[:-1]
    table = grid(*(name if place == 0 else f">{name}" for place, name in enumerate(columns)))
    for line in intervals.lines(found.table):
        table.add_row(*line[:-1])
    console.print(table)
    low, high = (f"{share:.0%}" for share in intervals.PROMISED)
    console.print(
        f"Promised: {low} to {high}, in % of data sets. `kept`: designs that keep it, misses on each side included."
    )
    for row in found.worse:
        console.print(f"Less than the shipped table says: {row['statistic']}, {row['cell']}: {row['coverage']:.1%}.")
    console.print(f"{len(found.worse):,} of {len(found.rows):,} rows cover less than the shipped table says.")
    return int(bool(found.worse))


def _show(found: "Sequence[Checked]") -> None:
    """A heading for each data set and source, under it its numbers."""
    from rich.text import Text

    from pipeline.command_line.terminal import grid
    from pipeline.conformance_page import cells, summary

    console = terminal()
    for (data, source), numbers in groupby(found, key=lambda one: (one.data, one.source)):
        console.print(f"{data[:1].upper()}{data[1:]}", style="bold", highlight=False)
        console.print(source, style="dim", highlight=False)
        table = grid("statistic", ">expected", ">got", ">difference", "passes")
        table.columns[0].min_width = STATISTIC
        for one in numbers:
            statistic, _, expected, got, difference, _, passes, _ = cells(one)
            table.add_row(statistic, expected, got, difference, Text(passes, style="" if one.passed else "bold red"))
        console.print(table)
    console.print(f"{summary(found)}.")
