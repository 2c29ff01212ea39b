"""Texts that others wrote, fit for a terminal and for Markdown: one line, no control characters, no markup."""

import unicodedata
from typing import Final

SHOWN: Final = 60


def one_line(text: str, longest: int = SHOWN) -> str:
    """The text on one line without what a terminal would obey; a long one ends in dots, between two words if it can.

    What Rich takes for markup stays as it is: print it as `Text`, or with `markup=False`.
    """
    visible = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in text[: 4 * longest])
    words = " ".join(visible.split())
    if len(words) <= longest and len(text) <= 4 * longest:
        return words
    kept, inside = words[: longest - 3], not words[longest - 3 : longest - 2].isspace()
    whole = kept.rpartition(" ")[0] if inside and len(words) > longest - 3 else kept
    # A word that is most of the line, such as a path, is cut.
    return f"{(whole if len(whole) > longest // 2 else kept).rstrip()}..."


def in_markdown(text: str, longest: int = SHOWN) -> str:
    """The same as one cell of a Markdown table, in which no sign makes a link, a picture or HTML."""
    escaped = one_line(text, longest).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{sign}" if sign in "\\`*_[]|!#~" else sign for sign in escaped)
