"""The golden set through Dagster: altered renders are judged once, and what the judge sees ends in the tables."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import dagster as dg
import pandas as pd
import pytest

from resources.configuration.fidelity import GoldenSet, Stripes
from resources.study import Study
from tests.small_study import (
    KEYS,
    OBJECTS,
    answer,
    changed,
    errors,
    ledger_rows,
    run,
    stored,
    true_score,
    without_drawing,
    write_image,
    write_study,
)

pytestmark = pytest.mark.slow

GOLDEN = GoldenSet(
    n_items=4,
    setting=KEYS[1],
    stripes=Stripes(shaded_opacities=()),
    hue_degrees=(20,),
    saturation=(),
    brightness=(),
    blur_px=(),
    texture_scale=(),
    logo_share=(),
)
# By how much each altered image is scored lower; what is not named scores as its original.
LOWER = {"stripes7_o30": 0.05, "stripes7_o50": 0.10, "stripes7_o70": 0.18, "other_item": 0.15}
NAMES = (*LOWER, "hue_20", "untouched", "reencoded")
BEFORE = ("human_scores", "study_objects", "judge_calls", "score_matrix", "icc_by_setting", "stability")
BEFORE += ("convergence_curves", "matched_scores", "human_agreement", "setting_summary", "recommended_setting")
TABLES = ("golden_images", "golden_scores", "sensitivity", "dose_response", "subscore_sensitivity")


class Ran(NamedTuple):
    study: Study
    instance: dg.DagsterInstance
    result: dg.ExecuteInProcessResult


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    folder = tmp_path_factory.mktemp("golden")
    study = write_study(folder, golden=GOLDEN)
    record_altered(folder / "calls.jsonl")
    with dg.DagsterInstance.ephemeral() as instance, without_drawing():
        yield Ran(study, instance, run(study, instance, (KEYS[1], KEYS[1]), [*BEFORE, *TABLES]))


def record_altered(calls: Path) -> None:
    """Answers about the altered image of every object, with the originals' ripple of 0.02 over three repeats."""
    with calls.open("a") as file:
        for _, _, name in OBJECTS:
            for alteration in NAMES:
                for repeat in range(1, 6):
                    ripple = 0.02 * ((repeat + len(name)) % 3 - 1)
                    score = 100 * (true_score(name) - LOWER.get(alteration, 0.0) + ripple)
                    row = {"object": f"{name}~{alteration}", "setting": KEYS[1], "repeat": repeat, "attempt": 1}
                    file.write(json.dumps(row | answer(name, score)) + "\n")


def test_every_altered_image_is_judged_at_the_one_setting(ran: Ran) -> None:
    assert not errors(ran.result)
    scores = stored(ran.study, "golden_scores")
    assert len(scores) == 4 * len(NAMES)
    assert set(scores["setting"]) == {KEYS[1]}
    assert scores["undefined"].isna().all()
    asked = ledger_rows(ran.study)
    assert asked["object"].str.contains("~").sum() == 4 * len(NAMES) * 5


def test_what_was_put_in_comes_out(ran: Ran) -> None:
    scores = stored(ran.study, "golden_scores")
    for alteration, drops in scores.groupby("alteration")["drop"]:
        assert drops.tolist() == pytest.approx([LOWER.get(str(alteration), 0.0)] * 4)
    seen = stored(ran.study, "sensitivity").set_index("alteration")
    assert seen.loc["hue_20", "seen"] == "not seen"
    assert seen.loc["untouched", "seen"] == seen.loc["reencoded", "seen"] == "kept"
    assert seen.loc["stripes7_o70", "hit_rate"] == 1
    [line] = stored(ran.study, "dose_response").to_dict("records")
    # Drops 0.05 0.10 0.18 at 0.3 0.5 0.7: slope (0.18 - 0.05) / 0.4 = 0.325.
    assert (line["kind"], line["slope"]) == ("stripes", pytest.approx(0.325))


def test_sub_scores_that_move_together_are_no_sign_of_a_specific_one(ran: Ran) -> None:
    rows = stored(ran.study, "subscore_sensitivity").set_index(["kind", "subscore"])
    # Each sub-score of the recording is the score: stripes lose 0.05, 0.10 and 0.18, in the mean 0.11.
    drops = rows.loc["stripes", "mean_drop"]
    assert drops.tolist() == pytest.approx([0.11] * 4)
    assert not rows.loc["stripes", "moved_most"].any()
    assert rows.loc[("stripes", "texture_identity"), "moves"]
    checks = {one.check_name: one for one in ran.result.get_asset_check_evaluations()}
    assert not checks["alterations_move_their_subscore"].passed


def test_checks_speak_of_the_tables_that_were_made(ran: Ran) -> None:
    checks = {one.check_name: one for one in ran.result.get_asset_check_evaluations()}
    assert checks["stripes_lower_the_score"].passed
    assert checks["unchanged_copies_keep_their_score"].passed
    assert checks["more_costs_more"].passed
    assert not checks["every_alteration_is_seen"].passed
    # Six products are too few to split: all of them choose.
    assert not checks["golden_items_are_held_out"].passed
    assert not any(checks[name].blocking for name in ("stripes_are_seen", "stripes_lower_the_score"))


def test_a_second_run_asks_nothing_again(ran: Ran) -> None:
    before = len(ledger_rows(ran.study))
    with without_drawing():
        again = run(ran.study, ran.instance, (KEYS[1], KEYS[1]), ["golden_scores"])
    assert not errors(again)
    assert len(ledger_rows(ran.study)) == before


def test_originals_that_were_judged_under_another_rubric_are_refused(ran: Ran) -> None:
    other = changed(ran.study, rubric_weights={"color_palette": 100})
    with without_drawing():
        result = run(other, ran.instance, (KEYS[1], KEYS[1]), ["golden_scores"])
    assert "cannot stand next to the golden set" in errors(result)["golden_scores"]


def test_a_render_that_changed_since_stops_the_run_before_it_asks(ran: Ran) -> None:
    row = stored(ran.study, "golden_images").iloc[0]
    kept = Path(row["original_path"]).read_bytes()
    write_image(Path(row["original_path"]), 999)
    with without_drawing():
        result = run(ran.study, ran.instance, (KEYS[1], KEYS[1]), ["golden_scores"])
    Path(row["original_path"]).write_bytes(kept)
    assert "Make `study_objects` and then `golden_images` again" in errors(result)["golden_scores"]


def test_tables_hold_no_number_that_the_data_do_not_define(ran: Ran) -> None:
    seen = stored(ran.study, "sensitivity").set_index("alteration")
    # Every item drops by the same, so the drops have no spread.
    assert pd.isna(seen.loc["stripes7_o70", "d_z"])
    assert "d_z: all drops are equal" in seen.loc["stripes7_o70", "undefined"]


def test_a_judge_that_never_varies_still_has_its_golden_set_judged_at_the_baseline(tmp_path: Path) -> None:
    study = write_study(tmp_path, lambda name, _setting, _repeat: answer(name, 100 * true_score(name)))
    with dg.DagsterInstance.ephemeral() as instance, without_drawing():
        result = run(study, instance, (KEYS[0], KEYS[1]), [*BEFORE, *TABLES])
    assert not errors(result)
    recommended = stored(study, "recommended_setting")
    assert not recommended[["recommended", "nearest"]].astype(bool).to_numpy().any()
    baseline = recommended.loc[recommended["baseline"].astype(bool), "setting"]
    expected = baseline.iloc[0] if len(baseline) else KEYS[0]
    assert set(stored(study, "golden_scores")["setting"]) == {expected}


def test_a_golden_item_that_the_study_lacks_ends_the_run_before_a_call(tmp_path: Path) -> None:
    study = write_study(tmp_path, golden=GOLDEN.model_copy(update={"items": ("100", "1000")}))
    with dg.DagsterInstance.ephemeral() as instance, without_drawing():
        result = run(study, instance, (KEYS[1], KEYS[1]), [*BEFORE, *TABLES])
    assert "golden.items: the study has no item '1000'" in errors(result)["study_objects"]
    assert ledger_rows(study).empty


def test_an_empty_list_of_items_leaves_empty_tables_and_stops_nothing(tmp_path: Path) -> None:
    study = write_study(tmp_path, golden=GOLDEN.model_copy(update={"items": ()}))
    with dg.DagsterInstance.ephemeral() as instance, without_drawing():
        result = run(study, instance, (KEYS[1], KEYS[1]), [*BEFORE, *TABLES])
    assert not errors(result)
    assert all(stored(study, name).empty for name in TABLES)
    checks = {one.check_name: one for one in result.get_asset_check_evaluations()}
    of_golden_set = ["golden_images_are_of_the_judged_renders", "golden_pairs_are_complete", "stripes_are_seen"]
    assert all(checks[name].passed for name in (*of_golden_set, "golden_items_are_held_out", "more_costs_more"))
