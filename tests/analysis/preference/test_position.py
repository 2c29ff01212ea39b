"""The position coefficient: a league, statsmodels' logistic regression, and few votes a pair."""

import numpy as np
import pytest
import statsmodels.api as sm

from analysis.conformance.published import AWAY, AWAY_WINS, HOME, HOME_WINS
from analysis.preference.position import position_with_strengths, position_within_pairs
from analysis.undefined import UndefinedStatistic

GAMES = (HOME, AWAY, HOME_WINS, AWAY_WINS)
SERIES = [" ".join(sorted(teams)) for teams in zip(HOME, AWAY, strict=True)]


def series_of_photos(seed, n_series=250, votes=3, advantage=0.3):
    """Three photos a series, every pair in both orders."""
    rng = np.random.default_rng(seed)
    rows = []
    for series in range(n_series):
        strengths = rng.normal(0, 1, 3)
        for one in range(3):
            for two in range(3):
                if one != two:
                    chance = 1 / (1 + np.exp(strengths[two] - strengths[one] - advantage))
                    won = rng.binomial(votes, chance)
                    rows.append((3 * series + one, 3 * series + two, won, votes - won, series))
    return np.array(rows).T


def test_a_league_is_a_logistic_regression_with_a_constant():
    teams = sorted(set(HOME))
    design = np.array([[(team == h) - (team == a) for team in teams[1:]] for h, a in zip(HOME, AWAY, strict=True)])
    fit = sm.GLM(
        np.column_stack([HOME_WINS, AWAY_WINS]), sm.add_constant(design.astype(float)), family=sm.families.Binomial()
    ).fit()
    found = position_with_strengths(*GAMES, SERIES)
    assert found.log_odds == pytest.approx(fit.params[0], abs=1e-8)
    assert found.information_error == pytest.approx(fit.bse[0], rel=1e-6)
    assert found.share == pytest.approx(1 / (1 + np.exp(-fit.params[0])), abs=1e-8)
    number = np.unique(SERIES, return_inverse=True)[1]
    clustered = sm.GLM(
        np.column_stack([HOME_WINS, AWAY_WINS]), sm.add_constant(design.astype(float)), family=sm.families.Binomial()
    ).fit(cov_type="cluster", cov_kwds={"groups": number, "use_correction": False})
    # Theirs without the correction G / (G - 1) that ours has.
    assert found.error == pytest.approx(clustered.bse[0] * np.sqrt(21 / 20), rel=1e-6)
    assert found.interval.low < found.log_odds < found.interval.high
    assert found.interval.method == "t, sandwich, 21 clusters"


def test_within_pairs_few_votes_do_not_exaggerate_it():
    first, second, won, lost, series = series_of_photos(1, n_series=1500, votes=1)
    within = position_within_pairs(first, second, won, lost, series)
    assert within.log_odds == pytest.approx(0.3, abs=2.5 * within.error)
    together = position_with_strengths(first, second, won, lost, series)
    assert together.log_odds > 0.36
    assert within.n_votes == 1500 * 6


def test_turning_every_row_turns_the_sign():
    first, second, won, lost, series = series_of_photos(2)
    for function in (position_within_pairs, position_with_strengths):
        found = function(first, second, won, lost, series)
        assert function(second, first, lost, won, series).log_odds == pytest.approx(-found.log_odds, abs=1e-6)


def test_without_a_pair_in_both_orders_there_is_none():
    with pytest.raises(UndefinedStatistic):
        position_within_pairs(["a", "c"], ["b", "d"], [3, 4], [2, 1], [1, 2])
    with pytest.raises(UndefinedStatistic, match="separate"):
        position_with_strengths(["a", "c"], ["b", "d"], [3, 4], [2, 1], [1, 2])
    with pytest.raises(UndefinedStatistic, match="same place"):
        position_with_strengths(["a", "b"], ["b", "a"], [3, 4], [0, 0], [1, 2])


def test_few_clusters_have_no_interval():
    found = position_with_strengths(["a", "b"], ["b", "a"], [3, 4], [2, 1], [1, 2])
    assert found.error is None
    assert found.interval.low is None
    within = position_within_pairs(["a", "b"], ["b", "a"], [3, 4], [2, 1], [1, 1])
    # [[3, 2], [1, 4]]: 12/10 over 2/10; half of log 6.
    assert within.log_odds == pytest.approx(np.log(6) / 2)
    assert within.interval.low is None


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="shape"):
        position_within_pairs(["a"], ["b", "c"], [1], [1], [1])
