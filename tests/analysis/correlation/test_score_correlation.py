"""SRCC, PLCC and KRCC: TID2013's published numbers, scipy, and the direction of a metric."""

import numpy as np
import pytest
from scipy import stats

from analysis.correlation.score_correlation import oriented, score_correlations
from analysis.resampling.bootstrap import Resampling
from analysis.undefined import UndefinedStatistic
from tests.analysis.tid2013 import tid2013

TRUTH = [1.0, 2.5, 2.0, 4.0, 3.0, 4.5, 1.5, 3.5, 5.0, 2.2, 4.1, 3.3]
DISTORTION = [9.0, 7.0, 8.0, 3.0, 5.0, 2.0, 7.5, 6.0, 1.0, 8.5, 4.0, 5.0]


# Published with the file (VQMTCrossVal, TID2013 table): SRCC -0.860908, -0.6733, -0.760307 and the others next to them.
@pytest.mark.parametrize(
    ("metric", "srcc", "krcc", "plcc"),
    [
        ("DSSIM", -0.860908, -0.678464, -0.772744),
        ("SSIMULACRA", -0.673300, -0.485133, -0.662763),
        ("Butteraugli", -0.760307, -0.571815, -0.647701),
    ],
)
def test_tid2013_gives_the_published_correlations_as_given_and_the_flipped_ones_for_comparison(
    shared_data, metric, srcc, krcc, plcc
):
    columns, references = tid2013(shared_data)
    found = score_correlations(
        columns[metric], columns["mos"], references, higher_is_better=False, resampling=Resampling(1, resamples=200)
    )
    assert [found[key].value_as_given for key in ("srcc", "krcc", "plcc")] == pytest.approx(
        [srcc, krcc, plcc], abs=5e-7
    )
    assert [found[key].oriented.value for key in ("srcc", "krcc", "plcc")] == pytest.approx(
        [-srcc, -krcc, -plcc], abs=5e-7
    )
    result = found["srcc"].oriented
    assert result.n_clusters == 25
    assert result.interval.low < -srcc < result.interval.high
    assert result.significant is True
    assert result.p_method == "t distribution, assumes independence"


def test_a_metric_of_distortion_and_its_negative_are_the_same_metric():
    resampling = Resampling(4, resamples=200, bca_resamples=300)
    flipped = score_correlations(DISTORTION, TRUTH, higher_is_better=False, resampling=resampling)
    negative = score_correlations([-value for value in DISTORTION], TRUTH, higher_is_better=True, resampling=resampling)
    assert {key: each.oriented for key, each in flipped.items()} == {
        key: each.oriented for key, each in negative.items()
    }
    assert flipped["srcc"].value_as_given == -negative["srcc"].value_as_given


def test_values_and_p_are_scipys():
    found = score_correlations(DISTORTION, TRUTH, higher_is_better=False, resampling=Resampling(1, resamples=100))
    for key, test in (("srcc", stats.spearmanr), ("plcc", stats.pearsonr), ("krcc", stats.kendalltau)):
        expected = test(DISTORTION, TRUTH)
        assert found[key].value_as_given == pytest.approx(expected.statistic, abs=1e-12)
        assert found[key].oriented.p == pytest.approx(expected.pvalue, abs=1e-12)


def test_any_number_of_workers_gives_the_same_result():
    alone, two = (Resampling(4, workers=n, resamples=300, bca_resamples=500) for n in (1, 2))
    found = [
        score_correlations(DISTORTION, TRUTH, higher_is_better=False, resampling=resampling)
        for resampling in (alone, two)
    ]
    assert found[0] == found[1]


def test_bca_stands_beside_the_percentile_interval_where_it_is_asked_for():
    found = score_correlations(
        DISTORTION, TRUTH, higher_is_better=False, resampling=Resampling(1, resamples=1000, bca_resamples=2000)
    )
    found = found["srcc"].oriented
    assert found.interval_percentile.method == "percentile bootstrap, 1000 resamples, 12 clusters"
    assert found.interval.method == "delete-one jackknife, Fisher's z, t(11), 12 clusters"
    assert found.interval_bca.method == "BCa bootstrap, 2000 resamples, 12 clusters"
    assert len({one.low for one in (found.interval, found.interval_percentile, found.interval_bca)}) == 3


def test_constant_predictions_and_tied_opinions_are_named():
    with pytest.raises(UndefinedStatistic, match="all 12 prediction scores are equal"):
        score_correlations([0.5] * 12, TRUTH, higher_is_better=True, resampling=Resampling(1))
    with pytest.raises(UndefinedStatistic, match="all 12 truth scores are equal"):
        score_correlations(DISTORTION, [3.0] * 12, higher_is_better=True, resampling=Resampling(1))


def test_two_samples_are_too_few():
    with pytest.raises(UndefinedStatistic, match="only 2 pairs, at least 3"):
        score_correlations([1.0, 2.0], [1.0, 2.0], higher_is_better=True, resampling=Resampling(1))


def test_a_missing_prediction_is_refused_by_its_name():
    with pytest.raises(ValueError, match="1 of 3 prediction scores are missing"):
        score_correlations([1.0, np.nan, 2.0], [1.0, 2.0, 3.0], higher_is_better=True, resampling=Resampling(1))


def test_flipping_makes_no_negative_zero():
    assert str(oriented([0.0, 1.0], higher_is_better=False).tolist()) == "[0.0, -1.0]"
