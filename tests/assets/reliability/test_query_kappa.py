"""Kappa of each query by hand, what has none and why, and queries that nobody judged."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from analysis.agreement.kappa import ONE_LABEL
from assets.reliability.logic.judge_pairs import pairs_of_judges
from assets.reliability.query_kappa import NOT_SCORED, headline, kappa_rows, lowest_kappas
from tests.assets.reliability.made_judgments import BASE, THREE, query_kappa_of, scored_of


def test_kappas_by_hand() -> None:
    frame = query_kappa_of(BASE).set_index("query_id")
    assert frame.loc["q1", ["n_11", "n_10", "n_01", "n_00"]].tolist() == [1, 1, 0, 2]
    assert frame["kappa"].dropna().to_dict() == {"q1": 0.5, "q2": 1.0, "q4": -1.0}
    assert frame["kappa_headline"].tolist() == [0.5, 1.0, 1.0, -1.0]
    assert frame["is_low"].tolist() == [False, False, False, True]
    # 0.5 lies in 0.40 - 0.60.
    assert frame.loc["q1", "band"] == "moderate"
    assert frame["percent_agreement"].tolist() == [0.75, 1.0, 1.0, 0.0]


def test_a_query_with_one_label_has_no_kappa_and_says_why() -> None:
    row = query_kappa_of(BASE).set_index("query_id").loc["q3"]
    assert math.isnan(row["kappa"])
    assert row["undefined"] == ONE_LABEL
    assert pd.isna(row["band"])
    assert not row["is_low"]


def test_one_constant_judge_and_another_that_is_not_is_a_true_zero() -> None:
    row = query_kappa_of({"q": {"d": (0.9, 0.9), "e": (0.9, 0.1)}}).iloc[0]
    assert (row["kappa"], row["is_low"], row["band"]) == (0.0, True, "slight")


def test_a_query_without_a_document_that_both_scored_stays_and_says_why() -> None:
    frame = query_kappa_of({"q1": {"d": (0.9, None), "e": (None, 0.1)}, "q2": {"d": (None, None)}})
    assert frame["query_id"].tolist() == ["q1", "q2"]
    assert frame[["n_documents", "n_both"]].to_numpy().tolist() == [[2, 0], [1, 0]]
    assert frame["undefined"].tolist() == [NOT_SCORED] * 2
    assert frame[["kappa", "kappa_headline", "percent_agreement", "largest_difference"]].isna().all(axis=None)


def test_an_incomplete_document_is_counted_and_left_out() -> None:
    row = query_kappa_of({"q": {"d": (0.9, 0.9), "e": (0.1, 0.1), "f": (0.9, None)}}).iloc[0]
    assert (row["n_documents"], row["n_both"], row["kappa"]) == (3, 2, 1.0)


def test_differences_that_are_equal_but_for_the_last_digit_are_equal() -> None:
    # 0.7 - 0.4 is 0.29999999999999993 in floating point, 0.8 - 0.5 is 0.30000000000000004.
    frame = query_kappa_of({"q": {"d": (0.7, 0.4), "e": (0.1, 0.2)}, "r": {"d": (0.8, 0.5)}})
    assert len(set(frame["largest_difference"])) == 1
    assert frame["largest_difference"].tolist() == pytest.approx([0.3, 0.3], abs=1e-15)


def test_three_judges_have_a_row_per_pair_and_the_lowest_is_the_querys() -> None:
    scores = {"q": {"d": (0.9, 0.9, 0.1), "e": (0.1, 0.1, 0.9)}, "r": {"d": (0.9, 0.9, 0.9), "e": (0.8, 0.9, 0.7)}}
    frame = query_kappa_of(scores, THREE)
    of_q = frame[frame["query_id"] == "q"]
    assert of_q["kappa"].tolist() == [1.0, -1.0, -1.0]
    assert lowest_kappas(frame)["q"] == -1.0
    assert math.isnan(lowest_kappas(frame)["r"])


def test_the_headline_counts_queries_once_whatever_the_number_of_pairs() -> None:
    found = headline(query_kappa_of(BASE))
    assert {name: found[name] for name in ("n_queries", "n_without_kappa", "n_low", "median_kappa")} == {
        "n_queries": 4,
        "n_without_kappa": 1,
        "n_low": 1,
        "median_kappa": 0.5,
    }
    three = {"q": {"d": (0.9, 0.9, 0.1), "e": (0.1, 0.1, 0.9)}, "r": {"d": (0.9, 0.9, 0.9)}}
    found = headline(query_kappa_of(three, THREE))
    assert (found["n_queries"], found["n_without_kappa"], found["n_low"]) == (2, 1, 1)


def test_random_queries_agree_with_sklearn() -> None:
    random = np.random.default_rng(7)
    scores = {f"q{q}": {f"d{d}": tuple(random.random(2).round(3)) for d in range(8)} for q in range(12)}
    scored = scored_of(scores)
    thresholds = {"careful": 0.45, "hasty": 0.6}
    [pair] = pairs_of_judges(scored, thresholds)
    found = kappa_rows(pair, scored, 0.4).set_index("query_id")["kappa"]
    for query, docs in scores.items():
        one, two = np.array(list(docs.values())).T
        assert found[query] == pytest.approx(cohen_kappa_score(one > thresholds["careful"], two > thresholds["hasty"]))
