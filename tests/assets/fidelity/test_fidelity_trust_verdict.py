"""The verdict on each setting of study A: people, the half that did not choose, and the study's own conditions."""

import numpy as np
import pandas as pd
import pytest

from analysis.verdict.stated import Stated
from assets.fidelity.logic.judge_answers import Judgements
from assets.fidelity.logic.verdict_evidence import Evidence, by_kind, setting_verdicts
from assets.fidelity.sensitivity import effect_gate
from resources.tables.all_tables import TABLES
from tests.assets.fidelity.made_recommendation import BASELINE, SHAKY, STEADY, judgements, recommended, study_of

NOISES = {STEADY: 0.01, SHAKY: 0.012}


def empty(table: str) -> pd.DataFrame:
    return pd.DataFrame({column.name: [] for column in TABLES[table].columns})


def several(tables: Judgements, noise: float = 0.03, people: int = 3) -> Judgements:
    """The same study with several annotators around what one of them said."""
    random = np.random.default_rng(5)
    frames = [
        tables.human_scores.assign(
            annotator=f"a{person}", score=lambda rows: rows["score"] + noise * random.normal(size=len(rows))
        )
        for person in range(people)
    ]
    return tables._replace(human_scores=pd.concat(frames, ignore_index=True))


def verdicts(tables: Judgements, method: str = "split", stripes: pd.DataFrame | None = None, **changes) -> list[Stated]:
    study = study_of(method, **changes)
    made = recommended(tables, method, **changes)
    seen = empty("sensitivity") if stripes is None else stripes
    gate = effect_gate(seen, study.thresholds.effect_size)
    agreement = {key: empty("human_agreement") for key in tables.matrices}
    evidence = Evidence(tables.matrices, tables.human_scores, tables.study_objects, made, agreement, seen, gate)
    return setting_verdicts(evidence, "the recorded judge", study)


def answer(found: list[Stated]) -> Stated:
    [one] = [one for one in found if one.leading]
    return one


LENIENT = {"verdict": {"gate_on": "estimate"}}


def test_a_judge_as_good_as_people_is_a_yes_on_the_half_that_did_not_choose() -> None:
    found = answer(verdicts(several(judgements(NOISES, n_products=40)), **LENIENT))
    assert found.verdict.word == "yes"
    # 20 of 40 products of two objects chose the setting.
    assert (found.verdict.conditions[0].n, found.verdict.conditions[0].n_clusters) == (40, 20)
    assert [row.name for row in found.people] == ["a0", "a1", "a2", ""]
    assert found.not_covered == ("golden: none",)


def test_by_the_bounds_too_few_answers_leave_it_not_proven() -> None:
    found = answer(verdicts(several(judgements(NOISES, n_products=20))))
    # 100 flawless first answers: Wilson's bound is 0.963, needed 0.98.
    assert found.verdict.word in ("not proven", "cannot say")
    found = answer(verdicts(several(judgements(NOISES, n_products=32))))
    assert found.verdict.word == "not proven"
    assert found.verdict.reasons[0].startswith("validity of answers is not proven: 1.000 [0.977, 1.000], needed")


def test_a_half_that_is_too_small_says_nothing_good() -> None:
    # 16 products: 8 of them report, 16 objects.
    found = verdicts(several(judgements(NOISES)), **LENIENT)
    assert answer(found).verdict.word == "cannot say"
    assert answer(found).verdict.reasons[0] == "only 16 objects had no part in choosing the setting, fewer than 30"
    # The other setting was among those that the same objects chose from.
    [other] = [one for one in found if not one.leading]
    assert other.verdict.word == "cannot say"


def test_where_all_objects_chose_nothing_good_is_said_either() -> None:
    found = answer(verdicts(several(judgements(NOISES, n_products=40)), "optimism", **LENIENT))
    assert found.verdict.word == "cannot say"
    assert found.verdict.reasons[0].startswith("every object took part in choosing the setting")


def test_one_setting_chose_nothing() -> None:
    found = answer(verdicts(several(judgements({STEADY: 0.01}, n_products=16)), "optimism", **LENIENT))
    assert found.verdict.word == "only for ranking"


def test_a_judge_far_from_people_is_a_no_and_one_that_is_not_repeatable_too() -> None:
    off = judgements(NOISES, n_products=40, errors=dict.fromkeys(NOISES, 0.6))
    assert answer(verdicts(several(off), **LENIENT)).verdict.word == "no"
    shaky = judgements(dict.fromkeys(NOISES, 0.25), n_products=40)
    found = answer(verdicts(several(shaky), **LENIENT)).verdict
    assert found.word == "no"
    assert any("repeatability (ICC) fails" in why for why in found.reasons)


def test_with_one_annotator_the_word_is_about_this_person() -> None:
    found = answer(verdicts(judgements(NOISES, n_products=40), **LENIENT))
    assert (found.against, found.verdict.word) == ("this person", "agrees with this person")
    far = judgements(NOISES, n_products=40, errors=dict.fromkeys(NOISES, 0.6))
    assert answer(verdicts(far, verdict={"gate_on": "estimate", "required": ["icc"]})).verdict.word == (
        "does not agree with this person"
    )


def test_people_who_do_not_agree_leave_nothing_to_stand_in_for() -> None:
    found = answer(verdicts(several(judgements(NOISES, n_products=40), noise=3.0), **LENIENT))
    assert found.verdict.word == "cannot say"


def test_stripes_that_are_not_seen_are_a_no_where_they_are_required() -> None:
    row = {"setting": STEADY, "alteration": "stripes7_o30", "kind": "stripes", "magnitude": 0.3, "expected": "worse"}
    row |= {"n_items": 10, "cohens_d": 0.2, "cohens_d_low": -0.1, "cohens_d_high": 0.5, "seen": "not seen"}
    frame = pd.DataFrame([row]).reindex(columns=[column.name for column in TABLES["sensitivity"].columns])
    tables = several(judgements({STEADY: 0.01}, n_products=40))
    found = answer(verdicts(tables, stripes=frame, **LENIENT))
    assert found.verdict.word == "no"
    assert found.not_covered == ("alterations: stripes7_o30",)
    lax = {"verdict": {"gate_on": "estimate", "required": ["icc", "spearman"]}}
    assert answer(verdicts(tables, stripes=frame, **lax)).verdict.word == "yes"


def test_stripes_that_another_judge_was_shown_keep_this_one_not_proven() -> None:
    row = {"setting": f"another@{STEADY}", "alteration": "stripes7_o30", "kind": "stripes", "magnitude": 0.3}
    row |= {"expected": "worse", "n_items": 10, "cohens_d": 2.0, "cohens_d_low": 1.0, "cohens_d_high": 3.0}
    frame = pd.DataFrame([row | {"seen": "seen"}]).reindex(columns=empty("sensitivity").columns)
    tables = several(judgements({STEADY: 0.01}, n_products=40))
    found = answer(verdicts(tables, stripes=frame, **LENIENT)).verdict
    [stripes] = [one for one in found.conditions if one.gate == "stripes_are_seen"]
    assert (stripes.state, stripes.required) == ("not measured", True)
    assert stripes.why == "the golden set was judged by another judge alone"
    assert found.word == "not proven"
    assert answer(verdicts(tables, **LENIENT)).verdict.word == "yes"


def test_a_golden_set_without_stripes_was_judged_all_the_same() -> None:
    row = {"setting": STEADY, "alteration": "crack", "kind": "crack", "expected": "worse", "n_items": 10}
    own = pd.DataFrame([row | {"seen": "seen"}]).reindex(columns=empty("sensitivity").columns)
    tables = several(judgements({STEADY: 0.01}, n_products=40))
    for frame, why in ((own, "the golden set has no stripes"), (None, "no golden set was judged at this setting")):
        [stripes] = [
            one
            for one in answer(verdicts(tables, stripes=frame, **LENIENT)).verdict.conditions
            if one.gate == "stripes_are_seen"
        ]
        assert (stripes.state, stripes.why) == ("not measured", why)


@pytest.mark.parametrize("key", [BASELINE])
def test_a_deterministic_setting_has_no_repeatability_to_prove(key: str) -> None:
    found = verdicts(several(judgements({key: 0.0, STEADY: 0.01}, n_products=40)), **LENIENT)
    [baseline] = [one for one in found if one.place == key]
    for gate in ("repeatable", "repeats_agree"):
        assert [one.state for one in baseline.verdict.conditions if one.gate == gate] == ["does not apply"]


def test_alterations_of_one_kind_are_named_together() -> None:
    assert by_kind(["hue_5", "blur_1", "hue_10", "stripes7_shaded_o70", "crop"]) == [
        "hue (5, 10)",
        "blur_1",
        "stripes7_shaded_o70",
        "crop",
    ]
