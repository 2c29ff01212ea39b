"""Newton's method for strengths: sparse, with one image of each component held where no prior holds it."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from analysis.preference.bradley_terry_components import Components
from analysis.preference.bradley_terry_counts import Counts, Floats
from analysis.preference.bradley_terry_ties import Terms, TieTerms
from analysis.undefined import UndefinedStatistic

MOST_STEPS = 100
TOLERANCE = 1e-6
MOST_HALVINGS = 60

Solve = Callable[[Floats], Floats]


class NotConverged(RuntimeError):
    """The search for strengths did not end; nothing of it is used."""


class Prior(NamedTuple):
    """`strength` wins and as many losses against an opponent of strength 0, for the images where `on` is true.

    They are decided votes without ties, so that they say nothing about the tie parameter.
    """

    on: NDArray[np.bool_]
    strength: float


class Maximum(NamedTuple):
    """Strengths at the maximum, shape ``(k,)``, centred per component, and the curvature there.

    `information` (k x k), `cross` (k) and `of_parameter` make up the negative second derivatives by strengths and by
    the log tie parameter, which is none where none was fitted. `log_likelihood` is of the votes, without the prior.
    """

    strengths: Floats
    log_parameter: float | None
    log_likelihood: float
    information: "scipy.sparse.csc_array"
    cross: Floats
    of_parameter: float
    steps: int


class _Point(NamedTuple):
    """Everything at one place of the search; `value` includes the prior."""

    value: float
    log_likelihood: float
    gradient: Floats
    by_parameter: float
    information: "scipy.sparse.csc_array"
    cross: Floats
    of_parameter: float


def maximise(
    counts: Counts,
    components: Components,
    rule: TieTerms,
    prior: Prior,
    *,
    most_steps: int = MOST_STEPS,
) -> Maximum:
    """The strengths under which the votes are most likely.

    Args:
        counts: Votes, one entry per pair of images.
        components: Of the images; one without prior is strongly connected.
        rule: The model of a vote, of `rule_for` or `POSITION`.
        prior: Of the images that need one, whole components of them.
        most_steps: How many steps at most.

    Returns:
        Of a step that would make the votes less likely only as much is made as makes them more likely.

    Raises:
        NotConverged: Still moving after `most_steps`.
        UndefinedStatistic: The votes do not separate the rule's parameter from the strengths.

    Source:
        Hunter (2004), Ann. Stat. 32:384-406 (concavity); Nocedal and Wright (2006), Numerical Optimization, chapter 3.
    """
    free = np.ones(counts.n_images, dtype=np.bool_)
    held = components.first_images
    free[held[~prior.on[held]]] = False
    strengths = np.zeros(counts.n_images)
    votes = float((counts.wins_first + counts.wins_second + counts.ties).sum())
    parameter = rule.start(float(counts.ties.sum()), votes) if rule.fitted else 0.0
    here = _at(counts, rule.terms, prior, strengths, parameter)
    for step in range(1, most_steps + 1):
        solve = grounded_solver(here.information, free)
        move, parameter_move = _newton_step(here, solve, rule.fitted)
        move = _centred_where_free(move, components, prior)
        share = 1.0
        ended = max(float(np.abs(move).max()), abs(parameter_move)) < TOLERANCE
        for _ in range(MOST_HALVINGS):
            there = parameter + share * parameter_move
            if there > rule.lowest:
                ahead = _at(counts, rule.terms, prior, strengths + share * move, there)
                # Sums of many logarithms agree to about this much.
                if ended or ahead.value >= here.value - 1e-12 * abs(here.value):
                    break
            share /= 2.0
        else:
            raise NotConverged(f"no step from the strengths after {step - 1} steps makes the votes more likely")
        strengths, parameter, here = strengths + share * move, there, ahead
        if ended:
            return Maximum(
                components.centred(strengths),
                parameter if rule.fitted else None,
                here.log_likelihood,
                here.information,
                here.cross,
                here.of_parameter,
                step,
            )
    raise NotConverged(f"strengths still move by {TOLERANCE:g} or more after {most_steps} steps; nothing is reported")


def grounded_solver(information: "scipy.sparse.csc_array", free: NDArray[np.bool_]) -> Solve:
    """Solves with the information, images that are not free held at 0.

    Args:
        information: Shape ``(k, k)``.
        free: Shape ``(k,)``.

    Returns:
        A function of right-hand sides of shape ``(k,)`` or ``(k, m)``.
    """
    inside = np.flatnonzero(free)
    factors = scipy.sparse.linalg.splu(
        information[inside][:, inside].tocsc(), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}
    )

    def solve(right: Floats) -> Floats:
        found = np.zeros_like(right, dtype=np.float64)
        found[inside] = factors.solve(np.ascontiguousarray(right[inside]))
        return found

    return solve


def _newton_step(here: _Point, solve: Solve, fits_parameter: bool) -> tuple[Floats, float]:
    plain = solve(here.gradient)
    if not fits_parameter:
        return plain, 0.0
    bent = solve(here.cross)
    left = here.of_parameter - float(here.cross @ bent)
    if left <= 1e-10 * here.of_parameter:
        raise UndefinedStatistic("the votes do not separate the parameter that all share from the strengths")
    parameter_move = (here.by_parameter - float(here.cross @ plain)) / left
    return plain - bent * parameter_move, parameter_move


def _centred_where_free(move: Floats, components: Components, prior: Prior) -> Floats:
    """Without a prior a component has no place of its own; the size of a step must not depend on the image held."""
    return np.where(prior.on, move, components.centred(move))


def _at(
    counts: Counts,
    terms_of: Callable[[Floats, float, Counts], Terms],
    prior: Prior,
    strengths: Floats,
    parameter: float,
) -> _Point:
    n = counts.n_images
    terms = terms_of(strengths[counts.first] - strengths[counts.second], parameter, counts)

    def per_image(by_difference: Floats) -> Floats:
        gained = np.bincount(counts.first, weights=by_difference, minlength=n)
        return np.asarray(gained - np.bincount(counts.second, weights=by_difference, minlength=n), dtype=np.float64)

    p = scipy.special.expit(strengths)
    pull = np.where(prior.on, prior.strength, 0.0)
    curvature = -terms.by_difference_twice
    diagonal = 2.0 * pull * p * (1.0 - p)
    for side in (counts.first, counts.second):
        diagonal += np.bincount(side, weights=curvature, minlength=n)
    everyone = np.arange(n)
    information = scipy.sparse.csc_array(
        (
            np.concatenate([diagonal, -curvature, -curvature]),
            (
                np.concatenate([everyone, counts.first, counts.second]),
                np.concatenate([everyone, counts.second, counts.first]),
            ),
        ),
        shape=(n, n),
    )
    log_likelihood = float(terms.value.sum())
    return _Point(
        log_likelihood + float(pull @ (scipy.special.log_expit(strengths) + scipy.special.log_expit(-strengths))),
        log_likelihood,
        per_image(terms.by_difference) + pull * (1.0 - 2.0 * p),
        float(terms.by_parameter.sum()),
        information,
        -per_image(terms.by_both),
        -float(terms.by_parameter_twice.sum()),
    )
