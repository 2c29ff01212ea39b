"""Which calls a second run makes: none that is answered, and exactly those that a change calls for."""

import shutil
from pathlib import Path

import dagster as dg
import pandas as pd
import pytest

from resources.configuration.fidelity import RubricWeights
from resources.study import Study
from tests.small_study import (
    KEYS,
    OBJECTS,
    UP_TO_CALLS,
    changed,
    described,
    errors,
    ledger_rows,
    run,
    run_one,
    stored,
    without_drawing,
    write_image,
    write_study,
)

pytestmark = pytest.mark.slow
SETTING, OTHER = KEYS[1:3]
ALL = {(object_, repeat) for _, _, object_ in OBJECTS for repeat in range(1, 6)}


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study whose calls at one setting are made."""
    folder = tmp_path_factory.mktemp("asked")
    study = write_study(folder)
    with without_drawing(), dg.DagsterInstance.ephemeral() as instance:
        assert not errors(run_one(study, instance, SETTING, UP_TO_CALLS))
    assert len(ledger_rows(study)) == len(ALL)
    study.engine.dispose()
    return folder


@pytest.fixture
def study(asked: Path, tmp_path: Path) -> Study:
    """The study in a copy of that folder: which calls are answered is in its ledger, and nowhere else."""
    shutil.copytree(asked, tmp_path, dirs_exist_ok=True)
    return described(tmp_path)


def new_calls(study: Study, instance: dg.DagsterInstance) -> list[tuple[str, int]]:
    """Object and repeat of the calls that another run makes."""
    before = ledger_rows(study)
    assert not errors(run_one(study, instance, SETTING, UP_TO_CALLS))
    after = ledger_rows(study)
    pd.testing.assert_frame_equal(after.head(len(before)), before)
    added = after.iloc[len(before) :]
    return sorted(zip(added["object"], added["repeat"], strict=True))


def test_a_second_run_makes_no_call(study: Study, instance: dg.DagsterInstance) -> None:
    table = stored(study, "judge_calls", SETTING)
    assert new_calls(study, instance) == []
    pd.testing.assert_frame_equal(stored(study, "judge_calls", SETTING), table)


def test_a_run_over_more_settings_makes_the_calls_of_the_new_ones(study: Study, instance: dg.DagsterInstance) -> None:
    assert not errors(run(study, instance, (SETTING, OTHER), UP_TO_CALLS))
    assert ledger_rows(study)["setting"].value_counts().to_dict() == {SETTING: len(ALL), OTHER: len(ALL)}


def test_other_rubric_weights_are_another_prompt_and_ask_everything(study: Study, instance: dg.DagsterInstance) -> None:
    weighted = changed(study, rubric_weights=RubricWeights(color_palette=70, material_finish=10))
    assert new_calls(weighted, instance) == sorted(ALL)
    assert ledger_rows(study)["prompt_hash"].nunique() == 12  # 6 items, each with two weightings
    # The table holds the calls of the current plan, and the first weighting's are still answered.
    assert len(stored(study, "judge_calls", SETTING)) == len(ALL)
    assert new_calls(study, instance) == []


def test_weights_in_the_same_proportion_are_the_same_prompt(study: Study, instance: dg.DagsterInstance) -> None:
    doubled = RubricWeights(color_palette=80, material_finish=50, texture_identity=30, texture_scale_placement=40)
    assert new_calls(changed(study, rubric_weights=doubled), instance) == []


def test_another_render_asks_about_that_object_only(study: Study, instance: dg.DagsterInstance, tmp_path: Path) -> None:
    product, _, object_ = OBJECTS[5]
    write_image(tmp_path / "candidates" / product / f"{object_}.png", seed=999)
    assert new_calls(study, instance) == [(object_, repeat) for repeat in range(1, 6)]
    assert len(stored(study, "judge_calls", SETTING)) == len(ALL)


def test_another_photo_asks_about_the_objects_of_that_item(
    study: Study, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    product = OBJECTS[4][0]
    write_image(tmp_path / "references" / product / "gt_1.png", seed=999)
    pair = [object_ for item, _, object_ in OBJECTS if item == product]
    assert new_calls(study, instance) == sorted((object_, repeat) for object_ in pair for repeat in range(1, 6))


def test_a_render_that_was_only_copied_anew_asks_nothing(
    study: Study, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    product, _, object_ = OBJECTS[5]
    path = tmp_path / "candidates" / product / f"{object_}.png"
    path.write_bytes(path.read_bytes())
    assert new_calls(study, instance) == []


def test_one_more_repeat_asks_that_repeat_of_every_object(study: Study, instance: dg.DagsterInstance) -> None:
    assert new_calls(changed(study, repeats=6), instance) == sorted((object_, 6) for _, _, object_ in OBJECTS)


def test_fewer_repeats_ask_nothing_and_leave_the_rest_out_of_the_table(
    study: Study, instance: dg.DagsterInstance
) -> None:
    assert new_calls(changed(study, repeats=3), instance) == []
    assert stored(study, "judge_calls", SETTING)["repeat"].max() == 3


def test_another_seed_or_threshold_asks_nothing(study: Study, instance: dg.DagsterInstance) -> None:
    assert new_calls(changed(study, seed=7, thresholds={"icc": 0.5}), instance) == []
