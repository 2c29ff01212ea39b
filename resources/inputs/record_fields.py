"""Finds values in nested records by dotted names such as `metadata.mos`."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from resources.errors import UserError, did_you_mean, listing
from resources.inputs.column_names import own_name

SHOWN_FIELDS = 40
# How data frames and spreadsheets write that there is no value.
NO_VALUE: Final = frozenset({"NA", "N/A", "n/a", "nan", "NaN", "NAN", "<NA>"})
Fields = dict[str, Any]


class SeveralValues(Exception):
    """A field that should hold one value holds a list or a group of fields."""


def leaves(record: Fields) -> Iterator[tuple[str, Any]]:
    """Every field of a record by its dotted name; what is no group of fields is a field, lists and nulls too."""
    # No recursion: how deep a file nests is not ours to limit.
    groups = [("", iter(record.items()))]
    while groups:
        prefix, items = groups[-1]
        for key, value in items:
            if isinstance(value, dict):
                groups.append((f"{prefix}{key}.", iter(value.items())))
                break
            yield prefix + key, value
        else:
            groups.pop()


def value_of(name: str) -> Callable[[Fields], Any]:
    """A function that finds the field in a record: null where it is absent.

    A key that is spelled with its dots, as a column of a CSV file is, comes before a nested field.
    """
    first, *rest = name.split(".")
    if not rest:
        return lambda record: record.get(name)

    def nested(record: Fields) -> Any:
        if name in record:
            return record[name]
        value: Any = record.get(first)
        for part in rest:
            if not isinstance(value, dict):
                return None
            value = value.get(part)
        return value

    return nested


def as_text(value: Any) -> str | None:
    """A single value as text, without outer spaces; null where there is none.

    Raises:
        SeveralValues: It is a list or a group of fields.
    """
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, list | tuple | dict | bytes):
        raise SeveralValues(f"{value!r:.60}")
    if isinstance(value, bool):
        return str(value).lower()
    # A number that is none is how a data frame writes a missing one.
    return None if value is None or value != value else str(value)


def unknown_field(name: str, names: Iterable[str]) -> UserError | None:
    """The error for a field that the file does not have in any letter case, with those it has; else null."""
    there = list(names)
    if own_name(name, there) is not None:
        return None
    within = [other for other in there if other.startswith(f"{name}.")]
    if within:
        return UserError(f"'{name}' is a group of fields: {listing(map(repr, within), SHOWN_FIELDS)}.")
    fields = listing(map(repr, there), SHOWN_FIELDS) or "none"
    return UserError(f"there is no field '{name}'{did_you_mean(name, there)}; the fields there are: {fields}.")
