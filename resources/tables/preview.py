"""The first rows of a table as the UI shows them: few, short, and harmless whatever they say."""

from typing import Any, Final

import pandas as pd

from resources.runtime.sanitize import in_markdown

ROWS: Final = 5
COLUMNS: Final = 12
LETTERS: Final = 40


def preview(frame: pd.DataFrame) -> str:
    """The first rows and columns as a Markdown table, and a line on how much is not shown.

    Args:
        frame: Any table.

    Returns:
        At most about 10 kB: `ROWS` rows of `COLUMNS` cells of `LETTERS` letters, in which no sign makes a link, a
        picture or HTML.
    """
    shown = frame.iloc[:ROWS, :COLUMNS]
    lines = [_line([cell(str(name)) for name in shown.columns]), _line(["---"] * len(shown.columns))]
    # By columns: a row of mixed types would turn whole numbers into real ones.
    values = zip(*([cell(value) for value in shown[name].tolist()] for name in shown.columns), strict=True)
    lines += [_line(list(row)) for row in values]
    counts = f"{len(shown)} of {len(frame)} rows"
    if len(frame.columns) > COLUMNS:
        counts += f", {COLUMNS} of {len(frame.columns)} columns"
    return "\n".join([*lines, "", counts])


def cell(value: Any) -> str:
    """One value on one line: four digits of a real number, nothing of a missing value, a long text cut.

    Args:
        value: Of any kind that a table holds; of a list the first entries are shown.
    """
    if isinstance(value, list | tuple):
        return _inert(", ".join(map(str, value[:ROWS])))
    if pd.isna(value):
        return ""
    if isinstance(value, pd.Timestamp):
        return f"{value:%Y-%m-%d %H:%M}"
    return f"{value:.4g}" if isinstance(value, float) else _inert(str(value))


def _inert(text: str) -> str:
    """Addresses are links without any markup, so they are broken too."""
    shown = in_markdown(text, LETTERS)
    return shown.replace("://", "\\://").replace("www.", "www\\.").replace("@", "\\@")


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
