"""The terminal as the command line uses it, whatever the environment makes of it; imported before anything else is."""

import os
import sys
import warnings
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from resources.runtime import ctrl_c

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from analysis.gates import Gate

ctrl_c.listen()

if any(option.startswith("error") for option in sys.warnoptions):
    # A library's warning is no fault of the user's: as an error it would end whatever imports the library.
    warnings.resetwarnings()
    warnings.simplefilter("ignore")
    sys.warnoptions[:] = ["ignore"]
    os.environ["PYTHONWARNINGS"] = "ignore"

for stream in (sys.stdout, sys.stderr):
    # A letter that the terminal's encoding lacks is written as its number.
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")


def terminal(**settings: Any) -> "Console":
    """A console that prints words as they are: no `[v2]` of a path or a name is read as markup.

    Args:
        settings: Of `rich.console.Console`.
    """
    from rich.console import Console

    return Console(**{"markup": False, "emoji": False} | settings)


def grid(*headings: str, gap: int = 1, wrapped: Collection[str] | None = None) -> "Table":
    """An empty table.

    Args:
        headings: Those that begin with ``>`` are of numbers, on the right and on one line.
        gap: Spaces between columns.
        wrapped: The columns of words that may take several lines; all where left out.
    """
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, gap, 0, 0), pad_edge=False)
    for heading in headings:
        right = heading.startswith(">")
        one_line = right or (wrapped is not None and heading not in wrapped)
        table.add_column(heading.removeprefix(">"), justify="right" if right else "left", no_wrap=one_line)
    return table


def show_line(console: "Console", line: "Text | str", indent: int = 0, style: str = "") -> None:
    """A sentence: at a terminal broken between words and indented throughout, elsewhere on one line, for `grep`.

    Args:
        console: Where to; that of a part in another process has the terminal's colours, and is none itself.
        line: Without a line break.
        indent: Blanks in front.
        style: Of Rich.
    """
    from rich.padding import Padding
    from rich.text import Text

    said = line if isinstance(line, Text) else Text(line, style)
    if console.color_system:
        console.print(Padding(said, (0, 0, 0, indent), expand=False), highlight=False)
    else:
        console.print(Text(" " * indent) + said, soft_wrap=True, highlight=False)


def show_gate(gate: "Gate", console: "Console") -> bool:
    """A line on what a gate of a run would say; true where it would pass."""
    from rich.text import Text

    word = Text("pass", style="green") if gate.passed else Text("STOP", style="bold red")
    if not gate.is_asked:
        word = Text("not asked", style="bright_black")
    console.print(Text.assemble("  ", word, f" {gate.name}: {gate.sentence}"), soft_wrap=True, highlight=False)
    return gate.passed
