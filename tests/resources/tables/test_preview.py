"""First rows of a table for the UI: few, short, and without a sign that a browser would obey."""

import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.tables.parquet_tables import COLUMNS, LETTERS, ROWS, cell, preview

HOSTILE = [
    "<script>alert(1)</script>",
    "![x](http://evil.example/p.png)",
    "[click](javascript:alert(1))",
    "a | b\n| --- |\n# title",
    "`code` **bold** ~~gone~~",
    "http://evil.example and www.evil.example and a@evil.example",
    "\x1b[31mred\u202e",
]


def test_a_table_is_its_first_rows_and_a_line_on_the_rest() -> None:
    frame = pd.DataFrame({"object": list("abcdefg"), "score": [0.123456] * 7, "n": [1, 2, 3, 4, 5, 6, 7]})
    lines = preview(frame).splitlines()
    assert lines[:3] == ["| object | score | n |", "| --- | --- | --- |", "| a | 0.1235 | 1 |"]
    assert len(lines) == 2 + ROWS + 2
    assert lines[-1] == "5 of 7 rows"


def test_of_a_wide_table_the_first_columns_are_shown_and_counted() -> None:
    text = preview(pd.DataFrame([range(COLUMNS + 3)], columns=[f"c{place}" for place in range(COLUMNS + 3)]))
    assert text.splitlines()[0].count("|") == COLUMNS + 1
    assert text.endswith(f"1 of 1 rows, {COLUMNS} of {COLUMNS + 3} columns")


def test_a_table_without_rows_shows_its_columns() -> None:
    assert preview(pd.DataFrame({"a": []})) == "| a |\n| --- |\n\n0 of 0 rows"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        (float("nan"), ""),
        (pd.NA, ""),
        (pd.NaT, ""),
        (True, "True"),
        (2**53 + 1, "9007199254740993"),
        (pd.Timestamp("2026-03-29T01:30:00Z"), "2026-03-29 01:30"),
        (["a", "b"], "a, b"),
        ([], ""),
    ],
)
def test_every_kind_of_value_is_shown(value: object, shown: str) -> None:
    assert cell(value) == shown


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_a_cell_is_obeyed(text: str) -> None:
    for value in (text, [text]):
        shown = cell(value)
        assert not re.search(r"<|>|(?<!\\)[\[\]`*|!#~_]|(?<!\\)://|(?<!\\)@|www\.|[\n\x1b\u202e]", shown), shown


def test_a_column_name_is_no_more_obeyed_than_a_value() -> None:
    assert "<b>" not in preview(pd.DataFrame({"<b>": [1]}))


@given(st.lists(st.text(max_size=2000), min_size=1, max_size=30))
def test_no_table_makes_a_long_preview(words: list[str]) -> None:
    text = preview(pd.DataFrame([words] * 20, columns=[f"c{place}" for place in range(len(words))]))
    # A sign becomes five letters at most.
    assert len(text) <= (ROWS + 2) * COLUMNS * (5 * LETTERS + 3) + 100
    assert len(text.splitlines()) == ROWS + 4
