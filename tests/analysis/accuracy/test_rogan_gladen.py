"""Rogan and Gladen: by hand, by a numerical derivative, and by simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.accuracy.rogan_gladen import rogan_gladen
from analysis.undefined import UndefinedStatistic


def labelled(passed_right: int, passed_wrong: int, failed_right: int, failed_wrong: int) -> tuple[list[int], list[int]]:
    """People's and the judge's verdicts, by whether people passed and whether the judge was right."""
    n_passed, n_failed = passed_right + passed_wrong, failed_right + failed_wrong
    judge = [1] * passed_right + [0] * passed_wrong + [0] * failed_right + [1] * failed_wrong
    return [1] * n_passed + [0] * n_failed, judge


# 8 of 10 passed, 9 of 10 failed right; the judge passes 45 of 100 others.
HUMAN, SEEN = labelled(8, 2, 9, 1)
UNSEEN = [1] * 45 + [0] * 55


def test_a_case_by_hand():
    # (0.45 + 0.9 - 1) / (0.8 + 0.9 - 1) = 0.5. Variance (0.45 x 0.55 / 100 + 0.25 x 0.16 / 10 + 0.25 x 0.09 / 10)
    # / 0.49 = 0.008725 / 0.49 = 0.017806122; 1.959964 x 0.13343959 = 0.2615368.
    seen = rogan_gladen(HUMAN, SEEN, UNSEEN)
    assert (seen.sensitivity, seen.specificity, seen.judge_rate) == pytest.approx((0.8, 0.9, 0.45))
    assert seen.rate.value == pytest.approx(0.5)
    assert seen.rate.interval.low == pytest.approx(0.5 - 0.2615368, abs=1e-6)
    assert seen.rate.interval.high == pytest.approx(0.5 + 0.2615368, abs=1e-6)
    assert (seen.n_passed, seen.n_failed, seen.n_unlabelled) == (10, 10, 100)
    assert "delta method" in seen.rate.interval.method


def test_people_alone_and_the_judge_alone_stand_beside_with_wilsons_interval():
    seen = rogan_gladen(labelled(15, 4, 17, 2)[0], labelled(15, 4, 17, 2)[1], UNSEEN)
    # 19 of 38; the judge passes 17 of these and 45 of 100.
    assert seen.human_only.value == pytest.approx(19 / 38)
    assert seen.human_only.interval.low == pytest.approx(0.348499283643951)
    assert seen.human_only.interval.high == pytest.approx(0.651500716356049)
    assert seen.judge_only.value == pytest.approx(62 / 138)


def test_a_flawless_judge_is_taken_at_its_word():
    human, judge = labelled(12, 0, 12, 0)
    seen = rogan_gladen(human, judge, UNSEEN)
    assert seen.rate.value == pytest.approx(0.45)
    half = 1.959963984540054 * np.sqrt(0.45 * 0.55 / 100)
    assert seen.rate.interval.high - seen.rate.value == pytest.approx(half)
    # Of 12 labels, no error seen says no more than that it lies below about 22 % (0.78^12 = 0.05).
    assert seen.rate.interval.unreliable
    assert seen.rate.interval.method.endswith(", sensitivity and specificity seen as 1 and taken for known")
    one = rogan_gladen(*labelled(12, 0, 11, 1), UNSEEN).rate.interval
    assert one.unreliable
    assert one.method.endswith(", sensitivity seen as 1 and taken for known")


@pytest.mark.parametrize(("verdict", "words"), [(1, "all"), (0, "none")])
def test_where_nothing_varies_there_is_no_interval(verdict, words):
    seen = rogan_gladen(*labelled(12, 0, 12, 0), [verdict] * 30)
    assert (seen.rate.value, seen.rate.interval.low, seen.rate.interval.unreliable) == (verdict, None, True)
    assert seen.rate.interval.method == f"none: no error of the judge among the labels, and it passes {words}"
    # Wilson's is defined all the same.
    assert seen.judge_only.interval.low < seen.judge_only.interval.high


def test_the_rate_is_not_clamped():
    # The judge passes nobody of the rest and yet wrongly passed 1 of 10: (0 + 0.9 - 1) / 0.7.
    seen = rogan_gladen(HUMAN, SEEN, [0] * 50)
    assert seen.rate.value == pytest.approx(-1 / 7)
    assert seen.rate.interval.low < seen.rate.value


def test_fewer_than_ten_passed_or_failed_labels_are_marked_unreliable():
    assert not rogan_gladen(HUMAN, SEEN, UNSEEN).rate.interval.unreliable
    assert rogan_gladen(*labelled(7, 2, 9, 1), UNSEEN).rate.interval.unreliable


counts = st.integers(1, 15)


@settings(max_examples=60, deadline=None)
@given(counts, counts, counts, counts, st.integers(1, 39))
def test_the_variance_is_what_numerical_derivatives_give(right, wrong, clear, mistaken, passed):
    human, judge = labelled(right, wrong, clear, mistaken)
    point = np.array([passed / 40, right / (right + wrong), clear / (clear + mistaken)])
    sizes = np.array([40, right + wrong, clear + mistaken])

    def rate(p, se, sp):
        return (p + sp - 1) / (se + sp - 1)

    if point[1] + point[2] <= 1.0 + 1e-9:
        with pytest.raises(UndefinedStatistic, match="no better than chance"):
            rogan_gladen(human, judge, [1] * passed + [0] * (40 - passed))
        return
    step = 1e-6 * (point[1] + point[2] - 1)
    slopes = [(rate(*(point + step * axis)) - rate(*(point - step * axis))) / (2 * step) for axis in np.eye(3)]
    variance = float(np.sum(np.square(slopes) * point * (1 - point) / sizes))
    seen = rogan_gladen(human, judge, [1] * passed + [0] * (40 - passed)).rate
    assert seen.value == pytest.approx(rate(*point))
    assert (seen.interval.high - seen.interval.low) / 2 == pytest.approx(1.959963984540054 * variance**0.5, rel=1e-4)


def test_intervals_cover_the_true_rate_as_often_as_they_say():
    rng = np.random.default_rng(11)
    hits = 0
    for _ in range(400):
        truth = rng.random(900) < 0.4
        judge = np.where(truth, rng.random(900) < 0.8, rng.random(900) < 0.15)
        interval = rogan_gladen(truth[:150], judge[:150], judge[150:]).rate.interval
        hits += interval.low <= 0.4 <= interval.high
    # 95 % of 400 is 380; three standard errors are 13.
    assert 364 <= hits <= 396


@pytest.mark.parametrize(
    ("human", "judge", "unseen", "reason"),
    [
        ([], [], [1], "no object is labelled"),
        ([1, 0], [1, 0], [], "no object is left unlabelled"),
        ([1, 1], [1, 0], [1], "people pass 2 of the 2 labelled: the judge's specificity is unknown"),
        ([0, 0], [1, 0], [1], "people pass 0 of the 2 labelled: the judge's sensitivity is unknown"),
        ([1, 0], [0, 0], [1], "no better than chance"),
    ],
)
def test_what_the_data_do_not_define_says_why(human, judge, unseen, reason):
    with pytest.raises(UndefinedStatistic, match=reason):
        rogan_gladen(human, judge, unseen)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"judge_labelled": [1, 0]}, "shapes"),
        ({"judge_unlabelled": [0.5]}, "true or false"),
        ({"confidence": 95}, "confidence"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(changes, said):
    whole = {"labels": HUMAN, "judge_labelled": SEEN, "judge_unlabelled": UNSEEN}
    with pytest.raises(ValueError, match=said):
        rogan_gladen(**{**whole, **changes})
