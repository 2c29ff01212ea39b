"""Table `subscore_sensitivity`: drops by hand, which sub-score moved most, what answers do not say, and the gate."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import pytest

from assets.fidelity.logic.subscore_rows import Sides, subscore_rows
from assets.fidelity.subscore_sensitivity import alterations_move_their_subscore, headline, sides_of
from resources.tables.call_states import SUBSCORES
from tests.assets.asked_gates import asked
from tests.assets.fidelity.made_golden_set import scores_of_pairs
from tests.assets.shared.made_tables import keeps_to_its_declaration, plan

specificity_gate = asked(alterations_move_their_subscore)

FLAT = [0.8, 0.7, 0.6, 0.5, 0.4]
COLOUR, TEXTURE = "color_palette", "texture_identity"


def rows(altered: Mapping[str, Mapping[str, Sequence[float]]], **changed: Any) -> pd.DataFrame:
    """Five objects of five products: of each alteration by how much each sub-score drops on each."""
    scores = scores_of_pairs(FLAT, dict.fromkeys(altered, FLAT)).assign(**changed)
    names = {name for drops in altered.values() for name in drops}
    sides = {}
    for name in sorted(names):
        drops = [drop for alteration in altered for drop in altered[alteration][name]]
        original = pd.Series(FLAT * len(altered), index=scores.index)
        sides[name] = Sides(original, original - drops)
    made = keeps_to_its_declaration("subscore_sensitivity", subscore_rows(scores, sides, plan()))
    return made.set_index(["kind", "subscore"], drop=False)


MORE, LESS, NONE = [0.3, 0.2, 0.3, 0.2, 0.25], [0.1, 0.1, 0.0, 0.1, 0.1], [0.0] * 5


def test_a_hue_shift_moves_colour_and_leaves_texture() -> None:
    found = rows({"hue_5": {COLOUR: MORE, TEXTURE: NONE}})
    colour, texture = found.loc[("hue", COLOUR)], found.loc[("hue", TEXTURE)]
    # 0.3 0.2 0.3 0.2 0.25: mean 0.25.
    assert (colour["mean_drop"], colour["n_items"]) == (pytest.approx(0.25), 5)
    assert colour["mean_drop_low"] < 0.25 < colour["mean_drop_high"]
    assert (colour["moves"], colour["moved_most"]) == (True, True)
    assert (texture["mean_drop"], texture["moves"], texture["moved_most"]) == (0, False, False)
    gate = specificity_gate(found)
    assert (gate.passed, gate.seen) == (True, 0)
    assert gate.sentence == "Each of the 1 kinds of alteration moves its own sub-score most."


def test_the_doses_of_a_kind_are_one_number_an_object() -> None:
    weak, strong = {COLOUR: LESS, TEXTURE: NONE}, {COLOUR: MORE, TEXTURE: NONE}
    found = rows({"saturation_75": weak, "saturation_25": strong})
    # Means 0.08 and 0.25 over the same five objects.
    colour = found.loc[("saturation", COLOUR)]
    assert (colour["mean_drop"], colour["n_items"]) == (pytest.approx(0.165), 5)


def test_a_kind_that_moves_another_sub_score_fails_and_is_named() -> None:
    found = rows({"hue_5": {COLOUR: LESS, TEXTURE: MORE}, "stripes7_o70": {COLOUR: LESS, TEXTURE: MORE}})
    gate = specificity_gate(found)
    assert (gate.passed, gate.seen, gate.n) == (False, 1, 2)
    assert "They are hue (color_palette)" in gate.sentence
    assert headline(found.reset_index(drop=True))["moves_another_most"] == "hue (color_palette)"


def test_sub_scores_that_move_alike_or_not_at_all_have_none_that_moved_most() -> None:
    assert not rows({"hue_5": {COLOUR: MORE, TEXTURE: MORE}})["moved_most"].any()
    assert not rows({"hue_5": {COLOUR: NONE, TEXTURE: NONE}})["moved_most"].any()


def test_own_pairs_name_their_sub_score_and_a_rise_counts_where_better_is_expected() -> None:
    up = [-one for one in MORE]
    found = rows({"polished_1": {COLOUR: NONE, "material_finish": up}}, moves="material_finish")
    finish = found.loc[("polished", "material_finish")]
    assert finish["mean_drop"] == pytest.approx(-0.25)
    assert (finish["moves"], finish["moved_most"]) == (True, True)


def test_copies_and_other_items_have_no_sub_score_of_their_own() -> None:
    found = rows({"untouched": {COLOUR: NONE, TEXTURE: NONE}, "other_item": {COLOUR: MORE, TEXTURE: LESS}})
    assert found["moves"].isna().all()
    assert found.loc["untouched", "moved_most"].isna().all()
    gate = specificity_gate(found)
    assert (gate.passed, gate.seen) == (True, None)
    assert gate.sentence.startswith("Not asked of this data set.")


def test_answers_without_sub_scores_are_said_to_have_none() -> None:
    scores = scores_of_pairs(FLAT, {"hue_5": FLAT})
    found = keeps_to_its_declaration("subscore_sensitivity", subscore_rows(scores, {}, plan()))
    [row] = found.to_dict("records")
    assert pd.isna(row["subscore"])
    assert pd.isna(row["mean_drop"])
    assert row["undefined"] == "the judge's answers have no sub-scores"
    assert "have no sub-scores" in specificity_gate(found).sentence


def test_too_few_pairs_are_unknown_and_not_failed() -> None:
    scores = scores_of_pairs(FLAT[:2], {"hue_5": FLAT[:2]})
    known = pd.Series(FLAT[:2], index=scores.index)
    made = subscore_rows(scores, {COLOUR: Sides(known, known), TEXTURE: Sides(known, known)}, plan())
    found = keeps_to_its_declaration("subscore_sensitivity", made)
    assert found["moved_most"].isna().all()
    assert found["undefined"].str.contains("2 pairs").all()
    gate = specificity_gate(found)
    assert (gate.passed, gate.seen) == (False, None)
    assert "too few pairs of sub-scores for hue" in gate.sentence


def test_sub_scores_are_read_from_the_answers_as_scores_are() -> None:
    scores = scores_of_pairs([0.5], {"hue_5": [0.4]})
    calls = pd.DataFrame(
        [_call("a", repeat, 50) for repeat in (1, 2, 3)] + [_call("a~hue_5", one, 20) for one in (1, 2)]
    )
    calls.loc[calls.index[-1], "state"] = "out_of_range"
    found = sides_of(scores, calls, plan())
    assert set(found) == set(SUBSCORES)
    assert found[COLOUR].original.tolist() == [0.5]
    # One valid repeat, and two are needed.
    assert found[COLOUR].altered.isna().all()


def _call(name: str, repeat: int, colour: int) -> dict[str, Any]:
    subscores = dict.fromkeys(SUBSCORES, 60) | {COLOUR: colour}
    said = {"item_id": "p-a", "subscores": subscores, "score": 56, "rationale": ["one reason", "another"]}
    row = {"object": name, "item_id": "p-a", "repeat": repeat, "attempt": 1, "state": "valid"}
    return row | {"raw_answer": json.dumps(said)}
