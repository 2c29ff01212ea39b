"""What `alerts: on:` asks for: drift unless it is left out, advice on request, and which sensors are on."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest

from assets.shared.gate import Kind
from pipeline import gate_list
from pipeline.alerts import alert_sensors
from pipeline.definitions import definitions_of
from resources.alerts.webhook import WEBHOOK
from resources.configuration.alerts import DRIFT, Alerts, Failure
from tests.alert_hook import AlertHook, alert_hook
from tests.pipeline.alert_ticks import Ticks, Work
from tests.small_datasets import study_over

pytestmark = pytest.mark.slow

_, failed_gates = alert_sensors(set())


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Iterator[AlertHook]:
    """A webhook that the environment names."""
    with alert_hook() as one:
        monkeypatch.setenv(WEBHOOK, one.address("/hook"))
        yield one


@pytest.mark.parametrize(
    ("asked", "kinds"),
    [
        ((), []),
        (("failed_gates", "drift"), []),
        (("advice",), ["advice", "advice_no_longer"]),
    ],
)
def test_advice_is_told_where_somebody_asked_to_hear_it(
    asked: tuple[Failure, ...],
    kinds: list[str],
    sqlite_instance: dg.DagsterInstance,
    hook: AlertHook,
    tmp_path: Path,
) -> None:
    work, ticks = Work(), Ticks(failed_gates, sqlite_instance, tmp_path, alerts=Alerts(on=asked))
    ticks.tick()
    for gates in ((True, True, False), (True, True, True)):
        work.gates = gates
        assert work.run(sqlite_instance)
        ticks.tick()
    assert [one["kind"] for one in hook.taken] == kinds
    if kinds:
        assert "check gate_2 on table warns. seen and needed What to do: Do it." in hook.taken[0]["text"]
        assert "check gate_2 on table no longer warns." in hook.taken[1]["text"]


@pytest.mark.parametrize(("asked", "n"), [(Alerts().on, 1), (("failed_gates",), 0)])
def test_drift_is_told_unless_it_was_not_asked_for(
    asked: tuple[Failure, ...], n: int, sqlite_instance: dg.DagsterInstance, hook: AlertHook, tmp_path: Path
) -> None:
    work, ticks = Work(), Ticks(failed_gates, sqlite_instance, tmp_path, alerts=Alerts(on=asked))
    ticks.tick()
    work.table, work.gates = DRIFT, (True, True, False)
    assert work.run(sqlite_instance)
    ticks.tick()
    assert [alert["kind"] for alert in hook.taken] == ["drift"] * n
    if n:
        assert "the judge drifts, by check gate_2 on drift. seen and needed What to do: Do it." in hook.taken[0]["text"]


def test_drift_is_what_the_checks_of_the_table_of_drift_warn_of() -> None:
    warned_of = {gate.name for gate in gate_list.gates() if (gate.table, gate.kind) == (DRIFT, Kind.ADVICE)}
    assert warned_of == {"anchor_mean_holds", "anchor_scores_hold", "same_judge_as_pinned"}


@pytest.mark.parametrize(
    ("asked", "running"),
    [
        (Alerts().on, ["failed_gates"]),
        (("advice",), ["failed_gates"]),
        (("failed_runs",), ["failed_runs"]),
        (("failed_runs", "drift"), ["failed_runs", "failed_gates"]),
        ((), []),
    ],
)
def test_with_a_webhook_what_is_asked_for_is_on_from_the_start(
    asked: tuple[Failure, ...], running: list[str], hook: AlertHook, tmp_path: Path
) -> None:
    study = replace(study_over(tmp_path, {}), alerts=Alerts(on=asked))
    sensors = definitions_of(study).sensors or []
    names = ("failed_runs", "failed_gates")
    found = [one for one in sensors if isinstance(one, dg.SensorDefinition) and one.name in names]
    assert [one.name for one in found if one.default_status == dg.DefaultSensorStatus.RUNNING] == running
