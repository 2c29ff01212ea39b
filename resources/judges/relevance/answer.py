"""Reads a relevance judge's answer, which is one number on the prompt's scale (0.0 to 1.0) and nothing else."""

import re
from typing import Final

from resources.judges.answers import Parsed, no_text, refuses, without_reasoning
from resources.judges.relevance.prompts import UNIT

_SEARCHED_CHARACTERS: Final = 100_000
_MINUS: Final = str.maketrans(dict.fromkeys("\u2212\ufe63\uff0d", "-"))
# Digits inside a word, such as those of "v2", are no number; neither are parts of 1.2.3 or 10,000, nor what follows a
# dash, which may be a minus.
_NUMBER: Final = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_WHOLE: Final = re.compile(_NUMBER)
_INSIDE: Final = re.compile(rf"(?<![\w.,+\-\u2010-\u2015]){_NUMBER}(?![\w%])(?![.,][0-9])")
_LIKE_NUMBERS: Final = re.compile(r"[0-9]+")


def parse_relevance(raw: str | None, scale: tuple[float, float] = UNIT) -> Parsed:
    """The state and the score of one answer.

    Args:
        raw: The answer as it came.
        scale: What the prompt asks answers to run from and to; the score is on 0-1 whatever it is.

    Returns:
        ``valid`` where the whole answer is one number on the scale, ``recovered`` where one such number stands inside
        other text and no other digit does; ``out_of_range``, ``ambiguous`` (several numbers), ``schema_error`` (digits
        that are no number), ``invalid_json`` (no number at all), ``reasoning_only`` or ``refused`` otherwise, without a
        score.
    """
    text = without_reasoning(raw).translate(_MINUS)
    if not text:
        return no_text(raw)
    if _WHOLE.fullmatch(text):
        return _scored("valid", text, scale)
    searched = text[:_SEARCHED_CHARACTERS]
    found = _INSIDE.findall(searched)
    if not _LIKE_NUMBERS.search(searched):
        if refuses(text):
            return Parsed("refused", problem=f"the judge refused: {text[:200]}")
        return Parsed("invalid_json", problem=f"no number in the answer: {text[:80]}")
    if len(found) == 1 and not _LIKE_NUMBERS.search(searched.replace(found[0], "", 1)):
        return _scored("recovered", found[0], scale)
    state = "ambiguous" if found else "schema_error"
    return Parsed(state, problem=f"which number is the score is not said: {text[:80]}")


def _scored(state: str, number: str, scale: tuple[float, float]) -> Parsed:
    stated, (low, high) = float(number), scale
    if not low <= stated <= high:
        return Parsed("out_of_range", problem=f"outside {low:g}-{high:g}: {number[:40]}")
    score = stated + 0.0 if scale == UNIT else (stated - low) / (high - low)  # -0.0 is 0
    return Parsed(state, score=score, score_stated=score)
