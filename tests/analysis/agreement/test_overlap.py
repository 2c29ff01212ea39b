"""Which queries all reviewers are asked about, and whose the others are first."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.agreement.overlap import is_shared, place_in_line

NAMES = [f"q{number}" for number in range(2000)]


def test_a_tenth_of_the_queries_is_shared_and_they_are_the_same_on_every_machine() -> None:
    shared = [name for name in NAMES if is_shared("shoes", name, 0.1)]
    # Of 2,000 names, 200 are expected, and 3 standard deviations are 3 sqrt(2000 x 0.1 x 0.9) = 40.
    assert abs(len(shared) - 200) < 40
    assert shared[:5] == ["q22", "q38", "q48", "q50", "q56"]
    # The first 8 bytes of the SHA-256 of study, a zero byte and query, as a share of 2**64.
    assert int(hashlib.sha256(b"shoes\0q22").hexdigest()[:16], 16) / 2**64 < 0.1


def test_another_study_shares_other_queries() -> None:
    assert [name for name in NAMES if is_shared("boots", name, 0.1)][:5] != ["q22", "q38", "q48", "q50", "q56"]


@given(st.text(), st.floats(0, 1), st.floats(0, 1))
def test_a_larger_share_has_the_queries_of_a_smaller_one(name: str, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert is_shared("shoes", name, low) <= is_shared("shoes", name, high)
    assert not is_shared("shoes", name, 0)
    assert is_shared("shoes", name, 1)


@pytest.mark.parametrize("reviewers", [["ann"], ["ann", "ben"], ["ann", "ben", "Carla", "дан"]])
def test_each_query_is_first_in_line_for_one_reviewer_and_shares_are_alike(reviewers: list[str]) -> None:
    first = dict.fromkeys(reviewers, 0)
    for name in NAMES:
        places = {one: place_in_line(name, one, [other for other in reviewers if other != one]) for one in reviewers}
        assert sorted(places.values()) == list(range(len(reviewers)))
        first[min(places, key=places.__getitem__)] += 1
    expected = len(NAMES) / len(reviewers)
    # 4 standard deviations of a binomial count.
    assert max(abs(n - expected) for n in first.values()) <= 4 * (expected * (1 - 1 / len(reviewers))) ** 0.5


def test_a_new_reviewer_moves_no_query_between_the_others() -> None:
    before = {name for name in NAMES if place_in_line(name, "ann", ["ben"]) == 0}
    after = {name for name in NAMES if place_in_line(name, "ann", ["ben", "carla"]) == 0}
    assert after < before
    taken = {name for name in NAMES if place_in_line(name, "carla", ["ann", "ben"]) == 0}
    assert before - after <= taken
