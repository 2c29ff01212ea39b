"""Ground truth as files and as a Postgres table: the shape that others read, and nothing written over unasked."""

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

from resources.configuration.reliability import SourceTable
from resources.database.engine import open_engine
from resources.database.reliability.query_store import QueryStore
from resources.database.reliability.table_export import ExportRow, export_rows, write_export_file, write_export_table
from resources.database.reliability.validation_store import ValidationStore
from resources.errors import UserError
from resources.inputs.reliability.relevance_rows import read_relevance_file
from resources.inputs.reliability.relevance_table import read_relevance_table
from tests.made_queries import JUDGES, STUDY, judgment, stored, truth, validated

URL = "TOUCHSTONE_SOURCE_URL"
ROWS = [
    ExportRow("1", "a, b; 'c'?", ([0.9, None], [0.8, 0.3]), 0.5, ["1"], True, "said so", "v1"),
    ExportRow("2", "\N{HIKING BOOT}", ([0.1, 0.2], [0.3, 0.4]), None, [], False, None, "recalibrated_v2"),
]


@pytest.fixture
def stores(migrated_url: str) -> Iterator[tuple[QueryStore, ValidationStore]]:
    """Ground truth of q1, whose third document only one judge has scored."""
    engine = open_engine(migrated_url)
    queries, validations = stored(engine, n_documents=3), ValidationStore(engine, STUDY)
    scores = {("d1", "careful"): 0.9, ("d1", "hasty"): 0.8, ("d2", "careful"): 0.1, ("d2", "hasty"): 0.3}
    queries.record([judgment("q1", doc, judge, score) for (doc, judge), score in scores.items()])
    queries.record([judgment("q1", "d3", "hasty", 0.6)])
    validations.write_ground_truth([truth("q1", validated(validations))])
    yield queries, validations
    engine.dispose()


@pytest.fixture
def source(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[sa.Engine]:
    """A database of somebody else's, named by the environment."""
    monkeypatch.setenv(URL, postgres_url)
    engine = open_engine(postgres_url)
    yield engine
    engine.dispose()


def test_each_judge_has_a_score_or_null_for_every_document(stores: tuple[QueryStore, ValidationStore]) -> None:
    (row,) = export_rows(*stores, JUDGES)
    assert row == ExportRow("q1", "what is q1?", ([0.9, 0.1, None], [0.8, 0.3, 0.6]), 1.0, ["d1"], False, None, "v1")


def test_scores_that_came_after_the_ground_truth_stop_the_export(stores: tuple[QueryStore, ValidationStore]) -> None:
    stores[0].record([judgment("q1", "d3", "careful", 0.9)])
    with pytest.raises(UserError, match="query 'q1' was written before its scores of judge 'careful' changed"):
        export_rows(*stores, JUDGES)


def test_without_ground_truth_there_is_nothing_to_export(stores: tuple[QueryStore, ValidationStore]) -> None:
    with pytest.raises(UserError, match="no ground truth yet"):
        export_rows(stores[0], ValidationStore(stores[0].engine, "boots"), JUDGES)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_file_holds_what_the_importer_reads(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "out" / f"truth.{ending}"
    write_export_file(path, ROWS)
    read = read_relevance_file(path)
    assert read.judges == ("judge1", "judge2")
    assert read.scores["score"].tolist() == [0.9, 0.8, 0.3, 0.1, 0.2, 0.3, 0.4]
    assert read.documents["query"].tolist() == ["a, b; 'c'?"] * 2 + ["\N{HIKING BOOT}"] * 2
    assert read.ignored == ("kappa", "expected_docs", "human_override", "override_reason")


def test_json_and_parquet_hold_lists_and_nulls(tmp_path: Path) -> None:
    write_export_file(tmp_path / "a.jsonl", ROWS)
    write_export_file(tmp_path / "a.parquet", ROWS)
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()]
    assert lines == pq.read_table(tmp_path / "a.parquet").to_pylist()
    assert lines[0]["judge1_score"] == [0.9, None]
    assert lines[0]["expected_docs"] == ["1"]


def test_a_file_that_is_there_is_written_over_only_when_told(tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"
    path.write_text("kept")
    with pytest.raises(
        UserError, match="is there already. Nothing was changed. Name another file, or add `--overwrite`"
    ):
        write_export_file(path, ROWS)
    assert path.read_text() == "kept"
    write_export_file(path, ROWS, overwrite=True)
    assert path.read_text() != "kept"


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="'.xlsx' is not written"):
        write_export_file(tmp_path / "truth.xlsx", ROWS)


def test_a_new_table_has_the_shape_that_is_read_back(source: sa.Engine) -> None:
    assert write_export_table(URL, "ground_truth", ROWS, JUDGES) == (2, 0, 0)
    columns = {column["name"]: column for column in sa.inspect(source).get_columns("ground_truth")}
    assert list(columns) == [
        "id",
        "query",
        "judge1_score",
        "judge2_score",
        "kappa",
        "expected_docs",
        "human_override",
        "override_reason",
        "prompt_version",
    ]
    assert columns["judge1_score"]["type"].compile(source.dialect) == "DOUBLE PRECISION[]"
    assert columns["human_override"]["default"] == "false"
    assert columns["prompt_version"]["default"] == "'v1'::text"
    read = read_relevance_table(SourceTable())
    assert read.scores["score"].tolist() == [0.9, 0.8, 0.3, 0.1, 0.2, 0.3, 0.4]
    assert read.scores["prompt_version"].tolist() == ["v1"] * 3 + ["recalibrated_v2"] * 4
    assert write_export_table(URL, "ground_truth", ROWS, JUDGES) == (0, 0, 2)


def test_a_table_that_is_there_is_filled_in_by_id(source: sa.Engine) -> None:
    with source.begin() as connection:
        connection.execute(
            sa.text(
                "CREATE TABLE ground_truth (id SERIAL PRIMARY KEY, query TEXT, judge1_score FLOAT[], "
                "judge2_score FLOAT[], kappa FLOAT, expected_docs INTEGER[], human_override BOOLEAN DEFAULT FALSE, "
                "override_reason VARCHAR(200), prompt_version VARCHAR(50) DEFAULT 'v1', owner TEXT)"
            )
        )
        connection.execute(
            sa.text(
                "INSERT INTO ground_truth (query, judge1_score, judge2_score, owner) "
                "VALUES ('a, b; ''c''?', '{0.9,NULL}', '{0.8,0.3}', 'Eve')"
            )
        )
    assert write_export_table(URL, "ground_truth", ROWS, JUDGES) == (1, 1, 0)
    with source.connect() as connection:
        rows = connection.execute(sa.text("SELECT * FROM ground_truth ORDER BY id")).mappings().all()
    assert (rows[0]["expected_docs"], rows[0]["human_override"], rows[0]["owner"]) == ([1], True, "Eve")
    assert (rows[1]["kappa"], rows[1]["expected_docs"], rows[1]["prompt_version"]) == (None, [], "recalibrated_v2")


def test_what_says_something_else_is_written_over_only_when_told(source: sa.Engine) -> None:
    write_export_table(URL, "ground_truth", ROWS, JUDGES)
    other = [ROWS[0]._replace(expected_docs=["2"]), ROWS[1], ROWS[1]._replace(id="3")]
    with pytest.raises(UserError, match=r"id 1: column expected_docs holds \['1'\] and would become \['2'\]. Nothing"):
        write_export_table(URL, "ground_truth", other, JUDGES)
    with source.connect() as connection:
        assert connection.scalar(sa.text("SELECT count(*) FROM ground_truth")) == 2
    assert write_export_table(URL, "ground_truth", other, JUDGES, overwrite=True) == (1, 1, 1)


def test_ids_that_do_not_fit_the_table_are_refused_and_nothing_is_written(source: sa.Engine) -> None:
    write_export_table(URL, "ground_truth", ROWS, JUDGES)
    with pytest.raises(
        UserError, match="'q9' does not fit column 'id', which holds whole numbers. Nothing was changed"
    ):
        write_export_table(URL, "ground_truth", [ROWS[0]._replace(id="3"), ROWS[0]._replace(id="q9")], JUDGES)
    assert write_export_table(URL, "public.by_name", [ROWS[0]._replace(id="q9")], JUDGES) == (1, 0, 0)


def test_a_table_without_a_column_is_refused(source: sa.Engine) -> None:
    with source.begin() as connection:
        connection.execute(sa.text("CREATE TABLE ground_truth (id TEXT, query TEXT)"))
    with pytest.raises(UserError, match="has no column 'judge1_score', 'judge2_score', 'kappa'"):
        write_export_table(URL, "ground_truth", ROWS, JUDGES)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("", "'' cannot be a table's name. Nothing was changed"),
        (".truth", "'.truth' cannot be a table's name"),
        ("t" * 64, "cannot be a table's name. .* each of 1 to 63 bytes"),
        ("a\x00b", "cannot be a table's name"),
        ("publik.truth", r"There is no schema 'publik' \(did you mean 'public'\?\) for table 'publik.truth'"),
    ],
)
@pytest.mark.usefixtures("source")
def test_a_name_that_no_table_can_have_is_refused(table: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        write_export_table(URL, table, ROWS, JUDGES)


def test_a_folder_is_no_file_to_export_to(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"is a folder. Nothing was changed. Name a file in it, such as .*ground_truth.csv"
    ):
        write_export_file(tmp_path, [])
