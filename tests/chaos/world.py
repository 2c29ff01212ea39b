"""A small installation of all four studies that can be disturbed: its program, its tables, and its judge's calls."""

import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import sqlalchemy as sa

from resources.database.engine import open_engine
from resources.tables.all_tables import BY_GROUP
from tests.deploy.configured_study import environment, touchstone
from tests.openai_server import Asked, OpenAIServer, Scripted, answered, valid_text
from tests.pipeline.week import of_one_moment
from tests.pipeline.week_inputs import FIRST_ITEM, FREE, true_score, write_configuration, write_inputs
from tests.resources.judges.openai.asked import KEY
from tests.small_relevance import AGREED, OPPOSED

STUDIES = tuple(BY_GROUP)
PATIENCE_S = 300
# What the clock says of the work, and so never twice the same.
DURATIONS = ("_ms", "_per_s", "throughput", "efficiency", "speed_rank")
# Counts of what this run computed itself: none of what it found.
OF_THE_RUN = ("n_computed",)
# Every validation stays, also one whose run was broken off after it: the latest is what the study found.
HISTORY = "kappa_validation"


class World:
    """A home with inputs of its own; `variables` are added to the environment of its programs."""

    def __init__(self, folder: Path, server: OpenAIServer, variables: Mapping[str, str] | None = None) -> None:
        self.folder, self.server, self.home = folder, server, folder / "home"
        self.variables = dict(variables or {})
        folder.mkdir(parents=True)
        write_inputs(folder, [AGREED] * 6 + [OPPOSED] * 4)
        write_configuration(folder, FREE)
        self._first = len(server.requests)

    @property
    def environment(self) -> dict[str, str]:
        """Of its programs: this process's without what it says of Touchstone."""
        judge = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": self.server.base_url}
        return environment(self.home, PYTHONWARNINGS="ignore", **judge, **self.variables)

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
        except subprocess.TimeoutExpired:
            kill(program)
            raise

    def tables(self, study: str) -> dict[str, pd.DataFrame]:
        """Each stored table of a study, all partitions in the order of their names, without what no two runs share."""
        found = {}
        for table in BY_GROUP[study]:
            place = self.home / "tables" / study
            files = sorted((place / table).glob("*.parquet")) if (place / table).is_dir() else []
            whole = place / f"{table}.parquet"
            if whole.is_file():
                files = [whole]
            frames = [frame for file in files if not (frame := pd.read_parquet(file)).empty]
            if files:
                rows = pd.concat(frames) if frames else pd.DataFrame()
                found[table] = without_durations(of_one_moment(rows.tail(1) if table == HISTORY else rows))
        return found

    def finished_calls(self) -> set[str]:
        """Nonces of the judge's calls whose answers are in the ledger."""
        url = self.variables.get("TOUCHSTONE_DATABASE_URL", f"sqlite:///{self.home / 'touchstone.db'}")
        if url.startswith("sqlite") and not (self.home / "touchstone.db").is_file():
            return set()
        engine = open_engine(url)
        with engine.connect() as connection:
            there = sa.inspect(connection).has_table("judge_calls")
            rows = connection.execute(sa.text("SELECT run_id FROM judge_calls")).all() if there else []
        engine.dispose()
        return {row[0] for row in rows}

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


def without_durations(table: pd.DataFrame) -> pd.DataFrame:
    """The table without columns that tell how long something took here."""
    return table.drop(columns=[name for name in table.columns if name.endswith(DURATIONS) or name in OF_THE_RUN])


def kill(program: subprocess.Popen[bytes]) -> None:
    """SIGKILL to the program and all that it started."""
    if program.poll() is None:
        os.killpg(program.pid, signal.SIGKILL)
    program.wait()


def differing(ours: Mapping[str, pd.DataFrame], theirs: Mapping[str, pd.DataFrame]) -> list[str]:
    """Tables of one side only, and columns whose values, types or order of rows are not the same."""
    found = [f"{name}: only on one side" for name in sorted(ours.keys() ^ theirs.keys())]
    for name in sorted(ours.keys() & theirs.keys()):
        one, two = ours[name].reset_index(drop=True), theirs[name].reset_index(drop=True)
        if len(one) != len(two):
            found.append(f"{name}: {len(one)} rows, not {len(two)}")
            continue
        for column in one.columns.union(two.columns, sort=False):
            if column not in one or column not in two or one[column].to_json() != two[column].to_json():
                found.append(f"{name}.{column}")
    return found
