"""What stands in a column of numbers and is none: a few are counted and named, the form of a column is refused."""

from pathlib import Path

import pytest

from resources.configuration.evaluation import Dataset
from resources.errors import UserError
from resources.inputs.evaluation.files import read_evaluation_file
from tests.resources.inputs.made_files import written

N_ROWS = 40
FORMS = ("4/5", "1_000", "2024-05-01", "3:2")


def scores(folder: Path, form: str, n: int, n_rows: int = N_ROWS) -> Path:
    """Rows from row 2 on, the last of which have this form for the predicted score."""
    cells = [f"{0.01 * row:g}" for row in range(n_rows - n)] + [form] * n
    return written(
        folder / "a.csv", "sample_id,final_score,mos", *(f"s{row},{cell},3" for row, cell in enumerate(cells))
    )


@pytest.mark.parametrize("form", FORMS)
def test_a_form_that_many_values_of_a_column_have_is_refused_by_name(tmp_path: Path, form: str) -> None:
    said = (
        f"a.csv, row 30: '{form}' in column 'final_score' is no number, nor are 11 more of its 40 values. Nothing was "
        "loaded. Write plain numbers"
    )
    with pytest.raises(UserError) as refused:
        read_evaluation_file(scores(tmp_path, form, 12))
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize("form", FORMS)
def test_a_few_are_left_out_counted_and_named(tmp_path: Path, form: str) -> None:
    read = read_evaluation_file(scores(tmp_path, form, 3))
    assert read.excluded == {"prediction_not_a_number": 3}
    assert [str(one) for one in read.examples] == [
        f"a.csv, row {row}: prediction_not_a_number ('{form}' in column 'final_score')" for row in (39, 40, 41)
    ]


def test_of_a_short_column_without_any_number_row_column_and_value_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no row has both.*The first: a\.csv, row 2: .*\('4/5' in column 'final_score"):
        read_evaluation_file(scores(tmp_path, "4/5", 2, 2))


def test_rows_that_are_skipped_on_purpose_stay_skipped(tmp_path: Path) -> None:
    read = read_evaluation_file(scores(tmp_path, "4/5", 12), Dataset(skip_bad_rows=True))
    assert read.excluded == {"prediction_not_a_number": 12}


OF_VOTES = Dataset().model_copy(update={"votes": "n_votes"})


def votes(folder: Path, cells: list[str]) -> Path:
    return written(
        folder / "a.csv",
        "sample_id,final_score,mos,n_votes",
        *(f"s{row},{0.1 * row:g},3,{cell}" for row, cell in enumerate(cells)),
    )


def test_a_column_of_votes_is_held_to_the_same_and_to_being_numbers_at_all(tmp_path: Path) -> None:
    few = read_evaluation_file(votes(tmp_path, ["8"] * 36 + ["many", "4/5", "", "some"]), OF_VOTES)
    assert (
        "Column 'n_votes': 3 values are no numbers and count as missing: 'many' in row 38, '4/5' in row 39, "
        in " ".join(few.notes)
    )
    with pytest.raises(UserError, match=r"row 22: '4/5' in column 'n_votes' is no number, nor are 19 more of its 40"):
        read_evaluation_file(votes(tmp_path, ["8"] * 20 + ["4/5"] * 20), OF_VOTES)
    with pytest.raises(UserError, match=r"row 2: 'many' in column 'n_votes' is no number, nor are 29 more of its 40"):
        read_evaluation_file(votes(tmp_path, ["many"] * 30 + ["8"] * 10), OF_VOTES)


def test_arabic_digits_with_their_own_decimal_sign_are_numbers(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "sample_id,final_score,mos", "a,\u0664\u066b\u0665,3", "b,\u0661\u066b\u0660,1")
    assert read_evaluation_file(path).frame["prediction"].tolist() == [4.5, 1.0]
