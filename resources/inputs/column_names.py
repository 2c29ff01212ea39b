"""Names that differ in letter case and white space alone: a file's columns, people and judges."""

from collections.abc import Collection

from analysis.spelling import folded, spaced
from resources.errors import listing


def own_name(name: str, names: Collection[str]) -> str | None:
    """A file's own spelling of a name: exact, else the only one that differs in letter case and white space alone.

    Args:
        name: What was asked for.
        names: The file's.

    Returns:
        Null where there is none, or several are alike.
    """
    if name in names:
        return name
    alike = [one for one in names if folded(one) == folded(name)]
    return alike[0] if len(alike) == 1 else None


class SpelledNames:
    """Names that differ only in letter case, white space or the form of their accents are one name."""

    def __init__(self) -> None:
        """No name was seen."""
        self._first: dict[str, str] = {}
        self._known: dict[str, str] = {}
        self._others: dict[str, None] = {}

    def first(self, name: str) -> str:
        """The spelling in which the name was seen first."""
        if (known := self._known.get(name)) is not None:
            return known
        spelling = self._known[name] = self._first.setdefault(folded(name), spaced(name))
        if spelling != name:
            self._others[f"{name!r} is '{spelling}'"] = None
        return spelling

    def notes(self, which: str) -> list[str]:
        """What is said of names in other spellings: one sentence, or none.

        Args:
            which: Begins the sentence.
        """
        return [f"{which} that differ in spelling only are one: {listing(self._others)}."] if self._others else []
