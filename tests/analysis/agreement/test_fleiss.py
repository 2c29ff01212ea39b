"""Fleiss' kappa: the published table, statsmodels, and the interval written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from analysis.agreement.fleiss import category_counts, fleiss_interval, fleiss_kappa
from analysis.conformance.published import DIAGNOSES
from analysis.resampling.bootstrap import Resampling
from analysis.undefined import UndefinedStatistic
from tests.analysis.jackknifed import scored

ratings_of_three = st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=1, max_size=20)


def test_fleiss_kappa_as_published():
    found = fleiss_kappa(DIAGNOSES)
    assert found.kappa == pytest.approx(0.4302445, abs=1e-7)
    assert found.z == pytest.approx(17.65183, abs=1e-5)
    assert (found.n_units, found.n_raters) == (30, 6)
    assert found.p < 1e-60
    assert found.method == "assumes independence of units"


def test_one_column_is_one_category():
    with pytest.raises(UndefinedStatistic, match="one category"):
        fleiss_kappa([[3], [3]])


def test_labels_are_counted_per_category():
    assert category_counts([[True, False, True], [False, False, False]], 2).tolist() == [[1, 2], [3, 0]]


@given(ratings_of_three)
def test_fleiss_kappa_is_that_of_statsmodels(ratings):
    counts = category_counts(ratings, 2)
    if len(set(np.ravel(ratings))) == 1:
        with pytest.raises(UndefinedStatistic, match="one category"):
            fleiss_kappa(counts)
    else:
        assert fleiss_kappa(counts).kappa == pytest.approx(statsmodels_fleiss(counts), abs=1e-12)


@given(ratings_of_three, st.permutations(range(3)))
def test_who_rated_does_not_matter(ratings, order):
    assert np.array_equal(category_counts(ratings, 2), category_counts(np.array(ratings)[:, order], 2))


def test_the_interval_leaves_whole_queries_out():
    rng = np.random.default_rng(4)
    queries = rng.integers(0, 12, 60)
    counts = category_counts(rng.random((60, 3)) < rng.random((60, 1)), 2)
    found = fleiss_interval(counts, queries, resampling=Resampling(9))
    expected = scored(lambda rows: statsmodels_fleiss(counts[rows]), queries, -1.0)
    assert found[:2] == pytest.approx(expected, abs=1e-9)
    assert found.method.endswith("12 clusters")


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([1, 2], "shape"),
        ([[1, 2], [3, -1]], "negative"),
        ([[1, 2], [3, np.nan]], "missing"),
        ([[1, 2], [2, 2]], "got 3 to 4"),
        ([[1, 0], [0, 1]], "at least 2 raters"),
    ],
)
def test_what_is_no_table_of_raters_is_refused(counts, words):
    with pytest.raises(ValueError, match=words):
        fleiss_kappa(counts)


@pytest.mark.parametrize("ratings", [[[0, None]], [[0, np.nan]], [[0, 2]], [[0.5, 1]], [0, 1]])
def test_a_missing_or_unknown_rating_is_refused(ratings):
    with pytest.raises(ValueError, match="rating is missing|shape"):
        category_counts(ratings, 2)


def test_without_a_unit_there_is_no_kappa_and_clusters_must_fit():
    with pytest.raises(UndefinedStatistic, match="no unit"):
        fleiss_kappa(np.empty((0, 2)))
    with pytest.raises(ValueError, match="one cluster per unit"):
        fleiss_interval([[1, 2], [2, 1]], ["a"], resampling=Resampling(1))
