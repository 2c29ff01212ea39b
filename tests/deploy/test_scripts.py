"""The scripts of every deployment are ones that bash reads, may be executed, and listen where they say."""

import os
import subprocess
from pathlib import Path

import pytest

from resources.runtime.home import CHECKOUT

SCRIPTS = sorted((CHECKOUT / "deploy").rglob("*.sh"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_bash_reads_the_script(script: os.PathLike[str]) -> None:
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", os.fspath(script)], check=True)


def test_there_are_two_scripts_for_postgres_and_two_for_ray() -> None:
    assert [f"{path.parent.name}/{path.name}" for path in SCRIPTS] == [
        "postgres/start.sh",
        "postgres/touchstone.sh",
        "ray/head.sh",
        "ray/worker.sh",
    ]


def test_the_start_script_asks_for_its_variables() -> None:
    done = subprocess.run([str(CHECKOUT / "deploy/postgres/start.sh")], capture_output=True, text=True)
    assert done.returncode != 0
    assert "example.env" in done.stderr


@pytest.mark.parametrize("line", [" OPENAI_API_KEY=hush", "export OPENAI_API_KEY=hush", "OPENAI_API_KEY: hush"])
def test_the_start_script_names_a_line_that_it_cannot_read_by_its_number_alone(tmp_path: Path, line: str) -> None:
    settings = tmp_path / "touchstone.env"
    settings.write_text(f"# A comment\nTOUCHSTONE_HOME={tmp_path}\n{line}\n")
    done = subprocess.run(
        [str(CHECKOUT / "deploy/postgres/start.sh"), str(settings)],
        env=os.environ | {"TOUCHSTONE_COMMAND": "true"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr == (
        f"{settings}, line 3: not NAME=value. Begin it with the name, without blanks and without export.\n"
    )


def test_a_command_gets_its_variables_as_they_stand_in_the_file(tmp_path: Path) -> None:
    settings = tmp_path / "touchstone.env"
    settings.write_text("TOUCHSTONE_ALERT_WEBHOOK=https://hook.example/a?b=c&d=$e 'f\nTOUCHSTONE_COMMAND=env\n")
    done = subprocess.run(
        [str(CHECKOUT / "deploy/postgres/touchstone.sh"), "touchstone.env"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "TOUCHSTONE_ALERT_WEBHOOK=https://hook.example/a?b=c&d=$e 'f" in done.stdout.splitlines()
    assert f"TOUCHSTONE_DAGSTER_YAML={CHECKOUT / 'deploy/postgres/dagster.yaml'}" in done.stdout.splitlines()


def test_ray_takes_the_options_that_its_scripts_give() -> None:
    from click.testing import CliRunner
    from ray.scripts.scripts import cli

    known = CliRunner().invoke(cli, ["start", "--help"]).output
    for script in ("head.sh", "worker.sh"):
        text = (CHECKOUT / "deploy/ray" / script).read_text()
        line = next(line for line in text.splitlines() if line.startswith("exec"))
        options = [word for word in line.split() if word.startswith("--")]
        assert options
        assert all(option in known for option in options), script
