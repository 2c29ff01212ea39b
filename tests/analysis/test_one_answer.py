"""A judge that answers everything alike is seen as such, and no other is."""

import pytest

from analysis.one_answer import OneAnswer, one_answer, one_answers

NONE = float("nan")


def test_one_score_for_everything_is_seen_whatever_is_missing() -> None:
    assert one_answer(["a", "a", "b", "c", "d"], [0.63, 0.63, 0.63, 0.63, NONE]) == OneAnswer(0.63, 3)


@pytest.mark.parametrize(
    ("things", "scores"),
    [
        (["a", "b", "c"], [0.63, 0.63, 0.64]),
        (["a", "a", "b"], [0.63, 0.63, 0.63]),  # two things
        (["a", "b", "c"], [NONE, NONE, NONE]),
        ([], []),
    ],
)
def test_answers_that_differ_or_are_few_are_not(things: list[str], scores: list[float]) -> None:
    assert one_answer(things, scores) is None


def test_judges_with_one_and_the_same_answer_are_named_together_and_others_are_not() -> None:
    things = ["a", "b", "c"]
    judged = [("x", things, [1, 1, 1]), ("y", things, [1, 2, 1]), ("z", things, [1, 1, 1]), ("w", things, [0, 0, 0])]
    assert one_answers(judged) == {OneAnswer(1.0, 3): ["x", "z"], OneAnswer(0.0, 3): ["w"]}
