"""Four measures per setting: the plain functions on every resample written out, refusals, parts."""

import numpy as np
import pytest
from hypothesis import given as property_of
from hypothesis import settings as within
from hypothesis import strategies as st

from analysis.agreement.setting_measures import Judged, compared, measured, median_of_counts, resampled
from tests.analysis.made_settings import made, written_out
from tests.analysis.resampling.counts import resample_counts

CASES = {
    "complete": {},
    "missing repeats": {"missing": 0.3},
    "people scored some": {"unscored": 9},
    "matched by item": {"by_item": True},
    "medians of repeats": {"aggregate": "median", "missing": 0.2},
    "one object a product": {"per_product": 1},
    "most repeats are equal": {"steady": 18},
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_resample_equals_the_plain_functions_on_it_written_out(case):
    settings = made(**case)
    values = resampled(settings, resamples=60, seed=5)
    counts = resample_counts(settings.clusters, 60, 5)
    expected = np.array([written_out(settings, row) for row in counts])
    for place, measure in enumerate(("icc", "json_validity", "spearman", "median_mad")):
        np.testing.assert_allclose(getattr(values, measure), expected[:, :, place], rtol=0, atol=1e-10)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_sample_itself_has_the_plain_functions_values(case):
    settings = made(**case)
    expected = written_out(settings, np.ones(settings.n_objects, dtype=int))
    np.testing.assert_allclose(np.column_stack(measured(settings)[:4]), expected, rtol=0, atol=1e-12)


def test_workers_change_nothing():
    settings = made()
    one, two = (resampled(settings, resamples=250, seed=5, workers=workers) for workers in (1, 2))
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one, two, strict=True))


def test_three_objects_by_hand():
    # Repeats .2 .4 | .5 .5 | .9 .7: means .3 .5 .8, people .1 .6 .5: ranks 1 2 3 against 1 3 2, rho 1 - 6 * 2/24 = 0.5.
    # MADs .1 0 .1: median .1. Valid 1 + 2 + 2 of 6. Grand mean 1.6/3; MSB = 2/2 * sum (-.23333^2 + .03333^2 + .26667^2)
    # = 0.1266667, MSW = (2*.01 + 0 + 2*.01)/3 = 0.0133333: ICC(1,2) = 0.1133333/0.1266667 = 0.8947368.
    one = Judged(np.array([[0.2, 0.4], [0.5, 0.5], [0.9, 0.7]]), np.array([1, 2, 2]), np.array([2, 2, 2]))
    seen = measured(compared([one], [0.1, 0.6, 0.5], ["a", "b", "c"], planned_repeats=2))
    assert [float(values[0]) for values in seen[:4]] == pytest.approx([0.8947368421, 5 / 6, 0.5, 0.1])
    assert seen.varies.tolist() == [True]


def test_a_deterministic_setting_is_told_by_its_repeats():
    steady = Judged(np.array([[0.2, 0.2], [0.5, 0.5], [0.3, 0.3]]), np.ones(3), np.ones(3))
    seen = measured(compared([steady], [0.1, 0.6, 0.5], ["a", "b", "c"], planned_repeats=2))
    assert (seen.icc[0], seen.varies[0], seen.median_mad[0]) == (1.0, False, pytest.approx(0, abs=1e-15))


def test_resamples_in_which_no_object_varies_have_no_icc():
    # Of 12 products one varies: (11/12)^12 = 35 % of the resamples miss it.
    values = resampled(made(per_product=1, noises=(0.05,), steady=11), resamples=1000, seed=1)
    assert np.array_equal(np.isnan(values.icc), ~values.varies)
    assert 0.31 < np.isnan(values.icc).mean() < 0.39
    assert np.nanmax(values.icc) < 1


def test_what_the_data_do_not_define_is_nan():
    scores = np.array([[0.2, 0.2], [0.2, 0.2], [0.2, 0.2]])
    silent = compared([Judged(scores, np.zeros(3), np.zeros(3))], [0.1, 0.6, 0.5], ["a", "b", "c"], planned_repeats=2)
    seen = measured(silent)
    assert np.isnan([seen.icc[0], seen.json_validity[0], seen.spearman[0]]).all()
    two_pairs = made(2, 1)
    assert np.isnan(measured(two_pairs).spearman).all()


def test_a_part_is_what_the_settings_are_on_those_objects():
    whole = made(missing=0.2, unscored=5, by_item=True)
    kept = np.arange(whole.n_objects) % 4 < 2
    part = whole.part(kept)
    expected = written_out(whole, kept.astype(int))
    np.testing.assert_allclose(np.column_stack(measured(part)[:4]), expected, rtol=0, atol=1e-12)
    assert (part.n_objects, part.n_clusters) == (12, 6)


def test_counts_of_objects_keys_and_products_tell_scored_ones_apart():
    whole = made(5, 2, by_item=True)
    human = whole.human.copy()
    human[:3] = np.nan
    some = compared(whole.settings, human, whole.clusters, planned_repeats=4, match_keys=whole.match_keys)
    assert (some.n_objects, some.n_clusters, some.n_matched, some.n_matched_clusters) == (10, 5, 4, 4)


@within(max_examples=60, deadline=None)
@property_of(
    st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.3]), min_size=1, max_size=8), st.randoms(use_true_random=False)
)
def test_a_median_of_counts_is_numpys_of_the_values_written_out(values, random):
    column = np.array(values)
    counts = np.array([[random.randint(0, 3) for _ in values] for _ in range(4)])
    counts[:, 0] += 1
    expected = [np.median(np.repeat(column, row)) for row in counts]
    assert median_of_counts(column)(counts).tolist() == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"human": [0.1, 0.2]}, "per object"),
        ({"clusters": ["a", "b"]}, "per object"),
        ({"settings": []}, "no setting"),
        ({"match_keys": ["i", "i", "j"]}, "spans several clusters"),
        ({"settings": [Judged(np.full((3, 2), np.nan), np.ones(3), np.ones(3))]}, "no valid score"),
        ({"settings": [Judged(np.ones((3, 2)), 2 * np.ones(3), np.ones(3))]}, "between 0 and the first answers"),
        ({"settings": [Judged(np.ones((2, 2)), np.ones(2), np.ones(2))]}, "2 objects"),
        ({"human": [0.1, np.inf, 0.2]}, "per object"),
    ],
)
def test_what_does_not_fit_is_refused(changes, message):
    fits = {
        "settings": [Judged(np.ones((3, 2)), np.ones(3), np.ones(3))],
        "human": [0.1, 0.2, 0.3],
        "clusters": ["a", "b", "c"],
    }
    asked = fits | changes
    with pytest.raises(ValueError, match=message):
        compared(
            asked["settings"],
            asked["human"],
            asked["clusters"],
            planned_repeats=2,
            match_keys=asked.get("match_keys"),
        )
