"""Reads a judge's raw answer: what state it is in, and the scores on 0-1 when it has any."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard

from resources.configuration.fidelity import RubricWeights
from resources.tables.call_states import SUBSCORES

IN_FRACTIONS = "all numbers are fractions of 1, and 0-100 was asked for: 0.63 may mean 63 or 0.63"
FULL_SCALE = 100
RATIONALE_LENGTH = (2, 4)

_KEYS = ("item_id", "subscores", "score", "rationale")
_REFUSAL = re.compile(
    r"\b(i['\u2019]?m (sorry|unable|not able)|i am (sorry|unable|not able)|sorry, (but )?i|"
    r"i (can['\u2019]t|cannot|can not|won['\u2019]t|will not|must decline)|"
    r"(unable|not able) to (assist|help|comply|provide|evaluate|rate|score|view|see|process)|"
    r"(cannot|can['\u2019]t) (assist|help|comply|evaluate|rate|score|view|see)|as an ai\b|"
    r"mi dispiace|non posso)",
    re.IGNORECASE,
)
_REASONING = re.compile(r"\s*<(think|thinking|reasoning)>", re.IGNORECASE)
_REASONING_ENDS = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
# An answer is a few hundred characters; a runaway one is searched this far.
_SEARCHED_CHARACTERS = 100_000
_SEARCHED_BRACES = 1_000
_HUGE = 1e300  # a whole number in JSON may be larger than any float


class _Repeats(dict[str, Any]):
    """A JSON object in which a key stands more than once, so that it is not known which value is meant."""


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    return read if len(read) == len(pairs) else _Repeats(read)


_DECODER = json.JSONDecoder(object_pairs_hook=_object_of)


@dataclass(frozen=True)
class Parsed:
    """An answer: scores on 0-1, all null unless `state` is ``valid`` or ``recovered``; `problem` says what was wrong.

    `score` is the stated or the recomputed one as the study asks.
    """

    state: str
    score: float | None = None
    score_stated: float | None = None
    score_recomputed: float | None = None
    subscores: Mapping[str, float] | None = None
    rationale: tuple[str, ...] = ()
    problem: str | None = None


def parse_answer(
    raw: str | None,
    item_id: str,
    weights: RubricWeights,
    score_source: Literal["stated", "recomputed"] = "stated",
) -> Parsed:
    """The state and the scores of one answer.

    Args:
        raw: The answer as it came, scores on 0-100.
        item_id: The item that was asked about.
        weights: Weights of the sub-scores; only their proportions count.
        score_source: Which score counts.

    Returns:
        ``valid`` only when the whole answer, apart from reasoning before it, is the JSON asked for; ``recovered`` when
        that JSON stands inside other text; ``ambiguous`` when it holds two verdicts that differ, or fractions of 1. A
        failed answer has no score.
    """
    text = without_reasoning(raw)
    if not text:
        return no_text(raw)
    try:
        whole = _DECODER.decode(text)
        answers, state = ([whole], "valid") if isinstance(whole, dict) else (_found_inside(text), "recovered")
        if not answers:
            return Parsed("schema_error", problem=f"the answer is JSON, but no object: {text[:80]}")
    except (ValueError, RecursionError) as error:
        answers, state = _found_inside(text), "recovered"
        if not answers:
            return _without_json(text, error)
    answer = answers[-1]
    if problem := _two_verdicts(answers, item_id):
        return Parsed("ambiguous", problem=problem)
    if problem := _schema_problem(answer, item_id):
        return Parsed("schema_error", problem=problem)
    if problem := _range_problem(answer):
        return Parsed("out_of_range", problem=problem)
    numbers = [float(value) for _, value in _numbers(answer)]
    if max(numbers) <= 1 and not all(value.is_integer() for value in numbers):
        return Parsed("ambiguous", problem=IN_FRACTIONS)
    return _scored(answer, state, weights, score_source)


def without_reasoning(raw: str | None) -> str:
    """An answer's text without the reasoning before it, in marks such as ``<think>``, of which the first may lack."""
    text = raw or ""
    if text.lstrip()[:1] not in "{[" and not _REASONING.match(text) and (ends := _REASONING_ENDS.search(text)):
        text = text[ends.end() :]
    while opened := _REASONING.match(text):
        ends = re.compile(f"</{opened[1]}>", re.IGNORECASE).search(text, opened.end())
        text = text[ends.end() :] if ends else ""
    return text.strip()


def no_text(raw: str | None) -> Parsed:
    """The state of an answer of which nothing is left without its reasoning."""
    if (raw or "").strip():
        return Parsed("reasoning_only", problem="the model reasoned and gave no answer")
    return Parsed("refused", problem="the answer is empty")


def stated_score(raw: str | None) -> float | None:
    """The score that an answer states, on the scale it was written on; null where it states none."""
    text = without_reasoning(raw)
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        answer = next(reversed(_found_inside(text)), None)
    score = answer.get("score") if isinstance(answer, dict) else None
    return float(score) if _is_number(score) and abs(score) < _HUGE else None


def json_objects(text: str, keys: Sequence[str]) -> tuple[list[dict[str, Any]], bool]:
    """The JSON objects in a text that have one of these keys, and whether the text is one and nothing else."""
    try:
        whole = _DECODER.decode(text)
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict):
        return ([whole] if any(key in whole for key in keys) else []), True
    return _found_inside(text, keys), False


def refuses(text: str) -> bool:
    """Whether a text without an answer says that there will be none."""
    return _REFUSAL.search(text) is not None


def _without_json(text: str, error: Exception) -> Parsed:
    if refuses(text) and "{" not in text:
        return Parsed("refused", problem=f"the judge refused: {text[:200]}")
    return Parsed("invalid_json", problem=f"no JSON object in the answer ({error})")


def _found_inside(text: str, keys: Sequence[str] = _KEYS) -> list[dict[str, Any]]:
    """The JSON objects inside the text that look like answers; echoes of the form come before the answer itself."""
    searched = text[:_SEARCHED_CHARACTERS]
    found = []
    start = searched.find("{")
    for _ in range(_SEARCHED_BRACES):
        if start < 0:
            break
        try:
            value, end = _DECODER.raw_decode(searched, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            if isinstance(value, dict) and any(key in value for key in keys):
                found.append(value)
        start = searched.find("{", end)
    return found


def _two_verdicts(answers: Sequence[Mapping[str, Any]], item_id: str) -> str | None:
    """Why it is not known which value is meant: a key given twice, or two objects about the item that differ."""
    if any(isinstance(part, _Repeats) for part in (answers[-1], answers[-1].get("subscores"))):
        return "a key stands more than once, and which value is meant is not said"
    verdicts = [one for one in answers if _is_number(one.get("score")) and one.get("item_id", item_id) == item_id]
    scores = list(dict.fromkeys(one["score"] for one in verdicts))
    parts = {json.dumps(one["subscores"], sort_keys=True) for one in verdicts if "subscores" in one}
    if len(scores) > 1:
        return f"two verdicts in one answer: score {_short(scores[0])} and score {_short(scores[-1])}"
    return "two verdicts in one answer, with other sub-scores" if len(parts) > 1 else None


def _schema_problem(answer: Mapping[str, Any], item_id: str) -> str | None:
    """The first thing that keeps the answer from having the form asked for."""
    missing = [key for key in _KEYS if key not in answer]
    if missing:
        return f"missing: {', '.join(missing)}"
    if answer["item_id"] != item_id:
        return f"item_id {_short(answer['item_id'])} is not '{item_id}', which was asked about"
    if not isinstance(answer["subscores"], dict):
        return f"subscores is no object: {_short(answer['subscores'])}"
    missing = [name for name in SUBSCORES if name not in answer["subscores"]]
    if missing:
        return f"missing sub-scores: {', '.join(missing)}"
    for name, value in _numbers(answer):
        if not _is_number(value):
            return f"{name} is no number: {_short(value)}"
    return _rationale_problem(answer["rationale"])


def _rationale_problem(rationale: object) -> str | None:
    fewest, most = RATIONALE_LENGTH
    if not isinstance(rationale, list) or not all(isinstance(reason, str) and reason.strip() for reason in rationale):
        return "rationale is no list of texts"
    if not fewest <= len(rationale) <= most:
        return f"rationale has {len(rationale)} texts, and {fewest} to {most} were asked for"
    return None


def _range_problem(answer: Mapping[str, Any]) -> str | None:
    outside = [f"{name} {_short(value)}" for name, value in _numbers(answer) if not 0 <= value <= FULL_SCALE]
    return f"outside 0-{FULL_SCALE}: {', '.join(outside)}" if outside else None


def _is_number(value: Any) -> TypeGuard[float]:
    """To Python true is the number 1, to a judge it is no score."""
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def _short(value: object) -> str:
    return repr(value)[:80]


def _numbers(answer: Mapping[str, Any]) -> Sequence[tuple[str, Any]]:
    return [("score", answer["score"]), *((name, answer["subscores"][name]) for name in SUBSCORES)]


def _scored(answer: Mapping[str, Any], state: str, weights: RubricWeights, score_source: str) -> Parsed:
    subscores = {name: float(answer["subscores"][name]) for name in SUBSCORES}
    total = math.fsum(getattr(weights, name) for name in SUBSCORES)
    stated = float(answer["score"])
    # Never past the scale's end, which the last bit of the sum could be.
    recomputed = min(math.fsum(getattr(weights, name) * subscores[name] for name in SUBSCORES) / total, FULL_SCALE)
    return Parsed(
        state=state,
        score=(stated if score_source == "stated" else recomputed) / FULL_SCALE,
        score_stated=stated / FULL_SCALE,
        score_recomputed=recomputed / FULL_SCALE,
        subscores={name: value / FULL_SCALE for name, value in subscores.items()},
        rationale=tuple(answer["rationale"]),
    )
