"""Three models of a vote with ties: log-likelihood and derivatives of each pair."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
import scipy

from analysis.preference.bradley_terry_counts import Counts, Floats
from analysis.undefined import UndefinedStatistic

TieModel = Literal["half_wins", "davidson", "rao_kupper"]


class Terms(NamedTuple):
    """Each pair's log-likelihood and its derivatives by d, the first strength - the second, and the log tie parameter.

    Shape ``(n,)`` each; binomial constants are left out.
    """

    value: Floats
    by_difference: Floats
    by_parameter: Floats
    by_difference_twice: Floats
    by_both: Floats
    by_parameter_twice: Floats


class TieTerms(NamedTuple):
    """A model: terms of pairs, where the search for its log parameter starts and must stay.

    `fitted` is false for a model without a parameter of its own.
    """

    terms: Callable[[Floats, float, Counts], Terms]
    start: Callable[[float, float], float]
    lowest: float
    without_ties: float
    fitted: bool


def rule_for(model: TieModel, counts: Counts, some_prior: bool) -> TieTerms:
    """The model with its parameter where that is to be fitted, else half wins; arguments and refusals: `check_ties`."""
    return MODELS[model if check_ties(model, counts, some_prior) else "half_wins"]


def check_ties(model: TieModel, counts: Counts, some_prior: bool) -> bool:
    """Whether the model's parameter is to be fitted; where no vote is a tie its best value is the end of its range.

    Args:
        model: Which model.
        counts: All votes, one entry per pair of images.
        some_prior: Whether a prior holds the strengths of a component that has decided votes.

    Returns:
        False for half wins and for votes without ties.

    Raises:
        ValueError: Unknown model.
        UndefinedStatistic: Every vote is a tie, or decided votes never contradict each other, so that the parameter has
            no finite value.
    """
    if model not in MODELS:
        raise ValueError(f"unknown model of ties {model!r}, known are {', '.join(MODELS)}")
    if not MODELS[model].fitted or not counts.ties.any():
        return False
    if not counts.wins_first.any() and not counts.wins_second.any():
        raise UndefinedStatistic("every vote is a tie, so the tie parameter has no finite value")
    if not some_prior and _grows_without_end(counts):
        raise UndefinedStatistic(
            "decided votes never contradict each other, so strengths and tie parameter grow together without end"
        )
    return True


def _grows_without_end(counts: Counts) -> bool:
    """Whether strengths exist that differ by at least 1 where votes are decided and by at most 1 where they are tied.

    Along such strengths, with the log parameter rising at the same pace, no vote ever becomes less likely: the
    likelihood has no maximum. They exist unless a cycle of these bounds contradicts itself.
    """
    if bool(np.any((counts.wins_first > 0) & (counts.wins_second > 0))):
        return False
    bounds = [
        # A winner's lead over the loser is at least 1: the loser is at most at the winner - 1.
        (counts.first, counts.second, counts.wins_first > 0, -1.0),
        (counts.second, counts.first, counts.wins_second > 0, -1.0),
        (counts.first, counts.second, (counts.ties > 0) & (counts.wins_first == 0), 1.0),
        (counts.second, counts.first, (counts.ties > 0) & (counts.wins_second == 0), 1.0),
    ]
    n = counts.n_images
    # One more node that reaches all others, so that one search finds a contradiction wherever it is.
    start = [np.full(n, n)] + [one[chosen] for one, _, chosen, _ in bounds]
    end = [np.arange(n)] + [two[chosen] for _, two, chosen, _ in bounds]
    weight = [np.ones(n)] + [np.full(int(chosen.sum()), lead) for _, _, chosen, lead in bounds]
    graph = scipy.sparse.csr_array(
        (np.concatenate(weight), (np.concatenate(start), np.concatenate(end))), shape=(n + 1, n + 1)
    )
    try:
        scipy.sparse.csgraph.bellman_ford(graph, directed=True, indices=n)
    except scipy.sparse.csgraph.NegativeCycleError:
        return False
    return True


def _half_wins(d: Floats, parameter: float, counts: Counts) -> Terms:
    """A tie is half a win of each: Bradley and Terry (1952), Biometrika 39:324-345."""
    first, second = counts.wins_first + counts.ties / 2.0, counts.wins_second + counts.ties / 2.0
    p, none = scipy.special.expit(d), np.zeros_like(d)
    value = first * scipy.special.log_expit(d) + second * scipy.special.log_expit(-d)
    return Terms(value, first * (1.0 - p) - second * p, none, -(first + second) * p * (1.0 - p), none, none)


def _position(d: Floats, parameter: float, counts: Counts) -> Terms:
    """What is shown first has a log odds of its own, ties half: Davidson and Beaver (1977), Biometrics 33:693-702."""
    of = _half_wins(d + parameter, 0.0, counts)
    return Terms(of.value, of.by_difference, of.by_difference, *[of.by_difference_twice] * 3)


def _davidson(d: Floats, parameter: float, counts: Counts) -> Terms:
    """Davidson (1970), J. Am. Stat. Assoc. 65:317-328; the parameter is log nu."""
    total = counts.wins_first + counts.wins_second + counts.ties
    log_sum = np.logaddexp(np.logaddexp(d / 2.0, -d / 2.0), parameter)
    first, second, tie = (np.exp(log - log_sum) for log in (d / 2.0, -d / 2.0, parameter))
    lead = (first - second) / 2.0
    margin = (counts.wins_first - counts.wins_second) / 2.0
    return Terms(
        margin * d + counts.ties * parameter - total * log_sum,
        margin - total * lead,
        counts.ties - total * tie,
        -total * ((first + second) / 4.0 - lead**2),
        total * tie * lead,
        -total * tie * (1.0 - tie),
    )


def _rao_kupper(d: Floats, parameter: float, counts: Counts) -> Terms:
    """Rao and Kupper (1967), J. Am. Stat. Assoc. 62:194-204; the parameter is log tau, above 0."""
    first, second = counts.wins_first + counts.ties, counts.wins_second + counts.ties
    p, q = scipy.special.expit(d - parameter), scipy.special.expit(-d - parameter)
    spread_p, spread_q = first * p * (1.0 - p), second * q * (1.0 - q)
    # tau^2 - 1 = exp(2 eta) - 1, the factor that a tie has next to both wins' chances.
    shrunk = -np.expm1(-2.0 * parameter)
    log_factor = 2.0 * parameter + np.log(shrunk)
    return Terms(
        first * scipy.special.log_expit(d - parameter)
        + second * scipy.special.log_expit(-d - parameter)
        + counts.ties * log_factor,
        first * (1.0 - p) - second * (1.0 - q),
        -first * (1.0 - p) - second * (1.0 - q) + 2.0 * counts.ties / shrunk,
        -spread_p - spread_q,
        spread_p - spread_q,
        -spread_p - spread_q - 4.0 * counts.ties * np.exp(-2.0 * parameter) / shrunk**2,
    )


def _no_start(ties: float, votes: float) -> float:
    return 0.0


def _davidson_start(ties: float, votes: float) -> float:
    """Log nu at equal strengths."""
    return float(np.log(2.0 * ties / (votes - ties)))


def _rao_kupper_start(ties: float, votes: float) -> float:
    """Log tau at equal strengths."""
    return float(np.log((votes + ties) / (votes - ties)))


# Without ties nu is 0 and tau 1, and both models are Bradley and Terry's.
MODELS: dict[TieModel, TieTerms] = {
    "half_wins": TieTerms(_half_wins, _no_start, -np.inf, 0.0, False),
    "davidson": TieTerms(_davidson, _davidson_start, -np.inf, 0.0, True),
    "rao_kupper": TieTerms(_rao_kupper, _rao_kupper_start, 0.0, 1.0, True),
}
# Votes with the image shown first as the first; the parameter is its log odds against an image as strong.
POSITION = TieTerms(_position, _no_start, -np.inf, 0.0, True)
