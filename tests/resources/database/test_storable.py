"""What becomes of a text that not every database can hold."""

from hypothesis import given
from hypothesis import strategies as st

from resources.database.storable import storable


@given(st.text(st.characters(codec=None)))
def test_any_text_becomes_one_that_every_database_holds_and_stays_so(words: str) -> None:
    kept = storable(words)
    assert "\x00" not in kept
    assert kept.encode().decode() == kept
    assert storable(kept) == kept
    if "\x00" not in words and not any("\ud800" <= letter <= "\udfff" for letter in words):
        assert kept == words
