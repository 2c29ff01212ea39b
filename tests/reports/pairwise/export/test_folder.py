"""The benchmark's folder: its files, their columns and values, strict JSON, and whole or not at all."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import cv2
import numpy as np
import pandas as pd
import pytest

from reports.pairwise.export import folder as export
from reports.pairwise.export.folder import Benchmark, Written, write_benchmark
from resources.configuration.load import read_configuration
from resources.runtime.file_hash import sha256_of_file
from tests.reports.pairwise.export.made_benchmark import REMEDY, benchmark_in

NOW = datetime(2026, 3, 29, 1, 2, 3, tzinfo=UTC)
OF_A_METHOD = ("confusion_matrix.csv", "confusion_matrix.png", "per_pair_results.csv")
RANKINGS = ("accuracy_ranking.csv", "speed_ranking.csv", "efficiency_ranking.csv")
SUMMARIES = ("benchmark.log", "config.yaml", "detailed_results.csv", "methods_summary.csv", "summary.json")


def write(benchmark: Benchmark, base: Path, now: datetime = NOW) -> Written:
    return write_benchmark(base, benchmark, now, lambda done=1: None)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("benchmark")
    return write(benchmark_in(folder), folder / "out")


def csv(written: Written, name: str) -> pd.DataFrame:
    return pd.read_csv(written.folder / name)


def header(written: Written, name: str) -> str:
    return (written.folder / name).read_text().splitlines()[0]


def summary(written: Written) -> dict[str, Any]:
    def refuse(constant: str) -> NoReturn:
        raise AssertionError(f"{constant} is no JSON")

    found: dict[str, Any] = json.loads((written.folder / "summary.json").read_text(), parse_constant=refuse)
    return found


def test_the_folder_has_its_time_in_its_name_and_exactly_these_files(written: Written) -> None:
    assert written.folder.name == "pairwise_20260329_010203"
    methods = [f"{method}/{name}" for method in ("contrast_only", "sharpness_only") for name in OF_A_METHOD]
    assert {file.file for file in written.files} == {*SUMMARIES, *RANKINGS, *methods}
    assert [path.name for path in written.folder.parent.iterdir()] == [written.folder.name]


def test_notes_say_what_is_in_sample_and_which_clock_a_time_is_of(written: Written) -> None:
    notes = summary(written)["notes"]
    assert "In-sample" in notes["bt_agreement"]
    assert "time that cores worked" in notes["avg_time_ms"]
    assert "GPU: by the clock" in notes["avg_time_ms"]


def test_every_file_is_listed_with_its_hash_its_size_and_its_rows(written: Written) -> None:
    for file in written.files:
        path = written.folder / file.file
        assert (sha256_of_file(path), path.stat().st_size) == (file.sha256, file.n_bytes)
        rows = len(pd.read_csv(path)) if path.suffix == ".csv" else None
        assert file.n_rows == rows, file.file


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("methods_summary.csv", "method,avg_top1_accuracy,avg_top2_accuracy,avg_mrr,avg_time_ms,datasets_tested"),
        ("detailed_results.csv", "dataset,method,top1_accuracy,top2_accuracy,mrr,avg_time_ms,throughput"),
        *((name, "method,accuracy,avg_time_ms,efficiency") for name in RANKINGS),
        ("sharpness_only/confusion_matrix.csv", "truth,1,2,tie"),
        (
            "sharpness_only/per_pair_results.csv",
            "pair_idx,series_id,compareID1,compareID2,compareFile1,compareFile2,ground_truth_winner,predicted_winner,"
            "score_image1,score_image2,correct,agreement,num_reviewers",
        ),
    ],
)
def test_every_csv_has_the_columns_that_notebooks_read(written: Written, name: str, columns: str) -> None:
    assert header(written, name) == columns


def test_summaries_hold_each_measured_method_and_the_constants_of_the_form(written: Written) -> None:
    found = csv(written, "methods_summary.csv")
    assert found["method"].tolist() == ["contrast_only", "sharpness_only"]
    assert found["avg_top1_accuracy"].tolist() == [1.0, 0.625]
    assert (found[["avg_top2_accuracy", "avg_mrr"]] == 0.0).all(axis=None)
    assert found["datasets_tested"].tolist() == [1, 1]
    detailed = csv(written, "detailed_results.csv")
    assert set(detailed["dataset"]) == {"small"}
    assert detailed["throughput"].tolist() == pytest.approx([1000 / 9, 250.0])
    assert (detailed[["top2_accuracy", "mrr"]] == 0.0).all(axis=None)


def test_rankings_sort_by_accuracy_down_time_up_and_efficiency_down(written: Written) -> None:
    # Efficiency: 0.625 / (4 + 1) = 0.125 and 1 / (9 + 1) = 0.1.
    orders = {name: csv(written, name)["method"].str[0].tolist() for name in RANKINGS}
    assert orders == dict(zip(RANKINGS, (["c", "s"], ["s", "c"], ["s", "c"]), strict=True))
    assert csv(written, "efficiency_ranking.csv")["efficiency"].tolist() == pytest.approx([0.125, 0.1])


def test_on_a_tie_predicted_winner_is_0_and_correct_false(written: Written) -> None:
    found = csv(written, "sharpness_only/per_pair_results.csv")
    assert found["predicted_winner"].tolist() == [1, 2, 0, 1]
    assert found["ground_truth_winner"].tolist() == [1, 2, 1, 2]
    assert found["correct"].tolist() == [True, True, False, False]
    of_method = summary(written)["methods"]["sharpness_only"]
    assert found["correct"].mean() == of_method["accuracy"] - of_method["tie_rate"] / 2


def test_pairs_keep_their_numbers_files_and_scores_to_the_last_digit(written: Written) -> None:
    found = csv(written, "sharpness_only/per_pair_results.csv")
    # Pair 2 has tied votes and is not judged.
    assert found["pair_idx"].tolist() == [0, 1, 3, 4]
    assert found["compareFile2"].tolist()[:2] == ["1-2.JPG", "2-2.JPG"]
    assert found["score_image1"].tolist()[3] == 0.1 + 0.2
    assert found["agreement"].tolist() == [1.0, 1.0, 0.75, 1.0]
    assert "000005,0,1," in (written.folder / "sharpness_only/per_pair_results.csv").read_text()


def test_a_pair_without_a_score_is_in_no_file_and_is_counted(written: Written) -> None:
    assert csv(written, "contrast_only/per_pair_results.csv")["pair_idx"].tolist() == [0, 1, 3]
    of_method = summary(written)["methods"]["contrast_only"]
    assert (of_method["n"], of_method["n_undefined"]) == (3, 1)


def test_confusion_matrices_have_a_row_per_truth_and_a_column_for_ties(written: Written) -> None:
    assert csv(written, "sharpness_only/confusion_matrix.csv").to_numpy().tolist() == [[1, 1, 0, 1], [2, 1, 1, 0]]
    picture = cv2.imread(str(written.folder / "sharpness_only/confusion_matrix.png"))
    assert picture is not None
    assert min(picture.shape[:2]) > 300


def test_the_summary_is_strict_json_with_null_for_what_is_undefined(written: Written) -> None:
    found = summary(written)
    assert (found["dataset"], found["n_pairs"], found["n_left_out"]) == ("small", 4, {"tie": 1})
    sharp = found["methods"]["sharpness_only"]
    older = ("accuracy", "precision", "recall", "f1_score", "accuracy_70_80", "accuracy_80_90", "accuracy_90_100")
    assert list(sharp)[:10] == [*older, "log_likelihood", "avg_time_ms", "throughput"]
    assert (sharp["accuracy_80_90"], sharp["log_likelihood"], sharp["shared_time_ms"]) == (None, -7.5, 1.5)
    assert (sharp["tie_rate"], sharp["accuracy_decided"], sharp["n"]) == (0.25, 2 / 3, 4)
    assert sharp["intervals"]["accuracy"] == [0.1, 0.9]
    assert sharp["intervals"]["accuracy_70_80"] == [None, None]
    assert sharp["interval_methods"]["accuracy_70_80"] == "none: 1 cluster, fewer than 5"
    assert sharp["interval_methods"]["accuracy"] == "i"
    assert not [name for name in sharp if name.endswith("interval_method")]
    assert (found["n_series"], found["n_clusters"], found["cluster_column"]) == (4, 4, None)
    assert found["rules_resolution"] == "full"


def test_an_unavailable_method_is_in_no_csv_and_in_the_summary_with_its_remedy(written: Written) -> None:
    assert summary(written)["unavailable"] == {"vit_base": REMEDY}
    assert "vit_base" not in summary(written)["methods"]
    assert not (written.folder / "vit_base").exists()
    for file in written.files:
        if file.file.endswith(".csv"):
            assert "vit_base" not in (written.folder / file.file).read_text()
    assert f"WARNING vit_base: unavailable: {REMEDY}" in (written.folder / "benchmark.log").read_text()


def test_the_log_says_what_was_judged_and_what_each_method_reached(written: Written) -> None:
    said = (written.folder / "benchmark.log").read_text()
    assert "4 of 5 pairs judged, 4 series; left out: 1 tie" in said
    assert "sharpness_only: accuracy 0.6250 (0.1000 to 0.9000), 4 pairs, tie rate 0.2500, 4.00 ms a pair" in said
    assert "Written in" in said


def test_the_log_says_why_an_accuracy_has_no_interval(tmp_path: Path) -> None:
    benchmark = benchmark_in(tmp_path, save_confusion_matrices=False)
    metrics = benchmark.metrics.assign(accuracy_low=np.nan, interval_method="none: the same in every resample")
    done = write(replace(benchmark, metrics=metrics), tmp_path / "out")
    said = (done.folder / "benchmark.log").read_text()
    assert "accuracy 0.6250 (no interval, none: the same in every resample), 4 pairs" in said


def test_the_configuration_in_force_can_be_read_again(tmp_path: Path) -> None:
    benchmark = benchmark_in(tmp_path, sample_size=3, rules_long_side=1024)
    done = write(benchmark, tmp_path / "out")
    assert read_configuration(done.folder / "config.yaml").pairwise == benchmark.study
    assert "the built-in sample study" in (done.folder / "config.yaml").read_text()
    assert summary(done)["rules_resolution"] == "longer side 1024 px"


def test_what_the_study_does_not_ask_for_is_not_written(tmp_path: Path) -> None:
    few = {"save_per_pair_results": False, "save_confusion_matrices": False, "save_ranking_csvs": False}
    done = write(benchmark_in(tmp_path, **few), tmp_path / "out")
    assert {file.file for file in done.files} == set(SUMMARIES)


def test_two_exports_in_one_second_have_two_folders(tmp_path: Path) -> None:
    benchmark = benchmark_in(tmp_path, save_confusion_matrices=False)
    names = [write(benchmark, tmp_path / "out").folder.name for _ in range(2)]
    assert names == ["pairwise_20260329_010203", "pairwise_20260329_010204"]


def test_a_run_that_dies_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*_: object, **__: object) -> None:
        raise OSError("no space left on device")

    benchmark = benchmark_in(tmp_path)
    monkeypatch.setattr(export, "save_figure", dies)
    with pytest.raises(OSError, match="no space left"):
        write(benchmark, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_methods_without_a_single_prediction_have_blank_numbers(tmp_path: Path) -> None:
    benchmark = benchmark_in(tmp_path)
    columns = ["accuracy", "avg_time_ms", "throughput", "tie_rate"]
    empty = benchmark.metrics.assign(**dict.fromkeys(columns), n=0, undefined="all: no pair is judged")
    for truth in (1, 2):
        empty = empty.assign(**{f"truth_{truth}_predicted_{said}": pd.NA for said in ("1", "2", "tie")})
    results = {name: rows.iloc[:0] for name, rows in benchmark.results.items()}
    done = write(Benchmark(benchmark.study, None, benchmark.photo_pairs, results, empty), tmp_path / "out")
    assert csv(done, "methods_summary.csv")["avg_top1_accuracy"].isna().all()
    assert csv(done, "sharpness_only/per_pair_results.csv").empty
    assert csv(done, "sharpness_only/confusion_matrix.csv").to_numpy().tolist() == [[1, 0, 0, 0], [2, 0, 0, 0]]
    assert summary(done)["methods"]["sharpness_only"]["accuracy"] is None
    assert "sharpness_only: no accuracy: all: no pair is judged" in (done.folder / "benchmark.log").read_text()
