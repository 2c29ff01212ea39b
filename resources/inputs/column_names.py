"""Finds the column that a name means, whatever its letter case."""

from collections.abc import Collection


def own_name(name: str, names: Collection[str]) -> str | None:
    """A file's own spelling of a name: exact, else the only one that differs in letter case and outer spaces alone.

    Args:
        name: What was asked for.
        names: The file's.

    Returns:
        Null where there is none, or several are alike.
    """
    if name in names:
        return name
    alike = [one for one in names if one.strip().casefold() == name.strip().casefold()]
    return alike[0] if len(alike) == 1 else None
