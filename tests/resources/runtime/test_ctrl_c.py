"""Ctrl+C: one line, exit code 130, no traceback, also while modules are loaded."""

import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest

from resources.runtime import ctrl_c
from resources.runtime.dagster_internals import compute_logs

ROOT = Path(__file__).resolve().parents[3]
PRESS = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"


@pytest.fixture(autouse=True)
def listening(signals_as_before: None) -> None:
    """Signals reach the programs of these tests, also where the tests run in a script's background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def ended(folder: Path, code: str) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{folder}"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "code",
    [
        "import pressed",
        "PRESS",
        # No code catches an exception in a finaliser.
        "class Last:\n    def __del__(self):\n        PRESS\nlast = Last()\ndel last\nimport time; time.sleep(10)",
    ],
    ids=["import", "between", "finaliser"],
)
def test_wherever_it_comes_one_line_is_printed(tmp_path: Path, code: str) -> None:
    (tmp_path / "pressed.py").write_text(PRESS)
    begun = "from resources.runtime import ctrl_c; ctrl_c.listen()\n"
    assert ended(tmp_path, begun + code.replace("PRESS", PRESS)) == (130, ctrl_c.SAID)


def test_a_command_ends_with_it_whatever_a_library_made_of_it(tmp_path: Path) -> None:
    code = f"""
import sys
from pipeline.command_line import main
@main.application.command("pressed")
def pressed():
    try:
        {PRESS}
    except KeyboardInterrupt:
        raise ValueError("a pool is broken")
sys.argv = ["touchstone", "pressed"]
main.run()"""
    code, said = ended(tmp_path, code)
    assert code == 130
    assert said.endswith(ctrl_c.SAID)
    assert "Traceback" not in said


def test_a_handler_of_dagster_waits_until_an_import_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pressed_here.py").write_text(f"{PRESS}; import time; time.sleep(0.12); loaded = True")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(ctrl_c, "_pressed", False)
    seen = []
    before = signal.signal(signal.SIGINT, ctrl_c.outside_imports(lambda *_: seen.append("handled")))
    try:
        assert import_module("pressed_here").loaded
        seen.append("imported")
        time.sleep(2 * ctrl_c.AGAIN_S)
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == ["imported", "handled"]


def test_processes_that_show_what_a_step_prints_are_out_of_its_reach(tmp_path: Path) -> None:
    (tmp_path / "log").touch()
    with compute_logs.execute_posix_tail(str(tmp_path / "log"), sys.__stdout__) as helpers:
        assert all(os.getsid(process) == process for process in helpers)
