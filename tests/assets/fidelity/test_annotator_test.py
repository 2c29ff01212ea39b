"""Table `annotator_test`: the rows of annotators and of the whole, reasons for nulls, and the gate."""

import numpy as np
import pandas as pd
import pytest

from analysis.agreement.alternative_annotator import alternative_annotator
from analysis.agreement.icc import icc
from analysis.agreement.kendall_w import kendall_w
from assets.fidelity.annotator_test import EVERYBODY, annotator_rows, headline, stand_in_gate
from resources.errors import UserError
from tests.assets.shared.made_tables import (
    SETTING,
    keeps_to_its_declaration,
    matrix_of_scores,
    objects_of,
    plan,
    ratings_of,
)

NAMES = [f"o{place:02d}" for place in range(36)]
OWN = {name: f"p-{name}" for name in NAMES}
OBJECTS = objects_of(OWN)
TRUTH = dict(zip(NAMES, np.linspace(0.1, 0.9, len(NAMES)), strict=True))
NOISE = np.random.default_rng(5).normal(0, 0.05, (len(NAMES), 3))
PEOPLE = {name: list(np.clip(TRUTH[name] + NOISE[place], 0, 1)) for place, name in enumerate(NAMES)}


def rows_of(
    judge: dict[str, float],
    people: dict[str, list[float]] = PEOPLE,
    products: dict[str, str] = OWN,
    **changes: object,
) -> pd.DataFrame:
    matrix = matrix_of_scores({name: [judge.get(name)] * 3 for name in NAMES}, products)
    made = annotator_rows(SETTING, matrix, ratings_of(people, OBJECTS), plan(**changes))
    return keeps_to_its_declaration("annotator_test", made).set_index("annotator")


@pytest.fixture(scope="module")
def near() -> pd.DataFrame:
    """The judge says the truth, and three people say it with noise."""
    return rows_of(TRUTH)


def test_every_annotator_has_a_row_and_so_has_the_whole(near: pd.DataFrame) -> None:
    assert near.index.tolist() == ["a1", "a2", "a3", EVERYBODY]
    assert near["n_instances"].tolist() == [36, 36, 36, 36]
    assert near["setting"].unique().tolist() == [SETTING]
    assert near["epsilon"].unique().tolist() == [0.2]


def test_numbers_are_those_of_the_test_on_the_same_scores(near: pd.DataFrame) -> None:
    found = alternative_annotator(np.array([PEOPLE[name] for name in NAMES]), list(TRUTH.values()))
    parts = list(found.annotators.values())
    people = near.drop(EVERYBODY)
    np.testing.assert_allclose(people["share_judge_better"], [part.judge_share for part in parts])
    np.testing.assert_allclose(people["share_annotator_better"], [part.annotator_share for part in parts])
    np.testing.assert_allclose(people["p_adjusted"], [part.p_adjusted for part in parts])
    assert (near.loc[EVERYBODY, "omega"], near.loc[EVERYBODY, "rho"]) == (found.winning_rate, found.advantage)
    assert people[["omega", "rho"]].isna().all(axis=None)


def test_people_among_themselves_stand_in_the_row_of_the_whole(near: pd.DataFrame) -> None:
    form = icc(np.array([PEOPLE[name] for name in NAMES])).icc_1_1
    whole = near.loc[EVERYBODY]
    assert (whole["human_icc_1_1"], whole["human_icc_1_1_low"]) == (form.value, form.low)
    assert whole["human_icc_1_1"] < whole["human_icc_1_k"] < 1
    # No one left a gap, so both ways agree.
    assert whole["human_icc_1_1_reml"] == pytest.approx(form.value, rel=1e-4)
    assert whole["human_icc_1_1_reml_low"] < form.value < whole["human_icc_1_1_reml_high"]
    assert whole["human_kendall_w"] == kendall_w(np.array([PEOPLE[name] for name in NAMES])).w
    assert pd.isna(whole["undefined"])
    assert pd.isna(whole["note"])


def test_less_skilled_annotators_grant_the_judge_less() -> None:
    assert rows_of(TRUTH, annotators="crowd")["epsilon"].unique().tolist() == [0.1]


def test_objects_that_share_a_product_are_said_to_be_taken_for_independent() -> None:
    seen = rows_of(TRUTH, products={name: f"p-{name[-1]}" for name in NAMES})
    assert seen["note"].tolist() == ["p and intervals assume independence"] * 4


def test_an_annotator_with_few_objects_is_skipped_and_the_whole_counts_him() -> None:
    people = {name: scores if place < 10 else scores[:2] for place, (name, scores) in enumerate(PEOPLE.items())}
    seen = rows_of(TRUTH, people)
    assert seen.loc["a3", "n_instances"] == 10
    # The other 26 objects have two scores: REML uses them, and W the ten that all three scored.
    assert 0 < seen.loc[EVERYBODY, "human_icc_1_1_reml"] < 1
    assert not pd.isna(seen.loc[EVERYBODY, "human_kendall_w"])
    assert seen.loc["a3", ["p", "rejected", "share_judge_better"]].isna().all()
    assert seen.loc["a3", "undefined"] == "skipped: 10 objects with the judge and another annotator, 30 needed"
    assert seen.loc[EVERYBODY, "note"] == "not tested, with fewer than 30 objects: a3 (10)"
    assert not pd.isna(seen.loc[EVERYBODY, "omega"])


def test_two_annotators_are_tested_with_a_warning() -> None:
    seen = rows_of(TRUTH, {name: scores[:2] for name, scores in PEOPLE.items()})
    assert seen.loc[EVERYBODY, "note"].startswith("only 2 annotators")
    assert not pd.isna(seen.loc[EVERYBODY, "omega"])


def test_one_annotator_leaves_a_single_row_with_the_reasons() -> None:
    seen = rows_of(TRUTH, {name: scores[:1] for name, scores in PEOPLE.items()})
    assert seen.index.tolist() == [EVERYBODY]
    whole = seen.loc[EVERYBODY]
    assert whole["n_instances"] == 0
    assert whole[["omega", "rho", "human_icc_1_1", "human_icc_1_k"]].isna().all()
    assert "omega, rho: only 1 annotator, at least 2 needed" in whole["undefined"]
    assert "human_icc: " in whole["undefined"]


def test_too_few_objects_say_how_many_there_are() -> None:
    seen = rows_of({name: TRUTH[name] for name in NAMES[:12]})
    assert seen.loc[EVERYBODY, "n_instances"] == 12
    assert "(most: 12)" in seen.loc[EVERYBODY, "undefined"]
    # People can be held against each other all the same.
    assert not pd.isna(seen.loc[EVERYBODY, "human_icc_1_1"])


def test_a_judge_that_scored_nothing_leaves_the_reasons() -> None:
    seen = rows_of({})
    assert "human_icc: no object was scored by people and the judge" in seen.loc[EVERYBODY, "undefined"]


def test_annotators_that_agree_exactly_have_an_icc_of_one_and_the_reason_beside_it() -> None:
    seen = rows_of(TRUTH, {name: [score] * 3 for name, score in TRUTH.items()}).loc[EVERYBODY]
    assert seen["human_icc_1_1"] == 1
    assert "deterministic" in seen["undefined"]


def test_a_matrix_of_another_plan_is_refused() -> None:
    with pytest.raises(UserError, match="was made with 3 repeats"):
        rows_of(TRUTH, repeats=5)


def test_two_scores_of_one_person_for_one_object_are_refused_by_name() -> None:
    matrix = matrix_of_scores({name: [TRUTH[name]] * 3 for name in NAMES}, OWN)
    people = ratings_of(PEOPLE, OBJECTS)
    twice = pd.concat([people, people[people["object"].isin(["o03", "o07"]) & people["annotator"].eq("a2")]])
    with pytest.raises(UserError, match="more than one score of 'o03' by 'a2', 'o07' by 'a2'"):
        annotator_rows(SETTING, matrix, twice, plan())


def test_an_annotator_with_one_object_is_told_in_the_singular() -> None:
    people = {name: scores if place < 1 else scores[:2] for place, (name, scores) in enumerate(PEOPLE.items())}
    assert rows_of(TRUTH, people).loc["a3", "undefined"].startswith("skipped: 1 object with the judge")


def test_a_judge_near_the_people_may_stand_in(near: pd.DataFrame) -> None:
    gate = stand_in_gate(near.reset_index(), 0.5)
    assert gate.passed
    assert gate.seen == 1.0
    assert gate.sentence.startswith("Share of annotators against whom the judge wins (omega, epsilon 0.2) is 1")


def test_a_judge_that_says_the_same_of_everything_may_not() -> None:
    gate = stand_in_gate(rows_of(dict.fromkeys(NAMES, 0.5)).reset_index(), 0.5)
    assert not gate.passed
    assert gate.seen == 0.0
    assert "share_judge_better in annotator_test" in gate.sentence


def test_without_a_second_annotator_nothing_can_be_tested_and_the_gate_says_why() -> None:
    gate = stand_in_gate(rows_of(TRUTH, {name: scores[:1] for name, scores in PEOPLE.items()}).reset_index(), 0.5)
    assert gate.passed
    assert gate.seen is None
    assert gate.sentence.startswith("Not testable: ")
    assert "only 1 annotator" in gate.sentence
    assert "Two people or more must have scored the same 30 objects" in gate.sentence


def test_the_headline_is_the_whole(near: pd.DataFrame) -> None:
    numbers = headline(near.reset_index(), 0.5)
    assert (numbers["omega"], numbers["n_instances"]) == (1.0, 36)
    assert "data:image/webp;base64," in numbers["plot"].value  # type: ignore[attr-defined]


def test_agreement_of_people_says_on_how_many_objects_it_was_computed(near: pd.DataFrame) -> None:
    assert near.loc[EVERYBODY, "human_icc_n"] == 36
    assert near.drop(EVERYBODY)["human_icc_n"].isna().all()
    # Nobody scored three of the objects, and the judge none of six others.
    people = dict(list(PEOPLE.items())[3:])
    judged = {name: TRUTH[name] for name in NAMES[:30]}
    assert rows_of(judged, people).loc[EVERYBODY, "human_icc_n"] == 27
