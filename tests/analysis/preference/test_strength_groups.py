"""Rank groups and intervals of strengths: every pair tested one by one, voters, and components without any."""

import numpy as np
import pytest
from scipy import stats

from analysis.conformance.published import AWAY, AWAY_WINS, CITED, HOME, HOME_WINS, JOURNALS
from analysis.preference.bradley_terry import bradley_terry
from analysis.preference.strength_groups import rank_groups
from analysis.significance.holm import holm
from tests.analysis.preference.test_bradley_terry_errors import ballots

ONE, OTHER = np.triu_indices(4, 1)


def by_pairs(fit, level):
    """Which images differ, each pair asked on its own."""
    apart = {}
    for component in range(fit.n_components):
        members = np.flatnonzero(fit.components == component)
        couples = [(i, j) for i in members for j in members if i < j]
        p = []
        for i, j in couples:
            found = fit.differences([fit.images[i]], [fit.images[j]])
            errors = found.errors if found.voter_errors is None else found.voter_errors
            ratio = abs(found.values[0]) / errors[0]
            p.append(2 * (stats.norm.sf(ratio) if fit.n_voters is None else stats.t.sf(ratio, fit.n_voters - 1)))
        apart |= dict(zip(couples, (value < level for value in holm(p)), strict=True))
    return apart


@pytest.mark.parametrize("named", [True, False])
def test_two_images_share_a_letter_exactly_when_holm_does_not_separate_them(named):
    first, second, won, lost, tied, voter = ballots(3, [4, 3, 5], per_voter=120)
    fit = bradley_terry(first, second, won, lost, tied, voters=voter if named else None)
    assert (fit.n_voters == 12) == named
    some = []
    for level in (0.05, 0.5, 0.999):
        letters = rank_groups(fit, level)
        expected = by_pairs(fit, level)
        assert {pair: not set(letters[pair[0]]) & set(letters[pair[1]]) for pair in expected} == expected
        some += expected.values()
        for component in range(3):
            members = np.flatnonzero(fit.components == component)
            assert "a" in letters[members[np.argmax(fit.strengths[members])]]
    assert any(some)
    assert not all(some)


def test_journals_are_four_groups_and_teams_two():
    journals = bradley_terry(JOURNALS[ONE], JOURNALS[OTHER], CITED[ONE, OTHER], CITED[OTHER, ONE])
    assert rank_groups(journals) == [("b",), ("d",), ("c",), ("a",)]
    teams = bradley_terry(HOME, AWAY, HOME_WINS, AWAY_WINS)
    assert dict(zip(teams.images.tolist(), rank_groups(teams), strict=True)) == {
        "BAL": ("b",), "CLE": ("a", "b"), **dict.fromkeys(("BOS", "DET", "MIL", "NY", "TOR"), ("a",))
    }  # fmt: skip


def test_images_that_rest_on_the_prior_have_no_letters():
    fit = bradley_terry(["a", "x", "y"], ["b", "y", "x"], [3, 2, 2], [0, 1, 2])
    assert rank_groups(fit) == [None, None, ("a",), ("a",)]
    with pytest.raises(ValueError, match="level"):
        rank_groups(fit, 1.0)


def test_intervals_are_normal_for_votes_and_t_for_voters():
    fit = bradley_terry(HOME, AWAY, HOME_WINS, AWAY_WINS)
    found = fit.intervals(0.9)
    assert found.low == pytest.approx(fit.strengths - 1.6448536269514722 * fit.errors, abs=1e-12)
    assert found.high == pytest.approx(fit.strengths + 1.6448536269514722 * fit.errors, abs=1e-12)
    assert found.method == "normal, inverse information, assumes independent votes"
    first, second, won, lost, tied, voter = ballots(3, [4])
    named = bradley_terry(first, second, won, lost, tied, voters=voter)
    assert named.intervals().high - named.strengths == pytest.approx(stats.t.ppf(0.975, 11) * named.voter_errors)
    assert named.intervals().method == "t, sandwich, 12 voters"
    with pytest.raises(ValueError, match="confidence"):
        fit.intervals(0.0)


def test_voters_bounds_hold_the_strength_where_those_of_votes_do_not():
    held = np.zeros(2)
    for seed in range(120):
        rng = np.random.default_rng(seed)
        rows = []
        for voter in range(25):
            # Each voter has a taste of its own around the strengths 0.5, 0, -0.5.
            taste = np.array([0.5, 0.0, -0.5]) + rng.normal(0, 1.0, 3)
            for i, j in ((0, 1), (0, 2), (1, 2)):
                won = rng.binomial(8, 1 / (1 + np.exp(taste[j] - taste[i])))
                rows.append((i, j, won, 8 - won, voter))
        first, second, won, lost, voter = np.array(rows).T
        fit = bradley_terry(first, second, won, lost, voters=voter)
        # The population's strengths are a little nearer to 0 than the mean taste: taken from many voters.
        plain = bradley_terry(first, second, won, lost)
        for place, one in enumerate((fit, plain)):
            bounds = one.intervals()
            held[place] += bounds.low[1] <= 0.0 <= bounds.high[1]
    assert held[0] >= 108
    assert held[1] < 100
