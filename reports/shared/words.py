"""Users' words on a picture: as they are, short, and in the order in which people count."""

import re


def short(text: object, most: int) -> str:
    """A name on one line, cut to so many characters."""
    name = " ".join(str(text).split())
    return name if len(name) <= most else f"{name[: most - 1]}…"


def natural(name: object) -> tuple[tuple[int, str], ...]:
    """A key for sorting by which level 2 comes before level 10."""
    parts = re.findall(r"[0-9]+|[^0-9]+", str(name))
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in parts)
