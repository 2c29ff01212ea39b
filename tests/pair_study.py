"""A study of pairs of texts small enough to reason about: an MT-Bench-shaped file, and a judge that prefers a place."""

import hashlib
import json
import math
import re
from pathlib import Path
from typing import Any

from tests.openai_server import Asked, Scripted, answered

N_QUESTIONS = 80
LOG_ODDS = 0.9  # of the place, planted
MODELS = ("gpt-4", "llama")
PROMPT = "Question: {query}\n[A] {document_a}\n[B] {document_b}\nWhich is better? Answer A, B or tie.\n"
CONFIGURATION = """\
study: battles
judges:
  - name: gpt
    model: gpt-4
    base_url: BASE_URL
    price: {input: 1, output: 2}
    budget_usd: 50
    concurrency: 4
    task: {prompt: prompt.txt, object: pair, shows: text}
pairwise:
  pairs_of: texts
  pairs_csv: battles.jsonl
  judges: [gpt]
  recorded_judges: [gpt4_pair]
  own_sources: {gpt4_pair: [gpt-4]}
  min_agreement: 0.6
  bootstrap_resamples: 100
"""
_STRENGTHS = re.compile(r"strength (-?[0-9]\.[0-9]{4})")


def strength(place: int, model: str) -> float:
    """Of one model's answer to one question: between -1.5 and 1.5, whichever model."""
    digits = hashlib.sha256(f"{place} {model}".encode()).hexdigest()[:8]
    return 3.0 * int(digits, 16) / 16**8 - 1.5


def rows() -> list[dict[str, Any]]:
    """Three people and a recorded judge on each question; they all prefer the stronger text, one person in five not."""
    found = []
    for place in range(N_QUESTIONS):
        texts = {model: strength(place, model) for model in MODELS}
        best = max(texts, key=texts.__getitem__)
        for number, judge in enumerate(("expert_1", "expert_2", "author_1", "gpt4_pair")):
            shown = MODELS if number % 2 else MODELS[::-1]
            errs = (place + number) % 5 == 0 and judge != "gpt4_pair"
            won = (shown[0] == best) != errs
            found.append(
                {
                    "question_id": place,
                    "model_a": shown[0],
                    "model_b": shown[1],
                    "winner": "model_a" if won else "model_b",
                    "judge": judge,
                    "turn": 1,
                    **{
                        f"conversation_{side}": [
                            {"role": "user", "content": f"Question {place}?"},
                            {
                                "role": "assistant",
                                "content": f"{model} of strength {texts[model]:.4f}"
                                + "." * (place % 7 * (model == MODELS[0])),
                            },
                        ]
                        for side, model in zip("ab", shown, strict=True)
                    },
                }
            )
    return found


def write_battles(folder: Path, base_url: str) -> Path:
    """The configuration, its prompt and the file of battles.

    Returns:
        The configuration's path.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "prompt.txt").write_text(PROMPT)
    (folder / "battles.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows()))
    path = folder / "touchstone.yaml"
    path.write_text(CONFIGURATION.replace("BASE_URL", base_url))
    return path


def prefers_the_first(asked: Asked) -> Scripted:
    """A or B by Bradley and Terry's model with the planted log odds of A; the same text gets the same answer."""
    one, two = (float(found) for found in _STRENGTHS.findall(asked.text)[:2])
    drawn = int(hashlib.sha256(asked.text.encode()).hexdigest()[:8], 16) / 16**8
    return answered("A" if drawn < 1.0 / (1.0 + math.exp(two - one - LOG_ODDS)) else "B")
