"""`touchstone evaluate mcq`, `breakdown` and `compare`: planted numbers come back, mistakes are named."""

import csv
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from pipeline.samples.evaluation import EvaluationSamples
from tests.pipeline.command_line.evaluated import evaluated, json_lines, refused, told

QUICK = ("--n-bootstrap", 100)


@pytest.fixture(scope="module")
def planted(evaluation_samples: EvaluationSamples) -> Any:
    return json.loads(evaluation_samples.truth.read_text())["sample_answers"]


def question(number: int, prediction: str | None, answer: str = "B", **more: Any) -> dict[str, Any]:
    return {"sample_id": f"q{number}", "options": list("ABCD"), "answer": answer, "prediction": prediction, **more}


def test_the_planted_confusion_comes_back_cell_by_cell(evaluation_samples: EvaluationSamples, planted: Any) -> None:
    result = evaluated("mcq", evaluation_samples.answers)
    assert [{key: one[key] for key in ("options", "columns", "matrix")} for one in result["confusions"]] == planted[
        "confusion"
    ]
    assert result["accuracy"] == planted["accuracy"]
    assert result["accuracy_ci"][0] < planted["accuracy"] < result["accuracy_ci"][1]
    assert (result["n_invalid"], result["n_normalised"]) == (planted["n_invalid"], planted["n_respelled"])
    assert result["confusions"][0]["most_confused"][0] == planted["most_confused"]
    assert "B taken for C 55" in told("mcq", evaluation_samples.answers)


def test_precision_and_recall_are_those_of_the_matrix(evaluation_samples: EvaluationSamples) -> None:
    [letters, _] = evaluated("mcq", evaluation_samples.answers)["confusions"]
    b = letters["by_option"][1]
    # 130 of the 200 questions whose truth is B, and of the 12 + 130 + 20 + 4 = 166 answers B.
    assert (b["recall"], b["precision"], b["excess"]) == (130 / 200, 130 / 166, -34)
    assert letters["over_predicted"] == ["C", "A"]
    assert letters["under_predicted"] == ["B", "D"]


def test_answers_in_other_spellings_count_and_those_that_are_no_option_are_wrong(tmp_path: Path) -> None:
    spelled = ["b", "B.", "(B)", "Option B", "B"]
    records = [question(number, given) for number, given in enumerate([*spelled, "E", "", None])]
    result = evaluated("mcq", json_lines(tmp_path / "a.jsonl", *records))
    assert (result["n_correct"], result["n_used"], result["n_total"]) == (5, 8, 8)
    assert (result["n_normalised"], result["n_invalid"]) == (4, 3)
    assert {one["answer"] for one in result["invalid_answers"]} == {"E", ""}
    assert result["excluded"] == {}
    [confusion] = result["confusions"]
    assert confusion["matrix"][1] == [0, 5, 0, 0, 3]
    assert confusion["by_option"][0]["undefined"] == {
        "precision": "never predicted",
        "recall": "never the right answer",
    }


def test_other_sets_of_options_are_other_matrices_and_markup_is_text(tmp_path: Path) -> None:
    many = [f"[red]{letter}[/red] {'x' * 40}" for letter in "ABCDEFGHIJ"]
    records = [question(0, "B"), question(1, many[0], answer=many[0], options=many), question(2, "B")]
    file = json_lines(tmp_path / "a.jsonl", *records)
    assert [len(one["options"]) for one in evaluated("mcq", file)["confusions"]] == [4, 10]
    assert "[red]A[/red]" in told("mcq", file)


def test_scores_are_no_answers(evaluation_samples: EvaluationSamples) -> None:
    assert "none of 'prediction'" in refused("mcq", evaluation_samples.scores)


def test_groups_have_their_planted_accuracies_and_nest(evaluation_samples: EvaluationSamples, planted: Any) -> None:
    result = evaluated("breakdown", evaluation_samples.answers, "--group-by", "task_type,reference_mode")
    groups = {tuple(group["fields"].values()): group for group in result["groups"]}
    assert groups[()]["accuracy"] == planted["accuracy"]
    for name, accuracy in planted["accuracy_by_task_type"].items():
        group = groups[(name,)]
        assert group["accuracy"] == accuracy
        assert group["ci_lower"] < accuracy < group["ci_upper"]
        parts = [groups[(name, mode)] for mode in ("FR", "NR")]
        assert sum(part["sample_count"] for part in parts) == group["sample_count"] == 250
    # Each group is followed by its parts.
    assert list(groups)[:4] == [
        (), ("executor_distortion",), ("executor_distortion", "FR"), ("executor_distortion", "NR")
    ]  # fmt: skip
    [of_task, _] = result["levels"]
    assert of_task["best"]["fields"] == {"task_type": "planner"}
    assert of_task["worst"]["fields"] == {"task_type": "executor_distortion"}
    table = [[count, 250 - count] for count in (160, 190, 222, 215)]
    expected = stats.chi2_contingency(table, correction=False)
    assert of_task["difference"]["chi_square"] == pytest.approx(expected.statistic)
    assert of_task["difference"]["pvalue"] == pytest.approx(expected.pvalue)
    assert len(of_task["difference"]["pairs"]) == 6
    words = told("breakdown", evaluation_samples.answers, "--group-by", "task_type,reference_mode")
    assert "best planner 0.888, worst executor_distortion 0.640" in words


def test_tid2013_by_distortion_equals_scipy_in_each_group_in_counting_order(shared_data: Path) -> None:
    file = shared_data / "evaluation" / "tid2013_metrics.csv"
    of_type = defaultdict(list)
    with file.open() as lines:
        for row in csv.DictReader(lines):
            of_type[row["dst_type"]].append((-float(row["DSSIM"]), float(row["mos"])))
    options = ("--prediction", "DSSIM", "--truth", "mos", "--lower-is-better", "--cluster", "ref_img", *QUICK)
    result = evaluated("breakdown", file, "--group-by", "dst_type", *options)
    [_, *groups] = result["groups"]
    assert [group["fields"]["dst_type"] for group in groups] == [str(number) for number in range(1, 25)]
    for group in groups:
        expected = stats.spearmanr(*zip(*of_type[group["fields"]["dst_type"]], strict=True)).statistic
        assert group["srcc"] == pytest.approx(expected, abs=1e-12)
        assert (group["sample_count"], group["n_clusters"]) == (125, 25)


def test_a_small_group_and_a_missing_field_are_shown_and_marked(tmp_path: Path) -> None:
    records = [question(n, "B", kind="x") for n in range(12)] + [question(n, "C", kind="y") for n in (12, 13)]
    file = json_lines(tmp_path / "a.jsonl", *records, question(14, "B"))
    result = evaluated("breakdown", file, "--group-by", "kind")
    small = {group["fields"]["kind"]: group["small"] for group in result["groups"][1:]}
    assert small == {"(missing)": True, "x": False, "y": True}
    assert result["levels"][0]["best"] is None
    assert "under 10" in told("breakdown", file, "--group-by", "kind")


def test_a_group_without_a_correlation_says_why(tmp_path: Path) -> None:
    records = [
        {"sample_id": f"s{n}", "final_score": n % 5 if n < 20 else 1, "mos": n, "kind": "x" if n < 20 else "y"}
        for n in range(40)
    ]
    file = json_lines(tmp_path / "a.jsonl", *records, {"sample_id": "z", "final_score": 1, "mos": 2, "kind": "z"})
    result = evaluated("breakdown", file, "--group-by", "kind", "--metric", "krcc", *QUICK)
    [_, x, y, z] = result["groups"]
    assert x["krcc"] is not None
    assert (y["krcc"], y["undefined"]) == (None, "all 20 prediction scores are equal")
    assert (z["krcc"], z["undefined"]) == (None, "only 1 pair, at least 3 needed")
    assert "distinguishable by their intervals" in result["levels"][0]["undefined"]


def test_an_unknown_field_is_named_with_those_there_are(evaluation_samples: EvaluationSamples) -> None:
    words = refused("breakdown", evaluation_samples.answers, "--group-by", "task_type,tasktype")
    assert "there is no field 'tasktype' (did you mean 'task_type'?)" in words
    assert "'reference_mode'" in words
    assert "'metadata.question_type'" in words
    assert "names no field" in refused("breakdown", evaluation_samples.answers, "--group-by", " , ")


def test_matrices_and_groups_are_drawn(evaluation_samples: EvaluationSamples, tmp_path: Path) -> None:
    output = ("--output", tmp_path / "r.json", "--plot")
    told("mcq", evaluation_samples.answers, *output)
    told("breakdown", evaluation_samples.answers, "--group-by", "task_type", *output)
    names = {"r.json", "r_A-B-C-D.png", "r_A-B-C-D.svg", "r_Yes-No.png", "r_Yes-No.svg", "r.png", "r.svg"}
    assert {path.name for path in tmp_path.iterdir()} == names


def test_the_reason_stands_before_a_table_of_dashes(tmp_path: Path) -> None:
    records = [{"sample_id": name, "final_score": 0.5, "mos": 3, "group": "x"} for name in "ab"]
    file = json_lines(tmp_path / "a.jsonl", *records)
    words = " ".join(told("breakdown", file, "--group-by", "group").split())
    assert words.index("only 2 pairs, at least 3 needed") < words.index("95 % CI")
    paper = tmp_path / "paper.json"
    paper.write_text(json.dumps([{"dataset": "a", "metric": "srcc", "value": 0.9}]), encoding="utf-8")
    words = " ".join(told("compare", file, "--baseline", paper).split())
    assert words.index("only 2 pairs, at least 3 needed") < words.index("95 % CI")


def test_groups_of_no_cluster_are_of_samples(tmp_path: Path) -> None:
    records = [{"sample_id": f"s{i}", "final_score": i % 7, "mos": i, "group": "xy"[i % 2]} for i in range(40)]
    words = " ".join(told("breakdown", json_lines(tmp_path / "a.jsonl", *records), "--group-by", "group").split())
    assert ", 40 samples." in words
    assert "cluster" not in words


def test_options_of_scores_are_refused_for_answers(evaluation_samples: EvaluationSamples) -> None:
    groups = ("breakdown", evaluation_samples.answers, "--group-by", "task_type")
    assert "`--metric` is of scores" in refused(*groups, "--metric", "srcc")
    assert "`--lower-is-better` is of scores" in refused(*groups, "--lower-is-better")
    paper = ("compare", evaluation_samples.answers, "--baseline", evaluation_samples.baseline)
    assert "`--same-scale` is of scores" in refused(*paper, "--same-scale")


def test_a_folder_is_named_and_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert f"{tmp_path.name}: it is a folder." in refused("correlation", ".")


def test_one_row_and_one_pair_are_spoken_of_as_one(tmp_path: Path) -> None:
    records = [question(n, "B" if n % 2 else "b", kind="xy"[n % 2]) for n in range(2)]
    words = told("breakdown", json_lines(tmp_path / "a.jsonl", *records), "--group-by", "kind")
    assert "in 1 row." in words
    assert "1 rows" not in words
