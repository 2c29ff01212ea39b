"""A changed judge, prompt, threshold, method or weights file starts what is made from it, and nothing else."""

from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from safetensors.numpy import save_file

from pipeline.code_versions import fact
from pipeline.definitions import definitions_of
from pipeline.input_watch import partition_tags
from pipeline.runs import QUIET
from resources.configuration.evaluation import Dataset, EvaluationGates
from resources.configuration.fidelity import FidelityThresholds, ReplayJudge, RubricWeights
from resources.configuration.openai_judge import ModelJudge, OpenAIJudge, Price
from resources.configuration.pairwise import ClipModel
from resources.configuration.reliability import ReliabilityGate
from resources.configuration.task import Task
from resources.inputs.input_versions import INDEX
from resources.study import Study
from tests.small_datasets import study_over, write_answers, write_scores
from tests.small_relevance import AGREED, JUDGES, OPPOSED, relevance_study
from tests.small_relevance import write_answers as write_said
from tests.small_series import series_study
from tests.small_study import changed, described, write_study


def versions(study: Study) -> dict[str, str]:
    """The code version of every table."""
    specs = definitions_of(study).resolve_all_asset_specs()
    return {spec.key.path[-1]: spec.code_version for spec in specs if spec.code_version}


def differ(before: Study, after: Study) -> set[str]:
    """Tables whose code version is another."""
    old, new = versions(before), versions(after)
    assert old.keys() == new.keys()
    return {name for name in old if old[name] != new[name]}


# What asks the judge; others follow these.
ASKING = {"judge_calls", "golden_scores", "anchor_scores"}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"judge": {"kind": "local"}}, ASKING),
        ({"rubric_weights": RubricWeights(color_palette=10)}, ASKING),
        (
            {"thresholds": FidelityThresholds(dose_response_r2=0.7)},
            {"dose_response", "setting_summary", "sensitivity", "fidelity_report"},
        ),
        (
            {"thresholds": FidelityThresholds(icc=0.9)},
            {
                *("icc_by_setting", "setting_summary", "recommended_setting", "sensitivity"),
                *("fidelity_trust_verdict", "fidelity_report"),
            },
        ),
        ({"score_max": 100.0}, {"human_scores"}),
        (
            {"annotators": "crowd"},
            {"annotator_test", "fidelity_trust_verdict", "judge_comparison", "fidelity_report"},
        ),
        # The order in which a judge is asked changes no answer.
        (
            {"seed": 7},
            {
                *("icc_by_setting", "retried_calls", "human_agreement", "few_labels", "setting_summary"),
                *("recommended_setting", "golden_images", "sensitivity", "dose_response", "anchor_scores", "drift"),
                "subscore_sensitivity",
                *("fidelity_trust_verdict", "judge_comparison", "fidelity_report"),
            },
        ),
        ({}, set()),
    ],
)
def test_a_change_of_study_a_is_one_of_the_tables_that_read_it(
    tmp_path: Path, change: dict[str, Any], expected: set[str]
) -> None:
    study = write_study(tmp_path)
    assert differ(study, changed(study, **change)) == expected


def test_another_recording_is_another_judge_and_the_same_one_elsewhere_is_not(tmp_path: Path) -> None:
    study = write_study(tmp_path)
    moved = tmp_path / "moved.jsonl"
    moved.write_bytes((tmp_path / "calls.jsonl").read_bytes())
    elsewhere = changed(study, judge=ReplayJudge(kind="replay", path=moved))
    assert differ(study, elsewhere) == set()
    before = versions(elsewhere)
    moved.write_text(moved.read_text().replace("coarser", "finer"))
    assert {name for name, version in versions(elsewhere).items() if version != before[name]} == ASKING


def test_own_golden_pairs_are_known_by_what_the_file_says_and_a_study_without_keeps_its_versions(
    tmp_path: Path,
) -> None:
    study = write_study(tmp_path)
    assert "pairs" not in fact(study, "fidelity", "golden")
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("object,altered,kind\n")
    own = changed(study, golden=study.fidelity.golden.model_copy(update={"pairs": pairs}))
    before = versions(own)
    assert differ(study, own) == {"study_objects", "golden_images", "fidelity_report"}
    pairs.write_text("object,altered,kind\na,b.png,scratch\n")
    assert {name for name, said in versions(own).items() if said != before[name]} == {
        "golden_images",
        "fidelity_report",
    }


def test_what_a_judge_costs_and_how_fast_it_is_asked_changes_no_answer(tmp_path: Path) -> None:
    study = described(tmp_path, judge=OpenAIJudge(kind="openai", model="m"))
    dear = described(tmp_path, judge=OpenAIJudge(kind="openai", model="m", budget_usd=5, concurrency=2, timeout_s=9))
    assert differ(study, dear) == set()
    assert differ(study, described(tmp_path, judge=OpenAIJudge(kind="openai", model="n"))) == ASKING


def test_a_price_that_was_looked_up_is_checked_again_and_asks_nobody(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("models: []\n")
    judge = OpenAIJudge(kind="openai", model="m", prices=prices)
    study = described(tmp_path, judge=judge)
    priced = judge.model_copy(update={"price": Price(input=2.5, output=10)})
    assert differ(study, described(tmp_path, judge=priced)) == {"judge_calls"}
    before = versions(study)
    prices.write_text("models: [] # read again\n")
    assert {name for name, version in versions(study).items() if version != before[name]} == {"judge_calls"}


def test_the_models_name_in_the_environment_is_a_part_of_the_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = described(tmp_path, judge=OpenAIJudge(kind="openai"))
    monkeypatch.setenv("OPENAI_MODEL", "first")
    before = versions(study)
    monkeypatch.setenv("OPENAI_MODEL", "second")
    assert {name for name, version in versions(study).items() if version != before[name]} == ASKING


def test_other_weights_are_measured_anew(tmp_path: Path) -> None:
    import numpy as np

    weights = tmp_path / "clip.safetensors"
    save_file({"weight": np.zeros(2, np.float32)}, weights)
    study = series_study(tmp_path, clip_model=ClipModel(weights=weights))
    before = versions(study)
    save_file({"weight": np.ones(2, np.float32)}, weights)
    assert {name for name, version in versions(study).items() if version != before[name]} == {"image_features"}


def test_what_changes_no_number_starts_nothing_in_study_b_but_the_export_that_quotes_it(tmp_path: Path) -> None:
    study = series_study(tmp_path)
    section = study.pairwise.model_copy(update={"decoding_threads": 2})
    assert differ(study, Study("small", None, study.home, pairwise_section=section)) == {"benchmark_export"}


def test_what_is_set_for_one_data_set_is_no_change_of_the_others(tmp_path: Path) -> None:
    scores = Dataset(file=write_scores(tmp_path / "scores.csv"))
    answers = Dataset(
        file=write_answers(tmp_path / "answers.jsonl"), prediction="said", gates=EvaluationGates(min_accuracy=0.5)
    )
    one = study_over(tmp_path, {"s": scores})
    assert differ(one, study_over(tmp_path, {"s": scores, "a": answers}, defaults=Dataset(mapping="cubic"))) == set()
    assert differ(one, study_over(tmp_path, {"s": scores}, confidence=0.9)) == {
        *("correlation", "category_breakdown", "metric_comparison"),
        *("evaluation_trust_verdict", "evaluation_report"),
    }


def test_a_prompt_of_ones_own_counts_by_what_it_says_and_not_by_its_place(tmp_path: Path) -> None:
    study = write_study(tmp_path)

    def judged_by(path: Path, text: str) -> Study:
        path.write_text(text)
        task = Task(prompt=path, scale=(1.0, 5.0))
        return changed(study, judge=ModelJudge(kind="model", model="openai:m", task=task))

    one = judged_by(tmp_path / "one.txt", "{images} Rate from 1 to 5.")
    assert differ(one, judged_by(tmp_path / "two.txt", "{images} Rate from 1 to 5.")) == set()
    assert differ(one, judged_by(tmp_path / "three.txt", "{images} Rate it from 1 to 5.")) == ASKING


def test_a_threshold_and_a_prompt_of_study_d_start_what_reads_them(tmp_path: Path) -> None:
    study = relevance_study(tmp_path, [AGREED] * 2)

    def with_(**change: Any) -> Study:
        section = study.reliability.model_copy(update=change)
        return Study("small", None, study.home, reliability_section=section)

    gate = {"gate": ReliabilityGate(min_macro=0.8)}
    # The gate decides which pair of judges the verdict is of.
    of_the_pair = {"judge_agreement", "low_kappa_profile", "reliability_trust_verdict"}
    assert differ(study, with_(**gate)) == of_the_pair | {"kappa_validation", "reliability_report"}
    assert differ(study, with_(prompt_version="v0")) == {"query_documents"}, "the scores of the input are under it"
    prompt = tmp_path / "mine.txt"
    prompt.write_text("Answer with one number.")
    asked = {"judges": dict.fromkeys(("a", "b"), OpenAIJudge(kind="openai", model="m")), "prompt_version": "mine"}
    own = with_(**asked, prompts={"mine": prompt})
    before = versions(own)
    prompt.write_text("Answer with one number from 0 to 1.")
    assert {name for name, version in versions(own).items() if version != before[name]} == {"judgments"}
    study.engine.dispose()


def test_a_memory_of_hashes_that_cannot_be_used_keeps_nobody_from_the_graph(tmp_path: Path) -> None:
    study = write_study(tmp_path)
    before = versions(study)
    study.home.claim(study.name)
    (study.home.local / INDEX).write_bytes(b"damaged" * 1000)
    assert versions(study) == before


def refreshed(study: Study, instance: dg.DagsterInstance, cursor: Any) -> tuple[set[str], Any]:
    """The tables that one tick of the refresh rule asks for."""
    definitions = definitions_of(study)
    found = dg.evaluate_automation_conditions(definitions, instance, cursor=cursor)
    keys = definitions.resolve_asset_graph().materializable_asset_keys
    return {key.path[-1] for key in keys if found.get_num_requested(key)}, found.cursor


@pytest.mark.slow
def test_the_refresh_rule_starts_what_a_changed_gate_decides_once(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = relevance_study(tmp_path, [AGREED] * 5 + [OPPOSED] * 5)
    job = definitions_of(study).resolve_job_def("reliability")
    assert job.execute_in_process(run_config=QUIET, instance=instance, tags=partition_tags("reliability")).success
    asked, cursor = refreshed(study, instance, None)
    assert asked == set()
    study.reliability_section = study.reliability.model_copy(update={"gate": ReliabilityGate(min_macro=0.8)})
    asked, cursor = refreshed(study, instance, cursor)
    # What is made from the verdict follows it in the same run.
    assert asked == {
        *("judge_agreement", "low_kappa_profile", "reliability_trust_verdict"),
        *("kappa_validation", "recalibration", "reliability_report"),
    }
    asked, _ = refreshed(study, instance, cursor)
    assert asked == set()
    study.engine.dispose()


@pytest.mark.slow
def test_a_changed_paid_judge_is_started_by_a_daily_budget_only(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    kinds = [AGREED] * 5 + [OPPOSED] * 5
    answers = {"kind": "recorded", "path": str(write_said(tmp_path / "said.jsonl", kinds, "v1"))}
    study = relevance_study(tmp_path, kinds, judges=dict.fromkeys(JUDGES, answers))
    job = definitions_of(study).resolve_job_def("reliability")
    assert job.execute_in_process(run_config=QUIET, instance=instance).success
    _, cursor = refreshed(study, instance, None)

    def judged_by(**money: float) -> Study:
        judges = dict.fromkeys(JUDGES, OpenAIJudge(kind="openai", model="m", **money))
        section = study.reliability.model_copy(update={"judges": judges})
        return Study("small", None, study.home, reliability_section=section)

    asked, _ = refreshed(judged_by(), instance, cursor)
    assert asked == set()
    asked, _ = refreshed(judged_by(auto_budget_usd_per_day=2.0), instance, cursor)
    assert "judgments" in asked
    study.engine.dispose()
