"""Each voter against the remaining votes of a pair: counts against every voter written out."""

import numpy as np
import pytest

from analysis.undefined import UndefinedStatistic
from analysis.verdict.rule import decided
from analysis.verdict.voters import Votes, standing_of_votes


def votes(first: list[int], second: list[int]) -> Votes:
    return Votes(np.array(first), np.array(second), np.arange(len(first)))


def by_hand(first: list[int], second: list[int], picks: list[int]) -> tuple[float, float, float]:
    """Every voter in turn: agreement of voter and method with the others, and who is nearer, means over voters."""
    people, own, nearer = [], [], []
    for one, two, pick in zip(first, second, picks, strict=True):
        voters = [1] * one + [2] * two
        if len(voters) < 2:
            continue
        for place, mine in enumerate(voters):
            others = voters[:place] + voters[place + 1 :]
            theirs = float(np.mean([vote == mine for vote in others]))
            its = 0.5 if pick == 0 else float(np.mean([vote == pick for vote in others]))
            people.append(theirs)
            own.append(its)
            nearer.append(int(theirs >= its) - int(its >= theirs))
    return float(np.mean(people)), float(np.mean(own)), float(np.mean(nearer))


def test_agreement_and_test_are_those_of_every_voter_written_out() -> None:
    first, second, picks = [5, 2, 0, 3, 1, 4, 7], [1, 2, 4, 2, 0, 3, 0], [1, 2, 2, 0, 1, 2, 0]
    found = standing_of_votes(votes(first, second), np.array(picks))
    people, own, nearer = by_hand(first, second, picks)
    assert found.people.value == pytest.approx(2 * people - 1)
    assert found.own is not None
    assert found.own.value == pytest.approx(2 * own - 1)
    assert found.order is not None
    assert found.order.value == pytest.approx(2 * (own - people))
    assert found.test is not None
    [part] = found.test.annotators.values()
    assert part.mean_d == pytest.approx(nearer)
    assert (found.n, found.test.n_instances) == (6, 33)


def test_which_photo_is_the_first_changes_nothing() -> None:
    first, second, picks = [5, 2, 1, 3, 6], [1, 2, 4, 2, 2], [1, 2, 2, 0, 2]
    turned = [{1: 2, 2: 1, 0: 0}[pick] for pick in picks]
    one = standing_of_votes(votes(first, second), np.array(picks))
    other = standing_of_votes(votes(second, first), np.array(turned))
    assert one.own == other.own
    assert one.people == other.people


def world(seed: int, right: float) -> tuple[Votes, np.ndarray]:
    """200 series with a better photo each; of 5 voters each picks it with 0.8, the method with `right`."""
    random = np.random.default_rng(seed)
    first = random.binomial(5, 0.8, 200)
    return Votes(first, 5 - first, np.arange(200)), np.where(random.random(200) < right, 1, 2)


@pytest.mark.parametrize(("right", "words"), [(0.97, {"yes"}), (0.5, {"no"}), (0.35, {"no"})])
def test_a_method_that_follows_the_votes_is_a_yes_and_a_coin_is_a_no(right: float, words: set[str]) -> None:
    assert {decided(standing_of_votes(*world(seed, right)), can_rank=False).word for seed in range(3)} == words


def test_pairs_with_one_vote_say_nothing_of_people() -> None:
    with pytest.raises(UndefinedStatistic, match="votes of two people"):
        standing_of_votes(votes([1, 0], [0, 1]), np.array([1, 2]))
