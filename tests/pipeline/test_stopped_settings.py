"""Settings that a blocking gate stops, in the first run or a later one, and the tables over those that are left."""

import dagster as dg

from analysis.gates import Gate
from assets.shared.checks import result_of_each
from assets.shared.partitions import ONE_RUN, SETTINGS
from pipeline.runs import Outcome, run_study
from tests.small_study import KEYS

ONE, OTHER, THIRD = KEYS[1:4]


def table(name: str, after: list[dg.AssetsDefinition], stops: tuple[str, ...]) -> list[object]:
    """A table of every setting, with a blocking gate that these settings fail."""

    @dg.asset(name=name, partitions_def=SETTINGS, backfill_policy=ONE_RUN, deps=after)
    def made() -> None:
        pass

    @dg.asset_check(asset=made, name=f"{name}_holds", partitions_def=SETTINGS, blocking=True)
    def holds(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
        keys = context.op_execution_context.partition_keys

        def gate(key: str) -> Gate:
            passed = key not in stops
            return Gate(f"{name}_holds", passed, float(not passed), "<= 0", "It holds." if passed else "It does not.")

        return result_of_each(context, {key: gate(key) for key in keys}, dg.AssetCheckSeverity.ERROR)

    return [made, holds]


def outcome_of(instance: dg.DagsterInstance, first_stops: tuple[str, ...], second_stops: tuple[str, ...]) -> Outcome:
    """What comes of three settings, two tables of each and one over all of them."""
    first = table("first", [], first_stops)
    second = table("second", first[:1], second_stops)  # type: ignore[arg-type]

    @dg.asset(deps=second[:1])  # type: ignore[arg-type]
    def over_all() -> None:
        pass

    job = dg.define_asset_job("small", selection=dg.AssetSelection.all())
    checks = [first[1], second[1]]
    definitions = dg.Definitions([first[0], second[0], over_all], jobs=[job], asset_checks=checks)  # type: ignore[list-item]
    return run_study(definitions, "small", instance, (ONE, OTHER, THIRD))


def test_where_every_setting_is_stopped_in_the_end_no_table_over_all_settings_is_made(
    instance: dg.DagsterInstance,
) -> None:
    outcome = outcome_of(instance, (ONE,), (OTHER, THIRD))
    # Without the others nothing went on: it is the study that stopped.
    assert (outcome.succeeded, outcome.stopped, outcome.other_errors) == (False, [], [])
    assert outcome.tables == ["first"] * 3 + ["second"] * 2


def test_settings_that_are_left_after_two_stops_are_finished(instance: dg.DagsterInstance) -> None:
    outcome = outcome_of(instance, (ONE,), (OTHER,))
    assert (outcome.succeeded, outcome.stopped, outcome.other_errors) == (False, [ONE, OTHER], [])
    assert outcome.tables == ["first"] * 3 + ["second"] * 2 + ["over_all"]
