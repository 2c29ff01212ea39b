"""A table that failed a blocking gate: what a later run makes from it, and what asking costs."""

from pathlib import Path

import dagster as dg
import pytest
from dagster._core.execution.api import create_execution_plan
from upath import UPath

from resources.errors import UserError
from resources.runtime.dagster_internals import InMemoryJob, execute_run
from resources.tables.parquet_tables import Frames, ParquetTables
from tests.statements import statements
from tests.stored_tables import KEYS, PARTS, TABLES, by_setting, frame, one_table, run

pytestmark = pytest.mark.filterwarnings("ignore:Parameter `backfill_policy`", "ignore:Specifying a partitions_def")
SAYS = "Number of rows is 1; needed: at least 2."
Made = list[dg.AssetsDefinition | dg.AssetChecksDefinition]


def gate(passes: bool | None, *, blocking: bool = True) -> dg.AssetChecksDefinition:
    """A gate on `scores`; null: it breaks off."""

    @dg.asset_check(asset="scores", name="enough_rows", blocking=blocking)
    def enough_rows(scores: object) -> dg.AssetCheckResult:
        if passes is None:
            raise OSError("the disk is gone")
        return dg.AssetCheckResult(passed=passes, description=SAYS)

    return enough_rows


def gate_by_setting(*failing: str) -> dg.AssetChecksDefinition:
    """A gate on each setting of `scores`, in runs of one."""

    @dg.asset_check(asset="scores", name="enough_rows", blocking=True, partitions_def=PARTS)
    def enough_rows(context: dg.AssetCheckExecutionContext, scores: Frames) -> dg.AssetCheckResult:
        return dg.AssetCheckResult(passed=not scores.keys() & set(failing), description=SAYS)

    return enough_rows


class Later:
    """Runs of `scores` and its gate, and later runs of what reads it."""

    def __init__(self, folder: Path, instance: dg.DagsterInstance) -> None:
        self.base, self.instance = UPath(folder), instance

    def make(self, *made: dg.AssetsDefinition | dg.AssetChecksDefinition, **options: object) -> None:
        run(list(made), self.base, self.instance, raise_on_error=False, **options)

    def read(self, *made: dg.AssetsDefinition | dg.AssetChecksDefinition, takes_what_there_is: bool = False) -> object:
        got: list[object] = []

        @dg.asset(ins={"scores": dg.AssetIn(metadata={"allow_missing_partitions": takes_what_there_is})})
        def reader(scores: object) -> None:
            got.append(scores)

        run([*made, reader], self.base, self.instance, selection=[reader])
        return got[0]


@pytest.fixture
def later(tmp_path: Path, instance: dg.DagsterInstance) -> Later:
    return Later(tmp_path, instance)


def test_a_launch_by_hand_says_what_the_gate_said(later: Later) -> None:
    table, failing = one_table(frame("a")), gate(passes=False)
    later.make(table, failing)
    with pytest.raises(UserError) as refused:
        later.read(table, failing)
    assert str(refused.value) == (
        f"`scores` fails its gate `enough_rows`: {SAYS} Nothing was made from it. Fix that and make `scores` again: "
        "`touchstone run default`."
    )


def test_a_gate_that_was_never_asked_holds_nothing_back(later: Later) -> None:
    table = one_table(frame("a"))
    later.make(table)
    assert len(later.read(table, gate(passes=False))) == 1  # type: ignore[arg-type]


def test_a_gate_that_does_not_block_holds_nothing_back(later: Later) -> None:
    table, advice = one_table(frame("a")), gate(passes=False, blocking=False)
    later.make(table, advice)
    assert len(later.read(table, advice)) == 1  # type: ignore[arg-type]


def test_a_gate_speaks_of_the_table_that_it_looked_at_and_of_no_later_one(later: Later) -> None:
    table, failing = one_table(frame("a")), gate(passes=False)
    later.make(table, failing)
    later.make(table)
    assert len(later.read(table, failing)) == 1  # type: ignore[arg-type]
    later.make(table, failing, selection=dg.AssetSelection.checks(failing))
    with pytest.raises(UserError, match="fails its gate"):
        later.read(table, failing)


def test_a_check_may_look_at_what_failed(later: Later) -> None:
    table, failing, passing = one_table(frame("a")), gate(passes=False), gate(passes=True)
    later.make(table, failing)
    later.make(table, passing, selection=dg.AssetSelection.checks(passing))
    assert len(later.read(table, passing)) == 1  # type: ignore[arg-type]


def test_a_run_that_broke_off_before_the_gate_hides_no_failure(later: Later) -> None:
    table, failing = one_table(frame("a")), gate(passes=False)
    later.make(table, failing)
    later.make(one_table(OSError("the disk is gone")), failing)
    with pytest.raises(UserError, match="fails its gate"):
        later.read(table, failing)


def test_a_failure_in_a_run_of_one_setting_is_known_of_a_whole_table_too(later: Later) -> None:
    table, failing = one_table(frame("a")), gate(passes=False)

    @dg.asset(partitions_def=PARTS)
    def other() -> None: ...

    later.make(table, failing, other, partition_key=KEYS[0])
    with pytest.raises(UserError, match="fails its gate"):
        later.read(table, failing)


def test_of_many_partitions_one_that_fails_holds_back_whoever_needs_all(later: Later) -> None:
    table, failing = by_setting(), gate_by_setting(KEYS[1])
    for key in KEYS:
        later.make(table, failing, partition_key=key)
    with pytest.raises(UserError) as refused:
        later.read(table, failing)
    assert str(refused.value).startswith(f"`scores` ({KEYS[1]}) fails its gate `enough_rows`: {SAYS}")
    assert sorted(later.read(table, failing, takes_what_there_is=True)) == sorted(KEYS)  # type: ignore[call-overload]


def test_where_every_partition_fails_nobody_reads_them(later: Later) -> None:
    table, failing = by_setting(), gate_by_setting(*KEYS)
    for key in KEYS[:2]:
        later.make(table, failing, partition_key=key)
    with pytest.raises(UserError, match="So do 1 other partitions."):
        later.read(table, failing, takes_what_there_is=True)


def test_any_number_of_partitions_costs_one_query(later: Later) -> None:
    table, passing = by_setting(), gate_by_setting()
    for key in KEYS:
        later.make(table, passing, partition_key=key)
    with statements() as asked:
        later.read(table, passing)
    assert len([one for one in asked if "FROM asset_check_executions" in one]) == 1


@pytest.mark.parametrize("passes", [True, False])
def test_in_the_run_that_makes_a_table_its_gate_is_asked_and_what_it_said_is_not_looked_up(
    later: Later, passes: bool
) -> None:
    read: list[object] = []

    @dg.asset
    def reader(scores: object) -> None:
        read.append(scores)

    for _ in range(2):
        with statements() as asked:
            later.make(one_table(frame("a")), gate(passes=passes), reader)
        assert not [one for one in asked if "FROM asset_check_executions" in one]
    assert len(read) == (2 if passes else 0)


def test_a_step_that_is_run_again_meets_the_gate_of_its_first_run(later: Later) -> None:
    table, failing = one_table(frame("a")), gate(passes=False)

    @dg.asset
    def reader(scores: object) -> None: ...

    definitions = dg.Definitions(
        [table, reader],
        asset_checks=[failing],
        executor=dg.in_process_executor,
        resources={"io_manager": ParquetTables(later.base, {"group": TABLES})},
    )
    job = definitions.resolve_implicit_global_asset_job_def()
    first = job.execute_in_process(instance=later.instance, raise_on_error=False)
    assert [event.step_key for event in first.get_step_failure_events()] == ["scores_enough_rows"]
    plan = create_execution_plan(job, step_keys_to_execute=["reader"])
    again = later.instance.create_run_for_job(job, plan, parent_run_id=first.run_id, root_run_id=first.run_id)
    [failure] = execute_run(InMemoryJob(job), again, later.instance).get_step_failure_events()
    assert SAYS in str(failure.step_failure_data)
