"""Table `human_agreement`: numbers by hand, groups, reasons for nulls, and the gates."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from assets.fidelity.human_agreement import agreement_table, error_gate, headline, spearman_gate
from assets.fidelity.matched_scores import matched_rows
from resources.configuration.fidelity import FidelityThresholds
from tests.assets.shared.made_tables import (
    SETTING,
    keeps_to_its_declaration,
    matrix_of_scores,
    objects_of,
    one_each,
    plan,
    ratings_of,
)

NAMES = "abcdefgh"
OBJECTS = objects_of(
    one_each(NAMES),
    category_l3=dict.fromkeys("abc", "Lamps") | {"h": None},
    algorithm=dict.fromkeys("gh", "trellis_single"),
)
HUMAN = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
# Judge minus people: 0.1 -0.1 0.1 -0.1 0.2 0 0 0.
JUDGE = [0.2, 0.1, 0.4, 0.3, 0.7, 0.6, 0.7, 0.8]


def table(judge: Sequence[float] = JUDGE, human: Sequence[float] = HUMAN, **changes: object) -> pd.DataFrame:
    matrix = matrix_of_scores({name: [score] * 3 for name, score in zip(NAMES, judge, strict=True)})
    people = ratings_of({name: [score, score] for name, score in zip(NAMES, human, strict=True)}, OBJECTS)
    study = plan(**changes)
    rows = matched_rows(SETTING, matrix, people, OBJECTS, study)
    return keeps_to_its_declaration("human_agreement", agreement_table(SETTING, rows, people, OBJECTS, study))


def overall(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["grouped_by"] == "overall"].set_index("statistic")


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return table()


def test_errors_are_means_over_objects(frame: pd.DataFrame) -> None:
    seen = overall(frame)["value"]
    # |d| sum 0.6 over 8 = 0.075; squares 4 x 0.01 + 0.04 = 0.08 over 8, root 0.1; d sum 0.2 over 8 = 0.025.
    np.testing.assert_allclose(seen[["mae", "rmse", "bias"]].astype(float), [0.075, 0.1, 0.025])
    # Variance of d: (0.08 - 8 x 0.025^2) / 7 = 0.0107143; sd 0.1035098; limits 0.025 -+ 1.96 sd.
    np.testing.assert_allclose(
        seen[["sd_of_differences", "limit_low", "limit_high"]].astype(float),
        [0.1035098, -0.1778793, 0.2278793],
        atol=1e-6,
    )


def test_correlations_follow_the_order(frame: pd.DataFrame) -> None:
    # Ranks of the judge 2 1 4 3 6.5 5 6.5 8 against 1..8: d^2 sum 1 + 1 + 1 + 1 + 2.25 + 1 + 0.25 + 0 = 7.5.
    # Pearson of ranks: both sides' mean 4.5, people's sum of squares 42, judge's 42 - 0.5 = 41.5 (one tie),
    # cross (42 + 41.5 - 7.5) / 2 = 38; 38 / sqrt(42 x 41.5) = 0.910196.
    assert overall(frame).loc["spearman_r", "value"] == pytest.approx(0.910196, abs=1e-6)


def test_every_row_says_how_many_objects_and_products_it_rests_on(frame: pd.DataFrame) -> None:
    seen = frame.drop_duplicates(["grouped_by", "group"]).set_index(["grouped_by", "group"])
    counts = seen[["n_used", "n_total", "n_products"]].to_dict("index")
    assert counts == {
        ("overall", "all objects"): {"n_used": 8, "n_total": 8, "n_products": 8},
        ("category_l3", "(missing)"): {"n_used": 1, "n_total": 1, "n_products": 1},
        ("category_l3", "Lamps"): {"n_used": 3, "n_total": 3, "n_products": 3},
        ("category_l3", "Stools"): {"n_used": 4, "n_total": 4, "n_products": 4},
        ("algorithm", "rodin_multi"): {"n_used": 6, "n_total": 6, "n_products": 6},
        ("algorithm", "trellis_single"): {"n_used": 2, "n_total": 2, "n_products": 2},
    }


def test_every_group_has_every_statistic(frame: pd.DataFrame) -> None:
    # A block that is undefined names all that it would have had, so no group lacks a row.
    assert len({frozenset(part["statistic"]) for _, part in frame.groupby(["grouped_by", "group"])}) == 1


def test_a_group_of_two_is_null_with_the_reason(frame: pd.DataFrame) -> None:
    pair = frame[frame["group"] == "trellis_single"].set_index("statistic")
    for name in ("spearman_r", "ccc", "mae", "limit_low", "mae_linear"):
        assert pd.isna(pair.loc[name, "value"]), name
        assert "3" in pair.loc[name, "undefined"], name


def test_three_products_are_too_few_for_an_interval_and_the_method_says_so(frame: pd.DataFrame) -> None:
    lamps = frame[frame["group"] == "Lamps"].set_index("statistic").loc["spearman_r"]
    assert not pd.isna(lamps["value"])
    assert pd.isna(lamps["ci_low"])
    assert "3 clusters" in lamps["method"]


def test_the_method_of_an_interval_names_its_products(frame: pd.DataFrame) -> None:
    seen = overall(frame).loc["spearman_r"]
    assert not pd.isna(seen["ci_low"])
    assert re.search(r"delete-one jackknife, Fisher's z, t\([\d.]+\), \d+ clusters", seen["method"])


def test_calibration_is_judged_on_products_that_it_has_not_seen(frame: pd.DataFrame) -> None:
    seen = overall(frame)
    assert "leave one product out" in seen.loc["mae_linear", "method"]
    slope, intercept = np.polyfit(JUDGE, HUMAN, 1)
    np.testing.assert_allclose(
        seen.loc[["calibration_slope", "calibration_intercept"], "value"].astype(float), [slope, intercept]
    )
    # Independent: refit without each object in turn.
    judge, human = np.array(JUDGE), np.array(HUMAN)
    errors = [
        abs(np.polyval(np.polyfit(np.delete(judge, out), np.delete(human, out), 1), judge[out]) - human[out])
        for out in range(len(judge))
    ]
    assert seen.loc["mae_linear", "value"] == pytest.approx(np.mean(errors))


def test_annotators_that_agree_exactly_make_a_ceiling_of_one(frame: pd.DataFrame) -> None:
    seen = overall(frame).loc[["human_icc_1_1", "human_icc_1_k"], "value"]
    assert seen.tolist() == [1, 1]


def test_a_single_annotator_has_no_ceiling() -> None:
    people = ratings_of({name: [score] for name, score in zip(NAMES, HUMAN, strict=True)}, OBJECTS)
    matrix = matrix_of_scores({name: [score] * 3 for name, score in zip(NAMES, JUDGE, strict=True)})
    rows = matched_rows(SETTING, matrix, people, OBJECTS, plan())
    seen = overall(agreement_table(SETTING, rows, people, OBJECTS, plan())).loc["human_icc_1_1"]
    assert pd.isna(seen["value"])
    assert seen["undefined"]


def test_objects_that_people_did_not_score_are_in_the_total_only() -> None:
    people = ratings_of({name: [0.1 * place, 0.1] for place, name in enumerate("abcd")}, OBJECTS)
    matrix = matrix_of_scores({name: [score] * 3 for name, score in zip(NAMES, JUDGE, strict=True)})
    rows = matched_rows(SETTING, matrix, people, OBJECTS, plan())
    made = keeps_to_its_declaration("human_agreement", agreement_table(SETTING, rows, people, OBJECTS, plan()))
    first = overall(made).iloc[0]
    assert (first["n_used"], first["n_total"]) == (4, 8)
    # Nobody scored g and h, the group is empty and says why.
    nobody = made[made["group"] == "trellis_single"]
    assert nobody["n_used"].unique().tolist() == [0]
    assert nobody["value"].isna().all()
    assert nobody["undefined"].notna().all()


def test_by_item_items_whose_objects_differ_are_a_group_of_their_own() -> None:
    # Items p, q, r have an object of each algorithm, s two of one.
    products = dict(zip(NAMES, "ppqqrrss", strict=True))
    objects = objects_of(products, algorithm=dict.fromkeys("acegh", "trellis_single"))
    people = ratings_of({name: [score] for name, score in zip(NAMES, HUMAN, strict=True)}, objects)
    matrix = matrix_of_scores({name: [score] * 3 for name, score in zip(NAMES, JUDGE, strict=True)}, products)
    study = plan(match_by="item")
    rows = matched_rows(SETTING, matrix, people, objects, study)
    made = agreement_table(SETTING, rows, people, objects, study)
    assert overall(made)[["n_used", "n_total"]].iloc[0].tolist() == [4, 4]
    groups = made[made["grouped_by"] == "algorithm"].drop_duplicates("group").set_index("group")
    assert groups["n_used"].to_dict() == {"(several)": 3, "trellis_single": 1}
    assert groups["n_total"].to_dict() == {"(several)": 3, "trellis_single": 1}


def test_by_item_the_ceiling_is_of_people_on_the_same_object() -> None:
    # Both annotators agree exactly on every object, and the two objects of an item are far apart.
    products = dict(zip(NAMES, "ppqqrrss", strict=True))
    objects = objects_of(products)
    people = ratings_of({name: [score] * 2 for name, score in zip(NAMES, HUMAN, strict=True)}, objects)
    matrix = matrix_of_scores({name: [score] * 3 for name, score in zip(NAMES, JUDGE, strict=True)}, products)
    study = plan(match_by="item")
    rows = matched_rows(SETTING, matrix, people, objects, study)
    assert overall(agreement_table(SETTING, rows, people, objects, study)).loc["human_icc_1_1", "value"] == 1


def test_units_are_the_scores_for_errors_and_none_for_the_rest(frame: pd.DataFrame) -> None:
    units = overall(frame)["unit"].to_dict()
    assert {name for name, unit in units.items() if unit == "unitless"} == {
        "pearson_r",
        "spearman_r",
        "kendall_tau_b",
        "ccc",
        "ccc_accuracy",
        "scale_shift",
        "location_shift",
        "difference_slope",
        "calibration_slope",
        "human_icc_1_1",
        "human_icc_1_k",
    }
    assert set(units.values()) == {"unitless", "0-1"}


def test_the_headline_is_the_overall_part(frame: pd.DataFrame) -> None:
    numbers = headline(frame, FidelityThresholds())
    assert numbers["n_used"] == 8
    assert numbers["mae"] == pytest.approx(0.075)
    assert "data:image/webp;base64," in numbers["plot"].value  # type: ignore[attr-defined]
    assert "data:image/webp;base64," in numbers["plot_mae"].value  # type: ignore[attr-defined]


def test_a_judge_that_orders_like_people_passes(frame: pd.DataFrame) -> None:
    gate = spearman_gate(frame, 0.7)
    assert gate.passed
    assert gate.seen == pytest.approx(0.910196, abs=1e-6)


def test_a_judge_that_orders_otherwise_fails_and_points_to_the_plot() -> None:
    # Reversed order: exactly -1.
    gate = spearman_gate(table(judge=HUMAN[::-1]), 0.7)
    assert not gate.passed
    assert gate.sentence.startswith("Spearman with people is -1")
    assert "scatter plot in matched_scores" in gate.sentence


def test_the_bound_is_another_gate_that_can_fail_alone(frame: pd.DataFrame) -> None:
    gate = spearman_gate(frame, 0.9, "ci_low")
    assert spearman_gate(frame, 0.9).passed
    assert not gate.passed
    assert gate.name == "orders_like_people_for_sure"
    assert gate.sentence.startswith("The lower bound of Spearman with people is ")
    assert gate.sentence.endswith("More products narrow the interval.")
    assert spearman_gate(frame, 0.1, "ci_low").passed


def test_a_constant_judge_fails_with_the_reason() -> None:
    gate = spearman_gate(table(judge=[0.5] * 8), 0.7)
    assert not gate.passed
    assert gate.seen is None
    assert "undefined (all 8 judge scores are equal)" in gate.sentence
    assert "needed: at least 0.7. It takes three objects or more" in gate.sentence


def test_a_bound_that_too_few_products_do_not_give_fails_with_the_method() -> None:
    objects = objects_of(dict.fromkeys("abcd", "p") | dict.fromkeys("efgh", "q"))
    people = ratings_of({name: [score] for name, score in zip(NAMES, HUMAN, strict=True)}, objects)
    products = dict(zip(objects["object"], objects["product_id"], strict=True))
    matrix = matrix_of_scores({name: [score] * 3 for name, score in zip(NAMES, JUDGE, strict=True)}, products)
    rows = matched_rows(SETTING, matrix, people, objects, plan())
    gate = spearman_gate(agreement_table(SETTING, rows, people, objects, plan()), 0.7, "ci_low")
    assert not gate.passed
    assert "2 clusters" in gate.sentence


@pytest.mark.parametrize(("statistic", "limit"), [("mae", 0.075), ("rmse", 0.1)])
def test_errors_within_the_limit_pass_the_limit_included(frame: pd.DataFrame, statistic: str, limit: float) -> None:
    assert error_gate(frame, statistic, limit).passed


def test_errors_over_the_limit_fail_with_the_number_and_where_to_look(frame: pd.DataFrame) -> None:
    gate = error_gate(frame, "mae", 0.07)
    assert not gate.passed
    assert gate.sentence.startswith("Mean absolute error against people is 0.075 over 8 objects; needed: at most 0.07.")
    assert "mae_linear" in gate.sentence
    assert error_gate(frame, "rmse", 0.09).sentence.startswith("Root mean squared error against people is 0.100")
