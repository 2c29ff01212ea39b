"""Files as people write them: read in full and said, or refused with row, column, value and remedy."""

import json
import os
from pathlib import Path

import pandas as pd
import pytest

from reports.shared.phrases import phrase
from resources.configuration.evaluation import Dataset
from resources.configuration.fidelity import FidelityStudy
from resources.errors import UserError
from resources.inputs.evaluation.files import EvaluationRead, read_evaluation_file
from resources.inputs.evaluation.table import n_unusable, refuse_unusable
from resources.inputs.fidelity.human_scores import read_human_scores
from resources.inputs.pairwise.photo_votes import read_photo_votes
from resources.inputs.reliability.relevance_rows import read_relevance_file
from resources.judges.relevance.recorded import ScoredColumns, scored_rows
from resources.photos.images import UnreadableImage, read_image_file
from resources.runtime.file_hash import sha256_of_file
from resources.runtime.opened_files import opened
from tests.resources.inputs.made_files import written
from tests.resources.inputs.made_records import json_lines, score

MINUS = "\u2212"


def scores(tmp_path: Path, *lines: str, header: str = "sample_id,prediction,mos", **asked: object) -> EvaluationRead:
    metadata = {name: asked.pop(name) for name in ("fields", "named") if name in asked}
    path, dataset = written(tmp_path / "a.csv", header, *lines), Dataset(**asked)  # type: ignore[arg-type]
    return read_evaluation_file(path, dataset, **metadata)  # type: ignore[arg-type]


def test_thousands_separators_and_a_unicode_minus_lose_no_row(tmp_path: Path) -> None:
    lines = [f's{n},"{n * 100:,}",{MINUS if n % 2 else ""}{n}.5' for n in range(1, 61)]
    read = scores(tmp_path, *lines)
    assert (len(read.frame), read.excluded) == (60, {})
    assert read.frame["prediction"].tolist() == [100.0 * n for n in range(1, 61)]
    assert read.frame["truth"].tolist() == [(-n - 0.5 if n % 2 else n + 0.5) for n in range(1, 61)]
    assert read.notes[:2] == (
        "Column 'prediction': a comma separates thousands.",
        "Column 'mos': dashes before numbers are minus signs.",
    )


def test_a_unicode_minus_alone_is_said(tmp_path: Path) -> None:
    read = scores(tmp_path, f"a,{MINUS}0.5,1", "b,0.5,2")
    assert read.frame["prediction"].tolist() == [-0.5, 0.5]
    assert read.notes == ("Column 'prediction': dashes before numbers are minus signs.",)


def test_numbers_in_json_texts_are_read_as_their_column_is_written(tmp_path: Path) -> None:
    rows = [score("a", "0,87", "1,5"), score("b", "0,5", 3), score("c", 0.25, "2")]
    read = read_evaluation_file(json_lines(tmp_path / "a.jsonl", *rows))
    assert read.frame["prediction"].tolist() == [0.87, 0.5, 0.25]
    assert read.frame["truth"].tolist() == [1.5, 3.0, 2.0]


def test_a_mixed_column_is_refused_with_row_column_value_and_remedy_or_its_rows_are_counted(tmp_path: Path) -> None:
    lines = ["a,0.5,1", "b,0.7,2", 'c,"0,9",3']
    with pytest.raises(UserError, match=r"a\.csv, row 4: '0,9' in column 'prediction' is written .*like 1234\.5"):
        scores(tmp_path, *lines)
    assert scores(tmp_path, *lines, skip_bad_rows=True).excluded == {"broken_row": 1}


def test_opinions_and_votes_are_read_in_the_form_of_the_file(tmp_path: Path) -> None:
    lines = ["a;0,5;3,2;0,75;1.024", "b;0,7;4,1;1,5;24"]
    read = scores(tmp_path, *lines, header="sample_id;prediction;mos;sd;n", opinion_sd="SD", votes="n")
    assert read.frame[["field.SD", "field.n"]].astype(float).to_numpy().tolist() == [[0.75, 1024.0], [1.5, 24.0]]


def test_every_named_column_is_found_in_any_letter_case_where_one_is_meant(tmp_path: Path) -> None:
    header = "sample_id,Model Score,Human,Reference,reference"
    read = scores(tmp_path, "a,1,2,x,y", header=header, prediction="model score", truth="HUMAN", fields=["reference"])
    assert (read.prediction_field, read.truth_field, read.fields) == ("Model Score", "Human", ("reference",))
    with pytest.raises(UserError, match="there is no field 'REFERENCE'"):
        scores(tmp_path, "a,1,2,x,y", header=header, prediction="model score", truth="human", fields=["REFERENCE"])
    read = scores(tmp_path, "a,1,2,x", header="sample_id,prediction,mos,Ref", named=["ref"])
    assert read.frame["field.ref"].tolist() == ["x"]


def test_labels_that_arrive_as_floats_join_with_whole_ones_and_missing_ones_are_one_group(tmp_path: Path) -> None:
    header = "sample_id,prediction,mos,group,version"
    lines = ["1.0,1,2,2.0,1.0", "2.0,2,3,2,1.5", "3.0,3,4,NA,2.0", "4.0,4,5,nan,2.0", "5,5,6,,2.0"]
    frame = scores(tmp_path, *lines, header=header).frame
    assert frame["sample_id"].tolist() == ["1", "2", "3", "4", "5"]
    assert frame["field.group"].tolist()[:2] == ["2", "2"]
    assert frame["field.group"].isna().tolist() == [False, False, True, True, True]
    assert frame["field.version"].tolist()[0] == "1.0"


def test_answers_and_options_that_arrive_as_floats_or_as_json_in_a_cell_are_read(tmp_path: Path) -> None:
    rows = [
        {"sample_id": "a", "prediction": 2.0, "answer": 2, "options": [1.0, 2.0]},
        {"sample_id": "b", "prediction": "A", "answer": "red", "options": '{"A": "red", "B": "blue"}'},
        {"sample_id": "c", "prediction": "yes", "answer": "no", "options": '["yes", "no"]'},
    ]
    frame = read_evaluation_file(json_lines(tmp_path / "a.jsonl", *rows)).frame
    assert frame[["prediction", "truth"]].to_numpy().tolist() == [["2", "2"], ["A", "A"], ["yes", "no"]]
    assert [list(one) for one in frame["options"]] == [["1", "2"], ["A", "B"], ["yes", "no"]]


def test_scores_outside_an_apparent_scale_are_named(tmp_path: Path) -> None:
    lines = [f"s{n},0.{n:02d},{1 + n % 5}" for n in range(40)]
    assert not any("outside" in note for note in scores(tmp_path, *lines).notes)
    lines[7] = "s7,0.07,6"
    note = next(note for note in scores(tmp_path, *lines).notes if "outside" in note)
    assert note.startswith("Column 'mos': outside 1-5, where the other 39 scores are: 6 in row 9.")


def test_a_file_with_more_than_half_of_its_rows_unusable_is_refused(tmp_path: Path) -> None:
    lines = [f"s{n},{n if n < 3 else ''},{n}" for n in range(866)]
    read = scores(tmp_path, *lines)
    with pytest.raises(UserError, match=r"^a\.csv: 863 of 866 rows cannot be used \(863 missing_prediction\)"):
        refuse_unusable(read, 0.5)
    refuse_unusable(read, 0.999)
    twice = scores(tmp_path, "a,1,2", "a,1,2", "a,1,2")
    assert (twice.excluded, n_unusable(twice)) == ({"duplicate": 2}, 0)


def test_half_a_letter_and_nul_are_refused_with_row_and_column(tmp_path: Path, shared_inputs: Path) -> None:
    with pytest.raises(UserError, match=r"row 1: 's0\\ud83d' in column 'sample_id' holds half a letter. Remove it"):
        read_evaluation_file(shared_inputs / "c03_half_letter.jsonl")
    assert len(read_evaluation_file(json_lines(tmp_path / "a.jsonl", score("\U0001f642", 1))).frame) == 1
    with pytest.raises(UserError, match=r"a\.csv, row 2: 'a\\x00' in column 'sample_id' holds NUL"):
        scores(tmp_path, "a\0,1,2")
    with pytest.raises(UserError, match=r"row 1: 'a\\x00' in field 'sample_id' holds NUL"):
        read_evaluation_file(json_lines(tmp_path / "b.jsonl", score("a\0", 1)))


@pytest.mark.parametrize("name", ["pipe.csv", "folder.csv", "device.csv"])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name.startswith("pipe"):
        os.mkfifo(path)
    elif name.startswith("folder"):
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")
    kind = name.removesuffix(".csv")
    for read in (read_evaluation_file, read_relevance_file, opened, sha256_of_file):
        with pytest.raises(UserError, match=f"it is a {kind}. Nothing was loaded. (Name|Save)"):
            read(path)  # type: ignore[operator]


def test_a_name_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="its name is not UTF-8"):
        read_evaluation_file(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.csv"))


OBJECT = "100_trellis_single_N1_a_2026-01-15_v1_h0000000{}.glb"


def test_annotators_whose_names_differ_in_spelling_only_are_one(tmp_path: Path, shared_inputs: Path) -> None:
    plan = FidelityStudy(human_scores=shared_inputs / "a01_spelt_twice.csv", references=tmp_path, candidates=tmp_path)
    read = read_human_scores(plan)
    assert sorted(read.frame["annotator"].unique()) == ["Anna", "José", "Li"]
    assert read.notes[0].startswith("Annotators in column 'annotator' that differ in spelling only are one: ")
    said = "Annotatori nella colonna 'annotator' che differiscono solo nella grafia sono una cosa sola: "
    assert phrase(read.notes[0]).plains["it"].startswith(said)
    header = "3D Object filename;Visual Fidelity;annotator"
    lines = [f"{OBJECT.format('a')};75 %;1.0", f"{OBJECT.format('b')};80 %;1", f"{OBJECT.format('a')};90 %;2"]
    path = written(tmp_path / "scores.csv", header, *lines)
    read = read_human_scores(plan.model_copy(update={"human_scores": path}))
    assert read.frame["annotator"].tolist() == ["1", "1", "2"]
    assert read.frame["score"].tolist() == [0.75, 0.8, 0.9]
    of_a_hundred = plan.model_copy(update={"human_scores": path, "score_max": 100.0})
    assert read_human_scores(of_a_hundred).frame["score"].tolist() == [0.75, 0.8, 0.9]


def test_counts_of_votes_are_read_with_separators(tmp_path: Path) -> None:
    header = "Series_ID,compareID1,compareID2,left,right"
    read = read_photo_votes(written(tmp_path / "v.csv", header, '1,0,1,"1,200.0",300', '2,0,1,"2,000.0",1'))
    assert read[["LEFT", "RIGHT"]].to_numpy().tolist() == [[1200, 300], [2000, 1]]
    assert read.attrs["notes"] == ["Column 'LEFT': a comma separates thousands."]


def test_relevance_reads_ids_numbers_and_judges_in_one_way(tmp_path: Path) -> None:
    header = "Query_ID;query;doc_id;judge;score"
    lines = ["1.0;what?;1.0;GPT;0,5", "1;what?;1;human;0,7", "1.0;what?;2.0;gpt;0,9", "1;what?;2;Human;1,0"]
    read = read_relevance_file(written(tmp_path / "a.csv", header, *lines))
    assert read.documents[["query_id", "doc_id"]].to_numpy().tolist() == [["1", "1"], ["1", "2"]]
    assert read.judges == ("GPT", "human")
    assert read.scores["score"].tolist() == [0.5, 0.7, 0.9, 1.0]
    assert [note.split(":")[0] for note in read.notes] == [
        "Column 'score'",
        "Judges that differ in spelling only are one",
    ]
    said = "Giudici che differiscono solo nella grafia sono una cosa sola: "
    assert phrase(read.notes[1]).plains["it"].startswith(said)


def test_lists_of_scores_as_json_in_a_cell_are_read_in_the_form_of_the_column(tmp_path: Path) -> None:
    cells = {"id": "1", "query": "what?", "docs": json.dumps(["x", "y"]), "a_score": json.dumps(["0,5", "0,75"])}
    path = tmp_path / "a.csv"
    pd.DataFrame([cells | {"b_score": "[0.1, null]"}]).to_csv(path, index=False)
    assert read_relevance_file(path).scores["score"].tolist() == [0.5, 0.75, 0.1]


def test_recorded_answers_with_float_ids_are_of_the_same_documents(shared_inputs: Path) -> None:
    columns = ("query_id", "doc_id", "judge", "prompt_version")
    asked = ScoredColumns(columns, "score", ids=columns[:2])
    rows = scored_rows(shared_inputs / "d01_float_ids" / "a.parquet", asked, score_may_be_missing=True)
    asked = read_relevance_file(shared_inputs / "d01_float_ids" / "q.csv").documents
    assert {row.texts[:2] for row in rows} == set(zip(asked["query_id"], asked["doc_id"], strict=True))


def test_data_sets_whose_ids_are_written_in_three_ways_are_of_the_same_samples(shared_inputs: Path) -> None:
    from assets.evaluation.logic.differences import are_same_samples, shared_samples
    from resources.inputs.evaluation.table import evaluation_samples_table

    tables = {
        name: evaluation_samples_table(name, read_evaluation_file(shared_inputs / "g2_ids" / f"{name}.csv"))
        for name in ("int", "float", "zero")
    }
    assert are_same_samples(tables["int"], tables["float"])
    assert are_same_samples(tables["zero"], tables["int"])
    assert len(shared_samples(tables["zero"], tables["float"])) == 50


def test_an_image_that_is_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gt_1.png")
    with pytest.raises(UnreadableImage, match="it is a pipe. Put the image itself there"):
        read_image_file(tmp_path / "gt_1.png")
