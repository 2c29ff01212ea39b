"""Settings that were judged under another plan are not put next to the others."""

from pathlib import Path

import dagster as dg
import pandas as pd
import pytest

from resources.configuration.fidelity import RubricWeights
from resources.study import Study
from tests.small_study import KEYS, OBJECTS, changed, errors, run_one, stored, write_image, write_study

pytestmark = pytest.mark.slow
OLD, NEW = KEYS[1:3]


@pytest.fixture
def study(tmp_path: Path, instance: dg.DagsterInstance) -> Study:
    """A study of which one setting is made."""
    study = write_study(tmp_path)
    assert not errors(run_one(study, instance, OLD))
    return study


def summary_after(study: Study, instance: dg.DagsterInstance) -> pd.DataFrame:
    """The summary once another setting is made too."""
    assert not errors(run_one(study, instance, NEW))
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
    assert f"images of object {object_} changed" in summary.loc[OLD, "undefined"]
    assert pd.notna(summary.loc[NEW, "icc"])
