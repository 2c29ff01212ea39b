"""Study C takes a column of each person, and a scale that people's scores have to be on."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from resources.configuration.evaluation import Dataset
from resources.errors import UserError
from resources.inputs.evaluation.files import read_evaluation_file

PEOPLE = ("ann", "ben", "cleo")
SCORES = "id;judge;ann;ben;cleo\na;3;1;2;3\nb;4;;4,5;5\nc;5;;;\n"
LABELS = "judge,ann,ben,cleo\npass,pass,pass,fail\nfail,pass,fail,\nfail,N/A,fail,\npass,pass,fail,pass\n"


def test_the_mean_of_those_who_gave_a_score_counts(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(SCORES)
    read = read_evaluation_file(path, Dataset(prediction="judge", truth=PEOPLE))
    # (1 + 2 + 3) / 3 and (4.5 + 5) / 2; nobody scored the third.
    assert read.frame["truth"].tolist() == [2.0, 4.75]
    assert read.excluded == {"missing_truth": 1}
    assert read.truth_field == "ann, ben, cleo"
    # People's columns are no metadata by which errors could be grouped.
    assert read.fields == ("id",)


def test_a_person_whose_cell_says_that_there_is_no_rating_is_left_out_of_the_mean_and_not_the_row(
    tmp_path: Path,
) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("judge,ann,ben,cleo\n3,1,n/a,3\n4,-,NA,5\n2,4,?,null\n5,NA,-,n/a\n4,5,many,5\n")
    read = read_evaluation_file(path, Dataset(prediction="judge", truth=PEOPLE, kind="scores"))
    # (1 + 3) / 2, 5 and 4; none of the fourth, and `many` is no way to write that there is none.
    assert read.frame["truth"].tolist() == [2.0, 5.0, 4.0]
    assert read.excluded == {"missing_truth": 1, "truth_not_a_number": 1}


def test_of_labels_the_majority_counts_and_a_tie_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(LABELS)
    read = read_evaluation_file(path, Dataset(prediction="judge", truth=PEOPLE, options=("pass", "fail")))
    assert read.frame["truth"].tolist() == ["pass", "fail", "pass"]
    assert read.excluded == {"tied_truth": 1}
    assert str(read.examples[0]) == "labels.csv, row 3: tied_truth ('pass / fail' in column 'ann, ben, cleo')"


def test_a_score_outside_the_scale_is_named_with_file_row_column_and_value(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("judge,ann\n3,2\n4,7\n5,4\n")
    with pytest.raises(UserError) as caught:
        read_evaluation_file(path, Dataset(prediction="judge", truth="ann", scale=(1, 5)))
    assert str(caught.value).startswith("ratings.csv, row 3: score 7 in column 'ann' is outside the scale 1-5.")
    read = read_evaluation_file(path, Dataset(prediction="judge", truth="ann", scale=(1, 5), skip_bad_rows=True))
    assert (read.frame["truth"].tolist(), read.excluded) == ([2.0, 4.0], {"broken_row": 1})


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"scale": (5, 1)}, r"scale \[5, 1\] must rise"),
        ({"options": ("a", "b"), "kind": "scores"}, "options: they are of answers"),
    ],
)
def test_a_data_set_that_contradicts_itself_is_refused(section: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Dataset(**section)


def test_a_person_who_is_the_judge_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("judge,ann\n3,2\n4,3\n")
    with pytest.raises(UserError, match="'judge' is named as prediction and as truth"):
        read_evaluation_file(path, Dataset(prediction="judge", truth=["ann", "judge"]))
