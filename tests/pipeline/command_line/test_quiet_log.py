"""What `touchstone dev` shows of its servers' log: runs, warnings and errors, not the ticks of an idle hour."""

import os
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from pipeline.command_line.dev import is_shown, pass_on

RUN = "dagster - DEBUG - evaluation - 5070fb85-23db-494c-98cf-29cd1adef5d5 - 30764"
# As Dagster 1.13.27 wrote them in an hour with one new data set, without the time.
IDLE = [
    "dagster.daemon - INFO - Instance is configured with the following daemons: ['AssetDaemon', 'BackfillDaemon']",
    "dagster.daemon.SensorDaemon - INFO - Checking for new runs for sensor: new_datasets",
    "dagster.daemon.SensorDaemon - INFO - Sensor new_datasets skipped: No data set is new or changed.",
    "dagster.daemon.SensorDaemon - INFO - No run requests returned for refresh, skipping",
    "dagster.daemon.MonitoringDaemon - INFO - Collected 1 runs for monitoring",
    "dagster.daemon.MonitoringDaemon - INFO - Checking run 5070fb85-23db-494c-98cf-29cd1adef5d5",
    "dagster.code_server - WARNING - No heartbeat received in 20 seconds, shutting down",
    f"{RUN} - ENGINE_EVENT - Executing steps in process (pid: 30764)",
    f'{RUN} - correlation - STEP_START - Started execution of step "correlation".',
]
SHOWN = [
    "dagster.daemon.SensorDaemon - INFO - Launching run for new_datasets",
    "dagster.daemon.SensorDaemon - INFO - Completed launch of run 5070fb85-23db-494c for new_datasets",
    "dagster.daemon.QueuedRunCoordinatorDaemon - INFO - Launched 1 runs.",
    "dagster.daemon.EventLogConsumerDaemon - WARNING - No cursor for event type RUN_FAILURE, ignoring older events",
    "dagster.daemon.SensorDaemon - ERROR - Sensor daemon caught an error for sensor failed_gates",
    "dagster.code_server - WARNING - a warning of another kind",
    "dagster-webserver - INFO - Serving dagster-webserver on http://127.0.0.1:3000 in process 23540",
    f'{RUN} - RUN_START - Started execution of run for "evaluation".',
    f'{RUN} - RUN_SUCCESS - Finished execution of run for "evaluation".',
    f"{RUN.replace('DEBUG', 'ERROR')} - correlation - STEP_FAILURE - Execution of step failed.",
    f"{RUN.replace('DEBUG', 'INFO')} - judge_calls - 120 of 240 calls",
]


def timed(line: str) -> str:
    return f"2026-11-29 04:28:59 +0000 - {line}"


def coloured(line: str) -> str:
    level = line.split(" - ")[1]
    return f"\x1b[32m2026-11-29 04:28:59 +0000\x1b[0m - {line.replace(level, f'{chr(27)}[34m{level}{chr(27)}[0m', 1)}"


@pytest.mark.parametrize("line", IDLE)
def test_an_idle_tick_and_a_runs_steps_are_not_shown(line: str) -> None:
    assert not is_shown(timed(line))
    assert not is_shown(coloured(line))


@pytest.mark.parametrize("line", SHOWN)
def test_runs_warnings_and_errors_are_shown(line: str) -> None:
    assert is_shown(timed(line))
    assert is_shown(coloured(line))


@pytest.mark.parametrize("line", ["", "Traceback (most recent call last):", "UserWarning: the disk is nearly full"])
def test_a_line_of_no_logger_is_shown(line: str) -> None:
    assert is_shown(line)


def test_what_a_process_writes_comes_through_but_for_idle_lines(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    lines = [timed(IDLE[1]), timed(SHOWN[0]), "no line of a log: \u00e9"]
    code = f"import sys; sys.stdout.buffer.write({(chr(10).join(lines) + chr(10)).encode()!r} + b'\\xff, cut off')"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    pass_on(process, threading.Event()).join(30)
    process.wait()
    assert capfdbinary.readouterr().out == "\n".join([*lines[1:], ""]).encode() + b"\xff, cut off"


def test_nothing_comes_through_once_ctrl_c_was_pressed(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    stopping = threading.Event()
    threading.Timer(0.5, stopping.set).start()  # the process hears of it first
    process = subprocess.Popen(
        [sys.executable, "-c", "raise KeyboardInterrupt"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    pass_on(process, stopping).join(30)
    assert process.wait() != 0
    assert capfdbinary.readouterr().out == b""


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_process_does_not_wait_for_an_output_that_nothing_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes, "wb", buffering=0) as nothing:
        monkeypatch.setattr("sys.stdout", SimpleNamespace(buffer=nothing))
        # More than a pipe holds.
        process = subprocess.Popen(
            [sys.executable, "-c", "print('a line of many words\\n' * 20_000)"], stdout=subprocess.PIPE
        )
        pass_on(process, threading.Event()).join(30)
        try:
            assert process.wait(30) == 0
        finally:
            process.kill()
