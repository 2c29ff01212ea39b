"""`touchstone conformance`: whether the statistics give the numbers that papers and other software print."""

import json
import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.command_line.terminal import terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.conformance.case import Checked

# So wide that the columns of all tables stand under each other.
STATISTIC = 31


def conformance(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    as_page: Annotated[bool, typer.Option("--page", help="Print the page docs/conformance.md.")] = False,
    tid2013: Annotated[Path | None, typer.Option(help="Check TID2013's correlations too: its CSV file.")] = None,
) -> None:
    """Compute every published number again, print both; exit 1 where one is missed (docs/conformance.md)."""
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


def _show(found: "Sequence[Checked]") -> None:
    """A heading for each data set and source, under it its numbers."""
    from rich.text import Text

    from pipeline.command_line.evaluate_shown import grid
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
