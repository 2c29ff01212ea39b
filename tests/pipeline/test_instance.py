"""Dagster's instance of a home: set up once, and cleared of runs that a kill left behind."""

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import dagster as dg
import psutil
import pytest
import sqlalchemy as sa
from upath import UPath

from pipeline.instance import (
    HOST,
    PROCESS,
    _usable_state,
    only_daemon,
    open_instance,
    prepare_instance,
    report_killed_runs,
    this_process,
)
from resources.errors import UserError
from resources.runtime.home import CHECKOUT, DAGSTER_POSTGRES_URL, Home, touchstone_home
from tests.deploy.configured_study import write_configured_study

pytestmark = pytest.mark.slow

PATIENCE_S = 60.0


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DAGSTER_HOME", "")
    return touchstone_home()


def started(instance: dg.DagsterInstance, tags: dict[str, str], parent: str | None = None) -> str:
    """The id of a run that Dagster takes for running."""

    @dg.job
    def anything() -> None: ...

    run = instance.create_run_for_job(
        anything, tags=tags, status=dg.DagsterRunStatus.STARTED, parent_run_id=parent, root_run_id=parent
    )
    return run.run_id


def status_of(instance: dg.DagsterInstance, run_id: str) -> dg.DagsterRunStatus:
    run = instance.get_run_by_id(run_id)
    assert run is not None
    return run.status


def process_that_ended() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_the_instance_lies_in_the_home_with_the_projects_settings(home: Home) -> None:
    with open_instance(home) as instance:
        assert Path(instance.root_directory) == home.dagster
        assert os.environ["DAGSTER_HOME"] == str(home.dagster)
        assert instance.telemetry_enabled is False
    assert (home.dagster / "dagster.yaml").read_bytes() == (CHECKOUT / "dagster.yaml").read_bytes()
    assert not list(home.dagster.glob("*.new"))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (sqlite3.SQLITE_FULL, "dagster cannot be used: words. Make room"),
        (sqlite3.SQLITE_IOERR | 6 << 8, "dagster cannot be used: words. Make room"),
        (sqlite3.SQLITE_BUSY, "dagster cannot be used: words. Another process holds it"),
        (sqlite3.SQLITE_CORRUPT, "dagster cannot be used: words. It is damaged. Move that folder away"),
    ],
)
def test_what_goes_wrong_with_dagsters_database_during_a_run_is_the_users_to_fix(
    code: int, said: str, home: Home
) -> None:
    problem = sqlite3.OperationalError("words")
    problem.sqlite_errorcode = code
    with pytest.raises(UserError, match=said), open_instance(home):
        raise sa.exc.OperationalError("INSERT", {}, problem)


@pytest.mark.parametrize("settings", [b"a: [", b"storage: {nope: 1}", b"a: \xff"])
def test_settings_that_dagster_does_not_take_are_the_users_to_fix(settings: bytes, home: Home) -> None:
    prepare_instance(home)
    (home.dagster / "dagster.yaml").write_bytes(settings)
    with pytest.raises(UserError, match=r"dagster\.yaml is not as Dagster takes it.*or remove it"), open_instance(home):
        pytest.fail("it is open")


def test_a_server_that_goes_away_during_a_run_is_named(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    utils = pytest.importorskip("dagster_postgres.utils")
    monkeypatch.setenv(DAGSTER_POSTGRES_URL, "postgresql://me:secret@127.0.0.1:1/state")
    monkeypatch.setattr(Home, "asks_for_postgres", True)
    gone = sa.exc.OperationalError("SELECT", {}, Exception("connection refused"))
    words = r"database postgresql.*127\.0\.0\.1:1/state cannot be used: connection refused"
    with pytest.raises(UserError, match=words) as said, _usable_state(home):
        raise utils.DagsterPostgresException("too many retries for DB connection") from gone
    assert "secret" not in str(said.value)


def test_settings_that_a_user_changed_stay(home: Home) -> None:
    prepare_instance(home)
    (home.dagster / "dagster.yaml").write_text("telemetry:\n  enabled: false\n")
    prepare_instance(home)
    assert (home.dagster / "dagster.yaml").read_text() == "telemetry:\n  enabled: false\n"


def test_a_file_that_is_named_is_taken_whenever_it_differs_and_what_was_there_is_kept(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare_instance(home)
    named = tmp_path / "dagster.yaml"
    monkeypatch.setenv("TOUCHSTONE_DAGSTER_YAML", str(named))
    for limit in (2, 3):
        named.write_text(f"concurrency:\n  runs:\n    max_concurrent_runs: {limit}\n")
        prepare_instance(home)
        assert (home.dagster / "dagster.yaml").read_text() == named.read_text()
    assert "max_concurrent_runs: 2" in (home.dagster / "dagster.yaml.before").read_text()
    monkeypatch.delenv("TOUCHSTONE_DAGSTER_YAML")
    prepare_instance(home)
    assert (home.dagster / "dagster.yaml").read_text() == named.read_text()


def test_settings_on_postgres_take_the_ledgers_database_and_ask_for_one(
    home: Home, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_DAGSTER_YAML", str(CHECKOUT / "deploy/postgres/dagster.yaml"))
    monkeypatch.setenv("DAGSTER_POSTGRES_URL", "")
    with pytest.raises(UserError, match="Set TOUCHSTONE_DATABASE_URL to its address"):
        prepare_instance(home)
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", "postgresql://me:hush@127.0.0.1:1/none")
    with pytest.raises(UserError, match="127.0.0.1:1/none cannot be used") as raised:
        prepare_instance(home)
    assert "hush" not in str(raised.value)
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", postgres_url)
    prepare_instance(home)
    assert os.environ["DAGSTER_POSTGRES_URL"] == postgres_url.replace("postgresql:", "postgresql+psycopg2:")


def test_a_settings_file_that_is_not_there_is_named(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_DAGSTER_YAML", "absent.yaml")
    with pytest.raises(UserError, match="absent.yaml, which is no file"):
        prepare_instance(home)


def test_a_home_of_another_study_is_refused_before_anything_is_made(home: Home) -> None:
    home.claim("other")
    with pytest.raises(UserError, match="holds the study 'other', not 'sample'"):
        prepare_instance(home)
    assert not home.dagster.exists()


def test_a_run_whose_process_was_killed_is_marked_failed(instance: dg.DagsterInstance) -> None:
    run = started(instance, {HOST: socket.gethostname(), PROCESS: str(process_that_ended())})
    report_killed_runs(instance)
    assert status_of(instance, run) == dg.DagsterRunStatus.FAILURE


@pytest.mark.parametrize(
    "tags",
    [this_process(), {HOST: "another machine", PROCESS: "1"}, {}],
    ids=["alive", "on another machine", "started by the UI"],
)
def test_other_runs_are_left_alone(instance: dg.DagsterInstance, tags: dict[str, str]) -> None:
    run = started(instance, tags)
    report_killed_runs(instance)
    assert status_of(instance, run) == dg.DagsterRunStatus.STARTED


def test_a_run_that_the_ui_executes_again_is_not_taken_for_the_killed_one(instance: dg.DagsterInstance) -> None:
    killed = {HOST: socket.gethostname(), PROCESS: str(process_that_ended())}
    first = started(instance, killed)
    again = started(instance, killed, parent=first)
    report_killed_runs(instance)
    assert status_of(instance, first) == dg.DagsterRunStatus.FAILURE
    assert status_of(instance, again) == dg.DagsterRunStatus.STARTED


def test_a_killed_run_gives_its_place_in_a_pool_back_and_a_living_one_keeps_it(
    sqlite_instance: dg.DagsterInstance,
) -> None:
    storage = sqlite_instance.event_log_storage
    killed = started(sqlite_instance, {HOST: socket.gethostname(), PROCESS: str(process_that_ended())})
    alive = started(sqlite_instance, this_process())
    for pool, run in (("gpu", killed), ("report", alive)):
        storage.initialize_concurrency_limit_to_default(pool)
        assert storage.claim_concurrency_slot(pool, run, "step").is_claimed
    report_killed_runs(sqlite_instance)
    assert storage.claim_concurrency_slot("gpu", "another run", "step").is_claimed
    assert not storage.claim_concurrency_slot("report", "another run", "step").is_claimed


def place_is_free(home: Home) -> bool:
    try:
        with only_daemon(home):
            return True
    except UserError:
        return False


@pytest.mark.parametrize("command", ["serve", "dev"])
def test_a_second_daemon_is_refused_before_anything_starts(home: Home, command: str) -> None:
    prepare_instance(home)
    with only_daemon(home):
        second = subprocess.run(
            [str(Path(sys.executable).parent / "touchstone"), command, "--port", "0"], capture_output=True, text=True
        )
    assert second.returncode == 2
    assert f"There is a daemon for {home.local} already: touchstone on {socket.gethostname()} (process" in second.stderr
    assert "Home:" not in second.stderr


def test_what_a_killed_dev_had_started_keeps_the_daemons_place_until_it_ends(home: Home, tmp_path: Path) -> None:
    shutil.move(write_configured_study(tmp_path / "study"), home.local)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(Path(sys.executable).parent / "touchstone"), "dev", "--port"]
    said = tmp_path / "said.txt"
    with said.open("wb") as words:
        killed = subprocess.Popen([*command, str(port)], stdout=words, stderr=words, process_group=0)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while len(psutil.Process(killed.pid).children()) < 2:  # web UI and daemon
            assert killed.poll() is None, said.read_text()
            assert time.monotonic() < deadline, said.read_text()
            time.sleep(0.05)
        killed.kill()
        killed.wait()
        second = subprocess.run(
            [*command, "0"], capture_output=True, text=True, timeout=PATIENCE_S, process_group=killed.pid
        )
        assert second.returncode == 2
        assert "There is a daemon" in second.stderr
        assert "What a killed `touchstone serve` or `dev` had started lives on" in second.stderr
    finally:
        os.killpg(killed.pid, signal.SIGKILL)
    prepare_instance(home)
    while not place_is_free(home):
        assert time.monotonic() < deadline + PATIENCE_S
        time.sleep(0.05)


def test_what_a_killed_code_server_left_under_way_is_ended_before_another_one_starts(home: Home) -> None:
    elsewhere = {HOST: "another machine", PROCESS: "1"}
    with open_instance(home) as instance:
        lost, of_a_command = started(instance, {}), started(instance, elsewhere)
        again = started(instance, elsewhere, parent=of_a_command)
        with only_daemon(home):
            assert status_of(instance, lost) == dg.DagsterRunStatus.FAILURE
            assert status_of(instance, again) == dg.DagsterRunStatus.FAILURE
            assert status_of(instance, of_a_command) == dg.DagsterRunStatus.STARTED


def test_one_database_has_one_daemon_whatever_the_home(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postgres_url: str
) -> None:
    monkeypatch.setenv("TOUCHSTONE_DAGSTER_YAML", str(CHECKOUT / "deploy/postgres/dagster.yaml"))
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", postgres_url)
    monkeypatch.setenv(DAGSTER_POSTGRES_URL, "")
    prepare_instance(home)
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "other"))
    other = touchstone_home()
    prepare_instance(other)
    with only_daemon(home), pytest.raises(UserError, match="There is a daemon"), only_daemon(other):
        raise AssertionError("two daemons")
    with only_daemon(other):
        pass


def test_dagster_finds_its_settings_in_a_home_whose_path_has_brackets(tmp_path, monkeypatch):
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    folder = tmp_path / "study [v2] *é"
    home = Home(UPath(folder), folder)
    with open_instance(home) as instance:
        assert not instance.telemetry_enabled
        assert instance.run_retries_enabled
        assert Path(instance.root_directory).resolve() == home.dagster.resolve()
    with open_instance(home):
        assert Path(os.environ["DAGSTER_HOME"]).readlink() == home.dagster
    Path(os.environ["DAGSTER_HOME"]).unlink()
