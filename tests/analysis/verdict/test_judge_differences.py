"""Judges side by side: differences worked by hand, and rank groups that follow Holm's tests."""

import numpy as np
import pytest

from analysis.verdict.judge_differences import Objects, OneJudge, Row, judge_differences
from analysis.verdict.people import Levels

PEOPLE = np.array([0.1, 0.3, 0.5, 0.7, 0.9, 0.6])
# One judge is 0.1 too high everywhere, the other off by 0.1 to 0.3.
NEAR, FAR = PEOPLE + 0.1, PEOPLE + np.array([0.2, 0.1, 0.3, 0.2, 0.1, 0.3])
PRODUCTS = np.array([f"p{place}" for place in range(6)])


def judge(scores: np.ndarray, within: float, cost_usd: float) -> OneJudge:
    """Two repeats, so far below and above each score."""
    repeats = np.column_stack([scores - within, scores + within])
    return OneJudge(repeats, scores, scores, np.full(len(scores), cost_usd))


def found(**judges: OneJudge) -> dict[tuple[str, str | None, str], Row]:
    objects = Objects(PRODUCTS, PEOPLE[:, None], PEOPLE, PRODUCTS)
    rows = judge_differences(judges, objects, planned_repeats=2, resamples=200, levels=Levels())
    return {(row.judge, row.other, row.statistic): row for row in rows}


BOTH = {"near": judge(NEAR, 0.05, 0.02), "far": judge(FAR, 0.05, 0.04)}


def test_the_difference_of_two_errors_is_that_of_the_pairs() -> None:
    rows = found(**BOTH)
    assert rows["near", None, "mae"].value == pytest.approx(0.1)
    assert rows["far", None, "mae"].value == pytest.approx(0.2)
    # Differences -0.1, 0, -0.2, -0.1, 0, -0.2: mean -0.1, sd 0.0894, standard error 0.0365, t(5) 2.571 and -2.739.
    seen = rows["near", "far", "mae"]
    assert seen.value == pytest.approx(-0.1)
    assert (seen.low, seen.high) == (pytest.approx(-0.193864, abs=1e-5), pytest.approx(-0.006136, abs=1e-5))
    assert seen.p == pytest.approx(0.0409, abs=1e-4)
    assert seen.p_holm == seen.p
    assert [rows[name, None, "mae"].letters for name in BOTH] == ["a", "b"]
    assert (seen.n, seen.n_clusters) == (6, 6)


def test_holm_over_three_pairs_takes_the_separation_away() -> None:
    rows = found(**BOTH, again=judge(FAR, 0.05, 0.04))
    seen = rows["near", "far", "mae"]
    assert seen.p is not None
    # The two that are alike differ by 0 everywhere, p 1; of the other two, both 0.0409, the smaller times 3 is 0.1226.
    assert seen.p_holm == pytest.approx(3 * seen.p)
    assert (rows["far", "again", "mae"].value, rows["far", "again", "mae"].p) == (0.0, 1.0)
    assert {rows[name, None, "mae"].letters for name in ("near", "far", "again")} == {"a"}


def test_reliability_and_what_a_hundredth_of_it_costs() -> None:
    rows = found(**BOTH)
    # Squares between: 2 x 0.408333 / 5 = 0.163333; within: 6 x 2 x 0.05^2 / 6 = 0.005. 1 - 0.005 / 0.163333.
    assert rows["near", None, "icc"].value == pytest.approx(0.9693878, abs=1e-6)
    assert rows["near", None, "cost_per_object_usd"].value == pytest.approx(0.02)
    assert rows["near", None, "cost_per_point_usd"].value == pytest.approx(0.02 / 96.93878, abs=1e-8)
    seen = rows["near", "far", "cost_per_object_usd"]
    # Each object costs the same: the difference is certain, and every letter is a judge's own.
    assert (seen.value, seen.low, seen.high, seen.p) == (pytest.approx(-0.02), seen.value, seen.value, 0.0)
    assert [rows[name, None, "cost_per_object_usd"].letters for name in BOTH] == ["a", "b"]


def test_what_is_not_defined_is_null_with_its_reason() -> None:
    same = OneJudge(np.full((6, 2), 0.5), np.full(6, 0.5), np.full(6, 0.5), np.full(6, np.nan))
    rows = found(near=BOTH["near"], same=same)
    for statistic in ("spearman", "icc", "cost_per_object_usd", "cost_per_point_usd", "omega"):
        for key in (("same", None, statistic), ("near", "same", statistic)):
            assert rows[key].value is None
            assert rows[key].undefined
    assert rows["near", None, "spearman"].letters == "a"
    assert rows["near", "same", "mae"].value is not None
    # One person alone: omega has no one to stand in for.
    assert rows["near", None, "omega"].undefined == "fewer than two people, or none with enough objects"


def test_omega_is_a_share_of_people_and_its_difference_has_no_test() -> None:
    random = np.random.default_rng(3)
    truth = random.uniform(size=60)
    ratings = truth[:, None] + 0.1 * random.normal(size=(60, 3))
    products = np.repeat(np.arange(30), 2)
    objects = Objects(products, ratings, ratings.mean(axis=1), products)
    good, bad = truth + 0.02 * random.normal(size=60), random.uniform(size=60)
    judges = {"good": judge(good, 0.01, 0.0), "bad": judge(bad, 0.01, 0.0)}
    rows = judge_differences(judges, objects, planned_repeats=2, resamples=300, levels=Levels())
    by = {(row.judge, row.other): row for row in rows if row.statistic == "omega"}
    assert (by["good", None].value, by["bad", None].value, by["good", "bad"].value) == (1.0, 0.0, 1.0)
    assert (by["good", "bad"].low, by["good", "bad"].p, by["good", None].letters) == (1.0, None, None)
    assert by["good", "bad"].method.startswith("percentile bootstrap, 300 resamples, 30 clusters")
