"""Which tables are out of date: the same ones as Dagster's own answer, whatever changed."""

from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleStatus
from dagster._core.loader import LoadingContextForTest

from assets.shared.partitions import DATASETS
from pipeline.definitions import definitions_of
from pipeline.staleness import latest_of_each, table_states
from resources.configuration.evaluation import Dataset
from resources.study import Study
from tests.small_datasets import evaluate, study_over, write_answers, write_scores
from tests.small_study import KEYS, changed, errors, run, run_one, write_study
from tests.statements import statements

UP_TO_MATCHES = ("human_scores", "study_objects", "judge_calls", "score_matrix", "matched_scores", "stability")


def ours(study: Study, instance: dg.DagsterInstance) -> dict[str, set[str | None]]:
    states = table_states(instance, definitions_of(study).resolve_asset_graph())
    return {key.path[-1]: set(state.outdated) for key, state in states.items() if state.outdated}


def dagsters(study: Study, instance: dg.DagsterInstance) -> dict[str, set[str | None]]:
    graph = definitions_of(study).resolve_asset_graph()
    resolver = CachingStaleStatusResolver(instance, graph, LoadingContextForTest(instance))
    found: dict[str, set[str | None]] = {}
    for key, state in table_states(instance, graph).items():
        for partition in state.partitions:
            if resolver.get_status(key, partition) == StaleStatus.STALE:
                found.setdefault(key.path[-1], set()).add(partition)
    return found


def other_scores(study: Study) -> None:
    path = study.fidelity.human_scores
    path.write_text(path.read_text(encoding="utf-8-sig").replace("0.190", "0.195"), encoding="utf-8-sig")


def nothing(study: Study, _instance: dg.DagsterInstance) -> Study:
    return study


def new_scores_read(study: Study, instance: dg.DagsterInstance) -> Study:
    other_scores(study)
    assert not errors(run_one(study, instance, KEYS[1], ("score_file", "human_scores")))
    return study


def new_scores_observed(study: Study, instance: dg.DagsterInstance) -> Study:
    other_scores(study)
    assert not errors(run_one(study, instance, KEYS[1], ("score_file",)))
    return study


def another_plan(study: Study, _instance: dg.DagsterInstance) -> Study:
    return changed(study, aggregate="median")


def one_setting_again(study: Study, instance: dg.DagsterInstance) -> Study:
    assert not errors(run_one(study, instance, KEYS[2], ("score_matrix",)))
    return study


@pytest.mark.slow
@pytest.mark.parametrize("change", [nothing, new_scores_read, new_scores_observed, another_plan, one_setting_again])
def test_the_command_line_calls_out_of_date_what_the_ui_does(
    tmp_path: Path, instance: dg.DagsterInstance, change: Callable[[Study, dg.DagsterInstance], Study]
) -> None:
    study = write_study(tmp_path)
    assert not errors(run(study, instance, (KEYS[1], KEYS[2]), ("score_file", *UP_TO_MATCHES)))
    study = change(study, instance)
    found = ours(study, instance)
    assert found == dagsters(study, instance)
    assert bool(found) == (change is not nothing)


@pytest.mark.slow
def test_a_table_that_was_read_before_its_source_changed_says_why(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = write_study(tmp_path)
    assert not errors(run(study, instance, (KEYS[1], KEYS[2]), ("score_file", *UP_TO_MATCHES)))
    new_scores_read(study, instance)
    states = table_states(instance, definitions_of(study).resolve_asset_graph())
    assert states[dg.AssetKey("study_objects")].outdated == {None: "human_scores changed"}
    assert set(states[dg.AssetKey("matched_scores")].outdated) == set(KEYS[1:3])
    assert not states[dg.AssetKey("human_scores")].outdated


@pytest.mark.slow
def test_of_data_sets_only_the_one_whose_file_changed_is_out_of_date(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    scores = write_scores(tmp_path / "scores.csv")
    datasets = {"scores": Dataset(file=scores), "answers": Dataset(file=write_answers(tmp_path / "answers.jsonl"))}
    study = study_over(tmp_path, datasets)
    assert evaluate(study, instance).succeeded
    assert ours(study, instance) == dagsters(study, instance) == {}
    write_scores(scores, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    job = definitions_of(study).resolve_job_def("evaluation")
    only = [dg.AssetKey("dataset_files"), dg.AssetKey("evaluation_samples")]
    assert job.execute_in_process(instance=instance, partition_key="scores", asset_selection=only).success
    found = ours(study, instance)
    assert found == dagsters(study, instance)
    assert found["correlation"] == {"scores"}
    assert found["evaluation_summary"] == {None}
    assert "answers" not in set().union(*found.values())


@pytest.mark.slow
def test_a_data_set_keeps_its_observation_however_often_others_were_observed_since(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    datasets = {name: Dataset(file=write_scores(tmp_path / f"{name}.csv")) for name in ("quiet", "busy")}
    study = study_over(tmp_path, datasets)
    job = definitions_of(study).resolve_job_def("evaluation")
    instance.add_dynamic_partitions(DATASETS.name or "", list(datasets))
    only = [dg.AssetKey("dataset_files"), dg.AssetKey("evaluation_samples")]
    assert job.execute_in_process(instance=instance, partition_key="quiet", asset_selection=only).success
    for number in range(1001):
        tags = {"dagster/data_version": str(number)}
        instance.report_runless_asset_event(dg.AssetObservation("dataset_files", partition="busy", tags=tags))
    assert "evaluation_samples" not in ours(study, instance)


def test_the_latest_event_of_each_partition_is_dagsters_and_takes_a_few_questions_for_all_tables(
    sqlite_instance: dg.DagsterInstance,
) -> None:
    whole, parted, wiped = (dg.AssetKey(name) for name in ("whole", "parted", "wiped"))
    parts = [f"part_{number}" for number in range(600)]
    for key, partition in [(whole, None), (wiped, None), *((parted, one) for one in [*parts[:9], *parts[4:]])]:
        sqlite_instance.report_runless_asset_event(dg.AssetMaterialization(key, partition=partition))
    sqlite_instance.wipe_assets([wiped])
    kind = dg.DagsterEventType.ASSET_MATERIALIZATION
    with statements() as asked:
        found = latest_of_each(sqlite_instance, {whole: (None,), wiped: (None,), parted: parts[1:]}, kind)
    # Which are the latest, what was wiped, and twice the events themselves: 500 and 100 of them.
    assert len([one for one in asked if one.startswith("SELECT")]) == 4
    assert list(found[whole]) == [None]
    assert found[wiped] == {}
    assert list(found[parted]) == parts[1:]
    for part in (parts[1], parts[5], parts[599]):
        wanted = dg.AssetRecordsFilter(parted, asset_partitions=[part])
        assert found[parted][part] == sqlite_instance.fetch_materializations(wanted, limit=1).records[0]
