"""A headline number of a report's summary."""

from dataclasses import dataclass

from reports.shared.text import Part, Text


@dataclass(frozen=True)
class Figure:
    """A headline number: its name, the number, and the interval or the note below."""

    label: Text
    value: Part
    note: Part | None
    term: str
