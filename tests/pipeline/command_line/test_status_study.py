"""What the state of a study hangs on: its last run and its gates, whatever else ran and whatever is gone."""

from io import StringIO
from pathlib import Path

import dagster as dg
import pytest
from rich.console import Console

from assets.shared.partitions import DATASETS
from pipeline.automation import partitions_between
from pipeline.command_line.study_state import FAIL, StudyState, failed, gate_states, last_run
from pipeline.command_line.summary import show_outcome
from pipeline.definitions import definitions_of
from pipeline.instance import KILLED
from pipeline.runs import QUIET, Outcome, run_evaluation
from pipeline.staleness import table_states
from resources.configuration.evaluation import Dataset, EvaluationGates
from resources.study import Study
from tests.small_datasets import TRUTHS, study_over, write_scores

pytestmark = pytest.mark.slow


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """Two data sets in an inbox, whose correlation is lower than is asked for."""
    (tmp_path / "inbox").mkdir()
    for name in ("one", "two"):
        write_scores(tmp_path / "inbox" / f"{name}.csv")
    return study_over(tmp_path, {}, inbox=tmp_path / "inbox", defaults=Dataset(gates=EvaluationGates(min_srcc=0.999)))


def evaluated(study: Study, instance: dg.DagsterInstance, name: str) -> bool:
    instance.add_dynamic_partitions(DATASETS.name or "", [name])
    job = definitions_of(study).resolve_job_def("evaluation")
    return job.execute_in_process(instance=instance, run_config=QUIET, partition_key=name, raise_on_error=False).success


def test_a_failed_run_is_not_lost_behind_a_hundred_of_another_study(instance: dg.DagsterInstance) -> None:
    @dg.job
    def fidelity() -> None: ...

    @dg.job
    def evaluation() -> None: ...

    instance.create_run_for_job(fidelity, status=dg.DagsterRunStatus.FAILURE)
    for _ in range(101):
        instance.create_run_for_job(evaluation, status=dg.DagsterRunStatus.SUCCESS)
    run = last_run(instance, {"fidelity", "watch_drift"}, {})
    assert run is not None
    assert (run.job, run.status) == ("fidelity", "FAILURE")


def test_a_run_that_was_killed_is_gone_on_with_and_one_that_failed_has_said_why(instance: dg.DagsterInstance) -> None:
    @dg.job
    def fidelity() -> None: ...

    def next_step() -> str:
        run = last_run(instance, {"fidelity"}, {})
        return StudyState("fidelity", {}, {}, run, "", "").next_step

    def end(words: str) -> None:
        run = instance.create_run_for_job(fidelity, status=dg.DagsterRunStatus.STARTED)
        instance.report_run_failed(run, words)

    end("Dagster's own words.")
    assert next_step() == "The last run failed. Fix what it said, then: touchstone run fidelity"
    end(KILLED)
    assert next_step() == "The last run was killed; what it finished is kept. Go on: touchstone run fidelity"


def test_a_data_set_that_failed_counts_until_it_is_made_whatever_ran_since(
    study: Study, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    def state() -> tuple[str, str | None]:
        run = last_run(instance, {"evaluation"}, table_states(instance, definitions_of(study).resolve_asset_graph()))
        assert run is not None
        return run.status, run.partition

    (tmp_path / "inbox" / "two.csv").write_text("nothing\n")
    assert not evaluated(study, instance, "two")
    assert evaluated(study, instance, "one")
    assert state() == ("FAILURE", "two")
    write_scores(tmp_path / "inbox" / "two.csv")
    assert evaluated(study, instance, "two")
    assert state() == ("SUCCESS", "two")


@pytest.mark.parametrize("tags", [{"dagster/partition": "two"}, partitions_between("one", "two")])
@pytest.mark.parametrize("job", ["evaluation", "__ASSET_JOB"])
def test_a_run_of_data_sets_that_broke_off_counts_until_the_rest_of_them_is_made(
    study: Study, instance: dg.DagsterInstance, job: str, tags: dict[str, str]
) -> None:
    definitions = definitions_of(study)
    graph = definitions.resolve_asset_graph()
    keys = [key for key in graph.toposorted_asset_keys if graph.get(key).is_materializable]
    first, *others = [key for key in keys if graph.get(key).partitions_def == DATASETS]

    def made(*tables: dg.AssetKey) -> None:
        for table in tables:
            instance.report_runless_asset_event(dg.AssetMaterialization(table, partition="two"))

    def status() -> str | None:
        run = last_run(instance, {"evaluation", "evaluation_overview"}, table_states(instance, graph))
        return run and run.status

    instance.add_dynamic_partitions(DATASETS.name or "", ["zero", "one", "two"])
    for table in (first, *others):
        instance.report_runless_asset_event(dg.AssetMaterialization(table, partition="one"))
    selection = {first, *others} if job == "__ASSET_JOB" else None
    resolved = definitions.resolve_job_def(job)
    run = instance.create_run_for_job(resolved, tags=tags, asset_selection=selection)
    instance.report_dagster_event(dg.DagsterEvent(dg.DagsterEventType.RUN_START.value, job), run.run_id)
    made(first)
    instance.report_run_failed(run)
    overview = definitions.resolve_job_def("evaluation_overview")
    instance.create_run_for_job(overview, status=dg.DagsterRunStatus.SUCCESS)
    assert status() == "FAILURE"
    for table in (first, *others):
        instance.report_runless_asset_event(dg.AssetMaterialization(table, partition="one"))
    made(*others)
    assert status() == "SUCCESS"


def test_a_run_of_a_passing_data_set_hides_no_failing_one(
    study: Study, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    graph = definitions_of(study).resolve_asset_graph()
    [gate] = [key for key in graph.asset_check_keys if key.name == "srcc_is_high_enough"]
    definitions = definitions_of(study)

    def said_of(outcome: Outcome) -> str:
        console = Console(file=StringIO(), width=2000)
        show_outcome(outcome, console)
        return console.file.getvalue()  # type: ignore[attr-defined]

    both = said_of(run_evaluation(definitions, instance, study))
    # Two runs of one command: both count as judged now.
    assert "FAIL  srcc_is_high_enough: 0 of 2 data sets pass. Worst is " in both
    write_scores(tmp_path / "inbox" / "one.csv", TRUTHS)
    one = said_of(run_evaluation(definitions, instance, study, ["one"]))
    assert "FAIL  srcc_is_high_enough: 1 of 2 data sets pass; 1 judged in this run (one). Worst is two:" in one
    assert not [line for line in one.splitlines() if line.strip().startswith("pass ") and gate.name in line]
    # The UI's launch of one partition: its own result, and the table's as the latest, by which the UI paints it.
    assert evaluated(study, instance, "one")
    latest = instance.event_log_storage.get_latest_asset_check_execution_by_key([gate])[gate]
    assert (latest.partition, latest.status.value) == (None, "FAILED")
    assert latest.evaluation
    assert "1 of 2 data sets pass; 1 judged in this run (one). Worst is two:" in str(latest.evaluation.description)
    states = gate_states(instance, graph, table_states(instance, graph))
    [state] = failed(states[dg.AssetKey("correlation")], FAIL)
    assert (state.n_failed, state.n_seen) == (1, 2)
    assert state.sentence.startswith("1 of 2 data sets pass. Worst is two: ")


def test_gates_of_a_data_set_that_is_gone_count_no_longer(study: Study, instance: dg.DagsterInstance) -> None:
    graph = definitions_of(study).resolve_asset_graph()

    def missed() -> list[tuple[str, int, int]]:
        states = gate_states(instance, graph, table_states(instance, graph))
        return [(gate.name, gate.n_failed, gate.n_seen) for gate in failed(states[dg.AssetKey("correlation")], FAIL)]

    instance.add_dynamic_partitions(DATASETS.name or "", ["one", "two"])
    job = definitions_of(study).resolve_job_def("evaluation")
    assert job.execute_in_process(instance=instance, run_config=QUIET, tags=partitions_between("one", "two")).success
    [(name, *counts)] = missed()
    assert counts == [2, 2]
    instance.delete_dynamic_partition(DATASETS.name or "", "two")
    assert missed() == [(name, 1, 1)]
    instance.delete_dynamic_partition(DATASETS.name or "", "one")
    assert missed() == []
