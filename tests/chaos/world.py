"""A small installation of all four studies that can be disturbed: its program, its tables, and its judge's calls."""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest
import sqlalchemy as sa
from upath import UPath

from resources.configuration.load import read_configuration
from resources.database.engine import open_engine
from resources.runtime.home import Home
from resources.study import Study
from resources.tables.all_tables import BY_GROUP
from tests.chaos.stored import HISTORIES, contents, differing_files, latest, ledger_rows, of_this_run
from tests.deploy.configured_study import environment, touchstone
from tests.openai_server import Asked, OpenAIServer, Scripted, answered, valid_text
from tests.pipeline.week_inputs import FIRST_ITEM, FREE, STUDY, true_score, write_configuration, write_inputs
from tests.resources.judges.openai.asked import KEY
from tests.small_relevance import AGREED, OPPOSED, vote_on, write_queries

# What `touchstone run` takes; drift judges again what fidelity has chosen.
DRIFT, ANCHOR = "drift", ("anchor_scores", "drift")
TABLES_OF = {group: tuple(name for name in tables if name not in ANCHOR) for group, tables in BY_GROUP.items()}
TABLES_OF[DRIFT] = ANCHOR
STUDIES = tuple(TABLES_OF)
PATIENCE_S = 300
# Files that no table names.
OUTPUTS = {"evaluation": "evaluation/*/*", "reliability": "disagreements.csv"}
# People voted on what was in dispute among the first queries before the others came.
DISPUTED, UNDISPUTED = [OPPOSED] * 4, [AGREED] * 6
REVIEWERS = ("ann", "bob")


class World:
    """A home with inputs of its own; `variables` are added to the environment of its programs.

    `recorded` are the nonces of all calls whose answers were seen in the ledger, also where it lost them since.
    """

    def __init__(self, folder: Path, server: OpenAIServer, variables: Mapping[str, str] | None = None) -> None:
        self.folder, self.server, self.home = folder, server, folder / "home"
        self.outputs = self.home / "outputs"
        self.variables = dict(variables or {})
        self.recorded: set[str] = set()
        folder.mkdir(parents=True)
        write_inputs(folder, DISPUTED)
        write_configuration(folder, FREE)
        self._first, self._voted = len(server.requests), False

    @property
    def environment(self) -> dict[str, str]:
        """Of its programs: this process's without what it says of Touchstone."""
        judge = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": self.server.base_url}
        return environment(self.home, PYTHONWARNINGS="ignore", **judge, **self.variables)

    @property
    def database_url(self) -> str:
        """Of its ledger."""
        return self.variables.get("TOUCHSTONE_DATABASE_URL", f"sqlite:///{self.home / 'touchstone.db'}")

    def start(self, study: str) -> subprocess.Popen[bytes]:
        """`touchstone run STUDY` in a process group of its own."""
        return subprocess.Popen(
            [touchstone(), "run", study],
            cwd=self.folder,
            env=self.environment,
            stdout=(self.folder / f"{study}.log").open("ab"),
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def run(self, study: str) -> int:
        """The same, waited for; its exit code."""
        program = self.start(study)
        try:
            return program.wait(PATIENCE_S)
        finally:
            kill(program)

    def make_ready(self, study: str) -> None:
        """What has to be there before the study is disturbed: people's votes for reliability, fidelity for drift."""
        if study == DRIFT and "recommended_setting" not in self.tables("fidelity"):
            self.must_run("fidelity")
        if study == "reliability" and not self._voted:
            self.must_run(study)
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("TOUCHSTONE_DATABASE_URL", self.database_url)
                section = read_configuration(self.home / "touchstone.yaml").reliability
                home = Home(UPath(self.home), self.home)
                votes_on = Study(STUDY, None, home, reliability_section=section)
                n_voted = [vote_on(votes_on, reviewer=reviewer) for reviewer in REVIEWERS]
                votes_on.engine.dispose()
            if n_voted != [len(DISPUTED)] * len(REVIEWERS):
                raise RuntimeError(f"{n_voted} queries voted on, not {len(DISPUTED)} by each reviewer")
            write_queries(self.folder / "queries.jsonl", DISPUTED + UNDISPUTED)
            self._voted = True

    def must_run(self, study: str) -> None:
        """Run what nothing disturbs.

        Raises:
            RuntimeError: It failed.
        """
        if self.run(study):
            raise RuntimeError((self.folder / f"{study}.log").read_text()[-3000:])

    def tables(self, study: str) -> dict[str, pd.DataFrame]:
        """Each stored table of a study, the ledger's and files too, without what no two runs share.

        All partitions of a table are in the order of their names.
        """
        found = {}
        for name, frame in self._frames(study).items():
            found[name] = of_this_run(latest(frame) if name in HISTORIES else frame)
        if study == "reliability":
            with self._ledger() as connection:
                found |= {} if connection is None else ledger_rows(connection)
        if study in OUTPUTS:
            found["files"] = contents(self.outputs, OUTPUTS[study])
        return found

    def written(self) -> set[tuple[Path, int]]:
        """Each table's file, with when it was written."""
        return {(path, path.stat().st_mtime_ns) for path in self.home.glob("tables/**/*.parquet")}

    def lost_files(self, study: str) -> list[str]:
        """Files named in the study's tables with their content's hash that are gone, or whose content is another."""
        return [one for frame in self._frames(study).values() for one in differing_files(frame, self.folder)]

    def _frames(self, study: str) -> dict[str, pd.DataFrame]:
        tables, found = self.home / "tables", {}
        for table in TABLES_OF[study]:
            files = sorted(tables.glob(f"*/{table}.parquet")) or sorted(tables.glob(f"*/{table}/*.parquet"))
            frames = [frame for file in files if not (frame := pd.read_parquet(file)).empty]
            if files:
                found[table] = pd.concat(frames) if frames else pd.DataFrame()
        return found

    def finished_calls(self) -> set[str]:
        """Nonces of the judge's calls whose answers are in the ledger."""
        with self._ledger() as connection:
            there = connection is not None and sa.inspect(connection).has_table("judge_calls")
            rows = connection.execute(sa.text("SELECT run_id FROM judge_calls")).all() if connection and there else []
        found = {row[0] for row in rows}
        self.recorded |= found
        return found

    @contextmanager
    def _ledger(self) -> Iterator[sa.Connection | None]:
        """The ledger; null where there is none yet."""
        if self.database_url.startswith("sqlite") and not (self.home / "touchstone.db").is_file():
            yield None
            return
        engine = open_engine(self.database_url)
        try:
            with engine.connect() as connection:
                yield connection
        finally:
            engine.dispose()

    def asked(self, since: int = 0) -> list[str]:
        """Nonces of the calls that this home's programs made, from a place in their order on."""
        return [one.run_id for one in self.server.requests[self._first :]][since:]


def judge(asked: Asked) -> Scripted:
    """Right but for a ripple of 0.02 above temperature 0, whatever was asked before it."""
    said = true_score(int(asked.item_id) - FIRST_ITEM)
    if asked.body.get("temperature"):
        # The nonce follows from the call.
        said += 0.02 * (int(asked.run_id, 16) % 3 - 1)
    return answered(valid_text(asked.item_id, score=round(100 * said, 3)))


def kill(program: subprocess.Popen[bytes]) -> None:
    """SIGKILL to the program and all that it started."""
    if program.poll() is None:
        os.killpg(program.pid, signal.SIGKILL)
    program.wait()
