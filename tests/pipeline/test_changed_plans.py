"""Settings that were judged under another plan are not put next to the others."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pandas as pd
import pytest

from resources.configuration.fidelity import RubricWeights
from resources.study import Study
from tests.small_study import (
    KEYS,
    OBJECTS,
    UP_TO_SUMMARY,
    changed,
    described,
    errors,
    run_one,
    sqlite_instance_in,
    stored,
    without_drawing,
    write_image,
    write_study,
)

pytestmark = pytest.mark.slow
OLD, NEW = KEYS[1:3]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study of which one setting is made, and Dagster's memory of it."""
    folder = tmp_path_factory.mktemp("made")
    study = write_study(folder)
    with without_drawing(), sqlite_instance_in(folder / "dagster") as instance:
        assert not errors(run_one(study, instance, OLD, UP_TO_SUMMARY))
    study.engine.dispose()
    return folder


@pytest.fixture
def study(made: Path, tmp_path: Path) -> Study:
    """That study in a copy of the folder."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return described(tmp_path)


@pytest.fixture
def instance(study: Study, tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    """Dagster's memory in the copy."""
    with sqlite_instance_in(tmp_path / "dagster") as kept:
        yield kept


def summary_after(study: Study, instance: dg.DagsterInstance) -> pd.DataFrame:
    """The summary once another setting is made too."""
    assert not errors(run_one(study, instance, NEW, UP_TO_SUMMARY))
    return stored(study, "setting_summary").set_index("setting")


def test_settings_of_one_plan_stand_side_by_side(study: Study, instance: dg.DagsterInstance) -> None:
    summary = summary_after(study, instance)
    assert summary["icc"].notna().all()
    assert summary["n_objects"].tolist() == [len(OBJECTS)] * 2


def test_a_setting_judged_by_another_rubric_is_not_compared(study: Study, instance: dg.DagsterInstance) -> None:
    summary = summary_after(changed(study, rubric_weights=RubricWeights(color_palette=10)), instance)
    assert pd.isna(summary.loc[OLD, "icc"])
    assert "prompt or rubric changed" in summary.loc[OLD, "undefined"]
    assert summary.loc[NEW, "n_objects"] == len(OBJECTS)


def test_a_setting_judged_on_another_render_is_not_compared(
    study: Study, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    product, _, object_ = OBJECTS[0]
    write_image(tmp_path / "candidates" / product / f"{object_}.png", seed=999)
    summary = summary_after(study, instance)
    assert f"what the judge sees of object {object_} changed" in summary.loc[OLD, "undefined"]
    assert pd.notna(summary.loc[NEW, "icc"])
