"""The alternative annotator test: by hand, against a slow reading of the paper, and what must hold for any data."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student
from scipy.stats import ttest_1samp

from analysis.agreement.alternative_annotator import (
    EPSILON,
    AgainstAnnotator,
    alternative_annotator,
    winning_rate_of_counts,
)
from analysis.undefined import UndefinedStatistic

NAN = np.nan
# Annotators a, b, c and the judge on four objects; S is minus the RMSE to the two others.
RATINGS = [[0.1, 0.3, 0.5], [0.4, 0.4, 0.4], [0.2, 0.6, 0.8], [0.9, 0.7, 0.7]]
JUDGE = [0.4, 0.5, 0.7, 0.7]


@st.composite
def rated(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Some 4 to 12 objects, 2 to 4 annotators, grid of 0.1 so that ties occur, gaps on both sides."""
    n, m = draw(st.integers(4, 12)), draw(st.integers(2, 4))
    cells = st.one_of(st.integers(0, 10).map(lambda step: step / 10), st.just(NAN))
    flat = draw(st.lists(cells, min_size=n * (m + 1), max_size=n * (m + 1)))
    table = np.array(flat).reshape(n, m + 1)
    return table[:, :m], table[:, m]


def slow(ratings, judge, metric, epsilon, q, fewest):
    """The paper's procedure with loops: (omega, rho, p by annotator), or none where nobody can be tested."""
    n, m = ratings.shape
    ratings, judge = ratings.tolist(), judge.tolist()

    def alignment(value, others):
        if metric == "accuracy":
            return sum(round(value - other, 12) == 0 for other in others) / len(others)
        return -sqrt(sum(round(value - other, 12) ** 2 for other in others) / len(others))

    p_values, advantages = {}, []
    for j in range(m):
        d, wins = [], []
        for i in range(n):
            others = [ratings[i][k] for k in range(m) if k != j and not np.isnan(ratings[i][k])]
            if np.isnan(ratings[i][j]) or np.isnan(judge[i]) or not others:
                continue
            gap = round(alignment(ratings[i][j], others) - alignment(judge[i], others), 10)
            d.append((gap >= 0) - (gap <= 0))
            wins.append(gap <= 0)
        if len(d) < fewest:
            continue
        if len(set(d)) == 1:
            p_values[j] = 0.0 if d[0] < epsilon else 1.0
        else:
            p_values[j] = float(ttest_1samp(d, epsilon, alternative="less").pvalue)
        advantages.append(sum(wins) / len(wins))
    if not p_values:
        return None
    size = len(p_values)
    penalty = sum(1 / rank for rank in range(1, size + 1))
    under = [rank for rank, p in enumerate(sorted(p_values.values()), 1) if p <= rank * q / (size * penalty) + 1e-13]
    return max(under, default=0) / size, sum(advantages) / size, p_values


def test_four_objects_by_hand():
    # a: object 1 a is .2 and .4 off, judge .1 and .1: judge. 2: a is right, judge .1 off: a. 3: a .4 and .6, judge .1
    # and .1: judge. 4: a .2 off, judge right: judge. d = -1, 1, -1, -1: mean -.5, sd 1, t = (-.5 - .2) / (1/2) = -1.4.
    # b: 1: b .2 and .2 off, judge .3 and .1: RMSE .2 against .2236: b. 2: b. 3: b .4 and .2 (.3162), judge .5 and .1
    # (.3606): b. 4: b .2 and 0, judge .2 and 0: tie. d = 1, 1, 1, 0: mean .75, sd .5, t = .55 / .25 = 2.2.
    # c: 1: c .4 and .2, judge .3 and .1: judge. 2: c. 3: c .6 and .2, judge .5 and .1: judge. 4: tie. d = -1, 1, -1, 0:
    # mean -.25, sd sqrt(2.75/3) = .957427, t = -.45 / .478714 = -.940019.
    seen = alternative_annotator(RATINGS, JUDGE, ["a", "b", "c"], fewest_instances=2)
    a, b, c = (seen.annotators[name] for name in "abc")
    assert [a.t, b.t, c.t] == pytest.approx([-1.4, 2.2, -0.940019], abs=1e-6)
    assert [a.judge_share, b.judge_share, c.judge_share] == [0.75, 0.25, 0.75]
    assert [a.annotator_share, b.annotator_share, c.annotator_share] == [0.25, 1.0, 0.5]
    # Student with 3 degrees of freedom: P(T < -1.4) = 0.1280, P(T < 2.2) = 0.9424, P(T < -.940) = 0.2083.
    assert [a.p, b.p, c.p] == pytest.approx([0.1280, 0.9424, 0.2083], abs=5e-5)
    # c(3) 3 = 5.5: .1280 x 5.5 = .704, .2083 x 5.5 / 2 = .573, so .573 for both; .9424 x 5.5 / 3 > 1.
    assert [a.p_adjusted, b.p_adjusted, c.p_adjusted] == pytest.approx([0.5728, 1.0, 0.5728], abs=1e-4)
    assert (seen.winning_rate, seen.n_tested, seen.n_rejected, seen.n_skipped) == (0.0, 3, 0, 0)
    assert seen.advantage == pytest.approx((0.75 + 0.25 + 0.75) / 3)


def test_instances_of_one_source_are_no_more_than_one_by_hand():
    # d of a and b as above, objects 1 and 2 from one source. a: sums 0 and -2 about -1 each, variance
    # 2/1 x (1 + 1) / 4^2 = 1/4, t = -.7 / .5. b: sums 2 and 1 about 1.5, 2 x (.25 + .25) / 16 = 1/16, t = .55 / .25.
    seen = alternative_annotator(RATINGS, JUDGE, ["a", "b", "c"], fewest_instances=2, clusters=["x", "x", "y", "y"])
    a, b = seen.annotators["a"], seen.annotators["b"]
    assert [a.error, a.t, b.error, b.t] == pytest.approx([0.5, -1.4, 0.25, 2.2])
    # Student with 1 degree of freedom: 1/2 + arctan(t)/pi. Independent instances as before.
    assert [a.p, b.p] == pytest.approx([0.5 + np.arctan(t) / np.pi for t in (-1.4, 2.2)])
    assert [a.p_independent, b.p_independent] == pytest.approx([0.1280, 0.9424], abs=5e-5)
    assert [a.mean_d, b.mean_d, a.n_clusters] == [-0.5, 0.75, 2]
    assert seen.method.endswith("over 3 annotators, variance between clusters")
    whole = alternative_annotator(RATINGS, JUDGE, fewest_instances=2, clusters=["x"] * 4)
    assert [(one.error, one.t, one.p, one.n_clusters) for one in whole.annotators.values()] == [
        (None, None, 1.0, 1)
    ] * 3


def test_a_source_that_others_rated_does_not_count_for_an_annotator():
    # b rated nothing of z: two sources, as by hand above.
    ratings = np.array([[*row, 0.5] for row in RATINGS] + [[0.1, NAN, 0.2, 0.1]])
    seen = alternative_annotator(ratings[:, :3], [*JUDGE, 0.5], fewest_instances=2, clusters=list("xxyyz"))
    assert (seen.annotators[1].n_clusters, seen.annotators[0].n_clusters) == (2, 3)
    assert seen.annotators[1].t == pytest.approx(2.2)


CROWD = np.array([[0.2, 0.6, NAN, NAN], [NAN, 0.5, 0.5, NAN], [NAN, NAN, 0.1, 0.9], [0.5, NAN, NAN, 0.3]])
OF_CROWD = [0.4, 0.7, 0.9, 0.3]


def test_a_crowd_is_tested_as_one_by_hand():
    # Each rated two of four objects, with one other. Object 1: the judge is nearer to both. 2: both agree, it does not.
    # 3: for .1 it is right on .9, for .9 both are .8 off. 4: for .5 it is right on .3, for .3 both are .2 off.
    # d = -1 -1 | 1 1 | -1 0 | -1 0: mean -1/4; sums -2 2 -1 -1 about -1/2 each: 4/3 x (2.25 + 6.25 + .25 + .25) / 8^2 =
    # 3/16; t = -.45 / sqrt(3/16) with 3 degrees of freedom.
    seen = alternative_annotator(CROWD, OF_CROWD, fewest_instances=4, pool_small=True)
    [(name, found)] = seen.annotators.items()
    assert name == "all annotators"
    assert (found.n_instances, found.n_clusters, found.judge_share, found.annotator_share) == (8, 4, 0.75, 0.5)
    assert (found.mean_d, found.error) == pytest.approx((-0.25, sqrt(3 / 16)))
    assert found.t == pytest.approx(-0.45 / sqrt(3 / 16))
    assert found.p == pytest.approx(student.cdf(-0.45 / sqrt(3 / 16), 3))
    assert (seen.n_tested, seen.n_skipped, seen.n_instances, seen.warning) == (1, 0, 4, None)
    assert "over 4 annotators together, each with few instances" in seen.method
    for arguments in ({"fewest_instances": 4}, {"fewest_instances": 5, "pool_small": True}):
        with pytest.raises(UndefinedStatistic, match=r"\(most: 2\)"):
            alternative_annotator(CROWD, OF_CROWD, **arguments)


def test_a_crowd_with_one_who_rated_enough_is_that_one():
    seen = alternative_annotator(RATINGS, JUDGE, fewest_instances=4, pool_small=True)
    assert (seen.n_tested, list(seen.annotators)) == (3, [0, 1, 2])


def test_what_is_allowed_and_the_level_have_ends():
    for epsilon in (0.0, 1.0):
        assert alternative_annotator(RATINGS, JUDGE, epsilon=epsilon, fewest_instances=2).epsilon == epsilon
    for changed in ({"epsilon": 1.01}, {"q": 0.0}, {"q": 1.0}):
        with pytest.raises(ValueError, match="epsilon must lie"):
            alternative_annotator(RATINGS, JUDGE, **changed)


def test_categories_by_hand():
    # Others of a: b and c. Object 1: a agrees with 1 of 2, judge with 1 of 2: tie. 2: a 0, judge 1: judge. 3: a 1 of 1
    # (c did not rate), judge 0: a. d = 0, -1, 1.
    seen = alternative_annotator(
        [[1, 1, 2], [2, 3, 3], [1, 1, NAN]], [2, 3, 3], metric="accuracy", fewest_instances=3, epsilon=0.1
    )
    # d = 0, -1, 1: mean 0, sd 1: t = -.1 / (1 / sqrt 3).
    assert seen.annotators[0].t == pytest.approx(-0.1 * sqrt(3))
    # c has two instances only.
    assert seen.annotators[2] == AgainstAnnotator(2, True, None, None, None, None, None, None)
    assert (seen.n_tested, seen.n_skipped) == (2, 1)


@settings(max_examples=150, deadline=None)
@given(rated(), st.sampled_from(["negative_rmse", "accuracy"]), st.sampled_from(list(EPSILON.values())))
def test_a_slow_reading_of_the_paper_gives_the_same(data, metric, epsilon):
    ratings, judge = data
    expected = slow(ratings, judge, metric, epsilon, 0.05, 3)
    try:
        seen = alternative_annotator(ratings, judge, metric=metric, epsilon=epsilon, fewest_instances=3)
    except UndefinedStatistic:
        assert expected is None
        return
    omega, rho, p_values = expected
    assert seen.winning_rate == pytest.approx(omega)
    assert seen.advantage == pytest.approx(rho)
    assert {j: one.p for j, one in seen.annotators.items() if not one.skipped} == pytest.approx(p_values, abs=1e-10)
    assert seen.n_skipped == ratings.shape[1] - len(p_values)


@settings(max_examples=50, deadline=None)
@given(rated(), st.randoms(use_true_random=False))
def test_the_order_of_annotators_does_not_matter(data, random):
    ratings, judge = data
    names = list(range(ratings.shape[1]))
    order = random.sample(names, len(names))
    try:
        first = alternative_annotator(ratings, judge, names, fewest_instances=2)
    except UndefinedStatistic:
        with pytest.raises(UndefinedStatistic):
            alternative_annotator(ratings[:, order], judge, order, fewest_instances=2)
        return
    seen = alternative_annotator(ratings[:, order], judge, order, fewest_instances=2)
    assert seen.winning_rate == first.winning_rate
    assert seen.advantage == pytest.approx(first.advantage)
    for name in names:
        assert seen.annotators[name].t == first.annotators[name].t


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(3, 6))
def test_a_judge_that_gives_the_mean_of_the_annotators_wins_against_each(seed, n_annotators):
    # Nearer to the others than any annotator but by the m-th part of his own distance: no d is above 0.
    ratings = np.random.default_rng(seed).uniform(0, 1, (40, n_annotators))
    seen = alternative_annotator(ratings, ratings.mean(axis=1))
    assert (seen.winning_rate, seen.advantage) == (1.0, 1.0)


def test_a_judge_that_says_the_same_of_everything_loses_against_people_who_agree():
    truth = np.linspace(0, 1, 40)
    ratings = truth[:, None] + np.array([0.01, 0.0, -0.01])
    seen = alternative_annotator(ratings, np.full(40, 0.5))
    assert seen.winning_rate == 0.0
    assert seen.advantage < 0.1


def test_where_all_d_are_equal_there_is_no_t_and_p_is_0_or_1():
    # The judge is the mean of both others: always nearer. Swapped, the annotator always is.
    ratings = [[0.9, 0.2, 0.4]] * 5
    seen = alternative_annotator(ratings, [0.3] * 5, fewest_instances=5)
    assert (seen.annotators[0].t, seen.annotators[0].p) == (None, 0.0)
    far = alternative_annotator(ratings, [0.0] * 5, fewest_instances=5)
    assert (far.annotators[1].t, far.annotators[1].p) == (None, 1.0)


def test_a_tie_everywhere_wins_unless_nothing_is_granted():
    ratings = [[0.5, 0.5, 0.5]] * 4
    assert alternative_annotator(ratings, [0.5] * 4, fewest_instances=4).winning_rate == 1.0
    # 0 is not below 0.
    assert alternative_annotator(ratings, [0.5] * 4, fewest_instances=4, epsilon=0.0).winning_rate == 0.0


def test_equal_distances_that_floats_tell_apart_are_a_tie():
    # 0.7 - 0.6 and 0.8 - 0.7 differ in the last digit.
    seen = alternative_annotator([[0.8, 0.7], [0.8, 0.7]], [0.6, 0.6], fewest_instances=2)
    assert (seen.annotators[0].judge_share, seen.annotators[0].annotator_share) == (1.0, 1.0)


def test_annotators_under_thirty_instances_are_skipped_and_counted():
    ratings = np.random.default_rng(1).uniform(0, 1, (40, 3))
    ratings[29:, 2] = NAN
    seen = alternative_annotator(ratings, ratings[:, :2].mean(axis=1))
    assert (seen.n_tested, seen.n_skipped) == (2, 1)
    assert (seen.annotators[2].skipped, seen.annotators[2].n_instances) == (True, 29)
    ratings[29, 2] = 0.5
    assert alternative_annotator(ratings, ratings[:, :2].mean(axis=1)).n_tested == 3


def test_objects_without_the_judge_or_a_second_annotator_do_not_count():
    ratings = np.array([[0.1, 0.2], [0.3, NAN], [0.5, 0.4], [0.2, 0.2]])
    seen = alternative_annotator(ratings, [0.1, 0.3, NAN, 0.2], fewest_instances=2)
    assert [one.n_instances for one in seen.annotators.values()] == [2, 2]
    assert seen.n_instances == 2


def test_two_annotators_are_few_and_three_are_not():
    ratings = np.random.default_rng(1).uniform(0, 1, (30, 3))
    assert alternative_annotator(ratings, ratings[:, 0]).warning is None
    assert alternative_annotator(ratings[:, :2], ratings[:, 0]).warning == (
        "only 2 annotators: each is measured by the other alone; 3 or more are advised"
    )


def test_an_annotator_alone_on_other_objects_is_not_counted_as_a_third():
    ratings = np.full((60, 3), NAN)
    ratings[:30, :2] = np.random.default_rng(1).uniform(0, 1, (30, 2))
    ratings[30:, 2] = 0.5
    seen = alternative_annotator(ratings, np.full(60, 0.5))
    assert (seen.n_tested, seen.warning is not None) == (2, True)
    assert seen.warning.startswith("only 2 annotators")


def test_what_cannot_be_tested_is_undefined_with_the_reason():
    with pytest.raises(UndefinedStatistic, match="only 1 annotator, at least 2 needed"):
        alternative_annotator(np.full((40, 1), 0.5), np.full(40, 0.5))
    with pytest.raises(UndefinedStatistic, match="only 1 annotator"):
        alternative_annotator([[0.1, NAN], [0.2, NAN]], [0.1, 0.2])
    with pytest.raises(UndefinedStatistic, match=r"no person rated 30 objects .* \(most: 29\)"):
        alternative_annotator(np.full((29, 2), 0.5), np.full(29, 0.5))
    with pytest.raises(UndefinedStatistic, match="no annotator rated anything"):
        alternative_annotator([[NAN, NAN]], [0.5])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"judge": [0.1]}, "shape"),
        ({"judge": [0.1, np.inf, 0.2, 0.3]}, "infinite"),
        ({"names": ["a", "a", "b"]}, "name of its own"),
        ({"metric": "rmse"}, "metric must be"),
        ({"epsilon": -0.1}, "epsilon must lie"),
        ({"q": 1.0}, "q between"),
        ({"fewest_instances": 1}, "fewest_instances"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(changes, said):
    with pytest.raises(ValueError, match=said):
        alternative_annotator(**{"ratings": RATINGS, "judge": JUDGE, **changes})


@pytest.mark.parametrize("seed", range(4))
def test_omega_of_a_resample_is_omega_of_its_rows_written_out(seed: int) -> None:
    random = np.random.default_rng(seed)
    truth = np.round(random.uniform(size=80), 1)
    ratings = np.round(truth[:, None] + 0.15 * random.normal(size=(80, 4)), 1)
    ratings[random.uniform(size=ratings.shape) < 0.3] = NAN
    # The fourth has too few objects in some resamples and is skipped there.
    ratings[45:, 3] = NAN
    judge = np.round(truth + 0.05 * seed + 0.1 * random.normal(size=80), 1)
    sources = np.repeat(np.arange(20), 4)
    drawn = random.multinomial(20, np.full(20, 1 / 20), size=5)
    counts = np.vstack([np.ones(20, dtype=int), drawn])
    seen = winning_rate_of_counts(ratings, judge, sources, epsilon=0.15)(counts)
    for row, omega in zip(counts, seen, strict=True):
        copies = [(source, copy) for source in range(20) for copy in range(row[source])]
        rows = np.concatenate([np.flatnonzero(sources == source) for source, _ in copies])
        found = alternative_annotator(
            ratings[rows], judge[rows], epsilon=0.15, clusters=np.repeat(np.arange(len(copies)), 4)
        )
        assert omega == found.winning_rate
