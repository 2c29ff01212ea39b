"""Scores and answers come out the same whatever file holds them and wherever its fields lie."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from resources.configuration.evaluation import Dataset
from resources.errors import UserError
from resources.inputs.evaluation.files import EvaluationRead, read_evaluation_file
from tests.resources.inputs.made_files import written
from tests.resources.inputs.made_records import Record, answer, csv_file, json_lines, parquet_file, score

FLAT = [
    {"sample_id": "a", "final_score": 0.25, "metadata.mos": 2.5, "task": "x", "level": 1},
    {"sample_id": "b", "final_score": 0.5, "metadata.mos": 3.125, "task": None, "level": 2},
    {"sample_id": "c", "final_score": 1e-3, "metadata.mos": 4, "task": "y", "level": 3},
]


def nested(record: Record) -> Record:
    rest = {name: value for name, value in record.items() if name != "metadata.mos"}
    return {**rest, "metadata": {"mos": record["metadata.mos"]}}


def test_the_same_samples_come_out_of_every_kind_of_file(tmp_path: Path) -> None:
    found = [
        read_evaluation_file(csv_file(tmp_path / "a.csv", *FLAT)),
        read_evaluation_file(json_lines(tmp_path / "a.jsonl", *FLAT)),
        read_evaluation_file(json_lines(tmp_path / "b.jsonl", *map(nested, FLAT))),
        read_evaluation_file(parquet_file(tmp_path / "a.parquet", *FLAT)),
        read_evaluation_file(parquet_file(tmp_path / "b.parquet", *map(nested, FLAT))),
    ]
    expected = pd.DataFrame(
        {
            "sample_id": ["a", "b", "c"],
            "prediction": [0.25, 0.5, 0.001],
            "truth": [2.5, 3.125, 4.0],
            "field.task": ["x", None, "y"],
            "field.level": ["1", "2", "3"],
        }
    ).astype({"field.task": "str"})
    for read in found:
        pd.testing.assert_frame_equal(read.frame, expected)
        assert (read.kind, read.n_rows_in_file, read.excluded, read.n_normalised) == ("scores", 3, {}, 0)
        assert (read.prediction_field, read.truth_field) == ("final_score", "metadata.mos")
        assert read.fields == ("task", "level")


@pytest.mark.parametrize(
    ("record", "chosen"),
    [
        ({"final_score": 1, "result": {"final_score": 2}, "quality_score": 3}, "final_score"),
        ({"result": {"final_score": 2}, "quality_score": 3}, "result.final_score"),
        ({"quality_score": 3}, "quality_score"),
    ],
)
def test_the_first_known_prediction_that_is_there_counts_and_the_others_are_named(
    tmp_path: Path, record: Record, chosen: str
) -> None:
    read = read_evaluation_file(json_lines(tmp_path / "a.jsonl", {"sample_id": "a", "mos": 5, **record}))
    assert read.prediction_field == chosen
    assert read.frame["prediction"].tolist() == [
        {"final_score": 1, "result.final_score": 2, "quality_score": 3}[chosen]
    ]
    assert bool(read.notes) == (len(record) > 1)
    assert all(f"'{name}'" in read.notes[0] for name in read.fields)


def test_named_fields_count_instead_of_the_known_ones(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "a.jsonl", score("a", 0.1, 2, metric={"dssim": 0.7}, opinion=9))
    read = read_evaluation_file(path, Dataset(prediction="metric.dssim", truth="opinion"))
    assert read.frame[["prediction", "truth"]].to_numpy().tolist() == [[0.7, 9.0]]
    assert read.fields == ("final_score", "mos")


def answers(read: EvaluationRead) -> list[tuple[Any, ...]]:
    columns = ["prediction", "truth", "answer_as_given", "options"]
    return list(read.frame[columns].astype("object").where(read.frame[columns].notna(), None).itertuples(index=False))


def test_answers_have_their_options_and_how_they_were_spelled(tmp_path: Path) -> None:
    letters = ["A", "B", "C", "D"]
    read = read_evaluation_file(
        json_lines(
            tmp_path / "a.jsonl",
            answer("1", "B", task_type="planner"),
            answer("2", "(c)", "b."),
            answer("3", "yes", "Yes", options=["Yes", "No"]),
            answer("4", "b", "A", options="A|B|C|D|E"),
            answer("5", "noise", "A", options={"A": "Blur", "B": "Noise"}),
            answer("6", "B. Noise", "Blur", options=["A. Blur", "B. Noise"]),
            answer("7", "B", "Poor", options=["Good", "Poor"]),
            answer("8", 2, 1, options=[1, 2]),
        )
    )
    assert read.kind == "answers"
    assert [tuple(row) for row in answers(read)] == [
        ("B", "B", "B", letters),
        ("C", "B", "(c)", letters),
        ("Yes", "Yes", "yes", ["Yes", "No"]),
        ("B", "A", "b", [*letters, "E"]),
        ("B", "A", "noise", ["A", "B"]),
        ("B", "A", "B. Noise", ["A", "B"]),
        ("Poor", "Poor", "B", ["Good", "Poor"]),
        ("2", "1", "2", ["1", "2"]),
    ]
    assert (read.n_normalised, read.n_invalid_answers, read.fields) == (6, 0, ("task_type",))


@pytest.mark.parametrize("make", [csv_file, parquet_file])
def test_options_are_read_from_cells_and_stored_lists_too(tmp_path: Path, make: Any) -> None:
    text = answer("1", "b", "A", options="A|B") if make is csv_file else answer("1", "b", "A", options=["A", "B"])
    path = make(tmp_path / ("a.csv" if make is csv_file else "a.parquet"), text, answer("2", "E", "D", options=None))
    assert [tuple(row) for row in answers(read_evaluation_file(path))] == [
        ("B", "A", "b", ["A", "B"]),
        (None, "D", "E", ["A", "B", "C", "D"]),
    ]


def test_letters_with_texts_are_read_from_parquet_which_gives_each_record_all_letters(tmp_path: Path) -> None:
    path = parquet_file(
        tmp_path / "a.parquet",
        answer("1", "noise", "A", options={"A": "Blur", "B": "Noise"}),
        answer("2", "c", "B", options={"A": "1", "B": "2", "C": "3"}),
    )
    read = read_evaluation_file(path)
    assert read.frame["options"].tolist() == [["A", "B"], ["A", "B", "C"]]
    assert read.frame["prediction"].tolist() == ["B", "C"]
    assert read.fields == ()


def test_all_single_values_are_kept_as_text_and_lists_are_not(tmp_path: Path) -> None:
    extra = {"flag": True, "n": 3, "share": 0.5, "note": " x ", "tags": ["a"], "blank": " ", "none": None}
    read = read_evaluation_file(json_lines(tmp_path / "a.jsonl", score("a", 1, metadata={"deep": extra})))
    assert {name: read.frame[f"field.{name}"][0] for name in read.fields if name != "metadata.deep.blank"} == {
        "metadata.deep.flag": "true",
        "metadata.deep.n": "3",
        "metadata.deep.share": "0.5",
        "metadata.deep.note": "x",
    }


def test_a_field_that_appears_late_is_null_before(tmp_path: Path) -> None:
    rows = [score(str(number), 1.0) for number in range(20_000)]
    read = read_evaluation_file(json_lines(tmp_path / "a.jsonl", *rows, score("z", 1.0, late="yes")))
    assert read.frame["field.late"].notna().sum() == 1
    assert read.frame["field.late"].iloc[-1] == "yes"


def test_only_the_fields_asked_for_are_kept(tmp_path: Path) -> None:
    rows = [score("a", 1, metadata={"kind": "x"}, other=1), score("b", 1, other=2)]
    read = read_evaluation_file(json_lines(tmp_path / "a.jsonl", *rows), fields=["metadata.kind"])
    assert list(read.frame.columns) == ["sample_id", "prediction", "truth", "field.metadata.kind"]
    assert read.frame["field.metadata.kind"].isna().tolist() == [False, True]
    assert read_evaluation_file(tmp_path / "a.jsonl", fields=[]).fields == ()


def test_the_row_names_the_sample_where_the_file_does_not_and_it_is_said(tmp_path: Path) -> None:
    read = read_evaluation_file(written(tmp_path / "a.csv", "sample,final_score,mos", "x,1,2", "", "y,3,4"))
    assert read.frame["sample_id"].tolist() == ["2", "4"]
    assert read.sample_id_is_row
    assert read.notes == (
        "There is no field 'sample_id' (did you mean 'sample'?); the row in the file names the sample.",
    )


def test_sample_ids_and_options_are_found_in_any_letter_case(tmp_path: Path) -> None:
    read = read_evaluation_file(written(tmp_path / "a.csv", "Sample_ID,final_score,mos", "x,1,2", "y,3,4", "x,1,2"))
    assert read.frame["sample_id"].tolist() == ["x", "y"]
    assert read.excluded == {"duplicate": 1}
    answers = json_lines(tmp_path / "a.jsonl", {**answer("a", "no"), "answer": "no", "Options": ["yes", "no"]})
    assert read_evaluation_file(answers).frame["options"].tolist() == [["yes", "no"]]


@pytest.mark.filterwarnings("error")
def test_a_file_without_a_row_is_refused_without_a_warning(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"a\.csv: there is no row"):
        read_evaluation_file(written(tmp_path / "a.csv", "sample_id,final_score,mos"))


def test_a_decimal_comma_is_read_where_commas_do_not_separate(tmp_path: Path) -> None:
    read = read_evaluation_file(written(tmp_path / "a.csv", "sample_id;final_score;mos", "a;0,25;4"))
    assert read.frame["prediction"].tolist() == [0.25]
    assert read.n_normalised == 0


def test_a_file_with_both_kinds_is_refused_until_one_is_named(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "a.jsonl", {**score("a", 1), **answer("a", "B")})
    with pytest.raises(
        UserError, match=r"Does it hold scores \('final_score' against 'mos'\) or answers \('pred.*--kind"
    ):
        read_evaluation_file(path)
    assert read_evaluation_file(path, Dataset(kind="answers")).frame["prediction"].tolist() == ["B"]
    assert read_evaluation_file(path, Dataset(prediction="final_score")).kind == "scores"


@pytest.mark.parametrize(
    ("truths", "options", "kind"),
    [([1, 2.5], {}, "scores"), (["A", "B"], {}, "answers"), (["A", 2], {}, None), ([1, 2], {"options": [1, 2]}, None)],
)
def test_fields_of_unknown_names_are_told_apart_by_the_truths(
    tmp_path: Path, truths: list[Any], options: Record, kind: str | None
) -> None:
    path = json_lines(tmp_path / "a.jsonl", *({"p": truth, "t": truth, **options} for truth in truths))
    if kind is None:
        with pytest.raises(
            UserError, match=r"Is 'p' a score or an answer\?.*--kind scores.*in touchstone\.yaml: `kind: scores`"
        ):
            read_evaluation_file(path, Dataset(prediction="p", truth="t"))
    else:
        assert read_evaluation_file(path, Dataset(prediction="p", truth="t")).kind == kind


@pytest.mark.parametrize(
    ("header", "prediction", "truth"),
    [
        ("prediction,mos", "prediction", "mos"),
        ("Prediction,MOS", "Prediction", "MOS"),
        ("score,metadata.mos", "score", "metadata.mos"),
        ("SCORE,Mos", "SCORE", "Mos"),
    ],
)
def test_beside_an_opinion_score_a_prediction_is_a_score_in_any_letter_case(
    tmp_path: Path, header: str, prediction: str, truth: str
) -> None:
    path = written(tmp_path / "a.csv", header, "0.2,1", "0.4,2")
    for named in ({}, {"prediction": prediction}, {"truth": truth}, {"prediction": prediction, "truth": truth}):
        read = read_evaluation_file(path, Dataset(**named))  # type: ignore[arg-type]
        assert (read.kind, read.prediction_field, read.truth_field) == ("scores", prediction, truth)
        assert read.frame["prediction"].tolist() == [0.2, 0.4]


def test_the_better_known_prediction_and_the_exact_spelling_come_first(tmp_path: Path) -> None:
    read = read_evaluation_file(written(tmp_path / "a.csv", "prediction,MOS,quality_score,mos", "1,2,3,4"))
    assert (read.prediction_field, read.truth_field) == ("quality_score", "mos")
    assert "'quality_score' was read; 'prediction' is there too." in read.notes
    assert "'mos' was read; 'MOS' is there too." in read.notes


def test_answers_are_known_in_any_letter_case(tmp_path: Path) -> None:
    read = read_evaluation_file(written(tmp_path / "a.csv", "Prediction,Answer", "A,B"))
    assert (read.kind, read.prediction_field) == ("answers", "Prediction")


def test_a_named_truth_decides_over_the_known_fields(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "a.jsonl", {"prediction": "B", "answer": "B", "mos": 3, "other": "C", "level": 2.5})
    assert read_evaluation_file(path, Dataset(truth="other")).kind == "answers"
    scores = json_lines(tmp_path / "b.jsonl", {"prediction": 0.5, "answer": 1, "mos": 3, "level": 2.5})
    for truth in ("mos", "level"):
        assert read_evaluation_file(scores, Dataset(truth=truth)).kind == "scores"


def test_beside_both_truths_words_are_answers_and_numbers_are_asked_about(tmp_path: Path) -> None:
    words = json_lines(tmp_path / "a.jsonl", {"prediction": "B", "answer": "B", "metadata": {"mos": 3}})
    assert read_evaluation_file(words).kind == "answers"
    numbers = json_lines(tmp_path / "b.jsonl", {"prediction": 1, "answer": "1", "mos": 3})
    with pytest.raises(UserError, match=r"Is 'prediction' a score or an answer\?.*--kind scores.*`kind: scores`"):
        read_evaluation_file(numbers)
