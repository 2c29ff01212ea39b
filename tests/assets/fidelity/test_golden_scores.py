"""Table `golden_scores`: pairs by hand, why a pair is missing, what is refused, and the advice on it."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from assets.fidelity.golden_scores import (
    altered_objects,
    complete_gate,
    golden_items_are_held_out,
    golden_score_rows,
    headline,
    originals_at,
    records_items_only,
)
from assets.fidelity.logic.current_plan import CurrentPlan
from assets.fidelity.logic.sensitivity_rows import held_out_pairs
from resources.configuration.fidelity import GoldenSet, Recommendation, ReplayJudge
from resources.errors import UserError
from tests.assets.asked_gates import asked
from tests.assets.fidelity.made_golden_set import images_of, scores_of_pairs
from tests.assets.shared.made_tables import (
    SETTING,
    calls_of,
    keeps_to_its_declaration,
    matrix_of_scores,
    objects_of,
    one_each,
    plan,
)

held_out_gate = asked(golden_items_are_held_out)

ORIGINALS = matrix_of_scores({"a": [0.8, 0.7, 0.9], "b": [0.5, None, None], "c": [0.6, 0.6, 0.6]})


def attempts(name: str, *scores: float | None) -> list[tuple[str, int, int, str, float | None]]:
    """One attempt for each repeat; None is a timeout."""
    states = [("valid" if score is not None else "timeout", score) for score in scores]
    return [(name, repeat, 1, state, score) for repeat, (state, score) in enumerate(states, start=1)]


CALLS = calls_of(
    [
        *attempts("a~stripes7_o70", 0.3, 0.5, None),
        *attempts("a~untouched", 0.8, 0.8, 0.8),
        *attempts("b~stripes7_o70", 0.2, 0.2, 0.2),
        *attempts("b~untouched", 0.5, 0.5, 0.5),
        *attempts("c~stripes7_o70", 0.1, None, None),
    ]
)


def rows(images: pd.DataFrame | None = None, **changes: object) -> pd.DataFrame:
    manifest = images_of("abc", ["stripes7_o70", "untouched"], skipped={"c": "no object"}) if images is None else images
    made = golden_score_rows(manifest, CALLS, ORIGINALS, plan(**changes))
    return keeps_to_its_declaration("golden_scores", made).set_index(["object", "alteration"])


def test_both_scores_are_means_of_valid_repeats_and_a_drop_is_positive() -> None:
    seen = rows().loc[("a", "stripes7_o70")]
    # Original (0.8 + 0.7 + 0.9) / 3 = 0.8; altered (0.3 + 0.5) / 2 = 0.4, the third repeat timed out.
    assert (seen["original_score"], seen["altered_score"], seen["drop"]) == pytest.approx((0.8, 0.4, 0.4))
    assert (seen["n_original"], seen["n_altered"], seen["n_planned"]) == (3, 2, 3)
    assert pd.isna(seen["undefined"])


def test_the_median_is_taken_where_the_study_asks_for_it() -> None:
    calls = calls_of(attempts("a~stripes7_o70", 0.1, 0.2, 0.9))
    made = golden_score_rows(images_of("a", ["stripes7_o70"]), calls, ORIGINALS, plan(aggregate="median"))
    assert made["altered_score"].iloc[0] == 0.2


def test_the_cost_is_that_of_all_attempts_at_the_altered_image() -> None:
    assert rows().loc[("a", "stripes7_o70"), "cost_usd"] == pytest.approx(0.03)
    assert rows().loc[("c", "stripes7_o70"), "cost_usd"] == pytest.approx(0.03)
    assert rows().loc[("c", "untouched"), "cost_usd"] == 0


def test_a_side_with_too_few_valid_repeats_makes_no_pair() -> None:
    seen = rows().loc[("b", "stripes7_o70")]
    assert seen["undefined"] == "too few valid repeats: 1 of the original; needed: 2"
    assert pd.isna(seen["drop"])
    assert seen["altered_score"] == pytest.approx(0.2)
    images = images_of("c", ["stripes7_o70"])
    assert rows(images)["undefined"].iloc[0] == "too few valid repeats: 1 of the altered; needed: 2"


def test_an_image_that_was_not_made_says_so() -> None:
    assert rows().loc[("c", "untouched"), "undefined"] == "no altered image: no object"


def test_floating_point_makes_no_drop() -> None:
    originals = matrix_of_scores({"a": [0.1 + 0.2] * 3})
    calls = calls_of(attempts("a~untouched", 0.3, 0.3, 0.3))
    assert golden_score_rows(images_of("a", ["untouched"]), calls, originals, plan())["drop"].iloc[0] == 0


def test_altered_images_are_shown_with_the_photos_and_context_of_their_original() -> None:
    studied = objects_of(one_each("ab"), excluded={"b": "missing_candidate"})
    [one] = altered_objects(images_of("ab", ["hue_5"]), studied)
    assert (one.object, one.item_id) == ("a~hue_5", "p-a")
    assert (one.candidate_path, one.candidate_sha256) == ("a_hue_5.png", "hash of a hue_5")
    assert (one.reference_paths, one.categories) == (("p-a.png",), ("Home", "Seats", "Stools"))


def test_an_image_that_was_skipped_is_not_judged() -> None:
    assert altered_objects(images_of("a", ["hue_5"], skipped={"a": "no object"}), objects_of(one_each("a"))) == []


def test_a_recording_per_item_is_never_asked_about_altered_images(tmp_path: Path) -> None:
    folder = ReplayJudge(kind="replay", path=tmp_path)
    assert records_items_only(plan(judge=folder))
    assert not records_items_only(plan(judge=ReplayJudge(kind="replay", path=tmp_path / "calls.jsonl")))
    assert not records_items_only(plan())


def test_without_any_call_every_row_says_what_is_missing() -> None:
    made = golden_score_rows(images_of("a", ["hue_5"]), CALLS.head(0), ORIGINALS, plan())
    seen = keeps_to_its_declaration("golden_scores", made).iloc[0]
    assert seen["undefined"] == "too few valid repeats: 0 of the altered; needed: 2"
    assert (seen["cost_usd"], seen["n_altered"]) == (0, 0)


def in_force(identity: str = "1") -> CurrentPlan:
    return CurrentPlan(identity, {}, {})


def test_originals_of_the_same_plan_are_taken() -> None:
    assert originals_at(SETTING, {SETTING: CALLS}, {SETTING: ORIGINALS}, plan(), in_force()) is ORIGINALS


def test_a_setting_that_was_not_run_is_refused() -> None:
    with pytest.raises(UserError, match=r"judged at t0\.2_p0\.95, which was not run\. Run the setting first"):
        originals_at(SETTING, {}, {}, plan(), in_force())


def test_originals_of_another_judge_are_refused_before_anything_is_paid() -> None:
    with pytest.raises(UserError, match="cannot stand next to the golden set: its calls are of another judge"):
        originals_at(SETTING, {SETTING: CALLS}, {SETTING: ORIGINALS}, plan(), in_force("2"))


def test_originals_of_another_number_of_repeats_are_refused() -> None:
    with pytest.raises(UserError, match="made with 3 repeats, and the study plans 5"):
        originals_at(SETTING, {SETTING: CALLS}, {SETTING: ORIGINALS}, plan(repeats=5), in_force())


def test_complete_pairs_pass_and_gaps_fail_with_their_reasons() -> None:
    whole = scores_of_pairs([0.8, 0.7], {"hue_5": [0.5, 0.6]})
    assert complete_gate(whole, 0.05).passed
    gaps = scores_of_pairs([0.8, 0.7], {"hue_5": [0.5, None]})
    gate = complete_gate(gaps, 0.05)
    assert not gate.passed
    assert gate.seen == 0.5
    assert "Lacking: 1 (too few valid repeats)" in gate.sentence


def test_without_a_golden_set_nothing_is_asked_of_it() -> None:
    nothing = scores_of_pairs([], {"hue_5": []})
    for gate in (complete_gate(nothing, 0.05), held_out_gate(nothing, plan())):
        assert gate.passed
        assert gate.sentence == "Not asked of this data set. golden.items names no item, so there is no golden set."


def test_items_that_chose_the_setting_are_named() -> None:
    assert held_out_gate(scores_of_pairs([0.8, 0.7], {"hue_5": [0.5, 0.6]}), plan()).passed
    gate = held_out_gate(scores_of_pairs([0.8, 0.7], {"hue_5": [0.5, 0.6]}, chose=[True, False]), plan())
    assert not gate.passed
    assert gate.sentence.startswith("Number of items that had a part in choosing the setting is 1 over 2 items")
    assert "They are p-a. They do not count; of the others 1 have a pair of scores and do." in gate.sentence
    all_chose = held_out_gate(scores_of_pairs([0.8, 0.7], {"hue_5": [0.5, 0.6]}, chose=[True, True]), plan())
    assert "Their pairs count all the same, because no other item has a pair of scores." in all_chose.sentence


@pytest.mark.parametrize(
    ("chose", "changes", "remedy"),
    [
        ([True, True], {}, "With at least 12 products that people scored, one half chooses"),
        ([True, True], {"recommendation": Recommendation(method="optimism")}, "lets every product choose"),
        ([True, False], {"golden": GoldenSet(items=("p-a", "p-b"))}, "Leave `golden.items` out, or name items of"),
        ([True, True], {"golden": GoldenSet(items=("p-a", "p-b"))}, "With at least 12 products that people scored"),
    ],
)
def test_the_remedy_for_items_that_chose_fits_the_cause(
    chose: list[bool], changes: dict[str, Any], remedy: str
) -> None:
    gate = held_out_gate(scores_of_pairs([0.8, 0.7], {"hue_5": [0.5, 0.6]}, chose=chose), plan(**changes))
    assert remedy in gate.sentence


def test_what_the_gate_says_of_the_pairs_is_what_sensitivity_does() -> None:
    # a, b and c chose and have pairs; d, e and f are held out and have none.
    scores = scores_of_pairs([0.8] * 6, {"hue_5": [0.5, 0.6, 0.7, None, None, None]}, chose=[True] * 3 + [False] * 3)
    assert held_out_pairs(scores)["object"].tolist() == ["a", "b", "c"]
    assert "Their pairs count all the same" in held_out_gate(scores, plan()).sentence
    one_more = scores_of_pairs([0.8] * 6, {"hue_5": [0.5, 0.6, 0.7, 0.5, None, None]}, chose=[True] * 3 + [False] * 3)
    assert held_out_pairs(one_more)["object"].tolist() == ["d"]
    assert "They do not count; of the others 1 have a pair" in held_out_gate(one_more, plan()).sentence


def test_the_headline_counts_pairs_and_costs() -> None:
    seen = headline(scores_of_pairs([0.8, 0.7], {"hue_5": [0.5, None], "untouched": [0.8, 0.7]}))
    assert (seen["setting"], seen["n_items"], seen["n_pairs"], seen["n_without_pair"]) == (SETTING, 2, 3, 1)
    assert seen["cost_usd"] == pytest.approx(0.04)
    assert "data:image/webp;base64," in seen["plot"].value
