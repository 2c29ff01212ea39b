"""Confusion of options: by hand and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from analysis.accuracy.option_confusion import confusions_by_options, option_confusion
from analysis.undefined import UndefinedStatistic

OPTIONS = "ABCD"
TRUTH = list("AAAABBBCCC")
PREDICTION = ["A", "b", "B.", "", "B", "(C)", "A", "C", "E", None]


def test_ten_answers_by_hand():
    # A: A, b, B., blank. B: B, (C), A. C: C, E, none. D: never.
    found = option_confusion(TRUTH, PREDICTION, OPTIONS)
    assert found.matrix.tolist() == [[1, 2, 0, 0, 1], [1, 1, 1, 0, 0], [0, 0, 1, 0, 2], [0, 0, 0, 0, 0]]
    assert found.columns == ("A", "B", "C", "D", "invalid")
    assert (found.n, found.n_correct, found.accuracy) == (10, 3, 0.3)
    assert (found.n_invalid, found.n_blank, found.n_normalised) == (3, 2, 3)
    a, b, c, d = (found.by_option[name] for name in OPTIONS)
    assert (a.precision.value, a.recall.value) == (1 / 2, 1 / 4)
    assert (b.precision.value, b.recall.value) == (1 / 3, 1 / 3)
    assert (c.precision.value, c.recall.value) == (1 / 2, 1 / 3)
    assert d.precision == (None, "never predicted")
    assert d.recall == (None, "never the right answer")
    assert (a.excess, b.excess, c.excess, d.excess) == (-2, 0, -1, 0)
    assert (found.over_predicted, found.under_predicted) == ((), ("A", "C"))
    assert found.most_confused == (("A", "B", 2), ("B", "A", 1), ("B", "C", 1))


def test_a_favourite_option_is_over_predicted():
    found = option_confusion("AABBCCDD", "AAAAACDC", OPTIONS)
    assert (found.over_predicted, found.under_predicted) == (("A",), ("B", "D"))
    assert found.by_option["A"].excess == 3


def test_the_five_most_confused_pairs_keep_the_order_of_the_options_in_ties():
    truth = "AAA" + "BBB" + "CCC" + "AA"
    prediction = "BCD" + "ACD" + "ABD" + "DD"
    found = option_confusion(truth, prediction, OPTIONS)
    assert found.most_confused == (("A", "D", 3), ("A", "B", 1), ("A", "C", 1), ("B", "A", 1), ("B", "C", 1))


@given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("ABCX")), min_size=1, max_size=40))
def test_counts_and_shares_equal_scikit_learns(pairs):
    truth, prediction = (list(side) for side in zip(*pairs, strict=True))
    found = option_confusion(truth, prediction, "ABC")
    assert (found.matrix == confusion_matrix(truth, prediction, labels=list("ABCX"))[:3]).all()
    precision, recall, _, _ = precision_recall_fscore_support(
        truth, prediction, labels=list("ABC"), zero_division=np.nan
    )
    for name, p, r in zip("ABC", precision, recall, strict=True):
        result = found.by_option[name]
        assert result.precision.value == (None if np.isnan(p) else pytest.approx(p, abs=1e-15))
        assert result.recall.value == (None if np.isnan(r) else pytest.approx(r, abs=1e-15))


def test_other_sets_of_options_form_other_matrices_and_other_orders_do_not():
    options = [["yes", "no"], list("ABCD"), ["No", "Yes"], ["yes", "no"]]
    found = confusions_by_options(["yes", "A", "no", "no"], ["yes", "B", "YES", "no"], options)
    assert [each.options for each in found] == [("yes", "no"), ("A", "B", "C", "D")]
    assert found[0].matrix.tolist() == [[1, 0, 0], [1, 1, 0]]
    assert [each.n for each in found] == [3, 1]


def test_a_right_answer_that_is_no_option_is_refused_with_its_sample():
    with pytest.raises(ValueError, match=r"1 right answers are none of the options .*'E' \(sample 1\)"):
        option_confusion(["A", "E"], ["A", "B"], OPTIONS)


def test_an_option_named_invalid_is_refused():
    with pytest.raises(ValueError, match="cannot be an option"):
        option_confusion(["valid"], ["valid"], ["valid", "Invalid"])


def test_lengths_that_differ_are_refused():
    with pytest.raises(ValueError, match="shapes"):
        option_confusion(["A"], ["A", "B"], OPTIONS)
    with pytest.raises(ValueError, match="shapes"):
        confusions_by_options(["A"], ["A"], [])


def test_no_sample_has_no_confusion():
    with pytest.raises(UndefinedStatistic, match="no sample"):
        option_confusion([], [], OPTIONS)
    with pytest.raises(UndefinedStatistic, match="no sample"):
        confusions_by_options([], [], [])
