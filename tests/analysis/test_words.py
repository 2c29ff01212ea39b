"""Numbers inside sentences: the noun fits, and two numbers that differ look so."""

import pytest

from analysis.words import bounded, count_noun, distinct_numbers, noun, queries, with_bounds


def test_one_thing_is_singular_and_none_or_several_are_not():
    assert [queries(n) for n in (0, 1, 2, 1_000)] == ["0 queries", "1 query", "2 queries", "1,000 queries"]
    assert [count_noun(n, "document") for n in (1, 2)] == ["1 document", "2 documents"]
    assert noun(1, "is", "are") == "is"


def test_numbers_that_differ_are_shown_so_and_equal_ones_with_three_digits():
    assert distinct_numbers(0.5, 0.66) == ("0.5", "0.66")
    assert distinct_numbers(0.6601, 0.66049) == ("0.6601", "0.6605")
    assert distinct_numbers(0.66, 0.66) == ("0.66", "0.66")


@pytest.mark.parametrize("bounds", [(None, None), (0.1, 12_345.6), (-0.00001, 0.0)])
@pytest.mark.parametrize("sign", [True, False])
def test_a_message_of_a_number_has_the_same_words(bounds: tuple[float | None, float | None], sign: bool) -> None:
    assert bounded(0.12345, *bounds, sign=sign) == with_bounds(0.12345, *bounds, sign=sign)


def test_what_floating_point_leaves_of_nothing_is_nothing() -> None:
    assert bounded(-3.32e-17, -1e-16, 0.00012) == with_bounds(-3.32e-17, -1e-16, 0.00012) == "0.000 [0.000, 0.00012]"
    assert bounded(-3.32e-17, None, None, sign=True) == "+0.000"
