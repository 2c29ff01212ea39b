"""Study C through Dagster: from files to tables and gates."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import dagster as dg
import pytest
from rich.console import Console

from pipeline.command_line.evaluation_summary import show_evaluation
from resources.configuration.evaluation import Dataset, EvaluationGates
from resources.errors import UserError
from resources.inputs.evaluation.known_datasets import known_datasets
from resources.runtime.file_hash import sha256_of_file
from resources.study import Study
from tests.reports.fidelity.test_fidelity_page import words
from tests.small_datasets import QUESTIONS, SRCC, TRUTHS, evaluate, stored, study_over, write_answers, write_scores

pytestmark = pytest.mark.usefixtures("pages")
GATES = EvaluationGates(min_srcc=0.9, min_accuracy=0.8, max_paper_deviation=0.05)


@pytest.fixture(scope="module")
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as one:
        yield one


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, instance: dg.DagsterInstance) -> tuple[Study, list[str]]:
    folder = tmp_path_factory.mktemp("evaluation")
    scores, answers = write_scores(folder / "scores.csv"), write_answers(folder / "answers.jsonl")
    (folder / "baseline.json").write_text(
        '[{"dataset": "pictures", "metric": "SRCC", "value": 0.97, "model": "m"},'
        ' {"dataset": "questions", "metric": "accuracy", "value": 0.9},'
        ' {"dataset": "questions", "metric": "f1", "value": 0.9}]'
    )
    datasets = {
        "pictures": Dataset(file=scores, group_by=(("kind",),), gates=GATES),
        "inverted": Dataset(file=scores, higher_is_better=False),
        "questions": Dataset(file=answers, gates=GATES),
    }
    study = study_over(folder, datasets, baseline=folder / "baseline.json")
    outcome = evaluate(study, instance)
    assert outcome.succeeded, outcome.other_errors
    failed = [f"{check.name} {name}" for check, gate in outcome.by_partition.items() for name in gate.failing]
    return study, failed


def test_the_correlation_is_the_hand_worked_one(made: tuple[Study, list[str]]) -> None:
    frame = stored(made[0], "correlation", "pictures").set_index("statistic")
    assert frame.loc["srcc", "value"] == pytest.approx(SRCC, abs=1e-12)
    assert frame.loc["srcc", "n_used"] == frame.loc["srcc", "n_total"] == len(TRUTHS)


def test_a_metric_whose_direction_is_turned_has_the_opposite_correlation(made: tuple[Study, list[str]]) -> None:
    row = stored(made[0], "correlation", "inverted").set_index("statistic").loc["srcc"]
    assert row["value"] == pytest.approx(-SRCC, abs=1e-12)
    assert row["value_as_given"] == pytest.approx(SRCC, abs=1e-12)


def test_scores_have_no_confusion_and_answers_no_correlation(made: tuple[Study, list[str]]) -> None:
    assert stored(made[0], "mcq_confusion", "pictures").empty
    assert stored(made[0], "correlation", "questions").empty


def test_the_confusion_counts_every_question_and_ranks_the_pairs(made: tuple[Study, list[str]]) -> None:
    frame = stored(made[0], "mcq_confusion", "questions")
    assert frame["count"].sum() == len(QUESTIONS)
    [most] = frame[frame["rank_of_confusion"] == 1].to_dict("records")
    assert (most["truth"], most["prediction"], most["count"]) == ("B", "C", 2)
    invalid = frame[frame["prediction"] == "invalid"].set_index("truth")["count"]
    assert invalid["D"] == 1


def test_precision_and_recall_of_an_option(made: tuple[Study, list[str]]) -> None:
    rates = stored(made[0], "option_rates", "questions").set_index("option")
    # C was the answer 4 times and right twice; B was the truth 3 times and found once.
    assert rates.loc["C", "precision"] == pytest.approx(2 / 4)
    assert rates.loc["B", "recall"] == pytest.approx(1 / 3)
    assert rates.loc["C", "excess"] == 2


def test_groups_stand_below_the_whole(made: tuple[Study, list[str]]) -> None:
    frame = stored(made[0], "category_breakdown", "pictures")
    assert frame["group"].tolist() == ["(all)", "blur", "noise"]
    assert frame["level"].tolist() == [0, 1, 1]
    assert frame["small"].all()
    assert frame["value"].iloc[1] == pytest.approx(1.0)  # 1, 2, 3, 5 rise as 1, 2, 3, 4 do


def test_the_papers_numbers_stand_beside_ours(made: tuple[Study, list[str]]) -> None:
    [row] = stored(made[0], "paper_comparison", "pictures").to_dict("records")
    assert row["delta"] == pytest.approx(SRCC - 0.97, abs=1e-12)
    assert row["direction"] == "above"
    rows = stored(made[0], "paper_comparison", "questions").set_index("statistic")
    assert rows.loc["accuracy", "delta"] == pytest.approx(0.6 + 0.1 - 0.9)
    assert "has no f1" in rows.loc["f1", "undefined"]


def test_metrics_on_the_same_samples_are_held_against_each_other(made: tuple[Study, list[str]]) -> None:
    rows = stored(made[0], "metric_comparison").set_index("statistic")
    assert rows.loc["srcc", "difference"] == pytest.approx(-2 * SRCC, abs=1e-12)
    assert set(rows["first"]) == {"inverted"}
    assert set(rows["second"]) == {"pictures"}


def test_the_summary_has_every_data_set_and_no_mean_over_the_same_samples(made: tuple[Study, list[str]]) -> None:
    frame = stored(made[0], "evaluation_summary").set_index(["dataset", "statistic"])
    assert frame.loc[("questions", "accuracy"), "value"] == pytest.approx(0.7)
    assert set(frame.index.get_level_values("dataset")) == {"pictures", "inverted", "questions"}
    console = Console(file=StringIO(), width=100)
    show_evaluation(made[0].home, console)
    words = console.file.getvalue()  # type: ignore[attr-defined]
    assert "No mean of srcc, plcc, krcc: the data sets are of the same samples." in words
    assert "Over the data sets" not in words


def test_a_table_that_a_data_set_has_not_says_why(made: tuple[Study, list[str]], instance: dg.DagsterInstance) -> None:
    def note(table: str, dataset: str) -> object:
        wanted = dg.AssetRecordsFilter(asset_key=dg.AssetKey(table), asset_partitions=[dataset])
        [record] = instance.fetch_materializations(wanted, limit=1).records
        assert record.asset_materialization is not None
        value = record.asset_materialization.metadata.get("note")
        return value.value if value else None

    assert note("correlation", "questions") == "no scores"
    assert note("mcq_confusion", "pictures") == note("option_rates", "pictures") == "not multiple choice"
    assert note("correlation", "pictures") is note("mcq_confusion", "questions") is None


def test_gates_are_asked_of_the_data_sets_that_set_them(made: tuple[Study, list[str]]) -> None:
    # Accuracy 0.7 misses 0.8 and lies 0.2 below the paper's 0.9; the small sample proves no SRCC of 0.9.
    assert "accuracy_is_high_enough questions" in made[1]
    assert "near_the_paper questions" in made[1]
    assert "srcc_is_high_enough pictures" not in made[1]
    assert not any("inverted" in name for name in made[1])


def test_each_data_set_has_one_strict_json_and_its_pictures(made: tuple[Study, list[str]]) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    folder = made[0].home.outputs / "evaluation"
    pictures = json.loads((folder / "pictures" / "results.json").read_text(), parse_constant=refuse)
    assert pictures["srcc"] == pytest.approx(SRCC, abs=1e-12)
    assert pictures["srcc_ci"][0] <= pictures["srcc"] <= pictures["srcc_ci"][1]
    assert pictures["paper_comparison"][0]["paper_value"] == 0.97
    questions = json.loads((folder / "questions" / "results.json").read_text(), parse_constant=refuse)
    assert "srcc" not in questions
    assert sum(cell["count"] for cell in questions["mcq_confusion"]) == len(QUESTIONS)
    for name in ("pictures/scatter", "pictures/groups", "questions/confusion"):
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (folder / f"{name}.svg").read_text()


def test_a_data_set_that_is_not_there_is_refused_with_the_nearest(
    made: tuple[Study, list[str]], instance: dg.DagsterInstance
) -> None:
    with pytest.raises(UserError, match=r"no data set 'picture' \(did you mean 'pictures'\?\)"):
        evaluate(made[0], instance, "picture")


@pytest.mark.slow
def test_a_broken_file_leaves_the_tables_as_they_were(tmp_path: Path) -> None:
    study = study_over(tmp_path, {"pictures": Dataset(file=write_scores(tmp_path / "scores.csv"))})
    with dg.DagsterInstance.ephemeral() as instance:
        assert evaluate(study, instance).succeeded
        before = {path: path.read_bytes() for path in Path(study.home.tables).rglob("*.parquet")}
        (tmp_path / "scores.csv").write_text("sample_id,final_score,mos\ns1,0.5,1\ns1,0.6,1\n")
        outcome = evaluate(study, instance)
    assert not outcome.succeeded
    assert "s1" in outcome.user_errors[0]
    assert "scores.csv" in outcome.user_errors[0]
    kept = {path: path.read_bytes() for path in before if path.name == "pictures.parquet"}
    assert kept == {path: content for path, content in before.items() if path.name == "pictures.parquet"}


@pytest.mark.slow
def test_one_bad_file_leaves_the_others_their_summary(tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("nothing,known\n1,2\n")
    datasets = {"good": Dataset(file=write_scores(tmp_path / "good.csv")), "bad": Dataset(file=bad)}
    study = study_over(tmp_path, datasets)
    with dg.DagsterInstance.ephemeral() as instance:
        outcome = evaluate(study, instance)
    assert len(outcome.user_errors) == 1
    assert "bad.csv" in outcome.user_errors[0]
    assert not outcome.other_errors
    assert set(stored(study, "evaluation_summary")["dataset"]) == {"good"}
    assert (study.home.outputs / "evaluation" / "good" / "results.json").is_file()


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "inbox").mkdir()
    write_scores(tmp_path / "inbox" / "same.csv")
    write_answers(tmp_path / "inbox" / "same.jsonl")
    study = study_over(tmp_path, {}, inbox=tmp_path / "inbox")
    with pytest.raises(UserError, match="one data set by name"):
        known_datasets(study.evaluation)


def test_the_report_shows_every_data_set_in_both_languages_and_where_it_comes_from(
    made: tuple[Study, list[str]],
) -> None:
    study, _ = made
    [row] = stored(study, "evaluation_report").to_dict("records")
    assert row["n_datasets"] == 3
    page = Path(row["path"]).read_text(encoding="utf-8")
    english, italian = words(page), words(page, "it")
    scores = study.evaluation.datasets["pictures"].file
    assert scores is not None
    for said in ("pictures: SRCC", "questions: accuracy 0.700", "10 of 10 rows", sha256_of_file(scores)):
        assert said in english
    assert "questions: accuratezza 0,700" in italian
    # Scores against means have a verdict, answers with a key have none.
    verdict = stored(study, "evaluation_trust_verdict")
    assert "questions" not in set(verdict["judge"])
    assert ("cannot say" in english, "non si può dire" in italian) == (True, True)
    assert "Confronto con articoli" in italian


def test_the_json_of_a_data_set_names_its_own_file_and_run(made: tuple[Study, list[str]]) -> None:
    study, _ = made
    file = study.evaluation.datasets["questions"].file
    assert file is not None
    found = json.loads((study.home.outputs / "evaluation" / "questions" / "results.json").read_text())["provenance"]
    assert found["inputs_sha256"] == {"questions": sha256_of_file(file)}
    assert found["run_id"]
    assert found["seed"] == study.evaluation.seed
