"""Objects that only the judge rated: published and hand-worked corrections, clusters, shift and calibration."""

import numpy as np
import pytest
import scipy

from analysis.undefined import UndefinedStatistic
from analysis.verdict.people import People
from analysis.verdict.unrated import calibrated, unrated
from reports.shared.phrases import phrase

LABELS = [1, 0, 1, 1, 0, 1, 0, 1, 1, 0]
SEEN = [1, 0, 1, 1, 1, 1, 0, 1, 0, 1]
UNSEEN = [1] * 30 + [0] * 10


def one_person(answers: list[float], measure: str = "scores", **more: object) -> People:
    column = np.array(answers, dtype=float)[:, None]
    return People(column, np.arange(len(column)), measure, **more)  # type: ignore[arg-type]


def test_the_mean_of_scores_is_the_published_ppi() -> None:
    # STATISTICS.md: lambda 0.326, 0.616 [0.329, 0.904].
    judge = np.array(SEEN + UNSEEN, dtype=float)
    found = unrated(one_person([*LABELS, *[np.nan] * 40]), judge)
    assert found is not None
    [one] = found.corrected
    assert (found.n_rated, found.n_unrated, one.method) == (10, 40, "PPI++")
    assert one.estimate.value == pytest.approx(0.61629938, abs=1e-8)
    assert (one.estimate.interval.low, one.estimate.interval.high) == pytest.approx((0.32881899, 0.90377976), abs=1e-8)
    assert one.people_alone.value == 0.6


def test_two_labels_have_rogan_and_gladens_share_first() -> None:
    # People pass 6 of 10, the judge 5 of those: se 5/6. Of the 4 others it passes 2: sp 1/2. It passes 30 of 40 alone:
    # (0.75 + 0.5 - 1) / (5/6 + 0.5 - 1) = 0.25 / (1/3) = 0.75.
    judge = np.array(SEEN + UNSEEN, dtype=float)
    found = unrated(one_person([*LABELS, *[np.nan] * 40], "labels", labels=("fail", "pass")), judge)
    assert found is not None
    assert [(one.method, one.label) for one in found.corrected] == [("Rogan-Gladen", "pass"), ("PPI++", "pass")]
    assert found.corrected[0].estimate.value == pytest.approx(0.75)
    assert found.corrected[1].estimate.value == pytest.approx(0.61629938, abs=1e-8)


def test_a_judge_at_chance_corrects_nothing_and_says_why() -> None:
    judge = np.array([1.0, 0.0] * 20 + [1.0] * 20)
    found = unrated(one_person([1.0, 1.0, 0.0, 0.0] * 10 + [np.nan] * 20, "labels", labels=("a", "b")), judge)
    assert found is not None
    assert found.corrected == ()
    assert "sum to 1 or less" in found.why


def test_nothing_is_said_where_people_rated_all_that_the_judge_did() -> None:
    assert unrated(one_person([1.0, 2.0, np.nan]), np.array([1.0, 2.0, np.nan])) is None


def test_a_label_that_no_person_gives_does_not_stop_the_correction_of_the_others() -> None:
    labels = ("fail", "pass", "refused", "unsure")
    answers = np.array([0.0, 1.0, 1.0, 3.0] * 30)
    judge = np.where(np.arange(120) % 10 == 0, 1.0, answers)
    judge[[5, 50]] = 2.0
    answers[60:] = np.nan
    found = unrated(People(answers[:, None], np.arange(120), "labels", labels=labels), judge)
    assert found is not None
    assert [one.label for one in found.corrected] == ["fail", "pass", "unsure"]
    assert found.why == "no person gives 'refused'"


def test_a_handful_of_rows_shows_no_shift() -> None:
    # All 29 have the label that a third of the others have; from 30 on it is said.
    for n, shifted in ((29, False), (30, True)):
        answers = np.concatenate([np.tile([0.0, 1.0, 1.0], 30), np.full(n, np.nan)])
        judge = np.concatenate([np.tile([0.0, 1.0, 1.0], 30), np.zeros(n)])
        judge[0] = 1.0
        judge[-1] = 1.0
        people = People(answers[:, None], np.arange(len(answers)), "labels", labels=("a", "b"))
        found = unrated(people, judge)
        assert found is not None
        assert [one.shifted for one in found.shifts] == [shifted]


def test_objects_of_one_source_widen_the_interval() -> None:
    random = np.random.default_rng(0)
    source = np.repeat(np.arange(40), 10)
    truth = random.standard_normal(40)[source]
    answers = np.where(source < 20, truth + 0.1 * random.standard_normal(400), np.nan)
    judge = truth[::-1] + random.standard_normal(400)
    apart = unrated(People(answers[:, None], np.arange(400)), judge)
    together = unrated(People(answers[:, None], source), judge)
    assert apart is not None
    assert together is not None

    def width(found: object) -> float:
        interval = found.corrected[0].estimate.interval  # type: ignore[attr-defined]
        return float(interval.high - interval.low)

    assert together.corrected[0].estimate.value == pytest.approx(apart.corrected[0].estimate.value)
    assert width(together) > 2.0 * width(apart)
    assert "40 clusters" in together.corrected[0].estimate.interval.method


def of_topics() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """25 topics of 32 documents, of which people did not rate the last 4: people's grades, the judge's, the topics."""
    random = np.random.default_rng(3)
    topics = np.repeat(np.arange(25), 32)
    quality = random.normal(0.0, 0.8, 25)[topics] + random.standard_normal(800)
    people, judge = (np.clip(np.round(1.5 + quality + random.normal(0.0, 0.4, 800)), 0, 3) for _ in range(2))
    return np.where(np.arange(800) % 32 < 28, people, np.nan), judge, topics


def by_hand(values: np.ndarray, topics: np.ndarray) -> tuple[float, float]:
    """Mean -+ t(24) times the error of the delete-one-topic jackknife."""
    there = ~np.isnan(values)
    without = np.array([values[there & (topics != topic)].mean() for topic in range(25)])
    error = np.sqrt(24 / 25 * np.sum((without - without.mean()) ** 2))
    half = float(scipy.stats.t.ppf(0.975, 24)) * error
    return values[there].mean() - half, values[there].mean() + half


def test_people_alone_and_the_judge_alone_are_over_clusters_too() -> None:
    people, judge, topics = of_topics()
    found = unrated(People(people[:, None], topics), judge)
    assert found is not None
    [one] = found.corrected
    for seen, values in ((one.people_alone, people), (one.judge_alone, judge)):
        assert (seen.interval.low, seen.interval.high) == pytest.approx(by_hand(values, topics), rel=1e-9)
        assert "25 clusters" in seen.interval.method
    # The normal interval of documents as if unrelated is not half as wide.
    alone = one.people_alone.interval
    assert alone.low is not None
    assert alone.high is not None
    assert 2 * 1.96 * np.nanstd(people) / np.sqrt(700) < 0.5 * (alone.high - alone.low)


@pytest.mark.parametrize("is_common", [False, True])
@pytest.mark.parametrize("n_people", [1, 2])
def test_shares_are_over_clusters_and_inside_0_to_1(n_people: int, is_common: bool) -> None:
    people, judge, topics = of_topics()
    rare = np.where(np.isnan(people), np.nan, (people == 3) & (topics < 4))
    answers = np.column_stack([rare, np.where(np.arange(800) % 9 == 0, 0 * rare, rare)][:n_people])
    best = (judge == 3).astype(float)
    if is_common:
        answers, best = 1.0 - answers, 1.0 - best
    found = unrated(People(answers, topics, "labels", labels=("other", "best")), best)
    assert found is not None
    powered = found.corrected[-1]
    assert (powered.method, len(found.corrected)) == ("PPI++", 3 - n_people)
    for seen in (powered.estimate, powered.people_alone, powered.judge_alone):
        assert "25 clusters" in seen.interval.method
        assert seen.interval.low is not None
        assert seen.interval.high is not None
        assert 0.0 <= seen.interval.low < seen.interval.high <= 1.0
    # The judge's share: Wilson's score interval, t(24), at the number of verdicts with the jackknife's variance.
    share = float(best.mean())
    half = (by_hand(best, topics)[1] - share) / float(scipy.stats.t.ppf(0.975, 24))
    size, z = share * (1 - share) / half**2, float(scipy.stats.t.ppf(0.975, 24))
    middle = (share + z**2 / (2 * size)) / (1 + z**2 / size)
    away = z / (1 + z**2 / size) * np.sqrt(share * (1 - share) / size + z**2 / (4 * size**2))
    judged = powered.judge_alone.interval
    assert (judged.low, judged.high) == pytest.approx((middle - away, middle + away), rel=1e-6)


@pytest.mark.parametrize("is_common", [False, True])
def test_a_share_of_two_people_stays_inside_0_to_1_without_clusters(is_common: bool) -> None:
    answers = np.zeros((90, 2))
    answers[:3, 0] = 1.0
    answers[60:] = np.nan
    judge = np.zeros(90)
    judge[[0, 5, 70]] = 1.0
    if is_common:
        answers, judge = 1.0 - answers, 1.0 - judge
    found = unrated(People(answers, np.arange(90), "labels", labels=("a", "b")), judge)
    assert found is not None
    [one] = found.corrected
    for seen in (one.estimate, one.people_alone, one.judge_alone):
        assert seen.interval.low is not None
        assert seen.interval.high is not None
        assert 0.0 <= seen.interval.low < seen.value < seen.interval.high <= 1.0


@pytest.mark.parametrize("is_common", [False, True])
@pytest.mark.parametrize("n_more", [0, 1])
def test_a_corrected_share_at_or_beyond_an_end_of_0_to_1_has_no_interval_and_says_why(
    n_more: int, is_common: bool
) -> None:
    # Both people give "b" to 10 of 60, the judge to those and n_more others, and to none of 600 that only it rated:
    # lambda is at its limit 1, and the share 0 + (10 - (10 + n_more)) / 60.
    answers = np.where(np.arange(660) < 60, np.arange(660) < 10, np.nan)
    judge = (np.arange(660) < 10 + n_more).astype(float)
    share = -n_more / 60
    if is_common:
        answers, judge, share = 1.0 - answers, 1.0 - judge, 1.0 - share
    found = unrated(People(np.column_stack([answers] * 2), np.arange(660), "labels", labels=("a", "b")), judge)
    assert found is not None
    [one] = found.corrected
    assert one.estimate.value == pytest.approx(share, abs=1e-12)
    assert (one.estimate.interval.low, one.estimate.interval.high) == (None, None)
    assert f"the corrected share {one.estimate.value:.3f} is at or beyond" in one.estimate.interval.method
    assert one.people_alone.interval.low is not None


@pytest.mark.parametrize(("moved", "shifted"), [(0.0, False), (1.0, True)])
def test_another_kind_of_rows_is_a_shift(moved: float, shifted: bool) -> None:
    random = np.random.default_rng(1)
    truth = random.standard_normal(300) + np.where(np.arange(300) < 100, 0.0, moved)
    answers = np.where(np.arange(300) < 100, truth, np.nan)
    found = unrated(one_person(answers.tolist()), truth + 0.2 * random.standard_normal(300))
    assert found is not None
    assert [(one.of, one.shifted) for one in found.shifts] == [("mean", shifted), ("spread", False)]


def test_scores_of_the_same_mean_that_spread_otherwise_are_a_shift() -> None:
    # 2 and 4 on 40 rated rows, 1 and 5 on 40 others: mean 3 twice, distance from the median 1 and 2.
    judge = np.concatenate([np.tile([2.0, 4.0], 20), np.tile([1.0, 5.0], 20)])
    found = unrated(one_person([*np.tile([2.0, 3.0, 4.0, 4.0], 10), *[np.nan] * 40]), judge)
    assert found is not None
    mean, spread = found.shifts
    assert (mean.difference.value, mean.shifted) == (0.0, False)
    assert (spread.difference.value, spread.shifted) == (1.0, True)


def test_a_judge_on_another_scale_is_calibrated_and_rated_objects_are_held_out() -> None:
    random = np.random.default_rng(2)
    truth = random.standard_normal(200)
    judge = 50 + 10 * truth
    answers = np.where(np.arange(200) < 100, 3 + truth + 0.3 * random.standard_normal(200), np.nan)
    people = one_person(answers.tolist())
    found = calibrated(people, judge)
    assert found.method == "linear"
    assert found.protocol == "5 folds over objects, 100 objects, held-out predictions pooled"
    assert np.abs(found.scores[100:] - (3 + truth[100:])).max() < 0.2
    assert found.mae_after < 0.4 < found.mae_before
    # Leaving the object out moves its own prediction.
    slope, intercept = np.polyfit(judge[:100], answers[:100], 1)
    assert np.abs(found.scores[:100] - (slope * judge[:100] + intercept)).max() > 1e-4
    one = unrated(people, judge, same_scale=False)
    assert one is not None
    assert one.corrected[0].estimate.value == pytest.approx(3 + truth.mean(), abs=0.15)


def test_a_calibration_over_clusters_says_so_in_both_languages() -> None:
    answers = np.array([*range(40), *[np.nan] * 40])
    judge = np.array([*range(40), *range(40)]) + np.arange(80) % 3
    twelve = calibrated(People(answers[:, None], np.arange(80) % 12), judge).protocol
    assert phrase(twelve).plains == {
        "en": "5 folds over clusters, 12 clusters, held-out predictions pooled, 40 objects",
        "it": "5 blocchi di gruppi, 12 gruppi, previsioni sui gruppi esclusi riunite, 40 oggetti",
    }
    with pytest.raises(UndefinedStatistic, match="all objects are of one cluster, at least 2 clusters needed"):
        calibrated(People(answers[:, None], np.zeros(80)), judge)


def test_several_labels_are_not_calibrated() -> None:
    people = one_person([0.0, 1.0, 2.0] * 20, "labels", labels=("a", "b", "c"))
    with pytest.raises(UndefinedStatistic, match="two labels"):
        calibrated(people, people.answers[:, 0])


@pytest.mark.parametrize("sources", [60, 12])
def test_a_judge_without_an_error_of_one_kind_has_an_interval_that_is_known_to_be_too_narrow(sources: int) -> None:
    # It passes all that people pass, and a third of the rest: a sensitivity of 1 is taken for known.
    person = np.tile([1.0, 1.0, 1.0, 0.0, 0.0, 0.0], 10)
    judge = np.tile([1.0, 1.0, 1.0, 1.0, 0.0, 0.0], 10)
    person[30:] = np.nan
    asked = People(person[:, None], np.arange(60) % sources, "labels", labels=("bad", "good"), positive=True)
    found = unrated(asked, judge)
    assert found is not None
    assert [one.method for one in found.corrected] == ["Rogan-Gladen", "PPI++"]
    assert [one.estimate.interval.unreliable for one in found.corrected] == [True, False]
