"""The companions of kappa: worked tables, statsmodels and sklearn, and data with published values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa as statsmodels_kappa

from analysis.agreement.coefficients import (
    ANCHORS,
    CUTS,
    ac1s,
    bias_indices,
    bins_of,
    pabaks,
    percent_agreements,
    prevalence_indices,
    weighted_kappas,
)

TABLE = [40, 5, 3, 52]
tables = st.tuples(*[st.integers(0, 20)] * 4).filter(any)
bins = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40)


def test_companions_of_a_worked_table():
    # n 100. p_o = 92/100; PABAK 2 * 0.92 - 1; prevalence (40 - 52)/100; bias (5 - 3)/100.
    assert percent_agreements(TABLE) == pytest.approx(0.92)
    assert pabaks(TABLE) == pytest.approx(0.84)
    assert prevalence_indices(TABLE) == pytest.approx(-0.12)
    assert bias_indices(TABLE) == pytest.approx(0.02)
    # AC1: q = (45 + 43)/200 = 0.44; p_e = 2 * 0.44 * 0.56 = 0.4928; (0.92 - 0.4928)/(1 - 0.4928).
    assert ac1s(TABLE) == pytest.approx(0.4272 / 0.5072)


def test_bias_is_positive_where_the_first_judge_says_relevant_more_often():
    assert bias_indices([0, 3, 1, 0]) == 0.5
    assert bias_indices([0, 1, 3, 0]) == -0.5


def test_ac1_is_1_where_both_give_one_label_and_kappa_is_not_defined():
    assert ac1s([[0, 0, 0, 5], [5, 0, 0, 0]]).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("function", [percent_agreements, pabaks, prevalence_indices, bias_indices, ac1s])
def test_without_a_document_there_is_no_companion(function):
    assert np.isnan(function([0, 0, 0, 0]))
    with pytest.raises(ValueError, match="negative or missing"):
        function([1, 2, 3, np.nan])


def test_a_score_on_a_cut_belongs_to_the_bin_below():
    scores = [0.0, 0.15, 0.1500001, 0.4, 0.41, 0.6, 0.61, 0.85, 0.86, 1.0]
    assert bins_of(scores).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert 0.1 + 0.3 + 0.2 > 0.6
    assert bins_of(0.1 + 0.3 + 0.2) == 2


@pytest.mark.parametrize("scores", [[0.5, None], [np.nan], [1.2], [-0.1]])
def test_bins_need_scores_from_0_to_1(scores):
    with pytest.raises(ValueError, match="from 0 to 1"):
        bins_of(scores)


def test_each_anchor_is_in_the_bin_of_its_number():
    assert bins_of([0.0, 0.3, 0.5, 0.7, 1.0]).tolist() == [0, 1, 2, 3, 4]
    assert [(low + high) / 2 for low, high in zip(ANCHORS, ANCHORS[1:], strict=False)] == pytest.approx(CUTS)


def test_a_score_outside_0_to_1_in_its_last_digit_alone_is_at_the_end():
    assert bins_of([0.1 + 0.2 - 0.3 - 1e-16, 1.0 + 2e-16]).tolist() == [0, 4]
    assert bins_of(-1e-17) == 0


def table_of(first, second):
    table = np.zeros((5, 5))
    np.add.at(table, (first, second), 1)
    return table


def test_weighted_kappa_of_a_worked_table():
    # Documents (0,0) (0,1) (1,1) (2,0): distances 0 1 0 2, sum 3, squares 5. By chance (rows 2 1 1, columns 2 2 0,
    # over 4): 0-1 2*2, 1-0 1*2, 2-0 1*2 at 2, 2-1 1*2: linear (4+2+4+2)/4 = 3, squared (4+2+8+2)/4 = 4.
    first, second = [0, 0, 1, 2], [0, 1, 1, 0]
    assert weighted_kappas(table_of(first, second), "linear") == pytest.approx(1 - 3 / 3)
    assert weighted_kappas(table_of(first, second), "quadratic") == pytest.approx(1 - 5 / 4)
    # Several tables at once are as one by one.
    table = np.array([[1, 1, 0], [0, 1, 0], [1, 0, 0]])
    assert weighted_kappas([table, 3 * table.T, np.eye(3)], "linear").tolist() == pytest.approx([0.0, 0.0, 1.0])


@given(bins, st.sampled_from(["linear", "quadratic"]))
def test_weighted_kappa_is_sklearns_and_statsmodels(pairs, weights):
    first, second = np.array(pairs).T
    table = table_of(first, second)
    found = weighted_kappas(table, weights)
    if len({*first, *second}) == 1:
        assert np.isnan(found)
        return
    assert found == pytest.approx(cohen_kappa_score(first, second, labels=range(5), weights=weights), abs=1e-12)
    theirs = statsmodels_kappa(table, wt=weights, return_results=False)
    assert found == pytest.approx(theirs, abs=1e-12)


def test_weighted_kappa_of_one_constant_judge_is_0():
    assert weighted_kappas(table_of([2, 2, 2], [1, 2, 4]), "linear") == 0.0


def test_what_is_no_table_of_bins_is_refused():
    with pytest.raises(ValueError, match="square"):
        weighted_kappas([[1, 2, 3], [1, 2, 3]], "linear")
    with pytest.raises(ValueError, match="weights"):
        weighted_kappas(np.eye(3), "cubic")
    assert np.isnan(weighted_kappas(np.zeros((5, 5)), "linear"))
