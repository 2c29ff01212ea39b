"""`touchstone evaluate correlation`: the real file's published numbers, the planted ones, and what it refuses."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from pipeline.samples.evaluation import EvaluationSamples
from tests.pipeline.command_line.evaluated import evaluated, json_lines, refused, strict, told, untimed, validator
from tools.samples.evaluation_scores import N_MISSING, SHARPNESS_SRCC, SRCC

METRICS = ("DSSIM", "SSIMULACRA", "Butteraugli")
QUICK = ("--n-bootstrap", 100)


@pytest.fixture(scope="module")
def tid2013(shared_data: Path) -> list[object]:
    """The real file with its three metrics, of all of which lower is better."""
    named = [part for name in METRICS for part in ("--prediction", name)]
    file = shared_data / "evaluation" / "tid2013_metrics.csv"
    return [file, *named, "--truth", "mos", "--lower-is-better", "--cluster", "ref_img", *QUICK]


def scores(n: int, **fixed: Any) -> list[dict[str, Any]]:
    # Opinions rise with the number, scores but for neighbours that change places.
    return [{"sample_id": f"s{i}", "final_score": (i ^ 1) / n, "mos": 1 + i % 7 + i, **fixed} for i in range(n)]


@pytest.mark.parametrize(
    ("metric", "published"),
    [("srcc", (-0.860908, -0.673300, -0.760307)), ("krcc", (-0.678464, -0.485133, -0.571815))],
)
def test_tid2013_has_its_published_rank_correlations(
    tid2013: list[object], metric: str, published: tuple[float, ...]
) -> None:
    result = evaluated("correlation", *tid2013, "--metric", metric)
    found = {one["prediction"]: one for one in result["metrics"]}
    for name, value in zip(METRICS, published, strict=True):
        one = found[name]
        assert one[f"{metric}_as_given"] == pytest.approx(value, abs=5e-7)
        assert one[metric] == -one[f"{metric}_as_given"]
        low, high = one[f"{metric}_ci"]
        assert low < one[metric] < high
        assert one[f"{metric}_significant"] is True
        # References spelt in two ways are one: 25, not 26.
        assert (one["n_used"], one["n_total"], one["n_clusters"]) == (3000, 3000, 25)
        assert "assumes independence" in one["methods"][metric]


@pytest.mark.slow
def test_tid2013_has_its_published_raw_plcc_and_the_mapped_one_is_higher(tid2013: list[object]) -> None:
    result = evaluated("correlation", *tid2013, "--metric", "plcc", "--mapping", "cubic")
    for one, value in zip(result["metrics"], (-0.772744, -0.662763, -0.647701), strict=True):
        assert one["plcc_as_given"] == pytest.approx(value, abs=5e-7)
        assert one["plcc_cubic"] > one["plcc"]
        assert one["rmse_cubic"] > 0
        assert "fitted on the evaluated samples" in one["methods"]["plcc_cubic"]


def test_metrics_of_one_file_are_compared_pair_by_pair(tid2013: list[object]) -> None:
    [first, second, third] = evaluated("correlation", *tid2013, "--metric", "srcc")["comparisons"]
    assert [(one["first"], one["second"]) for one in (first, second, third)] == [
        ("DSSIM", "SSIMULACRA"), ("DSSIM", "Butteraugli"), ("SSIMULACRA", "Butteraugli")
    ]  # fmt: skip
    assert second["williams"]["statistic"] == pytest.approx(12.25487188, abs=5e-9)
    assert second["williams"]["df"] == 2997
    assert second["srcc_difference"] == pytest.approx(0.860908 - 0.760307, abs=1e-6)
    assert second["srcc_significant"] is True
    assert third["srcc_difference"] < 0


@pytest.mark.parametrize("metric", ["srcc", "krcc"])
def test_parallel_and_sequential_results_are_the_same_to_the_last_bit(tid2013: list[object], metric: str) -> None:
    asked = [one for one in (*tid2013[:3], *tid2013[7:]) if one not in QUICK]
    several = ("correlation", *asked, "--n-bootstrap", 300, "--metric", metric)
    assert untimed(evaluated(*several, "--parallel")) == untimed(evaluated(*several, "--sequential"))


def test_samples_recover_what_was_planted(evaluation_samples: EvaluationSamples) -> None:
    file = evaluation_samples.scores
    result = evaluated("correlation", file, "--cluster", "metadata.reference", "--metric", "srcc")
    assert result["srcc_ci"][0] < SRCC < result["srcc_ci"][1]
    assert result["excluded"] == {"missing_prediction": N_MISSING}
    assert result["n_used"] + N_MISSING == result["n_total"]
    assert (result["n_clusters"], result["n_normalised"]) == (25, 3)
    assert "plcc" not in result
    other = ("--prediction", "result.sharpness_score", "--metric", "srcc")
    assert evaluated("correlation", file, *other)["srcc"] == pytest.approx(SHARPNESS_SRCC, abs=0.1)


def test_all_statistics_stand_in_the_result_and_equal_scipy(evaluation_samples: EvaluationSamples) -> None:
    records = [json.loads(line) for line in evaluation_samples.scores.read_text().splitlines()]
    pairs = [
        (float(record["result"]["final_score"]), record["metadata"]["mos"])
        for record in records
        if record["result"]["final_score"] is not None
    ]
    x, y = zip(*pairs, strict=True)
    opinions = ("--opinion-sd", "metadata.mos_sd", "--votes", "metadata.n_votes")
    result = evaluated("correlation", evaluation_samples.scores, *opinions, *QUICK)
    for name, test in (("srcc", stats.spearmanr), ("plcc", stats.pearsonr), ("krcc", stats.kendalltau)):
        expected = test(x, y)
        assert result[name] == pytest.approx(expected.statistic, abs=1e-12)
        assert result[f"{name}_pvalue"] == pytest.approx(expected.pvalue, rel=1e-6)
    assert 0 < result["outlier_ratio"] < 1
    assert 0.5 < result["krasula_different_similar"] < result["krasula_better_worse"] < 1


def test_bca_intervals_are_given_when_asked_for(tmp_path: Path) -> None:
    file = json_lines(tmp_path / "a.jsonl", *scores(40))
    asked = evaluated("correlation", file, "--metric", "srcc", "--bca")
    assert asked["settings"]["bca_resamples"] == 10_000
    low, high = asked["srcc_ci_bca"]
    assert low < asked["srcc"] < high
    assert evaluated("correlation", file, "--metric", "srcc")["srcc_ci_bca"] is None


def test_a_distortion_and_a_quality_are_compared_in_one_direction(tmp_path: Path) -> None:
    records = [record | {"psnr": record["mos"], "blur": -record["final_score"]} for record in scores(30, task="t")]
    file = json_lines(tmp_path / "a.jsonl", *records)
    both = ("correlation", file, "--prediction", "psnr", "--prediction", "blur", "--metric", "srcc", *QUICK)
    psnr, blur = evaluated(*both, "--lower-is-better-for", "blur")["metrics"]
    assert (psnr["higher_is_better"], blur["higher_is_better"]) == (True, False)
    assert blur["srcc"] > 0.9 > 0 > blur["srcc_as_given"]
    assert "did you mean 'blur'?" in refused(*both, "--lower-is-better-for", "blurr")
    # As `touchstone verdict` takes it, wherever it is.
    for named in (["--lower-is-better", "blur"], ["--lower-is-better=blur"]):
        for given in ([*both, *named], ["correlation", *named, *both[1:]]):
            assert evaluated(*given)["metrics"] == [psnr, blur]
    flag = ("correlation", *both[2:], "--lower-is-better", file)
    assert [one["higher_is_better"] for one in evaluated(*flag)["metrics"]] == [False, False]
    one = ("breakdown", file, "--prediction", "blur", "--group-by", "task", *QUICK, "--lower-is-better")
    assert evaluated(*one, "blur")["groups"] == evaluated(*one)["groups"] != evaluated(*one[:-1])["groups"]


@pytest.mark.parametrize(
    ("records", "reason"),
    [
        (scores(2), "only 2 pairs, at least 3 needed"),
        (scores(20, final_score=0.5), "all 20 prediction scores are equal"),
        (scores(20, mos=3), "all 20 truth scores are equal"),
    ],
)
def test_what_the_data_do_not_define_is_null_with_the_reason(
    tmp_path: Path, records: list[dict[str, Any]], reason: str
) -> None:
    file = json_lines(tmp_path / "a.jsonl", *records)
    result = evaluated("correlation", file)
    assert result["srcc"] is result["plcc"] is result["krcc"] is result["plcc_logistic_4"] is None
    assert result["srcc_ci"] is result["srcc_pvalue"] is result["srcc_significant"] is None
    assert set(result["undefined"].values()) == {reason}
    words = told("correlation", file)
    assert reason in " ".join(words.split())
    assert 0 <= words.index("undefined: ") < words.index("95 % CI"), "the reason stands before the dashes"


def test_rows_without_two_scores_are_left_out_counted_and_shown(tmp_path: Path) -> None:
    bad = [{"final_score": None}, {"final_score": "N/A"}, {"final_score": "Infinity"}, {"mos": None}]
    odd = [{"sample_id": f"bad{i}", "final_score": 1, "mos": 1} | record for i, record in enumerate(bad)]
    text = {"sample_id": "text", "final_score": "0.87 ", "mos": 3}
    file = json_lines(tmp_path / "a.jsonl", *scores(20), *odd, text)
    result = evaluated("correlation", file, "--metric", "srcc", *QUICK)
    causes = ("infinite_prediction", "missing_prediction", "missing_truth", "prediction_not_a_number")
    assert result["excluded"] == dict.fromkeys(causes, 1)
    assert (result["n_used"], result["n_total"], result["n_normalised"]) == (21, 25, 1)
    words = told("correlation", file, "--metric", "srcc", *QUICK)
    assert "21 of 25 rows used" in words
    assert "1 missing_truth" in words
    assert "numbers written as text in 1 row." in words


def test_a_broken_line_stops_with_its_row_and_is_skipped_on_request(tmp_path: Path) -> None:
    file = json_lines(tmp_path / "a.jsonl", *scores(10), '{"sample_id": "x", ')
    words = refused("correlation", file)
    assert "a.jsonl, row 11" in words
    assert "--skip-bad-rows" in words
    result = evaluated("correlation", file, "--skip-bad-rows", "--metric", "srcc", *QUICK)
    assert (result["n_used"], result["excluded"]) == (10, {"broken_row": 1})


def test_a_sample_with_two_scores_is_refused(tmp_path: Path) -> None:
    file = json_lines(tmp_path / "a.jsonl", *scores(5), {"sample_id": "s1", "final_score": 9, "mos": 1})
    assert "sample_id 's1' stands in rows 2, 6" in refused("correlation", file)


def test_columns_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    file = json_lines(tmp_path / "a.jsonl", *scores(5))
    assert "--same-scale" in refused("correlation", file, "--same-scale", "--lower-is-better")
    assert "go together" in refused("correlation", file, "--votes", "mos")
    assert "'reference'" in refused("correlation", file, "--cluster", "reference")


def test_a_shared_scale_gives_an_unmapped_rmse(tmp_path: Path) -> None:
    # Errors 1, -1, 1, -1, 2: sqrt((1 + 1 + 1 + 1 + 4) / 5) = sqrt(1.6).
    pairs = [(2, 1), (1, 2), (4, 3), (3, 4), (7, 5)]
    records = [{"sample_id": str(i), "final_score": x, "mos": y} for i, (x, y) in enumerate(pairs)]
    file = json_lines(tmp_path / "a.jsonl", *records)
    assert evaluated("correlation", file, "--same-scale", *QUICK)["rmse"] == pytest.approx(1.6**0.5, abs=1e-12)


def test_the_file_and_stdout_hold_the_same_result_and_pictures_lie_beside_it(tmp_path: Path) -> None:
    file = json_lines(tmp_path / "a.jsonl", *scores(30, kind="x"))
    output = tmp_path / "made" / "results.json"
    words = told("correlation", file, "--output", output, "--plot", "--color-by", "kind", "--metric", "srcc", *QUICK)
    written = strict(output.read_text(encoding="utf-8"))
    validator().validate(written)
    assert untimed(written) == untimed(evaluated("correlation", file, "--metric", "srcc", *QUICK))
    assert sorted(path.name for path in output.parent.iterdir()) == ["results.json", "results.png", "results.svg"]
    assert output.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    for path in output.parent.iterdir():
        assert f"Wrote {path}\n" in words
    svg = output.with_suffix(".svg").read_text(encoding="utf-8")
    assert "<svg" in svg


@pytest.mark.slow
def test_pictures_without_an_output_are_named_by_the_file_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [record | {"a/b": record["mos"], "a b": -record["mos"]} for record in scores(30)]
    file = json_lines(tmp_path / "a.jsonl", *records)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    several = ("--prediction", "a/b", "--prediction", "a b", "--prediction", "final_score")
    evaluated("correlation", file, *several, "--plot", "--metric", "srcc", *QUICK)
    names = {
        f"a_correlation_{name}{suffix}" for name in ("a_b_1", "a_b_2", "final_score") for suffix in (".png", ".svg")
    }
    assert {path.name for path in Path().iterdir()} == names


def test_a_folder_as_output_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    assert "is a folder" in refused("correlation", tmp_path / "not there.csv", "--output", tmp_path)


def test_samples_of_no_cluster_are_called_samples_and_the_json_keeps_the_method(tmp_path: Path) -> None:
    records = [record | {"reference": record["sample_id"]} for record in scores(1200)]
    file = json_lines(tmp_path / "a.jsonl", *records)
    quick = ("correlation", file, "--metric", "srcc", *QUICK)
    words = " ".join(told(*quick).split())
    assert "200 groups of 1,200 samples." in words
    assert "cluster" not in words
    assert "1200 clusters" in evaluated(*quick)["methods"]["srcc"]
    assert "200 groups of 1200 clusters." in " ".join(told(*quick, "--cluster", "reference").split())


def test_too_few_samples_for_an_interval_are_called_samples(tmp_path: Path) -> None:
    words = " ".join(told("correlation", json_lines(tmp_path / "a.jsonl", *scores(4)), "--metric", "srcc").split())
    assert "none: 4 samples, fewer than 5" in words


def test_colours_without_a_picture_are_refused(tmp_path: Path) -> None:
    assert "Add `--plot`" in refused("correlation", json_lines(tmp_path / "a.jsonl", *scores(20)), "--color-by", "kind")


def test_values_that_differ_in_their_last_digits_are_counted_and_joined_where_asked(tmp_path: Path) -> None:
    # 0.1 + 0.2 and 0.3: a mean computed in two ways.
    scores = [0.1 + 0.2, 0.3, 0.5, 0.6, 0.7, 0.9]
    path = json_lines(tmp_path / "means.jsonl", *({"prediction": one, "mos": mos} for mos, one in enumerate(scores)))
    apart = evaluated("correlation", path, "--metric", "srcc")
    [note] = [note for note in apart["notes"] if "--ties" in note]
    assert note.startswith("'prediction': 1 of 6 distinct values differ from the next by less than 1e-12 of their size")
    joined = evaluated("correlation", path, "--metric", "srcc", "--ties", "1e-12")
    assert "'prediction': 1 of 6 distinct values were joined with the next (ties 1e-12)." in joined["notes"]
    # Ranks of the predictions 2 1 3 4 5 6: 1 - 6 * 2 / 210; joined they are 1.5 1.5 3 4 5 6.
    assert apart["srcc"] == pytest.approx(1 - 12 / 210)
    assert joined["srcc"] == pytest.approx(stats.spearmanr([3, 3, 5, 6, 7, 9], range(6)).statistic)


def test_a_pipe_is_not_replaced_by_the_result(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    file = json_lines(tmp_path / "a.jsonl", *scores(20))
    assert "is no file, and would be replaced" in refused("correlation", file, "--output", tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()
