"""Runs that a sensor asked for and that failed: which are asked for again, when, and for which tables."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.asked_runs import remembered
from resources.database.call_records import Spent
from resources.errors import UserError
from resources.judges import replay
from tests.pipeline.watch import Watch, other_scores, quiet
from tests.small_relevance import AGREED, relevance_study
from tests.small_study import (
    OBJECTS,
    TABLES,
    UP_TO_CALLS,
    described,
    sqlite_instance_in,
    without_drawing,
    write_image,
    write_study,
)

pytestmark = pytest.mark.slow
INPUTS = ("score_file", "catalogue_file", "selection_file", "reference_images", "candidate_images")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with study A, its first tables and Dagster's memory of them."""
    folder = tmp_path_factory.mktemp("made")
    study = write_study(folder)
    quiet(folder)
    with without_drawing(), sqlite_instance_in(folder / "dagster") as instance:
        assert Watch(study, instance).follow(only=[*INPUTS, *UP_TO_CALLS]) == set(UP_TO_CALLS)
    study.engine.dispose()
    return folder


@pytest.fixture
def watch(made: Path, tmp_path: Path) -> Iterator[Watch]:
    """Study A in a copy of that folder, whose first tables are up to date with its inputs."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    study = described(tmp_path)
    with sqlite_instance_in(tmp_path / "dagster") as instance:
        watch = Watch(study, instance)
        assert watch.tables() == set()
        yield watch
    study.engine.dispose()


def test_a_corrected_configuration_starts_what_failed_for_it(watch: Watch, tmp_path: Path) -> None:
    path = watch.study.fidelity.human_scores
    path.write_text(path.read_text(encoding="utf-8-sig").replace("Visual Fidelity", "Likeness"), encoding="utf-8-sig")
    quiet(tmp_path)
    assert watch.follow() == set()
    assert watch.tables() == set()
    names = {**watch.study.fidelity.columns.model_dump(), "score": "Likeness"}
    watch.reconfigured(described(tmp_path, columns=names))
    assert watch.tables() >= set(TABLES)
    assert len(set(watch.keys)) == 2


def test_a_run_that_a_full_disk_ended_goes_on_the_next_day(watch: Watch, tmp_path: Path) -> None:
    table = Path(str(watch.study.home.tables)) / "fidelity" / "study_objects.parquet"
    table.unlink()
    # Whoever runs the tests: no file can be moved to where a folder lies.
    (table / "in the way").mkdir(parents=True)
    other_scores(watch.study, tmp_path)
    assert watch.follow() == {"human_scores"}
    tick = watch.look()
    assert not tick.run_requests
    assert "tomorrow" in (tick.skip_message or "")
    shutil.rmtree(table)
    watch.a_day_passes()
    assert watch.tables() & set(TABLES) == set(TABLES) - {"human_scores"}
    assert len(set(watch.keys)) == 2


def test_a_run_that_the_days_budget_ended_goes_on_the_next_day(
    watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    product, _, object_ = OBJECTS[0]
    write_image(tmp_path / "candidates" / product / f"{object_}.png", seed=999)
    quiet(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(replay, "ReplayJudge", SpentForToday)
        assert "judge_calls" not in watch.follow(only=UP_TO_CALLS)
    assert watch.tables() == set()
    watch.a_day_passes()
    asked = watch.tables()
    assert "judge_calls" in asked
    assert not asked & {"human_scores", "study_objects"}


def test_a_run_that_a_gate_ended_goes_on_when_the_configuration_lets_it(watch: Watch, tmp_path: Path) -> None:
    for product, _, object_ in OBJECTS[1:]:
        (tmp_path / "candidates" / product / f"{object_}.png").unlink()
    quiet(tmp_path)
    assert "judge_calls" not in watch.follow(only=UP_TO_CALLS)
    for _ in range(2):
        watch.a_day_passes()
        assert watch.tables() == set()
    watch.reconfigured(described(tmp_path, max_missing_share=1.0))
    assert {"study_objects", "judge_calls"} <= watch.tables()


class SpentForToday(replay.ReplayJudge):
    """Has no money left."""

    def begin(self, spent: Spent) -> None:
        """Refuse, as a judge does whose budget is used up."""
        raise UserError(f"The budget is used up: {spent.usd_today} of 0 USD.")


def test_a_run_that_found_the_database_unusable_goes_on_the_next_day(tmp_path: Path) -> None:
    study = relevance_study(tmp_path, [AGREED] * 5)
    quiet(tmp_path)
    database = Path(study.engine.url.database or "")
    with sqlite_instance_in(tmp_path / "dagster") as instance:
        watch = Watch(study, instance)
        study.engine.dispose()
        database.write_bytes(b"no database, but long enough to be taken for one" * 100)
        assert watch.follow() == set()
        assert watch.tables() == set()
        watch.a_day_passes()
        assert "query_documents" in watch.tables()
    study.engine.dispose()


def test_what_an_older_version_remembered_is_left_out() -> None:
    assert remembered('{"fidelity": {"score_file": "hash"}, "pictures": "hash after run"}') == {}
