"""A verdict with what it is about: which judge, against whom, on what objects, and what it does not cover."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from analysis.messages import message, message_list
from analysis.undefined import UndefinedStatistic
from analysis.verdict.copies import copies_among_people, copy_of_people, nearly_people
from analysis.verdict.judges import AgainstOne, PersonWord, against_one
from analysis.verdict.people import Floats, Measure, People, standing
from analysis.verdict.rule import (
    DEFAULT,
    NEXT_TO_PEOPLE,
    TEST,
    TEST_OF_A_CROWD,
    Condition,
    Policy,
    State,
    Verdict,
    Word,
    also_needed,
    by_conditions,
    decided,
    failing_of,
    needed_at_least,
    unproven,
    waiting_of,
)

Against = Literal["people", "this person", "these means", "each other"]
BIAS = message("score less people's mean")
COPIES = message("people judged by themselves")
UNUSABLE = message("share of rows without a usable score")
Person = Literal["this person", "these means"]
BIAS_OF: dict[Person, str] = {
    "this person": message("score less this person's"),
    "these means": message("score less these means"),
}
AS_WHOM: dict[Person, str] = {"this person": message("this person"), "these means": message("these means")}
OF_ONE: dict[Person, dict[Measure, str]] = {
    "this person": {
        "scores": message("Spearman with this person"),
        "ordered_labels": message("kappa, quadratic weights, with this person"),
        "labels": message("kappa with this person"),
    },
    "these means": {
        "scores": message("Spearman with these means"),
        "ordered_labels": message("kappa, quadratic weights, with these means"),
        "labels": message("kappa with these means"),
    },
}
WORDS: dict[Person, dict[PersonWord, Word]] = {
    "this person": {
        "agrees": "agrees with this person",
        "agrees in order only": "agrees with this person in order only",
        "does not agree": "does not agree with this person",
    },
    "these means": {
        "agrees": "agrees with these means",
        "agrees in order only": "agrees with these means in order only",
        "does not agree": "does not agree with these means",
    },
}
# From the best to the worst, by what a reader may do with the judge: what the advice on a changed verdict compares.
RANKS: dict[Word, int] = {
    "yes": 0,
    "agrees with this person": 0,
    "agrees with these means": 0,
    "agree with each other": 0,
    "only for ranking": 1,
    "agrees with this person in order only": 1,
    "agrees with these means in order only": 1,
    "not proven": 2,
    "cannot say": 3,
    "no": 4,
    "does not agree with this person": 4,
    "does not agree with these means": 4,
    "do not agree with each other": 4,
}


class Row(NamedTuple):
    """A person next to the judge in that person's place, both against the other people; unitless, 1 is perfect."""

    name: str
    n: int
    person: float | None
    judge: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Stated:
    """What a study says of one judge.

    Attributes:
        judge: Its name; two of them where judges are held against each other.
        place: The setting or data set; "" where there is none.
        against: Whom it is held against.
        verdict: The word, why, and its conditions.
        leading: Whether it answers the study's question.
        people: Each person by the same statistic on the same objects.
        not_covered: What it does not speak of, each with a kind in front, such as ``alterations: hue_5``.
        things: What the objects and their clusters are, such as ``objects`` and ``products``.
    """

    judge: str
    place: str
    against: Against
    verdict: Verdict
    leading: bool = True
    people: tuple[Row, ...] = ()
    not_covered: tuple[str, ...] = ()
    things: tuple[str, str] = ("objects", "clusters")


def against_people(
    people: People, judge: Floats, others: Sequence[Condition], *, policy: Policy = DEFAULT, needed: float | None = None
) -> tuple[Against, Verdict, tuple[Row, ...]]:
    """The verdict on a judge and the rows of the people, whether there are several or one.

    Args:
        people: At least one.
        judge: Shape ``(n,)``, NaN where there is none.
        others: Conditions of the study.
        policy: What is needed.
        needed: Of the agreement with one person; none: as in docs/verdict.md.

    Returns:
        Whom the judge was held against, the verdict, and the people; with one person no row.
    """
    if people.answers.shape[1] == 1:
        found = against_one(people, judge, policy, needed=needed)
        said = of_one_person(found, others, "this person", policy=policy)
        return "this person", with_copies(said, people, judge), ()
    of_people, why = None, ""
    try:
        of_people = standing(people, judge, policy.levels)
    except UndefinedStatistic as undefined:
        why = undefined.reason
    said = decided(of_people, others, policy=policy, undefined=why, can_rank=people.measure != "labels")
    rows: tuple[Row, ...] = ()
    if of_people is not None:
        if of_people.bias is not None:
            bias = of_people.bias
            named = Condition(BIAS, "does not apply", False, bias.value, bias.low, bias.high, "", of_people.n,
                              of_people.n_clusters)  # fmt: skip
            said = said._replace(conditions=(*said.conditions, named))
        theirs, own = of_people.people, of_people.own
        whole = Row("", of_people.n, theirs.value, None if own is None else own.value, theirs.low, theirs.high)
        rows = (*(Row(str(one.name), one.n, one.person, one.judge) for one in of_people.rows), whole)
    return "people", with_copies(said, people, judge), rows


def with_copies(said: Verdict, people: People, judge: Floats) -> Verdict:
    """The verdict with what is said first of copies: of people's ratings as a judge's nothing can be said.

    Args:
        said: On the judge, as if all ratings were their own.
        people: At least one.
        judge: Shape ``(n,)``, NaN where there is none.

    Returns:
        One condition more that nothing needs, where a judge is people's, or a person another one's copy.
    """
    own = copy_of_people(people, judge)
    why = own or message_list([*copies_among_people(people), nearly_people(people, judge)])
    if why:
        first = Condition(COPIES, "does not apply", False, None, None, None, "", None, None, None, why)
        said = said._replace(conditions=(*said.conditions, first))
    return undefined_by(said, own)


def undefined_by(said: Verdict, why: str) -> Verdict:
    """The verdict, or that nothing can be said where the comparison itself is not defined: `why`."""
    return said._replace(word="cannot say", reasons=(why,), n_needed=None, n_for=None) if why else said


def of_one_person(found: AgainstOne, others: Sequence[Condition], whom: Person, *, policy: Policy = DEFAULT) -> Verdict:
    """The verdict on a judge next to one person, or to means of people who are not known one by one: never a yes.

    Args:
        found: Its agreement with them; the bound decides.
        others: Conditions of the study.
        whom: A person or means.
        policy: Whether estimates or bounds count for `others`.

    Returns:
        A required condition that fails makes it a `no`, however well the judge agrees.
    """
    good, bad = WORDS[whom][found.good], WORDS[whom]["does not agree"]
    seen = found.agreement
    states: dict[str, State] = {found.good: "proven", "does not agree": "fails", "not proven": "passes"}
    state: State = states.get(found.word, "not measured")
    if state == "passes" and seen is not None and seen.value < found.needed:
        state = "fails"
    value, low, high = (None, None, None) if seen is None else (seen.value, seen.low, seen.high)
    name = OF_ONE[whom][found.measure]
    own = Condition(name, state, True, value, low, high, needed_at_least(found.needed), found.n, found.n_clusters,
                    None, "" if seen else found.why, found.needed)  # fmt: skip
    conditions = (own, *others, *_level(found, whom))
    said = _next_to_one(found, others, conditions, (good, bad), policy)
    level = found.level(AS_WHOM[whom]) if seen and said.word != "no" else ""
    return said._replace(reasons=(*said.reasons, level)) if level else said


def _level(found: AgainstOne, whom: Person) -> tuple[Condition, ...]:
    """The bias as a condition that nothing needs but the word for order only."""
    if found.bias is None:
        return ()
    bias = found.bias
    return (Condition(BIAS_OF[whom], "does not apply", False, bias.value, bias.low, bias.high, "", found.n,
                      found.n_clusters, None, found.off),)  # fmt: skip


def _next_to_one(
    found: AgainstOne,
    others: Sequence[Condition],
    conditions: Sequence[Condition],
    words: tuple[Word, Word],
    policy: Policy,
) -> Verdict:
    (good, bad), (own, *_) = words, conditions
    if found.word == "cannot say":
        return Verdict("cannot say", (found.why,), tuple(conditions))
    if failing_of(others):
        return by_conditions(good, "no", conditions, found.n, policy=policy)._replace(word="no")
    if found.word == "does not agree":
        return by_conditions(good, bad, conditions, found.n, policy=policy)
    if found.word == "not proven":
        # Between both bounds: what its estimate says is not enough for either word.
        reasons = (unproven(own.name, found.why),)
        n_for = None if found.n_needed is None else good
        said = Verdict("not proven", reasons, tuple(conditions), None, found.n_needed, n_for)
        return also_needed(said, waiting_of(others, policy), found.n)
    return by_conditions(good, bad, conditions, found.n, policy=policy)


def not_flattered(said: Verdict, why: str) -> Verdict:
    """The verdict on objects that chose the setting: they flatter it, so that only what speaks against it holds."""
    if RANKS[said.word] >= RANKS["cannot say"]:
        return said
    return said._replace(word="cannot say", reasons=(why, *said.reasons), n_needed=None, n_for=None)


def leans_to_no(conditions: Sequence[Condition]) -> Condition | None:
    """The difference from people's agreement where its interval is below 0 and an estimate is past its limit."""
    found = {one.name: one for one in conditions if one.name in (NEXT_TO_PEOPLE, TEST, TEST_OF_A_CROWD)}
    order, fails = found.get(NEXT_TO_PEOPLE), any(one.state == "fails" for one in found.values())
    if order is None or not fails or order.state == "proven" or order.high is None:
        return None
    return order if order.high < 0.0 else None
