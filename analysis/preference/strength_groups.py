"""Rank groups: which images of a component votes can tell from which."""

from itertools import pairwise

import numpy as np
import scipy
from numpy.typing import NDArray

from analysis.preference.bradley_terry import BradleyTerry
from analysis.preference.letter_display import letter_display
from analysis.significance.holm import below_level, holm

# All pairs of a component are tested; beyond this the letters are too many to read.
MOST_IMAGES = 52


def rank_groups(fit: BradleyTerry, level: float = 0.05) -> list[tuple[str, ...] | None]:
    """The letters of each image: two images of a component share one exactly when votes do not separate them.

    Args:
        fit: Strengths.
        level: Of all pairs of a component together, after Holm.

    Returns:
        One entry per image, in the order of `fit.images`; `a` holds the strongest of its component. None where an image
        has nothing to be compared with, rests on the prior, or its component has more than 52 images. The test is the
        difference of strengths over its standard error: t with voters - 1 where voters are named, else normal.

    Raises:
        ValueError: A level outside 0-1.

    Source:
        Holm (1979), Scand. J. Stat. 6:65-70; Piepho (2004), J. Comput. Graph. Stat. 13:456-466.
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    order = np.lexsort((-fit.strengths, fit.components))
    starts = np.flatnonzero(np.r_[True, np.diff(fit.components[order]) > 0, True])
    groups = [order[start:end] for start, end in pairwise(starts)]
    groups = [members for members in groups if 2 <= members.size <= MOST_IMAGES and not fit.regularised[members[0]]]
    letters: list[tuple[str, ...] | None] = [None] * fit.images.size
    if not groups:
        return letters
    couples = [np.triu_indices(members.size, 1) for members in groups]
    # All at once: each question asked alone would solve for all images.
    tested = _p_values(
        fit,
        np.concatenate([members[one] for members, (one, _) in zip(groups, couples, strict=True)]),
        np.concatenate([members[two] for members, (_, two) in zip(groups, couples, strict=True)]),
    )
    ends = np.cumsum([one.size for one, _ in couples])[:-1]
    for members, (one, two), p in zip(groups, couples, np.split(tested, ends), strict=True):
        separated = [below_level(adjusted, level) for adjusted in holm(p)]
        apart = np.zeros((members.size, members.size), dtype=np.bool_)
        apart[one, two] = apart[two, one] = separated
        for place, shown in zip(members, letter_display(apart), strict=True):
            letters[place] = shown
    return letters


def _p_values(fit: BradleyTerry, first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.float64]:
    found = fit.differences(fit.images[first], fit.images[second])
    if found.voter_errors is None or fit.n_voters is None:
        return np.asarray(2.0 * scipy.stats.norm.sf(np.abs(found.values) / found.errors))
    return np.asarray(2.0 * scipy.stats.t.sf(np.abs(found.values) / found.voter_errors, fit.n_voters - 1))
