"""Progress of long work: lines for the log, a bar for the terminal."""

import io
import logging

import pytest
from rich.console import Console

from resources.runtime.progress import BarProgress, LoggedProgress, TracksProgress

LOG = logging.getLogger("test_progress")


class Clock:
    """Time that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("resources.runtime.progress.time", clock)
    return clock


def test_the_log_gets_a_line_every_ten_seconds_with_rate_and_time_left(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with LoggedProgress().track("calls", 100, LOG) as advance:
        for _ in range(24):
            clock.now += 1
            advance(2)
    # At 10 s: 20 done, 2 a second, 80 left take 40 s. At 20 s: 40 done, 60 left take 30 s. Then the end.
    assert caplog.messages == [
        "20 of 100 calls, 2.0 a second, 40 s left",
        "40 of 100 calls, 2.0 a second, 30 s left",
        "48 of 100 calls in 24.0 s",
    ]


def test_short_work_gets_the_last_line_only(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with LoggedProgress().track("calls", 3, LOG) as advance:
        for _ in range(3):
            clock.now += 0.5
            advance()
    assert caplog.messages == ["3 of 3 calls in 1.5 s"]


def test_the_bar_shows_how_many_of_how_many(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=120)
    with BarProgress(console).track("judge calls", 4, LOG) as advance:
        advance(3)
        advance()
    assert "judge calls" in shown.getvalue()
    assert "4/4" in shown.getvalue()
    assert caplog.messages == ["4 judge calls"]


@pytest.mark.parametrize("progress", [LoggedProgress(), BarProgress(Console(file=io.StringIO()))])
def test_an_error_in_the_work_comes_through(progress: TracksProgress) -> None:
    with pytest.raises(RuntimeError, match="broken"), progress.track("calls", 2, LOG):
        raise RuntimeError("broken")
