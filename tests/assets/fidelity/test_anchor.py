"""The anchor's objects and occasions, read off the ledger's rows, by hand."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.fidelity.anchor_scores import headline, of_today
from assets.fidelity.logic.anchor import (
    day_of_occasion,
    drawn,
    judged_again,
    occasion_of,
    occasion_rows,
    pinned_occasion,
)
from resources.configuration.settings import setting_from_key
from tests.assets.shared.made_tables import SETTING, calls_of, keeps_to_its_declaration, objects_of, one_each, plan

FIRST, SECOND = "2026-11-02", "2026-11-09"


def attempts(day: str, scores: dict[str, list[float]], setting: str = SETTING, **columns: object) -> pd.DataFrame:
    """One valid attempt per score, on this day."""
    rows = [(f"{name}@{day}", n, 1, "valid", score) for name, all_ in scores.items() for n, score in enumerate(all_, 1)]
    return calls_of(rows, setting).assign(started_at=pd.Timestamp(day, tz="UTC"), **columns)


def table(*parts: pd.DataFrame, today: str | None = None, **changes: object) -> pd.DataFrame:
    made = occasion_rows(pd.concat(parts, ignore_index=True), plan(**changes), today)
    return keeps_to_its_declaration("anchor_scores", made).set_index(["occasion", "object"])


def test_an_object_has_one_row_per_occasion_with_the_mean_of_its_repeats() -> None:
    seen = table(attempts(FIRST, {"a": [0.1, 0.2, 0.6]}), attempts(SECOND, {"a": [0.4, 0.4, 0.4], "b": [0.5] * 3}))
    assert list(seen.index) == [(FIRST, "a"), (SECOND, "a"), (SECOND, "b")]
    # (0.1 + 0.2 + 0.6) / 3 = 0.3
    assert seen.loc[(FIRST, "a"), "judge_score"] == pytest.approx(0.3)
    assert seen.loc[(FIRST, "a"), ["n_valid", "n_planned"]].tolist() == [3, 3]
    assert seen.loc[(FIRST, "a"), "cost_usd"] == pytest.approx(0.03)


def test_the_mean_is_the_same_to_the_last_digit_whichever_repeat_was_answered_first() -> None:
    in_turn = attempts(FIRST, {"a": [0.45, 0.47, 0.45]})
    # Added up in this order, the sum ends in another digit.
    overtaken = in_turn.assign(started_at=in_turn["started_at"] + pd.to_timedelta([0, 2, 1], unit="s"))
    assert table(overtaken)["judge_score"].tolist() == table(in_turn)["judge_score"].tolist()


def test_the_median_counts_where_the_study_says_so() -> None:
    seen = table(attempts(FIRST, {"a": [0.1, 0.2, 0.6]}), aggregate="median")
    assert seen["judge_score"].tolist() == [pytest.approx(0.2)]


def test_the_last_attempt_gives_the_score_and_all_of_them_the_cost() -> None:
    rows = [
        (f"a@{FIRST}", 1, 1, "timeout", None),
        (f"a@{FIRST}", 1, 2, "valid", 0.4),
        (f"a@{FIRST}", 2, 1, "invalid_json", None),
    ]
    seen = table(calls_of(rows)).loc[(FIRST, "a")]
    assert (seen["judge_score"], seen["n_valid"], seen["n_planned"]) == (0.4, 1, 2)
    assert seen["cost_usd"] == pytest.approx(0.03)


def test_an_object_without_an_answer_has_a_row_and_no_score() -> None:
    seen = table(calls_of([(f"a@{FIRST}", 1, 1, "timeout", None)])).loc[(FIRST, "a")]
    assert pd.isna(seen["judge_score"])
    assert seen["n_valid"] == 0
    assert seen["models_answered"] == []


def test_every_model_that_answered_is_named_with_its_fingerprint() -> None:
    calls = attempts(FIRST, {"a": [0.1, 0.2, 0.6]})
    calls["model_answered"] = ["m-1", "m-1", None]
    calls["fingerprint"] = ["fp2", "fp1", None]
    assert table(calls).loc[(FIRST, "a"), "models_answered"] == ["m-1 (fp1)", "m-1 (fp2)", "not stated"]


def evening(hours: int = 9, **columns: object) -> pd.DataFrame:
    later = attempts(FIRST, {name: [0.9, 0.9] for name in "abc"}, **columns)
    return later.assign(started_at=later["started_at"] + pd.Timedelta(hours=hours))


def test_of_two_judges_on_one_day_the_first_stays_pinned_and_the_later_one_is_an_occasion_of_its_own() -> None:
    morning = attempts(FIRST, {name: [0.1, 0.1] for name in "abc"}, judge_identity="1")
    seen = table(evening(judge_identity="2"), morning)
    later = f"{FIRST}, judge 2"
    assert list(seen.index) == [(day, name) for day in (FIRST, later) for name in "abc"]
    assert seen["judge_identity"].tolist() == ["1"] * 3 + ["2"] * 3
    assert pinned_occasion(seen.reset_index(), 2) == FIRST
    assert (day_of_occasion(later), day_of_occasion(FIRST)) == (FIRST, FIRST)
    assert occasion_of(seen.reset_index(), FIRST, "2", SETTING) == later
    assert occasion_of(seen.reset_index(), FIRST, "3", SETTING) == FIRST
    after = table(evening(judge_identity="2"), morning, attempts(SECOND, {"a": [0.2, 0.2]}))
    assert sorted({day for day, _ in after.index}) == [FIRST, later, SECOND]


def test_another_setting_on_the_same_day_is_an_occasion_of_its_own() -> None:
    seen = table(attempts(FIRST, {"a": [0.1, 0.1]}), evening(setting="t0.5_p1.0"))
    assert seen.xs(f"{FIRST}, judge 2")["setting"].unique().tolist() == ["t0.5_p1.0"]


def test_judges_that_came_and_went_today_are_not_the_last_occasion() -> None:
    morning = attempts(FIRST, {name: [0.1, 0.1] for name in "abc"}, judge_identity="1")
    noon, night = evening(5, judge_identity="2"), evening(judge_identity="3")
    seen = table(morning, noon, night).reset_index()
    assert of_today(seen, FIRST, "3", SETTING)["occasion"].unique().tolist() == [FIRST, f"{FIRST}, judge 3"]
    # The first judge is in force again: it was answered this morning and is not asked anew.
    assert of_today(seen, FIRST, "1", SETTING)["occasion"].unique().tolist() == [FIRST]
    assert len(of_today(seen, SECOND, "1", SETTING)) == len(seen)


def test_a_day_that_broke_off_was_planned_like_any_other() -> None:
    calls = [attempts(FIRST, {"a": [0.1] * 5}), attempts(SECOND, {"a": [0.1], "b": [0.2]})]
    planned = table(*calls, today=SECOND, repeats=5)["n_planned"]
    assert planned.to_dict() == {(FIRST, "a"): 5, (SECOND, "a"): 5, (SECOND, "b"): 5}
    # More repeats were asked for earlier today than are planned now.
    assert table(*calls, today=FIRST, repeats=2)["n_planned"].tolist() == [5, 1, 1]


def test_objects_that_are_no_anchor_are_left_out() -> None:
    names = ("a", "a~stripes7_o70", f"a@{FIRST}~stripes7_o70", f"a@{FIRST}0")
    assert table(calls_of([(name, 1, 1, "valid", 0.4) for name in names])).empty


def test_an_object_whose_images_changed_during_the_day_counts_with_the_later_ones() -> None:
    later = attempts(FIRST, {"a": [0.9]}).assign(started_at=pd.Timestamp(f"{FIRST} 12:00", tz="UTC"))
    later["image_hashes"] = [["2"]]
    seen = table(attempts(FIRST, {"a": [0.1]}), later)
    assert seen["judge_score"].tolist() == [0.9]


def test_the_first_occasion_with_three_objects_judged_often_enough_is_pinned() -> None:
    down = calls_of([(f"{name}@2026-10-26", 1, 1, "timeout", None) for name in "abc"])
    broken_off = attempts("2026-10-27", {"a": [0.1, 0.2], "b": [0.1, 0.2], "c": [0.1]})
    whole = attempts(FIRST, {name: [0.1, 0.2] for name in "abcd"})
    later = attempts(SECOND, {name: [0.1, 0.2] for name in "abcd"})
    # minimum_repeats is 2: c has one repeat only on the second day.
    assert pinned_occasion(table(down, broken_off).reset_index(), 2) is None
    assert pinned_occasion(table(later, whole, broken_off, down).reset_index(), 2) == FIRST


def test_a_day_without_one_call_has_a_headline_with_the_planned_setting() -> None:
    earlier = table(attempts(FIRST, {name: [0.1, 0.2] for name in "abcd"} | {"e": [0.3]})).reset_index()
    today = headline(earlier, SECOND, setting_from_key(SETTING), [], plan())
    assert (today["setting"], today["n_objects"], today["n_occasions"], today["pinned"]) == (SETTING, 0, 1, FIRST)
    assert today["mean"].value is None
    first = headline(earlier, FIRST, setting_from_key(SETTING), [], plan())
    assert (first["n_objects"], first["n_without_score"], first["n_with_too_few_repeats"]) == (5, 0, 1)


def test_nothing_judged_pins_nothing() -> None:
    assert pinned_occasion(occasion_rows(attempts(FIRST, {"a": [0.1]}).head(0), plan()), 2) is None


def test_every_product_gives_an_object_before_any_gives_a_second() -> None:
    products = {"a": "p", "b": "p", "c": "p", "d": "q", "e": "q", "f": "r"}
    objects = objects_of(products)
    assert {products[name] for name in drawn(objects, 3, 1)} == {"p", "q", "r"}
    five = [products[name] for name in drawn(objects, 5, 1)]
    assert sorted(five) == ["p", "p", "q", "q", "r"]
    assert drawn(objects, 99, 1) == list("abcdef")


def test_an_excluded_object_is_not_drawn() -> None:
    objects = objects_of(one_each("abcd"), excluded={"b": "no_candidate"})
    assert drawn(objects, 4, 1) == ["a", "c", "d"]


@settings(deadline=None)
@given(st.permutations("abcdefgh"), st.integers(1, 8), st.integers(0, 2**32))
def test_the_draw_depends_on_the_seed_and_not_on_the_order_of_rows(order: list[str], n_objects: int, seed: int) -> None:
    objects = pd.DataFrame({"object": order, "product_id": [f"p-{name}" for name in order], "excluded": None})
    in_order = objects.sort_values("object")
    assert drawn(objects, n_objects, seed) == drawn(in_order, n_objects, seed)
    assert len(drawn(objects, n_objects, seed)) == n_objects


def test_an_object_that_the_study_lost_is_named_and_the_others_are_judged() -> None:
    objects = objects_of(one_each("abc"), excluded={"b": "no_candidate"})
    there, gone = judged_again(objects, ["a", "b", "z"], FIRST)
    assert [one.object for one in there] == [f"a@{FIRST}"]
    assert there[0].item_id == "p-a"
    assert gone == ["b", "z"]
