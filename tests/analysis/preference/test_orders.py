"""Orders of presentation: merging by hand and as a property, opposite winners, and the pull of the first place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.preference.orders import merge_orders, opposite_winners, position_effect
from analysis.resampling.bootstrap import Resampling
from analysis.undefined import UndefinedStatistic

# Series a: 0 and 2 in both orders, 1 and 2 in one; series b: 0 and 2 turned only.
SERIES = ["b", "a", "a", "a"]
FIRST, SECOND = [2, 0, 2, 1], [0, 2, 0, 2]
LEFT, RIGHT = [5, 3, 2, 0], [1, 1, 0, 4]


def test_votes_of_both_orders_are_added_towards_the_lower_compare_id():
    merged = merge_orders(SERIES, FIRST, SECOND, LEFT, RIGHT)
    assert merged.series.tolist() == ["a", "a", "b"]
    assert (merged.lower.tolist(), merged.higher.tolist()) == ([0, 1, 0], [2, 2, 2])
    # 0 against 2 in a: 3:1 as shown and 2:0 turned, so 3 + 0 to 1 + 2.
    assert (merged.votes_lower.tolist(), merged.votes_higher.tolist()) == ([3, 0, 1], [3, 4, 5])
    assert merged.n_orders.tolist() == [2, 1, 1]
    assert merged.pair_of_row.tolist() == [2, 0, 0, 1]
    assert merged.turned.tolist() == [True, False, True, False]


@st.composite
def rows(draw: st.DrawFn) -> list[tuple[str, int, int, int, int]]:
    cell = st.tuples(st.sampled_from("abc"), st.integers(0, 3), st.integers(0, 3))
    cells = draw(st.lists(cell.filter(lambda c: c[1] != c[2]), min_size=1, max_size=20, unique=True))
    counts = st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(any)
    return [(*cell, *draw(counts)) for cell in cells]


@given(rows(), st.integers(0, 99))
def test_merging_loses_no_vote_and_does_not_mind_the_order_of_rows(table, seed):
    columns = list(zip(*table, strict=True))
    merged = merge_orders(*columns)
    expected: dict[tuple[str, int, int], list[int]] = {}
    for series, one, two, left, right in table:
        pair = expected.setdefault((series, min(one, two), max(one, two)), [0, 0])
        pair[one > two] += left
        pair[one < two] += right
    keys = zip(merged.series.tolist(), merged.lower.tolist(), merged.higher.tolist(), strict=True)
    found = dict(zip(keys, np.column_stack([merged.votes_lower, merged.votes_higher]).tolist(), strict=True))
    assert found == expected
    order = np.random.default_rng(seed).permutation(len(table))
    again = merge_orders(*([column[i] for i in order] for column in columns))
    assert all(np.array_equal(getattr(merged, name), getattr(again, name)) for name in merged._fields[:6])


def test_a_pair_whose_orders_disagree_is_found_and_a_tie_disagrees_with_nothing():
    merged = merge_orders(SERIES, FIRST, SECOND, LEFT, RIGHT)
    # In a, 0 beats 2 when shown first and loses when shown second.
    assert opposite_winners(merged, LEFT, RIGHT).tolist() == [True, False, False]
    assert opposite_winners(merged, LEFT, [1, 3, 0, 4]).tolist() == [False, False, False]


def test_the_first_place_by_hand():
    # Series a: 3 + 2 + 0 of 10 votes for the first, b: 5 of 6. D = 5 - 5 = 0 and 5 - 3 = 2: z = 2 / sqrt(0 + 4) = 1.
    found = position_effect(LEFT, RIGHT, SERIES, resampling=Resampling(1))
    assert (found.share, found.votes_first, found.votes, found.n_clusters) == (10 / 16, 10, 16, 2)
    assert found.z == 1.0
    assert found.p == pytest.approx(2 * stats.norm.sf(1.0), abs=1e-15)
    assert found.interval.method == "none: 2 clusters, fewer than 5"


def test_an_even_split_in_each_series_has_no_z():
    found = position_effect([1, 2], [1, 2], ["a", "b"], resampling=Resampling(1))
    assert (found.share, found.z, found.p) == (0.5, None, None)


def test_the_interval_takes_whole_series():
    rng = np.random.default_rng(3)
    series = np.repeat(np.arange(40), 5)
    left = rng.binomial(4, np.repeat(rng.beta(2, 2, 40), 5))
    found = position_effect(left, 4 - left, series, resampling=Resampling(1))
    apart = position_effect(left, 4 - left, np.arange(200), resampling=Resampling(1))
    width = found.interval.high - found.interval.low
    assert width > 1.2 * (apart.interval.high - apart.interval.low)
    # The linearised standard error of a ratio of sums over clusters.
    share = left.sum() / 800
    error = np.sqrt(sum((left[series == s].sum() - share * 20) ** 2 for s in range(40))) / 800
    assert width == pytest.approx(2 * 1.96 * error, rel=0.15)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"second": [2, 2, 0, 2]}, "pair an image with itself: series b, 2 and 2"),
        ({"series": ["a", "a", "a", "a"]}, "2 rows occur more than once in the same order: series a, 2 and 0"),
        ({"first": [2, 0, 2]}, "shapes"),
        ({"first": [2.5, 0, 2, 1]}, "compareIDs must be whole"),
        ({"series": ["b", None, "a", "a"]}, "label is missing"),
    ],
)
def test_rows_that_are_no_presentation_of_a_pair_are_refused(change, message):
    columns = {"series": SERIES, "first": FIRST, "second": SECOND, "left": LEFT, "right": RIGHT} | change
    with pytest.raises(ValueError, match=message):
        merge_orders(**columns)


def test_columns_that_do_not_fit_the_merged_rows_are_refused():
    merged = merge_orders(SERIES, FIRST, SECOND, LEFT, RIGHT)
    with pytest.raises(ValueError, match="each merged row"):
        opposite_winners(merged, LEFT[:2], RIGHT[:2])
    with pytest.raises(ValueError, match="shape"):
        position_effect(LEFT, RIGHT, SERIES[:2], resampling=Resampling(1))
    with pytest.raises(UndefinedStatistic, match="no row"):
        position_effect([], [], [], resampling=Resampling(1))
