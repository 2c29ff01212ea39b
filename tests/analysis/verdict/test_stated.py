"""The verdict with a study's own conditions, next to one person or to means: each word by hand."""

import numpy as np
import pytest

from analysis.verdict.judges import AgainstOne
from analysis.verdict.people import People, Quantity
from analysis.verdict.rule import Condition, Policy, State, Verdict, by_conditions, decided
from analysis.verdict.stated import BIAS, against_people, not_flattered, of_one_person
from tests.analysis.verdict.test_people import made


def icc(state: State, value: float | None = 0.9, low: float | None = 0.86, high: float | None = 0.94) -> Condition:
    return Condition("repeatability (ICC)", state, True, value, low, high, "at least 0.85", 40, 20, "repeatable",
                     limit=0.85)  # fmt: skip


def one(
    word: str, value: float = 0.8, low: float = 0.72, high: float = 0.86, n_needed: int | None = None
) -> AgainstOne:
    seen = Quantity(value, low, high, "by hand", value, 0.03, 39.0)
    return AgainstOne(word, 40, 40, seen, 0.7, f"the interval is {low} to {high}", n_needed)  # type: ignore[arg-type]


def test_a_required_condition_that_fails_makes_a_yes_a_no() -> None:
    people, judge = made()
    _, said, rows = against_people(People(people, np.arange(60)), judge, [icc("proven")])
    assert said.word == "yes"
    assert said.conditions[-1].name == BIAS
    assert [row.name for row in rows] == ["0", "1", "2", ""]
    _, said, _ = against_people(People(people, np.arange(60)), judge, [icc("fails", 0.8, 0.7, 0.9)])
    assert said.word == "no"
    assert said.reasons[0] == "repeatability (ICC) fails: 0.800 [0.700, 0.900], needed at least 0.85"


def test_an_estimate_without_its_bound_is_not_proven_and_says_how_many_objects_would_do() -> None:
    people, judge = made()
    waiting = [icc("passes", 0.9, 0.8, 0.95)]
    _, said, _ = against_people(People(people, np.arange(60)), judge, waiting)
    assert said.word == "not proven"
    # The bound is 0.1 below the estimate, the limit 0.05: four times the 60 objects.
    assert (said.n_needed, said.n_for) == (240, "yes")
    _, said, _ = against_people(People(people, np.arange(60)), judge, waiting, policy=Policy(gate_on="estimate"))
    assert said.word == "yes"


def test_what_is_required_and_not_measured_is_not_proven_and_advice_is_nothing() -> None:
    people, judge = made()
    missing = icc("not measured", None, None, None)
    _, said, _ = against_people(People(people, np.arange(60)), judge, [missing])
    assert (said.word, said.n_needed) == ("not proven", None)
    _, said, _ = against_people(People(people, np.arange(60)), judge, [missing._replace(required=False)])
    assert said.word == "yes"


def test_next_to_one_person_the_objects_needed_are_the_most_over_everything_that_is_open() -> None:
    # The bound is 0.36 below the estimate, the limit 0.01: 1,296 times the 40 objects.
    wide = icc("passes", 0.86, 0.5, 0.95)
    said = of_one_person(one("not proven", 0.75, 0.6, 0.85, 90), [wide], "this person")
    assert (said.n_needed, said.n_for) == (51_840, "agrees with this person")
    missing = of_one_person(one("not proven", n_needed=90), [icc("not measured", None, None, None)], "this person")
    assert (missing.n_needed, missing.n_for) == (None, None)


def test_too_few_objects_come_before_conditions_that_fail() -> None:
    found = decided(None, [icc("fails")])
    assert found.word == "cannot say"


@pytest.mark.parametrize(
    ("found", "others", "word"),
    [
        (one("agrees"), [icc("proven")], "agrees with this person"),
        (one("does not agree", 0.4, 0.2, 0.6), [icc("proven")], "does not agree with this person"),
        (one("not proven", 0.75, 0.6, 0.85, 90), [icc("proven")], "not proven"),
        (one("agrees"), [icc("fails", 0.5, 0.3, 0.7)], "no"),
        (one("agrees"), [icc("passes", 0.9, 0.8, 0.95)], "not proven"),
        (one("cannot say")._replace(agreement=None), [icc("fails")], "cannot say"),
    ],
)
def test_next_to_one_person_no_judge_gets_a_yes(found: AgainstOne, others: list[Condition], word: str) -> None:
    assert of_one_person(found, others, "this person").word == word


def test_next_to_means_the_words_say_so_and_so_does_what_more_objects_would_give() -> None:
    said = of_one_person(one("not proven", 0.75, 0.6, 0.85, 90), [], "these means")
    assert (said.word, said.n_needed, said.n_for) == ("not proven", 90, "agrees with these means")
    assert of_one_person(one("agrees"), [], "these means").word == "agrees with these means"


def test_two_judges_agree_with_each_other_where_every_condition_holds() -> None:
    words = {
        state: by_conditions("agree with each other", "do not agree with each other", [icc(state)], 20).word
        for state in ("proven", "passes", "fails")
    }
    assert words == {
        "proven": "agree with each other",
        "passes": "not proven",
        "fails": "do not agree with each other",
    }


def test_objects_that_chose_the_setting_can_only_speak_against_it() -> None:
    assert not_flattered(Verdict("yes", ("x",), ()), "too few").word == "cannot say"
    assert not_flattered(Verdict("not proven", ("x",), (), None, 90, "yes"), "too few").n_needed is None
    assert not_flattered(Verdict("no", ("x",), ()), "too few") == Verdict("no", ("x",), ())
