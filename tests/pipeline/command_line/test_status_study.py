"""What the state of a study hangs on: its last run and its gates, whatever else ran and whatever is gone."""

from pathlib import Path

import dagster as dg
import pytest

from assets.datasets import DATASETS
from pipeline.command_line.status_gates import FAIL, failed, gate_states
from pipeline.command_line.status_study import last_run
from pipeline.command_line.status_tables import table_states
from pipeline.definitions import definitions_of
from pipeline.runs import QUIET
from resources.configuration.evaluation import Dataset, EvaluationGates
from resources.study import Study
from tests.small_datasets import study_over, write_scores

pytestmark = pytest.mark.usefixtures("undrawn")


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


def test_gates_of_a_data_set_that_is_gone_count_no_longer(study: Study, instance: dg.DagsterInstance) -> None:
    graph = definitions_of(study).resolve_asset_graph()

    def missed() -> list[tuple[str, int, int]]:
        states = gate_states(instance, graph, table_states(instance, graph))
        return [(gate.name, gate.n_failed, gate.n_seen) for gate in failed(states[dg.AssetKey("correlation")], FAIL)]

    assert evaluated(study, instance, "one")
    assert evaluated(study, instance, "two")
    [(name, *counts)] = missed()
    assert counts == [2, 2]
    instance.delete_dynamic_partition(DATASETS.name or "", "two")
    assert missed() == [(name, 1, 1)]
