"""Options that say of a file what it does not say of itself, the same in every command that takes any file."""

from typing import Annotated, Final, Literal

import typer

_PANEL: Final = "How the file is written"

Sheet = Annotated[str | None, typer.Option(help="Sheet of a workbook.", metavar="NAME", rich_help_panel=_PANEL)]
Encoding = Annotated[
    str | None,
    typer.Option(help="Of a CSV file that is not UTF-8: latin-1, cp1252.", metavar="NAME", rich_help_panel=_PANEL),
]
Decimal = Annotated[
    Literal[",", "."] | None,
    typer.Option(help="Decimal sign of the file's numbers; else as each column shows it.", rich_help_panel=_PANEL),
]
