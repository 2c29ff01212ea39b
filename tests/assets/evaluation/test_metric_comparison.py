"""Two data sets held against each other: accuracies and means, of the same samples and of different ones."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.accuracy.accuracy_comparison import cohens_h
from analysis.resampling.bootstrap import Resampling
from assets.evaluation.logic.rows import as_table
from assets.evaluation.metric_comparison import comparison_rows
from resources.configuration.evaluation import Dataset
from resources.tables.all_tables import TABLES
from resources.tables.evaluation import EVALUATION_SAMPLES, METRIC_COMPARISON
from resources.tables.parquet import checked

QUICK = Resampling(42, resamples=200)
ONE_SCALE = Dataset(same_scale=True)


def questions(name: str, right: list[bool], begin: int = 0, reference: Sequence[str] | None = None) -> pd.DataFrame:
    rows = [
        {"sample_id": str(begin + n), "kind": "answers", "truth_answer": "A", "prediction_answer": "A" if yes else None}
        for n, yes in enumerate(right)
    ]
    frame = as_table(EVALUATION_SAMPLES, name, rows)
    return frame if reference is None else pd.concat([frame, pd.DataFrame({"field.reference": reference})], axis=1)


def scores(name: str, values: list[float], truths: list[float]) -> pd.DataFrame:
    rows = [
        {"sample_id": str(n), "kind": "scores", "prediction_score": value, "truth_score": truth}
        for n, (value, truth) in enumerate(zip(values, truths, strict=True))
    ]
    return as_table(EVALUATION_SAMPLES, name, rows)


def compared(
    first: pd.DataFrame, second: pd.DataFrame, dataset: Dataset, other: Dataset | None = None
) -> dict[str, dict[str, Any]]:
    """Rows by statistic, as the table would store them."""
    known = {"a": dataset, "b": other or dataset}
    rows = list(comparison_rows({"a": first, "b": second}, ("a", "b"), known, QUICK))
    frame = pd.DataFrame(rows, columns=[column.name for column in METRIC_COMPARISON.columns])
    stored = checked(TABLES["metric_comparison"], frame)
    return {str(name): dict(stored.iloc[place]) for place, name in enumerate(stored["statistic"])}


def test_the_same_questions_are_compared_by_mcnemars_mid_p() -> None:
    # Both right 40, only the first 12, only the second 3, both wrong 5: of 15 split 12 to 3,
    # mid-p = 2 (C(15,0) + C(15,1) + C(15,2)) / 2^15 + C(15,3) / 2^15 = (2 * 121 + 455) / 32768.
    first = [True] * 52 + [False] * 8
    second = [True] * 40 + [False] * 12 + [True] * 3 + [False] * 5
    row = compared(questions("a", first), questions("b", second), Dataset())["accuracy"]
    assert row["p"] == pytest.approx(697 / 32768, abs=1e-12)
    assert row["p_method"] == "McNemar's mid-p"
    assert (row["first_value"], row["second_value"]) == pytest.approx((52 / 60, 43 / 60))
    assert row["difference"] == pytest.approx(9 / 60, abs=1e-12)
    assert (row["n_used"], row["n_clusters"], bool(row["significant"])) == (60, 60, True)
    assert 0 < row["ci_low"] < 0.15 < row["ci_high"]
    assert pd.isna(row["cohens_h"])


def test_questions_of_one_cluster_are_drawn_together_and_p_says_what_it_assumes() -> None:
    reference = [f"i{n // 6}" for n in range(60)]
    first, second = (
        questions(name, [True] * n + [False] * (60 - n), 0, reference) for name, n in (("a", 42), ("b", 24))
    )
    row = compared(first, second, Dataset(cluster="reference"))["accuracy"]
    assert (row["n_used"], row["n_clusters"]) == (60, 10)
    assert row["p_method"] == "McNemar's mid-p, assumes independence"
    assert bool(row["significant"]) is bool(row["ci_low"] > 0)


def test_different_questions_are_compared_by_chi_square_with_cohens_h() -> None:
    # n (ad - bc)^2 / (row and column sums) = 100 (30*30 - 20*20)^2 / 50^4 = 4.
    first, second = ([True] * n + [False] * (50 - n) for n in (30, 20))
    row = compared(questions("a", first), questions("b", second, begin=100), Dataset())["accuracy"]
    assert row["p"] == pytest.approx(stats.chi2.sf(4.0, 1), abs=1e-12)
    assert row["cohens_h"] == pytest.approx(cohens_h(0.6, 0.4), abs=1e-15)
    assert (row["p_method"], row["n_used"], bool(row["significant"])) == ("chi-square", 100, True)
    assert pd.isna(row["ci_low"])


def test_samples_numbered_alike_in_two_data_sets_share_no_cluster() -> None:
    # Other truths, so other questions, although both are numbered from 0; only the first has clusters, of two.
    first = questions("a", [True, False] * 10, 0, [f"i{n // 2}" for n in range(20)])
    second = questions("b", [True, False, False, False] * 5).assign(truth_answer="B", prediction_answer="B")
    row = compared(first, second, Dataset(cluster="reference"), Dataset())["accuracy"]
    assert (row["n_used"], row["n_clusters"]) == (40, 30)
    assert row["p_method"].endswith("assumes independence")


def test_means_of_the_same_samples_are_compared_in_pairs() -> None:
    # Differences 1, 2, 3, 2: mean 2, standard error sqrt(2/3)/2, so t = sqrt(24) on 3 degrees of freedom.
    truth = [1.0, 2.0, 3.0, 4.0]
    first, second = [3.0, 5.0, 8.0, 7.0], [2.0, 3.0, 5.0, 5.0]
    row = compared(scores("a", first, truth), scores("b", second, truth), ONE_SCALE)["mean"]
    assert row["difference"] == pytest.approx(2.0, abs=1e-12)
    assert row["p"] == pytest.approx(2 * stats.t.sf(math.sqrt(24), 3), abs=1e-12)
    reach = stats.t.ppf(0.975, 3) * math.sqrt(2 / 3) / 2
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((2 - reach, 2 + reach), abs=1e-9)
    assert (row["p_method"], row["n_used"], bool(row["significant"])) == ("paired t", 4, True)


def test_means_of_different_samples_are_compared_by_welch() -> None:
    first, second = [1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 6.0, 8.0, 10.0]
    found = compared(scores("a", first, first), scores("b", second, [9.0, 8.0, 7.0, 6.0, 5.0]), ONE_SCALE)
    assert set(found) == {"mean"}
    # Variances 5/3 and 10: standard error sqrt(5/12 + 2), difference 2.5 - 6.
    a, b = 5 / 12, 10 / 5
    df = (a + b) ** 2 / (a**2 / 3 + b**2 / 4)
    row = found["mean"]
    assert row["difference"] == pytest.approx(-3.5, abs=1e-12)
    assert row["p"] == pytest.approx(2 * stats.t.sf(3.5 / math.sqrt(a + b), df), abs=1e-12)
    assert (row["p_method"], row["n_used"]) == ("Welch's t", 9)


def test_means_are_not_compared_unless_both_are_on_the_truths_scale() -> None:
    values = [float(n) for n in range(12)]
    sides = scores("a", values, values), scores("b", list(np.roll(values, 3)), values)
    assert set(compared(*sides, ONE_SCALE, Dataset())) == {"srcc", "plcc", "krcc"}
    assert set(compared(*sides, ONE_SCALE)) == {"srcc", "plcc", "krcc", "mean"}


def test_a_constant_difference_has_no_test_and_says_so() -> None:
    values = [1.0, 2.0, 3.0, 4.0]
    row = compared(scores("a", [2.0, 3.0, 4.0, 5.0], values), scores("b", values, values), ONE_SCALE)["mean"]
    assert row["difference"] == 1.0
    assert row["method"] == "none: all differences are equal"
    assert pd.isna(row["p"])


def test_scores_and_answers_are_not_compared() -> None:
    assert compared(scores("a", [1.0, 2.0], [1.0, 2.0]), questions("b", [True, False]), ONE_SCALE) == {}
