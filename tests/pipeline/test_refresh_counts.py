"""How much a backfill of data sets does: it is one run, which makes every table of each once."""

import logging
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.execution.backfill import BulkActionStatus, PartitionBackfill
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._daemon.backfill import execute_backfill_iteration

from assets.shared.partitions import DATASETS
from pipeline.automation import partitions_between
from pipeline.definitions import touchstone
from pipeline.runs import QUIET
from tests.pipeline.ticks import code_location
from tests.small_datasets import write_scores

pytestmark = pytest.mark.slow
# The number of runs does not hang on it, and each data set takes seconds.
N_DATASETS = 3
BY_DATASET = (
    *("evaluation_samples", "correlation", "mcq_confusion", "option_rates", "category_breakdown"),
    "paper_comparison",
)


def counted(instance: dg.DagsterInstance) -> Counter[str]:
    """Materializations by table, counted in the event log."""
    found: Counter[str] = Counter()
    for key in instance.all_asset_keys():
        found[key.path[-1]] += len(instance.fetch_materializations(key, limit=10_000).records)
    return +found


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkspaceProcessContext]:
    """The code location as the daemon loads it, over data sets; runs that are asked for wait in the queue."""
    home = tmp_path / "home"
    (home / "inbox").mkdir(parents=True)
    plan = f"{{inbox: '{home / 'inbox'}', bootstrap_resamples: 100, bca_resamples: 100}}"
    (home / "touchstone.yaml").write_text(f"study: many\nevaluation: {plan}\n")
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    with code_location(home / "dagster") as context:
        yield context


def asked_for(workspace: WorkspaceProcessContext, names: list[str]) -> list[dg.DagsterRun]:
    """The runs that a backfill of these data sets has asked for after two turns of the daemon."""
    instance = workspace.instance
    instance.add_dynamic_partitions(DATASETS.name or "", names)
    backfill = PartitionBackfill.from_asset_partitions(
        backfill_id="all",
        asset_graph=workspace.create_request_context().asset_graph,
        partition_names=names,
        asset_selection=[dg.AssetKey(name) for name in BY_DATASET],
        backfill_timestamp=time.time(),
        tags={},
        dynamic_partitions_store=instance,
        all_partitions=False,
        title=None,
        description=None,
        run_config=None,
    )
    instance.add_backfill(backfill)
    for _ in range(2):
        problems = list(execute_backfill_iteration(workspace, logging.getLogger("backfill")))
        assert not any(problems), problems
    there = instance.get_backfill("all")
    assert there is not None
    assert there.status == BulkActionStatus.REQUESTED, there.error
    return list(instance.get_runs())


def test_a_backfill_of_data_sets_is_one_run_that_makes_every_table_of_each(workspace: WorkspaceProcessContext) -> None:
    names = [f"d{number:03d}" for number in range(N_DATASETS)]
    for name in names:
        write_scores(Path(workspace.instance.root_directory).parent / "inbox" / f"{name}.csv")
    [run] = asked_for(workspace, names)
    assert run.asset_selection == {dg.AssetKey(name) for name in BY_DATASET}
    over_all = partitions_between(names[0], names[-1])
    assert over_all.items() <= run.tags.items()
    done = (
        touchstone()
        .resolve_implicit_global_asset_job_def()
        .execute_in_process(
            run_config=QUIET,
            instance=workspace.instance,
            tags=over_all,
            asset_selection=sorted(run.asset_selection or ()),
        )
    )
    assert done.success
    assert counted(workspace.instance) == dict.fromkeys(BY_DATASET, len(names))
