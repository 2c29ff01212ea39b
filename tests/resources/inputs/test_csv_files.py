"""A user's CSV is read whichever way a spreadsheet wrote it, or refused with row, value and remedy."""

import math
from pathlib import Path

import pytest

from resources.errors import UserError
from resources.inputs.csv_files import CsvRow, CsvRows, read_csv_file
from tests.resources.inputs.made_files import written


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_byte_order_mark_delimiter_and_line_end_do_not_matter(
    tmp_path: Path, encoding: str, delimiter: str, end: str
) -> None:
    lines = (delimiter.join(cells) for cells in [("name", "score"), ("perché", "1"), (" b ", "")])
    file = read_csv_file(written(tmp_path / "a.csv", *lines, encoding=encoding, end=end), ["name", "score"])
    assert list(file.records()) == [(2, {"name": "perché", "score": "1"}), (3, {"name": "b", "score": ""})]
    assert file.delimiter == delimiter


def test_rows_keep_the_number_that_a_spreadsheet_shows(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "a,b", '1,"two\nlines"', "", ",", "3,4")
    assert [row for row, _ in read_csv_file(path, ["a"]).records()] == [2, 5]


def test_the_required_columns_decide_between_delimiters(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "score;note, with, commas", "1;x")
    assert read_csv_file(path, ["score"]).delimiter == ";"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("mark", ["sep={}", "SEP={}", '"sep={}"', "\ufeffsep={}"])
def test_a_line_that_tells_excel_the_separator_is_obeyed_and_skipped(tmp_path: Path, delimiter: str, mark: str) -> None:
    lines = [mark.format(delimiter), delimiter.join(["a", "b"]), delimiter.join(["1", "2"])]
    file = read_csv_file(written(tmp_path / "a.csv", *lines, end="\r\n"), ["a"])
    assert list(file.records()) == [(3, {"a": "1", "b": "2"})]
    assert (file.delimiter, file.header_row) == (delimiter, 2)


def test_columns_without_a_name_are_left_out(tmp_path: Path) -> None:
    file = read_csv_file(written(tmp_path / "a.csv", ",a,b,", "0,1,2,"), ["a"])
    assert list(file.records()) == [(2, {"a": "1", "b": "2"})]


@pytest.mark.parametrize(
    ("header", "cell", "number"),
    [
        ("a;b", "0,95", 0.95),
        ("a;b", "0.95", 0.95),
        ("a,b", "0.95", 0.95),
        ("a,b", '"0,95"', 0.95),
        ("a;b", "1.000,5", 1000.5),
        ("a,b", "nan", None),
        ("a,b", "inf", None),
        ("a,b", "1_0", None),
        ("a,b", "1e999", math.inf),
        ("a,b", "-.5e1", -5.0),
        ("a,b", "?", None),
    ],
)
def test_a_number_is_read_in_the_form_of_its_column(
    tmp_path: Path, header: str, cell: str, number: float | None
) -> None:
    file = read_csv_file(written(tmp_path / "a.csv", header, f"x{header[1]}{cell}"), ["a", "b"])
    assert file.as_written(["b"]).number("b", file.frame.loc[2, "b"]) == number


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"", ["a.csv", "empty", "Export it again"]),
        (b"\xef\xbb\xbf", ["a.csv", "empty"]),
        (b" \n\n", ["a.csv", "empty"]),
        (b"name,scores\nx,1\n", ["row 1", "'score'", "there is 'scores'", "'name', 'scores'", "Name it"]),
        (b"name,score,name\nx,1,y\n", ["row 1", "'name' twice", "Rename one"]),
        (b"name,score\nx,1\ny,1,2\n", ["row 3", "3 cells", "2 columns", "'y,1,2'", "quotation marks", "point"]),
        (b"name;score\nx\n", ["row 2", "1 cells", "semicolon"]),
        (b"name,score\n\xe8,1\n", ["row 2", "0xe8", "UTF-8", "Save it as CSV UTF-8"]),
        (b'name,score\n"x,1\ny,2\n', ["row 2", "quotation marks", "Close"]),
        (b"\nname,score\nx,1\n", ["row 1", "the first line is empty", "Delete it"]),
        (b",,\nname,score\nx,1\n", ["row 1", "the first line is empty"]),
        (b"sep=,\n\nx,1\n", ["row 2", "the line of the header is empty"]),
        (b"sep=,\nname,scores\n", ["row 2", "'score'", "is missing", "there is 'scores'", "Name it so in the file."]),
        (b"nam,x\n", ["columns 'name' (there is 'nam') and 'score' are missing", "Name them so in the file."]),
        (b"sep=;\nname;score\nx\n", ["row 3", "1 cells", "semicolon"]),
        (b"sep=;\nname;score;name\n", ["row 2", "'name' twice"]),
        (b"name,score\nx,1\n" + b"y" * 131_073 + b",1\n", ["row 3", "longer than 131,072 characters", "Shorten it"]),
        (b"name,score\nx,1\n" + b'"y,1\n' + b"z,1\n" * 40_000, ["row 3", "131,072", "quotation mark", "never closed"]),
        (b"n" * 131_073 + b",score\nx,1\n", ["row 1", "longer than 131,072 characters"]),
    ],
)
def test_a_file_that_cannot_be_read_says_where_and_what_to_do(tmp_path: Path, content: bytes, parts: list[str]) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(UserError) as caught:
        read_csv_file(path, ["name", "score"])
    assert [part for part in [*parts, "Nothing was loaded"] if part not in str(caught.value)] == []


def test_a_missing_file_is_named_with_its_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"gone\.csv: there is no such file.*touchstone\.yaml"):
        read_csv_file(tmp_path / "gone.csv", [])


def test_all_faults_come_in_one_message_of_which_ten_are_shown(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "a,b", *["1"] * 12)
    with pytest.raises(UserError) as caught:
        read_csv_file(path, [])
    lines = str(caught.value).splitlines()
    assert lines[0] == "a.csv: 12 faults. Nothing was loaded."
    assert lines[1].startswith("  row 2: ")
    assert lines[-1] == "  and 2 more"
    assert len(lines) == 12


@pytest.mark.parametrize("title", ["Auswertung 2024;;", "Auswertung 2024", '"Auswertung 2024"'])
def test_a_title_above_the_table_is_left_out_and_said(tmp_path: Path, title: str) -> None:
    path = written(tmp_path / "a.csv", title, ";;", "Nr;name;score", "1;x;3,5", "2;y;4")
    file = read_csv_file(path, ["name", "score"])
    assert [(row, cells["score"]) for row, cells in file.records()] == [(4, "3,5"), (5, "4")]
    said = "Left out, as titles above the table: row 1 ('Auswertung 2024')."
    assert file.as_written(["score"]).notes() == [said, "Column 'score': a comma is the decimal sign."]
    assert (file.header_row, file.delimiter) == (3, ";")


@pytest.mark.parametrize(
    "lines",
    [
        ["name", "a, b", "c, d"],
        ["name", "1,2", "3,4"],
        ["x", "", "a,a", "1,2"],
        ['"long', 'header",score', "x,1"],
        ["score", "a,b", "1,2"],
    ],
)
def test_what_is_not_surely_a_title_stays_the_header(tmp_path: Path, lines: list[str]) -> None:
    with CsvRows(written(tmp_path / "a.csv", *lines), ["score"]) as rows:
        assert (rows.header_row, rows.remarks) == (1, [])


@pytest.mark.parametrize(
    ("lines", "columns", "header_row", "remark"),
    [
        # SurveyMonkey names one question, and below it who answered.
        (
            ["ID,How good?,,Model", ",Ann,Bob,gpt", "1,4,5,4", "2,3,3,2"],
            ["ID", "Ann", "Bob", "gpt"],
            2,
            ["Rows 1 and 2 are the header."],
        ),
        # Names that come for several questions have the question before them.
        (["ID,Q1,,Q2,", ",a,b,a,b", "1,4,5,4,3"], ["ID", "Q1: a", "Q1: b", "Q2: a", "Q2: b"], 2,
         ["Rows 1 and 2 are the header."]),
        (["ResponseId,Q1", "Response ID,How good?", '"{""ImportId"":""_id""}","{""ImportId"":""QID1""}"', "R_1,4"],
         ["ResponseId", "Q1"], 3, ["Left out, as Qualtrics' questions and ids: rows 2 and 3."]),
        (["id,a,", "x,1,good", "y,2,bad"], ["id", "a"], 1, ["Not read, as the header does not name it: column 3."]),
        ([",a,b", "0,1,2", "1,2,3"], ["a", "b"], 1, []),
        # An object's row is none of the header, also where it lacks the object; names below a blank cell are.
        (["item,gpt,ann,", "x0,good,good,ok", "x1,good,bad,1"], ["item", "gpt", "ann"], 1,
         ["Not read, as the header does not name it: column 4."]),
        (["item,gpt,ann,", ",good,good,ok", "x1,good,bad,1"], ["item", "gpt", "ann"], 1,
         ["Not read, as the header does not name it: column 4."]),
        (["item,gpt,people,", ",,ann,ben", "x0,good,good,bad"], ["item", "gpt", "ann", "ben"], 2,
         ["Rows 1 and 2 are the header."]),
        (["item,gpt,people,", "item,gpt,gpt,ben", "x0,4,5,4"], ["item", "gpt", "people: gpt", "ben"], 2,
         ["Rows 1 and 2 are the header."]),
    ],
)  # fmt: skip
def test_a_header_may_go_on_below(
    tmp_path: Path, lines: list[str], columns: list[str], header_row: int, remark: list[str]
) -> None:
    with CsvRows(written(tmp_path / "a.csv", *lines)) as rows:
        assert (rows.columns, rows.header_row, rows.remarks) == (columns, header_row, remark)
        first = next(iter(rows))
    assert isinstance(first, CsvRow)
    assert first.row == header_row + 1
