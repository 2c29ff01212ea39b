"""Standard errors of strengths and of their differences, by the information or clustered by voters."""

import itertools
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.preference.bradley_terry_components import Components
from analysis.preference.bradley_terry_counts import CountedVotes, Floats
from analysis.preference.bradley_terry_newton import Maximum, grounded_solver
from analysis.preference.bradley_terry_ties import TieTerms
from analysis.resampling.bootstrap import FEWEST_CLUSTERS, RELIABLE_CLUSTERS, cluster_index

# Right-hand sides solved at once: bounds the memory of a component of many thousand images.
AT_ONCE = 64


class VoterScores(NamedTuple):
    """Derivatives of the log-likelihood added up per voter.

    `by_strength` has a row for each voter in each component (`component`, `voter`) and a column per image;
    `by_parameter` has one entry per voter.
    """

    by_strength: "scipy.sparse.csr_array"
    component: NDArray[np.intp]
    voter: NDArray[np.intp]
    by_parameter: Floats


class Spread:
    """The covariance of centred strengths, read out image by image or difference by difference."""

    def __init__(
        self, maximum: Maximum, components: Components, regularised: NDArray[np.bool_], voters: VoterScores | None
    ) -> None:
        """Prepare what all read-outs share.

        Args:
            maximum: The fit.
            components: Of its images.
            regularised: Shape ``(k,)``, true for images with a prior, which needs no image held.
            voters: For errors clustered by voter; none: errors of the information.
        """
        free = np.ones(regularised.size, dtype=np.bool_)
        held = components.first_images
        free[held[~regularised[held]]] = False
        self._components, self._voters = components, voters
        self._solve = grounded_solver(maximum.information, free)
        # With one tie parameter for all components its error reaches every strength, by this much.
        self._bent = components.centred(self._solve(maximum.cross))
        fitted = maximum.log_parameter is not None
        self._left = maximum.of_parameter - float(maximum.cross @ self._bent) if fitted else np.inf
        if voters is not None:
            through = voters.by_strength @ self._bent
            self._rest = voters.by_parameter - np.bincount(
                voters.voter, weights=through, minlength=voters.by_parameter.size
            )
            n = voters.by_parameter.size
            self._few = n / (n - 1)

    def of_images(self) -> Floats:
        """Standard errors of the strengths, each centred in its component; shape ``(k,)``, in strengths' unit."""
        return self._errors(np.arange(self._components.of_image.size), None)

    def of_differences(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> Floats:
        """Standard errors of first - second, images of one component each; shape ``(n,)``."""
        return self._errors(first, second)

    def of_log_parameter(self) -> float:
        """The standard error of the log of the tie parameter."""
        if self._voters is None:
            return float(np.sqrt(1.0 / self._left))
        return float(np.sqrt(self._few * (self._rest @ self._rest)) / self._left)

    def _errors(self, plus: NDArray[np.intp], minus: NDArray[np.intp] | None) -> Floats:
        """Images of different components do not meet, so one right-hand side serves one image of each of them."""
        component = self._components.of_image[plus]
        place = self._components.place_in(component)
        variances = np.empty(plus.size)
        order = np.argsort(place, kind="stable")
        bounds = np.searchsorted(place[order], np.arange(0, place.max(initial=0) + AT_ONCE + 1, AT_ONCE))
        for start, end in itertools.pairwise(bounds):
            chosen = order[start:end]
            if chosen.size:
                taken = None if minus is None else minus[chosen]
                variances[chosen] = self._variances(plus[chosen], taken, component[chosen], place[chosen] % AT_ONCE)
        # Rounding may leave a variance of -1e-20 where the true one is 0 (an image against itself).
        return np.sqrt(np.maximum(variances, 0.0))

    def _variances(
        self,
        plus: NDArray[np.intp],
        minus: NDArray[np.intp] | None,
        component: NDArray[np.intp],
        column: NDArray[np.intp],
    ) -> Floats:
        right = np.zeros((self._components.of_image.size, int(column.max()) + 1))
        right[plus, column] += 1.0
        if minus is not None:
            right[minus, column] -= 1.0
        solved = self._components.centred(self._solve(self._components.centred(right)))
        own, bend = solved[plus, column], self._bent[plus]
        if minus is not None:
            own, bend = own - solved[minus, column], bend - self._bent[minus]
        parameter = -bend / self._left
        if self._voters is None:
            return own - bend * parameter
        return self._few * self._sandwich(self._voters, solved, parameter, component, column)

    def _sandwich(
        self,
        voters: VoterScores,
        solved: Floats,
        parameter: Floats,
        component: NDArray[np.intp],
        column: NDArray[np.intp],
    ) -> Floats:
        """The sum over voters of (score in the component + parameter x the rest) squared."""
        scores = voters.by_strength @ solved
        size = voters.component.size
        added = scipy.sparse.csr_array(
            (np.ones(size), (voters.component, np.arange(size))), shape=(self._components.n, size)
        )
        squares = (added @ scores**2)[component, column]
        mixed = (added @ (scores * self._rest[voters.voter][:, None]))[component, column]
        return np.asarray(squares + 2.0 * parameter * mixed + parameter**2 * float(self._rest @ self._rest))


def voter_scores(
    voters: ArrayLike,
    votes: CountedVotes,
    best: Maximum,
    components: Components,
    rule: TieTerms,
) -> tuple[VoterScores | None, str]:
    """Derivatives per voter and component at the maximum.

    Returns:
        The scores and the method's name; under 5 voters none, and why.

    Raises:
        ValueError: Not one voter per row, or a voter is missing.
    """
    labels, rows, kept = np.asarray(voters), votes.counts, votes.kept
    if labels.shape != kept.shape:
        raise ValueError(f"one voter per row is needed, got shape {labels.shape} for {kept.shape}")
    number, n_voters = cluster_index(labels[kept])
    if n_voters < FEWEST_CLUSTERS:
        return None, f"none: {n_voters} voters, fewer than {FEWEST_CLUSTERS}"
    difference = best.strengths[rows.first] - best.strengths[rows.second]
    terms = rule.terms(difference, best.log_parameter or 0.0, rows)
    key = components.of_image[rows.first] * n_voters + number
    keys, place = np.unique(key, return_inverse=True)
    by_strength = scipy.sparse.csr_array(
        (
            np.concatenate([terms.by_difference, -terms.by_difference]),
            (np.concatenate([place, place]), np.concatenate([rows.first, rows.second])),
        ),
        shape=(keys.size, rows.n_images),
    )
    by_parameter = np.bincount(number, weights=terms.by_parameter, minlength=n_voters).astype(np.float64)
    few = ", unreliable" if n_voters < RELIABLE_CLUSTERS else ""
    return (
        VoterScores(by_strength, keys // n_voters, keys % n_voters, by_parameter),
        f"sandwich, {n_voters} voters{few}",
    )
