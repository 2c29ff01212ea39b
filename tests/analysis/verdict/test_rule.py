"""The verdict's rule: each word by hand, the objects that would be needed, and rates in worlds whose truth is known."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.agreement.alternative_annotator import POOLED, AgainstAnnotator
from analysis.verdict.people import People, Quantity, Standing, objects_needed, standing
from analysis.verdict.rule import OTHER_SCALE, Condition, decided
from tests.analysis.verdict.test_people import made
from tools.verdict_rates import UNRELATED, World, rates


def quantity(value: float, low: float, high: float) -> Quantity:
    return Quantity(value, low, high, "by hand", value, (high - low) / 4, 59.0)


@pytest.fixture(scope="module")
def sure() -> Standing:
    """A judge as good as three people, all of whom it is nearer to than they are."""
    people, judge = made()
    found = standing(People(people, np.arange(60)), judge)
    assert found.test is not None
    return replace(
        found,
        people=quantity(0.60, 0.45, 0.75),
        own=quantity(0.62, 0.50, 0.74),
        order=quantity(0.02, -0.06, 0.10),
        test=replace(found.test, winning_rate=2 / 3, n_rejected=2),
    )


def lost(standing_: Standing) -> Standing:
    """The same with a test that no annotator lost, each nearer to the others than the judge by 0.5."""
    assert standing_.test is not None
    parts = {name: part._replace(mean_d=0.5) for name, part in standing_.test.annotators.items()}
    return replace(standing_, test=replace(standing_.test, winning_rate=0.0, n_rejected=0, annotators=parts))


def test_yes_needs_the_test_the_order_and_agreement_above_chance(sure: Standing) -> None:
    found = decided(sure)
    assert found.word == "yes"
    # The smaller of 0.1 and a quarter of 0.60.
    assert found.margin == pytest.approx(0.1)
    assert [one.state for one in found.conditions] == ["proven", "proven", "proven"]


def test_a_yes_by_the_estimate_says_so_before_the_bias(sure: Standing) -> None:
    found = decided(replace(sure, order=quantity(-0.02, -0.2, 0.1), bias=quantity(0.1, 0.0, 0.2)))
    assert found.word == "yes"
    assert found.reasons[2:] == (
        "the test and the estimate of the difference decide: its interval may reach beyond the margin",
        "it scores +0.100 [0.000, 0.200] against the mean of the people",
    )


def test_the_condition_of_labels_says_whether_the_bound_that_decides_holds(sure: Standing) -> None:
    # Error 0.05, t at 90 % with 59 degrees of freedom 1.296: bound -0.02 - 0.065 = -0.085 above, -0.04 - 0.065 below.
    of_labels = replace(sure, measure="labels", order=quantity(-0.02, -0.12, 0.08))
    said = decided(of_labels, can_rank=False)
    assert (said.word, said.conditions[1].state) == ("yes", "passes")
    assert said.conditions[1].why == "of labels the one-sided 90 % bound decides, -0.085"
    assert not decided(replace(of_labels, order=quantity(-0.04, -0.14, 0.06)), can_rank=False).conditions[1].why
    assert not decided(replace(of_labels, measure="scores")).conditions[1].why


def test_the_margin_is_a_quarter_of_what_people_reach_where_that_is_less(sure: Standing) -> None:
    assert decided(replace(sure, people=quantity(0.2, 0.1, 0.3))).margin == pytest.approx(0.05)


def test_a_judge_that_only_sorts_as_people_do_is_for_ranking(sure: Standing) -> None:
    found = decided(lost(sure))
    assert found.word == "only for ranking"
    # Why it is no yes.
    assert "within epsilon 0.2: a yes needs " in found.reasons[1]
    other_scale = decided(replace(sure, test=None))
    assert (other_scale.word, other_scale.reasons[1:]) == ("only for ranking", (OTHER_SCALE,))
    assert decided(lost(sure), can_rank=False).word == "not proven"


def test_both_estimates_on_the_wrong_side_are_a_no(sure: Standing) -> None:
    behind = replace(lost(sure), order=quantity(-0.15, -0.35, 0.05))
    assert decided(behind).word == "no"
    assert decided(behind).reasons[0].endswith("from each other, in order and in value")
    # Labels have neither.
    of_labels = decided(replace(behind, measure="labels"), can_rank=False)
    assert of_labels.reasons[0].endswith("than they do with each other, beyond chance and in single answers")
    # With the order alone on the wrong side it is open.
    assert decided(replace(sure, order=quantity(-0.15, -0.35, 0.05))).word == "not proven"


def test_an_order_surely_worse_than_the_margin_is_a_no(sure: Standing) -> None:
    assert decided(replace(sure, order=quantity(-0.3, -0.45, -0.15))).word == "no"


def test_a_constant_judge_is_a_no() -> None:
    people, _ = made()
    assert decided(standing(People(people, np.arange(60)), np.full(60, 3.0))).word == "no"


def test_agreement_that_is_undefined_is_no_number_in_a_condition(sure: Standing) -> None:
    assert sure.own is not None
    lacking = Quantity(float("nan"), None, None, "undefined", float("nan"), float("nan"), 39.0)
    seen = decided(replace(sure, own=lacking, order=lacking))
    assert seen.word == "cannot say"
    assert [(one.state, one.estimate) for one in seen.conditions[:2]] == [("not measured", None)] * 2


@pytest.mark.parametrize(
    ("people", "n"), [(quantity(0.2, -0.05, 0.4), 60), (quantity(0.6, 0.4, 0.8), 29)], ids=["disagree", "few"]
)
def test_people_who_do_not_agree_or_few_objects_leave_nothing_to_say(sure: Standing, people: Quantity, n: int) -> None:
    assert decided(replace(sure, people=people, n=n)).word == "cannot say"


def test_people_who_agree_in_everything_are_a_measure_too() -> None:
    person, _ = made()
    same = np.repeat(person[:, :1], 2, axis=1)
    perfect = standing(People(same, np.arange(60)), same[:, 0])
    assert (perfect.people.value, perfect.people.low) == (1.0, 1.0)
    assert decided(perfect).word == "yes"
    assert decided(standing(People(same, np.arange(60)), np.roll(same[:, 0], 9))).word == "no"


def test_few_clusters_are_said_and_not_called_disagreement() -> None:
    people, judge = made()
    found = decided(standing(People(people, np.arange(60) % 3), judge))
    assert (found.word, found.reasons[0]) == (
        "cannot say",
        "people's agreement with each other cannot be bounded: 3 clusters, fewer than 5",
    )


def test_without_a_standing_the_reason_is_said() -> None:
    found = decided(None, undefined="nobody rated")
    assert (found.word, found.reasons) == ("cannot say", ("nobody rated",))


def test_a_required_condition_that_fails_is_a_no_with_its_name(sure: Standing) -> None:
    failing = Condition("ICC(1,k)", "fails", True, 0.4, 0.3, 0.5, "at least 0.85", 60, 60, "icc_is_excellent", "0.4")
    found = decided(sure, [failing])
    assert found.word == "no"
    assert "ICC(1,k) fails" in found.reasons[0]
    assert decided(sure, [failing._replace(required=False)]).word == "yes"


def test_all_ratings_tested_as_one_are_held_against_epsilon_and_are_no_share_of_people(sure: Standing) -> None:
    assert sure.test is not None
    [part, *_] = sure.test.annotators.values()
    for mean, rate, state in ((-0.1, 1.0, "proven"), (0.1, 0.0, "passes"), (0.3, 0.0, "fails")):
        test = replace(sure.test, winning_rate=rate, annotators={POOLED: part._replace(mean_d=mean)})
        [of_test] = [one for one in decided(replace(sure, test=test)).conditions if "test" in one.name]
        assert (of_test.name, of_test.state) == ("alternative annotator test of a crowd", state)
        assert (of_test.estimate, of_test.needed, of_test.limit) == (mean, "below 0.2", 0.2)


def test_the_number_of_the_test_is_the_one_that_its_state_goes_by_and_who_has_too_few_objects_is_named(
    sure: Standing,
) -> None:
    assert sure.test is not None
    parts = {name: part._replace(mean_d=-0.1) for name, part in list(sure.test.annotators.items())[:2]}
    parts["Bob"] = AgainstAnnotator(29, True, None, None, None, None, None, None)
    test = replace(sure.test, winning_rate=0.0, n_rejected=0, n_tested=2, n_skipped=1, annotators=parts)
    open_ = replace(sure, order=quantity(0.0, -0.2, 0.2))
    said = decided(replace(open_, test=test))
    # Omega 0 of 0.5 would read as a fail, and the mean difference -0.1 is on the right side of 0.2.
    assert said.conditions[2][1:7] == ("passes", True, -0.1, None, None, "below 0.2")
    few = "not tested, with fewer than 30 objects: Bob (29)"
    assert said.conditions[2].why == f"it wins against 0 of 2 people: a yes needs 1; {few}"
    [of_test] = [one for one in said.reasons if "object by object" in one]
    assert of_test.endswith(f"as 0 of 2 people within epsilon 0.2: a yes needs 1; {few}")
    won = decided(replace(sure, test=replace(test, winning_rate=0.5, n_rejected=1))).conditions[2]
    assert (won.state, won.estimate, won.needed, won.limit) == ("proven", 0.5, "at least 0.5", 0.5)
    assert won.why == (
        "share of objects where a person is nearer to the others than the judge, less the share where the judge is "
        f"nearer: -0.100, epsilon 0.2; {few}"
    )


def test_the_objects_needed_by_hand() -> None:
    # 40 (2 x 0.1 / (0.05 - (-0.05)))^2 = 40 x 4 = 160; 0.3 in place of 0.05: 40 (0.2 / 0.35)^2 = 13.06, so 20.
    assert objects_needed(40, 0.05, -0.05, 0.1, 2.0) == 160
    assert objects_needed(40, 0.30, -0.05, 0.1, 2.0) == 20
    assert objects_needed(40, -0.05, -0.05, 0.1, 2.0) is None


def test_not_proven_says_how_many_objects_would_do(sure: Standing) -> None:
    assert sure.test is not None
    parts = {name: part._replace(mean_d=0.0, error=0.15) for name, part in sure.test.annotators.items()}
    open_ = replace(
        sure, order=quantity(0.0, -0.2, 0.2), test=replace(sure.test, winning_rate=0.0, n_rejected=0, annotators=parts)
    )
    found = decided(open_)
    assert found.word == "not proven"
    assert found.n_for == "yes"
    assert found.n_needed is not None
    assert found.n_needed > 60
    assert found.reasons[1] == (
        "object by object it is as near to the others as 0 of 3 people within epsilon 0.2: a yes needs 2"
    )
    assert len(found.reasons) == 2
    behind = decided(replace(sure, order=quantity(-0.15, -0.35, 0.05)))
    assert behind.reasons[2:] == ("a yes needs a difference above -0.100",)
    labels = replace(sure, order=quantity(0.0, -0.2, 0.2), measure="labels")
    # 1.296 standard errors of 0.1 below 0.
    assert decided(labels, can_rank=False).reasons[2:] == (
        "a yes needs the one-sided 90 % bound of the difference, -0.130, above -0.100",
    )
    # A required condition that waits needs its own: the bound is 0.36 below the estimate, the limit 0.01.
    waiting = Condition("ICC", "passes", True, 0.86, 0.5, 0.95, "at least 0.85", 60, 60, limit=0.85)
    assert (decided(open_, [waiting]).n_needed, decided(open_, [waiting]).n_for) == (60 * 36**2, "yes")
    near = waiting._replace(low=0.849, limit=0.85)
    assert decided(open_, [near]).n_needed == found.n_needed
    missing = decided(open_, [waiting._replace(state="not measured", estimate=None)])
    assert (missing.word, missing.n_needed, missing.n_for) == ("not proven", None, None)


@pytest.mark.parametrize("judge", UNRELATED)
def test_unrelated_judges_get_no_yes(judge: str) -> None:
    found = rates(World(judge, 0.75, 80), studies=25)
    assert found["yes"] == 0.0
    assert found["no"] >= 0.9


def test_a_judge_with_half_the_noise_gets_its_yes() -> None:
    assert rates(World("half a person's noise", 0.75, 80), studies=25)["yes"] >= 0.95


# STATISTICS 8b's table: 100 studies a cell there, 100 here, so that two shares differ by less than 0.2 nearly always.
PUBLISHED = {
    ("as a person", 0.75, 40): (0.36, 0.12, 0.52, 0.0, 0.0),
    ("as a person", 0.75, 80): (0.86, 0.03, 0.11, 0.0, 0.0),
    ("1.3 times a person's noise", 0.75, 80): (0.30, 0.03, 0.63, 0.04, 0.0),
    ("twice a person's noise", 0.75, 80): (0.0, 0.0, 0.39, 0.61, 0.0),
    ("half the noise, two sd too high", 0.5, 80): (0.0, 0.83, 0.17, 0.0, 0.0),
    ("unrelated, same spread", 0.5, 80): (0.0, 0.0, 0.12, 0.88, 0.0),
}


@pytest.mark.slow
@pytest.mark.parametrize(("world", "expected"), PUBLISHED.items(), ids=str)
def test_the_rates_are_those_that_the_rule_was_designed_with(
    world: tuple[str, float, int], expected: tuple[float, ...]
) -> None:
    found = rates(World(*world), studies=100)
    assert list(found.values()) == pytest.approx(expected, abs=0.2)


@pytest.mark.slow
def test_labels_of_a_judge_with_twice_a_persons_noise_seldom_get_a_yes() -> None:
    # By the estimate of the order difference alone it was 12 to 33 %.
    assert rates(World("twice a person's noise", 0.6, 200, prevalence=0.5), studies=100)["yes"] <= 0.1
    assert rates(World("as a person", 0.6, 200, prevalence=0.5), studies=100)["no"] <= 0.05
