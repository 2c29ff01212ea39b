"""The command line in surroundings that are not usual: one line and an exit status, and no traceback."""

import io
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from pipeline.command_line import main
from pipeline.command_line.terminal import show_line, terminal
from resources.errors import UserError
from resources.runtime.home import CHECKOUT, touchstone_home


def touchstone(home: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    named = {"PATH": os.environ["PATH"], "PYTHONPATH": str(CHECKOUT), "TOUCHSTONE_HOME": str(home), "COLUMNS": "200"}
    code = "from pipeline.command_line.main import run; run()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], env=named | environment, capture_output=True, check=False, timeout=120
    )


def test_a_sentence_is_broken_between_words_at_a_terminal_and_is_one_line_elsewhere():
    sentence = "needed at least 0.7: holds by the estimate, not proven"
    for settings, lines in (
        ({"color_system": "standard"}, ["  needed at least 0.7: holds", "  by the estimate, not", "  proven"]),
        ({}, [f"  {sentence}"]),
    ):
        out = io.StringIO()
        show_line(terminal(file=out, width=28, **settings), sentence, 2)
        assert [line.rstrip() for line in out.getvalue().splitlines()] == lines


def test_nothing_printed_is_read_as_markup(capsys):
    terminal().print("home /studies/study [v2] [red]x[/red] :smile:", soft_wrap=True)
    assert capsys.readouterr().out == "home /studies/study [v2] [red]x[/red] :smile:\n"


def test_it_says_which_version_it_is(monkeypatch):
    monkeypatch.setattr("resources.runtime.provenance.current_commit", lambda: "0123abc")
    said = CliRunner().invoke(main.application, ["--version"])
    assert (said.exit_code, said.output) == (0, f"touchstone {version('touchstone')} (0123abc)\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment",
    [
        # Each takes three seconds: what cannot hide what the other does is tried at once.
        {"PYTHONWARNINGS": "error", "LANG": "C", "LC_ALL": "C"},
        {"MPLBACKEND": "nonsense", "PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "cp1252"},
    ],
    ids=lambda one: "-".join(f"{name}={value}" for name, value in one.items()),
)
def test_the_home_is_named_in_surroundings_that_are_not_usual(tmp_path, environment):
    # No HOME is set here either.
    home = tmp_path / "study [v2] \u4f60\u597d"
    done = touchstone(home, "doctor", **environment)
    assert b"Traceback" not in done.stderr + done.stdout
    assert done.returncode == 0, done.stderr
    assert b"study [v2] " in done.stdout


def test_a_home_whose_name_is_no_text_is_refused(monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_HOME", "/studies/\udce9")
    with pytest.raises(UserError, match="TOUCHSTONE_HOME: .* is not UTF-8. Rename the folder"):
        touchstone_home()


@pytest.mark.slow
def test_a_home_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    done = touchstone(tmp_path / "file" / "home", "run", "evaluation")
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert done.stderr.startswith(b"Error: ")
    assert len(done.stderr.decode().strip().splitlines()) == 1


def test_a_fault_of_ours_is_one_line_and_its_details_are_kept(monkeypatch, capsys):
    broken = typer.Typer(pretty_exceptions_enable=False)

    @broken.command()
    def fails() -> None:
        raise ZeroDivisionError("seven\nby nothing")

    monkeypatch.setattr(main, "application", broken)
    monkeypatch.setattr(sys, "argv", ["touchstone"])
    with pytest.raises(SystemExit) as ended:
        main.run()
    said = capsys.readouterr().err
    assert ended.value.code == 1
    assert said.startswith("Error: ZeroDivisionError: seven by nothing. This is a fault of Touchstone; send its ")
    kept = Path(said.rstrip(".\n").rsplit(" ", 1)[1])
    assert "raise ZeroDivisionError" in kept.read_text()
    kept.unlink()
