"""`touchstone evaluate compare`: our numbers next to a paper's, in one sign and of one category."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.samples.evaluation import EvaluationSamples
from resources.inputs.evaluation.paper_baseline import read_baseline
from tests.pipeline.command_line.evaluated import evaluated, json_lines, refused, told

QUICK = ("--n-bootstrap", 100)


def question(number: int, prediction: str | None, answer: str = "B", **more: Any) -> dict[str, Any]:
    return {"sample_id": f"q{number}", "options": list("ABCD"), "answer": answer, "prediction": prediction, **more}


def test_a_paper_near_the_planted_value_is_in_our_interval_and_another_is_not(
    evaluation_samples: EvaluationSamples,
) -> None:
    scores = evaluated("compare", evaluation_samples.scores, "--baseline", evaluation_samples.baseline)
    [srcc] = scores["comparisons"]
    assert (srcc["metric"], srcc["paper_value"], srcc["deviates"]) == ("srcc", 0.85, False)
    assert srcc["delta"] == pytest.approx(srcc["value"] - 0.85)
    assert scores["other_entries"] == [{"dataset": "sample_answers", "metric": "accuracy", "n": 1}]
    answers = evaluated("compare", evaluation_samples.answers, "--baseline", evaluation_samples.baseline)
    [accuracy] = answers["comparisons"]
    assert (accuracy["value"], accuracy["deviates"], accuracy["direction"]) == (0.787, True, "below")
    assert accuracy["relative"] == pytest.approx((0.787 - 0.9) / 0.9)
    words = told("compare", evaluation_samples.answers, "--baseline", evaluation_samples.baseline)
    assert "investigate" in words
    assert "sample_scores srcc" in words


def test_a_baseline_for_another_data_set_or_metric_lists_what_there_is(
    evaluation_samples: EvaluationSamples, tmp_path: Path
) -> None:
    options = ("--baseline", evaluation_samples.baseline)
    words = refused("compare", evaluation_samples.scores, *options, "--dataset", "sample_score")
    assert "(did you mean 'sample_scores'?)" in words
    assert "It has 'sample_scores' (srcc); 'sample_answers' (accuracy)." in words
    words = refused("compare", evaluation_samples.scores, *options, "--dataset", "sample_answers")
    assert "no number for data set 'sample_answers' with one of srcc" in words
    (tmp_path / "none.json").write_text("[]")
    assert "It has nothing." in refused("compare", evaluation_samples.scores, "--baseline", tmp_path / "none.json")


def test_papers_spell_metrics_and_data_sets_in_their_own_way(
    evaluation_samples: EvaluationSamples, tmp_path: Path
) -> None:
    baseline = tmp_path / "papers.json"
    named = [("SROCC", 0.85), ("plcc", 0.5), ("RMSE_logistic_4", 0.6), ("auc", 0.9)]
    baseline.write_text(json.dumps([{"dataset": "LIVE", "metric": name, "value": value} for name, value in named]))
    options = ("--baseline", baseline, "--dataset", "live", *QUICK)
    result = evaluated("compare", evaluation_samples.scores, *options)
    found = {one["metric"]: one for one in result["comparisons"]}
    assert list(found) == ["srcc", "plcc", "rmse_logistic_4"]
    assert (found["plcc"]["deviates"], result["n_deviating"]) == (True, 1)
    assert (found["rmse_logistic_4"]["deviates"], found["rmse_logistic_4"]["undefined"]) == (
        None,
        "no interval of this number",
    )
    assert result["other_entries"] == [{"dataset": "LIVE", "metric": "auc", "n": 1}]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "no JSON"),
        ('{"dataset": "x"}', "no list"),
        ('[{"dataset": "x", "metric": "srcc", "value": "0.9"}]', "row 1"),
        ('[{"dataset": "x", "metric": "srcc", "value": Infinity}]', "row 1"),
    ],
)
def test_a_baseline_that_cannot_be_read_is_refused(
    evaluation_samples: EvaluationSamples, tmp_path: Path, text: str, words: str
) -> None:
    (tmp_path / "b.json").write_text(text)
    assert words in refused("compare", evaluation_samples.scores, "--baseline", tmp_path / "b.json")


def test_an_undefined_number_of_ours_is_compared_with_nothing(tmp_path: Path) -> None:
    records = [{"sample_id": f"s{n}", "final_score": 1, "mos": n} for n in range(9)]
    (tmp_path / "b.json").write_text('[{"dataset": "a", "metric": "srcc", "value": 0.9, "tools": ["x"]}]')
    result = evaluated("compare", json_lines(tmp_path / "a.jsonl", *records), "--baseline", tmp_path / "b.json")
    [one] = result["comparisons"]
    assert (one["value"], one["delta"], one["deviates"]) == (None, None, None)
    assert one["undefined"] == "all 9 prediction scores are equal"


def test_lists_of_a_paper_are_written_as_words(tmp_path: Path) -> None:
    entry = {"dataset": "a", "metric": "srcc", "value": 0.9, "model": "m"}
    (tmp_path / "b.json").write_text(json.dumps([entry | {"tools": ["x", "y"], "protocol": []}]))
    [found] = read_baseline(tmp_path / "b.json")
    assert (found.tools, found.protocol) == ("x, y", None)


@pytest.mark.parametrize(
    ("metric", "value", "lowest"), [("srcc", -1.01, -1), ("plcc", 87, -1), ("accuracy", 78.7, 0), ("accuracy", -0.1, 0)]
)
def test_a_paper_cannot_have_a_correlation_or_an_accuracy_that_none_has(
    evaluation_samples: EvaluationSamples, tmp_path: Path, metric: str, value: float, lowest: int
) -> None:
    paper = tmp_path / "paper.json"
    paper.write_text(json.dumps([{"dataset": "sample_scores", "metric": metric, "value": value}]))
    words = refused("compare", evaluation_samples.scores, "--baseline", paper)
    assert f"row 1: {metric} lies between {lowest} and 1, found {value}." in words


@pytest.mark.parametrize(
    ("value", "sign", "measured"),
    [(-0.9, None, True), (0.9, None, False), (-0.9, "as_measured", True), (0.9, "turned", False)],
)
def test_a_papers_sign_as_measured_is_compared_with_ours_as_measured(
    tmp_path: Path, value: float, sign: str | None, measured: bool
) -> None:
    paper = tmp_path / "paper.json"
    paper.write_text(json.dumps([{"dataset": "a", "metric": "srcc", "value": value, "sign": sign}]))
    records = [{"sample_id": f"s{n}", "final_score": -n - n % 3, "mos": n} for n in range(20)]
    file = json_lines(tmp_path / "a.jsonl", *records)
    result = evaluated("compare", file, "--baseline", paper, "--lower-is-better")
    said = "The paper gives the sign as measured; ours next to it is as measured too."
    assert (said in result["notes"]) is measured
    [one] = result["comparisons"]
    # Neighbours change places: 0.98 or so, near the paper's 0.9 in either sign and never 200 % away.
    assert one["value"] == pytest.approx(-0.98 if measured else 0.98, abs=0.02)
    assert one["sign"] == ("as measured" if measured else None)
    assert abs(one["relative"]) < 0.15
    assert one["ci"][0] <= one["value"] <= one["ci"][1]


@pytest.mark.parametrize("value", [0.9, -0.9])
def test_of_scores_that_rise_with_the_truth_though_lower_is_better_no_sign_is_guessed(
    tmp_path: Path, value: float
) -> None:
    # Turned for agreement's sake, 0.98 would have met the paper's 0.9: the scores go the wrong way.
    paper = tmp_path / "paper.json"
    records = [{"sample_id": f"s{n}", "final_score": n + n % 3, "mos": n} for n in range(20)]
    file = json_lines(tmp_path / "a.jsonl", *records)

    def compared(sign: str | None) -> dict[str, Any]:
        paper.write_text(json.dumps([{"dataset": "a", "metric": "srcc", "value": value, "sign": sign}]))
        [one] = evaluated("compare", file, "--baseline", paper, "--lower-is-better")["comparisons"]
        return dict(one)

    unsaid = compared(None)
    assert (unsaid["value"], unsaid["deviates"]) == (None, None)
    assert "say `sign` in the baseline" in unsaid["undefined"]
    assert compared("as_measured")["value"] == pytest.approx(0.98, abs=0.02)
    assert compared("turned")["value"] == pytest.approx(-0.98, abs=0.02)


def test_a_sign_that_a_baseline_insists_on_is_not_guessed(tmp_path: Path) -> None:
    paper = tmp_path / "paper.json"
    paper.write_text(json.dumps([{"dataset": "a", "metric": "srcc", "value": -0.9, "sign": "turned"}]))
    records = [{"sample_id": f"s{n}", "final_score": -n - n % 3, "mos": n} for n in range(20)]
    file = json_lines(tmp_path / "a.jsonl", *records)
    [one] = evaluated("compare", file, "--baseline", paper, "--lower-is-better")["comparisons"]
    assert (one["value"] > 0.9, one["deviates"]) == (True, True)
    paper.write_text(json.dumps([{"dataset": "a", "metric": "srcc", "value": -0.9, "sign": "up"}]))
    assert "`sign` is as_measured or turned, found 'up'" in refused("compare", file, "--baseline", paper)


def test_a_papers_number_of_a_category_is_held_against_that_group(tmp_path: Path) -> None:
    # Counting: 6 of 8 right; colour: 10 of 12; all: 16 of 20.
    right = [*[True] * 6, *[False] * 2, *[True] * 10, *[False] * 2]
    records = [question(n, "B" if yes else "A", task_type="counting" if n < 8 else "Colour / hue", split=n % 2)
               for n, yes in enumerate(right)]  # fmt: skip
    of = [
        None,
        {"task_type": "Counting"},
        {"task_type": "colour / hue"},
        {"split": 1, "task_type": "counting"},
        {"task_type": "shape"},
    ]
    paper = tmp_path / "paper.json"
    paper.write_text(
        json.dumps([{"dataset": "a", "metric": "accuracy", "value": 0.8, "category": category} for category in of])
    )
    file = json_lines(tmp_path / "a.jsonl", *records)
    found = evaluated("compare", file, "--baseline", paper)["comparisons"]
    assert [one["value"] for one in found] == [0.8, 0.75, pytest.approx(10 / 12), 0.75, None]
    assert [one["category"] for one in found][:2] == [None, "task_type = Counting"]
    assert found[-1]["undefined"] == "this data set has no accuracy of task_type = shape"
    words = " ".join(told("compare", file, "--baseline", paper).split())
    assert "accuracy, task_type = shape: this data set has no accuracy of task_type = shape." in words
    paper.write_text('[{"dataset": "a", "metric": "accuracy", "value": 0.8, "category": "counting"}]')
    assert "`category` names fields and their values, found 'counting'" in refused("compare", file, "--baseline", paper)
    paper.write_text('[{"dataset": "a", "metric": "accuracy", "value": 0.8, "category": {"task": "counting"}}]')
    assert "'task'" in refused("compare", file, "--baseline", paper)


def test_a_reason_does_not_hold_the_method_of_p(tmp_path: Path) -> None:
    paper = tmp_path / "paper.json"
    paper.write_text(json.dumps([{"dataset": "a", "metric": "srcc", "value": 0.9}]))
    records = [{"sample_id": f"s{n}", "final_score": n + n % 3, "mos": n, "ref": "xy"[n % 2]} for n in range(20)]
    file = json_lines(tmp_path / "a.jsonl", *records)
    [one] = evaluated("compare", file, "--baseline", paper, "--cluster", "ref")["comparisons"]
    assert one["undefined"] == "none: 2 clusters, fewer than 5"
