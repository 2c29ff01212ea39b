"""The scripts of every deployment are ones that bash reads, may be executed, and listen where they say."""

import os
import subprocess

import pytest

from resources.home import CHECKOUT

SCRIPTS = sorted((CHECKOUT / "deploy").rglob("*.sh"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_bash_reads_the_script(script: os.PathLike[str]) -> None:
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", os.fspath(script)], check=True)


def test_there_is_a_script_for_postgres_and_two_for_ray() -> None:
    assert [f"{path.parent.name}/{path.name}" for path in SCRIPTS] == [
        "postgres/start.sh",
        "ray/head.sh",
        "ray/worker.sh",
    ]


def test_the_start_script_asks_for_its_variables() -> None:
    done = subprocess.run([str(CHECKOUT / "deploy/postgres/start.sh")], capture_output=True, text=True)
    assert done.returncode != 0
    assert "example.env" in done.stderr


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
