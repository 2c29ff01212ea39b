"""One spelling of names and labels that differ in letter case, white space or the form of their accents alone."""

import re
import unicodedata
from typing import Final

# Without a width: spaces, joiners, marks of direction, the soft hyphen, the byte order mark, how an emoji is drawn and
# the colour of its skin.
_ZERO_WIDTH: Final = re.compile(
    "[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]"
)


def plain_spaces(text: str) -> str:
    """A text with one space for each run of white space of any kind, none outside, and nothing without width."""
    return " ".join((text if text.isascii() else _ZERO_WIDTH.sub("", text)).split())


def one_spelling(text: str) -> str:
    """What texts that differ in letter case, white space or the form of their accents alone have in common."""
    if text.isascii():
        return plain_spaces(text).lower()
    return unicodedata.normalize("NFC", plain_spaces(unicodedata.normalize("NFC", text)).casefold())
