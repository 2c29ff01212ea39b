"""Alerts of gates on tables with partitions: what fails is told of once, by the run that judged it."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from pipeline.alerts import alert_sensors
from resources.alerts.webhook import WEBHOOK
from tests.alert_hook import AlertHook, alert_hook
from tests.pipeline.alert_ticks import Ticks, checked

pytestmark = pytest.mark.slow


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Iterator[AlertHook]:
    with alert_hook() as one:
        monkeypatch.setenv(WEBHOOK, one.address("/alerts"))
        yield one


def test_what_failed_in_earlier_runs_is_not_told_again_by_runs_whose_own_partitions_pass(
    sqlite_instance: dg.DagsterInstance, hook: AlertHook, tmp_path: Path
) -> None:
    ticks = Ticks(alert_sensors(set())[1], sqlite_instance, tmp_path)
    ticks.tick()
    checked(sqlite_instance, a=False, b=True)
    for passed in ({"b": True}, {"b": True, "c": True}):
        checked(sqlite_instance, before=False, **passed)
        ticks.tick()
    ticks.tick()
    assert [(one["kind"], one["partition"]) for one in hook.taken] == [("gate_failed", None)]
    checked(sqlite_instance, a=True)
    ticks.tick()
    assert [(one["kind"], one["partition"]) for one in hook.taken[1:]] == [("gate_passes_again", "a")]
