"""Files of records are streamed with their row numbers, and a file of another form says what to do."""

import json
import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pyarrow as pa
import pytest

from resources.configuration.evaluation import Dataset
from resources.errors import UserError
from resources.inputs.any_file import record_file
from resources.inputs.evaluation.files import read_evaluation_file
from resources.inputs.evaluation.rows import PIECE, PackedColumn
from resources.inputs.faults import MOST_FAULTS, Faults
from resources.inputs.record_files import Record, leaves, value_of
from resources.inputs.reliability.relevance_rows import read_relevance_file
from resources.judges.relevance.offline import read_calibration
from resources.judges.relevance.recorded import RecordedJudge
from resources.judges.replay import RecordedRows
from tests.resources.inputs.made_files import written
from tests.resources.inputs.made_records import json_lines, parquet_file, score
from tools.samples.workbooks import excel


def test_lines_keep_their_numbers_and_blank_ones_pass(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\r\n  \n{"a": 2}')
    assert list(record_file(path).records()) == [Record(1, {"a": 1}), Record(4, {"a": 2})]


def test_one_json_list_holds_records_too(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'\xef\xbb\xbf\n [{"a": 1},\n {"a": 2}, 3]')
    first, second, bad = record_file(path).records()
    assert [first, second] == [Record(1, {"a": 1}), Record(2, {"a": 2})]
    assert "entry 3 of the list is no JSON object" in str(bad)
    assert record_file(path).names() == (["a"], True)


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        ("a.jsonl", b"", ["empty"]),
        ("a.jsonl", b"\n \n", ["empty"]),
        ("a.json", b'[{"a": 1},\n {"a": 2}', ["the list is no JSON", "Export it again"]),
        ("a.json", b'{\n "a": 1\n}', ["row 1", "several lines"]),
        ("a.jsonl", '{"a": 1}'.encode("utf-16"), ["UTF-16", "Save it as UTF-8"]),
        ("a.csv", b"a,b,a\n1,2,3\n", ["row 1", "'a' twice"]),
        ("a.parquet", b"a,b\n1,2\n", ["no Parquet file", "Export it again"]),
        ("a.xlsx", b"PK", ["no workbook", "Export it again"]),
        ("a.docx", b"PK", ["not read", ".jsonl", ".csv", ".parquet", ".xlsx", "Convert"]),
    ],
)
def test_a_file_of_another_form_says_what_to_do(tmp_path: Path, name: str, content: bytes, parts: list[str]) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UserError) as caught:
        list(record_file(path).records())
    assert [part for part in [name, *parts, "Nothing was loaded"] if part not in str(caught.value)] == []


def test_a_missing_file_is_named_with_its_folder(tmp_path: Path) -> None:
    for name in ("gone.jsonl", "gone.csv", "gone.parquet"):
        with pytest.raises(UserError, match=rf"{tmp_path}/{name}: there is no such file"):
            list(record_file(tmp_path / name).records())


def test_bytes_that_are_no_utf8_are_a_bad_row_of_their_number(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": "x"}\n{"a": "\xe8"}\n')
    [first, second] = record_file(path).records()
    assert isinstance(first, Record)
    assert (second.row, "utf-8" in second.problem) == (2, True)  # type: ignore[union-attr]


def test_deep_nesting_is_a_bad_row_and_no_crash(tmp_path: Path) -> None:
    [found] = record_file(json_lines(tmp_path / "a.jsonl", '{"a":' * 100_000)).records()
    assert not isinstance(found, Record)
    deep: dict[str, object] = {}
    for _ in range(5000):
        deep = {"a": deep, "b": 1}
    assert len(list(leaves(deep))) == 5000


def test_an_endless_line_is_refused_before_it_fills_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "touchstone.yaml").write_text("limits: {line_bytes: 100}\nevaluation: {}\n")
    monkeypatch.setenv("TOUCHSTONE_CONFIG", str(tmp_path / "touchstone.yaml"))
    path = json_lines(tmp_path / "a.jsonl", {"a": 1}, {"a": "x" * 200})
    with pytest.raises(UserError, match="row 2: the line is longer than 100 bytes.*or raise `line_bytes`"):
        list(record_file(path).records())


def test_only_wanted_columns_of_a_parquet_file_are_read(tmp_path: Path) -> None:
    record = {"a": 1, "m": {"x": 2, "y": 3}, "m.z": 4}
    file = record_file(parquet_file(tmp_path / "a.parquet", record, record, record))
    assert [found.fields for found in file.records(["m.y", "m.z"])] == [{"m": {"y": 3}, "m.z": 4}] * 3
    assert [found.row for found in file.records()] == [1, 2, 3]
    assert file.names() == (["a", "m.x", "m.y", "m.z"], True)


def test_a_damaged_parquet_file_is_refused(tmp_path: Path) -> None:
    path = parquet_file(tmp_path / "a.parquet", *({"a": f"{row} of many", "b": row} for row in range(6)))
    content = bytearray(path.read_bytes())
    # The first page lies behind the four bytes that every Parquet file begins with; the footer stays whole.
    content[4:60] = b"\xff" * 56
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"a\.parquet, row 1: it is damaged.*Export it again"):
        list(record_file(path).records())


def test_names_are_known_to_be_all_only_where_the_file_says_so_or_was_read_whole(tmp_path: Path) -> None:
    short = json_lines(tmp_path / "a.jsonl", {"a": 1, "m": None}, {"m": {"x": []}})
    assert record_file(short).names() == (["a", "m.x"], True)
    long = record_file(json_lines(tmp_path / "b.jsonl", *[{"a": 1}] * 1001, {"b": 1}))
    assert long.names() == (["a"], False)
    assert long.names(whole=True) == (["a", "b"], True)


def test_dotted_names_find_nested_fields_and_keys_with_dots() -> None:
    record = {"a": {"b": {"c": 1}, "list": [1]}, "a.d": 2, "e": None}
    assert [value_of(name)(record) for name in ("a.b.c", "a.d", "a.x", "a.b.c.d", "e", "f")] == [1, 2, None, None] + [
        None,
        None,
    ]
    assert dict(leaves(record)) == {"a.b.c": 1, "a.list": [1], "a.d": 2, "e": None}
    two = {"by": {"gpt-4": 4, "gpt-4.1": {"v1.0": 5}}}
    assert [value_of(name)(two) for name in ("by.gpt-4", "by.gpt-4.1.v1.0", "by.gpt-4.1.v1", "by.gpt-4.0")] == [
        *(4, 5, None, None)
    ]


def test_packed_columns_hold_each_value_at_its_place() -> None:
    column = PackedColumn(pa.int64())
    places = [0, 1, 5, PIECE - 1, PIECE, 3 * PIECE + 7, 3 * PIECE + 8]
    for place in places:
        column.put(place, place)
    values = column.array(4 * PIECE).to_pylist()
    assert [place for place, value in enumerate(values) if value is not None] == places
    assert all(values[place] == place for place in places)
    assert PackedColumn(pa.string()).array(2).to_pylist() == [None, None]


def test_sparse_values_do_not_splinter_a_column() -> None:
    column = PackedColumn(pa.int64())
    for place in range(0, 10 * PIECE, 2):
        column.put(place, 1)
    assert column.array(10 * PIECE).num_chunks < 15


def test_a_file_that_is_wrong_throughout_is_given_up() -> None:
    faults = Faults("a.jsonl")
    for row in range(1, MOST_FAULTS):
        faults.add("wrong.", "Fix it.", row)
    with pytest.raises(UserError, match=f"{MOST_FAULTS} faults"):
        faults.add("wrong.", "Fix it.", MOST_FAULTS)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_memory_holds_the_columns_asked_for_and_not_the_file(tmp_path: Path, kind: str) -> None:
    # 30 MB of text, of which a score, an opinion and a word per row are asked for.
    n_rows, ballast = 10_000, "x" * 3000
    path = tmp_path / f"a.{kind}"
    with path.open("w") as file:
        if kind == "csv":
            file.write("sample_id,final_score,mos,kind,note\n")
        for row in range(n_rows):
            if kind == "csv":
                file.write(f"s{row},{row / 7},{row / 9},k{row % 5},{ballast}\n")
            else:
                file.write(json.dumps(score(f"s{row}", row / 7, row / 9, kind=f"k{row % 5}", note=ballast)) + "\n")
    size = path.stat().st_size
    read_evaluation_file(written(tmp_path / "warm.csv", "sample_id,final_score,mos", "a,1,2"))
    before = pa.total_allocated_bytes()
    tracemalloc.start()
    try:
        read = read_evaluation_file(path, fields=["kind"])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(read.frame) == n_rows
    assert size > 30e6
    assert peak < 0.2 * size, f"{peak / 1e6:.0f} MB for a file of {size / 1e6:.0f} MB"
    # Arrow's memory is not Python's.
    assert pa.total_allocated_bytes() - before < 5e6


UNREADABLE = "{'id': 1}\n{'id': 2}\n"
# Every reader of JSONL, study by study; A's other inputs and B's are CSV and pictures.
READERS: dict[str, Callable[[Path], object]] = {
    "A, recorded calls": RecordedRows,
    "C, scores and answers": read_evaluation_file,
    "C, of a kind that is named": lambda path: read_evaluation_file(path, Dataset(kind="scores", skip_bad_rows=True)),
    "D, queries": read_relevance_file,
    "D, recorded answers": lambda path: RecordedJudge("judge1", path, "v1"),
    "D, calibration": read_calibration,
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())
def test_a_file_of_which_no_line_can_be_read_is_told_line_by_line_in_every_study(
    tmp_path: Path, read: Callable[[Path], object]
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(UNREADABLE)
    with pytest.raises(UserError) as refused:
        read(path)
    said = str(refused.value)
    assert "a.jsonl: 2 faults. Nothing was loaded." in said
    assert "row 1: the line is no JSON" in said
    assert "row 2: the line is no JSON" in said
    assert "there is no" not in said


def test_a_cell_merged_over_rows_stands_for_each_and_a_header_may_have_two_rows(tmp_path: Path) -> None:
    rows = [
        ["ref", "image", "scores", ""],
        ["", "", "ann", "bob"],
        ["r1", "a", 1, 2],
        ["", "b", 4, 4],
        ["r2", "c", 3, 3],
    ]
    made = excel(tmp_path / "a.xlsx", Ratings=rows)
    with ZipFile(made) as old, ZipFile(tmp_path / "b.xlsx", "w") as new:
        for name in old.namelist():
            merged = b'</sheetData><mergeCells><mergeCell ref="A3:A4"/><mergeCell ref="G2:G4"/></mergeCells>'
            new.writestr(name, old.read(name).replace(b"</sheetData>", merged))
    file = record_file(tmp_path / "b.xlsx")
    assert file.names()[0] == ["ref", "image", "ann", "bob"]
    found = [(one.row, one.fields["ref"]) for one in file.records() if isinstance(one, Record)]
    assert found == [(3, "r1"), (4, "r1"), (5, "r2")]


def test_formulas_that_nobody_computed_are_no_blanks(tmp_path: Path) -> None:
    made = excel(tmp_path / "a.xlsx", other=[], Ratings=[["id", "gpt", "ann", "bob"], ["a", 1, 2, 3], ["b", 4, 4, 5]])
    with ZipFile(made) as old, ZipFile(tmp_path / "b.xlsx", "w") as new:
        for name in old.namelist():
            text = re.sub(rb'<c r="B3"[^>]*>.*?</c>', b'<c r="B3"><f>C3</f><v /></c>', old.read(name))
            new.writestr(name, text)
    assert len(list(record_file(made).records())) == 2
    with pytest.raises(UserError, match="lacks the results of 1 formula, the first in B3"):
        record_file(tmp_path / "b.xlsx")
