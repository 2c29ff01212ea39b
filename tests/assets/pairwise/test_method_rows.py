"""Every number of a method by hand, and the reasons where a number is not defined."""

import math

import pytest

from analysis.preference.bradley_terry import BradleyTerry
from assets.pairwise.logic.method_rows import method_row, unavailable_row, with_holm
from assets.pairwise.logic.method_scores import headline
from assets.pairwise.logic.photo_pair_counts import NOT_ASKED, strengths_of
from tests.assets.pairwise.made_photo_pairs import by_winner, photo_pairs_of, plan, results_of

# Twelve series with one judged pair each, image 1 the winner of the first eight; votes 9 to 1, in the last four 4 to 1.
VOTES = [(series, 0, 1, *((9, 1) if series < 8 else (1, 4))) for series in range(12)]
PAIRS = photo_pairs_of(VOTES)


def row_of(wrong: list[int], tied: list[int], **changes: object) -> dict[str, object]:
    study = plan(**changes)
    results = results_of(PAIRS, "told", by_winner(PAIRS, wrong, tied))
    return method_row("told", results, PAIRS, strengths_of(PAIRS, study), study)


def test_accuracy_credits_ties_by_half_and_tells_the_decided_apart() -> None:
    row = row_of(wrong=[0, 1, 11], tied=[2])
    # 12 pairs: 8 right, 1 tie, 3 wrong: 8.5 / 12; of the 11 decided ones 8 right.
    assert row["accuracy"] == pytest.approx(8.5 / 12)
    assert row["tie_rate"] == pytest.approx(1 / 12)
    assert row["accuracy_decided"] == pytest.approx(8 / 11)
    assert (row["n"], row["n_total"], row["n_series"]) == (12, 12, 12)
    assert 0.3 < float(str(row["accuracy_low"])) < 8.5 / 12 < float(str(row["accuracy_high"])) <= 1


def test_confusion_precision_recall_and_f1() -> None:
    row = row_of(wrong=[0, 1, 11], tied=[2])
    # Winner 1 in 8 pairs: predicted 1 in 5, 2 in 2, tied 1. Winner 2 in 4: predicted 1 in 1, 2 in 3.
    cells = [row[f"truth_{truth}_predicted_{said}"] for truth in (1, 2) for said in ("1", "2", "tie")]
    assert cells == [5, 2, 1, 1, 3, 0]
    # Image 1: precision 5/6, recall 5/8, F1 10/14; image 2: 3/5, 3/4, 6/9.
    assert [row[name] for name in ("precision", "recall", "f1_score")] == pytest.approx([5 / 6, 5 / 8, 10 / 14])
    assert row["f1_macro"] == pytest.approx((10 / 14 + 6 / 9) / 2)


def test_accuracy_by_agreement_has_its_own_counts_and_an_empty_band_its_reason() -> None:
    row = row_of(wrong=[0, 1, 11], tied=[2])
    # Agreement 0.9 in the first eight, of which 5 are right and 1 tied; 0.8 in the last four, 3 right.
    assert (row["n_70_80"], row["n_80_90"], row["n_90_100"]) == (0, 4, 8)
    assert (row["accuracy_80_90"], row["accuracy_90_100"]) == pytest.approx((3 / 4, 5.5 / 8))
    assert row["accuracy_70_80"] is None
    assert "accuracy_70_80: no pair with such agreement" in str(row["undefined"])


def test_each_interval_says_how_it_was_made_or_why_it_has_no_bounds() -> None:
    row = row_of(wrong=[0, 1, 11], tied=[2])
    score = "score interval, effective sample of the delete-one jackknife"
    assert row["interval_method"] == f"{score}, t(11), 12 clusters"
    # The eleven decided pairs are one trial per series, as are the four of the second band; the third has a tie.
    assert row["accuracy_decided_interval_method"] == "Wilson, 11 trials"
    assert row["accuracy_80_90_interval_method"] == "Wilson, 4 trials"
    assert row["accuracy_90_100_interval_method"].startswith(f"{score}, t(7), 8 clusters")
    assert row["log_likelihood_per_vote_interval_method"].startswith("delete-one jackknife, t(")
    assert "accuracy_70_80_interval_method" not in row


def test_all_right_with_several_pairs_a_series_is_one_trial_a_series() -> None:
    # Two pairs in each of twelve series, every one right: Wilson with n = 12, lower bound 12 / (12 + 1.96^2).
    pairs = photo_pairs_of([(series, 2 * two, 2 * two + 1, 4, 1) for series in range(12) for two in (0, 1)])
    row = method_row("told", results_of(pairs, "told", by_winner(pairs)), pairs, NOT_ASKED, plan())
    bounds = (row["accuracy"], row["accuracy_low"], row["accuracy_high"])
    assert bounds == pytest.approx((1.0, 12 / (12 + 1.959964**2), 1.0))
    assert row["interval_method"] == "Wilson, 12 clusters, all alike, unreliable: too few clusters"


def test_p_against_chance_takes_series_as_units() -> None:
    row = row_of(wrong=[0, 1, 11], tied=[2])
    # D is 0.5 in 8 series, 0 in 1, -0.5 in 3: z = 2.5 / sqrt(11 / 4); two-sided p = erfc(z / sqrt 2).
    assert row["p_chance"] == pytest.approx(math.erfc(2.5 / math.sqrt(11 / 4) / math.sqrt(2)))


def test_agreement_with_peoples_strengths_is_the_mean_log_chance_of_what_is_picked() -> None:
    row = row_of(wrong=[0, 1, 11], tied=[2])
    # A pair of its own component: the fitted chance of the winner is its share of votes, 0.9 or 0.8.
    right, wrong, tie = (
        5 * math.log(0.9) + 3 * math.log(0.8),
        2 * math.log(0.1) + math.log(0.2),
        math.log(0.9 * 0.1) / 2,
    )
    assert row["bt_agreement"] == pytest.approx((right + wrong + tie) / 12, abs=1e-6)


def test_the_likelihood_of_votes_is_held_out_and_better_than_chance_for_a_good_method() -> None:
    row = row_of(wrong=[], tied=[])
    # 8 pairs with 10 votes and 4 with 5: 100 votes.
    assert row["log_likelihood"] == pytest.approx(100 * float(str(row["log_likelihood_per_vote"])))
    assert float(str(row["log_likelihood_per_vote"])) > math.log(0.5)


def test_time_is_that_of_the_pairs_with_a_prediction_wherever_it_stands() -> None:
    # Without its first four series a method takes 22 ms a pair; photos that it fails on took 1,000 ms to decode.
    known = {name: score for name, score in by_winner(PAIRS).items() if name > "000003-99"}
    # Features have the first photos of all pairs, then the second ones.
    slow = ([1000.0] * 4 + [10.0] * 8) * 2
    results = results_of(PAIRS, "told", known, decode_ms=slow)
    assert results["time_ms"].max() > 1000.0
    row = method_row("told", results, PAIRS, NOT_ASKED, plan())
    assert row["avg_time_ms"] == headline(results, None)["avg_time_ms"] == 22.0


def test_time_per_pair_gives_the_throughput() -> None:
    row = row_of(wrong=[], tied=[])
    assert (row["avg_time_ms"], row["throughput"]) == (22.0, pytest.approx(1000 / 22))


def test_without_strengths_only_their_number_is_missing() -> None:
    row = row_of(wrong=[], tied=[], use_bradley_terry=False)
    assert "bt_agreement" not in row
    assert f"bt_agreement: {NOT_ASKED}" in str(row["undefined"])
    assert row["accuracy"] == 1.0


def test_a_method_of_ties_only_says_what_is_not_defined() -> None:
    row = row_of(wrong=[], tied=list(range(12)))
    assert (row["accuracy"], row["tie_rate"], row["accuracy_decided"]) == (0.5, 1.0, None)
    said = str(row["undefined"])
    assert "accuracy_decided: all pairs are ties" in said
    assert "p_chance: credit is that of chance in each cluster" in said
    assert "precision: image 1 is never predicted" in said


def test_a_method_that_predicts_nothing_has_the_reason_and_no_number() -> None:
    results = results_of(PAIRS, "told", {}, undefined_rules="cut off")
    row = method_row("told", results, PAIRS, NOT_ASKED, plan())
    assert (row["n"], row["n_total"], row["undefined"]) == (0, 12, "all: cut off")
    assert "accuracy" not in row


def test_an_unavailable_method_has_its_reason_and_no_number() -> None:
    row = unavailable_row("vit_base", "no weights", 12)
    assert (row["n"], row["n_total"], row["unavailable"]) == (0, 12, "no weights")
    assert "accuracy" not in row


def test_holm_counts_the_methods_that_have_a_test() -> None:
    rows = with_holm([{"p_chance": 0.01}, {"method": "none"}, {"p_chance": 0.04}])
    # The smaller of two twice, the larger once, and never below a smaller one's.
    assert [row["p_chance_holm"] for row in rows] == [pytest.approx(0.02), None, pytest.approx(0.04)]


def test_strengths_are_fitted_on_pairs_that_are_not_judged_too() -> None:
    # The tie of photos 1 and 2 is not judged and still says that they are equally strong.
    fit = strengths_of(photo_pairs_of([(1, 0, 1, 5, 5), (1, 1, 2, 8, 2)]), plan())
    assert isinstance(fit, BradleyTerry)
    assert fit.n_votes == 20
    assert fit.strength_differences(["000001-01"], ["000001-03"]) == pytest.approx(math.log(4), abs=1e-6)
