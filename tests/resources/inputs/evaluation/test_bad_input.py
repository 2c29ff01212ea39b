"""Bad rows of an evaluation file are counted by cause, or refused with row and remedy; none slips through."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources.configuration.evaluation import Dataset
from resources.errors import UserError
from resources.inputs.evaluation.files import read_evaluation_file
from tests.resources.inputs.made_files import written
from tests.resources.inputs.made_records import Record, answer, json_lines, parquet_file, score

GOOD = score("good", 0.5)
GOOD_ANSWER = answer("good", "B")


def without(record: Record, name: str) -> Record:
    return {key: value for key, value in record.items() if key != name}


@pytest.mark.parametrize(
    ("bad", "cause"),
    [
        (without(score("a", 1), "final_score"), "missing_prediction"),
        (score("a", None), "missing_prediction"),
        (score("a", " "), "missing_prediction"),
        (without(score("a", 1), "mos"), "missing_truth"),
        (score("a", 1, None), "missing_truth"),
        (score("a", "N/A"), "prediction_not_a_number"),
        (score("a", "0.87?"), "prediction_not_a_number"),
        (score("a", True), "prediction_not_a_number"),
        (score("a", [0.5]), "prediction_not_a_number"),
        (score("a", {"a": 1}), "prediction_not_a_number"),
        ('{"sample_id": "a", "final_score": NaN, "mos": 1}', "prediction_not_a_number"),
        (score("a", 1, "n/a"), "truth_not_a_number"),
        ('{"sample_id": "a", "final_score": Infinity, "mos": 1}', "infinite_prediction"),
        ('{"sample_id": "a", "final_score": -Infinity, "mos": 1}', "infinite_prediction"),
        ('{"sample_id": "a", "final_score": 1e999, "mos": 1}', "infinite_prediction"),
        (score("a", "Infinity"), "infinite_prediction"),
        (score("a", 1, "-inf"), "infinite_truth"),
        (score("good", 0.5), "duplicate"),
        (score("good", "0.50 ", 3), "duplicate"),
        (score("good", 0.5, kind="x"), "duplicate_other_fields"),
    ],
)
def test_a_row_without_two_finite_scores_or_given_twice_is_left_out_and_counted(
    tmp_path: Path, bad: Record | str, cause: str
) -> None:
    read = read_evaluation_file(json_lines(tmp_path / "a.jsonl", GOOD, bad))
    assert read.frame["sample_id"].tolist() == ["good"]
    assert read.excluded == {cause: 1}
    assert read.n_rows_in_file == 2
    [example] = read.examples
    assert (example.file, example.row, example.cause) == ("a.jsonl", 2, cause)


def test_numbers_written_as_text_are_numbers_and_counted(tmp_path: Path) -> None:
    rows = [score("a", "0.87 "), score("b", 0.5, "3"), score("c", " -1e-2", "+4."), score("d", 1)]
    read = read_evaluation_file(json_lines(tmp_path / "a.jsonl", *rows))
    assert read.frame["prediction"].tolist() == [0.87, 0.5, -0.01, 1.0]
    assert read.frame["truth"].tolist() == [3.0, 3.0, 4.0, 3.0]
    assert (read.n_normalised, read.excluded) == (3, {})


@pytest.mark.parametrize(
    ("given_answer", "option", "normalised"),
    [
        ("B", "B", 0),
        ("b", "B", 1),
        ("B.", "B", 1),
        ("(B)", "B", 1),
        ("Option B", "B", 1),
        (" B", "B", 1),
        ("E", None, 0),
        ("", None, 0),
        ("B or C", None, 0),
    ],
)
def test_an_answer_is_brought_to_its_option_or_stays_in_as_invalid(
    tmp_path: Path, given_answer: str, option: str | None, normalised: int
) -> None:
    read = read_evaluation_file(json_lines(tmp_path / "a.jsonl", answer("a", given_answer)))
    found = read.frame["prediction"].tolist()
    assert found == [option] if option else read.frame["prediction"].isna().all()
    assert read.frame["answer_as_given"].tolist() == [given_answer]
    assert (read.n_normalised, read.n_invalid_answers, read.excluded) == (normalised, int(option is None), {})


def test_normalisation_is_said_with_examples_and_can_be_switched_off(tmp_path: Path) -> None:
    given = ["(B)", "Answer: B", "B", "A dog", "A or B", "E", "B?", ""]
    path = json_lines(tmp_path / "a.jsonl", *(answer(str(number), one) for number, one in enumerate(given)))
    read = read_evaluation_file(path)
    assert (read.n_normalised, read.n_invalid_answers) == (2, 5)
    assert read.notes == (
        "5 answers name no option, or more than one (invalid, counted as wrong): 'A dog', 'A or B', 'E' and 2 other "
        "texts.",
        "Answers are normalised: '(B)' as B, 'Answer: B' as B. `--no-normalise-answers` (in touchstone.yaml: "
        "`normalise_answers: false`) takes them as they are written.",
    )
    written_only = read_evaluation_file(path, Dataset(normalise_answers=False))
    assert (written_only.n_normalised, written_only.n_invalid_answers) == (0, 7)
    assert "Answers are not normalised" in written_only.notes[-1]


def test_a_blank_cell_is_an_invalid_answer_and_no_missing_one(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "sample_id,answer,prediction", "a,A,", "b,A,A")
    read = read_evaluation_file(path)
    assert (read.n_invalid_answers, read.excluded) == (1, {})


@pytest.mark.parametrize("none", [answer("a", None), without(answer("a", "B"), "prediction")])
def test_a_model_that_gives_no_answer_is_wrong_in_every_kind_of_file(tmp_path: Path, none: Record) -> None:
    stored = parquet_file(tmp_path / "a.parquet", GOOD_ANSWER, answer("a", None))
    for path in (json_lines(tmp_path / "a.jsonl", GOOD_ANSWER, none), stored):
        read = read_evaluation_file(path)
        assert (read.n_invalid_answers, read.excluded, len(read.frame)) == (1, {}, 2)
        assert read.frame["answer_as_given"].tolist()[1] == ""


@pytest.mark.parametrize("options", [{"A": "red", "B": "blue"}, ["A. red", "B. blue"]])
@pytest.mark.parametrize(
    ("given_answer", "option"),
    [
        *((text, "A") for text in ("A: red", "A) red", "(A) red", "A - red", "A. Red.", "Option A", "red", "a")),
        *((text, None) for text in ("A: blue", "A or B", "A - B", "A reddish", "A: red or blue", "B red")),
    ],
)
def test_a_letter_with_its_own_text_names_the_option(
    tmp_path: Path, options: Any, given_answer: str, option: str | None
) -> None:
    read = read_evaluation_file(json_lines(tmp_path / "a.jsonl", answer("a", given_answer, "A", options=options)))
    assert read.frame["prediction"].astype("object").where(read.frame["prediction"].notna(), None).tolist() == [option]


@pytest.mark.parametrize(
    ("bad", "cause"),
    [
        (answer("a", "B", None), "missing_truth"),
        (answer("a", "B", " "), "missing_truth"),
        (answer("good", "(b)"), "duplicate"),
    ],
)
def test_an_answer_without_its_truth_or_given_twice_is_left_out_and_counted(
    tmp_path: Path, bad: Record, cause: str
) -> None:
    read = read_evaluation_file(json_lines(tmp_path / "a.jsonl", GOOD_ANSWER, bad))
    assert (read.excluded, len(read.frame)) == ({cause: 1}, 1)


@pytest.mark.parametrize(
    ("bad", "good", "parts"),
    [
        ('{"sample_id": "x", ', GOOD, ["row 2", "the line is no JSON", '\'{"sample_id": "x",\'']),
        ("not json", GOOD, ["row 2", "no JSON", "'not json'"]),
        ("[1, 2]", GOOD, ["row 2", "no JSON object"]),
        (score(None, 1), GOOD, ["row 2", "'sample_id' is missing", "Name the sample"]),
        (score(" ", 1), GOOD, ["row 2", "'sample_id' is missing"]),
        (score(["x"], 1), GOOD, ["row 2", "'sample_id'", "not a single value"]),
        (answer("a", "B", "E"), GOOD_ANSWER, ["row 2", "'E'", "'answer'", "'A', 'B', 'C', 'D'", "Correct"]),
        (answer("a", ["B"]), GOOD_ANSWER, ["row 2", "'prediction'", "not a single answer"]),
        (answer("a", "B", options=["B"]), GOOD_ANSWER, ["row 2", "1 options", "at least two"]),
        (answer("a", "B", options="A|B|b"), GOOD_ANSWER, ["row 2", "two options are alike"]),
        (answer("a", "B", options=["A", ""]), GOOD_ANSWER, ["row 2", "an option is blank"]),
        (answer("a", "B", options=["B", "Invalid"]), GOOD_ANSWER, ["row 2", "'invalid' stands for"]),
        (answer("a", "B", options=7), GOOD_ANSWER, ["row 2", "7", "no list"]),
        (answer("a", "B", options=[{"x": 1}, "B"]), GOOD_ANSWER, ["row 2", "no text"]),
    ],
)
def test_a_row_that_cannot_be_read_is_refused_with_its_number_or_skipped_and_counted(
    tmp_path: Path, bad: Record | str, good: Record, parts: list[str]
) -> None:
    path = json_lines(tmp_path / "a.jsonl", good, bad, {**good, "sample_id": "last"})
    with pytest.raises(UserError) as caught:
        read_evaluation_file(path)
    assert [
        part for part in ["a.jsonl", *parts, "--skip-bad-rows", "skip_bad_rows: true"] if part not in str(caught.value)
    ] == []
    read = read_evaluation_file(path, Dataset(skip_bad_rows=True))
    assert read.frame["sample_id"].tolist() == ["good", "last"]
    assert (read.excluded, read.n_rows_in_file, read.examples[0].row) == ({"broken_row": 1}, 3, 2)


def test_a_csv_row_with_another_number_of_cells_is_refused_or_skipped(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "sample_id,final_score,mos", "a,1,2", "b,0,5,3", "c,3,4")
    with pytest.raises(UserError, match=r"a\.csv, row 3: there are 4 cells.*--skip-bad-rows"):
        read_evaluation_file(path)
    read = read_evaluation_file(path, Dataset(skip_bad_rows=True))
    assert (read.frame["sample_id"].tolist(), read.excluded) == (["a", "c"], {"broken_row": 1})


def test_a_sample_with_two_scores_is_refused_with_all_its_rows(tmp_path: Path) -> None:
    rows = [score("a", 1), score("b", 1), score("a", 2), score("b", 1), score("c", 1, 2), score("c", 1, 3)]
    path = json_lines(tmp_path / "a.jsonl", *rows, score("a", 1))
    for skip in (False, True):
        with pytest.raises(UserError) as caught:
            read_evaluation_file(path, Dataset(skip_bad_rows=skip))
        lines = str(caught.value).splitlines()
        assert lines[0] == "a.jsonl: 2 faults. Nothing was loaded."
        assert "'c' stands in rows 5, 6 with different" in lines[1]
        assert "'a' stands in rows 1, 3, 7 with different" in lines[2]
        assert "Keep one row" in lines[2]


@pytest.mark.parametrize(
    "other", [answer("good", "C"), answer("good", "B", "C"), answer("good", "B", options=["A", "B"])]
)
def test_a_sample_with_two_answers_truths_or_sets_of_options_is_refused(tmp_path: Path, other: Record) -> None:
    with pytest.raises(UserError, match="sample_id 'good' stands in rows 1, 2"):
        read_evaluation_file(json_lines(tmp_path / "a.jsonl", GOOD_ANSWER, other))


@pytest.mark.parametrize(
    ("asked", "parts"),
    [
        ({"fields": ["question_type"]}, ["'question_type' (did you mean 'metadata.question_type'?)", "'metadata.mos'"]),
        ({"fields": ["metadata"]}, ["'metadata' is a group of fields: 'metadata.mos', 'metadata.question_type'"]),
        ({"prediction": "final_scor"}, ["'final_scor' (did you mean 'final_score'?)"]),
        ({"truth": "MOS"}, ["no field 'MOS'", "the fields there are"]),
        ({"truth": "final_score", "kind": "scores"}, ["as prediction and as truth", "Name two fields"]),
        ({"kind": "answers"}, ["there is no prediction, none of 'prediction'", "--prediction", "`truth:`"]),
    ],
)
def test_a_field_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path, asked: Any, parts: list[str]) -> None:
    record = {"sample_id": "a", "final_score": 1, "metadata": {"mos": 2, "question_type": "x"}}
    path = json_lines(tmp_path / "a.jsonl", record)
    fields = asked.get("fields")
    with pytest.raises(UserError) as caught:
        read_evaluation_file(path, Dataset(**{k: v for k, v in asked.items() if k != "fields"}), fields=fields)
    assert [part for part in ["a.jsonl", *parts, "Nothing was loaded"] if part not in str(caught.value)] == []


def test_a_file_of_something_else_says_what_either_kind_lacks(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "a.jsonl", {"id": 1, "score": 2})
    with pytest.raises(UserError, match="neither scores nor answers.*for scores.*'mos'.*for answers.*'id', 'score'"):
        read_evaluation_file(path)


def test_a_field_that_comes_too_late_to_be_chosen_is_refused(tmp_path: Path) -> None:
    rows = [{"sample_id": str(number), "quality_score": 1, "mos": 2} for number in range(1500)]
    path = json_lines(tmp_path / "a.jsonl", *rows, score("z", 1))
    with pytest.raises(UserError, match="row 1501: field 'final_score' is here.*--prediction"):
        read_evaluation_file(path)
    assert len(read_evaluation_file(path, Dataset(prediction="quality_score")).frame) == 1500


def test_fields_that_only_later_records_have_are_found(tmp_path: Path) -> None:
    rows = [{"sample_id": str(number), "mos": 2} for number in range(1500)]
    read = read_evaluation_file(json_lines(tmp_path / "a.jsonl", *rows, score("z", 1, kind="x")), fields=["kind"])
    assert read.frame["field.kind"].tolist() == ["x"]
    assert read.excluded == {"missing_prediction": 1500}


def test_a_file_without_one_usable_row_is_refused_with_the_causes(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "a.jsonl", score("a", None), score("b", "N/A"))
    with pytest.raises(UserError, match=r"no row has both.*1 missing_prediction, 1 prediction_not_a_number"):
        read_evaluation_file(path)
    with pytest.raises(UserError, match="there is no row"):
        read_evaluation_file(written(tmp_path / "a.csv", "sample_id,final_score,mos"))


VALUES = st.one_of(st.none(), st.floats(), st.integers(), st.text(max_size=5), st.booleans(), st.just("0.5 "))


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(st.sampled_from("abcdefgh"), VALUES, VALUES), max_size=12))
def test_every_row_is_a_sample_or_counted_by_its_cause(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, Any, Any]]
) -> None:
    path = tmp_path_factory.mktemp("rows") / "a.jsonl"
    json_lines(path, GOOD, *(score(*row) for row in rows))
    try:
        read = read_evaluation_file(path)
    except UserError as error:
        # "0<" and "(5)" hold a number and are none: no part of the column is taken for the whole.
        assert re.search("with different scores|in another way than", str(error))  # noqa: PT017
        return
    assert len(read.frame) + sum(read.excluded.values()) == read.n_rows_in_file == 1 + len(rows)
    assert read.frame["sample_id"].is_unique
    assert read.frame[["prediction", "truth"]].notna().all(axis=None)


def test_a_last_row_of_means_is_no_sample(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    # Means 2.5 and 2.
    rows = "image,prediction,mos\na,1,1\nb,2,2\nc,3,2\nd,4,3\n"
    path.write_text(f"{rows}media,2.5,2\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"s.csv, row 6: the row 'media' sums up the rows above it, and is no sample"):
        read_evaluation_file(path, Dataset(prediction="prediction", truth="mos"))
    path.write_text(rows.replace("mos\n", "mos\nmedia,2.5,2\n"), encoding="utf-8")
    with pytest.raises(UserError, match=r"s.csv, row 2: the row 'media' sums up the rows below it, and is no sample"):
        read_evaluation_file(path, Dataset(prediction="prediction", truth="mos"))
    # A group of that name is none.
    groups = [f"{i},{2 + i % 2},{3 - i % 2},{'style' if i < 20 else 'overall'}" for i in range(24)]
    path.write_text("\n".join(["image,prediction,mos,criterion", *groups, "x,2.5,2.5,overall"]), encoding="utf-8")
    assert (
        len(read_evaluation_file(path, Dataset(prediction="prediction", truth="mos"), fields=["criterion"]).frame) == 25
    )
    path.write_text(f"{rows}media,4,3\n", encoding="utf-8")
    assert len(read_evaluation_file(path, Dataset(prediction="prediction", truth="mos")).frame) == 5
