"""The help of a report: what each statistic is, how to read it, and where it comes from."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports.shared.text import Text, Translations


@dataclass(frozen=True)
class Entry:
    """One statistic in the help."""

    id: str
    name: Text
    meaning: Text
    reading: Text
    source: Text


def entries(translations: Translations, ids: Sequence[str]) -> list[Entry]:
    """These entries, in this order.

    Raises:
        KeyError: One of them has no words.
    """
    say = translations.say
    return [
        Entry(
            one,
            say(f"glossary.{one}.name"),
            say(f"glossary.{one}.meaning"),
            say(f"glossary.{one}.reading"),
            say(f"glossary.{one}.source"),
        )
        for one in ids
    ]
