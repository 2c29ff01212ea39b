"""Reasons and methods that tables state in English, said in the other languages where their form is known."""

import re
from functools import lru_cache
from typing import Any, Final

from markupsafe import Markup, escape

from reports.shared.text import LANGUAGES, Text, in_english, read_data

BETWEEN: Final = re.compile(r"(; |, |: |\. )")


def phrase(words: Any) -> Text:
    """A table's reason or method; in English where no translation is known.

    Args:
        words: What the table says.
    """
    said = str(words)
    html = {"en": escape(said)}
    for language in LANGUAGES[1:]:
        parts = BETWEEN.split(said)
        translated = [part if BETWEEN.fullmatch(part) else _translated(part, language) for part in parts]
        if any(part is None for part in translated):
            return in_english(said)
        html[language] = escape("".join(part or "" for part in translated))
    return Text({language: Markup(html[language]) for language in LANGUAGES})  # noqa: S704 - all comes from `escape`


def _translated(part: str, language: str) -> str | None:
    for pattern, words in _patterns(language):
        if match := pattern.fullmatch(part):
            return words.format(*(_number(group) for group in match.groups()), whole=part)
    return None


def _number(group: str) -> str:
    """A captured number with a decimal comma; other captured words stay."""
    return group.replace(".", ",") if re.fullmatch(r"-?\d+\.\d+", group) else group


@lru_cache
def _patterns(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    pairs = read_data(f"shared/phrases.{language}.yaml")
    return tuple((re.compile(pattern), words) for pattern, words in pairs)
