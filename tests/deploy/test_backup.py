"""A back-up that is taken while a run is on, restored elsewhere: no call is repeated, and the tables are the same."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import dagster as dg
import pandas as pd
import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from pipeline.command_line.main import application
from pipeline.instance import open_instance
from resources.database.engine import open_engine
from resources.runtime.home import CHECKOUT, touchstone_home
from tests.chaos.forked import ForkedProgram
from tests.deploy.configured_study import SETTINGS, environment, write_configured_study
from tests.deploy.test_postgres import until
from tests.pipeline.test_crash import OF_THE_MOMENT, plain, without_folders
from tests.postgres import postgres_programs
from tests.small_study import OBJECTS, TABLES, UNPARTITIONED

ENOUGH = 15
PATIENCE_S = 300.0
SETTING = SETTINGS[1]
RUN = ["run", "fidelity", "--setting", SETTING]
PLANNED = len(OBJECTS) * 5
POSTGRES = "postgres"
NAMED = (
    "PATH",
    "TOUCHSTONE_HOME",
    "TOUCHSTONE_DATABASE_URL",
    "TOUCHSTONE_DAGSTER_YAML",
    "DAGSTER_HOME",
    "DAGSTER_POSTGRES_URL",
)


class Place(NamedTuple):
    """A home and the variables that name it and its database."""

    home: Path
    variables: dict[str, str]

    @contextmanager
    def entered(self) -> Iterator[None]:
        """This process with the place's variables, and none of another's."""
        with pytest.MonkeyPatch.context() as patch:
            for name in NAMED:
                patch.setenv(name, self.variables.get(name, ""))
            yield

    def call(self, *arguments: str) -> str:
        """What a command says, in this process."""
        with self.entered():
            done = CliRunner().invoke(application, arguments)
        return f"{done.stdout}{done.exception or ''}"

    def started(self, *arguments: str) -> ForkedProgram:
        """A command that runs next to the test; what it says is in `log`."""
        return ForkedProgram("tests.deploy.slow_command", arguments, self.log, self.variables)

    @property
    def log(self) -> Path:
        """What commands said that ran next to the test."""
        return self.home.with_suffix(".log")

    @contextmanager
    def ledger(self) -> Iterator[sa.Connection]:
        """A connection to the ledger, which may have no table yet."""
        with self.entered():
            engine = open_engine(touchstone_home().database_url)
        with engine.connect() as connection:
            yield connection
        engine.dispose()

    def calls(self) -> pd.DataFrame:
        """The ledger's rows in the order in which they came."""
        with self.ledger() as connection:
            return pd.read_sql(sa.text("SELECT * FROM judge_calls ORDER BY id"), connection)

    def table(self, name: str, setting: str | None) -> pd.DataFrame:
        """A stored table without what differs between two folders and two moments."""
        folder = self.home / "tables" / "fidelity"
        path = folder / name / f"{setting}.parquet" if setting else folder / f"{name}.parquet"
        return without_folders(pd.read_parquet(path).drop(columns=OF_THE_MOMENT.get(name, [])))


class Restored(NamedTuple):
    """The study that went on, the one that was restored, its calls then, what was said, and its runs then."""

    original: Place
    copy: Place
    calls_then: pd.DataFrame
    said: str
    statuses: set[str]


@pytest.fixture(params=["sqlite", POSTGRES], scope="module")
def restored(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    new_database: Callable[[], str],
) -> Restored:
    """A back-up taken in the middle of a run, restored, and both studies run to their end."""
    folder = tmp_path_factory.mktemp("backed_up")
    home = write_configured_study(folder)
    variables = {"PATH": f"{postgres_programs()}{os.pathsep}{os.environ['PATH']}"}

    def place(at: Path) -> Place:
        if request.param == POSTGRES:
            named = {"TOUCHSTONE_DATABASE_URL": new_database()}
            named["TOUCHSTONE_DAGSTER_YAML"] = str(CHECKOUT / "deploy/postgres/dagster.yaml")
            return Place(at, environment(at, **variables, **named))
        return Place(at, environment(at, **variables))

    original, copy = place(home), place(folder / "restored")
    running = original.started("--slow", *RUN)
    try:
        with original.ledger() as ledger:
            until(lambda: n_calls(ledger) >= ENOUGH or running.poll() is not None, "calls")
        assert running.poll() is None, original.log.read_text()
        assert "Study small: " in original.call("backup", str(folder / "backup"))
    finally:
        running.wait(timeout=PATIENCE_S)
    said = copy.call("restore", str(folder / "backup"))
    calls_then = copy.calls()
    statuses = {run.status.value for run in runs_of(copy)}
    assert copy.started(*RUN).wait(PATIENCE_S) == 0, copy.log.read_text()
    return Restored(original, copy, calls_then, said, statuses)


def n_calls(ledger: sa.Connection) -> int:
    """How many calls are recorded by now; none where there is no table yet."""
    with suppress(sa.exc.DBAPIError), ledger.begin():
        return ledger.scalar(sa.text("SELECT count(*) FROM judge_calls")) or 0
    return 0


def runs_of(place: Place) -> list[dg.DagsterRun]:
    """The runs that Dagster knows of there."""
    with place.entered(), open_instance(touchstone_home()) as instance:
        return list(instance.get_runs())


def test_the_back_up_came_in_the_middle_and_says_so(restored: Restored) -> None:
    assert ENOUGH <= len(restored.calls_then) < PLANNED
    assert "1 runs were under way or queued then" in restored.said, restored.said
    assert restored.statuses == {"FAILURE"}


def test_no_call_is_repeated_and_none_is_lost(restored: Restored) -> None:
    after = restored.copy.calls()
    key = ["setting", "object", "repeat", "prompt_hash", "images_digest"]
    assert not after.duplicated(key).any()
    assert set(map(tuple, after[key].values)) == set(map(tuple, restored.original.calls()[key].values))
    kept = after.set_index("id").loc[restored.calls_then["id"]].reset_index()
    pd.testing.assert_frame_equal(plain(kept), plain(restored.calls_then))


def test_the_tables_are_those_of_the_study_that_went_on(restored: Restored) -> None:
    for name in TABLES:
        setting = None if name in UNPARTITIONED else SETTING
        ours, theirs = restored.copy.table(name, setting), restored.original.table(name, setting)
        pd.testing.assert_frame_equal(ours, theirs, check_exact=True)


def test_a_second_restore_is_refused(restored: Restored) -> None:
    said = restored.copy.call("restore", str(restored.original.home.parent / "backup"))
    assert "is not empty. Nothing was restored." in said
