"""What stops a run, what does not, and what is left as it was."""

from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
import pytest

from tests.small_study import (
    KEYS,
    OBJECTS,
    UP_TO_CALLS,
    UP_TO_SUMMARY,
    all_files,
    answer,
    changed,
    errors,
    fault,
    ledger_rows,
    made,
    near_truth,
    run,
    run_one,
    stored,
    stored_path,
    study_calls,
    true_score,
    write_selection,
    write_study,
)

pytestmark = pytest.mark.slow
STEADY, FAULTY, OTHER = KEYS[1:4]
VICTIM = OBJECTS[4][2]
MISMATCHED, SHOWN = OBJECTS[2], OBJECTS[3]


def with_faults(object_: str, setting: str, repeat: int) -> dict[str, Any]:
    """One object at one setting is answered twice, then never."""
    hit = (object_, setting) == (VICTIM, FAULTY) and repeat > 2
    return fault() if hit else near_truth(object_, setting, repeat)


def far_from_truth(object_: str, setting: str, repeat: int) -> dict[str, Any]:
    """The order is right and every score 21 to 25 points too high."""
    return answer(object_, 100 * true_score(object_) + 20 + min(repeat, 5))


def check_of(result: dg.ExecuteInProcessResult, name: str, partition: str | None = None) -> dg.AssetCheckEvaluation:
    [seen] = [
        check
        for check in result.get_asset_check_evaluations()
        if check.check_name == name and check.partition == partition
    ]
    return seen


def test_a_setting_without_enough_repeats_stops_a_run_over_settings_and_is_named(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = write_study(tmp_path, with_faults)
    result = run(study, instance, (STEADY, OTHER))
    assert not result.success
    assert list(errors(result)) == ["score_matrix_enough_repeats"]
    # Altered renders rest on study_objects alone.
    assert made(result) == {*UP_TO_CALLS, "score_matrix", "golden_images"}
    sentence = check_of(result, "enough_repeats").description or ""
    assert sentence.startswith("2 of 3 settings pass.")
    assert f"Worst is {FAULTY}: Share of objects with fewer than 3 valid repeats is 0.083" in sentence
    assert f"{VICTIM} (2)" in sentence
    own = {key: check_of(result, "enough_repeats", key).passed for key in (STEADY, FAULTY, OTHER)}
    assert own == {STEADY: True, FAULTY: False, OTHER: True}


def test_a_run_for_each_setting_finishes_the_others(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = write_study(tmp_path, with_faults)
    done = {key: run_one(study, instance, key, UP_TO_SUMMARY).success for key in (STEADY, FAULTY, OTHER)}
    assert done == {STEADY: True, FAULTY: False, OTHER: True}
    assert stored_path(study, "human_agreement", OTHER).is_file()
    assert not stored_path(study, "human_agreement", FAULTY).exists()
    # The stopped setting is shown without numbers and takes nothing from the comparison of the others.
    summary = stored(study, "setting_summary").set_index("setting")
    assert summary.index.tolist() == [STEADY, FAULTY, OTHER]
    assert summary["n_objects"].tolist() == [12, 0, 12]
    assert summary.loc[FAULTY, "undefined"].startswith(
        "not compared: Share of objects with fewer than 3 valid repeats is 0.083"
    )
    assert summary["n_faults"].tolist() == [0, 3, 0]


def test_a_fault_of_a_recording_is_final_and_a_second_run_stops_at_the_same_gate(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = write_study(tmp_path, with_faults)
    for _ in range(2):
        assert list(errors(run_one(study, instance, FAULTY))) == ["score_matrix_enough_repeats"]
        assert ledger_rows(study)["state"].value_counts().to_dict() == {"valid": 57, "timeout": 3}
    assert len(stored(study, "judge_calls", FAULTY)) == 60


def test_another_recording_is_another_judge_whose_answers_do_not_mix(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = write_study(tmp_path, with_faults)
    assert not run_one(study, instance, FAULTY).success
    write_study(tmp_path)
    assert not errors(run_one(study, instance, FAULTY, (*UP_TO_CALLS, "score_matrix")))
    assert study_calls(study).groupby("judge_identity", sort=False).size().tolist() == [60, 60]
    assert len(stored(study, "judge_calls", FAULTY)) == 60


def test_a_failed_quality_gate_stops_nothing(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = write_study(tmp_path, far_from_truth)
    result = run_one(study, instance, STEADY)
    assert not errors(result)
    gate = check_of(result, "close_to_people", STEADY)
    assert not gate.passed
    assert gate.severity == dg.AssetCheckSeverity.ERROR
    assert not gate.blocking
    # Judge 20 + 3 points over the people on average.
    assert "Mean absolute error against people is 0.230" in (gate.description or "")
    assert "setting_summary" in made(result)
    assert check_of(result, "orders_like_people", STEADY).passed


def test_a_render_of_another_object_stops_the_run_before_any_call(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    selection = write_selection(tmp_path / "selected.csv", {MISMATCHED[2]: SHOWN[2]})
    study = write_study(tmp_path, selected_objects=selection)
    result = run_one(study, instance, STEADY)
    assert list(errors(result)) == ["study_objects_render_shows_the_scored_object"]
    assert made(result) == {"human_scores", "study_objects"}
    gate = check_of(result, "render_shows_the_scored_object")
    assert f"{MISMATCHED[0]} (scored {MISMATCHED[2]}, render of {SHOWN[2]})" in (gate.description or "")
    assert ledger_rows(study).empty


def test_calls_that_are_launched_by_hand_after_the_gate_failed_are_not_made(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    selection = write_selection(tmp_path / "selected.csv", {MISMATCHED[2]: SHOWN[2]})
    study = write_study(tmp_path, selected_objects=selection)
    run_one(study, instance, STEADY)
    said = errors(run_one(study, instance, STEADY, ["judge_calls"]))
    assert f"scored {MISMATCHED[2]}, render of {SHOWN[2]}" in said["judge_calls"]
    assert ledger_rows(study).empty


def test_excluded_mismatches_let_the_study_go_on_and_are_counted(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    selection = write_selection(tmp_path / "selected.csv", {MISMATCHED[2]: SHOWN[2]})
    study = write_study(tmp_path, selected_objects=selection, mismatched_objects="exclude")
    result = run_one(study, instance, STEADY, UP_TO_CALLS)
    assert not errors(result)
    assert made(result) == set(UP_TO_CALLS)
    event = instance.get_latest_materialization_event(dg.AssetKey("study_objects"))
    assert event is not None
    assert event.asset_materialization is not None
    assert event.asset_materialization.metadata["n_left_out_mismatched_object"].value == 1
    assert event.asset_materialization.metadata["n_judged"].value == 11
    assert MISMATCHED[2] not in set(ledger_rows(study)["object"])
    assert len(ledger_rows(study)) == 11 * 5


def test_missing_images_above_the_limit_stop_the_run_and_below_it_are_left_out(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = write_study(tmp_path)
    product, _, object_ = OBJECTS[0]
    (tmp_path / "candidates" / product / f"{object_}.png").unlink()
    result = run_one(study, instance, STEADY, UP_TO_CALLS)
    # 1 of 12 is 0.083, over the limit of 0.05.
    assert list(errors(result)) == ["study_objects_images_are_there"]
    assert ledger_rows(study).empty
    assert not errors(run_one(changed(study, max_missing_share=0.1), instance, STEADY, UP_TO_CALLS))
    assert ledger_rows(study)["object"].nunique() == 11


def test_a_broken_score_file_leaves_every_table_as_it_was(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = write_study(tmp_path)
    assert not errors(run_one(study, instance, STEADY))
    before, calls = all_files(study), ledger_rows(study)
    path = study.fidelity.human_scores
    path.write_text(path.read_text(encoding="utf-8-sig").replace("0.190", "1.9"), encoding="utf-8-sig")
    result = run_one(study, instance, STEADY)
    assert list(errors(result)) == ["human_scores"]
    for part in ("subjective.csv, row 2", "score 1.9 is outside 0-1", "'Visual Fidelity'", "Nothing was loaded"):
        assert part in errors(result)["human_scores"]
    assert all_files(study) == before
    pd.testing.assert_frame_equal(ledger_rows(study), calls)
