"""What tells low-kappa queries from the rest: medians and shares with their tests, and the features of texts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom, norm
from statsmodels.stats.multitest import multipletests

from analysis.agreement.low_kappa_profile import document_words, low_kappa_profile, query_is_vague, query_words

LOW = np.array([True] * 3 + [False] * 4)


def test_numbers_are_compared_by_medians_with_an_exact_test():
    # All three low values below all four others: 2 of the 35 ways to place three ranks of seven are as extreme.
    [found] = low_kappa_profile({"query_words": [2, 3, 4, 8, 9, 11, 12]}, LOW)
    assert (found.low_kappa, found.rest, found.difference, found.measure) == (3.0, 10.0, -7.0, "median")
    assert found.p == pytest.approx(2 / 35, abs=1e-12)
    assert (found.p_holm, found.n_low_kappa, found.n_rest) == (found.p, 3, 4)


def test_yes_and_no_are_compared_by_shares_with_fishers_test():
    # 3 of 3 against 0 of 4: the table with these margins that far out has chance 1/35, the other end none so rare.
    [found] = low_kappa_profile({"query_is_vague": [True] * 3 + [False] * 4}, LOW)
    assert (found.low_kappa, found.rest, found.difference, found.measure) == (1.0, 0.0, 1.0, "share")
    assert found.p == pytest.approx(1 / 35, abs=1e-12)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=4, max_size=40))
def test_fishers_p_sums_all_tables_that_are_no_likelier(rows):
    yes, low = np.array(rows).T
    [found] = low_kappa_profile({"yes": yes}, low)
    if found.p is None:
        assert low.all() or not low.any() or yes.all() or not yes.any()
        return
    chances = hypergeom(len(rows), yes.sum(), low.sum())
    every = chances.pmf(np.arange(len(rows) + 1))
    expected = every[every <= chances.pmf((yes & low).sum()) * (1 + 1e-7)].sum()
    assert found.p == pytest.approx(expected, abs=1e-9)


def test_mann_whitneys_p_with_ties_by_its_formula():
    # Low 1 2 2, rest 2 3 3 4: of 12 pairs low is never larger and ties twice: U = 1, mean 6. Ties of 3 and 2 leave the
    # variance 12/12 (8 - (24 + 6)/(7 x 6)) = 51/7; continuity takes 1/2 off the distance 5.
    [found] = low_kappa_profile({"words": [1, 2, 2, 2, 3, 3, 4]}, LOW)
    assert found.p == pytest.approx(2 * norm.sf(4.5 / np.sqrt(51 / 7)), abs=1e-12)


def test_holm_runs_over_the_features_that_have_a_test():
    random = np.random.default_rng(1)
    low = np.arange(60) < 20
    features = {
        "far": random.normal(0, 1, 60) + 3 * low,
        "same": np.ones(60),
        "near": random.normal(0, 1, 60) + 0.5 * low,
        "vague": random.uniform(size=60) < 0.3 + 0.4 * low,
    }
    found = low_kappa_profile(features, low)
    assert [one.feature for one in found] == list(features)
    tested = [one for one in found if one.p is not None]
    assert [one.p_holm for one in tested] == pytest.approx(
        multipletests([one.p for one in tested], method="holm")[1].tolist(), abs=1e-12
    )
    assert (found[1].p, found[1].p_holm, found[1].undefined) == (None, None, "the same for every query")


def test_queries_without_the_feature_are_left_out_of_its_counts():
    [found] = low_kappa_profile({"document_words": [10, None, 30, 5, np.nan, 7, 9]}, LOW)
    assert (found.n_low_kappa, found.n_rest, found.low_kappa, found.rest) == (2, 3, 20.0, 7.0)
    [flag] = low_kappa_profile({"kind": [True, None, False, True, True, False, None]}, LOW)
    assert (flag.n_low_kappa, flag.n_rest, flag.measure, flag.low_kappa) == (2, 3, "share", 0.5)


@pytest.mark.parametrize(
    ("values", "low", "why"),
    [
        ([1, 2, 3], [False] * 3, "no query of low kappa"),
        ([1, 2, 3], [True] * 3, "no query outside"),
        ([None, 2, 3], [True, False, False], "no query of low kappa"),
        ([], [], "no query of low kappa"),
    ],
)
def test_an_empty_group_has_no_test_and_says_so(values, low, why):
    [found] = low_kappa_profile({"words": values}, low)
    assert found.p is None
    assert why in found.undefined


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="needed is one value for 7 queries"):
        low_kappa_profile({"words": [1, 2]}, LOW)
    with pytest.raises(ValueError, match="true or false"):
        low_kappa_profile({"words": [1, 2]}, [0.3, 0.5])
    with pytest.raises(ValueError, match="no number"):
        low_kappa_profile({"words": ["long", 1, 2, 3, 4, 5, 6]}, LOW)
    with pytest.raises(ValueError, match="infinite"):
        low_kappa_profile({"words": [np.inf, 1, 2, 3, 4, 5, 6]}, LOW)


@pytest.mark.parametrize(
    ("text", "n"),
    [("", 0), ("How do I re-pot an orchid?", 6), ("don’t  panic\n42", 3), ("<b>bold</b>", 3), ("naïve café", 2)],
)
def test_words_are_runs_of_letters_and_digits(text, n):
    assert query_words(text) == n


@pytest.mark.parametrize(
    ("query", "vague"),
    [
        ("How do I fix it?", True),  # it: what?
        ("Tell me about this", True),
        ("insurance", True),  # one content word
        ("what is the best", True),
        ("What is the capital of France?", False),
        ("medicines that lower blood pressure", False),
        ("", True),
        ("orchid orchid", True),  # the same word twice
    ],
)
def test_a_query_that_names_too_little_or_points_at_something_unnamed_is_vague(query, vague):
    assert query_is_vague(query) is vague


def test_document_words_are_the_median_over_the_texts_that_are_known():
    assert document_words(["one two three", None, "one", "a b c d e"]) == 3.0
    assert document_words(["one two", "one two three"]) == 2.5
    assert document_words([None]) is None
    assert document_words([]) is None


def test_a_hundred_thousand_characters_are_counted_at_once():
    assert document_words(["word-" * 20_000, "a" * 100_000]) == 1.0
