"""JSON as other tools export it: a list of records within an object, lists of named entries, names with dots."""

import json
from pathlib import Path
from typing import Any

import pytest

from resources.errors import FileFault
from resources.inputs.faults import BadRow
from resources.inputs.ratings.layout import RatingColumns, ratings_file
from resources.inputs.ratings.likely import likely_columns
from resources.inputs.ratings.table import read_ratings
from resources.inputs.record_files import Record


def written(path: Path, value: Any, indent: int | None = None) -> str:
    path.write_text(json.dumps(value, indent=indent), encoding="utf-8")
    return str(path)


def records(folder: Path, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is read of a file with a record a line."""
    (path := folder / "lines.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return [one.fields for one in ratings_file(str(path)).records() if isinstance(one, Record)]


def metric(score: float) -> list[dict[str, Any]]:
    return [{"name": "Tone (v1.2)", "score": score, "threshold": 0.5}]


@pytest.mark.parametrize("indent", [None, 2])
def test_the_records_of_one_object_are_its_longest_list_of_objects(tmp_path: Path, indent: int | None) -> None:
    cases = [{"id": f"c{i}", "metricsData": metric(i % 3 / 2), "extra": {"human_1": i % 2}} for i in range(40)]
    path = written(tmp_path / "e.json", {"run": {"cases": cases, "prompts": [{"raw": "?"}]}, "empty": []}, indent)
    file = ratings_file(path)
    assert file.names()[0] == [
        "id",
        "metricsData.Tone (v1.2).score",
        "metricsData.Tone (v1.2).threshold",
        "extra.human_1",
    ]
    assert [one.role for one in likely_columns(file).columns] == ["object", "judge", "other", "person"]
    assert file.remarks == ["Its records are the 40 entries of 'run.cases'."]
    columns = RatingColumns(("metricsData.Tone (v1.2).score",), ("extra.human_1",), item="id")
    assert list(read_ratings(path, columns).judges["metricsData.Tone (v1.2).score"])[:4] == [0.0, 0.5, 1.0, 0.0]


def test_entries_are_named_by_what_differs_in_every_record(tmp_path: Path) -> None:
    def feedback(of: list[tuple[str, int]]) -> dict[str, Any]:
        return {"feedback": [{"key": "correct", "score": score, "source": who} for who, score in of]}

    lines = [feedback([("gpt-4.1", 1)]), feedback([("gpt-4.1", 2), ("ann@lab.org", 3)])]
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    names = ["feedback.gpt-4.1.key", "feedback.gpt-4.1.score", "feedback.ann@lab.org.key", "feedback.ann@lab.org.score"]
    assert ratings_file(str(path)).names()[0] == names


def test_two_entries_of_one_name_are_several_values_where_they_are_asked_for(tmp_path: Path) -> None:
    votes = [{"user_id": "u1", "value": 1}, {"user_id": "u2", "value": 2}]
    lines = [{"id": i, "judge": i % 2, "ann": 1, "votes": votes} for i in range(1001)]
    lines[1000] = {**lines[1000], "votes": [votes[0], {"user_id": "u1", "value": 2}]}
    assert records(tmp_path, lines)[999]["votes"] == {"u1": {"value": 1}, "u2": {"value": 2}}
    path = str(tmp_path / "lines.jsonl")
    assert len(read_ratings(path, RatingColumns(("judge",), ("ann",), item="id")).objects) == 1001
    with pytest.raises(FileFault, match=r"row 1001: 'votes\.u1\.value' holds several values"):
        read_ratings(path, RatingColumns(("judge",), ("votes.u1.value",), item="id"))


def test_entries_with_other_names_in_every_record_are_no_columns(tmp_path: Path) -> None:
    lines = [{"passages": [{"source": f"doc{i}_{j}", "score": 0.5} for j in range(2)]} for i in range(30)]
    assert records(tmp_path, lines) == lines


def test_entries_of_more_than_100_names_are_no_columns(tmp_path: Path) -> None:
    lines = [{"passages": [{"source": f"doc{(i + j) % 101}", "score": 0.5} for j in range(2)]} for i in range(202)]
    assert records(tmp_path, lines) == lines


def test_an_object_without_a_list_of_records_says_what_to_export(tmp_path: Path) -> None:
    path = written(tmp_path / "frame.json", {"judge": {"mean": 1}, "human": 2}, 2)
    with pytest.raises(FileFault, match=r"one JSON object, without a list of records in it\. Nothing was"):
        ratings_file(path).names()


@pytest.mark.parametrize(
    "frame",
    [
        {"judge": {"0": 4, "1": 5}, "ann": {"0": 3, "1": None}},
        {"0": {"judge": 4, "ann": 3}, "1": {"judge": 5, "ann": None}},
        {"columns": ["judge", "ann"], "index": [0, 1], "data": [[4, 3], [5, None]]},
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_data_frame_is_read_in_every_shape(tmp_path: Path, frame: dict[str, Any], indent: int | None) -> None:
    found = ratings_file(written(tmp_path / "f.json", frame, indent)).records()
    assert [one.fields for one in found if isinstance(one, Record)] == [
        {"judge": 4, "ann": 3},
        {"judge": 5, "ann": None},
    ]


@pytest.mark.parametrize(
    ("names", "cells", "problem"),
    [
        (["ann", "judge", "ann"], [4, 3, 5], r"the header names 'ann' twice\."),
        (["ann", "judge"], [4], r"row 1: its values \(1\) are not as many as the columns \(2\)\."),
        ([["ann", "1"], ["judge", ""]], [4, 3], "it is one JSON object, without a list of records in it"),
    ],
)
def test_a_frame_whose_cells_have_no_column_of_their_own_is_refused(
    tmp_path: Path, names: list[Any], cells: list[int], problem: str
) -> None:
    path = written(tmp_path / "f.json", {"columns": names, "index": [0], "data": [cells]}, 2)
    with pytest.raises(FileFault, match=problem):
        ratings_file(path).names()


def test_a_record_with_the_keys_of_a_frame_is_a_record(tmp_path: Path) -> None:
    record = {"columns": 3, "index": 1, "data": None}
    assert records(tmp_path, [record]) == [record]


def test_a_list_of_one_label_is_that_label(tmp_path: Path) -> None:
    lines = [{"label": ["pos"], "docs": []}, {"label": ["neg", "pos"], "docs": []}, {"label": [], "docs": []}]
    assert [one["label"] for one in records(tmp_path, lines)] == ["pos", ["neg", "pos"], None]
    assert [one["docs"] for one in records(tmp_path, lines)] == [[], [], []]


def test_a_json_file_of_one_record_a_line_is_read_as_such(tmp_path: Path) -> None:
    path = tmp_path / "two.json"
    path.write_text('{"id": 1, "docs": [{"text": "a"}]}\n{"id": 2, "docs": []}\n', encoding="utf-8")
    assert ratings_file(str(path)).names()[0] == ["id", "docs"]


def test_one_object_may_begin_on_its_first_line(tmp_path: Path) -> None:
    path = tmp_path / "o.json"
    path.write_text('{"results": [\n{"id": 1},\n{"id": 2}\n]}\n', encoding="utf-8")
    assert [one.fields for one in ratings_file(str(path)).records() if isinstance(one, Record)] == [
        {"id": 1},
        {"id": 2},
    ]


def test_a_broken_first_line_of_many_is_named(tmp_path: Path) -> None:
    path = tmp_path / "b.jsonl"
    path.write_text('{"id": [\n{"id": 2}\n', encoding="utf-8")
    [bad, second] = ratings_file(str(path)).records()
    assert isinstance(bad, BadRow)
    assert (bad.row, second) == (1, Record(2, {"id": 2}))
