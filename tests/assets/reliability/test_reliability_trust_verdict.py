"""The verdict on two judges: each word by hand, by bounds, and which pair answers the question."""

import pytest

from assets.reliability.logic.pair_verdicts import pair_verdicts, people_verdicts
from tests.assets.reliability.made_judgments import (
    THREE,
    TWO,
    Scores,
    at,
    blocks,
    judge_agreement_of,
    plan,
    query_kappa_of,
    scored_of,
)
from tests.assets.reliability.test_kappa_validation import FAIR, FULL, GOOD


def word(scores: Scores, **changes: object) -> str:
    [found] = pair_verdicts(query_kappa_of(scores, TWO), judge_agreement_of(scores, TWO), plan(**changes))
    return found.verdict.word


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        # Lower bounds above 0.7.
        ([GOOD, FULL] * 15, "agree with each other"),
        # Kappa 0.75 of four queries has no interval.
        ([GOOD] * 4, "not proven"),
        ([FAIR] * 20, "do not agree with each other"),
        # Passes by the convention alone: 0.625 over queries with two labels.
        ([(16, 0, 0, 0), (0, 0, 0, 16), FAIR, GOOD], "not proven"),
        # No query has a defined kappa.
        ([(4, 0, 0, 0), (0, 0, 0, 4)], "cannot say"),
    ],
)
def test_each_word(counts: list[tuple[int, int, int, int]], expected: str) -> None:
    assert word(blocks(counts)) == expected


def test_by_the_estimate_a_few_queries_are_enough() -> None:
    assert word(blocks([GOOD] * 4), verdict={"gate_on": "estimate"}) == "agree with each other"


def test_with_fewer_documents_than_asked_for_nothing_is_said() -> None:
    counts = [GOOD, FULL] * 15
    n = sum(map(sum, counts))
    assert word(blocks(counts), verdict={"fewest_objects": n}) == "agree with each other"
    scores = blocks(counts)
    [found] = pair_verdicts(
        query_kappa_of(scores, TWO), judge_agreement_of(scores, TWO), plan(verdict={"fewest_objects": n + 1})
    )
    assert found.verdict.word == "cannot say"
    assert found.verdict.reasons == (f"both scored {n} of the same objects, fewer than {n + 1}",)


def test_the_pair_that_decides_answers_the_question() -> None:
    docs = {"d": (0.9, 0.9, 0.9), "e": (0.1, 0.1, 0.1), "f": (0.9, 0.8, 0.2), "g": (0.2, 0.3, 0.1)}
    scores = {f"q{q}": docs for q in range(3)}
    found = pair_verdicts(query_kappa_of(scores, THREE), judge_agreement_of(scores, THREE), plan())
    assert [one.judge for one in found if one.leading] == ["careful and odd"]
    assert len(found) == 3


GRADES = ("0", "1", "2", "3")


def graded(*, judge_shift: int, n: int = 60) -> Scores:
    """Grades of a judge and of two people who differ in every seventh document, three documents a query."""
    found: dict[str, dict[str, tuple[float, ...]]] = {}
    for place in range(n):
        truth = place % 4
        other = truth if place % 7 else max(truth - 1, 0)
        judge = (truth + judge_shift + (place == 13)) % 4  # no copy of a person
        given = tuple(grade / 3 for grade in (judge, truth, other))
        found.setdefault(f"q{place // 3}", {})[f"d{place}"] = given
    return found


@pytest.mark.parametrize(("judge_shift", "expected"), [(0, "yes"), (2, "no")])
def test_a_judge_next_to_several_people_is_held_against_their_agreement(judge_shift: int, expected: str) -> None:
    scores = graded(judge_shift=judge_shift)
    study = plan(people=("hasty", "odd"), grades=GRADES)
    [found] = people_verdicts(scored_of(scores, THREE), at(THREE), study)
    assert (found.judge, found.against, found.verdict.word) == ("careful", "people", expected)
    assert found.leading
    assert [row.name for row in found.people if row.name] == ["hasty", "odd"]


def test_next_to_one_person_the_word_is_never_yes() -> None:
    study = plan(people=("Hasty",), grades=GRADES)
    # The judge grades as the second person does.
    scores = {q: {d: (one[2], one[1]) for d, one in docs.items()} for q, docs in graded(judge_shift=0).items()}
    [found] = people_verdicts(scored_of(scores, TWO), at(TWO), study)
    assert (found.against, found.verdict.word) == ("this person", "agrees with this person")


def test_without_grades_people_are_held_against_labels() -> None:
    study = plan(people=("hasty", "odd"))
    scores = graded(judge_shift=0)
    [found] = people_verdicts(scored_of(scores, THREE), at(THREE), study)
    # One of seven documents of grade 2 or 3 falls from 2 to 1: people differ on labels there alone.
    assert found.verdict.word == "yes"
