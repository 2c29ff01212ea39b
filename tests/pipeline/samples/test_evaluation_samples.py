"""The evaluation samples are repeatable and whole, and what was planted is in them."""

import json
import re
import zipfile
from pathlib import Path

import pytest
from scipy.stats import spearmanr

from analysis.accuracy.option_confusion import confusions_by_options
from pipeline.samples.evaluation import EvaluationSamples, write_evaluation_samples
from pipeline.samples.shipped import MANIFEST, SEED
from resources.errors import UserError
from resources.inputs.evaluation.files import EvaluationRead, read_evaluation_file
from tools.samples import evaluation as tool
from tools.samples.evaluation_answers import answer_records
from tools.samples.evaluation_scores import SRCC, SRCC_BY_DISTORTION, score_records


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> EvaluationSamples:
    return write_evaluation_samples(tmp_path_factory.mktemp("samples") / "evaluation")


@pytest.fixture(scope="module")
def scores(made: EvaluationSamples) -> EvaluationRead:
    return read_evaluation_file(made.scores)


@pytest.fixture(scope="module")
def answers(made: EvaluationSamples) -> EvaluationRead:
    return read_evaluation_file(made.answers)


def test_the_reader_finds_both_kinds_and_the_planted_oddities(scores, answers, made):
    truth = json.loads(made.truth.read_text())
    of_scores, of_answers = truth["sample_scores"], truth["sample_answers"]
    assert (scores.kind, answers.kind) == ("scores", "answers")
    assert scores.n_rows_in_file == of_scores["n_rows"] >= 400
    assert scores.excluded == {"missing_prediction": of_scores["n_missing_predictions"]}
    assert scores.n_normalised == of_scores["n_numbers_as_text"]
    assert answers.n_rows_in_file == len(answers.frame) == of_answers["n_rows"] == 1000
    assert (answers.n_invalid_answers, answers.n_normalised) == (of_answers["n_invalid"], of_answers["n_respelled"])


def test_references_are_25_when_letter_case_is_ignored(scores):
    references = scores.frame["field.metadata.reference"]
    assert references.str.casefold().nunique() == 25
    assert references.nunique() == 50


def test_the_scores_correlate_as_planted(scores):
    frame = scores.frame
    assert pytest.approx(0.85) == SRCC
    assert spearmanr(frame["prediction"], frame["truth"]).statistic == pytest.approx(SRCC, abs=0.03)
    for kind, rows in frame.groupby("field.distortion_type"):
        assert spearmanr(rows["prediction"], rows["truth"]).statistic == pytest.approx(
            SRCC_BY_DISTORTION[kind], abs=0.1
        )


def test_over_many_seeds_the_correlations_centre_on_the_planted_ones():
    # 40 draws of 500 pictures in 25 references: the mean's standard error is about 0.003.
    found = []
    for seed in range(40):
        rows = [row for row in score_records(seed) if isinstance(row["result"]["final_score"], float)]
        predictions = [row["result"]["final_score"] for row in rows]
        found.append(spearmanr(predictions, [row["metadata"]["mos"] for row in rows]).statistic)
    assert sum(found) / len(found) == pytest.approx(SRCC, abs=0.012)


def test_opinions_fall_from_level_to_level_and_stay_on_their_scale():
    by_series: dict[str, list[float]] = {}
    for row in score_records(3):
        by_series.setdefault(row["sample_id"][:-2], []).append(row["metadata"]["mos"])
    assert len(by_series) == 125
    assert all(opinions == sorted(opinions, reverse=True) for opinions in by_series.values())
    assert all(1 <= opinion <= 5 for opinions in by_series.values() for opinion in opinions)


def test_the_confusions_are_the_planted_ones(answers, made):
    truth = json.loads(made.truth.read_text())["sample_answers"]
    frame = answers.frame
    given = frame["prediction"].fillna(frame["answer_as_given"])
    found = confusions_by_options(frame["truth"].tolist(), given.tolist(), frame["options"].tolist())
    planted = {tuple(each["options"]): each["matrix"] for each in truth["confusion"]}
    assert {tuple(sorted(each.options)): each.n for each in found} == {("A", "B", "C", "D"): 800, ("No", "Yes"): 200}
    for each in found:
        order = next(options for options in planted if set(options) == set(each.options))
        rows = [[int(cell) for cell in each.matrix[each.options.index(option)]] for option in order]
        columns = [*(each.options.index(option) for option in order), -1]
        assert [[row[column] for column in columns] for row in rows] == planted[order]
    assert found[0].most_confused[0] == tuple(truth["most_confused"].values())


def test_the_accuracies_are_the_planted_ones(answers, made):
    truth = json.loads(made.truth.read_text())["sample_answers"]
    frame = answers.frame
    correct = (frame["prediction"] == frame["truth"]).fillna(False).astype("float64")
    assert correct.mean() == truth["accuracy"]
    for field in ("task_type", "reference_mode"):
        by_group = correct.groupby(frame[f"field.{field}"])
        assert by_group.mean().to_dict() == pytest.approx(truth[f"accuracy_by_{field}"])
        assert by_group.size().nunique() == 1


def test_invalid_answers_and_spellings_are_of_several_kinds(answers):
    frame = answers.frame
    invalid = frame.loc[frame["prediction"].isna(), "answer_as_given"]
    assert {"E", ""} <= set(invalid)
    respelled = frame.loc[frame["prediction"].notna() & (frame["prediction"] != frame["answer_as_given"])]
    forms = {re.sub("[a-d]$|[A-D]", "_", text) for text in respelled["answer_as_given"]}
    assert {"_", "_.", "(_)", "Option _"} <= forms


def test_one_paper_result_is_near_and_one_deviates(made):
    near, far = json.loads(made.baseline.read_text())
    assert set(near) == set(far) == {"dataset", "metric", "value", "model", "tools", "protocol"}
    truth = json.loads(made.truth.read_text())
    assert (near["metric"], abs(near["value"] - truth[near["dataset"]]["srcc"]) < 0.01) == ("srcc", True)
    # Three standard errors of an accuracy of 0.787 on 1,000 questions are 0.04.
    assert (far["metric"], far["value"] - truth[far["dataset"]]["accuracy"] > 0.1) == ("accuracy", True)


def test_the_folder_of_data_sets_holds_nothing_else(made):
    assert sorted(path.name for path in made.datasets.iterdir()) == ["sample_answers.jsonl", "sample_scores.jsonl"]


def test_what_ships_is_what_the_script_draws_and_another_seed_gives_other_rows(made, tmp_path):
    write_evaluation_samples(tmp_path / "again")
    drawn = {seed: tmp_path / str(seed) for seed in (SEED, 1)}
    for seed, folder in drawn.items():
        folder.mkdir()
        tool.write_all(folder, seed)
    for name in ("scores", "answers", "baseline", "truth"):
        shipped = getattr(made, name)
        inside = shipped.relative_to(made.truth.parent)
        assert (drawn[SEED] / inside).read_bytes() == shipped.read_bytes()
        assert (name in ("baseline", "truth")) == ((drawn[1] / inside).read_bytes() == shipped.read_bytes())


@pytest.mark.parametrize("seed", range(5))
def test_counts_hold_for_every_seed(seed):
    records = answer_records(seed)
    assert len({record["sample_id"] for record in records}) == 1000
    assert sum(record["prediction"] == record["answer"] for record in records) >= 787 - 60


def test_a_complete_folder_is_left_alone_and_a_broken_one_made_again(tmp_path):
    folder = tmp_path / "evaluation"
    made = write_evaluation_samples(folder)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    assert write_evaluation_samples(folder) == made
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
    whole = made.scores.read_bytes()
    made.scores.write_bytes(whole[:100])
    assert write_evaluation_samples(folder).scores.read_bytes() == whole


def test_a_run_that_dies_leaves_no_folder_and_no_scratch(tmp_path, monkeypatch):
    def dies(*_: object) -> None:
        raise RuntimeError("power cut")

    monkeypatch.setattr(zipfile.ZipFile, "extractall", dies)
    with pytest.raises(RuntimeError, match="power cut"):
        write_evaluation_samples(tmp_path / "evaluation")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_other_files_is_refused_and_left_alone(tmp_path: Path):
    (tmp_path / "my_work.txt").write_text("mine")
    with pytest.raises(UserError, match="no samples"):
        write_evaluation_samples(tmp_path)
    assert not (tmp_path / MANIFEST).exists()
