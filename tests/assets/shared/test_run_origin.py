"""Who started a run, by its tags as the installed Dagster writes them."""

import dagster as dg
import pytest
from dagster._core.storage import tags as dagster_tags

from assets.shared.provenance import AUTOMATIONS, started_by_a_person


@pytest.mark.parametrize(
    "tags",
    [
        {},
        {".dagster/touchstone_process": "17", ".dagster/touchstone_host": "here"},
        {"dagster/partition": "t0.2_p0.95"},
        # A backfill that a person launched over several partitions.
        {"dagster/backfill": "abc", "dagster/asset_partition_range_start": "t0.0_p1.0"},
        {"dagster/parent_run_id": "1", "dagster/root_run_id": "1", "user": "somebody@example.com"},
    ],
)
def test_a_launch_by_hand_is_a_persons(tags: dict[str, str]) -> None:
    assert started_by_a_person(tags)


@pytest.mark.parametrize("name", AUTOMATIONS)
def test_what_dagster_starts_by_itself_is_not(name: str) -> None:
    assert not started_by_a_person({"dagster/partition": "t0.2_p0.95", name: "anything"})


def test_the_tags_are_those_of_the_installed_dagster() -> None:
    assert set(AUTOMATIONS) == {
        dagster_tags.SCHEDULE_NAME_TAG,
        dagster_tags.SENSOR_NAME_TAG,
        dagster_tags.AUTOMATION_CONDITION_TAG,
        dagster_tags.AUTO_MATERIALIZE_TAG,
        dagster_tags.TICK_ID_TAG,
    }


def test_a_schedules_own_request_tells_that_nobody_asked() -> None:
    @dg.job
    def nothing() -> None: ...

    @dg.schedule(job=nothing, cron_schedule="0 3 * * *")
    def nightly() -> dg.RunRequest:
        return dg.RunRequest()

    @dg.sensor(job=nothing)
    def watching() -> dg.RunRequest:
        return dg.RunRequest()

    with dg.DagsterInstance.ephemeral() as instance:
        ticks = [
            nightly.evaluate_tick(dg.build_schedule_context(instance)),
            watching.evaluate_tick(dg.build_sensor_context(instance)),
        ]
    for tick in ticks:
        [request] = tick.run_requests or []
        assert not started_by_a_person(request.tags)
