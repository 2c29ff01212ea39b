"""Cohen's kappa of queries, macro and micro: worked tables, sklearn, and every kind of missing variation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from analysis.agreement.kappa import (
    cohens_kappa,
    counts_of_queries,
    headline_kappas,
    is_low,
    kappa_summary,
    kappas,
    relevant,
    with_documents,
)
from analysis.conformance.published import FOUR_QUERIES as COUNTS_OF_FOUR
from analysis.undefined import UndefinedStatistic

# The four queries of docs/statistics.md, Reference cases: "Macro and micro kappa differ".
FIRST = [[1, 1, 0, 0, 1], [1, 0, 0, 0, 0], [0, 0, 0, 0, 0], [1, 1, 1, 0, 1]]
SECOND = [[1, 0, 0, 0, 1], [1, 0, 0, 0, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]]
QUERIES = np.repeat(np.arange(4), 5)
counts = st.lists(st.tuples(*[st.integers(0, 9)] * 4), min_size=1, max_size=12)


def test_a_score_of_exactly_one_half_is_not_relevant():
    assert relevant([0.5, 0.4 + 0.1, 0.1 * 5 + 1e-15, 0.5 + 1e-9, 0.0, 1.0], 0.5).tolist() == [0, 0, 0, 1, 0, 1]


def test_a_threshold_is_compared_at_12_decimals():
    assert 0.1 + 0.2 > 0.3
    assert not relevant(0.1 + 0.2, 0.3)


@pytest.mark.parametrize(("scores", "threshold"), [([0.2, None], 0.5), ([0.2, np.nan], 0.5), ([0.2], np.nan)])
def test_a_missing_score_or_threshold_has_no_label(scores, threshold):
    with pytest.raises(ValueError, match="1 of 2 scores are missing|threshold must be a number"):
        relevant(scores, threshold)


def test_labels_are_counted_per_query_in_the_order_of_the_columns():
    assert counts_of_queries(np.ravel(FIRST), np.ravel(SECOND), QUERIES).tolist() == COUNTS_OF_FOUR


def test_a_query_without_documents_has_four_zeros():
    found = counts_of_queries([True], [False], [1], 3)
    assert found.tolist() == [[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    assert counts_of_queries([], [], np.array([], dtype=int), 2).tolist() == [[0] * 4] * 2


def test_kappa_of_each_query_as_published_and_undefined_where_it_is_0_over_0():
    # Query 1: p_o 4/5; p_e (3*2 + 2*3)/25 = 12/25; (20 - 12)/(25 - 12) = 8/13. Query 4: one judge is constant.
    assert kappas(COUNTS_OF_FOUR) == pytest.approx([8 / 13, 1.0, np.nan, 0.0], abs=1e-15, nan_ok=True)
    assert headline_kappas(COUNTS_OF_FOUR) == pytest.approx([0.61538462, 1.0, 1.0, 0.0], abs=1e-8)


def test_macro_and_micro_differ_and_both_conventions_are_shown():
    found = kappa_summary(COUNTS_OF_FOUR)
    # Macro (8/13 + 1 + 1 + 0)/4 and without the undefined query (8/13 + 1 + 0)/3.
    assert found.macro == pytest.approx((8 / 13 + 2) / 4)
    assert found.macro_defined == pytest.approx((8 / 13 + 1) / 3)
    assert found.micro == pytest.approx(0.79166667, abs=1e-8)
    # One of the three defined kappas, 0, is below 0.40.
    assert found.low_share == 1 / 3
    assert (found.n_queries, found.n_undefined, found.n_defined, found.n_low, found.n_documents) == (4, 1, 3, 1, 20)


def test_the_macro_of_five_kappas_is_their_mean():
    # Symmetric tables of 80 with equal margins: kappa = 2 * agreement - 1, so 72, 70, 66, 68 and 74 agree.
    agreeing = np.array([72, 70, 66, 68, 74])
    table = np.column_stack([agreeing // 2, (80 - agreeing) // 2, (80 - agreeing) // 2, agreeing // 2])
    assert kappas(table) == pytest.approx([0.80, 0.75, 0.65, 0.70, 0.85], abs=1e-15)
    assert kappa_summary(table).macro == pytest.approx(0.75, abs=1e-15)


def test_pooled_scores_that_fall_on_the_same_side_have_micro_1():
    first = relevant([0.8, 0.6, 0.3, 0.9, 0.4, 0.7, 0.5, 0.2], 0.5)
    second = relevant([0.7, 0.6, 0.2, 0.8, 0.4, 0.6, 0.5, 0.3], 0.5)
    assert kappa_summary(counts_of_queries(first, second, [0, 0, 1, 1, 2, 2, 3, 3])).micro == 1.0


def test_one_query_has_the_same_macro_and_micro():
    found = kappa_summary([[2, 1, 0, 2]])
    assert found.macro == found.macro_defined == found.micro == pytest.approx(8 / 13)
    assert found.n_queries == 1


def test_one_judge_constant_is_a_true_0_and_opposite_constants_too():
    assert kappas([[3, 2, 0, 0], [3, 0, 2, 0], [0, 5, 0, 0], [0, 0, 2, 3]]).tolist() == [0.0] * 4
    assert cohens_kappa([3, 2, 0, 0]) == 0.0


def test_all_queries_constant_leave_macro_to_the_convention():
    found = kappa_summary([[5, 0, 0, 0], [0, 0, 0, 5]])
    # Pooled, both labels occur and agree: micro is 1 although no query has a kappa.
    assert (found.macro, found.macro_defined, found.micro, found.low_share) == (1.0, None, 1.0, None)
    assert (found.n_undefined, found.n_defined) == (2, 0)


def test_one_label_everywhere_has_no_micro_either():
    assert kappa_summary([[0, 0, 0, 5], [0, 0, 0, 5]]).micro is None


def test_one_table_without_variation_or_documents_is_undefined_with_the_reason():
    with pytest.raises(UndefinedStatistic, match="same label"):
        cohens_kappa([0, 0, 0, 5])
    with pytest.raises(UndefinedStatistic, match="no document"):
        cohens_kappa([0, 0, 0, 0])
    with pytest.raises(UndefinedStatistic, match="no query with a document"):
        kappa_summary([[0, 0, 0, 0]])


def test_queries_without_documents_do_not_count():
    assert kappa_summary([*COUNTS_OF_FOUR, [0, 0, 0, 0]]) == kappa_summary(COUNTS_OF_FOUR)
    assert np.isnan(headline_kappas([0, 0, 0, 0]))


def test_low_is_below_the_limit_at_12_decimals_and_never_undefined():
    assert is_low([0.4, 0.1 + 0.3 - 1e-15, 0.399999, -0.2, np.nan]).tolist() == [0, 0, 1, 1, 0]
    assert kappa_summary(COUNTS_OF_FOUR, low_kappa=0.7).n_low == 2


def test_lists_of_different_length_are_refused():
    with pytest.raises(ValueError, match=r"got shapes \(2,\), \(1,\), \(2,\)"):
        counts_of_queries([1, 0], [1], [0, 0])
    with pytest.raises(ValueError, match=r"got shapes \(2,\), \(2,\), \(1,\)"):
        counts_of_queries([1, 0], [1, 0], [0])


@pytest.mark.parametrize("labels", [[True, None], [1.0, np.nan]])
def test_a_missing_label_is_refused(labels):
    with pytest.raises(ValueError, match="second judge is missing"):
        counts_of_queries([1, 0], labels, [0, 0])


@pytest.mark.parametrize("labels", [[0.7, 0.2], ["yes", "no"], [1, 2]])
def test_scores_and_words_are_no_labels(labels):
    with pytest.raises(ValueError, match="first judge must be true or false"):
        counts_of_queries(labels, [1, 0], [0, 0])


@pytest.mark.parametrize(("queries", "n"), [([0, -1], None), ([0.0, 1.0], None), (["a", "b"], None), ([0, 2], 2)])
def test_queries_are_numbered_from_0(queries, n):
    with pytest.raises(ValueError, match="whole number from 0|only 2 queries"):
        counts_of_queries([1, 0], [1, 0], queries, n)


@pytest.mark.parametrize("table", [[1, 2, 3], [1, 2, 3, -1], 5, [1.0, 2.0, 3.0, np.nan]])
def test_what_is_no_table_of_counts_is_refused(table):
    with pytest.raises(ValueError, match="counts|count of documents"):
        kappas(table)
    with pytest.raises(ValueError, match="counts"):
        cohens_kappa([[1, 2, 3, 4]])
    with pytest.raises(ValueError, match="counts|count of documents"):
        with_documents([table])


@given(counts)
def test_each_kappa_is_sklearns(tables):
    for table, found in zip(tables, kappas(tables), strict=True):
        first = np.repeat([1, 1, 0, 0], table)
        second = np.repeat([1, 0, 1, 0], table)
        if len(set(first) | set(second)) < 2:
            assert np.isnan(found)
        else:
            assert found == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)


@given(counts)
def test_kappa_stays_within_its_range_and_does_not_mind_who_is_first_or_what_is_called_relevant(tables):
    found = kappas(tables)
    assert np.all(np.isnan(found) | ((found >= -1) & (found <= 1)))
    assert np.array_equal(found, kappas(np.array(tables)[:, [0, 2, 1, 3]]), equal_nan=True)
    assert np.array_equal(found, kappas(np.array(tables)[:, [3, 2, 1, 0]]), equal_nan=True)


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 5)), min_size=1, max_size=40), st.randoms())
def test_the_order_of_documents_does_not_matter(documents, random):
    shuffled = random.sample(documents, len(documents))
    assert np.array_equal(
        counts_of_queries(*zip(*documents, strict=True), 6), counts_of_queries(*zip(*shuffled, strict=True), 6)
    )
