"""For each quality gate: what relies on it is withheld, nothing else is, and every other table is made."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dagster as dg
import pytest

from assets.fidelity.logic.recommendation_gates import chosen_setting
from assets.shared.gate import Kind
from pipeline.gate_list import gates
from resources.configuration.evaluation import Dataset, EvaluationGates
from resources.configuration.fidelity import FidelityThresholds
from resources.study import Study
from resources.tables.all_tables import BY_GROUP
from tests.pipeline.gate_form import tells_all_four
from tests.pipeline.spoiled_studies import ONE_SETTING, SETTING, meddled
from tests.small_datasets import evaluate, study_over, write_answers, write_scores
from tests.small_relevance import AGREED, OPPOSED, relevance_study, validate
from tests.small_series import judge_pairs, series_study
from tests.small_series import stored as stored_pairs
from tests.small_study import (
    OBJECTS,
    TABLES,
    changed,
    errors,
    launched,
    made,
    near_truth,
    stored,
    without_drawing,
    write_study,
)

pytestmark = pytest.mark.slow

# Each by itself is missed by the small study below; what relies on the first four is the recommendation.
MISSED: dict[tuple[str, str], dict[str, float]] = {
    ("judge_calls", "answers_are_valid_json"): {"json_validity": 0.99},
    ("icc_by_setting", "repeatable"): {"icc": 0.99999},
    ("stability", "repeats_agree"): {"median_mad": 0.0},
    ("human_agreement", "orders_like_people"): {"spearman": 0.9999},
    ("human_agreement", "close_to_people"): {"mae": 0.0},
}
# What the nearest setting then lacks, in the recommendation's words; null: the setting is recommended all the same.
LACKS = {
    "answers_are_valid_json": "JSON validity",
    "repeatable": "ICC(1,k)",
    "repeats_agree": "Median MAD",
    "orders_like_people": "Spearman",
    "close_to_people": None,
}
RECOMMENDED = ("recommended_setting", "a_setting_is_recommended")
SEEN = (("sensitivity", "stripes_are_seen"), ("sensitivity", "stripes_lower_the_score"))
PAIRWISE = (
    ("photo_pairs", "some_pairs_are_judged"),
    ("bradley_terry", "strengths_rest_on_all_votes"),
    ("benchmark_export", "files_are_as_written"),
)
EVALUATION = (
    ("evaluation_samples", "few_rows_are_unusable"),
    ("correlation", "srcc_is_high_enough"),
    ("mcq_confusion", "accuracy_is_high_enough"),
    ("paper_comparison", "near_the_paper"),
)
RELIABILITY = (("kappa_validation", "judges_agree"),)
# Two rules, which need no weights: a run of every method takes three times as long.
METHODS = ("sharpness_only", "contrast_only")


class Ran(NamedTuple):
    study: Study
    instance: dg.DagsterInstance
    result: dg.ExecuteInProcessResult


def missed(checks: Sequence[dg.AssetCheckEvaluation]) -> set[tuple[str, str]]:
    """The quality gates among these that failed; all that failed, advice too, say what a reader needs."""
    for check in checks:
        if not check.passed:
            tells_all_four(check)
    error = dg.AssetCheckSeverity.ERROR
    failed = [check for check in checks if not check.passed and check.severity == error]
    assert not any(check.blocking for check in failed)
    return {(check.asset_key.path[-1], check.check_name) for check in failed}


def nearly_right(object_: str, setting: str, repeat: int) -> dict[str, Any]:
    """Two objects are taken for each other, and one of sixty answers has not the form that was asked for."""
    first, second, other = OBJECTS[0][2], OBJECTS[1][2], OBJECTS[5][2]
    if (object_, repeat) == (other, 5):
        return {"state": "invalid_json", "raw_answer": "I cannot say."}
    return near_truth({first: second, second: first}.get(object_, object_), setting, repeat)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    """One setting that misses every threshold at once."""
    missing = {name: value for limits in MISSED.values() for name, value in limits.items()}
    study = write_study(
        tmp_path_factory.mktemp("missed"),
        nearly_right,
        minimum_repeats=3,
        thresholds=FidelityThresholds(**missing),
        bootstrap_resamples=100,
    )
    with dg.DagsterInstance.ephemeral() as instance, without_drawing():
        yield Ran(study, instance, launched(study, instance, ONE_SETTING))


def test_a_study_that_misses_every_threshold_has_every_table_and_no_recommendation(whole: Ran) -> None:
    assert not errors(whole.result)
    assert made(whole.result) == set(TABLES)
    assert missed(whole.result.get_asset_check_evaluations()) == {*MISSED, RECOMMENDED, *SEEN}
    chosen = chosen_setting(stored(whole.study, "recommended_setting"))
    assert (chosen.setting, chosen.nearest) == (None, SETTING)
    assert set(stored(whole.study, "golden_scores")["setting"]) == {SETTING}


@pytest.mark.parametrize("key", MISSED)
def test_each_threshold_alone_withholds_the_recommendation_at_most_and_no_table(
    whole: Ran, key: tuple[str, str]
) -> None:
    # Not tried alone are the two gates on the golden set: its stripes are too faint for this judge in every run here.
    study = changed(whole.study, thresholds=FidelityThresholds(**MISSED[key]))
    with without_drawing():
        result = launched(study, whole.instance, ONE_SETTING)
    assert not errors(result)
    assert made(result) == set(TABLES)
    lacks = LACKS[key[1]]
    withheld = {RECOMMENDED} if lacks else set()
    assert missed(result.get_asset_check_evaluations()) == {key, *withheld, *SEEN}
    rows = stored(study, "recommended_setting")
    chosen = chosen_setting(rows)
    assert (chosen.setting, chosen.nearest) == ((None, SETTING) if lacks else (SETTING, None))
    told = str(rows.set_index("setting")["failed"][SETTING])
    assert {words for words in LACKS.values() if words and words in told} == ({lacks} if lacks else set())
    # Golden set and report go on with the nearest setting; the report recommends none.
    assert set(stored(study, "golden_scores")["setting"]) == {SETTING}
    assert stored(study, "fidelity_report")["recommended"].dropna().tolist() == ([] if lacks else [SETTING])


def test_without_a_pair_to_judge_there_are_no_predictions_and_strengths_are_made(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = series_study(tmp_path, min_agreement=1.0, bootstrap_resamples=100)
    outcome = judge_pairs(study, instance, *METHODS)
    assert (outcome.succeeded, set(outcome.tables)) == (True, set(BY_GROUP["pairwise"]))
    assert missed(outcome.checks) == {PAIRWISE[0]}
    assert not sum(len(stored_pairs(study, "pairwise_results", name)) for name in METHODS)
    assert stored_pairs(study, "method_metrics")["accuracy"].isna().all()
    assert len(stored_pairs(study, "bradley_terry")) == 24


def test_wrong_strengths_and_changed_files_are_told_and_withhold_nothing(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = series_study(tmp_path, bootstrap_resamples=100)

    def change_a_file() -> None:
        path = Path(stored_pairs(study, "benchmark_export")["path"].iloc[0])
        path.write_text(path.read_text() + "\n")

    with meddled({"benchmark_export": change_a_file}, {"bradley_terry": lambda made: made.assign(n_votes=1)}):
        outcome = judge_pairs(study, instance, *METHODS)
    assert (outcome.succeeded, set(outcome.tables)) == (True, set(BY_GROUP["pairwise"]))
    assert missed(outcome.checks) == set(PAIRWISE[1:])


def test_data_sets_that_miss_their_minimum_have_every_table(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    limits = EvaluationGates(min_srcc=0.99, max_paper_deviation=0.05)
    (tmp_path / "baseline.json").write_text('[{"dataset": "pictures", "metric": "SRCC", "value": 0.5, "model": "m"}]')
    datasets = {
        "pictures": Dataset(file=write_scores(tmp_path / "scores.csv"), gates=limits),
        "questions": Dataset(file=write_answers(tmp_path / "answers.jsonl"), gates=EvaluationGates(min_accuracy=0.8)),
    }
    with datasets["pictures"].file.open("a") as file:  # type: ignore[union-attr]
        file.write("without,,3,,\n")
    study = study_over(tmp_path, datasets, baseline=tmp_path / "baseline.json", max_unusable_share=0.0)
    outcome = evaluate(study, instance)
    assert (outcome.succeeded, set(outcome.tables)) == (True, set(BY_GROUP["evaluation"]))
    assert missed(outcome.checks) == set(EVALUATION)


def test_judges_that_disagree_withhold_ground_truth_and_nothing_else(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    every = set(BY_GROUP["reliability"])
    for folder, first, withheld in (
        ("apart", [AGREED] * 3 + [OPPOSED] * 3, {"ground_truth"}),
        ("alike", [AGREED] * 6, set()),
    ):
        (tmp_path / folder).mkdir()
        study = relevance_study(tmp_path / folder, first)
        outcome = validate(study, instance)
        assert (outcome.succeeded, set(outcome.tables)) == (True, every - withheld)
        assert missed(outcome.checks) == (set(RELIABILITY) if withheld else set())
        study.engine.dispose()


def test_every_quality_gate_has_such_a_proof() -> None:
    proven = {*MISSED, RECOMMENDED, *SEEN, *PAIRWISE, *EVALUATION, *RELIABILITY}
    assert proven == {(one.table, one.name) for one in gates() if one.kind == Kind.QUALITY}
