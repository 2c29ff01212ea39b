"""A run that is killed in the middle of its calls: the next one goes on where it stopped."""

import time
from pathlib import Path
from typing import NamedTuple

import dagster as dg
import pandas as pd
import pytest

from pipeline.instance import report_killed_runs
from resources.study import Study
from tests.chaos.forked import ForkedProgram
from tests.pipeline.slow_study import STRETCH
from tests.small_study import (
    KEYS,
    OBJECTS,
    TABLES,
    UNPARTITIONED,
    all_files,
    described,
    errors,
    ledger_rows,
    run,
    sqlite_instance_in,
    stored,
    without_drawing,
    write_study,
)

pytestmark = pytest.mark.slow

SETTINGS_RUN = KEYS[: KEYS.index(STRETCH[1]) + 1]
PLANNED = len(OBJECTS) * len(SETTINGS_RUN) * 5
ENOUGH = 25
PATIENCE_S = 60
OF_THE_MOMENT = {"judge_calls": ["started_at", "latency_ms"], "fidelity_report": ["sha256", "n_bytes"]}


class Survived(NamedTuple):
    study: Study
    before: pd.DataFrame
    tables_before: list[str]
    statuses: list[dg.DagsterRunStatus]
    result: dg.ExecuteInProcessResult
    undisturbed: Study


@pytest.fixture(scope="module")
def survived(tmp_path_factory: pytest.TempPathFactory) -> Survived:
    """The ledger as the kill left it, and the run after it."""
    folder = tmp_path_factory.mktemp("killed")
    write_study(folder)
    study = described(folder)
    program = ForkedProgram("tests.pipeline.slow_study", [str(folder)], folder / "log.txt")
    try:
        wait_for_calls(study, program, folder / "log.txt")
    finally:
        program.kill()
        program.wait()
    before, tables_before = ledger_rows(study), list(all_files(study))
    undisturbed = write_study(tmp_path_factory.mktemp("undisturbed"))
    with without_drawing():
        with sqlite_instance_in(folder / "dagster") as instance:
            report_killed_runs(instance)
            statuses = [run.status for run in instance.get_runs()]
            result = run(study, instance, STRETCH)
        with dg.DagsterInstance.ephemeral() as other:
            assert not errors(run(undisturbed, other, STRETCH))
    return Survived(study, before, tables_before, statuses, result, undisturbed)


def wait_for_calls(study: Study, program: ForkedProgram, log: Path) -> None:
    """Return when some calls are in the ledger and the program still makes more."""
    deadline = time.monotonic() + PATIENCE_S
    while len(ledger_rows(study)) < ENOUGH:
        assert program.poll() is None, f"the program ended early: {log.read_text()}"
        assert time.monotonic() < deadline, f"no calls within {PATIENCE_S} s: {log.read_text()}"
        time.sleep(0.1)


def test_the_kill_came_in_the_middle(survived: Survived) -> None:
    assert ENOUGH <= len(survived.before) < PLANNED
    made = {Path(path).stem for path in survived.tables_before}
    assert {"human_scores", "study_objects"} <= made <= {"human_scores", "study_objects", "golden_images"}


def test_the_killed_run_is_marked_failed_and_not_taken_for_running(survived: Survived) -> None:
    assert survived.statuses == [dg.DagsterRunStatus.FAILURE]


def test_the_next_run_finishes(survived: Survived) -> None:
    assert not errors(survived.result)
    rows = ledger_rows(survived.study)
    assert (~rows["object"].str.contains("~")).sum() == PLANNED


def test_no_finished_call_is_repeated(survived: Survived) -> None:
    rows = ledger_rows(survived.study)
    assert not rows.duplicated(["setting", "object", "repeat", "prompt_hash", "images_digest"]).any()
    assert rows["attempt"].unique().tolist() == [1]


def test_answers_recorded_before_the_kill_are_untouched(survived: Survived) -> None:
    after = ledger_rows(survived.study).set_index("id").loc[survived.before["id"]].reset_index()
    pd.testing.assert_frame_equal(plain(after), plain(survived.before))
    [killed_run] = set(after["dagster_run_id"])
    assert killed_run != survived.result.run_id


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_those_of_an_undisturbed_run(survived: Survived, name: str) -> None:
    for key in [None] if name in UNPARTITIONED else SETTINGS_RUN:
        ours, theirs = stored(survived.study, name, key), stored(survived.undisturbed, name, key)
        of_the_moment = OF_THE_MOMENT.get(name, [])
        ours, theirs = ours.drop(columns=of_the_moment), theirs.drop(columns=of_the_moment)
        ours, theirs = without_folders(ours), without_folders(theirs)
        pd.testing.assert_frame_equal(ours, theirs, check_exact=True)


def plain(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows without the types that pandas guesses, which depend on whether a column has any value."""
    return rows.astype(object).where(rows.notna(), None)


def without_folders(table: pd.DataFrame) -> pd.DataFrame:
    """The table without addresses, which differ between two folders."""
    return table.drop(columns=[name for name in table.columns if name.endswith(("path", "paths"))])
