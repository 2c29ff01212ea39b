"""The verdict: whether a judge may stand in for people, in one of five words, from what people and judge reach."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isnan
from typing import Literal, NamedTuple

import scipy

from analysis.agreement.alternative_annotator import POOLED, AlternativeAnnotator
from analysis.messages import labelled, made_of, message, message_list
from analysis.ties import compare
from analysis.verdict.people import LEVELS, Levels, Quantity, Standing, objects_needed
from analysis.words import bounded

Word = Literal[
    "yes",
    "only for ranking",
    "not proven",
    "no",
    "cannot say",
    # Where there are no several people.
    "agrees with this person",
    "agrees with this person in order only",
    "does not agree with this person",
    "agrees with these means",
    "agrees with these means in order only",
    "does not agree with these means",
    "agree with each other",
    "do not agree with each other",
]
State = Literal["proven", "passes", "fails", "not measured", "does not apply"]


@dataclass(frozen=True)
class Policy:
    """What a judge has to reach.

    Attributes:
        fewest_objects: That the judge and two people scored.
        most_behind: How far the judge may stay behind people in agreement, at most.
        share_behind: The same as a share of what people reach; the smaller of both counts.
        omega: Share of annotators against whom the judge has to win.
        levels: How sure is sure.
        order_confidence: Of the one-sided bound by which labels are not behind people, as their agreement has a large
            error next to the margin: by the estimate a judge with twice a person's noise got a yes in 12 to 33 % of
            studies. Scores go by the estimate.
        gate_on: What a study's own required conditions go by: `bound` keeps a judge not proven until the interval of
            each that has one is on the right side, `estimate` does not.
    """

    fewest_objects: int = 30
    most_behind: float = 0.1
    share_behind: float = 0.25
    omega: float = 0.5
    levels: Levels = LEVELS
    order_confidence: float = 0.9
    gate_on: Literal["estimate", "bound"] = "bound"


DEFAULT = Policy()
NEXT_TO_PEOPLE = "agreement next to people's own"
TEST = "alternative annotator test"
TEST_OF_A_CROWD = "alternative annotator test of a crowd"
CONSTANT = "the judge gives one and the same answer to everything"
OTHER_SCALE = "its scores have another scale than people's: only their order can be compared"
NEAR = "object by object it is as near to the others as {n_rejected} of {n} people within epsilon {epsilon:g}"
NEAR_AND_NEEDED = (
    "object by object it is as near to the others as {n_rejected} of {n} people within epsilon {epsilon:g}: "
    "a yes needs {needed}"
)
NEARER = (
    "share of objects where a person is nearer to the others than the judge, less the share where the judge is nearer: "
    "{more:+.3f}, epsilon {epsilon:g}"
)
BY_ESTIMATE = "the test and the estimate of the difference decide: its interval may reach beyond the margin"
BY_BOUND = (
    "the test and the one-sided {share:.0f} % bound of the difference, {bound:+.3f}, decide: its interval may reach "
    "beyond the margin"
)
HOLDS_BY_BOUND = "of labels the one-sided {share:.0f} % bound decides, {bound:+.3f}"
NEEDS_BOUND = "a yes needs the one-sided {share:.0f} % bound of the difference, {bound:+.3f}, above {limit:.3f}"
FURTHER = "it is further from people than they are from each other, in order and in value"
FURTHER_IN_LABELS = "it agrees with people less than they do with each other, beyond chance and in single answers"
SORTS_WORSE = "it sorts objects worse than a person does, beyond the margin"
AGREES_LESS = "it agrees with people less than a person does, beyond the margin"
NEAR_A_CROWD = (
    "it is as near to the others as a person of the crowd, all ratings tested as one, within epsilon {epsilon:g}"
)
NOT_NEAR_A_CROWD = (
    "it is not proven to be as near to the others as a person of the crowd, all ratings tested as one, within epsilon "
    "{epsilon:g}"
)


class Condition(NamedTuple):
    """One thing that a judge has to reach; `needed` in the estimate's unit, `limit` its number.

    `gate` is the check's name in code.
    """

    name: str
    state: State
    required: bool
    estimate: float | None
    low: float | None
    high: float | None
    needed: str
    n: int | None
    n_clusters: int | None
    gate: str | None = None
    why: str = ""
    limit: float | None = None


class Seen(NamedTuple):
    """A number with its interval, and the objects and clusters that it is of."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    n_clusters: int | None = None


class Verdict(NamedTuple):
    """The word, why, and what it rests on.

    `n_needed` objects would make it `n_for` if the estimates held, none where no number of objects would; `margin` is
    how far behind people the judge may stay.
    """

    word: Word
    reasons: tuple[str, ...]
    conditions: tuple[Condition, ...]
    margin: float | None = None
    n_needed: int | None = None
    n_for: Word | None = None


def decided(
    standing: Standing | None,
    others: Sequence[Condition] = (),
    *,
    policy: Policy = DEFAULT,
    undefined: str = "",
    can_rank: bool = True,
) -> Verdict:
    """The verdict on a judge that two people or more can be compared with.

    Args:
        standing: What people and judge reach; none where it is not defined.
        others: Conditions of the study: repeatability, sensitivity, validity of answers.
        policy: What is needed.
        undefined: Why there is no standing.
        can_rank: Whether the scores have an order.

    Returns:
        In this order: `cannot say`, `yes`, `only for ranking`, `no`, else `not proven`.

    Source:
        docs/verdict.md.
    """
    failing, waiting = failing_of(others), waiting_of(others, policy)
    if standing is None or standing.n < policy.fewest_objects:
        n = 0 if standing is None else standing.n
        why = undefined or message(
            "the judge and two people scored {n} of the same objects, fewer than {fewest}",
            n=n,
            fewest=policy.fewest_objects,
        )
        return Verdict("cannot say", (why,), tuple(others))
    margin = min(policy.most_behind, policy.share_behind * max(standing.people.value, 0.0))
    conditions = (*_of_people(standing, margin, policy), *others)
    if standing.people.low is None or standing.people.low <= 0.0:
        why = message("people do not agree with each other beyond chance, so there is nothing to stand in for")
        if standing.people.low is None:
            method = standing.people.method
            why = message("people's agreement with each other cannot be bounded: {why}", why=method)
        return Verdict("cannot say", (why,), conditions, margin)
    if standing.own is None or standing.order is None:
        return Verdict("no", (message(CONSTANT),), conditions, margin)
    own, order = standing.own, standing.order
    if own.low is None or order.low is None or order.high is None:
        why = message("agreement of the judge has no interval: {why}", why=own.method)
        return Verdict("cannot say", (why,), conditions, margin)
    test = standing.test
    wins, behind = test is not None and test.winning_rate >= policy.omega, order.value <= -margin
    if not failing and own.low > 0.0:
        if wins and _keeps_up(standing, order, margin, policy):
            wide = (_wide(standing, order, policy),) if order.low <= -margin else ()
            said = Verdict("yes", (*_reached(standing, margin), *wide, *_bias(standing)), conditions, margin)
            return proven_with(said, waiting, standing.n)
        if can_rank and order.low > -margin:
            said = Verdict(
                "only for ranking", (*_reached(standing, margin, policy), *_bias(standing)), conditions, margin
            )
            return proven_with(said, waiting, standing.n)
    reasons = [_failed(condition) for condition in failing]
    if behind and test is not None and test.mean_d >= test.epsilon:
        of_scores = standing.measure == "scores"
        reasons.append(message(FURTHER if of_scores else FURTHER_IN_LABELS))
    elif order.high < -margin:
        reasons.append(message(SORTS_WORSE if standing.measure == "scores" else AGREES_LESS))
    if reasons:
        return Verdict("no", (*reasons, _sorts(standing, margin)), conditions, margin)
    n_needed, n_for = _further(standing, margin, policy, can_rank)
    reasons = [*_reached(standing, margin, policy), *_open(standing, margin, policy)]
    said = Verdict("not proven", tuple(reasons), conditions, margin, n_needed, n_for)
    return also_needed(said, waiting, standing.n)


def by_conditions(
    good: Word, bad: Word, conditions: Sequence[Condition], n: int, *, policy: Policy = DEFAULT
) -> Verdict:
    """The verdict where conditions alone decide: good once each required one holds, bad where one fails.

    Args:
        good: The word where they hold.
        bad: The word where one fails.
        conditions: What was looked at.
        n: Objects that they rest on.
        policy: Whether estimates or bounds count.
    """
    if failing := failing_of(conditions):
        return Verdict(bad, tuple(_failed(one) for one in failing), tuple(conditions))
    reasons = tuple(labelled(one.name, _why(one)) for one in conditions if one.required)
    return proven_with(Verdict(good, reasons, tuple(conditions)), waiting_of(conditions, policy), n)


def failing_of(conditions: Sequence[Condition]) -> list[Condition]:
    """The required ones that fail."""
    return [one for one in conditions if one.required and one.state == "fails"]


def waiting_of(conditions: Sequence[Condition], policy: Policy) -> list[Condition]:
    """The required ones that are not measured, or whose interval does not prove yet what the estimate says."""
    by_bound = policy.gate_on == "bound"
    return [
        one
        for one in conditions
        if one.required
        and (one.state == "not measured" or (by_bound and one.state == "passes" and None not in (one.low, one.high)))
    ]


def proven_with(said: Verdict, waiting: Sequence[Condition], n: int) -> Verdict:
    """The verdict, not proven as long as a condition waits; then with the objects that would do, if all held."""
    if not waiting:
        return said
    reasons = tuple(unproven(one.name, _why(one)) for one in waiting)
    open_ = said._replace(word="not proven", reasons=(*reasons, *said.reasons), n_needed=n, n_for=said.word)
    return also_needed(open_, waiting, n)


def also_needed(said: Verdict, waiting: Sequence[Condition], n: int) -> Verdict:
    """What is not proven, with the objects that prove each waiting condition too; none where one gives no number."""
    found = [said.n_needed, *(_more(one, n) for one in waiting)]
    known = [one for one in found if one is not None]
    return said._replace(n_needed=max(known)) if len(known) == len(found) else said._replace(n_needed=None, n_for=None)


def _more(one: Condition, n: int) -> int | None:
    """The objects at which the bound would be on the right side: widths go by the root of n."""
    if one.estimate is None or one.low is None or one.high is None or one.limit is None:
        return None
    away = abs(one.estimate - one.limit)
    width = one.estimate - one.low if one.estimate > one.limit else one.high - one.estimate
    return ceil(n * (width / away) ** 2 / 10.0) * 10 if away > 0.0 else None


def unproven(name: str, why: str) -> str:
    """That a condition is not proven, and why."""
    return message("{name} is not proven: {why}", name=name, why=why)


def _failed(one: Condition) -> str:
    return message("{name} fails: {why}", name=one.name, why=_why(one))


def _why(one: Condition) -> str:
    if one.estimate is None:
        return one.why or message("not measured")
    seen = bounded(one.estimate, one.low, one.high)
    if one.why:
        return message("{seen}, needed {needed} ({why})", seen=seen, needed=one.needed, why=one.why)
    return message("{seen}, needed {needed}", seen=seen, needed=one.needed)


def needed_at_least(limit: float) -> str:
    """What a condition asks for whose number has to reach a limit."""
    return message("at least {limit:g}", limit=limit)


def reached(name: str, gate: str, seen: Seen, limit: float, *, at_most: bool = False) -> Condition:
    """A required condition that a number reaches a limit, proven where its interval does.

    Args:
        name: In words.
        gate: As in code.
        seen: The number; without one it is not measured.
        limit: The least, or the most, in the number's unit.
        at_most: The limit is the most.
    """
    sign, bound = (-1, seen.high) if at_most else (1, seen.low)
    state: State = "not measured"
    if seen.value is not None:
        state = "passes" if sign * compare(seen.value, limit) >= 0 else "fails"
        if state == "passes" and bound is not None and sign * compare(bound, limit) >= 0:
            state = "proven"
    needed = message("at most {limit:g}", limit=limit) if at_most else needed_at_least(limit)
    return Condition(name, state, True, *seen[:3], needed, seen.n, seen.n_clusters, gate, limit=limit)


def _of_people(standing: Standing, margin: float, policy: Policy) -> tuple[Condition, ...]:
    """The conditions that compare the judge with people, in the order in which a reader asks."""
    n, n_clusters, own, order = standing.n, standing.n_clusters, standing.own, standing.order

    def row(name: str, limit: float, seen: Quantity | None, needed: str, why: str = "") -> Condition:
        state = _state(seen, limit)
        if seen is None or state == "not measured":
            seen, why = None, message(CONSTANT) if seen is None else seen.method
        value, low, high = (None, None, None) if seen is None else seen[:3]
        return Condition(name, state, True, value, low, high, needed, n, n_clusters, None, why, limit)

    above = message("above {limit:.3g}", limit=-margin)
    return (
        row(message("agreement with people"), 0.0, own, message("interval above 0")),
        row(message(NEXT_TO_PEOPLE), -margin, order, above, _by_bound(standing, margin, policy)),
        _of_test(standing, policy),
    )


def _of_test(standing: Standing, policy: Policy) -> Condition:
    test, needed = standing.test, needed_at_least(policy.omega)
    name = message(TEST)
    if test is None:
        why = message("the judge's scores have another scale than people's, so that errors in value cannot be compared")
        return Condition(name, "not measured", True, None, None, None, needed, None, None, None, why)
    state: State = "fails" if test.mean_d >= test.epsilon else "passes"
    state = "proven" if test.winning_rate >= policy.omega else state
    # Omega is the number of a test that decides; of another it is the mean difference, which its state goes by.
    below, n = message("below {limit:g}", limit=test.epsilon), test.n_instances
    by_estimate = Condition(
        name, state, True, test.mean_d, None, None, below, n, standing.n_clusters, limit=test.epsilon
    )
    if POOLED in test.annotators:
        return by_estimate._replace(name=message(TEST_OF_A_CROWD))
    if state == "proven":
        why = message_list([message(NEARER, more=test.mean_d, epsilon=test.epsilon), test.not_tested])
        return by_estimate._replace(estimate=test.winning_rate, needed=needed, why=why, limit=policy.omega)
    wins = {"n_rejected": test.n_rejected, "n": test.n_tested, "needed": _wins_needed(test, policy)}
    won = message("it wins against {n_rejected} of {n} people: a yes needs {needed}", **wins)
    return by_estimate._replace(why=message_list([won, test.not_tested]))


def _wins_needed(test: AlternativeAnnotator, policy: Policy) -> int:
    return max(1, ceil(policy.omega * test.n_tested))


def _state(seen: Quantity | None, needed: float) -> State:
    if seen is None or not seen.value > needed:
        return "not measured" if seen is not None and isnan(seen.value) else "fails"
    return "proven" if seen.low is not None and seen.low > needed else "passes"


def _by_bound(standing: Standing, margin: float, policy: Policy) -> str:
    """That labels keep up by the bound that decides, where their interval reaches beyond the margin; else nothing."""
    order = standing.order
    if standing.measure == "scores" or order is None or order.low is None or order.low > -margin:
        return ""
    bound = _order_bound(standing, order, policy)
    return message(HOLDS_BY_BOUND, share=100 * policy.order_confidence, bound=bound) if bound > -margin else ""


def holds_by_bound(one: Condition) -> bool:
    """Whether a bound that labels go by holds, though the interval reaches beyond what is needed."""
    return one.state == "passes" and made_of(one.why)[0] == HOLDS_BY_BOUND


def _keeps_up(standing: Standing, order: Quantity, margin: float, policy: Policy) -> bool:
    """Whether the judge's agreement is not behind people's by the margin: the estimate of scores, a bound of labels."""
    return _order_bound(standing, order, policy) > -margin


def _order_bound(standing: Standing, order: Quantity, policy: Policy) -> float:
    return order.at - _order_quantile(standing, order, policy) * order.error


def _order_quantile(standing: Standing, order: Quantity, policy: Policy) -> float:
    return 0.0 if standing.measure == "scores" else float(scipy.special.stdtrit(order.freedom, policy.order_confidence))


def _sorts(standing: Standing, margin: float) -> str:
    return message(
        "it agrees with the others at {own}, a person at {person}: "
        "difference {difference}, margin {margin} ({counted})",
        own=_number(standing.own),
        person=_number(standing.people),
        difference=_number(standing.order),
        margin=bounded(margin, None, None),
        counted=_counted(standing),
    )


def _counted(standing: Standing) -> str:
    objects = message("{n:,} object|{n:,} objects", n=standing.n)
    if standing.n_clusters == standing.n:
        return objects
    return message("{objects} in {n:,} cluster|{objects} in {n:,} clusters", objects=objects, n=standing.n_clusters)


def _wide(standing: Standing, order: Quantity, policy: Policy) -> str:
    """What a yes follows from whose difference is not proven to be within the margin."""
    if standing.measure == "scores":
        return message(BY_ESTIMATE)
    return message(BY_BOUND, share=100 * policy.order_confidence, bound=_order_bound(standing, order, policy))


def _open(standing: Standing, margin: float, policy: Policy) -> list[str]:
    """What a yes needs besides the test and is not proven yet."""
    own, order, found = standing.own, standing.order, []
    if order is not None and standing.test is not None and not _keeps_up(standing, order, margin, policy):
        if standing.measure == "scores":
            found.append(message("a yes needs a difference above {limit:.3f}", limit=-margin))
        else:
            bound = _order_bound(standing, order, policy)
            found.append(message(NEEDS_BOUND, share=100 * policy.order_confidence, bound=bound, limit=-margin))
    if own is not None and own.low is not None and own.low <= 0.0:
        found.append(message("a yes needs its agreement with the others above 0, with its interval"))
    return found


def _reached(standing: Standing, margin: float, policy: Policy | None = None) -> tuple[str, str]:
    """The order and the test; with a policy also what a yes would need of the test."""
    test = standing.test
    sorts = _sorts(standing, margin)
    if test is None:
        return sorts, message(OTHER_SCALE)
    if POOLED in test.annotators:
        return sorts, message(NEAR_A_CROWD if test.n_rejected else NOT_NEAR_A_CROWD, epsilon=test.epsilon)
    near = {"n_rejected": test.n_rejected, "n": test.n_tested, "epsilon": test.epsilon}
    said = message(NEAR, **near)
    if policy is not None and test.winning_rate < policy.omega:
        said = message(NEAR_AND_NEEDED, needed=_wins_needed(test, policy), **near)
    return sorts, message_list([said, test.not_tested])


def _bias(standing: Standing) -> tuple[str, ...]:
    if standing.test is None or standing.bias is None:
        return ()
    bias = _number(standing.bias, sign=True)
    return (message("it scores {bias} against the mean of the people", bias=bias),)


def _number(seen: Quantity | None, *, sign: bool = False) -> str:
    if seen is None:
        return message("an undefined number")
    return bounded(seen.value, seen.low, seen.high, sign=sign)


def _further(standing: Standing, margin: float, policy: Policy, can_rank: bool) -> tuple[int | None, Word | None]:
    """The objects that a yes would need, else those that the word for ranking would."""
    own, order = standing.own, standing.order
    if own is None or order is None:
        return None, None
    of_own = _needed_for(own, 0.0, standing.n, policy)
    of_test = None if standing.test is None else _needed_for_test(standing.test, standing.n, policy)
    quantile = _order_quantile(standing, order, policy)
    to_keep_up = objects_needed(standing.n, order.at, -margin, order.error, quantile)
    if of_own is not None and of_test is not None and to_keep_up is not None:
        return max(of_own, of_test, to_keep_up), "yes"
    of_order = _needed_for(order, -margin, standing.n, policy)
    if can_rank and of_own is not None and of_order is not None:
        return max(of_own, of_order), "only for ranking"
    return None, None


def _needed_for(quantity: Quantity, needed: float, n: int, policy: Policy) -> int | None:
    if quantity.low is not None and quantity.low > needed:
        return n
    quantile = float(scipy.special.stdtrit(quantity.freedom, 0.5 + policy.levels.confidence / 2.0))
    return objects_needed(n, quantity.at, needed, quantity.error, quantile)


def _needed_for_test(test: AlternativeAnnotator, n: int, policy: Policy) -> int | None:
    """The objects at which as many annotators as are needed would lose to the judge, each at its share of the level."""
    parts = [part for part in test.annotators.values() if part.mean_d is not None]
    needed = max(1, ceil(policy.omega * len(parts)))
    if test.winning_rate >= policy.omega:
        return n
    level = policy.levels.q * needed / (len(parts) * sum(1.0 / rank for rank in range(1, len(parts) + 1)))
    found = []
    for part in parts:
        if part.mean_d is not None and part.error is not None and part.n_clusters is not None and part.n_clusters > 1:
            quantile = float(scipy.special.stdtrit(part.n_clusters - 1, 1.0 - level))
            found.append(objects_needed(n, -part.mean_d, -test.epsilon, part.error, quantile))
    reachable = sorted(one for one in found if one is not None)
    return reachable[needed - 1] if len(reachable) >= needed else None
