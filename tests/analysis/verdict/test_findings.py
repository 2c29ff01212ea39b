"""Judges next to each other and against one person; a sign that looks reversed; scales that cannot be compared."""

import numpy as np
import pytest
import scipy
from sklearn.metrics import cohen_kappa_score, precision_score, recall_score

from analysis.agreement.concordance import concordance
from analysis.agreement.icc import icc
from analysis.agreement.krippendorff import krippendorff_alpha
from analysis.resampling.bootstrap import Resampling
from analysis.significance.marginal_homogeneity import bhapkar, stuart_maxwell
from analysis.verdict.findings import findings
from analysis.verdict.judges import against_one, judges_compared
from analysis.verdict.panel import panel
from analysis.verdict.people import People
from tests.analysis.verdict.test_people import made


def test_against_one_person_a_bound_decides() -> None:
    random = np.random.default_rng(2)
    person = random.standard_normal(80)
    near, far = person + 0.3 * random.standard_normal(80), person + 2.0 * random.standard_normal(80)
    middling = person + 0.8 * random.standard_normal(80)
    clusters = np.arange(80)
    assert against_one(People(person[:, None], clusters), near).word == "agrees"
    assert against_one(People(person[:, None], clusters), far).word == "does not agree"
    assert against_one(People(person[:, None], clusters), middling).word == "not proven"
    assert against_one(People(person[:, None], clusters), np.ones(80)).word == "does not agree"
    assert against_one(People(np.ones(80)[:, None], clusters), near).word == "cannot say"
    assert against_one(People(person[:29, None], clusters[:29]), near[:29]).word == "cannot say"
    with_gap = near.copy()
    with_gap[:10] = np.nan
    assert against_one(People(person[:, None], clusters), with_gap).n == 70


def test_a_judge_above_a_person_by_more_than_a_tenth_of_the_range_agrees_in_order_only() -> None:
    person = np.tile([1.0, 2.0, 3.0, 4.0], 10)
    wobble = np.tile([0.1, -0.1], 20)
    wobble[:2] = 0.6, -0.6  # one pair changes places
    # Both run from 1 to 4.9: a tenth is 0.39. The bias is 1, its error s / sqrt(40) with s^2 = (2 0.36 + 38 0.01) / 39.
    found = against_one(People(person[:, None], np.arange(40)), person + 1.0 + wobble)
    assert found.bias is not None
    assert (found.word, found.bias.value, found.scale) == ("agrees in order only", pytest.approx(1.0), (1.0, 4.9))
    assert found.bias.high == pytest.approx(1.0 + 2.0227 * np.sqrt(1.1 / 39 / 40), abs=1e-4)
    assert found.reasons("ann")[1] == (
        "it scores +1.000 [0.946, 1.054] against ann: more than 10 % of the range of 1 to 4.9, "
        "so that only the order agrees"
    )
    near = against_one(People(person[:, None], np.arange(40)), person + 0.3 + wobble)
    assert (near.word, near.reasons("ann")[1]) == ("agrees", "it scores +0.300 [0.246, 0.354] against ann")
    # In another unit there is no level to speak of.
    other = against_one(People(person[:, None], np.arange(40)), person + 1.0 + wobble, same_scale=False)
    assert (other.word, len(other.reasons("ann"))) == ("agrees", 1)


def test_next_to_perfect_agreement_the_limit_is_on_the_scale_of_the_estimate() -> None:
    person = np.arange(60.0)
    judge = person.copy()
    judge[[20, 29]] = judge[[29, 20]]
    people = People(person[:, None], np.repeat(np.arange(6), 10))
    seen = against_one(people, judge).agreement
    assert seen is not None
    assert seen.low is not None
    # Without the third cluster agreement is perfect: the arcsine's scale.
    assert seen.at == pytest.approx(np.arcsin(seen.value))
    limit = (max(seen.low, 0.0) + seen.value) / 2.0
    found = against_one(people, judge, needed=limit)
    t = scipy.stats.t.ppf(0.975, seen.freedom)
    expected = np.ceil(60 * (t * seen.error / (np.arcsin(seen.value) - np.arcsin(limit))) ** 2 / 10.0) * 10
    assert (found.word, found.n_needed) == ("not proven", expected)


def test_two_judges_that_are_one_do_not_differ_and_share_a_letter() -> None:
    people, judge = made()
    worse = np.roll(judge, 7)
    found = judges_compared(People(people, np.arange(60)), {"a": judge, "b": judge, "c": worse})
    same, first, second = found.pairs
    assert (same.difference.value, same.p, same.p_holm) == (0.0, 1.0, 1.0)
    assert first.difference.value == pytest.approx(second.difference.value)
    # The smallest of three is taken three times, the next twice but at least that.
    assert first.p is not None
    assert first.p_holm == pytest.approx(min(1.0, 3 * first.p))
    assert found.letters["a"] == found.letters["b"] != found.letters["c"]
    expected = scipy.stats.spearmanr(judge, people.mean(axis=1)).statistic
    assert found.agreement["a"].value == pytest.approx(expected)


def test_statistics_of_scores_are_those_of_their_own_functions() -> None:
    people, judge = made()
    lines = {line.statistic: line.value for line in panel(People(people, np.arange(60)), people[:, 0], judge)}
    assert lines["Spearman"] == pytest.approx(scipy.stats.spearmanr(judge, people[:, 0]).statistic)
    assert lines["Pearson"] == pytest.approx(scipy.stats.pearsonr(judge, people[:, 0]).statistic)
    assert lines["CCC"] == pytest.approx(concordance(judge, people[:, 0], resampling=Resampling(0)).ccc)
    assert lines["mean absolute error"] == pytest.approx(np.abs(judge - people[:, 0]).mean())
    assert lines["judge - people"] == pytest.approx((judge - people[:, 0]).mean())


def test_statistics_of_labels_are_scikit_learns() -> None:
    random = np.random.default_rng(4)
    person = random.integers(0, 3, 120).astype(float)
    judge = np.where(random.random(120) < 0.7, person, random.integers(0, 3, 120))
    lines = panel(People(person[:, None], np.arange(120), "labels", labels=("fail", "pass", "unsure")), person, judge)
    values = {line.statistic: line.value for line in lines}
    assert values["kappa"] == pytest.approx(cohen_kappa_score(judge, person))
    assert values["same label"] == pytest.approx((judge == person).mean())
    assert values["sensitivity of 'pass'"] == pytest.approx(recall_score(person == 1, judge == 1))
    assert values["precision of 'unsure'"] == pytest.approx(precision_score(person == 2, judge == 2))
    assert {line.statistic: line.n for line in lines}["sensitivity of 'fail'"] == (person == 0).sum()


def test_a_reversed_sign_is_flagged_and_its_comparison_withheld() -> None:
    people, judge = made()
    named = People(people, np.arange(60))
    found = findings({"good": judge, "distance": -judge}, named)
    assert found.judges[1].reversed
    assert found.comparison is None
    assert "distance" in found.no_comparison
    turned = findings({"good": judge, "distance": -judge}, named, lower_is_better={"distance"})
    assert turned.comparison is not None
    assert not turned.judges[1].reversed


@pytest.mark.parametrize("unit", [1 / 5, 20.0], ids=["0 to 1", "20 to 100"])
def test_another_scale_allows_ranking_at_most(unit: float) -> None:
    people, judge = made()
    named = People(people, np.arange(60))
    one = findings({"judge": judge * unit}, named).judges[0]
    assert not one.same_scale
    assert one.verdict is not None
    assert one.verdict.word != "yes"
    assert [line.statistic for line in one.lines] == ["Spearman", "Pearson"]


@pytest.mark.parametrize(
    ("judge", "people", "same"),
    [
        # Decibels within 0 to 100: 19 to 45 of 0 to 100 is 0.26 of both.
        (lambda t: 32 + 4 * t, lambda t: np.clip(50 + 20 * t, 0, 100), False),
        # The middle of 1 to 5 in whole numbers is the same scale, in fractions it is not.
        (lambda t: np.clip(np.rint(3 + 0.3 * t), 2, 4), lambda t: np.clip(np.rint(3 + t), 1, 5), True),
        (lambda t: 3 + 0.1 * t, lambda t: np.clip(np.rint(3 + t), 1, 5), False),
        (lambda t: 3.5 + 0.7 * t, lambda t: np.clip(np.rint(3 + t), 1, 5), True),
    ],
    ids=["dB", "whole numbers near the middle", "fractions near the middle", "a shifted mean"],
)
def test_a_range_within_peoples_is_not_yet_their_scale(judge, people, same: bool) -> None:
    truth = np.random.default_rng(6).standard_normal(150)
    named = People(people(truth)[:, None], np.arange(150))
    scores = judge(truth)
    assert findings({"judge": scores}, named).judges[0].same_scale is same
    for said in (True, False):
        assert findings({"judge": scores}, named, units={"judge": said}).judges[0].same_scale is said


def test_the_majority_leaves_out_ties_and_counts_them() -> None:
    people = np.array([[0, 0, 0], [1, 1, 0], [0, 1, np.nan]] * 20, dtype=float)
    judge = np.array([0, 1, 1] * 20, dtype=float)
    found = findings({"j": judge}, People(people, np.arange(60), "labels", ("a", "b", "c"), ("no", "yes")))
    assert (found.reference, found.n_tied) == ("the majority of the people", 20)
    assert {line.statistic: line.value for line in found.judges[0].lines}["same label"] == 1.0
    assert found.judges[0].n == 40


def test_two_people_have_no_majority_so_that_each_counts() -> None:
    people = np.array([[0, 0], [1, 1], [0, 1]] * 20, dtype=float)
    judge = np.array([0, 1, 1] * 20, dtype=float)
    found = findings({"j": judge}, People(people, np.arange(60), "labels", ("a", "b"), ("no", "yes")))
    # The judge differs from a on 20 of 60 objects and from b on none.
    same = found.judges[0].lines[0]
    assert (found.reference, found.n_tied, same.statistic, same.n) == ("each person in turn", 0, "same label", 120)
    assert same.value == pytest.approx(100 / 120)


def test_a_rare_labels_sensitivity_rests_on_its_own_objects() -> None:
    person = np.array([1.0] * 12 + [0.0] * 188)
    judge = person.copy()
    judge[0] = 0.0
    lines = panel(People(person[:, None], np.arange(200), "labels", labels=("no", "yes")), person, judge)
    rare = next(line for line in lines if line.statistic == "sensitivity of 'yes'")
    assert (rare.n, rare.interval.n_clusters) == (12, 12)
    # Wilson's interval of 11 of 12 is [0.646, 0.985].
    assert rare.interval.low is not None
    assert rare.interval.low < 0.7


@pytest.mark.parametrize("unit", [1e300, 1e-300])
def test_huge_and_tiny_scores_have_the_same_statistics_in_their_unit(unit: float) -> None:
    people, judge = made()
    named = People(people * unit, np.arange(60))
    plain = findings({"j": judge}, People(people, np.arange(60))).judges[0]
    found = findings({"j": judge * unit}, named).judges[0]
    assert found.verdict is not None
    assert plain.verdict is not None
    assert found.verdict.word == plain.verdict.word
    for line, expected in zip(found.lines, plain.lines, strict=True):
        in_unit = "error" in line.statistic or "limit" in line.statistic or line.statistic == "judge - people"
        scale = unit if in_unit else 1.0
        assert line.value is not None
        assert line.value / scale == pytest.approx(expected.value, abs=1e-9)
        assert line.interval.low is not None
        assert line.interval.low / scale == pytest.approx(expected.interval.low, abs=1e-9)


def test_labels_have_alpha_confusion_and_tests_of_equal_shares() -> None:
    # 60 objects, three people alike but for one row in three; the judge is one of them.
    people = np.array([[0, 0, 1], [1, 1, 1], [2, 2, 2]] * 20, dtype=float)
    judge = np.array([0, 1, 1] * 20, dtype=float)
    asked = People(people, np.arange(60), "labels", ("a", "b", "c"), ("x", "y", "z"))
    [one] = findings({"j": judge}, asked).judges
    values = {line.statistic: line.value for line in one.lines}
    assert values["alpha of the people"] == pytest.approx(krippendorff_alpha(people, "nominal").value)
    everyone = np.column_stack([people, judge])
    assert values["alpha of people and judge"] == pytest.approx(krippendorff_alpha(everyone, "nominal").value)
    assert one.shares is not None
    # The majority says x, y and z 20 times each; of the z the judge calls all y.
    assert one.shares.confusion == ((20, 0, 0), (0, 20, 0), (0, 20, 0))
    assert one.shares.tests == (stuart_maxwell(one.shares.confusion), bhapkar(one.shares.confusion))
    assert [(line.against, line.statistic) for line in one.each] == [(name, "kappa") for name in "abc"]
    assert one.each[0].value == pytest.approx(cohen_kappa_score(judge, people[:, 0]))


def test_steps_of_a_scale_have_weighted_kappa_and_ac2_with_each_person_in_turn() -> None:
    random = np.random.default_rng(8)
    truth = random.standard_normal(60)
    people = np.clip(np.rint(3 + truth[:, None] + 0.5 * random.standard_normal((60, 2))), 1, 5)
    judge = np.clip(np.rint(3 + truth), 1, 5)
    [one] = findings({"j": judge}, People(people, np.arange(60), steps=True)).judges
    lines = {line.statistic: line for line in one.lines}
    pooled = np.repeat(judge, 2), people.ravel()
    quadratic = lines["kappa, quadratic weights"]
    assert (quadratic.against, quadratic.n, quadratic.interval.n_clusters) == ("each person in turn", 120, 60)
    assert quadratic.value == pytest.approx(cohen_kappa_score(*pooled, weights="quadratic"))
    assert lines["kappa, linear weights"].value == pytest.approx(cohen_kappa_score(*pooled, weights="linear"))
    expected = krippendorff_alpha(people, "ordinal").value
    assert lines["alpha of the people"].value == pytest.approx(expected)
    assert "upper limit of agreement" not in lines
    halves = findings({"j": judge + 0.5}, People(people, np.arange(60), steps=True)).judges[0]
    assert "AC2, quadratic weights" not in {line.statistic for line in halves.lines}


def test_scores_have_icc_rmse_and_limits_of_agreement() -> None:
    people, judge = made()
    [one] = findings({"j": judge}, People(people[:, :1], np.arange(60))).judges
    lines = {line.statistic: line for line in one.lines}
    person = people[:, 0]
    assert lines["ICC(A,1)"].value == pytest.approx(icc(np.column_stack([judge, person])).icc_a_1.value)
    assert lines["root mean square error"].value == pytest.approx(np.sqrt(((judge - person) ** 2).mean()))
    away = judge - person
    upper = lines["upper limit of agreement"]
    assert upper.value == pytest.approx(away.mean() + 1.96 * away.std(ddof=1))
    assert upper.interval.low is not None
    assert upper.value is not None
    assert upper.interval.low < upper.value


def test_two_objects_have_no_correlation_as_they_are_always_on_a_line() -> None:
    people = np.array([[1.0, 2.0, 1.0], [3.0, 1.0, 2.0]])
    [one] = findings({"j": np.array([2.0, 1.0])}, People(people, np.arange(2), steps=True)).judges
    values = {line.statistic: line.value for line in one.lines}
    assert [values[name] for name in ("Spearman", "Pearson", "CCC", "ICC(A,1)")] == [None] * 4
    # |2 - 4/3| and |1 - 2|.
    assert values["mean absolute error"] == pytest.approx(5 / 6)
    assert [line.value for line in one.each] == [None] * 3


def test_labels_of_two_people_are_tested_object_by_object() -> None:
    # Of 24 objects the judge gives y to 6 more than both people: 24 pairs of ratings would make chi-square 12.
    judge, people = np.repeat([1.0, 1.0, 0.0, 0.0], 6), np.repeat([[1.0, 1.0], [0.0, 0.0]] * 2, 6, axis=0)
    people[12:18] = 0.0
    [one] = findings({"j": judge}, People(people, np.arange(24), "labels", labels=("x", "y"))).judges
    assert one.shares is not None
    # Each object's difference is 2: (6 x 2)² / (6 x 2²).
    assert [round(test.statistic, 9) for test in one.shares.tests] == [6.0, 8.0]
    assert one.shares.tests[0].method == "Stuart-Maxwell, 24 clusters"


def test_a_judge_without_an_error_has_no_interval_of_no_width() -> None:
    person = np.tile([1.0, 2.0, 3.0, 4.0], 10)
    lines = panel(People(person[:, None], np.arange(40), steps=True), person, person)
    seen = {line.statistic: (line.value, line.interval.low) for line in lines}
    assert seen["mean absolute error"] == seen["judge - people"] == (0.0, None)
