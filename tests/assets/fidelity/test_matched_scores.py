"""Table `matched_scores`: judge and people on the same key, by object and by item, and the gate on their number."""

import numpy as np
import pandas as pd
import pytest

from assets.fidelity.logic.judge_answers import judge_scores
from assets.fidelity.matched_scores import matched_rows, some_matched_gate
from tests.assets.shared.made_tables import (
    SETTING,
    keeps_to_its_declaration,
    matrix_of_scores,
    objects_of,
    one_each,
    plan,
    ratings_of,
)

# a and b show the same item, made by two algorithms; c has an item of its own.
PRODUCTS = {"a": "p", "b": "p", "c": "q"}
OBJECTS = objects_of(PRODUCTS, algorithm={"b": "trellis_single"}, category_l3={"c": "Lamps"})
MATRIX = matrix_of_scores({"a": [0.2, 0.3, 0.7], "b": [0.8, 0.8, None], "c": [0.5, 0.5, 0.5]}, PRODUCTS)
PEOPLE = ratings_of({"a": [0.5, 0.7], "b": [0.6], "c": [0.4, 0.2]}, OBJECTS)


def matched(matrix: pd.DataFrame = MATRIX, people: pd.DataFrame = PEOPLE, **changes: object) -> pd.DataFrame:
    study = plan(repeats=int(matrix["n_planned"].iloc[0]), **changes)
    made = matched_rows(SETTING, matrix, people, OBJECTS, study)
    return keeps_to_its_declaration("matched_scores", made).set_index("match_key")


def test_by_object_both_sides_are_means_with_the_numbers_behind_them() -> None:
    seen = matched()
    # a: judge (0.2 + 0.3 + 0.7) / 3 = 0.4, people (0.5 + 0.7) / 2 = 0.6; b: judge 0.8 from 2; c: 0.5 against 0.3.
    np.testing.assert_allclose(seen["judge_score"], [0.4, 0.8, 0.5])
    np.testing.assert_allclose(seen["human_score"], [0.6, 0.6, 0.3])
    np.testing.assert_allclose(seen["difference"], [-0.2, 0.2, 0.2])
    assert seen["n_judge_scores"].tolist() == [3, 2, 3]
    assert seen["n_ratings"].tolist() == [2, 1, 2]
    assert seen["algorithm"].tolist() == ["rodin_multi", "trellis_single", "rodin_multi"]


def test_by_item_objects_count_equally_and_what_they_do_not_share_is_null() -> None:
    seen = matched(match_by="item")
    assert seen.index.tolist() == ["p", "q"]
    # p: judge (0.4 + 0.8) / 2 = 0.6 from 5 repeats; people ((0.5 + 0.7) / 2 + 0.6) / 2 = 0.6 from 3 ratings.
    np.testing.assert_allclose(seen["judge_score"], [0.6, 0.5])
    np.testing.assert_allclose(seen["human_score"], [0.6, 0.3])
    assert seen["n_judge_scores"].tolist() == [5, 3]
    assert seen["n_ratings"].tolist() == [3, 2]
    assert pd.isna(seen.loc["p", "algorithm"])
    assert seen["category_l3"].tolist() == ["Stools", "Lamps"]


def test_by_item_a_category_that_only_one_of_the_objects_has_is_null() -> None:
    objects = objects_of(PRODUCTS, category_l3={"a": None})
    made = matched_rows(SETTING, MATRIX, PEOPLE, objects, plan(match_by="item")).set_index("match_key")
    assert pd.isna(made.loc["p", "category_l3"])
    assert made.loc["p", "category_l2"] == "Seats"


def test_by_item_only_objects_that_both_sides_scored_are_averaged() -> None:
    # The judge scored a only and people b only: the item has no score from both sides on the same thing.
    only_a = matrix_of_scores({"a": [0.2, 0.3, 0.7]}, PRODUCTS)
    assert matched(only_a, ratings_of({"b": [0.9]}, OBJECTS), match_by="item").empty
    # People scored both: b stays out, and a stands for the item.
    seen = matched(only_a, ratings_of({"a": [0.5], "b": [0.9]}, OBJECTS), match_by="item")
    np.testing.assert_allclose(seen[["judge_score", "human_score"]], [[0.4, 0.5]])
    assert seen["algorithm"].tolist() == ["rodin_multi"]


def test_by_item_an_object_that_was_rated_more_often_does_not_weigh_more() -> None:
    people = ratings_of({"a": [0.0, 0.0, 0.0], "b": [0.8], "c": [0.4]}, OBJECTS)
    # (0 + 0.8) / 2; over ratings it would be 0.8 / 4.
    assert matched(people=people, match_by="item").loc["p", "human_score"] == pytest.approx(0.4)


def test_the_median_is_an_option() -> None:
    np.testing.assert_allclose(matched(aggregate="median")["judge_score"], [0.3, 0.8, 0.5])


def test_an_object_that_only_one_side_scored_is_left_out() -> None:
    unjudged = matrix_of_scores({"a": [None, None], "b": [0.5, 0.5], "c": [0.5, 0.5]}, PRODUCTS)
    assert matched(unjudged, ratings_of({"a": [0.5], "b": [0.5]}, OBJECTS)).index.tolist() == ["b"]


def test_an_object_without_a_verdict_has_no_score() -> None:
    np.testing.assert_equal(
        judge_scores(matrix_of_scores({"a": [None, None], "b": [None, 0.5]}), "mean"), [np.nan, 0.5]
    )


def test_three_matched_objects_pass() -> None:
    assert some_matched_gate(matched()).passed


def test_two_matched_objects_fail_with_the_remedy() -> None:
    gate = some_matched_gate(matched(match_by="item"))
    assert not gate.passed
    assert gate.sentence.startswith("Objects scored by judge and people is 2")
    assert "must share file hashes" in gate.sentence


def test_an_object_that_the_study_lists_twice_is_refused() -> None:
    with pytest.raises(pd.errors.MergeError):
        matched_rows(SETTING, MATRIX, PEOPLE, pd.concat([OBJECTS, OBJECTS]), plan())


def test_nothing_matched_gives_an_empty_table_of_the_right_columns() -> None:
    people = ratings_of({"d": [0.5]}, objects_of(one_each("d")))
    assert matched(people=people).empty
