"""Gates as Dagster shows them: one setting, several, and several with each setting's own result next to."""

import dagster as dg
import pandas as pd
import pytest
from dagster._core.storage.asset_check_execution_record import (
    AssetCheckExecutionRecord,
    AssetCheckExecutionRecordStatus,
)

from analysis.gates import NOT_ASKED, Gate, at_least, at_most
from assets.shared.checks import gate_result, require, result_of_each
from assets.shared.partitions import SETTINGS
from assets.shared.table_gates import TableGate
from reports.shared.gate_row import gate_row

KEYS = SETTINGS.get_partition_keys()
LEVELS = dict(zip(KEYS, (0.9, 0.5, 0.2, 0.8), strict=False))


def level_gate(frame: pd.DataFrame) -> Gate:
    return at_least("high_enough", float(frame["level"].iloc[0]), 0.6, n=1, what="Level", remedy="Raise it.")


@dg.asset(partitions_def=SETTINGS)
def levels() -> None:
    """Stores nothing: the check makes the frames."""


@dg.asset_check(asset=levels, partitions_def=SETTINGS, blocking=True)
def high_enough(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
    frames = {key: pd.DataFrame({"level": [LEVELS[key]]}) for key in reversed(context.partition_keys)}
    return result_of_each(
        context, {key: level_gate(frame) for key, frame in frames.items()}, dg.AssetCheckSeverity.ERROR
    )


def evaluations(instance: dg.DagsterInstance, tags: dict[str, str]) -> list[dg.AssetCheckEvaluation]:
    definitions = dg.Definitions([levels], asset_checks=[high_enough], executor=dg.in_process_executor)
    job = definitions.resolve_implicit_global_asset_job_def()
    result = job.execute_in_process(instance=instance, tags=tags, raise_on_error=False)
    return result.get_asset_check_evaluations()


def over(first: int, last: int) -> dict[str, str]:
    return {"dagster/asset_partition_range_start": KEYS[first], "dagster/asset_partition_range_end": KEYS[last]}


def test_a_gate_becomes_a_result_with_the_number_seen_and_needed() -> None:
    result = gate_result(at_least("g", 0.5, 0.6, n=4, what="Level", remedy="Raise it."))
    assert not result.passed
    assert result.severity == dg.AssetCheckSeverity.ERROR
    assert result.description == "Level is 0.500 over 4 objects; needed: at least 0.6. Raise it."
    assert result.metadata["seen"].value == "0.5"
    assert result.metadata["needed"].value == ">= 0.6"


def test_an_undefined_number_is_null_in_the_metadata() -> None:
    result = gate_result(at_most("g", None, 0.6, n=0, what="Level", reason="no level"), dg.AssetCheckSeverity.WARN)
    assert result.metadata["seen"].value is None
    assert result.severity == dg.AssetCheckSeverity.WARN


def test_an_asset_that_requires_a_gate_goes_on_where_it_passes() -> None:
    require(at_least("g", 0.7, 0.6, n=4, what="Level"))


def test_an_asset_that_requires_a_gate_stops_for_good_where_it_fails() -> None:
    with pytest.raises(dg.Failure) as stopped:
        require(at_least("g", 0.5, 0.6, n=4, what="Level", remedy="Raise it."))
    assert stopped.value.description == "Level is 0.500 over 4 objects; needed: at least 0.6. Raise it."
    assert not stopped.value.allow_retries


def test_a_run_for_one_setting_has_that_settings_result(instance: dg.DagsterInstance) -> None:
    # The other one is the table's.
    [seen] = [check for check in evaluations(instance, {"dagster/partition": KEYS[1]}) if check.partition is not None]
    assert (seen.partition, seen.passed) == (KEYS[1], False)
    assert seen.description == "Level is 0.500 over 1 object; needed: at least 0.6. Raise it."


def test_a_run_over_settings_names_the_worst_and_the_others_that_fail(instance: dg.DagsterInstance) -> None:
    [seen] = [check for check in evaluations(instance, over(0, 3)) if check.partition is None]
    assert not seen.passed
    assert seen.description == (
        f"2 of 4 settings pass. Worst is {KEYS[2]}: Level is 0.200 over 1 object; needed: at least 0.6. Raise it. "
        f"Also failing: {KEYS[1]}."
    )
    # The table lists settings in the configuration's order, whatever order the frames come in.
    table = seen.metadata["settings"].value
    assert isinstance(table, str)
    assert [table.index(f"| {key} |") for key in KEYS[:4]] == sorted(table.index(f"| {key} |") for key in KEYS[:4])
    assert f"| {KEYS[2]} | **fail** |" in table
    assert f"| {KEYS[0]} | pass |" in table


def test_a_run_over_settings_that_all_pass_names_the_nearest_to_the_limit(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def undemanding(frame: pd.DataFrame) -> Gate:
        return at_least("high_enough", float(frame["level"].iloc[0]), 0.0, n=1, what="Level")

    monkeypatch.setattr("tests.assets.shared.test_checks.level_gate", undemanding)
    [seen] = [check for check in evaluations(instance, over(0, 3)) if check.partition is None]
    assert seen.passed
    lowest = min(KEYS[:4], key=lambda key: LEVELS[key])
    assert f"All 4 settings pass. Nearest to the limit is {lowest}: Level is" in (seen.description or "")


def test_a_run_over_one_setting_says_what_its_gate_says(instance: dg.DagsterInstance) -> None:
    [seen] = [check for check in evaluations(instance, over(3, 3)) if check.partition is None]
    assert seen.passed
    assert (seen.description or "").startswith("Level is")


def test_a_run_over_settings_has_each_settings_own_result_tied_to_its_table(instance: dg.DagsterInstance) -> None:
    own = {check.partition: check for check in evaluations(instance, over(0, 3)) if check.partition is not None}
    assert {key: check.passed for key, check in own.items()} == {KEYS[0]: True, KEYS[1]: False, KEYS[2]: False} | {
        KEYS[3]: True
    }
    for key, check in own.items():
        [record] = instance.fetch_materializations(
            dg.AssetRecordsFilter(dg.AssetKey("levels"), asset_partitions=[key]), limit=1
        ).records
        assert check.blocking
        assert check.target_materialization_data is not None
        assert check.target_materialization_data.storage_id == record.storage_id


def test_a_setting_without_a_number_is_told_apart_from_the_worst_number(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def undefined_at_first(frame: pd.DataFrame) -> Gate:
        level = float(frame["level"].iloc[0])
        seen = None if level == LEVELS[KEYS[0]] else level
        return at_least("high_enough", seen, 0.6, n=1, what="Level", reason="no level")

    monkeypatch.setattr("tests.assets.shared.test_checks.level_gate", undefined_at_first)
    [seen] = [check for check in evaluations(instance, over(0, 2)) if check.partition is None]
    assert f" {KEYS[0]}: Level is undefined (no level)" in (seen.description or "")
    assert "Worst is" in (seen.description or "")
    assert f"Worst is {KEYS[0]}" not in (seen.description or "")


def shown(instance: dg.DagsterInstance) -> AssetCheckExecutionRecord:
    """What the UI paints the table by: the latest record of the check, whatever partition it is of."""
    key = dg.AssetCheckKey(dg.AssetKey("levels"), "high_enough")
    return instance.event_log_storage.get_latest_asset_check_execution_by_key([key])[key]


@pytest.mark.parametrize("tags", [over(0, 0), {"dagster/partition": KEYS[0]}], ids=["range", "one partition"])
def test_a_run_of_a_passing_setting_leaves_a_failed_table_failed_and_names_what_fails(
    instance: dg.DagsterInstance, tags: dict[str, str]
) -> None:
    evaluations(instance, over(0, 3))
    seen = evaluations(instance, tags)
    record = shown(instance)
    assert record.run_id == next(iter(instance.get_runs(limit=1))).run_id
    assert (record.partition, record.status) == (None, AssetCheckExecutionRecordStatus.FAILED)
    evaluation = record.evaluation
    assert evaluation is not None
    assert evaluation.description == (
        f"2 of 4 settings pass; 1 judged in this run ({KEYS[0]}). Worst is {KEYS[2]}: Level is 0.200 over 1 object; "
        f"needed: at least 0.6. Raise it. Also failing: {KEYS[1]}."
    )
    assert (evaluation.metadata["seen"].value, evaluation.metadata["n_failed"].value) == ("0.2", 2)
    assert f"| {KEYS[1]} | **fail** |" in str(evaluation.metadata["settings"].value)
    # The setting's own result is there too, and the run goes on: what fails was judged by another.
    assert [one.passed for one in seen if one.partition == KEYS[0]] == [True]
    assert next(iter(instance.get_runs(limit=1))).status == dg.DagsterRunStatus.SUCCESS


@pytest.mark.parametrize("tags", [over(1, 1), {"dagster/partition": KEYS[1]}], ids=["range", "one partition"])
def test_a_run_of_the_last_failing_setting_makes_the_table_pass(
    instance: dg.DagsterInstance, tags: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluations(instance, over(0, 1))
    assert shown(instance).status == AssetCheckExecutionRecordStatus.FAILED
    monkeypatch.setitem(LEVELS, KEYS[1], 0.7)
    evaluations(instance, tags)
    record = shown(instance)
    assert record.status == AssetCheckExecutionRecordStatus.SUCCEEDED
    assert (record.evaluation and record.evaluation.description) == (
        f"All 2 settings pass; 1 judged in this run ({KEYS[1]}). Nearest to the limit is {KEYS[1]}: Level is 0.700 "
        "over 1 object; needed: at least 0.6."
    )


@pytest.mark.parametrize("tags", [over(1, 1), {"dagster/partition": KEYS[1]}], ids=["range", "one partition"])
def test_a_failing_setting_of_the_run_stops_it(instance: dg.DagsterInstance, tags: dict[str, str]) -> None:
    evaluations(instance, over(0, 0))
    evaluations(instance, tags)
    assert next(iter(instance.get_runs(limit=1))).status == dg.DagsterRunStatus.FAILURE
    assert shown(instance).status == AssetCheckExecutionRecordStatus.FAILED


def test_a_setting_that_no_longer_exists_does_not_count() -> None:
    names = dg.DynamicPartitionsDefinition(name="levels")

    @dg.asset(partitions_def=names)
    def levels() -> None: ...

    @dg.asset_check(asset=levels, partitions_def=names)
    def high_enough(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
        level = {"low": 0.1, "high": 0.9}
        gates = {key: level_gate(pd.DataFrame({"level": [level[key]]})) for key in context.partition_keys}
        return result_of_each(context, gates, dg.AssetCheckSeverity.ERROR)

    definitions = dg.Definitions([levels], asset_checks=[high_enough], executor=dg.in_process_executor)
    job = definitions.resolve_implicit_global_asset_job_def()
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("levels", ["low", "high"])
        for key, passes in (("low", False), ("high", False)):
            job.execute_in_process(instance=instance, partition_key=key)
            assert (shown(instance).status == AssetCheckExecutionRecordStatus.SUCCEEDED) == passes
        instance.delete_dynamic_partition("levels", "low")
        job.execute_in_process(instance=instance, partition_key="high")
        assert shown(instance).status == AssetCheckExecutionRecordStatus.SUCCEEDED


def test_numbers_of_a_result_are_text_but_for_how_many_fail(instance: dg.DagsterInstance) -> None:
    for seen in evaluations(instance, over(0, 3)):
        numbers = [
            name for name, one in seen.metadata.items() if isinstance(one, dg.FloatMetadataValue | dg.IntMetadataValue)
        ]
        assert numbers == (["n_failed"] if seen.partition is None else [])


def test_a_setting_to_which_a_gate_does_not_apply_is_in_no_count() -> None:
    passing = at_least("g", 0.9, 0.85, n=12, what="ICC(1,k)")
    idle = Gate("g", True, None, ">= 0.85", "Does not apply: all repeats are equal.")
    failing = at_least("g", 0.5, 0.85, n=12, what="ICC(1,k)")
    said = TableGate({"cold": idle, "warm": passing}, (), "settings").sentence
    assert said == (
        "warm passes: ICC(1,k) is 0.900 over 12 objects; needed: at least 0.85. cold: Does not apply: all repeats are "
        "equal."
    )
    assert TableGate({"cold": idle, "warm": passing, "hot": failing}, ("hot",), "settings").sentence == (
        "1 of 2 settings pass; 1 judged in this run (hot). Worst is hot: ICC(1,k) is 0.500 over 12 objects; needed: at "
        "least 0.85. cold: Does not apply: all repeats are equal."
    )
    assert TableGate({"cold": idle, "frozen": idle}, (), "settings").sentence == idle.sentence


def test_a_pass_of_what_was_not_asked_is_none() -> None:
    passing = at_least("g", 0.9, 0.85, n=12, what="SRCC")
    idle = Gate("g", True, None, "nothing", f"{NOT_ASKED} No limit is set.")
    whole = TableGate({"one": passing, "two": passing, "three": idle}, (), "data sets")
    assert whole.sentence.startswith("All 2 data sets pass.")
    assert whole.sentence.endswith(f"three: {NOT_ASKED} No limit is set.")
    assert "| three | not asked |" in whole.table
    assert gate_result(idle).metadata["state"].value == "not asked"
    assert "state" not in gate_result(passing).metadata
    assert not gate_row(idle._replace(n=0, limit=0.0)).applies


def test_the_only_one_that_is_asked_fails_by_its_name() -> None:
    fails = at_least("g", 0.2, 0.5, n=9, what="Level", remedy="Raise it.")
    idle = Gate("g", True, None, "nothing", f"{NOT_ASKED} No limit is set.")
    whole = TableGate({"one": fails, "two": idle}, ["one", "two"], "data sets")
    assert whole.sentence == f"one fails: {fails.sentence} two: {NOT_ASKED} No limit is set."


def test_below_a_limit_the_largest_number_is_the_worst(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def low_enough(frame: pd.DataFrame) -> Gate:
        return at_most("low_enough", float(frame["level"].iloc[0]), 0.1, n=1, what="Level")

    monkeypatch.setattr("tests.assets.shared.test_checks.level_gate", low_enough)
    [seen] = [check for check in evaluations(instance, over(0, 2)) if check.partition is None]
    assert f"Worst is {KEYS[0]}: Level is 0.900" in (seen.description or "")
    assert f"Also failing: {KEYS[1]}, {KEYS[2]}." in (seen.description or "")
