"""Table `setting_summary`: settings on common objects only, by hand."""

import numpy as np
import pandas as pd
import pytest

from assets.fidelity.icc_by_setting import icc_row
from assets.fidelity.logic.judge_answers import Judgements
from assets.fidelity.setting_summary import answers, headline, summary_rows
from assets.shared.partitions import SETTINGS, Frames
from tests.assets.shared.made_tables import (
    calls_of,
    keeps_to_its_declaration,
    matrix_of_scores,
    objects_of,
    one_each,
    plan,
    ratings_of,
)

BASELINE, FIRST, SECOND = SETTINGS.get_partition_keys()[:3]
OBJECTS = objects_of(one_each("abcd"))
PEOPLE = ratings_of({"a": [0.2], "b": [0.5], "c": [0.8], "d": [0.1]}, OBJECTS)
# Means 0.3, 0.5, 0.7 and, far off, 0.9.
STEADY = {"a": [0.29, 0.30, 0.31], "b": [0.49, 0.50, 0.51], "c": [0.69, 0.70, 0.71], "d": [0.89, 0.90, 0.91]}
# The same without d, and with only two valid repeats of it.
WITHOUT_D = {name: STEADY[name] for name in "abc"}
WITH_A_GAP = STEADY | {"d": [0.89, 0.90, None]}
CALLS = calls_of([("a", 1, 1, "valid", 0.3)])


def summary(matrices: Frames, people: pd.DataFrame = PEOPLE, **changes: object) -> pd.DataFrame:
    study = plan(**{"minimum_repeats": 3, **changes})
    made = summary_rows(Judgements(dict.fromkeys(matrices, CALLS), matrices, people, OBJECTS), study)
    return keeps_to_its_declaration("setting_summary", made).set_index("setting")


def one(key: str, scores: dict[str, list[float]] | dict[str, list[float | None]]) -> Frames:
    return {key: matrix_of_scores(scores, setting=key)}


def test_a_single_setting_is_summed_up_on_all_its_objects() -> None:
    seen = summary(one(FIRST, STEADY)).loc[FIRST]
    # Errors 0.1 0 -0.1 0.8: mae 0.25, rmse sqrt(0.66 / 4) = 0.406202, bias 0.2; every MAD is 0.01.
    np.testing.assert_allclose(seen[["mae", "rmse", "bias", "mad"]].astype(float), [0.25, 0.4062019, 0.2, 0.01])
    # Ranks of the judge 1 2 3 4 against 2 3 4 1: d^2 sum 1 + 1 + 1 + 9 = 12; 1 - 6 x 12 / (4 x 15) = -0.2.
    assert seen["spearman_r"] == pytest.approx(-0.2)
    # Half-width of each: t(0.975, 2) = 4.302653, sd 0.01, over sqrt 3: 0.0248414.
    assert seen["half_width"] == pytest.approx(0.0248414, abs=1e-6)
    # MSB = 3 x variance of 0.3 0.5 0.7 0.9 (0.0666667) = 0.2, MSW = 0.0001: (0.2 - 0.0001) / 0.2 = 0.9995.
    assert seen["icc"] == pytest.approx(0.9995)
    assert seen["icc_band"] == "excellent"
    assert (seen["n_objects"], seen["n_matched"], seen["n_left_out"]) == (4, 4, 0)
    assert (seen["temperature"], seen["top_p"]) == (0.2, 1.0)


def test_repeats_that_were_not_asked_are_no_missing_answers() -> None:
    ends = [f"{name}_{end}" for name in ("icc", "mad", "spearman", "mae") for end in ("worst", "best")]
    whole = summary(one(FIRST, WITH_A_GAP) | one(SECOND, STEADY), max_incomplete_share=0.25).loc[FIRST, ends]
    # Five repeats at most, and each object was known well enough after three, but for one fault.
    stopped = {
        key: matrix_of_scores({name: [*given, None, None] for name, given in scores.items()}, setting=key)
        for key, scores in ((FIRST, WITH_A_GAP), (SECOND, STEADY))
    }
    stopped = {key: matrix.assign(n_planned=3) for key, matrix in stopped.items()}
    found = summary(stopped, repeats={"at_least": 3, "at_most": 5}, max_incomplete_share=0.25).loc[FIRST, ends]
    assert found.tolist() == pytest.approx(whole.tolist())


def test_an_object_that_one_setting_lacks_leaves_the_comparison_in_all() -> None:
    seen = summary(one(FIRST, STEADY) | one(SECOND, WITHOUT_D))
    # Without d: errors 0.1 0 -0.1, mae 0.0666667, and the order is the people's: 1.
    for key in (FIRST, SECOND):
        assert seen.loc[key, "mae"] == pytest.approx(0.2 / 3)
        assert seen.loc[key, "spearman_r"] == pytest.approx(1)
        assert (seen.loc[key, "n_objects"], seen.loc[key, "n_total"], seen.loc[key, "n_products"]) == (3, 4, 3)
    assert seen["n_left_out"].tolist() == [1, 0]


def test_a_setting_that_fails_its_gate_has_no_numbers_and_takes_nothing_from_the_others() -> None:
    seen = summary(one(FIRST, STEADY) | one(SECOND, WITH_A_GAP))
    stopped = seen.loc[SECOND]
    assert stopped[["icc", "mad", "spearman_r", "mae"]].isna().all()
    assert stopped["undefined"].startswith("not compared: Share of objects with fewer than 3 valid repeats is 0.250")
    assert "d (2)" in stopped["undefined"]
    # What was asked and what it cost stands there all the same.
    assert (stopped["n_evaluations"], stopped["n_objects"], stopped["n_left_out"]) == (1, 0, 0)
    assert seen.loc[FIRST, "mae"] == pytest.approx(0.25)
    assert (seen.loc[FIRST, "n_objects"], seen.loc[FIRST, "n_left_out"]) == (4, 0)


def test_an_object_that_lacks_answers_within_the_limit_is_left_out_of_all_settings_with_bounds_by_hand() -> None:
    seen = summary(one(FIRST, STEADY) | one(SECOND, WITH_A_GAP), max_incomplete_share=0.25)
    assert seen["n_objects"].tolist() == [3, 3]
    assert seen["n_left_out"].tolist() == [1, 0]
    assert seen["incomplete"].fillna("none").tolist() == ["none", "d (2)"]
    assert seen["mae"].tolist() == pytest.approx([0.2 / 3, 0.2 / 3])
    gap = seen.loc[SECOND]
    # People gave d 0.1. Worst: its third answer is 1, its score (0.89 + 0.90 + 1) / 3 = 0.93, its error 0.83. Best: it
    # is 0.1, the score 0.63, the error 0.53. The other errors are 0.1, 0, 0.1.
    assert [gap["mae_worst"], gap["mae_best"]] == pytest.approx([(0.2 + 0.83) / 4, (0.2 + 0.53) / 4])
    # Worst: d is the judge's highest and the people's lowest: ranks 1 2 3 4 against 2 3 4 1, -0.2. Best: 0.3 0.5 0.7
    # 0.63 rank 1 2 4 3 against 2 3 4 1: 1 - 6 (1 + 1 + 0 + 4) / 60 = 0.4.
    assert [gap["spearman_worst"], gap["spearman_best"]] == pytest.approx([-0.2, 0.4])
    # Repeats, worst: d has 0.89 0.90 0, mean 0.5966667, squares about it 1.6021 - 3 x 0.3560111 = 0.5340667; MSW =
    # (3 x 0.0002 + 0.5340667) / 8 = 0.0668333. MSB = 3 x variance of 0.3 0.5 0.7 0.5966667 (0.0290028) = 0.0870083.
    assert gap["icc_worst"] == pytest.approx(1 - 0.0668333 / 0.0870083, abs=1e-5)
    # Best: its third is 0.895; MSW = (0.0006 + 0.00005) / 8; MSB = 3 x variance of 0.3 0.5 0.7 0.895 = 0.1970175.
    assert gap["icc_best"] == pytest.approx(1 - 0.00008125 / 0.1970175, abs=1e-6)
    # MADs: 0.01 of the others; of d at worst median 0.89, |0 0.01 0.89|: 0.01. At best 0.89 0.895 0.90: 0.005.
    assert [gap["mad_worst"], gap["mad_best"]] == pytest.approx([0.01, 0.01])
    # The other setting has all answers: with d its number is what it is, at worst and at best.
    assert [seen.loc[FIRST, "mae_worst"], seen.loc[FIRST, "mae_best"]] == pytest.approx([0.25, 0.25])


def test_where_nothing_is_left_out_there_are_no_bounds() -> None:
    seen = summary(one(FIRST, STEADY) | one(SECOND, STEADY))
    assert seen["incomplete"].isna().all()
    assert seen.filter(regex="_(worst|best)$").isna().all(axis=None)


def test_where_two_repeats_are_enough_the_gap_is_none() -> None:
    seen = summary(one(FIRST, STEADY) | one(SECOND, WITH_A_GAP), minimum_repeats=2)
    assert seen["n_objects"].tolist() == [4, 4]
    assert seen["undefined"].isna().all()


def test_a_setting_that_was_made_under_another_plan_is_not_compared() -> None:
    longer = {name: [*scores, scores[0]] for name, scores in STEADY.items()}
    seen = summary(one(FIRST, STEADY) | one(SECOND, longer))
    assert seen.loc[SECOND, "n_objects"] == 0
    assert "was made with 4 repeats, and the study plans 3" in seen.loc[SECOND, "undefined"]
    assert seen.loc[FIRST, "n_objects"] == 4


def test_where_no_setting_passes_its_gate_there_is_no_number() -> None:
    seen = summary(one(FIRST, WITH_A_GAP) | one(SECOND, WITH_A_GAP))
    assert seen["n_objects"].tolist() == [0, 0]
    assert seen["n_left_out"].tolist() == [3, 3]
    assert seen["mae"].isna().all()


def test_settings_stand_in_the_configurations_order_and_unmade_ones_are_left_out() -> None:
    seen = summary(one(SECOND, STEADY) | one(BASELINE, STEADY))
    assert seen.index.tolist() == [BASELINE, SECOND]
    assert seen["baseline"].tolist() == [True, False]


def test_objects_that_people_did_not_score_count_for_repeatability_only() -> None:
    seen = summary(one(FIRST, STEADY), ratings_of({"a": [0.2], "b": [0.5], "c": [0.8]}, OBJECTS)).loc[FIRST]
    assert (seen["n_objects"], seen["n_matched"]) == (4, 3)
    assert seen["mae"] == pytest.approx(0.2 / 3)


def test_too_few_pairs_leave_nulls_with_reasons() -> None:
    seen = summary(one(FIRST, STEADY), ratings_of({"a": [0.2], "b": [0.5]}, OBJECTS)).loc[FIRST]
    assert seen[["spearman_r", "pearson_r", "mae", "rmse", "bias"]].isna().all()
    assert "spearman_r, pearson_r: " in seen["undefined"]
    assert "mae: " in seen["undefined"]
    assert not pd.isna(seen["icc"])


def test_settings_without_a_common_object_have_counts_and_reasons_and_no_numbers() -> None:
    only_ab = {name: STEADY[name] for name in "ab"}
    only_cd = {name: STEADY[name] for name in "cd"}
    seen = summary(one(FIRST, only_ab) | one(SECOND, only_cd))
    assert seen["n_objects"].tolist() == [0, 0]
    assert seen["n_left_out"].tolist() == [2, 2]
    assert seen[["icc", "mad", "half_width", "spearman_r", "mae"]].isna().all(axis=None)
    for statistic in ("icc: ", "spearman_r, pearson_r: ", "mae: "):
        assert seen["undefined"].str.contains(statistic).all()


def test_few_products_leave_spearman_without_bounds_and_the_table_says_why() -> None:
    seen = summary(one(FIRST, STEADY)).loc[FIRST]
    assert pd.isna(seen["spearman_low"])
    assert "4 clusters" in seen["spearman_interval"]


def test_where_products_repeat_the_interval_of_the_icc_is_by_product() -> None:
    products = dict(zip("abcdefghijkl", "ppqqrrssttuu", strict=True))
    rng = np.random.default_rng(1)
    scores = {name: list(np.clip(place / 12 + rng.normal(0, 0.01, 3), 0, 1)) for place, name in enumerate(products)}
    matrix = matrix_of_scores(scores, products, setting=FIRST)
    objects = objects_of(products)
    study = plan(minimum_repeats=3)
    people = ratings_of({name: [0.5] for name in products}, objects)
    seen = summary_rows(Judgements({FIRST: CALLS}, {FIRST: matrix}, people, objects), study).iloc[0]
    expected = icc_row(matrix, study).iloc[0]
    assert seen["icc_low"] == expected["icc_1k_low_by_product"] != expected["icc_1k_low"]
    assert seen["icc_high"] == expected["icc_1k_high_by_product"]


def test_of_too_few_products_the_icc_has_no_bounds_and_the_table_says_why() -> None:
    products = dict(zip("abcd", "ppqq", strict=True))
    objects = objects_of(products)
    people = ratings_of({"a": [0.2], "b": [0.5], "c": [0.8], "d": [0.1]}, objects)
    matrix = matrix_of_scores(STEADY, products, setting=FIRST)
    made = summary_rows(Judgements({FIRST: CALLS}, {FIRST: matrix}, people, objects), plan(minimum_repeats=3))
    assert pd.isna(made["icc_low"].iloc[0])
    assert "icc_low, icc_high: none: 2 clusters" in made["undefined"].iloc[0]


def test_a_deterministic_setting_is_marked_and_its_icc_says_why_it_proves_nothing() -> None:
    seen = summary(one(BASELINE, {name: [scores[0]] * 3 for name, scores in STEADY.items()})).loc[BASELINE]
    assert seen["deterministic"]
    assert seen["icc"] == 1
    assert pd.isna(seen["icc_low"])
    assert "icc: deterministic" in seen["undefined"]


def test_before_any_setting_is_made_the_table_is_empty_with_its_columns() -> None:
    assert summary({}).empty


def test_a_retried_answer_does_not_raise_validity_and_faults_are_no_answers() -> None:
    calls = calls_of(
        [
            ("a", 1, 1, "invalid_json", None),
            ("a", 1, 2, "valid", 0.5),
            ("a", 2, 1, "timeout", None),
            ("a", 2, 2, "valid", 0.5),
            ("a", 3, 1, "recovered", 0.5),
            ("b", 1, 1, "rate_limited", None),
        ]
    )
    # First answers: invalid, valid, recovered: 1 of 3. Answers 4, faults 2, each attempt 0.01 USD.
    seen = answers(calls)
    assert seen["json_validity_rate"] == pytest.approx(1 / 3)
    assert (seen["n_evaluations"], seen["n_faults"]) == (4, 2)
    assert seen["cost_usd"] == pytest.approx(0.06)


def test_without_an_answer_validity_is_null() -> None:
    assert answers(calls_of([("a", 1, 1, "timeout", None)]))["json_validity_rate"] is None


def test_the_headline_leaves_deterministic_settings_out_of_the_best() -> None:
    deterministic = {name: [scores[0]] * 3 for name, scores in STEADY.items()}
    numbers = headline(summary(one(BASELINE, deterministic) | one(FIRST, STEADY)).reset_index(), plan())
    assert numbers["n_settings"] == 2
    assert numbers["best_icc"] == pytest.approx(0.9995)
    assert numbers["cost_usd"] == pytest.approx(0.02)


def test_where_every_setting_is_deterministic_there_is_no_best() -> None:
    deterministic = {name: [scores[0]] * 3 for name, scores in STEADY.items()}
    numbers = headline(summary(one(BASELINE, deterministic)).reset_index(), plan())
    assert numbers["best_icc"].value is None


def test_the_spread_of_scores_is_divided_over_objects_settings_and_repeats() -> None:
    # Every score is 0.1 higher in the second setting: a variance of 0.005 between settings but for the repeats' part.
    higher = {name: [score + 0.1 for score in scores] for name, scores in WITHOUT_D.items()}
    seen = summary(one(FIRST, WITHOUT_D) | one(SECOND, higher))
    objects, settings, both, repeats = (
        seen[f"variance_{name}"].unique() for name in ("object", "setting", "object_setting", "repeat")
    )
    # Objects 0.3 0.5 0.7: variance 0.04 less the repeats' over 6. Nothing of both together, so its 2 degrees of freedom
    # go to the repeats, which have 12 with a variance of 0.0001.
    left = 12 * 0.0001 / 14
    assert objects == pytest.approx([0.04 - left / 6], rel=1e-3)
    assert settings == pytest.approx([0.005 - left / 9], rel=1e-3)
    assert both == pytest.approx([0.0], abs=1e-9)
    assert repeats == pytest.approx([left], rel=1e-3)
    assert seen["variance_undefined"].isna().all()
    alone = summary(one(FIRST, STEADY)).loc[FIRST]
    assert alone["variance_undefined"] == "fewer than two settings to compare"
    assert pd.isna(alone["variance_object"])
