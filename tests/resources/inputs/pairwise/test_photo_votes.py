"""The file of photo pairs is read in any spelling, and refused with row, column, value and remedy."""

from pathlib import Path

import pytest

from resources.errors import UserError
from resources.inputs.pairwise.photo_votes import read_photo_votes, series_name
from tests.resources.inputs.made_files import written
from tests.resources.inputs.made_pairs import HEADER, pairs_file, row

GOOD = row("000001", 0, 1, 3, 1)


def refused(folder: Path, *rows: str) -> str:
    with pytest.raises(UserError) as raised:
        read_photo_votes(pairs_file(folder, rows))
    assert "Nothing was loaded" in str(raised.value)
    return str(raised.value)


def test_one_series_has_one_name_however_it_is_written(tmp_path: Path) -> None:
    rows = [row("1", 0, 1, 1, 0), row("000001", 0, 2, 1, 0), row("1.0", 1, 2, 1, 0), row("1234567", 0, 1, 1, 0)]
    assert read_photo_votes(pairs_file(tmp_path, rows))["series_id"].tolist() == ["000001"] * 3 + ["1234567"]
    assert series_name("0") == "000000"


def test_a_series_written_in_two_ways_shows_a_pair_twice_all_the_same(tmp_path: Path) -> None:
    said = refused(tmp_path, row("000001", 0, 1, 3, 1), row("1", 0, 1, 2, 0))
    assert "pairs.csv, row 3: series 000001 shows images 0 and 1 in this order in row 2 too." in said
    assert "add their votes" in said


def test_both_orders_of_a_pair_are_two_rows(tmp_path: Path) -> None:
    assert len(read_photo_votes(pairs_file(tmp_path, [GOOD, row("1", 1, 0, 3, 1)]))) == 2


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_semicolons_with_decimal_commas_and_a_byte_order_mark_are_read(tmp_path: Path, mark: str) -> None:
    lines = [HEADER, row("1", 0, 1, 2, 1, Agreement="0.6667"), row("1", 1, 0, 3, 0)]
    spreadsheet = [line.replace(",", ";").replace("0.6667", "0,6667").replace("1.0", "1,0") for line in lines]
    written(tmp_path / "pairs.csv", mark + spreadsheet[0], *spreadsheet[1:], end="\r\n")
    assert read_photo_votes(tmp_path / "pairs.csv")[["LEFT", "RIGHT"]].to_numpy().tolist() == [[2, 1], [3, 0]]


def test_columns_in_another_order_and_without_a_total_are_read(tmp_path: Path) -> None:
    names = [name for name in reversed(HEADER.split(",")) if name != "Total"]
    cells = dict(zip(HEADER.split(","), GOOD.split(","), strict=True))
    read = read_photo_votes(pairs_file(tmp_path, [",".join(cells[name] for name in names)], ",".join(names)))
    assert read[["LEFT", "RIGHT", "num_reviewers"]].to_numpy().tolist() == [[3, 1, 4]]


def test_a_missing_column_is_named_with_the_nearest_one_and_with_what_can_be_done(tmp_path: Path) -> None:
    header = HEADER.replace("LEFT", "lefts").replace("RIGHT", "votes")
    with pytest.raises(UserError) as raised:
        read_photo_votes(pairs_file(tmp_path, [GOOD], header))
    assert "pairs.csv, row 1: columns 'LEFT' (there is 'lefts') and 'RIGHT' are missing;" in str(raised.value)
    assert "Name them so in the file, or name yours under `pairwise.columns` in touchstone.yaml." in str(raised.value)


def test_left_and_right_decide_and_what_only_checks_them_need_not_be_there(tmp_path: Path) -> None:
    read = read_photo_votes(
        pairs_file(tmp_path, ["1,0,1,3,1", "1,1,2,0,2"], "series_id,compareID1,compareID2,LEFT,RIGHT")
    )
    assert read[["LEFT", "RIGHT", "num_reviewers"]].to_numpy().tolist() == [[3, 1, 4], [0, 2, 2]]
    assert set(read["compareFile1"]) == set(read["compareFile2"]) == {""}


def test_votes_for_neither_count_as_people_where_the_file_does_not_count_them(tmp_path: Path) -> None:
    header = "series_id,compareID1,compareID2,LEFT,RIGHT,TIES"
    assert read_photo_votes(pairs_file(tmp_path, ["1,0,1,3,1,2"], header))["num_reviewers"].tolist() == [6]


def test_columns_of_other_names_are_read_and_named_as_the_file_names_them(tmp_path: Path) -> None:
    columns = {"LEFT": "votes_a", "RIGHT": "LEFT", "MaxVote": "winner"}
    header = "series_id,compareID1,compareID2,votes_a,LEFT,winner"
    read = read_photo_votes(pairs_file(tmp_path, ["1,0,1,3,1,0"], header), columns=columns)
    assert read[["LEFT", "RIGHT"]].to_numpy().tolist() == [[3, 1]]
    with pytest.raises(UserError, match="1 in column 'winner' contradicts votes_a 3 and LEFT 1 for images 0 and 1"):
        read_photo_votes(pairs_file(tmp_path, ["1,0,1,3,1,1"], header), columns=columns)
    # Who names an optional column says that it is there.
    with pytest.raises(UserError, match="column 'winner' is missing"):
        read_photo_votes(pairs_file(tmp_path, ["1,0,1,3,1,1"], header.replace("winner", "best")), columns=columns)


def test_a_file_without_rows_is_refused(tmp_path: Path) -> None:
    assert "there is no row below the header" in refused(tmp_path)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (row("1", 2, 2, 3, 1), "series 000001 pairs image 2 in columns 'compareID1' and 'compareID2' with itself."),
        (row("1", 0, 2, 3, 1, MaxVote=1), "1 in column 'MaxVote' contradicts LEFT 3 and RIGHT 1 for images 0 and 2."),
        (row("1", 0, 2, 3, 1, MaxVote=2), "2 in column 'MaxVote' contradicts LEFT 3 and RIGHT 1 for images 0 and 2."),
        (row("1", 0, 2, 2, 2, MaxVote=1), "1 in column 'MaxVote' contradicts LEFT 2 and RIGHT 2 for images 0 and 2."),
        (row("1", 0, 2, 3, 1, Total=5), "5 in column 'Total' is not the sum of LEFT 3 and RIGHT 1."),
        (row("1", 0, 2, 3, 1, Agreement=75), "agreement 75 in column 'Agreement' is outside 0.5-1."),
        (row("1", 0, 2, 3, 1, Agreement=0.25), "agreement 0.25 in column 'Agreement' is outside 0.5-1."),
        (row("1", 0, 2, 3, 1, Agreement="high"), "'high' in column 'Agreement' is no number."),
        (row("1", 0, 2, 3, 1, Agreement=0.9), "0.9 in column 'Agreement' is not the winner's share of LEFT 3"),
        (row("1", 0, 2, 3, 1, num_reviewers=2), "2 in column 'num_reviewers' are fewer people than votes (LEFT 3"),
        (row("1", 0, 2, 0, 0, Agreement=1), "'LEFT' and 'RIGHT' are both 0: there is no vote."),
        (row("1", 0, 2, 3, 1, LEFT="-3"), "'-3' in column 'LEFT' is no whole number from 0 to 1,000,000,000."),
        (row("1", 0, 2, 3, 1, RIGHT="1.5"), "'1.5' in column 'RIGHT' is no whole number"),
        (row("1", 0, 2, 3, 1, compareID1="nan"), "'nan' in column 'compareID1' is no whole number"),
        (row("1", 0, 2, 3, 1, compareID2=""), "'' in column 'compareID2' is no whole number"),
        (row("1", 0, 2, 3, 1, LEFT="1e300"), "'1e300' in column 'LEFT' is no whole number"),
        (row("../7", 0, 2, 3, 1), "series '../7' in column 'series_id' is no number."),
        (row("", 0, 2, 3, 1), "series '' in column 'series_id' is no number."),
        (row("1", 0, 2, 3, 1, compareFile1="../a.JPG"), "'../a.JPG' in column 'compareFile1' leads out of image_root."),
        (row("1", 0, 2, 3, 1, compareFile2="C:\\a.JPG"), "'C:\\a.JPG' in column 'compareFile2' leads out of"),
        (row("1", 0, 2, 3, 1, compareFile2="/a.JPG"), "'/a.JPG' in column 'compareFile2' leads out of image_root."),
        (
            row("1", 0, 2, 3, 1, compareFile2="1-2.JPG"),
            "'1-2.JPG' in column 'compareFile2' is another photo than series 000001 with compareID2 2",
        ),
        (row("1", 0, 2, 3, 1, compareFile1="2-1.JPG"), "'2-1.JPG' in column 'compareFile1' is another photo"),
    ],
)
def test_a_bad_row_is_refused_with_its_number_its_column_and_its_value(tmp_path: Path, bad: str, words: str) -> None:
    said = refused(tmp_path, GOOD, bad)
    assert f"pairs.csv, row 3: {words}" in said
    # What to do stands behind it.
    assert said.rstrip().endswith((".", "?"))
    assert len(said) > len(words) + 40


def test_several_faults_are_listed_in_the_order_of_the_rows(tmp_path: Path) -> None:
    said = refused(tmp_path, row("x", 0, 1, 1, 0), row("1", 3, 3, 1, 0), GOOD, row("1", 0, 2, 3, 1, MaxVote=9))
    assert [line.split(":")[0].strip() for line in said.splitlines()[1:]] == ["row 2", "row 3", "row 5"]


def test_a_file_without_a_single_good_row_is_refused_with_all_its_faults(tmp_path: Path) -> None:
    assert "2 faults" in refused(tmp_path, row("x", 0, 1, 1, 0), row("1", 0, 1, 0, 0, Agreement=1))
    assert "row 2" in refused(tmp_path, row("x", 0, 1, 1, 0))


def test_names_of_files_are_free_where_they_are_no_series_and_number(tmp_path: Path) -> None:
    rows = [
        row("1", 0, 1, 3, 1, compareFile1="IMG_0001.JPG", compareFile2="..hidden.png"),
        row("0001", 0, 2, 3, 1, compareFile1="0001-01.jpg", compareFile2="1-3.JPG"),
    ]
    assert read_photo_votes(pairs_file(tmp_path, rows))["compareFile2"].tolist() == ["..hidden.png", "1-3.JPG"]


def test_on_a_tie_the_file_may_name_either_image(tmp_path: Path) -> None:
    rows = [row("1", 0, 2, 2, 2, MaxVote=0), row("1", 2, 0, 2, 2, MaxVote=0)]
    assert len(read_photo_votes(pairs_file(tmp_path, rows))) == 2


def test_a_broken_file_of_24000_rows_is_refused_in_seconds(tmp_path: Path) -> None:
    # Every row contradicts MaxVote: reading stops at the ten-thousandth fault and shows ten.
    rows = [row(str(series), 0, 1, 3, 1, MaxVote=1) for series in range(24_000)]
    said = refused(tmp_path, *rows)
    assert "and 9990 more" in said
