"""Reasons and methods that tables state in English, said in the other languages from what they were made of."""

import re
import string
from functools import lru_cache
from typing import Any, Final

from markupsafe import Markup, escape

from analysis.messages import Name, Value, made_of
from reports.shared.numbers import BETWEEN, marked
from reports.shared.text import LANGUAGES, Part, Text, Translations, form_for, in_english, joined, read_data, same

A_WORD: Final = re.compile(r"[^\W\d_]{2}")
# Alterations of Touchstone's golden set, by kind and sizes: blur_1, hue (5, 10).
ALTERED: Final = re.compile(r"\b(hue|saturation|brightness|blur|texture|logo)(?:_(\d+)\b| \(([\d, ]+)\))(?!_)")
WORDS: Final = Translations("shared/words")
# The first letter, after markup that says in which language it is.
FIRST: Final = re.compile(r"(?:<[^>]*>)*\w")


def phrase(words: Any, *, inside: bool = False) -> Text:
    """A table's reason or method; in English where no translation is known.

    Args:
        words: What the table says: a message, a name, or a sentence of an older table.
        inside: Within a sentence, which has a full stop of its own.
    """
    if isinstance(words, Name):
        return same(words)
    said = {language: translation(str(words), language) for language in LANGUAGES}
    ready = {language: one.rstrip(".") if inside else one for language, one in said.items() if one is not None}
    if len(ready) < len(said):
        return in_english(ready[LANGUAGES[0]])
    return Text({language: escape(one) for language, one in ready.items()})


def sentence(words: Any) -> Text:
    """A table's reason as a sentence of its own: translated first, as its template is known by its own words only."""
    said = phrase(words, inside=True)
    return Text({language: _capital(html) + "." for language, html in said.html.items()})


def alterations_in_words(names: str) -> Text:
    """Names of alterations by what was altered and in which unit; those of the user's own golden set stay."""
    parts: list[Part] = []
    end = 0
    for found in ALTERED.finditer(names):
        sizes = found[2] or found[3]
        parts += [names[end : found.start()], WORDS.say(f"verdict.alteration.{found[1]}", sizes=sizes)]
        end = found.end()
    return joined([*parts, names[end:]], "")


def _capital(html: Markup) -> Markup:
    first = FIRST.match(html)
    if first is None:
        return html
    place = first.end() - 1
    return html[:place] + html[place].upper() + html[place + 1 :]


def translation(sentence: str, language: str) -> str | None:
    """The sentence in a language of the page; none where its template has no translation.

    Values that are messages are translated too, names and other words stay, and numbers have the language's marks.
    """
    template, values = made_of(sentence)
    # What joins messages, such as "{part_0}; {part_1}", is the same in every language.
    joins = values and not A_WORD.search("".join(text for text, *_ in string.Formatter().parse(template)))
    known = {template: template} if language == LANGUAGES[0] else catalogue(language)
    words = known.get(template, template.replace(", {high", BETWEEN[language] + "{high") if joins else None)
    if words is None:
        return None
    return _Formatter(language).vformat(form_for(words, values.get("n"), language), (), values) if values else words


@lru_cache
def catalogue(language: str) -> dict[str, str]:
    """The translation of every template."""
    return {str(template): str(words) for template, words in read_data(f"shared/messages.{language}.yaml").items()}


class _Formatter(string.Formatter):
    def __init__(self, language: str) -> None:
        self.language = language

    def format_field(self, value: Value, format_spec: str) -> str:
        if isinstance(value, Name):
            return value
        if isinstance(value, str):
            return translation(value, self.language) or value
        return marked(format(value, format_spec), self.language)
