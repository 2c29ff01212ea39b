"""Errors that a user can fix; the command line prints them in one line and exits 2."""

from collections.abc import Iterable
from difflib import get_close_matches

from analysis.messages import Name, made_of, message, message_list

SHOWN = 10


class UserError(Exception):
    """Something in a user's file, configuration or environment is wrong; the message says what to do."""


class FileFault(UserError):
    """A user's file is wrong: file, row, column, value and remedy in one message."""

    def __init__(self, file: object, problem: str, remedy: str, *, row: int | None = None) -> None:
        where = f"{file}, row {row}" if row is not None else f"{file}"
        super().__init__(f"{where}: {problem} Nothing was loaded. {remedy}")
        self.row = row


class DatabaseUnusable(UserError):
    """The database cannot be reached, or is damaged, locked or full; nothing is wrong with what was asked of it."""


def nearest_of(word: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """The known word that is most like this one, whatever the letter case; null where none is near.

    Args:
        word: What was written.
        known: What could be meant.
        likeness: How much of both words must agree, 0-1.
    """
    spelt = {name.casefold(): name for name in known}
    matches = get_close_matches(word.casefold(), spelt, n=1, cutoff=likeness)
    return spelt[matches[0]] if matches else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A phrase like `` (did you mean 'repeats'?)``, or nothing where no known word is near."""
    match = nearest_of(word, known)
    return f" (did you mean '{match}'?)" if match is not None else ""


def listing(values: Iterable[object], shown: int = SHOWN) -> str:
    """The first few values and how many more there are; of names it is one."""
    items = [value if isinstance(value, Name) else str(value) for value in values]
    rest = len(items) - shown
    # Sentences stand one after the other, words have commas between them.
    sentences = bool(items) and items[0].endswith(".")
    between = " " if sentences else ", "
    shown_items = between.join(items[:shown])
    if all(isinstance(one, Name) for one in items[:shown]):
        shown_items = Name(shown_items)
    elif any(made_of(one)[1] for one in items[:shown]):
        shown_items = message_list(items[:shown], between)
    if rest <= 0:
        return shown_items
    if sentences:
        return message("{items} and {n} more.", items=shown_items, n=rest)
    return message("{items} and {n} more", items=shown_items, n=rest)
