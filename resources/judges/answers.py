"""Reads a judge's raw answer: what state it is in, and the scores on 0-1 when it has any."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from resources.configuration.fidelity import RubricWeights
from resources.judges.contract import SUBSCORES

DISAGREEMENT = 1.0  # stated and recomputed score may differ by this, on 0-100, before they are counted as differing
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
# An answer is a few hundred characters; a runaway one is searched this far.
_SEARCHED_CHARACTERS = 100_000
_SEARCHED_BRACES = 1_000


class _Repeats(dict[str, Any]):
    """A JSON object in which a key stands more than once, so that nobody knows which value is meant."""


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
        ``valid`` only when the whole answer is the JSON asked for; ``recovered`` when that JSON stands inside other
        text. A failed answer has no score.
    """
    text = (raw or "").strip()
    if not text:
        return Parsed("refused", problem="the answer is empty")
    try:
        whole = _DECODER.decode(text)
        answer, state = (whole, "valid") if isinstance(whole, dict) else (_found_inside(text), "recovered")
        if answer is None:
            return Parsed("schema_error", problem=f"the answer is JSON, but no object: {text[:80]}")
    except (ValueError, RecursionError) as error:
        answer, state = _found_inside(text), "recovered"
        if answer is None:
            return _without_json(text, error)
    problem = _schema_problem(answer, item_id)
    if problem is not None:
        return Parsed("schema_error", problem=problem)
    problem = _range_problem(answer)
    if problem is not None:
        return Parsed("out_of_range", problem=problem)
    return _scored(answer, state, weights, score_source)


def stated_score(raw: str | None) -> float | None:
    """The score that an answer states, on the scale it was written on; null where it states none."""
    text = (raw or "").strip()
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        answer = _found_inside(text)
    score = answer.get("score") if isinstance(answer, dict) else None
    is_number = isinstance(score, int | float) and not isinstance(score, bool) and math.isfinite(score)
    return float(score) if is_number and score is not None else None


def refuses(text: str) -> bool:
    """Whether a text without an answer says that there will be none."""
    return _REFUSAL.search(text) is not None


def _without_json(text: str, error: Exception) -> Parsed:
    if refuses(text) and "{" not in text:
        return Parsed("refused", problem=f"the judge refused: {text[:200]}")
    return Parsed("invalid_json", problem=f"no JSON object in the answer ({error})")


def _found_inside(text: str) -> dict[str, Any] | None:
    """The last JSON object inside the text that looks like an answer: drafts and echoes of the form come first."""
    searched = text[:_SEARCHED_CHARACTERS]
    found = None
    start = searched.find("{")
    for _ in range(_SEARCHED_BRACES):
        if start < 0:
            break
        try:
            value, end = _DECODER.raw_decode(searched, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            if isinstance(value, dict) and any(key in value for key in _KEYS):
                found = value
        start = searched.find("{", end)
    return found


def _schema_problem(answer: Mapping[str, Any], item_id: str) -> str | None:
    """The first thing that keeps the answer from having the form asked for."""
    if any(isinstance(part, _Repeats) for part in (answer, answer.get("subscores"))):
        return "a key stands more than once, and which value is meant is not said"
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
        # To Python true is the number 1, to a judge it is no score.
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
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
