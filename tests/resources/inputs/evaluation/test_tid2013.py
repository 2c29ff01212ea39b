"""The real TID2013 scores are read whole, and its rows fit the table of samples."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from resources.configuration.evaluation import Dataset
from resources.inputs.evaluation.files import read_evaluation_file
from resources.inputs.evaluation.table import evaluation_samples_table
from resources.tables.evaluation import EVALUATION_SAMPLES
from resources.tables.parquet import TableFault, checked, read, write
from tests.resources.inputs.made_records import answer, json_lines

# Reference values before the sign is flipped: lower is better for all three.
SRCC = {"DSSIM": -0.860908, "SSIMULACRA": -0.673300, "Butteraugli": -0.760307}


@pytest.fixture(scope="module")
def tid2013(shared_data: Path) -> Path:
    return shared_data / "evaluation" / "tid2013_metrics.csv"


@pytest.mark.parametrize("metric", SRCC)
def test_each_metric_is_read_from_its_named_column(tid2013: Path, metric: str) -> None:
    found = read_evaluation_file(tid2013, Dataset(prediction=metric))
    assert (found.kind, found.truth_field, found.n_rows_in_file, found.excluded) == ("scores", "mos", 3000, {})
    assert spearmanr(found.frame["prediction"], found.frame["truth"]).statistic == pytest.approx(SRCC[metric], abs=1e-6)
    raw = pd.read_csv(tid2013)
    np.testing.assert_array_equal(found.frame["prediction"], raw[metric])
    np.testing.assert_array_equal(found.frame["truth"], raw["mos"])


def test_distortions_and_references_are_fields_and_references_are_spelled_in_two_ways(tid2013: Path) -> None:
    found = read_evaluation_file(tid2013, Dataset(prediction="DSSIM"))
    assert found.frame["field.dst_type"].nunique() == 24
    references = found.frame["field.ref_img"]
    assert references.str.casefold().nunique() == 25
    assert references.nunique() == 50
    assert found.sample_id_is_row
    assert found.frame["sample_id"].tolist() == [str(row) for row in range(2, 3002)]
    other_metrics = found.frame["field.Butteraugli"].astype("float64")
    np.testing.assert_array_equal(other_metrics, pd.read_csv(tid2013)["Butteraugli"])


@pytest.mark.parametrize("fields", [None, ["dst_type"], []])
def test_the_rows_fit_the_table_and_survive_its_storage(tid2013: Path, fields: list[str] | None) -> None:
    found = read_evaluation_file(tid2013, Dataset(prediction="DSSIM"), fields=fields)
    frame = checked(EVALUATION_SAMPLES, evaluation_samples_table("tid2013", found))
    file = io.BytesIO()
    write(EVALUATION_SAMPLES, frame, file)
    file.seek(0)
    pd.testing.assert_frame_equal(read(EVALUATION_SAMPLES, file), frame)
    assert frame["prediction_answer"].isna().all()


def test_answers_fit_the_same_table(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "a.jsonl", answer("1", "b", task="x"), answer("2", "E", options=["A", "B"]))
    frame = checked(EVALUATION_SAMPLES, evaluation_samples_table("quiz", read_evaluation_file(path)))
    file = io.BytesIO()
    write(EVALUATION_SAMPLES, frame, file)
    file.seek(0)
    stored = read(EVALUATION_SAMPLES, file)
    assert stored["options"].tolist() == [["A", "B", "C", "D"], ["A", "B"]]
    assert stored["prediction_answer"].fillna("-").tolist() == ["B", "-"]
    assert stored["answer_as_given"].tolist() == ["b", "E"]
    assert stored[["prediction_score", "truth_score"]].isna().all(axis=None)
    assert set(stored["kind"]) == {"answers"}


def test_the_table_holds_each_sample_of_a_data_set_once(tid2013: Path) -> None:
    frame = evaluation_samples_table("tid2013", read_evaluation_file(tid2013, Dataset(prediction="DSSIM"), fields=[]))
    with pytest.raises(TableFault, match="sample_id"):
        checked(EVALUATION_SAMPLES, pd.concat([frame, frame.head(1)]))
