"""Reads single values of an evaluation file: scores, answers' options, and why a value is none."""

import json
import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from analysis.accuracy.option_confusion import INVALID
from analysis.spelling import one_spelling
from resources.inputs.written_columns import PLAIN_NUMBER

DEFAULT_OPTIONS = ("A", "B", "C", "D")
MISSING, NOT_A_NUMBER, INFINITE = "missing", "not_a_number", "infinite"
_WHOLE = re.compile(r"-?\d+(\.0*)?")
_LETTERED = re.compile(r"\(?([A-Za-z])[.):]+\s*(\S.*)", re.DOTALL)
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)


class Score(NamedTuple):
    """A finite number, or the cause for which there is none; `from_text` where it was written as text."""

    value: float
    cause: str | None
    from_text: bool


class Options(NamedTuple):
    """The options of one question in their order; `texts` is what each says where its name is a letter for it."""

    names: tuple[str, ...]
    texts: tuple[str, ...] | None = None


class NoOptions(Exception):
    """What stands for the options of a question is none; the message is a sentence."""


def plain_number(text: str) -> float | None:
    """The number in a text that is written as programs write one; null where there is none."""
    return float(text) if PLAIN_NUMBER.fullmatch(text) else None


def score_in(value: Any, number: Callable[[str], float | None] = plain_number) -> Score:
    """The number that a value holds, a text such as ``"0.87 "`` too.

    Args:
        value: From a file.
        number: Finds the number in a text; null where there is none.

    Returns:
        `cause` is null for a finite number, else missing (null or blank), not_a_number or infinite.
    """
    if type(value) is float or type(value) is int or isinstance(value, Decimal):
        return _finite(value, False)
    if value is None:
        return Score(math.nan, MISSING, False)
    if not isinstance(value, str):
        return Score(math.nan, NOT_A_NUMBER, False)
    text = value.strip()
    found = number(text)
    if found is not None:
        return _finite(found, True)
    if _INFINITE.fullmatch(text):
        return Score(math.nan, INFINITE, True)
    return Score(math.nan, NOT_A_NUMBER if text else MISSING, True)


def options_in(value: Any) -> Options:
    """The options that a value holds: a list, a text such as ``A|B|C``, or letters with what each says.

    A list such as ``["A. Blur", "B. Noise"]`` holds letters with what each says, too.

    Returns:
        A to D where the value is null or blank.

    Raises:
        NoOptions: There are fewer than two, one is blank or called "invalid", or two are alike but for letter case
            and white space.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return Options(DEFAULT_OPTIONS)
    if isinstance(value, str):
        return options_in(listed) if (listed := _json_in(value)) else _listed(value.split("|"))
    if isinstance(value, dict):
        # Parquet gives every record all letters that any record has.
        return _lettered([(name, text) for name, text in value.items() if text is not None])
    if isinstance(value, list | tuple):
        if value and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
            return _lettered(value)
        return _listed(value)
    raise NoOptions(f"the options are {value!r:.60}, which is no list.")


def _json_in(text: str) -> Any:
    """The list, or the letters with what each says, that is written as JSON in a text; null where there is none."""
    if text.strip()[:1] not in ("[", "{"):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def as_whole(text: str, options: Options) -> str:
    """An answer of ``2.0`` as ``2`` where all options are whole numbers."""
    whole = _WHOLE.fullmatch(text.strip()) and all(_WHOLE.fullmatch(name) for name in options.names)
    return text.strip().split(".")[0] if whole else text


def _listed(values: Sequence[Any]) -> Options:
    names = _told_apart(values)
    parts = [_LETTERED.fullmatch(name) for name in names]
    pairs = [(part[1], part[2]) for part in parts if part is not None]
    alone = len({one_spelling(letter) for letter, _ in pairs}) == len(names)
    return _lettered(pairs) if alone else Options(names)


def _lettered(pairs: Sequence[tuple[Any, Any]]) -> Options:
    """The letters, and what they say where that tells them apart."""
    names, texts = _told_apart([name for name, _ in pairs]), tuple(_text(text) for _, text in pairs)
    apart = all(texts) and len({one_spelling(text) for text in texts}) == len(texts)
    return Options(names, texts if apart else None)


def _told_apart(values: Sequence[Any]) -> tuple[str, ...]:
    names = tuple(_text(value) for value in values)
    if all(_WHOLE.fullmatch(name) for name in names):
        names = tuple(name.split(".")[0] for name in names)
    if len(names) < 2:
        raise NoOptions(f"there are {len(names)} options, {names!r:.60}.")
    if not all(names):
        raise NoOptions(f"an option is blank, in {names!r:.60}.")
    if INVALID in (one_spelling(name) for name in names):
        raise NoOptions(f"'{INVALID}' stands for answers that are no option, in {names!r:.60}.")
    if len({one_spelling(name) for name in names}) < len(names):
        raise NoOptions(f"two options are alike, in {names!r:.60}.")
    return names


def _text(value: Any) -> str:
    if isinstance(value, str | int | float):
        return str(value).strip()
    raise NoOptions(f"an option is {value!r:.60}, which is no text.")


def _finite(number: float | int | Decimal, from_text: bool) -> Score:
    try:
        value = float(number)
    except OverflowError:
        value = math.inf
    if math.isfinite(value):
        return Score(value, None, from_text)
    return Score(math.nan, NOT_A_NUMBER if math.isnan(value) else INFINITE, from_text)
