"""Numbers as each language writes them, and never across a limit."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.shared.numbers import (
    beside_limit,
    day,
    interval,
    is_number,
    number,
    p_value,
    plain_number,
    usd,
    whole,
    written,
)


def shown(text: object) -> tuple[str, str]:
    return text.plain("en"), text.plain("it")  # type: ignore[attr-defined]


def test_english_has_a_point_and_italian_a_comma() -> None:
    assert shown(number(0.853)) == ("0.853", "0,853")
    assert shown(number(-12345.6789, 2)) == ("\u221212,345.68", "\u221212.345,68")
    assert shown(whole(12790)) == ("12,790", "12.790")


def test_the_full_number_goes_with_the_digits() -> None:
    assert 'value="0.1234567890123"' in number(0.1234567890123).html["it"]


@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA, float("inf")])
def test_no_number_is_a_dash(nothing: object) -> None:
    assert not is_number(nothing)
    assert shown(number(nothing)) == ("\u2013", "\u2013")


def test_zero_has_no_sign() -> None:
    assert shown(number(-0.0001)) == ("0.000", "0,000")
    assert shown(number(-0.0)) == ("0.000", "0,000")


def test_a_failing_number_never_looks_like_a_passing_one() -> None:
    # 0.84996 to three decimals is 0.850, which would pass 0.85; four decimals round up too, five do not.
    assert shown(beside_limit(0.84996, 0.85, ">=", passed=False))[0] == "0.84996"
    assert shown(beside_limit(0.853, 0.85, ">=", passed=True))[0] == "0.853"
    assert shown(beside_limit(0.05004, 0.05, "<=", passed=False))[0] == "0.05004"
    assert shown(beside_limit(9.0, 0, "<=", passed=False)) == ("9", "9")


def test_bounds_are_divided_by_what_is_no_decimal_mark() -> None:
    assert shown(interval(0.8, 0.9)) == ("[0.800, 0.900]", "[0,800; 0,900]")
    assert shown(interval(None, 0.9))[0] == "\u2013"


def test_small_p_values_and_prices_stay_visible() -> None:
    assert shown(p_value(0.00001)) == ("< 0.001", "< 0,001")
    assert shown(p_value(0.0426)) == ("0.043", "0,043")
    assert [usd(amount).plain("en") for amount in (0, 12.345, 0.0123, 0.0000123)] == [
        "0.00",
        "12.35",
        "0.0123",
        "0.000012",
    ]


def test_what_people_wrote_is_written_back_as_short_as_it_was() -> None:
    assert [plain_number(value).plain("it") for value in (0.95, 1.0, 0.2, 40)] == ["0,95", "1", "0,2", "40"]


def test_a_day_is_told_in_words() -> None:
    instant = dt.datetime(2026, 3, 9, 23, 59, tzinfo=dt.UTC)
    assert shown(day(instant)) == ("9 March 2026", "9 marzo 2026")
    assert shown(day(None)) == ("\u2013", "\u2013")


@given(st.floats(-1e9, 1e9, allow_nan=False), st.integers(0, 6))
def test_both_languages_say_the_same_number(value: float, decimals: int) -> None:
    english = written(value, decimals, "en").replace(",", "")
    italian = written(value, decimals, "it").replace(".", "").replace(",", ".")
    assert english == italian
    assert float(english.replace("\u2212", "-")) == pytest.approx(round(value, decimals), abs=10.0**-decimals)
