"""The chance-corrected family: by hand, sklearn, statsmodels, krippendorff, a jackknife, and what must hold always."""

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from analysis.agreement.chance_corrected import COEFFICIENTS, agreement_weights, chance_corrected
from analysis.agreement.coefficients import ac1s
from analysis.agreement.fleiss import category_counts, fleiss_kappa
from analysis.conformance.published import DATA_C, DIAGNOSES, PSYCHIATRISTS, ratings_of_counts, ratings_of_table
from analysis.undefined import UndefinedStatistic

WEIGHTS = ("unweighted", "linear", "quadratic")
cells = st.one_of(st.integers(0, 3), st.none())
gappy = st.lists(st.lists(cells, min_size=3, max_size=3), min_size=3, max_size=12).map(
    lambda rows: np.array(rows, dtype=float)
)
whole = st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), min_size=3, max_size=25).map(np.array)
kinds = pytest.mark.parametrize("kind", COEFFICIENTS)
FOUR = (0, 1, 2, 3)
QUICK = settings(max_examples=40, deadline=None)


def value_or_none(ratings, kind, **rest):
    try:
        return chance_corrected(ratings, kind, **rest).value
    except UndefinedStatistic:
        return None


def test_a_table_worked_by_hand():
    # Units (0,0) (0,0) (1,1) (0,1), q 2. Agreement 3/4. Shares of 0: rater 1 3/4, rater 2 2/4, both 5/8.
    ratings = [[0, 0], [0, 0], [1, 1], [0, 1]]
    # Cohen: 3/4 x 2/4 + 1/4 x 2/4 = 1/2. Scott: 25/64 + 9/64 = 34/64. AC1: 2 x 5/8 x 3/8 = 30/64.
    assert chance_corrected(ratings, "percent_agreement").value == 0.75
    assert chance_corrected(ratings, "cohen").value == pytest.approx(0.25 / 0.5)
    assert chance_corrected(ratings, "fleiss").value == pytest.approx((48 - 34) / (64 - 34))
    assert chance_corrected(ratings, "brennan_prediger").value == pytest.approx(0.5)
    assert chance_corrected(ratings, "gwet").value == pytest.approx((48 - 30) / (64 - 30))
    # Alpha: 1 - (1 - 14/30)(2 x 4 - 1)/(2 x 4).
    assert chance_corrected(ratings, "krippendorff").value == pytest.approx(1 - 16 / 30 * 7 / 8)


def test_weights_by_name_are_distances_as_shares_of_the_range():
    assert agreement_weights("linear", [0, 1, 2]).tolist() == [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]
    assert agreement_weights("quadratic", [0, 1, 2]).tolist() == [[1, 0.75, 0], [0.75, 1, 0.75], [0, 0.75, 1]]
    # Places, not numbers of places: 0.3 is nearer to 0 than to 1.
    assert agreement_weights("linear", [0, 0.3, 1])[1].tolist() == pytest.approx([0.7, 1, 0.3])
    assert agreement_weights("unweighted", [5, 7]).tolist() == [[1, 0], [0, 1]]
    assert agreement_weights("linear", []).shape == (0, 0)


@QUICK
@given(whole, st.sampled_from(WEIGHTS))
def test_cohens_kappa_is_sklearns(ratings, weights):
    found = value_or_none(ratings, "cohen", weights=weights, categories=FOUR)
    kind = None if weights == "unweighted" else weights
    theirs = cohen_kappa_score(*ratings.T, labels=FOUR, weights=kind)
    assert (found is None) == bool(np.isnan(theirs))
    if found is not None:
        assert found == pytest.approx(theirs, abs=1e-12)


@QUICK
@given(gappy)
def test_alpha_with_gaps_is_that_of_the_krippendorff_package(ratings):
    found = value_or_none(ratings, "krippendorff", weights="quadratic")
    assume(found is not None)
    theirs = krippendorff.alpha(ratings.T, level_of_measurement="interval")
    assert found == pytest.approx(theirs, abs=1e-10)


def test_fleiss_kappa_is_that_of_the_counts():
    ratings = ratings_of_counts(DIAGNOSES)
    found = chance_corrected(ratings, "fleiss")
    assert found.value == pytest.approx(fleiss_kappa(DIAGNOSES).kappa, abs=1e-14)
    assert found.value == pytest.approx(statsmodels_fleiss(category_counts(ratings, 5)), abs=1e-14)
    # Randolph's free-marginal kappa is Brennan and Prediger's coefficient for many raters.
    free = chance_corrected(ratings, "brennan_prediger").value
    assert free == pytest.approx(statsmodels_fleiss(DIAGNOSES, method="randolph"), abs=1e-14)


def test_ac1_of_labels_is_that_of_their_table():
    table = [40, 5, 3, 52]
    labels = np.column_stack([np.repeat([1, 1, 0, 0], table), np.repeat([1, 0, 1, 0], table)])
    assert chance_corrected(labels, "gwet", categories=(0, 1)).value == pytest.approx(float(ac1s(table)), abs=1e-12)


def test_ac1_of_krippendorffs_data_c():
    # docs/statistics.md; shares of categories from all 12 units.
    found = chance_corrected(DATA_C.T, "gwet")
    assert found.value == pytest.approx(0.775444068, abs=1e-9)
    assert (found.n_used, found.n_total, found.n_raters, found.n_categories) == (12, 12, 4, 5)
    assert chance_corrected(DATA_C.T, "krippendorff").n_used == 11


@pytest.mark.parametrize(("kind", "error"), [("fleiss", 0.08119291), ("gwet", 0.08418757)])
def test_errors_as_the_package_irrcac_prints_them(kind, error):
    # Its README: 15 patients of Fleiss' table, 6 raters, 5 categories.
    assert chance_corrected(ratings_of_counts(DIAGNOSES[:15]), kind).error == pytest.approx(error, abs=5e-9)


def test_errors_and_bounds_by_hand():
    # Percent agreement 3/4; in clusters of two units the sums of what units add to it, 1 - 3/4 or 0 - 3/4, are 1/2 and
    # -1/2: sqrt(2/1 x 1/2)/4. One cluster has nothing to vary.
    ratings = [[0, 0], [0, 0], [1, 1], [0, 1]]
    assert chance_corrected(ratings, "percent_agreement", clusters=[0, 0, 1, 1]).error == pytest.approx(0.25)
    assert chance_corrected(ratings, "percent_agreement", clusters=[0, 0, 0, 0]).error == 0.0
    # Five units are the fewest with an interval; 4 of 5 agree: sqrt(5/4 x (4/25 + 16/25))/5 = 0.2, t(4) = 2.776.
    five = [[0, 0], [1, 1], [0, 0], [1, 1], [0, 1]]
    interval = chance_corrected(five, "percent_agreement").interval
    assert (interval.low, interval.high) == pytest.approx((0.8 - 2.776445 * 0.2, 1.0))
    other_way = [[0, 1], [1, 0], [0, 1], [1, 0], [0, 0]]
    assert chance_corrected(other_way, "cohen").interval.low == -1.0


@pytest.mark.parametrize("weights", ["linear", "unweighted"])
@kinds
def test_the_error_is_that_of_a_jackknife_over_units(kind, weights):
    # One category has most units, so that chance moves with each of them.
    rng = np.random.default_rng(3)
    truth = rng.choice(4, 300, p=(0.82, 0.06, 0.06, 0.06))
    ratings = np.where(rng.random((300, 3)) < 0.7, truth[:, None], rng.integers(0, 4, (300, 3))).astype(float)
    ratings[rng.random((300, 3)) < 0.1] = np.nan
    found = chance_corrected(ratings, kind, weights=weights, categories=FOUR)
    left_out = [
        chance_corrected(np.delete(ratings, unit, 0), kind, weights=weights, categories=FOUR).value
        for unit in range(300)
    ]
    assert found.error == pytest.approx(np.sqrt(299 / 300 * np.sum((left_out - np.mean(left_out)) ** 2)), rel=0.02)


def test_units_of_one_cluster_widen_the_interval():
    ratings = np.tile(ratings_of_table([[5, 2], [1, 4]]), (4, 1))
    apart = chance_corrected(ratings, "cohen")
    together = chance_corrected(ratings, "cohen", clusters=np.tile(np.arange(12), 4))
    # Every unit four times: the error of 12 clusters is that of 12 units, sqrt(4) times that of 48 but for n - 1.
    once = chance_corrected(ratings[:12], "cohen")
    assert together.error == pytest.approx(once.error, rel=1e-12)
    assert together.error == pytest.approx(2 * apart.error * np.sqrt(12 / 11 * 47 / 48), rel=1e-12)
    assert together.interval.method == "linearised, t, 12 clusters"
    assert "assumes independence" in apart.interval.method


@kinds
def test_cells_of_a_table_are_their_units_written_out(kind):
    table = np.array(PSYCHIATRISTS)
    cells = np.argwhere(table > 0)
    found = chance_corrected(cells, kind, weights="quadratic", times=table[table > 0])
    written = chance_corrected(ratings_of_table(table), kind, weights="quadratic")
    assert found[:4] == pytest.approx(written[:4], rel=1e-12)
    assert found[5:] == written[5:]
    assert found.interval.low == pytest.approx(written.interval.low, rel=1e-12)


@kinds
def test_all_raters_alike_have_no_interval_and_few_units_neither(kind):
    assert chance_corrected([[0, 0], [1, 1], [1, 1], [0, 0], [1, 1]], kind).interval.low is None
    few = chance_corrected([[0, 0], [1, 1], [0, 1]], kind)
    assert few.interval.method.startswith("none: 3 units")


@QUICK
@given(gappy, st.sampled_from(COEFFICIENTS), st.sampled_from(WEIGHTS), st.permutations(range(3)), st.integers(0, 99))
def test_order_of_units_and_raters_and_a_shift_of_categories_change_nothing(ratings, kind, weights, raters, seed):
    first = value_or_none(ratings, kind, weights=weights, categories=FOUR)
    units = np.random.default_rng(seed).permutation(len(ratings))
    moved = value_or_none(ratings[units][:, raters] + 10, kind, weights=weights, categories=np.array(FOUR) + 10)
    assert (first is None) == (moved is None)
    if first is not None:
        assert moved == pytest.approx(first, abs=1e-9)
        assert first <= 1.0 + 1e-12


@QUICK
@given(gappy, st.sampled_from(COEFFICIENTS))
def test_weights_of_ones_own_that_say_equal_or_not_are_unweighted(ratings, kind):
    assert value_or_none(ratings, kind, weights=np.eye(4), categories=FOUR) == value_or_none(
        ratings, kind, categories=FOUR
    )


@pytest.mark.parametrize("kind", ["cohen", "fleiss", "brennan_prediger", "gwet", "krippendorff"])
def test_one_category_is_undefined(kind):
    with pytest.raises(UndefinedStatistic, match="one category"):
        chance_corrected([[1, 1], [1, 1]], kind)


def test_ac1_is_defined_where_one_of_two_categories_occurs_and_kappa_is_not():
    assert chance_corrected([[1, 1], [1, 1]], "gwet", categories=(0, 1)).value == 1.0
    with pytest.raises(UndefinedStatistic, match="agrees always"):
        chance_corrected([[1, 1], [1, 1]], "cohen", categories=(0, 1))


@kinds
def test_without_two_ratings_of_a_unit_nothing_is_defined(kind):
    with pytest.raises(UndefinedStatistic, match="two raters"):
        chance_corrected([[1, None], [None, 2]], kind)
    with pytest.raises(UndefinedStatistic, match="two raters"):
        chance_corrected(np.empty((0, 2)), kind)


@pytest.mark.parametrize(
    ("ratings", "rest", "said"),
    [
        ([1, 2], {}, "shape"),
        ([[1, np.inf]], {}, "infinite"),
        ([[1, 2], [3, 1]], {"categories": (1, 2)}, "3 is rated"),
        ([[1, 2], [2, 1]], {"weights": "cubic"}, "unweighted, linear, quadratic"),
        ([[1, 2], [2, 1]], {"weights": np.eye(3)}, "need shape"),
        ([[1, 2], [2, 1]], {"weights": [[1, 2], [2, 1]]}, "from 0"),
        ([[1, 2], [2, 1]], {"weights": [[1, 0.5], [0.2, 1]]}, "symmetric"),
        ([[1, 2], [2, 1]], {"weights": [[1, 0.5], [0.5, 0.9]]}, "with 1 on the diagonal"),
        ([[1, 2], [2, 1]], {"clusters": [1]}, "one cluster per unit"),
        ([[1, 2], [2, 1]], {"times": [1, 0]}, "times need"),
        ([[1, 2], [2, 1]], {"confidence": 1.0}, "confidence"),
    ],
)
def test_what_is_no_table_of_ratings_is_refused(ratings, rest, said):
    with pytest.raises(ValueError, match=said):
        chance_corrected(ratings, "cohen", **rest)
    with pytest.raises(ValueError, match="coefficient must be"):
        chance_corrected([[1, 2]], "kappa")


def test_a_rater_who_rated_nothing_has_no_part_in_congers_kappa():
    ratings = ratings_of_table(PSYCHIATRISTS)
    silent = np.column_stack([ratings, np.full(len(ratings), np.nan)])
    assert chance_corrected(silent, "cohen").value == pytest.approx(chance_corrected(ratings, "cohen").value, abs=1e-14)
