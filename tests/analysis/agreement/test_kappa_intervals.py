"""Intervals over queries: each query left out in turn with other people's code, and queries that carry none."""

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from analysis.agreement.chance_corrected import chance_corrected
from analysis.agreement.coefficients import bins_of
from analysis.agreement.kappa import counts_of_queries, kappa_summary, relevant
from analysis.agreement.kappa_intervals import OF_LABELS, OF_SCORES, agreement, score_sums
from analysis.resampling.bootstrap import Resampling
from analysis.significance.wilson import wilson
from analysis.undefined import UndefinedStatistic
from tests.analysis.jackknifed import scored

N_QUERIES, N_DOCUMENTS, SEED = 14, 6, 5


@pytest.fixture(scope="module")
def scores():
    """Two judges' scores, some queries without a relevant document, and the query of each document."""
    rng = np.random.default_rng(2)
    queries = np.repeat(np.arange(N_QUERIES), N_DOCUMENTS)
    true = rng.random(N_QUERIES * N_DOCUMENTS) * np.repeat(rng.choice([0.3, 1.0], N_QUERIES), N_DOCUMENTS)
    first, second = (np.round(np.clip(true + rng.normal(0, 0.1, true.size), 0, 1), 2) for _ in range(2))
    return first, second, queries


def in_other_words(first, second, queries, drawn):
    """Each statistic of some queries by sklearn, krippendorff and plain means, documents written out."""
    rows = np.concatenate([np.flatnonzero(queries == query) for query in drawn])
    a, b = first[rows] > 0.5, second[rows] > 0.5
    found = []
    for query in drawn:
        one, two = first[queries == query] > 0.5, second[queries == query] > 0.5
        same = len({*one.tolist(), *two.tolist()}) == 1
        found.append(None if same else cohen_kappa_score(one, two))
    defined = [value for value in found if value is not None]
    bins = bins_of(first[rows]), bins_of(second[rows])
    return {
        "kappa_macro": np.mean([1.0 if value is None else value for value in found]),
        "kappa_macro_defined": np.mean(defined),
        "kappa_micro": cohen_kappa_score(a, b),
        "low_share": np.mean([round(value, 12) < 0.4 for value in defined]),
        "percent_agreement": np.mean(a == b),
        "pabak": 2 * np.mean(a == b) - 1,
        "prevalence_index": np.mean(a & b) - np.mean(~a & ~b),
        "bias_index": np.mean(a) - np.mean(b),
        "ac1": chance_corrected(np.column_stack([a, b]), "gwet", categories=(0, 1)).value,
        "alpha_nominal": krippendorff.alpha(np.array([a, b], float), level_of_measurement="nominal"),
        "weighted_kappa_linear": cohen_kappa_score(*bins, labels=range(5), weights="linear"),
        "weighted_kappa_quadratic": cohen_kappa_score(*bins, labels=range(5), weights="quadratic"),
        "alpha_ordinal": krippendorff.alpha(np.array(bins, float), level_of_measurement="ordinal"),
        "alpha_interval": krippendorff.alpha(np.array([first[rows], second[rows]]), level_of_measurement="interval"),
    }


def counted(scores):
    first, second, queries = scores
    return counts_of_queries(relevant(first, 0.5), relevant(second, 0.5), queries)


def test_every_value_and_interval_is_that_of_queries_left_out_in_turn(scores):
    found = agreement(counted(scores), score_sums(*scores, N_QUERIES), resampling=Resampling(SEED))
    every = np.arange(N_QUERIES)
    expected = in_other_words(*scores, every)
    without = [in_other_words(*scores, np.delete(every, query)) for query in every]
    assert tuple(found.estimates) == OF_LABELS + OF_SCORES
    for name, estimate in found.estimates.items():
        assert estimate.value == pytest.approx(expected[name], abs=1e-10), name
        if name == "low_share":
            continue

        def statistic(rows, name=name):
            missing = np.setdiff1d(every, rows)
            return without[missing[0]][name] if len(missing) else expected[name]

        bounds = scored(statistic, every, 0.0 if name == "percent_agreement" else -1.0)
        assert estimate.interval[:2] == pytest.approx(bounds, abs=1e-8), name
        assert estimate.interval.method.endswith("t(13), 14 clusters")


def test_each_query_with_a_kappa_is_one_trial_of_the_share_of_low_ones(scores):
    found, summary = agreement(counted(scores), resampling=Resampling(SEED)), kappa_summary(counted(scores))
    assert found.interval("low_share") == wilson(summary.n_low, summary.n_defined)


def test_values_are_those_of_the_summary(scores):
    found, summary = agreement(counted(scores), resampling=Resampling(1)), kappa_summary(counted(scores))
    assert (summary.n_undefined > 0, summary.n_defined > 0) == (True, True)
    for name, value in (
        ("kappa_macro", summary.macro),
        ("kappa_macro_defined", summary.macro_defined),
        ("kappa_micro", summary.micro),
        ("low_share", summary.low_share),
    ):
        assert found.estimates[name].value == pytest.approx(value, abs=1e-12)
    assert (found.n_queries, found.n_documents) == (summary.n_queries, summary.n_documents)


def test_labels_alone_have_the_same_intervals_as_labels_with_scores(scores):
    alone = agreement(counted(scores), resampling=Resampling(3))
    together = agreement(counted(scores), score_sums(*scores, N_QUERIES), resampling=Resampling(3))
    for name in OF_LABELS:
        assert alone.estimates[name].interval[:2] == pytest.approx(together.estimates[name].interval[:2], abs=1e-12)


def test_no_seed_changes_the_intervals(scores):
    one, two, other = (agreement(counted(scores), resampling=Resampling(seed)) for seed in (1, 1, 2))
    assert one == two == other


def test_queries_without_documents_are_neither_counted_nor_drawn(scores):
    first, second, queries = scores
    counts = counts_of_queries(first > 0.5, second > 0.5, queries * 2, 2 * N_QUERIES)
    sums = score_sums(first, second, queries * 2, 2 * N_QUERIES)
    plain = agreement(counted(scores), score_sums(*scores, N_QUERIES), resampling=Resampling(1))
    assert agreement(counts, sums, resampling=Resampling(1)) == plain


@pytest.mark.parametrize(("n", "bounds", "unreliable"), [(1, False, True), (4, False, True), (6, True, False)])
def test_few_queries_make_no_interval(scores, n, bounds, unreliable):
    varied = np.array([[2, 1, 0, 2], [1, 0, 1, 3], [2, 0, 0, 3], [1, 1, 0, 2], [2, 1, 1, 2], [3, 0, 0, 2]])
    interval = agreement(varied[:n], resampling=Resampling(1)).interval("kappa_macro")
    assert (interval.low is not None, interval.unreliable, interval.n_clusters) == (bounds, unreliable, n)


def test_perfect_agreement_has_no_bounds_that_would_claim_certainty():
    found = agreement([[2, 0, 0, 3]] * 20, resampling=Resampling(1))
    assert found.estimates["kappa_macro"].value == 1.0
    assert found.interval("kappa_macro").low is None
    assert found.interval("kappa_macro").method == "none: the statistic is at its limit"


def test_one_label_everywhere_leaves_what_is_undefined_without_a_value_and_with_the_reason():
    queries = np.repeat(np.arange(6), 2)
    sums = score_sums([0.1] * 12, [0.1] * 12, queries, 6)
    found = agreement([[0, 0, 0, 2]] * 6, sums, resampling=Resampling(1))
    assert set(found.estimates) == {
        "kappa_macro",
        "percent_agreement",
        "pabak",
        "prevalence_index",
        "bias_index",
        "ac1",
    }
    assert found.undefined["kappa_macro_defined"] == "no query has a defined kappa"
    assert "0/0" in found.undefined["kappa_micro"]
    assert found.undefined["alpha_interval"] == "all scores are equal, so alpha is 0/0"
    assert found.interval("kappa_micro") is None


def test_one_query_with_a_kappa_has_no_interval():
    # One of 5 queries has a kappa; without it there is none.
    found = agreement([[2, 1, 0, 2]] + [[0, 0, 0, 5]] * 4, resampling=Resampling(1))
    assert found.interval("kappa_macro_defined").method.startswith("none: without one of the clusters")


def test_the_interval_covers_the_true_micro_kappa_about_as_often_as_it_says():
    # Each query has a probability of its own that judge 2 copies judge 1's fair coin, else a fair coin: kappa = mean p.
    rng = np.random.default_rng(8)
    covered = 0
    for trial in range(100):
        copies = rng.random((60, 5)) < rng.beta(4, 2, (60, 1))
        first, coin = rng.random((60, 5)) < 0.5, rng.random((60, 5)) < 0.5
        second = np.where(copies, first, coin)
        counts = counts_of_queries(first.ravel(), second.ravel(), np.repeat(np.arange(60), 5))
        interval = agreement(counts, resampling=Resampling(trial)).interval("kappa_micro")
        covered += interval.low <= 4 / 6 <= interval.high
    assert 87 <= covered <= 99


def test_scores_and_counts_must_fit(scores):
    sums = score_sums(*scores, N_QUERIES)
    with pytest.raises(ValueError, match="one row of k \\* k \\+ 3 sums"):
        agreement(counted(scores), sums[:, :5], resampling=Resampling(1))
    with pytest.raises(ValueError, match="not of the same documents"):
        agreement(counted(scores), sums * 2, resampling=Resampling(1))
    with pytest.raises(UndefinedStatistic, match="no query with a document"):
        agreement([[0, 0, 0, 0]], resampling=Resampling(1))


@pytest.mark.parametrize(
    ("first", "second", "queries", "words"),
    [
        ([0.1, 0.2], [0.1], [0, 0], "got shapes"),
        ([0.1, None], [0.1, 0.2], [0, 0], "from 0 to 1"),
        ([0.1, 5.0], [0.1, 0.2], [0, 0], "from 0 to 1"),
        ([0.1, 0.3], [0.1, 0.2], [0, 1], "whole number from 0 to 0"),
    ],
)
def test_scores_that_are_missing_or_off_the_scale_are_refused(first, second, queries, words):
    with pytest.raises(ValueError, match=words):
        score_sums(first, second, queries, 1)
