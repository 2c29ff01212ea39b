"""Judges that are people's own ratings, and people who are each other's: said, and only then."""

import numpy as np
import pytest

from analysis.verdict.copies import copies_among_people, copy_of_people, nearly_people
from analysis.verdict.people import Measure, People
from analysis.verdict.stated import COPIES, against_people
from tests.analysis.verdict.test_people import made


def of(answers: np.ndarray, measure: Measure = "scores") -> People:
    return People(answers, np.arange(len(answers)), measure, tuple("abc"[: answers.shape[1]]))


@pytest.mark.parametrize(
    ("judge", "name"),
    [
        (lambda people: people[:, 1], "b"),
        (lambda people: people.mean(axis=1), "the mean of the people"),
        (lambda people: np.round(people.mean(axis=1), 2), "the mean of the people"),
        (lambda people: np.median(people, axis=1), "the median of the people"),
        (lambda people: np.rint(people.mean(axis=1)), "the rounded mean of the people"),
        (lambda people: 20 * people[:, 2] - 20, "c in another unit"),
        (lambda people: np.round(20 * people.mean(axis=1), 1), "the mean of the people in another unit"),
        (lambda people: people.mean(axis=1) / 5, "the mean of the people in another unit"),
    ],
)
def test_a_judge_that_is_a_person_or_what_people_say_together_is_named(judge, name: str) -> None:
    people, own = made()
    said = copy_of_people(of(people), judge(people))
    assert said.startswith(
        f"it equals {name} on all 60 objects that both have, so that people would be compared with themselves"
    )
    person = name.removesuffix(" in another unit")
    assert said.endswith(
        f": leave {person} out of the people, or name the judge's own ratings"
        if len(person) == 1
        else ": name the judge's own ratings"
    )
    assert not copy_of_people(of(people), own)


def test_gaps_of_either_side_do_not_hide_a_copy_and_few_objects_show_none() -> None:
    people, _ = made()
    judge = people[:, 0].copy()
    judge[:10] = np.nan
    assert "equals a on all 50 objects" in copy_of_people(of(people), judge)
    judge[:41] = np.nan
    assert not copy_of_people(of(people), judge)
    assert not copy_of_people(of(people), np.full(60, 3.0))


def test_the_majority_of_labels_is_no_judge() -> None:
    labels = np.array([[0, 0, 1], [1, 0, 1], [0, 1, 1], [0, 0, 0]] * 10, dtype=float)
    assert "equals the majority of the people on all 40" in copy_of_people(
        of(labels, "labels"), np.array([0, 1, 1, 0] * 10, dtype=float)
    )
    # Of two people there is no majority.
    assert not copy_of_people(of(labels[:, 1:], "labels"), np.array([0, 1, 1, 0] * 10, dtype=float))


def test_a_person_that_is_another_or_the_mean_of_the_others_is_named_once() -> None:
    people, _ = made()
    assert not copies_among_people(of(people))
    twins = np.column_stack([people[:, 0], people[:, 1], people[:, 1]])
    [said] = copies_among_people(of(twins))
    assert said == "person c equals b on all 60 objects that both have: if it is a copy, leave it out"
    [said] = copies_among_people(of(np.column_stack([people[:, :2], people[:, :2].mean(axis=1)])))
    assert said.startswith("person c equals the mean of the other people")


def test_where_people_hardly_differ_a_good_judge_equals_one_of_them_and_is_no_copy() -> None:
    # Two of 40 labels differ: a rater like them equals one on all 40 in 0.95^40 = 13 % of files; twelve: 0.7^40 = 6e-7.
    labels = np.tile(np.arange(40.0)[:, None] % 2, 2)
    labels[:2, 1] = 1 - labels[:2, 1]
    assert not copy_of_people(of(labels, "labels"), labels[:, 0])
    labels[:12, 1] = 1 - labels[:12, 0]
    assert "equals a on all 40" in copy_of_people(of(labels, "labels"), labels[:, 0])


def test_careful_raters_of_a_coarse_scale_are_no_copies_of_their_mean() -> None:
    # One in ten objects differs by one step: everybody is within a half of the mean.
    answers = np.tile(np.arange(60.0)[:, None] % 5, 3)
    answers[::10, 0] += 1
    judge = answers[:, 1].copy()
    judge[5::20] += 1
    assert not copy_of_people(of(answers), judge)


def test_in_a_study_it_is_a_condition_of_the_verdict() -> None:
    people, judge = made()
    _, said, _ = against_people(of(people), people[:, 0], [])
    [found] = [one for one in said.conditions if one.name == COPIES]
    assert found.why.startswith("it equals a on all 60")
    assert (said.word, said.reasons) == ("cannot say", (found.why,))
    # With one person too, who would be compared with itself.
    _, said, _ = against_people(of(people[:, :1]), people[:, 0], [])
    assert said.word == "cannot say"
    assert said.reasons[0].endswith(
        "so that a would be compared with itself: name the judge's own ratings, or another person's"
    )
    _, said, _ = against_people(of(people), judge, [])
    assert COPIES not in {one.name for one in said.conditions}


@pytest.mark.parametrize("n_other", [2, 3])
def test_a_judge_that_differs_on_a_few_objects_from_what_one_without_errors_would_is_a_copy(n_other: int) -> None:
    people, _ = made()
    judge = people[:, 1].copy()
    judge[:n_other] += 1
    # People differ on half of 60 objects at least, so that b errs on 15 or more: 2 or 3 are too few by far.
    assert f"equals b on {60 - n_other} of the 60 objects that both have" in copy_of_people(of(people), judge)
    assert not nearly_people(of(people), judge)
    # Four are more than a twentieth.
    judge[:4] = people[:4, 1] + 1
    assert not copy_of_people(of(people), judge)


def test_a_judge_that_a_few_errors_part_from_the_mean_is_a_copy_or_may_be_excellent() -> None:
    # Each of three people is one step too high on a third of the objects of their own, so that two are right on each:
    # two people differ on two thirds of the objects, which makes 1/3 errors a person, 1/6 in either direction.
    truth = np.arange(120.0) % 5
    answers = truth[:, None] + (np.arange(120)[:, None] // 5 % 3 == np.arange(3))
    judge = truth.copy()
    judge[7] += 1
    # Both directions: 2 P(Bin(3, 1/6) > 1) = 0.148; at most 1 of 120 in 0.852^120 (1 + 120 0.148/0.852) = 1e-7.
    assert "the median of the people on 119 of the 120" in copy_of_people(of(answers), judge)
    # Where two people differ on a tenth it is 2 P(Bin(3, 1/40) > 1) = 0.0037: one of 120 is no proof, and is named.
    rarely = np.where(np.arange(120)[:, None] % 20 == 5 * np.arange(3), answers + 1, truth[:, None])
    said = nearly_people(of(rarely), judge)
    assert said.startswith(
        "it equals the median of the people on 119 of the 120 objects that both have, and may be an exc"
    )
    assert not copy_of_people(of(rarely), judge)
    _, stated, _ = against_people(of(rarely), judge, [])
    assert [one.why for one in stated.conditions if one.name == COPIES] == [said]
    assert stated.word != "cannot say"
