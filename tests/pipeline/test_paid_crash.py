"""A run that pays for its calls and is killed again and again: nothing that was recorded is paid for twice."""

import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

from resources.database.engine import open_engine
from resources.database.ledger import Ledger
from resources.database.migrate import migrate
from tests.anthropic_server import Message
from tests.chaos.forked import ForkedProgram
from tests.openai_server import OpenAIServer, openai_server
from tests.pipeline.paid_run import PLANNED, WORKERS, judging_of, objects_in, write_objects

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("TOUCHSTONE_TEST_KILLS", "3"))
LATENCY_S = 0.05
# A worker's call under way, and one whose answer came and was not on the disk yet.
LOST_AT_MOST = 2 * WORKERS
PATIENCE_S = 60


class Killed(NamedTuple):
    """What the server was asked, by nonce, and which of it the ledger held after each kill."""

    asked: list[str]
    asked_before: list[int]
    recorded: list[set[str]]
    rows: pd.DataFrame


def start(folder: Path, url: str, server: OpenAIServer, dialect: str = "openai") -> ForkedProgram:
    arguments = [str(folder), url, server.base_url, dialect]
    return ForkedProgram("tests.pipeline.paid_run", arguments, folder / "log.txt")


def wait_for(condition: Callable[[], bool], folder: Path, *programs: ForkedProgram) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert all(program.poll() in (None, 0) for program in programs), (folder / "log.txt").read_text()
        assert time.monotonic() < deadline, (folder / "log.txt").read_text()
        time.sleep(0.005)


def nonces(server: OpenAIServer) -> list[str]:
    return [asked.run_id for asked in server.requests]


def recorded(url: str, folder: Path, server: OpenAIServer, dialect: str = "openai") -> pd.DataFrame:
    engine = open_engine(url)
    migrate(engine)
    ledger = Ledger(engine)
    judge = judging_of(objects_in(folder), ledger, server.base_url, dialect).judge
    rows = ledger.rows("paid", judge.identity.digest)
    engine.dispose()
    return rows


@pytest.fixture(scope="module", params=["openai", "anthropic"])
def killed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killed]:
    """Runs that are killed at random moments while they ask, and one that finishes; in either format."""
    dialect = request.param
    script = [Message()] if dialect == "anthropic" else ()
    folder = tmp_path_factory.mktemp("paid")
    url = f"sqlite:///{folder / 'ledger.db'}"
    moments = random.Random(os.environ.get("TOUCHSTONE_TEST_SEED", "kill"))
    asked_before, held = [], []
    with openai_server(script, latency_s=LATENCY_S) as server:
        write_objects(folder)
        for _ in range(KILLS):
            program = start(folder, url, server, dialect)
            # Few enough that not even all of them together are the whole run.
            enough = len(server.requests) + moments.randint(1, PLANNED // (KILLS + 1))
            wait_for(lambda enough=enough: len(server.requests) >= enough, folder, program)  # type: ignore[misc]
            time.sleep(moments.uniform(0, LATENCY_S))
            program.kill()
            program.wait()
            time.sleep(2 * LATENCY_S)
            asked_before.append(len(server.requests))
            held.append(set(recorded(url, folder, server, dialect)["run_id"]))
        last = start(folder, url, server, dialect)
        wait_for(lambda: last.poll() is not None, folder, last)
        yield Killed(nonces(server), asked_before, held, recorded(url, folder, server, dialect))


def test_the_kills_came_in_the_middle(killed: Killed) -> None:
    assert len(killed.asked_before) == KILLS
    assert 0 < len(killed.recorded[-1]) < PLANNED


def test_every_planned_call_has_exactly_one_answer(killed: Killed) -> None:
    assert len(killed.rows) == PLANNED
    assert not killed.rows.duplicated(["object", "setting", "repeat"]).any()
    assert set(killed.rows["state"]) == {"valid"}
    assert set(killed.rows["attempt"]) == {1}


def test_no_call_whose_answer_was_recorded_is_asked_again(killed: Killed) -> None:
    for asked_before, held in zip(killed.asked_before, killed.recorded, strict=True):
        assert not held & set(killed.asked[asked_before:])


def test_what_is_paid_twice_was_under_way_when_a_run_was_killed(killed: Killed) -> None:
    again = {nonce: count - 1 for nonce, count in Counter(killed.asked).items() if count > 1}
    assert set(killed.asked) == set(killed.rows["run_id"])
    assert sum(again.values()) <= KILLS * LOST_AT_MOST
    print(f"\n{KILLS} kills, {sum(again.values())} calls asked again: {WORKERS} workers")


def test_two_runs_at_once_ask_each_call_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    write_objects(tmp_path)
    with openai_server(latency_s=LATENCY_S) as server:
        both = [start(tmp_path, url, server) for _ in range(2)]
        wait_for(lambda: all(program.poll() is not None for program in both), tmp_path, *both)
        assert [program.returncode for program in both] == [0, 0]
        assert len(server.requests) == len(set(nonces(server))) == PLANNED
        assert server.most_at_once <= WORKERS
        assert len(recorded(url, tmp_path, server)) == PLANNED
    assert "Waiting for run of process" in (tmp_path / "log.txt").read_text()
