"""The latest results of many checks: what Dagster has for each, in one question to its database."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from resources.tables.check_results import latest_record, latest_results, results_of_each
from tests.small_study import sqlite_instance_in
from tests.statements import statements

PARTITIONS = [f"part_{number}" for number in range(20)]
CHECKS = [dg.AssetCheckKey(dg.AssetKey(table), name) for table in ("one", "two") for name in ("sound", "large")]


@pytest.fixture
def checked(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    """Each check twice in each partition and once as a whole, passing where the numbers say so."""
    with sqlite_instance_in(tmp_path) as instance:
        for turn in (1, 2):
            for number, partition in enumerate([*PARTITIONS, None]):
                for check in CHECKS[:3]:
                    result = dg.AssetCheckEvaluation(
                        asset_key=check.asset_key,
                        check_name=check.name,
                        passed=bool((number + turn) % 3),
                        metadata={"turn": turn},
                        partition=partition,
                    )
                    event = dg.DagsterEvent("ASSET_CHECK_EVALUATION", "a_job", event_specific_data=result)
                    instance.report_dagster_event(event, run_id=f"run_{turn}")
        yield instance


def test_each_check_has_the_latest_result_that_dagster_has_of_each_partition(checked: dg.DagsterInstance) -> None:
    found = results_of_each(checked, {check: [*PARTITIONS, None] for check in CHECKS})
    for check in CHECKS[:3]:
        assert list(found[check]) == [*PARTITIONS, None]
        for partition, result in found[check].items():
            record = latest_record(checked, check, partition)
            assert record is not None
            assert result == record.evaluation
    assert found[CHECKS[3]] == {}


def test_partitions_that_are_not_asked_for_are_left_out(checked: dg.DagsterInstance) -> None:
    assert list(latest_results(checked, CHECKS[0], ["part_3", "gone", "part_1"])) == ["part_3", "part_1"]
    assert list(latest_results(checked, CHECKS[0], [None])) == [None]


def test_the_database_is_asked_once_however_many_checks_and_partitions_there_are(checked: dg.DagsterInstance) -> None:
    with statements() as asked:
        results_of_each(checked, dict.fromkeys(CHECKS, PARTITIONS))
    assert len([one for one in asked if one.startswith("SELECT")]) == 1
