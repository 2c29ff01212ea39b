"""Which objects the golden set takes: one per item, of products that did not choose the setting, whoever else comes."""

from typing import Any

import pandas as pd
import pytest

from assets.fidelity.logic.golden_choice import golden_objects, other_object
from resources.configuration.fidelity import FidelityStudy
from resources.errors import UserError
from tests.assets.shared.made_tables import objects_of, plan

TWENTY = {f"o{number:02d}": f"p{number:02d}" for number in range(20)}


def golden(n_items: int = 4, method: str = "split", **changes: Any) -> FidelityStudy:
    return plan(golden={"n_items": n_items, **changes}, recommendation={"method": method})


FIRST_TEN = frozenset(list(TWENTY.values())[:10])
NOBODY: frozenset[str] = frozenset()


def test_items_are_drawn_among_products_that_did_not_choose_the_setting() -> None:
    chosen = golden_objects(objects_of(TWENTY), FIRST_TEN, golden(10))
    # 20 products: 10 choose, 10 report.
    assert set(chosen["product_id"]) == set(TWENTY.values()) - FIRST_TEN
    assert not chosen["chose_setting"].any()


def test_the_draw_is_the_same_whatever_the_order_of_rows_and_another_for_another_seed() -> None:
    objects = objects_of(TWENTY)
    first = golden_objects(objects, NOBODY, golden())["object"].tolist()
    assert golden_objects(objects.sample(frac=1, random_state=1), NOBODY, golden())["object"].tolist() == first
    other = plan(golden={"n_items": 4}, recommendation={"method": "split"}, seed=5)
    assert golden_objects(objects, NOBODY, other)["object"].tolist() != first


def test_an_object_that_comes_later_moves_few_of_the_chosen() -> None:
    study = golden(6, "optimism")
    before = set(golden_objects(objects_of(TWENTY), NOBODY, study)["object"])
    after = set(golden_objects(objects_of(TWENTY | {"new": "p-new"}), NOBODY, study)["object"])
    assert len(before & after) >= 5


def test_every_item_gives_one_object_and_other_products_come_before_a_products_second_item() -> None:
    # Products p and q with two objects of one item, and p with a second item.
    objects = objects_of({"a": "p", "b": "p", "c": "p", "d": "q", "e": "q"}, item_id={"c": "p_blue"})
    two = golden_objects(objects, NOBODY, golden(2, "optimism"))
    assert sorted(two["product_id"]) == ["p", "q"]
    three = golden_objects(objects, NOBODY, golden(9, "optimism"))
    assert sorted(three["item_id"]) == ["p", "p_blue", "q"]


def test_objects_that_are_left_out_are_not_drawn() -> None:
    objects = objects_of(TWENTY, excluded=dict.fromkeys(list(TWENTY)[:15], "no_photos"))
    assert set(golden_objects(objects, NOBODY, golden(10, "optimism"))["object"]) == set(list(TWENTY)[15:])


def test_items_that_the_configuration_names_are_taken_in_its_order_though_they_chose_the_setting() -> None:
    study = golden(items=("p03", "p01", "p03", "p02"))
    chosen = golden_objects(objects_of(TWENTY), {"p01", "p02"}, study)
    assert chosen["item_id"].tolist() == ["p03", "p01", "p02"]
    assert chosen["chose_setting"].tolist() == [False, True, True]


def test_a_named_item_without_a_usable_render_stays_in_so_that_it_is_counted() -> None:
    objects = objects_of({"a": "p", "b": "p", "c": "q"}, excluded={"a": "no_render", "b": "no_render"})
    chosen = golden_objects(objects, NOBODY, golden(items=("p", "q")))
    assert chosen["excluded"].fillna("judged").tolist() == ["no_render", "judged"]
    objects = objects_of({"a": "p", "b": "p", "c": "q"}, excluded={"a": "no_render"})
    assert golden_objects(objects, NOBODY, golden(items=("p",)))["object"].tolist() == ["b"]


def test_a_name_that_is_no_item_is_refused_with_the_nearest() -> None:
    with pytest.raises(UserError, match=r"no item 'p33' \(did you mean 'p\d3'\?\)"):
        golden_objects(objects_of(TWENTY), NOBODY, golden(items=("p33", "p01")))


def test_where_every_product_chose_the_setting_items_are_drawn_among_them_and_flagged() -> None:
    chosen = golden_objects(objects_of(TWENTY), frozenset(TWENTY.values()), golden(4))
    assert chosen["chose_setting"].tolist() == [True] * 4


def other_of(objects: pd.DataFrame, name: str, seed: int = 1) -> pd.Series | None:
    return other_object(objects[objects["object"] == name].to_dict("records")[0], objects, seed)


def test_the_other_item_is_of_another_product_and_of_another_category_where_there_is_one() -> None:
    objects = objects_of({"a": "p", "b": "p", "c": "q", "d": "r"}, category_l3={"d": "Lamps"})
    for seed in range(5):
        other = other_of(objects, "a", seed)
        assert other is not None
        assert other["object"] == "d"
    alike = objects_of({"a": "p", "b": "p", "c": "q"})
    other = other_of(alike, "a")
    assert other is not None
    assert other["object"] == "c"


def test_the_same_picture_under_another_name_is_no_other_item() -> None:
    objects = objects_of({"a": "p", "b": "q"}, candidate_sha256={"a": "one", "b": "one"})
    assert other_of(objects, "a") is None


def test_a_render_that_is_left_out_is_no_other_item() -> None:
    assert other_of(objects_of({"a": "p", "b": "q"}, excluded={"b": "no_photos"}), "a") is None
