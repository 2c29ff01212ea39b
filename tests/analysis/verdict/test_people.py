"""People and a judge by the same statistics: against scipy, scikit-learn and a plain delete-one loop."""

from math import atanh, sqrt, tanh

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from analysis.intervals.headline import left_out, left_out_of_rows
from analysis.resampling.weighted import kappa_of_counts, spearman_of_counts
from analysis.undefined import UndefinedStatistic
from analysis.verdict.people import People, standing

NAN = float("nan")


def made(n: int = 60, people: int = 3, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    truth = random.standard_normal(n)
    rated = truth[:, None] + 0.7 * random.standard_normal((n, people))
    judge = truth + 0.5 * random.standard_normal(n)
    return np.clip(np.rint(3 + rated), 1, 5), np.clip(np.rint(3 + judge), 1, 5)


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    return float(scipy.stats.spearmanr(x, y).statistic)


def test_each_person_and_the_judge_are_held_against_the_mean_of_the_others() -> None:
    people, judge = made()
    seen = standing(People(people, np.arange(60)), judge)
    others = [np.delete(people, column, axis=1).mean(axis=1) for column in range(3)]
    by_person = [spearman(people[:, column], others[column]) for column in range(3)]
    by_judge = [spearman(judge, others[column]) for column in range(3)]
    assert [row.person for row in seen.rows] == pytest.approx(by_person)
    assert [row.judge for row in seen.rows] == pytest.approx(by_judge)
    assert seen.people.value == pytest.approx(np.mean(by_person))
    assert seen.own is not None
    assert seen.order is not None
    assert seen.own.value == pytest.approx(np.mean(by_judge))
    assert seen.order.value == pytest.approx(np.mean(by_judge) - np.mean(by_person))
    assert (seen.n, seen.n_clusters) == (60, 60)


def test_the_interval_is_students_t_over_delete_one_values_on_fishers_z() -> None:
    people, judge = made(n=48)
    clusters = np.repeat(np.arange(12), 4)
    seen = standing(People(people, clusters), judge)

    def own(rows: np.ndarray) -> float:
        return float(
            np.mean([spearman(judge[rows], np.delete(people[rows], c, axis=1).mean(axis=1)) for c in range(3)])
        )

    z = np.array([atanh(own(clusters != cluster)) for cluster in range(12)])
    error = sqrt(11 / 12 * ((z - z.mean()) ** 2).sum())
    # Equal clusters: t with clusters - 1 degrees of freedom.
    half = scipy.stats.t.ppf(0.975, 11) * error
    centre = atanh(own(np.ones(48, dtype=bool)))
    assert seen.own is not None
    assert (seen.own.low, seen.own.high) == pytest.approx((tanh(centre - half), tanh(centre + half)))


def test_labels_are_held_against_each_other_person_by_kappa() -> None:
    random = np.random.default_rng(1)
    truth = random.integers(0, 3, 90)
    noisy = [np.where(random.random(90) < 0.7, truth, random.integers(0, 3, 90)) for _ in range(4)]
    people, judge = np.column_stack(noisy[:3]).astype(float), noisy[3].astype(float)
    seen = standing(People(people, np.arange(90), "labels"), judge)
    kappas = [cohen_kappa_score(judge, people[:, column]) for column in range(3)]
    assert seen.own is not None
    assert seen.own.value == pytest.approx(np.mean(kappas))
    between = [cohen_kappa_score(people[:, a], people[:, b]) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert seen.people.value == pytest.approx(np.mean(between))
    assert seen.bias is None


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)), min_size=4, max_size=25))
def test_kappa_of_counts_is_scikit_learns_of_the_repeated_rows(rows: list[tuple[int, int, int]]) -> None:
    x, y, times = (np.array(column) for column in zip(*rows, strict=True))
    one, two = np.repeat(x, times), np.repeat(y, times)
    for ordered, weights in ((False, None), (True, "quadratic")):
        found = kappa_of_counts(x.astype(float), y.astype(float), ordered)(times[None, :])[0]
        if len(set(one) | set(two)) < 2:
            assert np.isnan(found)
        else:
            assert found == pytest.approx(cohen_kappa_score(one, two, weights=weights, labels=range(4)), abs=1e-12)


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_equal_rows_counted_together_give_the_same_delete_one_values(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.integers(0, 3, (200, 2)).astype(float)
    clusters = random.integers(0, 8, 200)

    def of(table: np.ndarray):
        function = spearman_of_counts(table[:, 0], table[:, 1])
        return lambda counts: function(counts)[:, None]

    together, apart = left_out_of_rows(of, rows, clusters, seed=0), left_out(of(rows), clusters, seed=0)
    assert together.values == pytest.approx(apart.values)
    assert together.deleted == pytest.approx(apart.deleted)
    assert together.sizes == pytest.approx(apart.sizes)


def test_objects_without_the_judge_or_with_one_person_do_not_count() -> None:
    people, judge = made(n=64)
    people[:3, 1:], judge[60] = NAN, NAN
    seen = standing(People(people, np.arange(64)), judge)
    assert seen.n == 60
    assert seen.rows[0].n == 60


def test_a_crowd_of_whom_nobody_rated_thirty_objects_is_tested_as_one() -> None:
    whole, judge = made(n=90, people=12)
    crowd = np.full((90, 12), NAN)
    for row in range(90):
        kept = [(row + step) % 12 for step in range(3)]
        crowd[row, kept] = whole[row, kept]
    seen = standing(People(crowd, np.arange(90)), judge)
    assert seen.test is not None
    assert list(seen.test.annotators) == ["all annotators"]
    assert seen.test.n_instances == 90
    assert "12 annotators together" in seen.test.method
    # Every rating against the mean of the other two of its object.
    rows, columns = np.nonzero(~np.isnan(crowd))
    ones = crowd[rows, columns]
    others = (np.nansum(crowd[rows], axis=1) - ones) / 2
    assert seen.people.value == pytest.approx(spearman(ones, others))
    assert seen.own is not None
    assert seen.own.value == pytest.approx(spearman(judge[rows], others))


def test_people_who_share_few_objects_with_each_other_person_are_held_against_all_of_them_together() -> None:
    random = np.random.default_rng(4)
    truth = random.random(120) < 0.9
    labels = np.full((120, 12), NAN)
    for person in range(12):
        rows = random.choice(120, 36, replace=False)
        labels[rows, person] = truth[rows] ^ (random.random(36) < 0.1)
    judge = (truth ^ (random.random(120) < 0.1)).astype(float)
    seen = standing(People(labels, np.arange(120), "labels"), judge)
    # Pairs of people share about eleven objects, all of one label in some.
    ones, others = np.nonzero(~np.isnan(labels[:, 0]))[0], ~np.isnan(labels)
    first = [(labels[row, 0], judge[row], labels[row, of]) for of in range(1, 12) for row in ones if others[row, of]]
    person, machine, held = (list(column) for column in zip(*first, strict=True))
    assert seen.rows[0].person == pytest.approx(cohen_kappa_score(person, held))
    assert seen.rows[0].judge == pytest.approx(cohen_kappa_score(machine, held))
    assert seen.own is not None
    assert seen.own.low is not None


def test_people_who_share_thirty_objects_are_held_against_each_other_one_by_one_however_few_rows_differ() -> None:
    labels = np.tile([[0.0, 0, 0], [1, 1, 0], [1, 1, 1], [1, 1, 1]], (10, 1))
    seen = standing(People(labels, np.arange(40), "labels"), labels[:, 0])
    pairs = [cohen_kappa_score(labels[:, one], labels[:, other]) for one, other in ((0, 1), (0, 2), (1, 2))]
    assert seen.people.value == pytest.approx(np.mean(pairs))


def test_a_person_who_gave_one_answer_leaves_agreement_undefined() -> None:
    people, judge = made()
    people[:, 1] = 3.0
    with pytest.raises(UndefinedStatistic, match="one and the same answer"):
        standing(People(people, np.arange(60)), judge)


def test_scores_of_another_scale_are_compared_by_order_alone() -> None:
    people, judge = made()
    seen, same = (
        standing(People(people, np.arange(60)), judge * 20, same_scale=False),
        standing(People(people, np.arange(60)), judge),
    )
    assert (seen.test, seen.bias) == (None, None)
    assert seen.own == same.own


def test_bounds_for_other_people_add_the_variance_between_people() -> None:
    people, judge = made()
    seen = standing(People(people, np.arange(60)), judge)
    assert seen.own is not None
    assert seen.with_others is not None

    def own(answers: np.ndarray) -> float:
        columns = range(answers.shape[1])
        return float(np.mean([spearman(judge, np.delete(answers, c, axis=1).mean(axis=1)) for c in columns]))

    z = np.array([atanh(own(np.delete(people, person, axis=1))) for person in range(3)])
    between, objects = 2 / 3 * ((z - z.mean()) ** 2).sum(), seen.own.error**2
    freedom = (objects + between) ** 2 / (objects**2 / 59 + between**2 / 2)
    half = scipy.stats.t.ppf(0.975, freedom) * sqrt(objects + between)
    assert seen.with_others.own == pytest.approx((tanh(seen.own.at - half), tanh(seen.own.at + half)))
    assert seen.own.low is not None
    assert seen.with_others.own[0] < seen.own.low


def test_two_people_and_a_judge_of_one_answer_have_no_bounds_for_other_people() -> None:
    people, judge = made(people=2)
    assert standing(People(people, np.arange(60)), judge).with_others is None
    people, judge = made()
    assert standing(People(people, np.arange(60)), np.full(60, 3.0)).with_others is None


@pytest.mark.slow
def test_bounds_for_other_people_contain_what_they_would_give() -> None:
    random, hits = np.random.default_rng(3), [0, 0]

    def study(n: int) -> tuple[np.ndarray, np.ndarray]:
        truth, taste = random.standard_normal(n), random.standard_normal(n)
        noise, level, weight = (
            np.exp(0.4 * random.standard_normal(5)),
            random.standard_normal(5),
            random.standard_normal(5),
        )
        people = truth[:, None] + 0.4 * taste[:, None] * weight + 0.3 * level
        people = people + 0.577 * noise * random.standard_normal((n, 5))
        judge = truth + 0.577 * random.standard_normal(n)
        return np.clip(np.rint(3 + people), 1, 5), np.clip(np.rint(3 + judge), 1, 5)

    def order(people: np.ndarray, judge: np.ndarray) -> float:
        others = [np.delete(people, person, axis=1).mean(axis=1) for person in range(5)]
        return float(
            np.mean([spearman(judge, mean) - spearman(one, mean) for one, mean in zip(people.T, others, strict=True)])
        )

    truth = np.mean([order(*study(600)) for _ in range(100)])
    for _ in range(100):
        people, judge = study(120)
        seen = standing(People(people, np.arange(120)), judge)
        assert seen.order is not None
        assert seen.order.value == pytest.approx(order(people, judge))
        assert seen.order.low is not None
        assert seen.order.high is not None
        assert seen.with_others is not None
        hits[0] += seen.order.low <= truth <= seen.order.high
        hits[1] += seen.with_others.order[0] <= truth <= seen.with_others.order[1]
    assert hits[0] < 85
    assert hits[1] >= 90


def test_one_object_says_nothing_of_agreement() -> None:
    with pytest.raises(UndefinedStatistic, match="scored 1 of the same objects, fewer than 3"):
        standing(People(np.array([[2.0, 5.0, 1.0]]), np.arange(1)), np.array([1.0]))


@pytest.mark.filterwarnings("error")
def test_agreement_that_is_perfect_or_undefined_without_an_object_has_no_interval_and_no_warning() -> None:
    # Without object 0 two people agree always and everybody gives one label: kappa is 1 there, and 0/0.
    people = np.zeros((40, 3))
    people[0], people[1, 2] = 1.0, 1.0
    seen = standing(People(people, np.arange(40), "labels", labels=("a", "b")), people[:, 0])
    assert seen.own is not None
    assert (seen.own.low, seen.own.method) == (None, "without one of 40 clusters it is undefined")


def test_above_a_thousand_objects_an_interval_names_the_groups_left_out() -> None:
    answers, judge = made(1200)
    assert standing(People(answers, np.arange(1200)), judge).people.method.endswith("200 groups of 1200 clusters")
