"""Table `recommended_setting`: who is chosen on what, reported from what, and why the others are not."""

import numpy as np
import pandas as pd
import pytest

from analysis.significance.holm import holm
from assets.fidelity.logic.recommendation_gates import as_good_as_best, chosen_setting, recommended_gate
from assets.fidelity.logic.selection_split import products_that_choose
from assets.fidelity.logic.setting_conditions import condition_gates, misses, rule_of, stored_conditions
from assets.fidelity.setting_summary import summary_rows
from resources.configuration.fidelity import Recommendation, RecommendationWeights
from resources.tables.all_tables import TABLES
from tests.assets.fidelity.made_recommendation import BASELINE, COARSE, SHAKY, STEADY, judgements, recommended, study_of
from tests.assets.shared.made_tables import matrix_of_scores

GOOD = {STEADY: 0.01, SHAKY: 0.02, COARSE: 0.03}


@pytest.fixture(scope="module")
def split() -> pd.DataFrame:
    """A deterministic baseline, a steady setting, a shaky one, and one that hardly knows what people think."""
    noises = {BASELINE: 0.0, STEADY: 0.01, SHAKY: 0.13, COARSE: 0.01}
    return recommended(judgements(noises, errors={COARSE: 0.6})).set_index("setting")


@pytest.fixture(scope="module")
def optimism() -> pd.DataFrame:
    """Three settings that all pass, chosen on all objects."""
    return recommended(judgements(GOOD), "optimism").set_index("setting")


def test_the_setting_that_keeps_every_condition_is_recommended(split):
    assert chosen_setting(split.reset_index()) == (STEADY, None)
    assert split["recommended"].sum() == 1
    assert split.loc[STEADY, "passes"]
    assert pd.isna(split.loc[STEADY, "failed"])
    assert (split.loc[STEADY, "rank"], split.loc[STEADY, "behind_best"]) == (1, 0)


def test_a_failing_setting_says_which_condition_and_by_how_much(split):
    assert not split.loc[[SHAKY, COARSE], "passes"].any()
    shaky = split.loc[SHAKY]
    assert shaky["failed"] == (
        f"Median MAD of the repeats is {shaky['mad']:.3f} over 16 objects; needed: at most 0.05. "
        f"Over by {shaky['mad'] - 0.05:.2g}."
    )
    coarse = split.loc[COARSE]
    assert (
        f"Spearman with people is {coarse['spearman_r']:.3f} over 16 objects; needed: at least 0.7."
        in (coarse["failed"])
    )
    assert f"Short by {0.7 - coarse['spearman_r']:.2g}." in coarse["failed"]
    assert split.loc[[SHAKY, COARSE], ["score", "rank", "behind_best"]].isna().all(axis=None)


def test_a_deterministic_setting_is_shown_and_not_recommended_although_it_is_right(split):
    seen = split.loc[BASELINE]
    assert seen["deterministic"]
    assert seen["failed"].startswith("deterministic: every object's repeats are equal")
    assert (seen["icc"], seen["passes"], seen["recommended"]) == (1, False, False)
    assert seen["spearman_r"] > 0.9


def test_what_is_reported_comes_from_the_other_products(split):
    tables = judgements({STEADY: 0.01, SHAKY: 0.13}, seed=4)
    study = study_of()
    made = recommended(tables).set_index("setting")
    choosing = products_that_choose(tables.study_objects, tables.human_scores, study)
    assert choosing.method == "split"
    assert len(choosing.products) == 8
    for others, columns in (
        (False, ("icc", "spearman_r", "mad", "json_validity_rate")),
        (True, ("icc_reported", "spearman_reported", "mad_reported", "json_validity_reported")),
    ):
        part = {
            key: matrix[matrix["product_id"].isin(choosing.products) != others]
            for key, matrix in tables.matrices.items()
        }
        kept = set(part[STEADY]["object"])
        calls = {key: rows[rows["object"].isin(kept)] for key, rows in tables.calls.items()}
        seen = summary_rows(tables._replace(calls=calls, matrices=part), study).set_index("setting")
        for ours, theirs in zip(columns, ("icc", "spearman_r", "mad", "json_validity_rate"), strict=True):
            np.testing.assert_allclose(made[ours].to_numpy(dtype=float), seen[theirs].to_numpy(dtype=float), atol=1e-12)
    assert set(zip(made["n_choosing"], made["n_reporting"], strict=True)) == {(16, 16)}
    assert set(zip(made["n_products_choosing"], made["n_products_reporting"], strict=True)) == {(8, 8)}


def test_the_score_is_that_of_the_specification(split):
    seen = split.loc[STEADY]
    by_hand = 0.25 * (
        (seen["icc"] - 0.85) / 0.15
        + (seen["json_validity_rate"] - 0.98) / 0.02
        + (seen["spearman_r"] - 0.7) / 0.3
        + (0.05 - seen["mad"]) / 0.05
    )
    assert seen["score"] == pytest.approx(by_hand, abs=1e-12)


def test_weights_are_divided_by_their_sum():
    weights = RecommendationWeights(icc=2, json_validity=1, human=1, mad=0)
    rule = rule_of(study_of(recommendation=Recommendation(weights=weights)))
    assert (rule.weight_icc, rule.weight_json_validity, rule.weight_spearman, rule.weight_median_mad) == (
        0.5,
        0.25,
        0.25,
        0,
    )


def test_settings_are_ranked_by_score_and_the_interval_says_which_are_as_good(optimism):
    by_rank = optimism.sort_values("rank")
    assert by_rank["score"].is_monotonic_decreasing
    assert by_rank["recommended"].tolist() == [True, False, False]
    best = by_rank["score"].iloc[0]
    np.testing.assert_allclose(by_rank["behind_best"], best - by_rank["score"], atol=1e-12)
    for key, row in by_rank.iloc[1:].iterrows():
        assert row["behind_best_low"] < row["behind_best"] < row["behind_best_high"]
        assert row["as_good_as_best"] == (row["behind_best_low"] <= 0)
        assert (key in as_good_as_best(optimism.reset_index())) == row["as_good_as_best"]
    # Noise 0.03 against 0.01: a MAD of about 0.02 against 0.007, which 16 products tell apart.
    assert not by_rank.loc[COARSE, "as_good_as_best"]


def test_where_all_objects_choose_only_the_chosen_ones_numbers_are_reported_and_corrected(optimism):
    assert optimism.loc[[SHAKY, COARSE], ["icc_reported", "spearman_reported", "mad_reported"]].isna().all(axis=None)
    seen = optimism.loc[STEADY]
    assert (seen["n_choosing"], seen["n_reporting"], seen["n_products_reporting"]) == (32, 32, 16)
    assert seen["icc_reported"] == pytest.approx(seen["icc"], abs=0.01)
    assert seen["icc_reported_low"] < seen["icc_reported"] < seen["icc_reported_high"]
    assert seen["method"].startswith("optimism (as configured): chosen on and reported from 32 objects of 16 products")
    assert "less bootstrap optimism: the rule chose anew in 200 of 200 resamples" in seen["method"]


def test_the_bounds_for_all_settings_tried_lie_below_the_interval(split):
    seen = split.loc[STEADY]
    assert seen["n_settings_tried"] == 4
    assert seen["icc_holm_low"] < seen["icc_reported_low"] < seen["icc_reported"]
    assert seen["spearman_holm_low"] < seen["spearman_reported_low"]
    # Holm multiplies the smallest of four p-values by four: the level is 1 - 0.05/4, and 0.00625 lies below its bound.
    assert holm([0.0125, 1, 1, 1])[0] == pytest.approx(0.05)
    assert "8 clusters at 98.75 % (Holm's first step over 4 settings)" in seen["method"]
    assert split.drop(index=STEADY)["icc_holm_low"].isna().all()


def test_few_products_are_not_split():
    made = recommended(judgements(GOOD, n_products=8)).set_index("setting")
    assert made.loc[STEADY, "method"].startswith(
        "optimism (people scored 8 products, and fewer than 12 are not split): chosen on"
    )


def test_products_that_people_scored_are_shared_out_between_the_halves():
    tables = judgements(GOOD, n_products=24, unscored=10)
    choosing = products_that_choose(tables.study_objects, tables.human_scores, study_of())
    scored = {f"p{number:02d}" for number in range(14)}
    assert (len(choosing.products & scored), len(choosing.products - scored)) == (7, 5)
    nobody = products_that_choose(tables.study_objects, tables.human_scores.iloc[:2], study_of("split"))
    assert nobody.method == "optimism"
    assert nobody.why == "people scored 1 product, and fewer than 2 are not split"


def test_first_answers_that_are_no_json_fail_the_setting_although_a_retry_cured_them():
    made = recommended(judgements({STEADY: 0.01, SHAKY: 0.02}, invalid={STEADY: 160}), "optimism").set_index("setting")
    assert made.loc[STEADY, "json_validity_rate"] == 0
    assert made.loc[STEADY, "failed"] == "JSON validity is 0.000 over 160 first answers; needed: at least 0.98. " + (
        "Short by 0.98."
    )
    assert made.loc[SHAKY, "recommended"]


def test_a_setting_of_another_plan_is_shown_with_the_reason_and_takes_nothing_from_the_others():
    tables = judgements(GOOD)
    longer = {name: [0.5] * 6 for name in tables.study_objects["object"]}
    products = dict(tables.study_objects[["object", "product_id"]].to_numpy())
    tables.matrices[SHAKY] = matrix_of_scores(longer, products, setting=SHAKY)
    made = recommended(tables).set_index("setting")
    assert "not compared: score_matrix at" in made.loc[SHAKY, "failed"]
    assert (made.loc[SHAKY, "n_settings_tried"], made.loc[SHAKY, "method"]) == (0, "none: not compared")
    assert made.loc[SHAKY, "cost_per_item_usd"] == pytest.approx(0.1)
    assert made.loc[STEADY, "n_settings_tried"] == 2
    assert made.loc[STEADY, "recommended"]


def test_settings_without_a_common_object_are_not_compared():
    tables = judgements({STEADY: 0.01, SHAKY: 0.02})
    names = sorted(tables.study_objects["object"])
    tables.matrices[STEADY] = tables.matrices[STEADY][tables.matrices[STEADY]["object"].isin(names[:16])]
    tables.matrices[SHAKY] = tables.matrices[SHAKY][tables.matrices[SHAKY]["object"].isin(names[16:])]
    made = recommended(tables)
    assert made["failed"].tolist() == ["not compared: no object is valid in every setting"] * 2
    assert chosen_setting(made) == (None, None)


def test_before_any_setting_is_made_the_table_is_empty_with_its_columns():
    made = recommended(judgements({}))
    assert made.empty
    assert not recommended_gate(made).passed


@pytest.mark.parametrize(("kept", "words"), [(True, "reports the numbers"), (False, "chooses the setting")])
def test_a_half_of_the_products_without_common_objects_is_not_made_up_for_by_the_other(kept, words):
    tables = judgements(GOOD)
    inside = products_that_choose(tables.study_objects, tables.human_scores, study_of()).products
    for key, matrix in tables.matrices.items():
        tables.matrices[key] = matrix[matrix["product_id"].isin(inside) == kept]
    made = recommended(tables)
    # The golden set is drawn from the half that does not choose: no other may choose in its place.
    why = f"not compared: no object is valid in every setting among the half of the products that {words}."
    assert made["failed"].str.startswith(why).all()
    assert chosen_setting(made) == (None, None)
    assert made["n_choosing"].tolist() == [0, 0, 0]
    gate = recommended_gate(made)
    assert not gate.passed
    assert f"None was compared: {why}" in gate.sentence
    # The remedy that it names.
    assert recommended(tables, "optimism")["recommended"].any()


def test_what_spearman_rests_on_stands_beside_what_icc_rests_on():
    # 40 products, people scored 16 of them: halves of 20 products with 8 scored ones each, 2 objects a product.
    made = recommended(judgements(GOOD, n_products=40, unscored=24, errors=dict.fromkeys(GOOD, 0.05))).set_index(
        "setting"
    )
    seen = made.loc[STEADY]
    assert (seen["n_choosing"], seen["n_reporting"], seen["n_products_reporting"]) == (40, 40, 20)
    assert (seen["n_matched_choosing"], seen["n_matched_reporting"]) == (16, 16)
    assert (seen["n_matched_products_choosing"], seen["n_matched_products_reporting"]) == (8, 8)
    bounds = seen["method"].split("lower bounds of ")[1]
    assert bounds.startswith("ICC: delete-one jackknife, log F, t(")
    assert "20 clusters at " in bounds
    assert "; Spearman: delete-one jackknife, Fisher's z, t(" in bounds
    assert ", 8 clusters at " in bounds


def test_reported_numbers_stay_within_what_is_possible_and_are_declared_so():
    columns = {column.name: (column.low, column.high) for column in TABLES["recommended_setting"].columns}
    assert columns["json_validity_reported"] == columns["mad_reported"] == columns["mad"] == (0, 1)


def test_too_few_human_scores_leave_spearman_undefined_and_say_so():
    tables = judgements(GOOD)
    made = recommended(tables._replace(human_scores=tables.human_scores.iloc[:2]))
    assert made["spearman_r"].isna().all()
    assert (
        "Spearman with people is undefined (only 2 of the objects were scored by people, at least 3 needed)"
        in (made["failed"].iloc[0])
    )


def test_cost_is_for_each_item_however_many_objects_it_has():
    # 160 calls at 0.01 USD over 32 objects, two of each of 16 items: 1.60 / 16.
    made = recommended(judgements(GOOD)).set_index("setting")
    assert made.loc[STEADY, "cost_per_item_usd"] == pytest.approx(0.1)


def test_the_stored_numbers_give_the_conditions_that_the_table_says_are_missed():
    tables = judgements(GOOD | {BASELINE: 0.0, COARSE: 0.13}, invalid={SHAKY: 12})
    made = recommended(tables)
    for side, said in (("choosing", "failed"), ("reporting", "lacks_when_reported")):
        for row in made.to_dict("records"):
            gates = condition_gates(
                stored_conditions(row, side), study_of().thresholds, deterministic=row["deterministic"]
            )
            assert misses(gates) == (None if pd.isna(row[said]) else row[said])
    # Five first answers of each of 16 objects on either side, of which 12 at most were no JSON.
    assert made["n_first_choosing"].tolist() == made["n_first_reporting"].tolist() == [80] * len(made)


def test_cost_and_repeats_needed_stand_beside_each_setting(split):
    # 160 calls at 0.01 USD over 16 items.
    assert split["cost_per_item_usd"].tolist() == pytest.approx([0.1] * 4)
    assert pd.isna(split.loc[BASELINE, "repeats_needed_median"])
    assert split.loc[BASELINE, "n_without_projection"] == 32
    # Half-width 0.02 at noise 0.01 takes about four repeats, at 0.13 about 160.
    assert 3 <= split.loc[STEADY, "repeats_needed_median"] <= 5
    assert 100 < split.loc[SHAKY, "repeats_needed_median"] < 240
    assert split.loc[SHAKY, "repeats_needed_most"] > split.loc[SHAKY, "repeats_needed_median"]


def test_the_same_tables_in_another_order_give_the_same_recommendation():
    tables = judgements(GOOD)
    shuffled = tables._replace(
        matrices={key: matrix.sample(frac=1, random_state=3) for key, matrix in reversed(tables.matrices.items())},
        calls={key: calls.sample(frac=1, random_state=3) for key, calls in tables.calls.items()},
        human_scores=tables.human_scores.sample(frac=1, random_state=3),
        study_objects=tables.study_objects.sample(frac=1, random_state=3),
    )
    pd.testing.assert_frame_equal(recommended(tables), recommended(shuffled))
