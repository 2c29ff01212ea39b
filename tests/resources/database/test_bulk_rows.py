"""Many rows in and out, on SQLite and on Postgres: every text and null comes back as it went in."""

from typing import Any

import pandas as pd
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resources.database.bulk_rows import NUMBER, TEXT, WHOLE, alone, in_batches, read_frame, staged, staging, write_rows
from resources.database.storable import storable
from resources.errors import UserError

ROWS = staging(
    "some_rows", sa.Column("n", sa.Integer()), sa.Column("words", sa.Text()), sa.Column("share", sa.Double())
)
TYPES = {"n": WHOLE, "words": TEXT, "share": NUMBER}
Values = list[tuple[str | None, float | None]]


def there_and_back(engine: sa.Engine, values: Values) -> pd.DataFrame:
    with alone(engine, "a test") as connection, staged(connection, ROWS):
        write_rows(connection, ROWS, ["n", "words", "share"], ((n, *value) for n, value in enumerate(values)))
        return read_frame(connection, sa.select(ROWS).order_by(ROWS.c.n), TYPES)


@given(st.lists(st.tuples(st.none() | st.text(max_size=8), st.none() | st.floats(allow_nan=False))))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_goes_in_comes_out(engine: sa.Engine, values: Values) -> None:
    frame = there_and_back(engine, values)
    assert [None if text != text else text for text in frame["words"]] == [storable(words) for words, _ in values]
    assert [None if share != share else share for share in frame["share"]] == [share for _, share in values]


@pytest.mark.parametrize(
    "words", [r"\N", r"\.", "", '"', '""', "a\tb\nc\r\nd", ",", "\ufeffx", "%s %(n)s 100%", "x" * 2**21]
)
def test_text_that_means_something_to_copy_is_text(engine: sa.Engine, words: str) -> None:
    assert there_and_back(engine, [(words, 0.1), (None, None)])["words"].tolist()[0] == words


def test_a_value_in_the_question_is_a_value(engine: sa.Engine) -> None:
    with alone(engine, "a test") as connection, staged(connection, ROWS):
        write_rows(connection, ROWS, ["n", "words"], [(0, "50% '; --"), (1, "other")])
        question = sa.select(ROWS).where(ROWS.c.words.in_(["50% '; --", "%"]))
        assert read_frame(connection, question, TYPES)["n"].tolist() == [0]


def test_what_a_database_refuses_is_sqlalchemys_error(engine: sa.Engine) -> None:
    rows: list[tuple[Any, ...]] = [(None,)]
    strict = staging("strict_rows", sa.Column("n", sa.Integer(), nullable=False))
    with pytest.raises(sa.exc.IntegrityError), alone(engine, "a test") as connection, staged(connection, strict):
        write_rows(connection, strict, ["n"], rows)


def test_a_question_about_no_table_is_sqlalchemys_error(engine: sa.Engine) -> None:
    with pytest.raises((sa.exc.ProgrammingError, UserError)), alone(engine, "a test") as connection:
        read_frame(connection, sa.select(ROWS), TYPES)


def test_temporary_tables_are_gone_afterwards_also_after_a_failure(engine: sa.Engine) -> None:
    with pytest.raises(KeyboardInterrupt), alone(engine, "a test") as connection, staged(connection, ROWS):
        raise KeyboardInterrupt
    assert there_and_back(engine, []).empty
    assert there_and_back(engine, [("again", None)])["words"].tolist() == ["again"]


def test_batches_hold_so_many_and_the_last_the_rest() -> None:
    assert list(in_batches(range(5), 2)) == [[0, 1], [2, 3], [4]]
    assert list(in_batches([], 2)) == []
