"""A short selection of `make chaos`: what is killed, full or closed loses nothing, and a loss would be seen."""

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import numpy as np
import pytest
import sqlalchemy as sa
import yaml

from resources.database.engine import open_engine, writing
from tests.chaos.__main__ import attempted, conclusion, database, on_postgres
from tests.chaos.faults import Moment, NotPossible, database_killed, disk_full, tables_read_only
from tests.chaos.forked import Forked
from tests.chaos.object_store import network_lost, stored_world
from tests.chaos.stored import differing
from tests.chaos.trial import Trial, Undisturbed, tried, undisturbed
from tests.chaos.world import DISPUTED, DRIFT, REVIEWERS, STUDIES, UNDISPUTED, World, judge, kill
from tests.deploy.test_postgres import until
from tests.openai_server import OpenAIServer, openai_server

SEED = 20260302
LATENCY_S = 0.02
N_TIMES = 1


class WarmWorld(World):
    """A smaller one, whose programs have their libraries already: one setting next to the baseline, one data set."""

    def __init__(self, folder: Path, server: OpenAIServer, variables: Mapping[str, str] | None = None) -> None:
        super().__init__(folder, server, variables)
        configuration = self.home / "touchstone.yaml"
        study = yaml.safe_load(configuration.read_text())
        study["fidelity"]["settings"]["top_ps"] = [float(study["fidelity"]["golden"]["setting"].rpartition("p")[2])]
        configuration.write_text(yaml.safe_dump(study))
        (folder / "inbox" / "questions.jsonl").unlink()

    def start(self, study: str) -> subprocess.Popen[bytes]:
        """`touchstone run STUDY` in a process group of its own."""
        program = Forked(["run", study], self.environment, self.folder, self.folder / f"{study}.log")
        return cast("subprocess.Popen[bytes]", program)


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with openai_server(judge, LATENCY_S) as running:
        yield running


@pytest.fixture(scope="module")
def twins(server: OpenAIServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Undisturbed]:
    return undisturbed(WarmWorld(tmp_path_factory.mktemp("undisturbed") / "world", server))


@pytest.fixture(scope="module")
def killed(server: OpenAIServer, tmp_path_factory: pytest.TempPathFactory) -> World:
    """The installation whose runs are killed, one study after the other."""
    return WarmWorld(tmp_path_factory.mktemp("killed") / "world", server)


def killed_at_work(world: World, moment: Moment) -> None:
    """SIGKILL to the run once it has asked and stored some of what it is to."""
    asked, written, enough = len(world.asked()), world.written(), moment.chance.randint(1, 5)
    program = world.start(moment.study)

    def at_work() -> bool:
        return len(world.asked()) - asked + len(world.written() - written) >= enough

    try:
        until(lambda: at_work() or program.poll() is not None, "the work")
    finally:
        kill(program)


def trial_of(fault_name: str, fault: object, world: World, study: str, twin: Undisturbed) -> Trial:
    try:
        return tried(fault_name, fault, world, study, twin, N_TIMES, SEED)  # type: ignore[arg-type]
    except NotPossible as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("study", STUDIES)
def test_a_killed_run_loses_nothing_and_repeats_no_recorded_call(
    study: str, killed: World, twins: dict[str, Undisturbed]
) -> None:
    trial = trial_of("run killed", killed_at_work, killed, study, twins[study])
    assert trial.holds, trial


def test_a_killed_database_loses_nothing(server: OpenAIServer, tmp_path: Path, twins: dict[str, Undisturbed]) -> None:
    with database() as (postgres, url):
        world = WarmWorld(tmp_path / "world", server, on_postgres(url))
        trial = trial_of("database killed", database_killed(postgres), world, "reliability", twins["reliability"])
        assert trial.holds, trial


@pytest.mark.parametrize("fault", [disk_full, tables_read_only])
def test_what_cannot_be_written_is_said_and_made_later(
    fault: object, server: OpenAIServer, tmp_path: Path, twins: dict[str, Undisturbed]
) -> None:
    world = WarmWorld(tmp_path / "world", server)
    trial = trial_of("no writing", fault, world, "evaluation", twins["evaluation"])
    assert trial.holds, trial
    said = (world.folder / "evaluation.log").read_text()
    assert "Error:" in said
    assert not list(world.home.glob("tables/**/.*.partial"))


def test_a_store_that_is_lost_in_between_loses_nothing(
    server: OpenAIServer, tmp_path: Path, twins: dict[str, Undisturbed]
) -> None:
    with stored_world(tmp_path, server, WarmWorld) as (world, store):
        trial = trial_of("network lost", network_lost(store), world, "evaluation", twins["evaluation"])
        assert trial.holds, trial


def test_a_recorded_answer_that_is_lost_is_seen_as_a_repeated_call(
    killed: World, twins: dict[str, Undisturbed]
) -> None:
    def ledger_loses_three_answers(world: World, _moment: Moment) -> None:
        engine = writing(open_engine(world.database_url))
        with engine.begin() as connection:
            latest = "SELECT id FROM judge_calls ORDER BY id DESC LIMIT 3"
            connection.execute(sa.text(f"DELETE FROM judge_calls WHERE id IN ({latest})"))
        engine.dispose()

    trial = trial_of("answers lost", ledger_loses_three_answers, killed, DRIFT, twins[DRIFT])
    assert trial.n_repeated == 3
    assert trial.harmed


def test_a_report_that_is_lost_and_a_picture_that_is_spoiled_are_seen(killed: World) -> None:
    assert killed.lost_files("fidelity") == []
    report = killed.outputs / "fidelity_report.html"
    report.rename(report.with_suffix(".away"))
    picture = next(iter(sorted(killed.home.glob("golden_set/*/*.png"))))
    whole = picture.read_bytes()
    picture.write_bytes(whole[:-1])
    assert sorted(killed.lost_files("fidelity")) == [
        f"altered_path {picture} has another content",
        f"path {report} is gone",
    ]


def test_a_lost_row_a_lost_table_and_another_value_are_seen(twins: dict[str, Undisturbed]) -> None:
    ours = twins["evaluation"].tables
    name, table = next((name, table) for name, table in ours.items() if len(table) > 1)
    assert differing(ours, ours) == []
    assert differing({**ours, name: table.iloc[1:]}, ours) == [f"{name}: {len(table) - 1} rows, not {len(table)}"]
    assert differing({key: one for key, one in ours.items() if key != name}, ours) == [f"{name}: only on one side"]
    column = next(str(column) for column in table if table[column].dtype.kind == "f")
    changed = table.assign(**{column: np.nextafter(table[column], 2)})
    assert differing({**ours, name: changed}, ours) == [f"{name}.{column}"]


def test_votes_and_ground_truth_are_among_what_is_compared(twins: dict[str, Undisturbed]) -> None:
    ours = twins["reliability"].tables
    votes = ours["ledger tiebreaks"]
    assert len(votes) == len(ours["ledger disputes"]) * len(REVIEWERS)
    assert len(ours["ledger ground_truth"]) == len(DISPUTED) + len(UNDISPUTED)
    turned = votes.assign(relevant=[False, *votes["relevant"].iloc[1:]])
    assert differing({**ours, "ledger tiebreaks": turned}, ours) == ["ledger tiebreaks.relevant"]


def test_a_fault_that_breaks_off_is_a_loss_and_one_that_hit_nothing_is_said_last() -> None:
    def runs_for_ever() -> Trial:
        raise subprocess.TimeoutExpired("touchstone", 300)

    def refused() -> Trial:
        raise NotPossible("may not mount")

    held = Trial("run killed", "fidelity", 1, 1, [])
    late = Trial("run killed", "pairwise", 1, 0, [])
    assert held.holds
    assert not late.holds
    broken, impossible = attempted("clock", ["fidelity"], runs_for_ever), attempted("disk full", ["drift"], refused)
    assert "TimeoutExpired" in broken[0].lost[0]
    assert conclusion([held]) == "Nothing was lost in what was tried."
    assert conclusion([held, late, *impossible]).splitlines() == [
        "Nothing was lost in what was tried.",
        "2 of 3 faults were not tried: run killed (pairwise), disk full (drift).",
    ]
    assert conclusion([held, *broken]) == "1 of 2 trials lost something."
