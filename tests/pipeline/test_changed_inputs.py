"""New, changed, touched, removed and half-written inputs, tick by tick: what is observed, and which run is asked."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from assets.shared.partitions import METHODS
from pipeline import input_watch
from pipeline.automation import all_methods, all_settings, partitions_between
from pipeline.definitions import definitions_of
from resources.inputs.input_versions import ABSENT, INDEX
from resources.study import Study
from tests.pipeline.watch import Watch, other_scores, quiet
from tests.small_relevance import AGREED, OPPOSED, relevance_study, write_queries
from tests.small_series import series_study, without_weights
from tests.small_study import (
    KEYS,
    OBJECTS,
    TABLES,
    WATCH,
    described,
    launched,
    sqlite_instance_in,
    without_drawing,
    write_image,
    write_study,
)

pytestmark = pytest.mark.slow
ALL_OF_A = set(TABLES)
# Runs over all ten take twice as long.
TWO_SETTINGS = partitions_between(*KEYS[:2])
# People's scores decide which objects are judged, so all of study A follows from them, each setting once; the watch on
# drift (`anchor_scores`, `drift`), which asks a judge anew, does not.
BY_SETTING = (
    *("judge_calls", "score_matrix", "retried_calls", "icc_by_setting", "stability", "convergence_curves"),
    *("convergence_summary", "matched_scores", "human_agreement", "annotator_test", "few_labels"),
)
WHOLE = (
    *("human_scores", "study_objects", "setting_summary", "recommended_setting", "golden_images", "golden_scores"),
    *(
        "sensitivity",
        "dose_response",
        "subscore_sensitivity",
        "fidelity_trust_verdict",
        "judge_comparison",
        "fidelity_report",
    ),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with study A and Dagster's memory, made by the run that the first tick asked for."""
    folder = tmp_path_factory.mktemp("made")
    study = write_study(folder)
    quiet(folder)
    with without_drawing(), sqlite_instance_in(folder / "dagster") as instance:
        watch = Watch(study, instance)
        [request] = watch.look().run_requests or []
        assert request.tags.items() >= all_settings().items()
        assert watch.run(request, partitions=TWO_SETTINGS) == ALL_OF_A
    study.engine.dispose()
    return folder


@pytest.fixture
def watch(made: Path, tmp_path: Path) -> Iterator[Watch]:
    """Study A in a copy of that folder; its tables are up to date with its inputs."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    with sqlite_instance_in(tmp_path / "dagster") as instance:
        watch = Watch(described(tmp_path), instance)
        assert watch.tables() == set()
        yield watch


def test_a_changed_score_file_makes_what_depends_on_it_once_and_nothing_else(watch: Watch, tmp_path: Path) -> None:
    before = {name: made_times(watch.instance, name) for name in (*TABLES, *WATCH)}
    other_scores(watch.study, tmp_path)
    [request] = watch.look().run_requests or []
    assert request.tags.items() >= all_settings().items()
    assert watch.run(request, partitions=TWO_SETTINGS) == ALL_OF_A
    grown = {name: made_times(watch.instance, name) - before[name] for name in before}
    assert grown == dict.fromkeys(BY_SETTING, 2) | dict.fromkeys(WHOLE, 1) | dict.fromkeys(WATCH, 0)
    # The run before it had made each once as well.
    assert before == grown
    assert [watch.tables() for _ in range(3)] == [set()] * 3
    assert len(watch.keys) == 1


def made_times(instance: dg.DagsterInstance, table: str) -> int:
    """How many materialisations there are of a table, partition by partition."""
    return len(instance.fetch_materializations(dg.AssetKey(table), limit=1000).records)


def test_a_changed_render_leaves_the_human_scores_as_they_are(watch: Watch, tmp_path: Path) -> None:
    product, _, object_ = OBJECTS[0]
    write_image(tmp_path / "candidates" / product / f"{object_}.png", seed=999)
    quiet(tmp_path)
    assert watch.tables() == (ALL_OF_A - {"human_scores"}) | {
        *("catalogue_file", "selection_file", "reference_images", "candidate_images"),
    }
    assert watch.tables() == set()


def test_a_removed_photo_is_seen(watch: Watch, tmp_path: Path) -> None:
    (tmp_path / "references" / OBJECTS[0][0] / "gt_1.png").unlink()
    asked = watch.tables()
    assert {"study_objects", "judge_calls"} <= asked
    assert "human_scores" not in asked
    assert len(set(watch.versions("reference_images"))) == 2


def test_what_was_touched_or_saved_again_with_the_same_bytes_starts_nothing(watch: Watch, tmp_path: Path) -> None:
    seen = len(watch.versions("score_file")), len(watch.versions("candidate_images"))
    path = watch.study.fidelity.human_scores
    os.utime(path, (2e9, 2e9))
    assert watch.tables() == set()
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data)
    quiet(tmp_path, ago_s=60)
    assert watch.tables() == set()
    assert (len(watch.versions("score_file")), len(watch.versions("candidate_images"))) == seen


def test_a_file_that_still_grows_is_left_alone_until_it_is_quiet(watch: Watch, tmp_path: Path) -> None:
    path = watch.study.fidelity.human_scores
    whole = path.read_bytes().replace(b"0.190", b"0.195")
    path.write_bytes(whole[:100])
    tick = watch.look()
    assert not tick.run_requests
    assert not tick.asset_events
    assert "may still grow" in (tick.skip_message or "")
    path.write_bytes(whole)
    quiet(tmp_path)
    assert "human_scores" in watch.tables()


def test_content_that_comes_back_starts_a_run_again(watch: Watch, tmp_path: Path) -> None:
    path = watch.study.fidelity.human_scores
    first = path.read_bytes()
    for change in (lambda: other_scores(watch.study, tmp_path), lambda: path.write_bytes(first)):
        change()
        quiet(tmp_path)
        assert "human_scores" in watch.follow(only=("score_file", "human_scores"))
        assert watch.tables() == set()
    assert len(set(watch.keys)) == len(watch.keys) == 2


def test_a_file_that_no_run_can_read_is_asked_for_once(watch: Watch, tmp_path: Path) -> None:
    path = watch.study.fidelity.human_scores
    good, bad = path.read_bytes(), b"no,such,columns\n1,2,3\n"
    for _ in range(2):
        path.write_bytes(bad)
        quiet(tmp_path)
        assert watch.follow() == set()
        for _ in range(2):
            tick = watch.look()
            assert not tick.run_requests
            assert "was asked for, and its tables are not made" in (tick.skip_message or "")
            watch.a_day_passes()
        assert "fix the file" in (tick.skip_message or "")
        # What the tables were made from is back: there is nothing to do.
        path.write_bytes(good)
        quiet(tmp_path)
        assert watch.tables() == set()
    # Dagster starts one run for a key ever.
    assert len(set(watch.keys)) == 2


def test_what_a_table_read_counts_and_not_what_was_observed_before(watch: Watch, tmp_path: Path) -> None:
    other_scores(watch.study, tmp_path)
    # The file changed between its observation and the reading.
    assert launched(watch.study, watch.instance, all_settings(), ["human_scores"]).success
    assert watch.tables() == set()
    assert len(set(watch.versions("score_file"))) == 2


def test_a_file_that_is_gone_starts_nothing_and_says_where_it_should_be(watch: Watch) -> None:
    path = watch.study.fidelity.human_scores
    path.unlink()
    tick = watch.look()
    assert not tick.run_requests
    assert str(path) in (tick.skip_message or "")
    assert watch.versions("score_file")[-1] == ABSENT


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every folder")
def test_a_folder_that_cannot_be_listed_does_not_hide_the_others(watch: Watch, tmp_path: Path) -> None:
    locked = tmp_path / "references"
    other_scores(watch.study, tmp_path)
    locked.chmod(0)
    try:
        assert "human_scores" in watch.tables()
    finally:
        locked.chmod(0o755)


def test_a_damaged_memory_of_hashes_is_named_with_what_to_do(watch: Watch) -> None:
    memory = watch.study.home.local / INDEX
    for path in memory.parent.glob(f"{INDEX}*"):
        path.unlink()
    memory.write_bytes(b"no database, but long enough to be taken for one" * 100)
    tick = watch.look()
    assert not tick.run_requests
    assert f"{memory} cannot be used" in (tick.skip_message or "")


def test_while_a_run_is_under_way_new_content_waits(watch: Watch, tmp_path: Path) -> None:
    job = watch.definitions.resolve_job_def("fidelity")
    run = watch.instance.create_run_for_job(job, status=dg.DagsterRunStatus.STARTED)
    other_scores(watch.study, tmp_path)
    tick = watch.look()
    assert not tick.run_requests
    assert "new content waits" in (tick.skip_message or "")
    watch.instance.report_run_canceled(run)
    assert "human_scores" in watch.tables()


def test_a_thousand_new_images_at_once_are_one_run(watch: Watch, tmp_path: Path) -> None:
    folder = tmp_path / "references" / "later"
    folder.mkdir()
    for number in range(1000):
        (folder / f"gt_{number}.png").write_bytes(f"picture {number}".encode())
    quiet(tmp_path)
    requests = watch.look().run_requests or []
    assert len(requests) == 1
    assert len(watch.look().run_requests or []) == 0


def test_a_folder_too_large_for_one_tick_is_read_over_several(
    watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "references" / "later"
    folder.mkdir()
    for number in range(200):
        (folder / f"gt_{number}.png").write_bytes(f"picture {number}".encode())
    quiet(tmp_path)
    monkeypatch.setattr(input_watch, "TICK_S", 0.0)
    tick = watch.look()
    assert not tick.run_requests
    assert "the rest comes next" in (tick.skip_message or "")
    monkeypatch.setattr(input_watch, "TICK_S", 20.0)
    assert "study_objects" in watch.tables()


@pytest.fixture
def queries(tmp_path: Path) -> Iterator[Study]:
    study = relevance_study(tmp_path, [AGREED] * 5 + [OPPOSED] * 5)
    quiet(tmp_path)
    yield study
    study.engine.dispose()


def test_changed_queries_are_judged_again_and_ground_truth_is_left_to_its_sensor(
    queries: Study, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    watch = Watch(queries, instance)
    made = watch.follow()
    assert {"query_documents", "judgments", "kappa_validation", "reliability_report"} <= made
    assert "ground_truth" not in made
    assert watch.tables() == set()
    write_queries(tmp_path / "queries.jsonl", [AGREED] * 6)
    quiet(tmp_path)
    assert watch.tables() == made | {"queries_file"}


def test_a_changed_photo_judges_the_pairs_again(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = series_study(tmp_path)
    quiet(tmp_path)
    watch = Watch(study, instance)
    [request] = watch.look().run_requests or []
    assert request.tags.items() >= all_methods().items()
    with without_weights():
        made = watch.run(request, partitions=partitions_between(*METHODS.get_partition_keys()[7:9]))
    assert {"photo_pairs", "image_features", "pairwise_results", "pairwise_report"} <= made
    assert watch.tables() == set()
    photo = study.pairwise.image_root / "000001-01.JPG"
    photo.write_bytes(photo.with_name("000002-01.JPG").read_bytes())
    quiet(tmp_path)
    assert watch.tables() == made | {"photos", "votes_file"}


def test_the_refresh_rule_makes_what_an_observed_change_decides(watch: Watch, tmp_path: Path) -> None:
    cursor: Any = None

    def refreshed() -> set[str]:
        nonlocal cursor
        found = dg.evaluate_automation_conditions(watch.definitions, watch.instance, cursor=cursor)
        cursor = found.cursor
        keys = watch.definitions.resolve_asset_graph().materializable_asset_keys
        return {key.path[-1] for key in keys if found.get_num_requested(key)}

    # The rule waits for tables of settings that were never made: Dagster remembers them all.
    for name in BY_SETTING:
        for key in KEYS[2:]:
            watch.instance.report_runless_asset_event(dg.AssetMaterialization(name, partition=key))
    assert refreshed() == set()
    quiet(tmp_path, ago_s=60)
    watch.look()
    assert refreshed() == set()
    write_image(tmp_path / "candidates" / OBJECTS[0][0] / f"{OBJECTS[0][2]}.png", seed=999)
    quiet(tmp_path)
    watch.look()
    # Tables without partitions go in one run; those with some follow when these are made.
    assert refreshed() == {
        *("study_objects", "golden_images", "golden_scores", "setting_summary", "recommended_setting"),
        *(
            "sensitivity",
            "dose_response",
            "subscore_sensitivity",
            "fidelity_trust_verdict",
            "judge_comparison",
            "fidelity_report",
        ),
    }
    assert refreshed() == set()


def test_nothing_is_watched_before_it_is_switched_on(tmp_path: Path) -> None:
    sensor = definitions_of(described(tmp_path)).resolve_sensor_def("changed_inputs")
    assert sensor.default_status == dg.DefaultSensorStatus.STOPPED


def test_the_same_content_at_another_place_is_the_same_input(watch: Watch, tmp_path: Path) -> None:
    moved = tmp_path / "moved.csv"
    moved.write_bytes(watch.study.fidelity.human_scores.read_bytes())
    quiet(tmp_path)
    watch.reconfigured(described(tmp_path, human_scores=moved))
    assert watch.tables() == set()
