"""Strengths of images from votes between them: Bradley and Terry's model, component by component."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.preference.bradley_terry_components import connected
from analysis.preference.bradley_terry_counts import Floats, labels_of, named, per_pair, win_counts
from analysis.preference.bradley_terry_errors import Spread, voter_scores
from analysis.preference.bradley_terry_newton import MOST_STEPS, Maximum, Prior, maximise
from analysis.preference.bradley_terry_ties import MODELS, TieModel, rule_for
from analysis.undefined import UndefinedStatistic

PRIOR_STRENGTH = 0.1
INFORMATION = "inverse information"

Separation = Literal["prior", "refuse"]


class Differences(NamedTuple):
    """First strength - second in log odds, shape ``(n,)``; `voter_errors` are none where voters are not known."""

    values: Floats
    errors: Floats
    voter_errors: Floats | None


class StrengthIntervals(NamedTuple):
    """Bounds of strengths in log odds, shape ``(k,)`` each."""

    low: Floats
    high: Floats
    method: str


@dataclass(frozen=True, eq=False)
class BradleyTerry:
    """Strengths in log odds, centred in each component; between components nothing is known.

    `images` (sorted labels), `strengths`, `errors`, `components` (numbers from 0) and `regularised` have one entry per
    image. Regularised images belong to a component without a finite maximum; their strengths rest on `prior`.
    `errors` are standard errors of the centred strengths by `error_method`, `voter_errors` those clustered by voters,
    none where there are no voters or too few (`voter_method`). `tie_parameter` is nu or tau, none for half wins.
    """

    images: NDArray[Any]
    strengths: Floats
    errors: Floats
    voter_errors: Floats | None
    components: NDArray[np.intp]
    regularised: NDArray[np.bool_]
    tie_model: TieModel
    tie_parameter: float | None
    log_likelihood: float
    steps: int
    prior: str
    error_method: str
    voter_method: str
    n_voters: int | None
    n_votes: float
    n_components: int
    n_components_regularised: int
    spread: Spread
    voter_spread: Spread | None

    def positions(self, images: ArrayLike) -> NDArray[np.intp]:
        """Where images stand in the arrays.

        Args:
            images: Shape ``(n,)``, labels as they were fitted.

        Returns:
            Shape ``(n,)``.

        Raises:
            ValueError: An image that was not fitted.
        """
        labels = labels_of(images)
        if (labels.dtype.kind == "U") != (self.images.dtype.kind == "U"):
            raise ValueError(f"images were not fitted: {named(labels)} (labels are of another kind)")
        found = np.minimum(np.searchsorted(self.images, labels), self.images.size - 1)
        unknown = self.images[found] != labels
        if bool(unknown.any()):
            raise ValueError(f"{int(unknown.sum())} images were not fitted: {named(labels[unknown])}")
        return found

    def strength_differences(self, first: ArrayLike, second: ArrayLike) -> Floats:
        """First strength - second, log odds.

        Args:
            first: Shape ``(n,)``, labels.
            second: Shape ``(n,)``, labels.

        Returns:
            Shape ``(n,)``.

        Raises:
            ValueError: Shapes differ, or an image that was not fitted.
            UndefinedStatistic: Images of different components, whose strengths share no scale.
        """
        one, two = self._within(first, second)
        return self.strengths[one] - self.strengths[two]

    def differences(self, first: ArrayLike, second: ArrayLike) -> Differences:
        """First strength - second with standard errors; arguments and refusals as `strength_differences`."""
        one, two = self._within(first, second)
        return Differences(
            self.strengths[one] - self.strengths[two],
            self.spread.of_differences(one, two),
            None if self.voter_spread is None else self.voter_spread.of_differences(one, two),
        )

    def intervals(self, confidence: float = 0.95) -> StrengthIntervals:
        """Bounds of each image's strength: by voters where they are named, else for independent votes.

        Args:
            confidence: Between 0 and 1.

        Returns:
            Strength -/+ quantile times standard error, t with voters - 1 or normal, in log odds. Images whose strength
            rests on the prior have bounds too: `regularised` says which they are.

        Raises:
            ValueError: A confidence outside 0-1.
        """
        if not 0.0 < confidence < 1.0:
            raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
        tail = 0.5 + confidence / 2.0
        if self.voter_errors is None or self.n_voters is None:
            errors, quantile = self.errors, float(scipy.stats.norm.ppf(tail))
            method = f"normal, {self.error_method}, assumes independent votes"
        else:
            errors, quantile = self.voter_errors, float(scipy.stats.t.ppf(tail, self.n_voters - 1))
            method = f"t, {self.voter_method}"
        return StrengthIntervals(self.strengths - quantile * errors, self.strengths + quantile * errors, method)

    def _within(self, first: ArrayLike, second: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        one, two = self.positions(first), self.positions(second)
        if one.shape != two.shape:
            raise ValueError(f"two images per pair are needed, got shapes {one.shape} and {two.shape}")
        across = np.flatnonzero(self.components[one] != self.components[two])
        if across.size:
            pairs = [f"{self.images[one[row]]} and {self.images[two[row]]}" for row in across]
            raise UndefinedStatistic(
                "no vote connects {images}, so their strengths share no scale", images=named(pairs)
            )
        return one, two


def bradley_terry(
    first: ArrayLike,
    second: ArrayLike,
    wins_first: ArrayLike,
    wins_second: ArrayLike,
    ties: ArrayLike | None = None,
    *,
    tie_model: TieModel = "half_wins",
    separation: Separation = "prior",
    prior_strength: float = PRIOR_STRENGTH,
    voters: ArrayLike | None = None,
    most_steps: int = MOST_STEPS,
) -> BradleyTerry:
    """How strong each image is, so that `P(i beats j) = 1 / (1 + exp(strength j - strength i))`.

    Args:
        first: Shape ``(n,)``, labels of images (text or integers), unique over all series.
        second: Shape ``(n,)``; a pair may come in several rows and both orders.
        wins_first: Shape ``(n,)``, votes for the first.
        wins_second: Shape ``(n,)``, votes for the second.
        ties: Shape ``(n,)``, votes for neither; none: no ties.
        tie_model: Ties as half a win each, or Davidson's or Rao and Kupper's, with one parameter for all components.
        separation: What to do with components that are not strongly connected, which have no finite maximum: a prior
            for each of their images, or to refuse.
        prior_strength: Wins, and as many losses, against an opponent of strength 0 that the prior adds; above 0.
        voters: Shape ``(n,)``, who gave the votes of each row; errors clustered by them are given too.
        most_steps: Of Newton's method.

    Returns:
        Strengths of all images with a vote. Errors are those of independent votes (observed information, the prior's
        included); the sandwich takes voters as independent and is multiplied by V / (V - 1).

    Raises:
        ValueError: Shapes differ, votes that are no counts, an image against itself, or an unknown option.
        UndefinedStatistic: No vote, a component refused, or a tie parameter without finite value (every vote is a tie,
            or no decided votes contradict each other).
        NotConverged: Newton's method did not end.

    Source:
        Bradley and Terry (1952), Biometrika 39:324-345; Davidson (1970), J. Am. Stat. Assoc. 65:317-328; Rao and Kupper
        (1967), J. Am. Stat. Assoc. 62:194-204; Liang and Zeger (1986), Biometrika 73:13-22 (sandwich).
    """
    if separation not in ("prior", "refuse"):
        raise ValueError(f"unknown way {separation!r} with separated components, known are 'prior' and 'refuse'")
    if not (np.isfinite(prior_strength) and prior_strength > 0.0):
        raise ValueError(f"the prior's strength must be above 0, got {prior_strength}")
    votes = win_counts(first, second, wins_first, wins_second, ties)
    images, counts = votes.images, per_pair(votes.counts)
    components = connected(counts)
    separated = ~components.strong[components.of_image]
    n_separated = int((~components.strong).sum())
    if separation == "refuse" and n_separated:
        raise UndefinedStatistic(
            "{n_separated} of {n} components ({n_images} images) are not strongly connected, so they "
            "have no finite strengths: {images}",
            n_separated=n_separated,
            n=components.n,
            n_images=int(separated.sum()),
            images=named(images[separated]),
        )
    rule = rule_for(tie_model, counts, bool(separated.any()))
    best = maximise(counts, components, rule, Prior(separated, prior_strength), most_steps=most_steps)
    spread = Spread(best, components, separated, None)
    voter_spread, voter_method, n_voters = None, "none: voters are not named", None
    if voters is not None:
        scores, voter_method = voter_scores(voters, votes, best, components, rule)
        voter_spread = None if scores is None else Spread(best, components, separated, scores)
        n_voters = None if scores is None else scores.by_parameter.size
    return BradleyTerry(
        images,
        best.strengths,
        spread.of_images(),
        None if voter_spread is None else voter_spread.of_images(),
        components.of_image,
        separated,
        tie_model,
        _tie_parameter(tie_model, best),
        best.log_likelihood,
        best.steps,
        f"{prior_strength:g} wins and losses against strength 0, re-centred, for {int(separated.sum())} images of "
        f"{n_separated} components that are not strongly connected"
        if n_separated
        else "none",
        INFORMATION,
        voter_method,
        n_voters,
        float((counts.wins_first + counts.wins_second + counts.ties).sum()),
        components.n,
        n_separated,
        spread,
        voter_spread,
    )


def _tie_parameter(model: TieModel, best: Maximum) -> float | None:
    if not MODELS[model].fitted:
        return None
    return MODELS[model].without_ties if best.log_parameter is None else float(np.exp(best.log_parameter))
