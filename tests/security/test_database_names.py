"""Names of tables and columns that come from a configuration or from others' databases are names and no statements."""

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from resources.configuration.reliability import SourceTable
from resources.database.engine import open_engine
from resources.database.reliability.table_export import ExportRow, write_export_table
from resources.errors import FileFault
from resources.inputs.reliability.relevance_table import read_relevance_table

URL = "TOUCHSTONE_SOURCE_URL"
HOSTILE = (
    'scores"; DROP TABLE victims; --',
    "scores'; DROP TABLE victims; --",
    "scores; DELETE FROM victims",
    'scores" UNION SELECT * FROM victims --',
    "%(id)s :name {x}",
)


@pytest.fixture
def source(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[sa.Connection]:
    """Somebody else's database, with a table that nobody may touch."""
    monkeypatch.setenv(URL, postgres_url)
    engine = open_engine(postgres_url)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("CREATE TABLE victims (id INTEGER)")
        connection.exec_driver_sql("INSERT INTO victims VALUES (1)")
        yield connection
    engine.dispose()


def unharmed(source: sa.Connection) -> bool:
    return source.exec_driver_sql("SELECT id FROM victims").scalars().all() == [1]


def hostile_table(source: sa.Connection, name: str, judge: str = "judge1") -> sa.Table:
    """A table that really has this name."""
    lists = sa.ARRAY(sa.Float())
    columns: list[sa.Column[Any]] = [sa.Column("id", sa.Integer), sa.Column("query", sa.Text)]
    columns += [sa.Column(f"{judge}_score", lists), sa.Column("judge2_score", lists)]
    table = sa.Table(name, sa.MetaData(), *columns)
    table.create(source)
    source.execute(sa.insert(table), {"id": 1, "query": name, f"{judge}_score": [0.5], "judge2_score": [1.0]})
    return table


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_of_a_table_is_looked_up_and_not_run(source: sa.Connection, name: str) -> None:
    with pytest.raises(FileFault, match="there is no such table"):
        read_relevance_table(SourceTable(table=name))
    hostile_table(source, "ground_truth")
    with pytest.raises(FileFault, match="there is no such table"):
        read_relevance_table(SourceTable(documents_table=name))
    assert unharmed(source)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_table_that_really_has_a_hostile_name_is_read(source: sa.Connection, name: str) -> None:
    hostile_table(source, name)
    assert read_relevance_table(SourceTable(table=name)).scores["score"].tolist() == [0.5, 1.0]
    assert unharmed(source)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_column_that_really_has_a_hostile_name_is_read(source: sa.Connection, name: str) -> None:
    hostile_table(source, "ground_truth", judge=name)
    assert set(read_relevance_table(SourceTable()).scores["judge"]) == {name, "judge2"}
    assert unharmed(source)


@pytest.mark.parametrize("name", HOSTILE)
def test_an_export_writes_hostile_names_and_texts_as_they_are(source: sa.Connection, name: str) -> None:
    row = ExportRow("1", name, ([0.5], [1.0]), None, ["1"], False, name, "v1")
    write_export_table(URL, name, [row], ("judge1", "judge2"))
    stored = sa.Table(name, sa.MetaData(), autoload_with=source)
    assert source.execute(sa.select(stored.c.query, stored.c.override_reason)).all() == [(name, name)]
    assert unharmed(source)
