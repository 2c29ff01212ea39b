"""The installation on Postgres: three processes of the start script run a study, and stop without a trace."""

import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest
import sqlalchemy as sa
import yaml

from pipeline.command_line.serve import group_lives
from resources.database.engine import open_engine
from resources.runtime.home import CHECKOUT
from tests.deploy.configured_study import SETTINGS, environment, touchstone, write_configured_study
from tests.small_study import KEYS, OBJECTS

PATIENCE_S = 300.0
LAUNCH = """
mutation($params: ExecutionParams!) {
  launchRun(executionParams: $params) {
    __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message }
  }
}
"""
STATUS = "query($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"


class Installation(NamedTuple):
    """What runs: the script's process, its home, what it has said, and the web UI's address."""

    script: subprocess.Popen[bytes]
    home: Path
    said: Path
    web: str

    def ask(self, query: str, **variables: Any) -> Any:
        """The web UI's answer to a GraphQL question."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(f"{self.web}/graphql", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)["data"]

    def launch(self, first: str, last: str) -> str:
        """The id of a run of study A over these settings, put into the queue as the UI does."""
        tags = {"dagster/asset_partition_range_start": first, "dagster/asset_partition_range_end": last}
        params = {
            "selector": {
                "repositoryName": "__repository__",
                "repositoryLocationName": "touchstone",
                "jobName": "fidelity",
            },
            "runConfigData": {},
            "executionMetadata": {"tags": [{"key": key, "value": value} for key, value in tags.items()]},
        }
        answer = self.ask(LAUNCH, params=params)["launchRun"]
        assert answer["__typename"] == "LaunchRunSuccess", answer
        return str(answer["run"]["runId"])

    def status(self, run: str) -> str:
        """Of a run, as the UI shows it."""
        return str(self.ask(STATUS, id=run)["runOrError"]["status"])

    def await_status(self, run: str, *statuses: str) -> None:
        """Wait until a run has one of them; each question costs the UI's process as much as a page."""
        until(lambda: self.status(run) in statuses, f"the run as {statuses[0]}", every_s=1)

    def processes(self) -> dict[str, int]:
        """Name to process of what the script says it started."""
        found = re.findall(r"^(code server|web UI|daemon) +process (\d+)", self.said.read_text(), re.MULTILINE)
        return {name: int(process) for name, process in found}


def until(happened: Callable[[], bool], what: str, every_s: float = 0.2) -> None:
    """Wait for something that takes as long as the machine takes."""
    deadline = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < deadline, f"{what} did not happen within {PATIENCE_S:.0f} s"
        time.sleep(every_s)


def free_ports() -> tuple[int, int]:
    """Two ports that nobody listens on."""
    with socket.socket() as first, socket.socket() as second:
        first.bind(("127.0.0.1", 0))
        second.bind(("127.0.0.1", 0))
        return first.getsockname()[1], second.getsockname()[1]


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def installation(tmp_path: Path, postgres_url: str) -> Iterator[Installation]:
    home = write_configured_study(tmp_path / "study")
    variables = tmp_path / "touchstone.env"
    variables.write_text(f"# A comment\n\nTOUCHSTONE_HOME={home}\nTOUCHSTONE_DATABASE_URL={postgres_url}\n")
    web, code = free_ports()
    said = tmp_path / "said.txt"
    command = [str(CHECKOUT / "deploy/postgres/start.sh"), str(variables), "--port", str(web), "--code-port", str(code)]
    with said.open("wb") as words:
        script = subprocess.Popen(
            command, env=environment(home, TOUCHSTONE_COMMAND=touchstone()), stdout=words, stderr=words
        )
    running = Installation(script, home, said, f"http://127.0.0.1:{web}")
    try:
        until(lambda: "stops all three" in said.read_text() or script.poll() is not None, "the start")
        assert script.poll() is None, said.read_text()
        until(lambda: listens(web), "the web UI")
        yield running
    finally:
        if script.poll() is None:
            script.send_signal(signal.SIGTERM)
            script.wait(timeout=PATIENCE_S)
    assert not listens(web)
    assert not listens(code)


def test_a_study_runs_through_the_queue_and_its_state_lies_in_postgres(
    installation: Installation, postgres_url: str
) -> None:
    assert list(installation.processes()) == ["code server", "web UI", "daemon"]
    run = installation.launch(*SETTINGS)
    installation.await_status(run, "SUCCESS", "FAILURE", "CANCELED")
    assert installation.status(run) == "SUCCESS", installation.said.read_text()

    tables = installation.home / "tables" / "fidelity"
    assert set(pd.read_parquet(tables / "setting_summary.parquet")["setting"]) == set(SETTINGS)
    engine = open_engine(postgres_url)
    with engine.connect() as connection:

        def count(question: str) -> int:
            return connection.scalar(sa.text(question)) or 0

        assert count("SELECT count(*) FROM runs WHERE status = 'SUCCESS'") == 1
        assert count("SELECT count(*) FROM event_logs WHERE dagster_event_type = 'ASSET_MATERIALIZATION'") > 20
        assert count("SELECT count(*) FROM asset_check_executions") > 10
        # Objects with a ~ in their name are those of the golden set.
        asked = "SELECT count(*) FROM judge_calls WHERE setting = 't0.2_p1.0' AND object NOT LIKE '%~%'"
        assert count(asked) == 5 * len(OBJECTS)
    engine.dispose()
    # Nothing of Dagster's state is kept in the home but its settings and the runs' own words.
    assert not list((installation.home / "dagster").rglob("*.db"))

    # A second run is stopped in its middle, as by Ctrl+C.
    stopped = installation.launch(KEYS[0], KEYS[-1])
    installation.await_status(stopped, "STARTED")
    groups = installation.processes().values()
    installation.script.send_signal(signal.SIGINT)
    assert installation.script.wait(timeout=PATIENCE_S) == 0
    assert "All stopped." in installation.said.read_text()
    assert not [group for group in groups if group_lives(group)]
    engine = open_engine(postgres_url)
    with engine.connect() as connection:
        status = connection.scalar(sa.text("SELECT status FROM runs WHERE run_id = :run"), {"run": stopped})
    engine.dispose()
    assert status in ("FAILURE", "CANCELED")


@pytest.mark.parametrize("command", [("serve", "--port", "0", "--code-port"), ("dev", "--port")], ids=["serve", "dev"])
def test_a_taken_port_is_said_before_anything_starts(
    tmp_path: Path, postgres_url: str, command: tuple[str, ...]
) -> None:
    home = write_configured_study(tmp_path / "study")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = subprocess.run(
            [touchstone(), *command, str(taken.getsockname()[1])],
            env=environment(home, TOUCHSTONE_DATABASE_URL=postgres_url),
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
    assert done.returncode == 2
    assert f"is taken. Try another: {command[-1]}" in done.stderr
    assert "What a killed `touchstone serve` or `dev` had started lives on" in done.stderr
    assert not (home / "dagster").exists()


def test_the_settings_are_those_of_the_root_but_for_the_storage() -> None:
    postgres = yaml.safe_load((CHECKOUT / "deploy/postgres/dagster.yaml").read_text())
    assert postgres.pop("storage") == {"postgres": {"postgres_url": {"env": "DAGSTER_POSTGRES_URL"}}}
    assert postgres == yaml.safe_load((CHECKOUT / "dagster.yaml").read_text())


def test_the_example_of_variables_holds_no_secret_and_only_known_names() -> None:
    lines = (CHECKOUT / "deploy/postgres/example.env").read_text().splitlines()
    settings = dict(line.lstrip("# ").split("=", 1) for line in lines if re.match(r"(# )?[A-Z_]+=", line))
    documented = (CHECKOUT / "docs/operating.md").read_text()
    assert settings.keys() <= set(re.findall(r"`([A-Z_]+)`", documented))
    assert settings["OPENAI_API_KEY"] == ""
    assert os.access(CHECKOUT / "deploy/postgres/start.sh", os.X_OK)
