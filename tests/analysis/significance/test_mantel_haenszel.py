"""Mantel-Haenszel: by hand, statsmodels, sparse tables, and clusters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import StratifiedTable

from analysis.conformance.published import ADMISSIONS
from analysis.significance.mantel_haenszel import common_odds_ratio
from analysis.undefined import UndefinedStatistic

tables = st.lists(st.lists(st.integers(1, 20), min_size=4, max_size=4), min_size=2, max_size=8).map(
    lambda cells: np.reshape(cells, (-1, 2, 2))
)


def test_two_tables_by_hand():
    # [[3, 1], [2, 4]]: 12/10 and 2/10; [[1, 2], [1, 1]]: 1/5 and 2/5. (1.2 + 0.2) / (0.2 + 0.4).
    found = common_odds_ratio([[[3, 1], [2, 4]], [[1, 2], [1, 1]]], [0, 1])
    assert np.exp(found.log_odds_ratio) == pytest.approx(1.4 / 0.6, rel=1e-12)
    assert (found.n_used, found.n_total) == (2, 2)


@given(tables)
def test_it_is_that_of_statsmodels(cells):
    theirs = StratifiedTable(np.moveaxis(cells.astype(float), 0, 2))
    assert common_odds_ratio(cells, range(len(cells))).log_odds_ratio == pytest.approx(theirs.logodds_pooled, abs=1e-10)


@given(tables)
def test_turning_the_rows_turns_the_sign(cells):
    found = common_odds_ratio(cells, range(len(cells)))
    turned = common_odds_ratio(cells[:, ::-1], range(len(cells)))
    assert turned.log_odds_ratio == pytest.approx(-found.log_odds_ratio, abs=1e-10)


def test_tables_with_one_vote_a_side_are_not_biased():
    rng = np.random.default_rng(5)
    level = rng.normal(0, 1.5, 4000)
    one, two = (rng.binomial(1, 1 / (1 + np.exp(-level - shift))) for shift in (0.5, -0.5))
    cells = np.stack([np.stack([one, 1 - one], 1), np.stack([two, 1 - two], 1)], 1)
    found = common_odds_ratio(cells, np.arange(4000))
    assert found.log_odds_ratio == pytest.approx(1.0, abs=3 * found.error)
    assert 0.04 < found.error < 0.12


def test_clusters_that_repeat_their_tables_widen_the_error():
    cells, labels = np.array(ADMISSIONS * 3), np.tile(np.arange(6), 3)
    assert common_odds_ratio(cells, labels).error == pytest.approx(common_odds_ratio(ADMISSIONS, range(6)).error)


def test_one_direction_only_is_undefined():
    with pytest.raises(UndefinedStatistic, match="0 or infinite"):
        common_odds_ratio([[[1, 0], [0, 1]]], [0])
    with pytest.raises(UndefinedStatistic, match="no table"):
        common_odds_ratio(np.zeros((2, 2, 2)), [0, 1])


def test_what_is_no_table_is_refused():
    with pytest.raises(ValueError, match="shape"):
        common_odds_ratio([[1, 2], [3, 4]], [0, 1])
    with pytest.raises(ValueError, match="negative or missing"):
        common_odds_ratio([[[1, -1], [2, 3]]], [0])
