"""The watch on drift as Dagster runs it: the anchor asked once a day, pinned once, compared ever after."""

import logging
import shutil
from collections.abc import Sequence
from datetime import UTC
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
import pytest

from assets.fidelity import anchor_scores as module
from assets.fidelity.logic.anchor import drawn, on_occasion
from assets.fidelity.logic.judge_answers import judged_objects
from pipeline.automation import watch_drift
from pipeline.definitions import definitions_of
from pipeline.runs import Outcome, run_drift
from resources.configuration.fidelity import Anchor, LocalJudge
from resources.configuration.settings import setting_from_key
from resources.judges.judging import Judging
from resources.judges.local import LocalJudge as Appearance
from resources.runtime.progress import LoggedProgress
from resources.study import Study
from resources.tables.all_tables import TABLES
from resources.tables.parquet import checked, write
from tests.small_study import (
    KEYS,
    OBJECTS,
    UP_TO_CALLS,
    changed,
    described,
    errors,
    ledger_rows,
    run_one,
    stored,
    stored_path,
    without_drawing,
)
from tests.small_study import write_study as write_small_study

pytestmark = pytest.mark.slow
USED = KEYS[2]
DAY_OF = module.day_of
LONG_AGO, TODAY = "2026-01-05", "2026-11-28"
WATCHED: dict[str, Any] = {
    "judge": LocalJudge(image_side_px=64, workers=2),
    "repeats": 2,
    "minimum_repeats": 2,
    "anchor": Anchor(n_objects=4),
}


@pytest.fixture(autouse=True)
def one_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """All runs of a test are made on one day: a real one may end between them."""
    monkeypatch.setattr(module, "day_of", lambda _context: TODAY)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with twelve objects of six products, a judge that answers anew, and a recommendation."""
    folder = tmp_path_factory.mktemp("made")
    study = changed(write_small_study(folder), **WATCHED)
    with without_drawing(), dg.DagsterInstance.ephemeral() as instance:
        assert not errors(run_one(study, instance, KEYS[0], UP_TO_CALLS[:2]))
    recommend(study, USED)
    study.engine.dispose()
    return folder


@pytest.fixture
def study(made: Path, tmp_path: Path) -> Study:
    """That study in a copy of the folder; until its first tables are made again, they name the folder's own images."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return described(tmp_path, **WATCHED)


def recommend(study: Study, setting: str) -> None:
    """Store table `recommended_setting` with one row."""
    empty = {"text": "", "number": None, "whole": 0, "flag": False}
    row: dict[str, Any] = {column.name: empty[column.kind] for column in TABLES["recommended_setting"].columns}
    row |= {"setting": setting, "recommended": True, "temperature": 0.2, "top_p": 0.9, "method": "optimism", "rank": 1}
    path = stored_path(study, "recommended_setting")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write(TABLES["recommended_setting"], checked(TABLES["recommended_setting"], pd.DataFrame([row])), file)


def watched(study: Study, instance: dg.DagsterInstance) -> Outcome:
    """`touchstone run drift`."""
    return run_drift(definitions_of(study), instance)


def judged_long_ago(study: Study, names: Sequence[str], setting: str = USED) -> None:
    """An occasion that is over: the same judge on another day."""
    judged = [one for one in judged_objects(stored(study, "study_objects")) if one.object in names]
    plan = study.fidelity
    Judging(
        study.name,
        plan,
        Appearance(LocalJudge(image_side_px=64), plan.rubric_weights),
        [on_occasion(one, LONG_AGO) for one in judged],
        [setting_from_key(setting)],
        study.ledger,
    ).ask(LoggedProgress(), logging.getLogger())


def test_the_first_day_pins_what_is_drawn_at_the_recommended_setting(
    study: Study, instance: dg.DagsterInstance
) -> None:
    outcome = watched(study, instance)
    assert outcome.succeeded, outcome.user_errors + outcome.other_errors
    scores = stored(study, "anchor_scores")
    assert list(scores["object"]) == drawn(stored(study, "study_objects"), 4, study.fidelity.seed)
    assert set(scores["setting"]) == {USED}
    assert set(scores["n_valid"]) == {2}
    assert len(ledger_rows(study)) == 8
    said = {check.check_name: check for check in outcome.checks}
    assert set(said) == {"anchor_mean_holds", "anchor_scores_hold", "same_judge_as_pinned"}
    for check in said.values():
        assert check.passed
        assert "is the pinned occasion, with 4 objects" in (check.description or "")


def test_the_same_day_again_asks_nothing_and_says_the_same(study: Study, instance: dg.DagsterInstance) -> None:
    watched(study, instance)
    first, asked = stored(study, "anchor_scores"), ledger_rows(study)
    # Another recommendation later that day does not move what is pinned.
    recommend(study, KEYS[4])
    assert watched(study, instance).succeeded
    pd.testing.assert_frame_equal(stored(study, "anchor_scores"), first)
    pd.testing.assert_frame_equal(ledger_rows(study), asked)


def test_the_day_is_that_on_which_the_run_was_made(
    study: Study, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "day_of", DAY_OF)
    assert watched(study, instance).succeeded
    [record] = instance.get_run_records(limit=1)
    day = record.create_timestamp.astimezone(UTC).date().isoformat()
    assert set(stored(study, "anchor_scores")["occasion"]) == {day}


def test_an_occasion_that_was_broken_off_is_completed_on_the_same_day(
    study: Study, instance: dg.DagsterInstance
) -> None:
    watched(changed(study, anchor=Anchor(n_objects=3)), instance)
    assert len(ledger_rows(study)) == 6
    assert watched(study, instance).succeeded
    assert len(ledger_rows(study)) == 8
    assert stored(study, "drift")["n_pinned"].tolist() == [4]


def test_a_later_day_judges_the_pinned_objects_at_the_pinned_setting(
    study: Study, instance: dg.DagsterInstance
) -> None:
    pinned = sorted(name for _, _, name in OBJECTS[:5])
    judged_long_ago(study, pinned, KEYS[5])
    assert watched(study, instance).succeeded
    scores = stored(study, "anchor_scores")
    assert scores.groupby("occasion")["object"].apply(list).to_dict() == {LONG_AGO: pinned, TODAY: pinned}
    assert set(scores["setting"]) == {KEYS[5]}
    then, now = stored(study, "drift").to_dict("records")
    assert (then["occasion"], now["occasion"], now["pinned"]) == (LONG_AGO, TODAY, LONG_AGO)
    assert (now["n_objects"], now["n_pinned"]) == (5, 5)
    by_day = scores.pivot_table(index="object", columns="occasion", values="judge_score")
    assert now["shift"] == pytest.approx((by_day[TODAY] - by_day[LONG_AGO]).mean())
    assert now["same_identity"]
    assert now["same_models"]
    assert now["same_material"]


def test_another_judge_is_compared_with_the_pinned_one_and_warned_of(
    study: Study, instance: dg.DagsterInstance
) -> None:
    judged_long_ago(study, [name for _, _, name in OBJECTS[:5]])
    outcome = watched(changed(study, judge=LocalJudge(image_side_px=96, workers=2)), instance)
    assert outcome.succeeded
    said = {check.check_name: check for check in outcome.checks}["same_judge_as_pinned"]
    assert not said.passed
    assert said.severity == dg.AssetCheckSeverity.WARN
    assert "the judge's rubric, parameters or code version changed" in (said.description or "")


def test_another_judge_on_the_pinned_day_does_not_replace_the_pinned_one(
    study: Study, instance: dg.DagsterInstance
) -> None:
    watched(study, instance)
    pinned = stored(study, "anchor_scores")
    other = changed(study, judge=LocalJudge(image_side_px=96, workers=2))
    outcome = watched(other, instance)
    assert outcome.succeeded
    scores = stored(study, "anchor_scores")
    pd.testing.assert_frame_equal(scores[scores["occasion"] == TODAY].reset_index(drop=True), pinned)
    last = stored(study, "drift").iloc[-1]
    assert (last["occasion"], last["pinned"]) == (f"{TODAY}, judge 2", TODAY)
    said = {check.check_name: check for check in outcome.checks}["same_judge_as_pinned"]
    assert not said.passed
    # The first judge again: nothing is asked, and the pin holds as before.
    asked = ledger_rows(study)
    assert watched(study, instance).succeeded
    pd.testing.assert_frame_equal(stored(study, "anchor_scores"), pinned)
    pd.testing.assert_frame_equal(ledger_rows(study), asked)


def test_the_pinned_day_keeps_the_objects_that_the_study_lost_on_it(study: Study, instance: dg.DagsterInstance) -> None:
    watched(study, instance)
    pinned = stored(study, "anchor_scores")
    lost = set(pinned["object"][:2])
    for product, _, name in OBJECTS:
        if name in lost:
            (study.fidelity.candidates / product / f"{name}.png").unlink()
    fewer = changed(study, max_missing_share=0.5)
    assert not errors(run_one(fewer, instance, KEYS[0], UP_TO_CALLS[:2]))
    assert watched(fewer, instance).succeeded
    now = stored(study, "anchor_scores").set_index("object")
    assert set(pinned["object"]) <= set(now.index)
    assert stored(study, "drift")["pinned"].tolist() == [TODAY]


def test_an_object_that_the_study_lost_is_named_and_the_others_are_judged(
    study: Study, instance: dg.DagsterInstance
) -> None:
    names = [name for _, _, name in OBJECTS[:5]]
    judged_long_ago(study, names)
    product, _, lost = OBJECTS[0]
    (study.fidelity.candidates / product / f"{lost}.png").unlink()
    lenient = changed(study, max_missing_share=0.5)
    assert not errors(run_one(lenient, instance, KEYS[0], UP_TO_CALLS[:2]))
    assert watched(lenient, instance).succeeded
    now = stored(lenient, "drift").iloc[-1]
    assert (now["n_objects"], now["n_pinned"]) == (4, 5)
    assert now["changes"] == f"the study no longer has, or has no usable images of, {lost}"
    event = instance.get_latest_materialization_event(dg.AssetKey("anchor_scores"))
    assert event is not None
    assert event.asset_materialization is not None
    assert event.asset_materialization.metadata["objects_gone"].value == lost


def test_a_recorded_judge_is_refused_before_anything_is_written(study: Study, instance: dg.DagsterInstance) -> None:
    recorded = changed(study, judge={"kind": "replay", "path": study.fidelity.human_scores.parent / "calls.jsonl"})
    outcome = watched(recorded, instance)
    assert not outcome.succeeded
    assert outcome.user_errors == [
        "A recorded judge says the same for ever and cannot drift. Set `judge: kind:` to a judge that answers anew "
        "before you watch it."
    ]
    assert ledger_rows(study).empty


def test_the_job_makes_the_two_tables_and_the_studys_own_job_does_not(study: Study) -> None:
    definitions = definitions_of(study)
    made = {
        name: {key.path[-1] for key in definitions.resolve_job_def(name).asset_layer.selected_asset_keys}
        for name in (watch_drift.name, "fidelity")
    }
    assert made["watch_drift"] == {"anchor_scores", "drift"}
    assert not made["watch_drift"] & made["fidelity"]
