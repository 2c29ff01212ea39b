"""Texts of others on a terminal and in Markdown: nothing in them is obeyed."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.runtime.sanitize import in_markdown, one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words", "plain words"),
        ("two\nlines\tand a tab", "two lines and a tab"),
        ("\x1b[31mred\x1b[0m", "[31mred [0m"),
        ("a\u202eb\u200bc", "a b c"),
        ("", ""),
        ("x" * 70, "x" * 57 + "..."),
        (" " * 300 + "x", "..."),
        # 57 letters and the dots would end inside "eleven": 9 x 6 are 54.
        (f"{'seven ' * 9}eleven twelve", f"{'seven ' * 8}seven..."),
        ("it is " + "x" * 70, "it is " + "x" * 51 + "..."),
    ],
)
def test_a_text_is_one_line_without_control_signs(text: str, shown: str) -> None:
    assert one_line(text) == shown


def test_markdown_shows_signs_and_does_not_obey_them() -> None:
    shown = in_markdown("a|b ![x](http://y) <b>`_*")
    assert shown == r"a\|b \!\[x\](http://y) &lt;b&gt;\`\_\*"


@given(st.text(max_size=500), st.integers(4, 80))
def test_no_text_is_longer_than_asked_or_holds_a_control_sign(text: str, longest: int) -> None:
    shown = one_line(text, longest)
    assert len(shown) <= longest
    assert not any(unicodedata.category(sign)[0] == "C" for sign in shown)
