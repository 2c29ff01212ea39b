"""Which option of a multiple-choice question an answer names, however it is written."""

import re
from collections.abc import Sequence
from functools import lru_cache
from string import ascii_lowercase
from typing import NamedTuple

_WORDS = re.compile(
    r"(?:the\s+)?(?:(?:correct|right|best|final)\s+)?(?:option|answer|choice)\b(?:\s+is\b)?\s*[:=]?\s*", re.IGNORECASE
)
_LETTERED = re.compile(r"[\[(]?\s*([a-z])\s*[\])]?\s*[.):]\s*(\S.*)", re.DOTALL)
_MARKS = "()[]{}<>\"'`*_.,:;!? \t\r\n"
_CACHED = 4096


class NormalisedAnswer(NamedTuple):
    """The option that an answer names, null where it names none; `normalised` where it was written in another way."""

    option: str | None
    normalised: bool


def normalised_answer(text: str, options: Sequence[str]) -> NormalisedAnswer:
    """The option that an answer names.

    Options match as text without letter case and outer spaces; then without brackets, punctuation and words such as
    "Option" or "The answer is". Options of several letters are named by their letter too: the one they begin with,
    as in ``A. Blur``, or else their place, where A is the first.

    Args:
        text: The answer as given.
        options: The question's options in their order, told apart by more than letter case.

    Returns:
        ``option`` is spelled as in ``options``; null for an answer that names none or could name two.
    """
    if text in options:
        return NormalisedAnswer(text, False)
    forms = _forms(tuple(options))
    bare = text.strip().casefold()
    for written in (bare, _undecorated(bare)):
        if written in forms:
            return NormalisedAnswer(forms[written], True)
    parts = _letter_and_text(_without_words(bare))
    if parts is not None:
        named = {forms.get(part) for part in (parts[0], _undecorated(parts[1]))}
        if len(named) == 1 and None not in named:
            return NormalisedAnswer(named.pop(), True)
    return NormalisedAnswer(None, False)


@lru_cache(maxsize=_CACHED)
def _forms(options: tuple[str, ...]) -> dict[str, str]:
    """What names each option, in lower case; a form that fits two options names none."""
    found: dict[str, set[str]] = {}
    written = {option: option.strip().casefold() for option in options}
    parts = [_letter_and_text(form) for form in written.values()]
    letters = [part[0] for part in parts if part is not None]
    for place, (option, form) in enumerate(written.items()):
        forms = {form, _undecorated(form)}
        if len(set(letters)) == len(options):
            forms |= set(parts[place] or ())
        elif all(len(other) > 1 for other in written.values()) and place < len(ascii_lowercase):
            forms.add(ascii_lowercase[place])
        for each in forms - {""}:
            found.setdefault(each, set()).add(option)
    exact = {form: option for option, form in written.items()}
    return {form: named.pop() for form, named in found.items() if len(named) == 1} | exact


def _undecorated(text: str) -> str:
    """The text without brackets, punctuation and introducing words around it."""
    stripped, before = text.strip(_MARKS), ""
    while stripped != before:
        before, stripped = stripped, _without_words(stripped).strip(_MARKS)
    return stripped


def _without_words(text: str) -> str:
    match = _WORDS.match(text)
    return text[match.end() :] if match else text


def _letter_and_text(text: str) -> tuple[str, str] | None:
    """The parts of ``b. noise``, ``b) noise`` or ``(b) noise``."""
    match = _LETTERED.fullmatch(text)
    return (match[1], match[2].strip()) if match else None
