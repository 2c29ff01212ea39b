"""Names of people and judges, each in one spelling."""

import unicodedata

from resources.errors import listing


class SpelledNames:
    """Names that differ only in letter case, outer spaces or the form of their accents are one name."""

    def __init__(self) -> None:
        """No name was seen."""
        self._first: dict[str, str] = {}
        self._others: dict[str, None] = {}

    def first(self, name: str) -> str:
        """The spelling in which the name was seen first."""
        plain = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).strip().casefold())
        spelling = self._first.setdefault(plain, name.strip())
        if spelling != name:
            self._others[f"{name!r} is '{spelling}'"] = None
        return spelling

    def notes(self, which: str) -> list[str]:
        """What is said of names in other spellings: one sentence, or none.

        Args:
            which: Begins the sentence.
        """
        return [f"{which} that differ in spelling only are one: {listing(self._others)}."] if self._others else []
