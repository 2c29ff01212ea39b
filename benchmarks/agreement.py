"""Agreement against the packages that people use: ICC, kappa and Krippendorff's alpha."""

import warnings
from collections.abc import Iterator

import krippendorff
import numpy as np
import pandas as pd
import pingouin
from sklearn.metrics import cohen_kappa_score

from analysis.agreement.coefficients import weighted_kappas
from analysis.agreement.icc import icc
from analysis.agreement.kappa import cohens_kappa, counts_of_queries, relevant
from analysis.agreement.kappa_intervals import agreement, score_sums
from analysis.agreement.krippendorff import krippendorff_alpha
from analysis.resampling.bootstrap import Resampling
from benchmarks.table import Row, at_most, cpu_s, times_as_fast

SEED = 20260101


def icc_of_10000_objects() -> Iterator[Row]:
    """Six forms with intervals of 10,000 objects x 5 repeats."""
    random = np.random.default_rng(SEED)
    scores = 0.5 + 0.1 * random.normal(size=(10_000, 1)) + 0.05 * random.normal(size=(10_000, 5))
    long = {"object": np.repeat(np.arange(10_000), 5), "repeat": np.tile(np.arange(5), 10_000), "score": scores.ravel()}
    frame = pd.DataFrame(long)
    with warnings.catch_warnings():
        # pingouin 0.7 calls pandas in a way that pandas 4 will not take.
        warnings.simplefilter("ignore", pd.errors.Pandas4Warning)
        theirs = pingouin.intraclass_corr(frame, "object", "repeat", "score")
        slow = cpu_s(lambda: pingouin.intraclass_corr(frame, "object", "repeat", "score"), 5)
    found = np.array([form.value for form in icc(scores).forms], dtype=float)
    assert np.allclose(found, theirs["ICC"].to_numpy(float), atol=1e-10)
    fast = cpu_s(lambda: icc(scores), 100)
    yield Row("ICC, six forms, 10,000 x 5", 1e3 * fast, "ms", 1e3 * slow, "pingouin", target=times_as_fast(100))


def kappa_of_a_million() -> Iterator[Row]:
    """Cohen's kappa of a million documents: two labels, and five bins with quadratic weights."""
    random = np.random.default_rng(SEED)
    true = random.random(1_000_000)
    first, second = (np.clip(true + random.normal(0.0, 0.08, true.size), 0.0, 1.0) for _ in range(2))
    one, two, queries = relevant(first, 0.5), relevant(second, 0.5), np.zeros(true.size, dtype=np.intp)

    def ours() -> float:
        return cohens_kappa(counts_of_queries(one, two, queries, 1)[0])

    assert np.isclose(ours(), cohen_kappa_score(one, two))
    slow = cpu_s(lambda: cohen_kappa_score(one, two), 2)
    yield Row("Cohen's kappa, 1 million labels", 1e3 * cpu_s(ours), "ms", 1e3 * slow, "scikit-learn")
    bins = [np.minimum(side * 5, 4).astype(np.int64) for side in (first, second)]

    def weighted() -> float:
        table = np.bincount(bins[0] * 5 + bins[1], minlength=25).reshape(5, 5)
        return float(weighted_kappas(table, "quadratic"))

    assert np.isclose(weighted(), cohen_kappa_score(*bins, weights="quadratic"))
    slow = cpu_s(lambda: cohen_kappa_score(*bins, weights="quadratic"), 2)
    fast = cpu_s(weighted)
    yield Row("weighted kappa, 1 million bins", 1e3 * fast, "ms", 1e3 * slow, "scikit-learn")


def kappa_intervals_of_100000_queries() -> Iterator[Row]:
    """Every statistic of two judges with its clustered interval, 100,000 queries x 10 documents."""
    random = np.random.default_rng(SEED)
    true, queries = random.random(1_000_000), np.repeat(np.arange(100_000), 10)
    first, second = (np.clip(true + random.normal(0.0, 0.08, true.size), 0.0, 1.0) for _ in range(2))

    def ours() -> None:
        counts = counts_of_queries(relevant(first, 0.5), relevant(second, 0.5), queries, 100_000)
        agreement(counts, score_sums(first, second, queries, 100_000), resampling=Resampling(SEED))

    yield Row("kappas with intervals, 100,000 queries", cpu_s(ours, 1), target=at_most(20))


def alpha_of_20000_units() -> Iterator[Row]:
    """Ordinal alpha of 20,000 units x 5 raters on seven levels, a fifth missing."""
    random = np.random.default_rng(SEED)
    ratings = np.clip(random.normal(4, 1, (20_000, 1)) + random.normal(0, 1, (20_000, 5)), 1, 7).round()
    ratings[random.random(ratings.shape) < 0.2] = np.nan
    theirs = krippendorff.alpha(reliability_data=ratings.T, level_of_measurement="ordinal")
    assert np.isclose(krippendorff_alpha(ratings, "ordinal").value, theirs)
    slow = cpu_s(lambda: krippendorff.alpha(reliability_data=ratings.T, level_of_measurement="ordinal"))
    fast = cpu_s(lambda: krippendorff_alpha(ratings, "ordinal"), 5)
    yield Row("ordinal alpha, 20,000 x 5", 1e3 * fast, "ms", 1e3 * slow, "krippendorff")


BENCHES = (icc_of_10000_objects, kappa_of_a_million, kappa_intervals_of_100000_queries, alpha_of_20000_units)
