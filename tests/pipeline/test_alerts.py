"""Sensors on failed runs and gates: one message for each failure, none twice, none lost, no secret anywhere."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.remote_origin import (
    GrpcServerCodeLocationOrigin,
    RemoteJobOrigin,
    RemoteRepositoryOrigin,
)

from pipeline.alerts import alert_sensors
from pipeline.definitions import definitions_of
from resources.alerts.webhook import WEBHOOK, AlertWebhook
from resources.configuration.evaluation import Dataset, EvaluationGates
from resources.errors import UserError
from resources.runtime.home import CHECKOUT
from tests.alert_hook import AlertHook, alert_hook
from tests.pipeline.alert_ticks import Ticks, Work, checked
from tests.small_datasets import SRCC, evaluate, study_over, write_scores
from tests.small_study import sqlite_instance_in

pytestmark = pytest.mark.slow

failed_runs, failed_gates = alert_sensors(set())
KEY = "sk-planted-0123456789abcdefghijKEY"
PASSWORD = "planted/pass:word@2026"
TOKEN = "T0PLANTED/B0PLANTED/hookTOKEN0123456789"
QUERY = "planted-query-0123456789"
SECRETS = (KEY, PASSWORD, TOKEN, "hookTOKEN0123456789", QUERY)


@pytest.fixture(params=["sqlite", "postgres"])
def stored(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dg.DagsterInstance]:
    """Dagster's memory on the disk and on Postgres, as the project sets both up."""
    if request.param == "sqlite":
        with sqlite_instance_in(tmp_path / "dagster") as made:
            yield made
        return
    url = str(request.getfixturevalue("postgres_url"))
    monkeypatch.setenv("DAGSTER_POSTGRES_URL", url.replace("postgresql:", "postgresql+psycopg2:"))
    (tmp_path / "dagster").mkdir()
    shutil.copyfile(CHECKOUT / "deploy/postgres/dagster.yaml", tmp_path / "dagster" / "dagster.yaml")
    with dg.DagsterInstance.from_config(str(tmp_path / "dagster")) as made:
        yield made


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Iterator[AlertHook]:
    """A webhook that the environment names, and secrets next to it."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with alert_hook() as one:
        monkeypatch.setenv(WEBHOOK, one.address(f"/services/{TOKEN}?auth={QUERY}"))
        yield one


def test_a_run_that_fails_is_told_once_and_one_that_failed_before_is_not(
    stored: dg.DagsterInstance, hook: AlertHook, tmp_path: Path
) -> None:
    work = Work()
    work.error = UserError("scores.csv, row 3: no number. Fix it.")
    work.run(stored)
    ticks = Ticks(failed_runs, stored, tmp_path)
    assert "Alerts begin here" in ticks.tick()
    work.run(stored)
    assert ticks.tick() == "1 alert sent."
    assert [ticks.tick() for _ in range(2)] == ["Nothing new has failed."] * 2
    [told] = hook.taken
    assert (told["kind"], told["study"], told["starts_again"]) == ("run_failed", "small", False)
    assert told["error"] == "table: scores.csv, row 3: no number. Fix it."
    assert told["text"].endswith("failed. table: scores.csv, row 3: no number. Fix it.")
    work.error = None
    work.run(stored)
    ticks.tick()
    assert len(hook.taken) == 1


def test_a_gate_that_fails_is_told_once_for_each_run_and_once_when_it_passes_again(
    stored: dg.DagsterInstance, hook: AlertHook, tmp_path: Path
) -> None:
    work, ticks = Work(), Ticks(failed_gates, stored, tmp_path)
    ticks.tick()
    for gates in ((True, False, False), (True, False, True), (True, True, True), (True, True, True)):
        work.gates = gates
        assert work.run(stored)
        ticks.tick()
        ticks.tick()
    assert [(one["kind"], one["check"]) for one in hook.taken] == [
        *[("gate_failed", "gate_1")] * 2,
        ("gate_passes_again", "gate_1"),
    ]
    told = hook.taken[0]
    assert (told["table"], told["seen"], told["needed"]) == ("table", 0.5, ">= 0.85")
    assert told["to_do"] == "Do it. seen and needed"


@pytest.mark.parametrize(
    ("runs", "kinds"),
    [
        (({"a": False, "b": True}, {"a": True}), ["gate_failed", "gate_passes_again"]),
        (({"a": False}, {"a": True, "b": True}), ["gate_failed", "gate_passes_again"]),
        (({"a": False, "b": False}, {"a": True}, {"b": True}), ["gate_failed", *["gate_passes_again"] * 2]),
        (({"a": False}, {"b": True}, {"b": True, "c": True}), ["gate_failed"]),
    ],
)
def test_a_gate_of_partitions_passes_again_whichever_runs_its_partitions_are_in(
    sqlite_instance: dg.DagsterInstance,
    hook: AlertHook,
    tmp_path: Path,
    runs: tuple[dict[str, bool], ...],
    kinds: list[str],
) -> None:
    ticks = Ticks(failed_gates, sqlite_instance, tmp_path)
    ticks.cursor = ""  # what the UI makes of a cursor that is emptied
    assert "Alerts begin here" in ticks.tick()
    for passed in runs:
        checked(sqlite_instance, **passed)
        ticks.tick()
    assert [one["kind"] for one in hook.taken] == kinds


def test_a_gate_that_stops_its_run_is_told_by_both_sensors_once_each(
    sqlite_instance: dg.DagsterInstance, hook: AlertHook, tmp_path: Path
) -> None:
    work = Work()
    both = [Ticks(sensor, sqlite_instance, tmp_path) for sensor in (failed_runs, failed_gates)]
    [ticks.tick() for ticks in both]
    work.gates = (False, True, True)
    assert not work.run(sqlite_instance, blocking=True)
    [ticks.tick() for ticks in both for _ in range(2)]
    assert [one["kind"] for one in hook.taken] == ["run_failed", "gate_failed"]
    stopped = "table_gate_0: 1 blocking asset check failed with ERROR severity: table: gate_0"
    assert hook.taken[0]["error"] == stopped


def test_what_the_webhook_does_not_take_is_sent_at_a_later_tick_and_nothing_twice(
    sqlite_instance: dg.DagsterInstance, hook: AlertHook, tmp_path: Path
) -> None:
    work, ticks = Work(), Ticks(failed_gates, sqlite_instance, tmp_path)
    ticks.tick()
    work.gates = (False, False, True)
    work.run(sqlite_instance)
    work.run(sqlite_instance)
    hook.status = 503
    assert "it answered 503. It is sent again at the next tick." in ticks.refused()
    hook.status, hook.refuse_after = 200, 1
    assert ticks.tick().startswith("1 alert sent. The webhook in TOUCHSTONE_ALERT_WEBHOOK did not take an alert")
    hook.refuse_after = None
    assert ticks.tick() == "3 alerts sent."
    assert ticks.tick() == "Nothing new has failed."
    runs = [run.run_id for run in reversed(sqlite_instance.get_runs())]
    assert [(one["run"], one["check"]) for one in hook.taken] == [
        (run, check) for run in runs for check in ("gate_0", "gate_1")
    ]


def test_a_webhook_that_was_down_is_told_when_it_is_up(
    sqlite_instance: dg.DagsterInstance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with alert_hook() as gone:
        monkeypatch.setenv(WEBHOOK, gone.address(f"/{TOKEN}"))
    work, ticks = Work(), Ticks(failed_runs, sqlite_instance, tmp_path)
    ticks.tick()
    work.error = RuntimeError("broken")
    work.run(sqlite_instance)
    assert "it cannot be reached" in ticks.refused()
    with alert_hook(gone.port) as up:
        assert ticks.tick() == "1 alert sent."
    assert up.taken[0]["error"] == "table: RuntimeError: broken"


def begun(instance: dg.DagsterInstance, home: Path) -> tuple[Ticks, dg.DagsterRun]:
    """The sensor after its first tick, and a run that has begun since."""

    @dg.job
    def anything() -> None: ...

    ticks = Ticks(failed_runs, instance, home)
    ticks.tick()
    return ticks, instance.create_run_for_job(anything, status=dg.DagsterRunStatus.STARTED)


def test_a_run_whose_worker_died_is_told_with_what_dagster_saw(
    sqlite_instance: dg.DagsterInstance, hook: AlertHook, tmp_path: Path
) -> None:
    ticks, run = begun(sqlite_instance, tmp_path)
    sqlite_instance.report_run_failed(run, f"The worker died with code -9, holding {KEY}.")
    ticks.tick()
    [told] = hook.taken
    assert (told["error"], told["starts_again"]) == ("The worker died with code -9, holding ***.", True)
    assert told["text"].endswith("holding ***. Dagster starts it again by itself.")


def test_a_run_that_a_person_interrupted_is_not_told(
    sqlite_instance: dg.DagsterInstance, hook: AlertHook, tmp_path: Path
) -> None:
    ticks, run = begun(sqlite_instance, tmp_path)
    sqlite_instance.report_run_failed(run, "Execution was interrupted unexpectedly.")
    sqlite_instance.report_run_canceled(run, "Interrupted.")
    ticks.tick()
    assert hook.taken == []


def test_runs_of_another_study_on_the_same_instance_are_not_told(
    sqlite_instance: dg.DagsterInstance, hook: AlertHook, tmp_path: Path
) -> None:
    @dg.job
    def anything() -> None: ...

    ours, theirs = (GrpcServerCodeLocationOrigin("127.0.0.1", 1, None, name) for name in ("ours", "theirs"))
    ticks = Ticks(failed_runs, sqlite_instance, tmp_path, location=ours)
    ticks.tick()
    for location in (theirs, ours, theirs):
        origin = RemoteJobOrigin(RemoteRepositoryOrigin(location, "__repository__"), "anything")
        run = sqlite_instance.create_run_for_job(
            anything, status=dg.DagsterRunStatus.STARTED, remote_job_origin=origin, job_code_origin=None
        )
        sqlite_instance.report_run_failed(run, location.location_name)
    ticks.tick()
    assert [one["error"] for one in hook.taken] == ["ours"]


@pytest.mark.parametrize("sensor", [failed_runs, failed_gates])
def test_without_an_address_a_tick_skips_with_the_remedy_and_what_failed_meanwhile_is_not_told(
    sensor: dg.SensorDefinition,
    sqlite_instance: dg.DagsterInstance,
    hook: AlertHook,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address = hook.address()
    monkeypatch.delenv(WEBHOOK)
    work, ticks = Work(), Ticks(sensor, sqlite_instance, tmp_path)
    work.gates = (False, True, True)
    work.run(sqlite_instance, blocking=True)
    assert "Set TOUCHSTONE_ALERT_WEBHOOK to the webhook's address" in ticks.tick()
    monkeypatch.setenv(WEBHOOK, address)
    assert "Alerts begin here" in ticks.tick()
    work.run(sqlite_instance, blocking=True)
    ticks.tick()
    assert len(hook.taken) == 1


@pytest.mark.parametrize("sensor", [failed_runs, failed_gates])
def test_no_secret_is_in_a_message_a_tick_or_a_log(
    sensor: dg.SensorDefinition,
    sqlite_instance: dg.DagsterInstance,
    hook: AlertHook,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG")
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", "postgresql://me:planted%2Fpass%3Aword%402026@127.0.0.1/ledger")
    ticks = Ticks(sensor, sqlite_instance, tmp_path)
    said = [ticks.tick()]
    planted = f"{KEY} and {PASSWORD} at {hook.address(f'/services/{TOKEN}?auth={QUERY}')}"
    work = Work()
    work.gates, work.words = (False, True, True), planted
    work.error = RuntimeError(planted) if sensor is failed_runs else None
    work.run(sqlite_instance)
    caplog.clear()  # what the run itself logs is the run's
    capfd.readouterr()
    hook.status, hook.headers = 302, {"Location": hook.address(f"/{TOKEN}")}
    said.append(ticks.refused())
    hook.status = 200
    said.append(ticks.tick())
    assert len(hook.taken) == 1
    assert "***" in hook.taken[0]["text"]
    everything = "".join([*said, ticks.cursor or "", caplog.text, *capfd.readouterr()])
    assert not [secret for secret in SECRETS if secret in everything]
    assert not [secret for secret in SECRETS for body in hook.bodies if secret.encode() in body]


def test_a_study_with_a_failing_gate_and_a_bad_file_tells_both(
    sqlite_instance: dg.DagsterInstance, hook: AlertHook, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("nothing,known\n1,2\n")
    gates = EvaluationGates(min_srcc=0.99)
    datasets = {"good": Dataset(file=write_scores(tmp_path / "good.csv"), gates=gates), "bad": Dataset(file=bad)}
    both = [Ticks(sensor, sqlite_instance, tmp_path) for sensor in (failed_runs, failed_gates)]
    [ticks.tick() for ticks in both]
    evaluate(study_over(tmp_path, datasets), sqlite_instance)
    [ticks.tick() for ticks in both]
    run, gate = hook.taken
    assert (run["kind"], run["job"]) == ("run_failed", "evaluation")
    assert "bad.csv" in run["error"]
    assert (gate["kind"], gate["partition"], gate["seen"]) == ("gate_failed", "good", pytest.approx(SRCC))


def test_both_are_off_until_they_are_switched_on_and_name_what_must_be_set(tmp_path: Path) -> None:
    definitions = definitions_of(study_over(tmp_path, {}))
    names = {sensor.name: sensor for sensor in definitions.sensors or []}
    assert isinstance((definitions.resources or {})["alerts"], AlertWebhook)
    for sensor in (names["failed_runs"], names["failed_gates"]):
        assert isinstance(sensor, dg.SensorDefinition)
        assert sensor.default_status == dg.DefaultSensorStatus.STOPPED
        assert "`TOUCHSTONE_ALERT_WEBHOOK`" in (sensor.description or "")
