"""Krippendorff's alpha against published data, the `krippendorff` package, and its invariances."""

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.agreement.krippendorff import alpha_of_counts, alpha_of_moments, alpha_of_tables, krippendorff_alpha
from analysis.conformance.published import DATA_C
from analysis.undefined import UndefinedStatistic

LEVELS = ("nominal", "ordinal", "interval")
levels = st.sampled_from(LEVELS)
cells = st.one_of(st.integers(0, 4), st.none())
gappy = st.lists(st.lists(cells, min_size=3, max_size=3), min_size=1, max_size=15)
pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30)


def alpha_or_none(ratings: object, level: str) -> float | None:
    try:
        return krippendorff_alpha(ratings, level).value
    except UndefinedStatistic:
        return None


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.7434210526), ("ordinal", 0.8153875038), ("interval", 0.8491071429)]
)
def test_alpha_of_data_c_as_published(level, alpha):
    found = krippendorff_alpha(DATA_C.T, level)
    assert found.value == pytest.approx(alpha, abs=1e-10)
    # Unit 12 has one value and cannot be paired: 11 units and 40 of the 41 values remain.
    assert (found.n_units, found.n_values) == (11, 40)


@given(gappy, levels)
def test_alpha_is_that_of_the_krippendorff_package(ratings, level):
    found = alpha_or_none(ratings, level)
    values = np.array(ratings, dtype=float)
    paired = values[np.sum(~np.isnan(values), axis=1) >= 2]
    if len(np.unique(paired[~np.isnan(paired)])) < 2:
        assert found is None
    else:
        theirs = krippendorff.alpha(reliability_data=values.T, level_of_measurement=level)
        assert found == pytest.approx(theirs, abs=1e-9)


@given(gappy, st.permutations(range(3)), levels, st.randoms())
def test_neither_the_order_of_raters_nor_of_units_matters(ratings, raters, level, random):
    shuffled = np.array(random.sample(ratings, len(ratings)), dtype=float)[:, raters]
    assert alpha_or_none(shuffled, level) == pytest.approx(alpha_or_none(ratings, level), abs=1e-12)


@given(gappy)
def test_interval_alpha_keeps_under_a_change_of_unit_and_ordinal_alpha_under_any_rising_one(ratings):
    values = np.array(ratings, dtype=float)
    assert alpha_or_none(values * 0.2 + 0.1, "interval") == pytest.approx(alpha_or_none(values, "interval"), abs=1e-9)
    assert alpha_or_none(values**3, "ordinal") == alpha_or_none(values, "ordinal")


def test_values_are_the_same_category_where_they_are_equal_as_read():
    assert krippendorff_alpha([[3e-13, 3e-13], [4e-13, 4e-13]], "nominal").value == 1.0
    # 4 values in 3 categories, of which only .7 and .7 agree: 1 - 3 * 2 / (16 - 4 - 1 - 1) = .4.
    assert krippendorff_alpha([[3e-13, 4e-13], [0.7, 0.7]], "nominal").value == pytest.approx(0.4)


def test_perfect_agreement_is_1_and_systematic_disagreement_negative():
    assert krippendorff_alpha([[0, 0], [1, 1]], "interval").value == 1.0
    # Pairs 0-1 and 1-0: observed 4 of 4 ordered pairs differ in 2 units; 1 - 3 * 4 / (16 - 8) = -1/2.
    assert krippendorff_alpha([[0, 1], [1, 0]], "nominal").value == pytest.approx(-0.5)


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_without_pairs_or_variation_is_undefined(level):
    with pytest.raises(UndefinedStatistic, match="two raters"):
        krippendorff_alpha([[1, None], [None, 2]], level)
    with pytest.raises(UndefinedStatistic, match="all 4 values are equal"):
        krippendorff_alpha([[0.3, 0.3], [0.3, 0.3]], level)


@pytest.mark.parametrize(("ratings", "level"), [([1, 2], "nominal"), ([[1, np.inf]], "nominal"), ([[1, 2]], "ratio")])
def test_what_is_no_table_of_values_is_refused(ratings, level):
    with pytest.raises(ValueError, match="shape|infinite|level"):
        krippendorff_alpha(ratings, level)


@given(pairs, levels)
def test_alpha_of_a_table_is_that_of_its_documents(documents, level):
    table = np.zeros((5, 5))
    np.add.at(table, tuple(np.array(documents).T), 1)
    found = float(alpha_of_tables(table, level))
    assert (None if np.isnan(found) else found) == pytest.approx(alpha_or_none(documents, level), abs=1e-12)


@given(pairs)
def test_alpha_of_moments_is_that_of_the_scores(documents):
    values = np.array(documents) * 0.1 + 0.3
    moved = values - 0.5
    moments = (np.diff(values, axis=1) ** 2).sum(), moved.sum(), (moved**2).sum()
    found = float(alpha_of_moments(len(values), *moments))
    assert (None if np.isnan(found) else found) == pytest.approx(alpha_or_none(values, "interval"), abs=1e-10)


@given(gappy, st.sampled_from(("nominal", "ordinal")), st.data())
def test_alpha_of_counts_is_that_of_the_repeated_units(units: list[list[int | None]], level: str, data: st.DataObject):
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(units), max_size=len(units))))
    ratings = np.array(units, dtype=float)
    if np.isnan(ratings).all() or not times.any():
        return
    found = float(alpha_of_counts(ratings, level)(times[None, :])[0])
    expected = alpha_or_none(np.repeat(ratings, times, axis=0), level)
    assert (None if np.isnan(found) else found) == pytest.approx(expected, abs=1e-10)
