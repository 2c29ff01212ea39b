"""An option that is given twice where one is read is a mistake, not the last one's right."""

from pathlib import Path

import click
import pytest
import typer
from typer.testing import CliRunner

from pipeline.command_line.given_once import OnceCommand
from pipeline.command_line.main import application


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["evaluate", "correlation", "a.csv", "--seed", "1", "--seed", "2"], "--seed is given several times"),
        (["evaluate", "mcq", "a.csv", "--parallel", "--sequential"], "--parallel/--sequential is given"),
        (["evaluate", "mcq", "a.csv", "-o", "a", "--output", "b"], "--output/-o is given several times"),
        (["dev", "--port", "1", "--port", "2"], "--port is given several times"),
        (["evaluate", "correlation", "a.csv", "--ties", "nan"], "'--ties': nan is no finite number"),
    ],
)
def test_an_option_given_twice_or_with_no_number_is_refused(tmp_path: Path, arguments: list[str], named: str) -> None:
    ran = CliRunner().invoke(application, arguments, env={"TOUCHSTONE_HOME": str(tmp_path), "COLUMNS": "200"})
    assert ran.exit_code == 2
    assert named in " ".join(ran.output.split())


@pytest.mark.parametrize("arguments", [["dev", "--port", "99999"], ["serve", "--code-port", "-1"]])
def test_a_port_that_none_has_is_refused(tmp_path: Path, arguments: list[str]) -> None:
    ran = CliRunner().invoke(application, arguments, env={"TOUCHSTONE_HOME": str(tmp_path)})
    assert ran.exit_code == 2
    assert "is not in the range" in ran.output


def test_an_option_that_is_read_several_times_may_be_given_so() -> None:
    ran = CliRunner().invoke(
        application, ["evaluate", "correlation", "a.csv", "--prediction", "a", "--prediction", "b"]
    )
    assert "several times" not in ran.output


def test_a_file_that_ends_too_early_is_a_fault_with_its_words() -> None:
    def ended() -> None:
        raise EOFError("marshal data too short")

    command = OnceCommand("gates", callback=ended)
    with pytest.raises(RuntimeError, match="EOFError: marshal data too short"):
        command.main([], standalone_mode=True)


def test_every_command_is_of_this_kind() -> None:
    def commands(command: click.Command) -> list[click.Command]:
        return [one for sub in getattr(command, "commands", {}).values() for one in commands(sub)] or [command]

    assert all(isinstance(one, OnceCommand) for one in commands(typer.main.get_command(application)))
