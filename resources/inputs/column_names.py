"""Names that differ in letter case and white space alone: a file's columns, people and judges."""

from collections.abc import Collection, Sequence

from analysis.messages import Name, message
from analysis.spelling import one_spelling, plain_spaces
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
    alike = [one for one in names if one_spelling(one) == one_spelling(name)]
    return alike[0] if len(alike) == 1 else None


class SpelledNames:
    """Names that differ only in letter case, white space or the form of their accents are one name."""

    def __init__(self) -> None:
        """No name was seen."""
        self._first: dict[str, str] = {}
        self._known: dict[str, str] = {}
        self._alone: dict[str, str] = {}
        self._others: dict[str, None] = {}

    def first(self, name: str) -> str:
        """The spelling in which the name was seen first."""
        if (known := self._known.get(name)) is not None:
            return known
        key, plain = one_spelling(name), plain_spaces(name)
        if key not in self._first and plain != name:
            self._alone[key] = name
        # Spaces that are written otherwise join nothing until another spelling comes.
        met = [self._alone.pop(key, plain), name] if key in self._first else []
        spelling = self._known[name] = self._first.setdefault(key, plain)
        for other in met:
            if other != spelling:
                self._others[message("{name} is '{spelling}'", name=Name(repr(other)), spelling=Name(spelling))] = None
        return spelling

    def notes(self, which: str) -> list[str]:
        """What is said of names in other spellings: one sentence, or none.

        Args:
            which: Begins the sentence.
        """
        if not self._others:
            return []
        return [message("{which} that differ in spelling only are one: {all}.", which=which, all=listing(self._others))]


def alike_names(
    items: list[str | None], raters: Sequence[str | None], column: str
) -> tuple[list[str | None], list[str]]:
    """Names of objects that differ in spelling only as one, except those of which one rater rated two; with notes.

    Args:
        items: The object of each row.
        raters: Who rated it there; null where no one did.
        column: That of the objects, for the notes.
    """
    spelled, exact, apart = SpelledNames(), dict[tuple[str, str], str](), set[str]()
    alike = [None if item is None else spelled.first(item) for item in items]
    which = message("Names in column '{column}'", column=Name(column))
    notes = spelled.notes(which)
    for item, one, rater in zip(items, alike, raters, strict=True) if notes else ():
        if item and one and rater and exact.setdefault((rater, one), item) != item:
            apart.add(one)
    if not apart:
        return alike, notes
    joined, own = SpelledNames(), dict[str, None]()
    for place, (item, one) in enumerate(zip(items, alike, strict=True)):
        if item and one in apart:
            alike[place] = item
            own[repr(item)] = None
        elif item:
            joined.first(item)
    kept = "Names in column '{column}' that stay apart, as one rater rated several spellings: {all}."
    return alike, [*joined.notes(which), message(kept, column=Name(column), all=listing(map(Name, own)))]
