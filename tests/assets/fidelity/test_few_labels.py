"""Table `few_labels`: the ladder of labels, one draw that all steps share, reasons for nulls."""

import numpy as np
import pandas as pd
import pytest

from analysis.accuracy.prediction_powered import prediction_powered_mean
from analysis.accuracy.prediction_powered_correlation import prediction_powered_correlation
from analysis.accuracy.prediction_powered_share import prediction_powered_share
from analysis.accuracy.rogan_gladen import rogan_gladen
from assets.fidelity.few_labels import headline, label_rows, numbers_of_labels
from tests.assets.shared.made_tables import SETTING, keeps_to_its_declaration, plan

TRUTH = np.random.default_rng(2).uniform(0.1, 0.8, 40)
JUDGE = TRUTH + 0.1 + np.random.default_rng(3).normal(0, 0.02, 40)


def matched(human: np.ndarray = TRUTH, judge: np.ndarray = JUDGE, per_product: int = 1) -> pd.DataFrame:
    names = [f"o{place:02d}" for place in range(len(human))]
    products = [f"p{place // per_product}" for place in range(len(human))]
    return pd.DataFrame({"match_key": names, "product_id": products, "human_score": human, "judge_score": judge})


def rows_of(frame: pd.DataFrame, **changes: object) -> pd.DataFrame:
    made = label_rows(SETTING, frame, plan(**changes))
    return keeps_to_its_declaration("few_labels", made).set_index("n_labels")


def test_steps_end_where_nothing_would_be_left() -> None:
    assert numbers_of_labels(40) == [5, 10, 20]
    assert numbers_of_labels(801) == [5, 10, 20, 50, 100, 200, 500]
    assert numbers_of_labels(20) == [5, 10]
    assert numbers_of_labels(5) == [2]
    assert numbers_of_labels(1) == [1]
    assert numbers_of_labels(0) == [0]


def test_every_step_is_the_estimate_on_the_same_draw() -> None:
    seen = rows_of(matched())
    order = np.random.default_rng(plan().seed).permutation(40)
    for n in (5, 10, 20):
        labelled, rest = order[:n], order[n:]
        found = prediction_powered_mean(TRUTH[labelled], JUDGE[labelled], JUDGE[rest])
        assert seen.loc[n, "prediction_powered"] == pytest.approx(found.mean.value)
        assert seen.loc[n, "prediction_powered_low"] == pytest.approx(found.mean.interval.low)
        assert seen.loc[n, "people_only"] == pytest.approx(TRUTH[labelled].mean())
        assert seen.loc[n, "labels_gained"] == pytest.approx(found.effective_labels_gain)
        assert seen.loc[n, "n_unlabelled"] == 40 - n


def test_a_judge_that_follows_people_narrows_the_interval_and_its_bias_goes() -> None:
    seen = rows_of(matched())
    width = seen["prediction_powered_high"] - seen["prediction_powered_low"]
    alone = seen["people_only_high"] - seen["people_only_low"]
    assert (width < alone).all()
    assert (seen["labels_gained"] > 0).all()
    np.testing.assert_allclose(seen["all_labels"], TRUTH.mean())
    assert seen.loc[20, "prediction_powered"] == pytest.approx(TRUTH.mean(), abs=0.06)
    np.testing.assert_allclose(seen["judge_only"], JUDGE.mean())


def test_the_order_of_rows_does_not_matter() -> None:
    frame = matched()
    pd.testing.assert_frame_equal(rows_of(frame), rows_of(frame.iloc[::-1].reset_index(drop=True)))


def test_another_seed_is_another_draw() -> None:
    assert rows_of(matched(), seed=1).loc[5, "people_only"] != rows_of(matched(), seed=2).loc[5, "people_only"]


def test_objects_that_share_a_product_are_said_to_be_taken_for_independent() -> None:
    seen = rows_of(matched(per_product=2))
    assert seen["n_products"].unique().tolist() == [20]
    assert seen["method"].str.endswith("assumes independence").all()
    assert not rows_of(matched())["method"].str.contains("independence").any()


def test_few_labels_are_marked_and_the_draw_is_named() -> None:
    methods = rows_of(matched())["method"]
    assert "one random draw" in methods[10]
    assert "unreliable: under 40 labels" in methods[20]


def test_a_judge_that_never_varies_is_null_with_the_reason() -> None:
    seen = rows_of(matched(judge=np.full(40, 0.5)))
    assert seen["prediction_powered"].isna().all()
    assert seen["undefined"].str.contains("all 40 judge scores are equal").all()
    assert seen[["lambda_", "labels_gained"]].isna().all(axis=None)
    np.testing.assert_allclose(seen["all_labels"], TRUTH.mean())


def test_either_side_by_itself_is_told_all_the_same() -> None:
    seen = rows_of(matched(judge=np.full(40, 0.5)))
    labelled = TRUTH[np.random.default_rng(plan().seed).permutation(40)[:10]]
    half = 1.959963984540054 * labelled.std() / np.sqrt(10)
    assert seen.loc[10, "people_only"] == pytest.approx(labelled.mean())
    assert seen.loc[10, "people_only_low"] == pytest.approx(labelled.mean() - half)
    # The judge says 0.5 of everything: that is its mean, and its spread of 0 is no certainty.
    assert seen["judge_only"].tolist() == pytest.approx([0.5] * 3)
    assert seen[["judge_only_low", "judge_only_high"]].isna().all(axis=None)
    flat = rows_of(matched(human=np.full(40, 0.4)))
    assert (flat.loc[10, "people_only"], flat.loc[10, "all_labels"]) == pytest.approx((0.4, 0.4))
    assert flat.loc[10, "judge_only_low"] < JUDGE.mean() < flat.loc[10, "judge_only_high"]


def test_two_objects_leave_a_row_with_the_reason() -> None:
    seen = rows_of(matched(TRUTH[:2], JUDGE[:2]))
    assert seen.index.tolist() == [2]
    assert seen.loc[2, "n_unlabelled"] == 0
    assert "no object is left unlabelled" in seen.loc[2, "undefined"]


def test_nothing_matched_leaves_a_row_with_the_reason() -> None:
    seen = rows_of(matched(TRUTH[:0], JUDGE[:0]))
    assert seen.index.tolist() == [0]
    assert "only 0 labelled" in seen.loc[0, "undefined"]
    assert seen.loc[0, ["all_labels", "people_only", "judge_only"]].isna().all()
    assert headline(label_rows(SETTING, matched(TRUTH[:0], JUDGE[:0]), plan()))["half_width"] is None


def test_one_matched_object_is_one_label_and_not_two() -> None:
    seen = rows_of(matched(TRUTH[:1], JUDGE[:1]))
    assert seen.index.tolist() == [1]
    assert (seen.loc[1, "n_unlabelled"], seen.loc[1, "people_only"]) == (0, pytest.approx(TRUTH[0]))
    assert "only 1 labelled, at least 2 needed" in seen.loc[1, "undefined"]
    assert pd.isna(seen.loc[1, "people_only_low"])


def test_the_headline_is_the_last_step() -> None:
    seen = rows_of(matched()).reset_index()
    numbers = headline(seen)
    last = seen.iloc[-1]
    assert (numbers["n_labels"], numbers["labels_gained"]) == (20, last["labels_gained"])
    assert numbers["half_width"] == pytest.approx(last["prediction_powered_high"] - last["prediction_powered"])


def test_shares_that_people_would_pass_are_those_of_the_functions() -> None:
    seen = rows_of(matched(), pass_score=0.45)
    order = np.random.default_rng(plan().seed).permutation(40)
    passed, good = TRUTH[order] >= 0.45, JUDGE[order] >= 0.45
    found = prediction_powered_share(passed[:20], good[:20], good[20:])
    corrected = rogan_gladen(passed[:20], good[:20], good[20:])
    row = seen.loc[20]
    assert row["pass_prediction_powered"] == pytest.approx(found.share.value)
    assert row["pass_prediction_powered_high"] == pytest.approx(found.share.interval.high)
    assert row["pass_corrected"] == pytest.approx(corrected.rate.value)
    assert (row["pass_people_only"], row["pass_judge_only"]) == pytest.approx((passed[:20].mean(), good.mean()))
    assert row["pass_all_labels"] == pytest.approx(passed.mean())
    # The judge is 0.1 too high and passes too many; both corrections take that off.
    assert row["pass_judge_only"] > row["pass_all_labels"] + 0.05
    assert abs(row["pass_prediction_powered"] - row["pass_all_labels"]) < 0.1


def test_a_share_without_a_failed_label_says_why() -> None:
    seen = rows_of(matched(), pass_score=0.0)
    assert seen["pass_corrected"].isna().all()
    assert seen["pass_undefined"].str.contains("pass_corrected: people pass").all()


def test_the_correlation_is_that_of_the_function() -> None:
    seen = rows_of(matched())
    order = np.random.default_rng(plan().seed).permutation(40)
    found = prediction_powered_correlation(TRUTH[order[:20]], JUDGE[order[:20]], JUDGE[order[20:]])
    assert seen.loc[20, "correlation_prediction_powered"] == pytest.approx(found.correlation.value)
    assert seen.loc[20, "correlation_people_only_low"] == pytest.approx(found.human_only.interval.low)
    constant = rows_of(matched(judge=np.full(40, 0.5)))
    assert constant["correlation_undefined"].notna().all()
