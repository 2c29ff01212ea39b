"""Tests of `assets/fidelity/logic/current_plan.py`."""

import pandas as pd
import pytest

from assets.fidelity.logic.current_plan import CurrentPlan, difference
from reports.shared.phrases import phrase

PLAN = CurrentPlan("judge", {"a": "prompt", "b": "prompt"}, {"a": ("1", "2"), "b": ("1", "3")})


def calls(**changed: object) -> pd.DataFrame:
    rows = [
        {"object": name, "judge_identity": "judge", "prompt_hash": "prompt", "image_hashes": list(PLAN.images[name])}
        for name in "ab"
    ]
    rows[1] |= changed
    return pd.DataFrame(rows)


def test_calls_of_the_plan_in_force_differ_in_nothing() -> None:
    assert difference(calls(), PLAN) is None


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"judge_identity": "another"}, "of another judge"),
        ({"prompt_hash": "another"}, "prompt or rubric changed since object b"),
        ({"image_hashes": ["1", "4"]}, "what the judge sees of object b changed"),
    ],
)
def test_calls_of_another_judge_prompt_or_image_are_told(changed: dict[str, object], words: str) -> None:
    assert words in (difference(calls(**changed), PLAN) or "")


def test_an_object_that_is_not_judged_any_more_is_no_difference() -> None:
    assert difference(calls(), CurrentPlan("judge", {"a": "prompt"}, {"a": ("1", "2")})) is None


@pytest.mark.parametrize(
    "plan",
    [CurrentPlan("judge", {"people": "another"}, {}), CurrentPlan("judge", {}, {"people": ("1", "4")})],
)
def test_an_object_whose_name_is_a_word_of_sentences_stays_in_italian(plan: CurrentPlan) -> None:
    # "people" is "le persone" in a sentence.
    words = phrase(difference(calls(object="people"), plan)).plains["it"]
    assert "people" in words
    assert "persone" not in words
