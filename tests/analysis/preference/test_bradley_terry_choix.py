"""Bradley-Terry strengths next to choix, an independent implementation, component by component."""

import choix
import numpy as np
import pytest

from analysis.preference.bradley_terry import bradley_terry


def comparisons(
    first: np.ndarray, second: np.ndarray, votes_1: np.ndarray, votes_2: np.ndarray
) -> list[tuple[int, int]]:
    """Each vote as (winner, loser), which is how choix reads them."""
    winners = np.concatenate([np.repeat(first, votes_1), np.repeat(second, votes_2)])
    losers = np.concatenate([np.repeat(second, votes_1), np.repeat(first, votes_2)])
    return list(zip(winners.tolist(), losers.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_choix_finds_the_same_strengths_where_everybody_beats_somebody(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, two = np.triu_indices(7, 1)
    votes = rng.integers(1, 9, (2, len(one)))
    fit = bradley_terry(one, two, *votes)
    by_choix = choix.ilsr_pairwise(7, comparisons(one, two, *votes), alpha=0.0, tol=1e-12)
    assert fit.strengths == pytest.approx(by_choix - by_choix.mean(), abs=1e-7)


def test_two_series_are_two_fits_of_choix() -> None:
    rng = np.random.default_rng(9)
    one, two = np.triu_indices(4, 1)
    first, second = np.concatenate([one, one + 4]), np.concatenate([two, two + 4])
    votes = rng.integers(1, 6, (2, len(first)))
    fit = bradley_terry(first, second, *votes)
    for start, rows in ((0, slice(0, 6)), (4, slice(6, 12))):
        expected = choix.ilsr_pairwise(4, comparisons(one, two, *votes[:, rows]), alpha=0.0, tol=1e-12)
        assert fit.strengths[start : start + 4] == pytest.approx(expected - expected.mean(), abs=1e-7)
    assert fit.n_components == 2
