"""The Postgres table of others as an input: read as it is, never written to, its address in no message."""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from resources.configuration.reliability import ReliabilityStudy, SourceTable
from resources.database.engine import open_engine
from resources.errors import FileFault, UserError
from resources.inputs.reliability.relevance import read_relevance
from resources.inputs.reliability.relevance_records import Asked
from resources.inputs.reliability.relevance_table import read_relevance_table

URL = "TOUCHSTONE_SOURCE_URL"
SHAPE = (
    "CREATE TABLE ground_truth (id SERIAL PRIMARY KEY, query TEXT NOT NULL, judge1_score FLOAT[], "
    "judge2_score FLOAT[], kappa FLOAT, expected_docs INTEGER[], human_override BOOLEAN DEFAULT FALSE, "
    "override_reason VARCHAR(200), prompt_version VARCHAR(50) DEFAULT 'v1')"
)
INSERT = "INSERT INTO ground_truth (query, judge1_score, judge2_score) VALUES "


@pytest.fixture
def source(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[sa.Connection]:
    """A database of somebody else's, with the table, named by the environment."""
    monkeypatch.setenv(URL, postgres_url)
    engine = open_engine(postgres_url)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql(SHAPE)
        yield connection
    engine.dispose()


def test_documents_without_a_table_are_numbered_and_have_no_text(source: sa.Connection) -> None:
    source.exec_driver_sql(INSERT + "('first?', '{0.9,NULL,0.1}', '{0.8,0.2,0.3}'), ('second?', '{1}', '{0}')")
    read = read_relevance(ReliabilityStudy(postgres=SourceTable()))
    assert read.name == "table ground_truth"
    assert read.documents["query_id"].tolist() == ["1", "1", "1", "2"]
    assert read.documents["doc_id"].tolist() == ["1", "2", "3", "1"]
    assert read.documents["document"].isna().all()
    assert read.scores["score"].tolist() == [0.9, 0.1, 0.8, 0.2, 0.3, 1.0, 0.0]
    assert read.scores["prompt_version"].unique().tolist() == ["v1"]
    assert read.n_missing == {"judge1": 1, "judge2": 0}
    assert read.ignored == ("kappa", "expected_docs", "human_override", "override_reason")


def test_documents_come_from_their_table_in_the_order_of_position(source: sa.Connection) -> None:
    source.exec_driver_sql(INSERT + "('first?', '{0.9,0.1}', '{0.8,0.2}')")
    source.exec_driver_sql("CREATE TABLE docs (query_id INTEGER, doc_id TEXT, document TEXT, position INTEGER)")
    source.exec_driver_sql("INSERT INTO docs VALUES (1, 'b', 'second', 2), (1, 'z', 'first', 1)")
    read = read_relevance_table(SourceTable(documents_table="docs"))
    assert read.documents["doc_id"].tolist() == ["z", "b"]
    assert read.documents["document"].tolist() == ["first", "second"]


@pytest.mark.parametrize(("place", "said"), [("1", "'1' has 1"), ("NULL", "'1' has nothing")])
def test_documents_at_one_place_or_at_none_are_refused(source: sa.Connection, place: str, said: str) -> None:
    source.exec_driver_sql(INSERT + "('first?', '{0.9,0.1}', '{0.8,0.2}')")
    source.exec_driver_sql("CREATE TABLE docs (query_id INTEGER, doc_id TEXT, document TEXT, position INTEGER)")
    source.exec_driver_sql(f"INSERT INTO docs VALUES (1, 'b', 'second', {place}), (1, 'z', 'first', {place})")
    with pytest.raises(FileFault, match=f"table docs: query {said} in column 'position' of 2 documents"):
        read_relevance_table(SourceTable(documents_table="docs"))


def test_a_row_without_an_id_is_no_document_called_none(source: sa.Connection) -> None:
    source.exec_driver_sql(INSERT + "('first?', '{0.9}', '{0.8}')")
    source.exec_driver_sql("CREATE TABLE docs (query_id INTEGER, doc_id TEXT, document TEXT, position INTEGER)")
    source.exec_driver_sql("INSERT INTO docs VALUES (1, NULL, 'first', 1)")
    with pytest.raises(FileFault, match="table docs: a row with query_id '1' has no value in column 'doc_id'"):
        read_relevance_table(SourceTable(documents_table="docs"))
    source.exec_driver_sql("UPDATE docs SET query_id = NULL, doc_id = 'a'")
    with pytest.raises(FileFault, match="table docs: a row with doc_id 'a' has no value in column 'query_id'"):
        read_relevance_table(SourceTable(documents_table="docs"))


def test_a_table_of_documents_that_is_not_there_is_named_with_its_key(source: sa.Connection) -> None:
    with pytest.raises(FileFault, match="table docs: there is no such table.* Correct `postgres.documents_table`"):
        read_relevance_table(SourceTable(documents_table="docs"))


def test_documents_without_position_are_in_place_by_number(source: sa.Connection) -> None:
    source.exec_driver_sql(INSERT + f"('first?', '{{{','.join(['0.5'] * 10)}}}', NULL)")
    source.exec_driver_sql("CREATE TABLE docs (query_id INTEGER, doc_id TEXT, document TEXT)")
    source.exec_driver_sql("INSERT INTO docs SELECT 1, n, 'text ' || n FROM generate_series(1, 10) AS n")
    read = read_relevance_table(SourceTable(documents_table="public.docs"))
    assert read.documents["doc_id"].tolist() == [str(number) for number in range(1, 11)]
    assert read.documents["document"].iloc[9] == "text 10"
    source.exec_driver_sql("UPDATE docs SET doc_id = 'x' WHERE doc_id = '3'")
    with pytest.raises(FileFault, match="nothing says which score is whose. .* Add a column 'position'"):
        read_relevance_table(SourceTable(documents_table="docs"))


def test_documents_of_unknown_queries_and_queries_without_documents_are_refused(source: sa.Connection) -> None:
    source.exec_driver_sql(INSERT + "('first?', NULL, NULL)")
    source.exec_driver_sql("CREATE TABLE docs (query_id INTEGER, doc_id TEXT, document TEXT)")
    with pytest.raises(FileFault, match="table ground_truth, row 1: query '1' has no documents"):
        read_relevance_table(SourceTable(documents_table="docs"))
    source.exec_driver_sql("INSERT INTO docs VALUES (1, '1', 'x'), (7, '1', 'y')")
    with pytest.raises(FileFault, match="table docs: it has documents of queries that are not in .*: '7'"):
        read_relevance_table(SourceTable(documents_table="docs"))


def test_lists_of_different_length_and_scores_off_the_scale_are_refused(source: sa.Connection) -> None:
    source.exec_driver_sql(INSERT + "('first?', '{0.9,0.1}', '{0.8}')")
    with pytest.raises(FileFault, match="row 1: query '1' has 2 scores in column 'judge1_score' and 1 score in"):
        read_relevance_table(SourceTable())
    source.exec_driver_sql("UPDATE ground_truth SET judge2_score = '{4,5}'")
    with pytest.raises(UserError, match="score 4.0 in column 'judge2_score' is outside the scale 0-1"):
        read_relevance_table(SourceTable())


def test_a_scale_and_other_names_of_columns_are_taken(source: sa.Connection) -> None:
    source.exec_driver_sql("ALTER TABLE ground_truth RENAME query TO question")
    source.exec_driver_sql("INSERT INTO ground_truth (question, judge1_score) VALUES ('first?', '{1,5}')")
    read = read_relevance_table(SourceTable(), {"query": "question"}, Asked((1, 5)))
    assert read.scores["score"].tolist() == [0, 1]


def test_a_table_or_column_that_is_not_there_is_named(source: sa.Connection) -> None:
    with pytest.raises(FileFault, match=r"table ground_trut: there is no such table \(did you mean 'ground_truth'\?\)"):
        read_relevance_table(SourceTable(table="ground_trut"))
    source.exec_driver_sql("ALTER TABLE ground_truth RENAME query TO qwery")
    with pytest.raises(FileFault, match=r"column 'query' \(did you mean 'qwery'\?\) is missing"):
        read_relevance_table(SourceTable())


def test_an_empty_table_is_refused(source: sa.Connection) -> None:
    with pytest.raises(FileFault, match="table ground_truth: there is no row in it"):
        read_relevance_table(SourceTable())


def test_what_changes_in_the_table_changes_its_digest(source: sa.Connection) -> None:
    source.exec_driver_sql(INSERT + "('first?', '{0.9}', '{0.8}')")
    first = read_relevance_table(SourceTable()).sha256
    assert read_relevance_table(SourceTable()).sha256 == first
    source.exec_driver_sql("UPDATE ground_truth SET judge1_score = '{0.8}'")
    assert read_relevance_table(SourceTable()).sha256 != first


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (None, "TOUCHSTONE_SOURCE_URL is not set. Nothing was changed. Set it to the address"),
        ("sqlite:///other.db", "TOUCHSTONE_SOURCE_URL is no address of a Postgres database"),
        ("hunter2 is no address", "TOUCHSTONE_SOURCE_URL is no address of a Postgres database"),
        ("postgresql://eve:hunter2@127.0.0.1:1/secret", "TOUCHSTONE_SOURCE_URL names cannot be used .OperationalError"),
    ],
)
def test_an_address_that_does_not_work_is_told_of_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, address: str | None, said: str
) -> None:
    if address is None:
        monkeypatch.delenv(URL, raising=False)
    else:
        monkeypatch.setenv(URL, address)
    with pytest.raises(UserError, match=said) as raised:
        read_relevance_table(SourceTable())
    assert not any(word in str(raised.value) for word in ("hunter2", "eve", "127.0.0.1", "secret", "other.db"))
