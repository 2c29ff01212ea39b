"""Users' words on a picture: as they are, short, and in the order in which people count."""

import re


def plain(text: str, *, lines: bool = False) -> str:
    """A user's words as they are: a dollar sign starts no formula, and they stay on one line.

    Args:
        text: Names of data sets, fields, options.
        lines: Keep line breaks.
    """
    kept = str(text) if lines else " ".join(str(text).split())
    return kept.replace("$", r"\$")


def short(text: object, most: int) -> str:
    """A name on one line, cut to so many characters."""
    name = " ".join(str(text).split())
    return name if len(name) <= most else f"{name[: most - 1]}…"


def natural(name: object) -> tuple[tuple[int, str], ...]:
    """A key for sorting by which level 2 comes before level 10."""
    parts = re.findall(r"[0-9]+|[^0-9]+", str(name))
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in parts)


def escaped(text: object, most: int) -> str:
    """`short` for pictures in which a dollar sign would start a formula."""
    return plain(short(text, most))
