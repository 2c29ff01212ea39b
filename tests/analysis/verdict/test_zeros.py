"""Zeros next to a scale of 1 to k: worked by hand, and on made files whose truth is known."""

import numpy as np
import pytest

from analysis.verdict.zeros import what_zero_is, zeros_next_to_a_scale


@pytest.mark.parametrize(
    ("at_zeros", "expected"),
    # A line through the person's 1 to 5 meets 0 where the judge gives 0, and all other objects have 3: of the 4 zeros
    # 12 in all. The judge gives these 12, all of it; 7, less than
    # 0.6 of it and not significantly below the rest (5 is less than 2 standard errors); 4, a third.
    [([3, 2, 4, 3], "no rating"), ([2, 2, 2, 1], "cannot say"), ([1, 1, 1, 1], "a rating")],
)
def test_zeros_are_told_from_ratings_by_what_the_others_give(at_zeros: list[int], expected: str) -> None:
    person = np.array([1, 2, 3, 4, 5] * 4 + [0] * 4, dtype=float)
    noise = np.array([0.1, -0.1, 0.0, -0.1, 0.1, -0.1, 0.1, 0.0, 0.1, -0.1] * 2 + [0.0] * 4)
    judge = np.concatenate([person[:20], at_zeros]) + noise
    ratings = {"h": person, "j": judge}
    assert what_zero_is(ratings, ["h"], ["h"]) == expected
    # A judge whose scores fall as quality rises says the same.
    assert what_zero_is({"h": person, "j": 100 - judge}, ["h"], ["h"]) == expected


def test_raters_who_do_not_go_together_say_nothing_of_a_zero() -> None:
    person = np.array([1, 2, 3, 4, 5] * 4 + [0] * 4, dtype=float)
    judge = np.array([1, 1, 1, 1, 1, 5, 5, 5, 5, 5] * 2 + [3] * 4, dtype=float)
    assert what_zero_is({"h": person, "j": judge}, ["h"], ["h"]) == "cannot say"


@pytest.mark.parametrize(
    ("given", "is_next"),
    [([0, 1, 2, 3], True), ([0, 1, 2], False), ([-1, 0, 1, 2, 3], False), ([0, 0.5, 1, 2], False), ([1, 2, 3], False)],
)
def test_a_zero_is_next_to_a_scale_of_three_steps_or_more_from_1_on(given: list[float], is_next: bool) -> None:
    assert zeros_next_to_a_scale(np.array([*given, np.nan])) is is_next


def answers_of(is_missing: bool, seed: int) -> dict[str, float]:
    """How often each answer comes of 200 files with three people (reliability 0.5) and 80 objects."""
    random, found = np.random.default_rng(seed), dict.fromkeys(("no rating", "a rating", "cannot say"), 0.0)
    for _ in range(200):
        truth, lowest = random.standard_normal(80), 1 if is_missing else 0
        latent = (truth + random.standard_normal((3, 80))) / np.sqrt(2)
        steps = np.clip(np.round((lowest + 5) / 2 + (5 - lowest) / 4.5 * latent), lowest, 5)
        people = np.where(random.random((3, 80)) < 0.1, 0, steps) if is_missing else steps
        ratings = {f"h{place}": one for place, one in enumerate(people)}
        found[what_zero_is(ratings, list(ratings), list(ratings))] += 1 / 200
    return found


def test_of_200_files_a_kind_true_zeros_are_hardly_ever_refused_and_missing_ones_mostly_are() -> None:
    true, missing = answers_of(is_missing=False, seed=3), answers_of(is_missing=True, seed=2)
    assert true["no rating"] <= 0.01
    assert missing["no rating"] >= 0.6
    assert missing["a rating"] <= 0.01
