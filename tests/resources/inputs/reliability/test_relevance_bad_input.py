"""Files of relevance that are wrong: the error names file, row, column, value and what to do; nothing is stored."""

import json
from pathlib import Path
from typing import Any

import pytest

from resources.errors import FileFault
from resources.inputs.faults import FileFaults
from resources.inputs.reliability.relevance_rows import read_relevance_file
from tests.resources.inputs.made_records import csv_file, json_lines

ROW = {"query_id": "q1", "query": "what?", "doc_id": "a", "document": "text", "judge": "gpt", "score": 0.5}
QUERY = {
    "id": "q1",
    "query": "what?",
    "docs": [{"id": "a"}, {"id": "b"}],
    "judge1_score": [1, 0],
    "judge2_score": [1, 1],
}


def rows(tmp_path: Path, *changes: dict[str, Any]) -> Path:
    """A long file: the row, then the row with each change."""
    return json_lines(tmp_path / "long.jsonl", ROW, *[ROW | change for change in changes])


def queries(tmp_path: Path, *changes: dict[str, Any]) -> Path:
    """A file of queries: the query with each change."""
    return json_lines(tmp_path / "queries.jsonl", *[QUERY | change for change in changes])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"score": 4, "doc_id": "b"},
            r"row 2: score 4 in column 'score' is outside the scale 0-1\. .*declare the scale .*`scale: \[1, 5\]`",
        ),
        ({"score": -0.1, "doc_id": "b"}, "row 2: score -0.1 in column 'score' is outside"),
        ({"score": "high", "doc_id": "b"}, "row 2: 'high' in column 'score' is no number. .* Write a number"),
        ({"score": True, "doc_id": "b"}, "row 2: 'True' in column 'score' is no number"),
        ({"score": 1e999, "doc_id": "b"}, "row 2: 'inf' in column 'score' is no number"),
        ({"score": [0.5], "doc_id": "b"}, "row 2: .*in column 'score' is no"),
        ({}, "row 2: judge 'gpt' has a score of document 'a' of query 'q1' under prompt version 'v1' in row 1 already"),
        (
            {"query": "other?", "judge": "b"},
            "row 2: query 'q1' reads 'other\\?' in column 'query' and 'what\\?' before",
        ),
        ({"document": "other", "judge": "b"}, "row 2: document 'a' of query 'q1' reads 'other' and 'text' before"),
        ({"doc_id": None}, "row 2: there is no value in column 'doc_id'"),
        ({"query_id": "  "}, "row 2: there is no value in column 'query_id'"),
        ({"query_id": "q\x001"}, r"row 2: 'q\\x001' in column 'query_id' holds NUL"),
        ({"judge": None, "doc_id": "b"}, "row 2: there is no value in column 'judge'"),
        ({"judge": "GPT"}, "row 2: judge 'gpt' has a score of document 'a' of query 'q1' .* in row 1 already"),
        ({"query_id": "q2", "query": " "}, "row 2: query 'q2' has no text in column 'query'"),
        ({"doc_id": ["b"]}, r"row 2: \['b'\] in column 'doc_id' is no single value"),
    ],
)
def test_a_wrong_row_is_named_with_its_remedy(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    with pytest.raises(FileFault, match=f"(?s)long.jsonl.*{said}"):
        read_relevance_file(rows(tmp_path, change))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"judge2_score": [1]}, "row 1: query 'q1' has 2 documents and 1 score in column 'judge2_score'. .*null"),
        ({"judge2_score": [1, 1, 0]}, "row 1: query 'q1' has 2 documents and 3 scores in column 'judge2_score'"),
        ({"judge2_score": [1], "docs": None}, "row 1: query 'q1' has 2 scores in column 'judge1_score' and 1 score in"),
        ({"judge2_score": 0.5}, "row 1: '0.5' in column 'judge2_score' is no list. .*Write it like"),
        ({"judge2_score": "[1, None]"}, r"row 1: '\[1, None\]' in column 'judge2_score' is no list"),
        ({"judge2_score": [[1, 0], 1]}, r"row 1: '\[1, 0\]' in column 'judge2_score' is no number"),
        ({"judge2_score": [5, 1]}, "row 1: score 5 in column 'judge2_score' is outside the scale 0-1"),
        ({"docs": []}, "row 1: query 'q1' has 0 documents and 2 scores"),
        (
            {"docs": [], "judge1_score": [], "judge2_score": []},
            "row 1: query 'q1' has no documents. .*Give it documents",
        ),
        ({"docs": None, "judge1_score": None, "judge2_score": None}, "row 1: query 'q1' has no documents"),
        ({"docs": [{"id": "a"}, {"id": "a"}]}, "row 1: document 'a' stands twice in column 'docs' of query 'q1'"),
        ({"docs": [{"id": "a"}, {"text": "b"}]}, "row 1: there is no value in column 'docs.id'"),
        ({"docs": [{"id": "a"}, 7]}, "row 1: '7' in column 'docs' is no document"),
        ({"id": None}, "row 1: there is no value in column 'id'"),
    ],
)
def test_a_wrong_query_is_named_with_its_remedy(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    with pytest.raises(FileFault, match=f"(?s)queries.jsonl, {said}"):
        read_relevance_file(queries(tmp_path, change))


def test_a_query_judged_twice_under_one_prompt_is_refused_and_under_two_is_not(tmp_path: Path) -> None:
    with pytest.raises(
        FileFault, match="row 2: judge 'judge1' has a score .* in row 1 already, and so for 3 more scores"
    ):
        read_relevance_file(queries(tmp_path, {}, {}))
    assert len(read_relevance_file(queries(tmp_path, {}, {"prompt_version": "v2"})).scores) == 8


@pytest.mark.parametrize("change", [{"query": "a \ud800"}, {"docs": [{"id": "d", "text": "\ud800"}, "b"]}])
def test_half_a_letter_in_a_text_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    with pytest.raises(FileFault, match="row 1: .*ud800.* holds half a letter. Nothing was loaded. Remove it"):
        read_relevance_file(queries(tmp_path, change))


@pytest.mark.parametrize("name", ["_score", "a\x00_score", "a\nb_score", "\ud800_score", "j" * 61 + "_score"])
def test_a_column_whose_judge_has_no_name_that_can_be_read_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileFault, match="(cannot be a judge's name|there is no value in column|holds NUL|holds half)"):
        read_relevance_file(queries(tmp_path, {name: [1, 1]}))


@pytest.mark.parametrize("line", ["{not json", '{"id": ' + "[" * 100_000])
def test_a_first_row_that_cannot_be_read_is_what_is_told(tmp_path: Path, line: str) -> None:
    path = json_lines(tmp_path / "a.jsonl", line)
    with pytest.raises(FileFault, match="a.jsonl, row 1: the line is no JSON"):
        read_relevance_file(path)


def test_a_key_that_stands_twice_in_an_object_is_refused(tmp_path: Path) -> None:
    line = '{"id": "q", "query": "?", "judge1_score": [0.1], "judge2_score": [0.2], "judge1_score": [0.9]}'
    with pytest.raises(FileFault, match="row 1: 'judge1_score' stands twice in .* Keep one of the two"):
        read_relevance_file(json_lines(tmp_path / "a.jsonl", line))


def test_a_score_outside_the_scale_is_shown_as_it_is_written(tmp_path: Path) -> None:
    with pytest.raises(FileFault, match="score 1.0000000000001 in column 'score' is outside the scale 0-1"):
        read_relevance_file(rows(tmp_path, {"doc_id": "b", "score": 1.0000000000001}))


def test_documents_that_are_no_list_are_told_how_documents_are_written(tmp_path: Path) -> None:
    with pytest.raises(FileFault, match=r"in column 'docs' is no list. Nothing was loaded. Write documents like \["):
        read_relevance_file(queries(tmp_path, {"docs": {"d0": "x"}}))


def test_every_wrong_row_is_listed_at_once(tmp_path: Path) -> None:
    path = rows(tmp_path, {"score": 4, "doc_id": "b"}, {"score": 5, "doc_id": "c"}, {"doc_id": ""})
    with pytest.raises(
        FileFaults, match=r"long.jsonl: 3 faults. Nothing was loaded.\n  row 2: .*\n  row 3: .*\n  row 4:"
    ):
        read_relevance_file(path)


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "a.jsonl", ROW, '{"query_id": "q2", ')
    with pytest.raises(FileFault, match="a.jsonl, row 2: the line is no JSON .* Fix or remove the line"):
        read_relevance_file(path)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_an_empty_file_is_named(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    path.touch()
    with pytest.raises(FileFault, match=f"a.{ending}: the file is empty"):
        read_relevance_file(path)


def test_a_header_without_rows_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("query_id,query,doc_id,document\n")
    with pytest.raises(FileFault, match="a.csv: there is no row in it"):
        read_relevance_file(path)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (
            {"query": "qwery"},
            r"column 'query' \(did you mean 'qwery'\?\) is missing; the columns there are: 'query_id'",
        ),
        ({"judge": "who"}, "column 'judge' is missing"),
        ({"score": "sc0re"}, r"column 'score' \(did you mean 'sc0re'\?\) is missing"),
        ({"document": "documents"}, "column 'documents' is not read, and looks like 'document'"),
    ],
)
def test_a_column_of_an_unknown_name_is_named(tmp_path: Path, columns: dict[str, str], said: str) -> None:
    path = csv_file(tmp_path / "a.csv", {columns.get(name, name): value for name, value in ROW.items()})
    with pytest.raises(FileFault, match=f"a.csv: {said}"):
        read_relevance_file(path)


def test_a_score_list_of_nearly_the_right_name_is_not_passed_over(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "a.jsonl", {**QUERY, "judge3_scores": [0, 1]})
    with pytest.raises(FileFault, match="column 'judge3_scores' is not read, and looks like 'judge3_score'"):
        read_relevance_file(path)


def test_a_renaming_of_what_is_no_column_is_refused(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "a.csv", ROW)
    with pytest.raises(FileFault, match=r"`columns` names 'qery_id' \(did you mean 'query_id'\?\), which is no column"):
        read_relevance_file(path, {"qery_id": "query_id"})
    with pytest.raises(FileFault, match=r"there is no column 'qid'.*which `columns` names for 'query_id'"):
        read_relevance_file(path, {"query_id": "qid"})


def test_queries_alone_are_no_input(tmp_path: Path) -> None:
    with pytest.raises(FileFault, match="it holds queries without documents; the columns there are: 'id', 'query'"):
        read_relevance_file(csv_file(tmp_path / "a.csv", {"id": "1", "query": "what?"}))


def test_a_json_list_is_read_as_lines_are(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps([ROW]))
    lines = tmp_path / "b.jsonl"
    lines.write_text(json.dumps(ROW))
    assert read_relevance_file(path).documents.equals(read_relevance_file(lines).documents)


def test_text_with_nul_is_read_as_it_is(tmp_path: Path) -> None:
    read = read_relevance_file(rows(tmp_path, {"doc_id": "b", "document": "a\x00b"}))
    assert read.documents["document"].tolist() == ["text", "a\x00b"]
