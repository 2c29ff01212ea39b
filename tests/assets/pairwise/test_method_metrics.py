"""Table `method_metrics`: methods with numbers and without, and the gates on them, passing and failing."""

import re
from typing import Any

import pandas as pd
import pytest

from assets.pairwise.logic.method_scores import no_rows
from assets.pairwise.logic.photo_measures import unavailable_stages
from assets.pairwise.method_metrics import (
    accuracies_are_plausible,
    all_methods_are_available,
    headline,
    metrics_rows,
    some_method_beats_chance_for_sure,
)
from assets.pairwise.pairwise_results import predictions_gate
from tests.assets.asked_gates import asked
from tests.assets.pairwise.made_photo_pairs import by_winner, photo_pairs_of, plan, results_of
from tests.assets.shared.made_tables import keeps_to_its_declaration

plausible_gate = asked(accuracies_are_plausible)
chance_gate = asked(some_method_beats_chance_for_sure)
available_gate = asked(all_methods_are_available)

# Forty series with one pair each, half of them won 4 to 1 by image 1, half by image 2; the last pair is a tie.
VOTES = [(series, 0, 1, *((4, 1) if series % 2 else (1, 4))) for series in range(40)]
PAIRS = photo_pairs_of([*VOTES, (40, 0, 1, 2, 2)])


def rows(wrong: dict[str, int], lacking: dict[str, str] | None = None, pairs: pd.DataFrame = PAIRS) -> pd.DataFrame:
    """Methods that are wrong in so many pairs, and others that are unavailable."""
    results = {name: results_of(pairs, name, by_winner(pairs, range(n))) for name, n in wrong.items()}
    results |= {name: no_rows() for name in lacking or {}}
    frame = metrics_rows(results, pairs, dict.fromkeys(wrong) | (lacking or {}), plan())
    return keeps_to_its_declaration("method_metrics", frame)


def test_every_method_has_a_row_and_an_unavailable_one_its_reason() -> None:
    seen = rows({"good": 16, "even": 20}, {"vit_base": "no weights: fetch them"}).set_index("method")
    assert seen["accuracy"].iloc[:2].tolist() == [0.6, 0.5]
    assert seen["n"].tolist() == [40, 40, 0]
    assert seen["n_total"].tolist() == [40, 40, 40]
    assert seen.loc["vit_base", "unavailable"] == "no weights: fetch them"
    assert (
        seen.loc["vit_base"]
        .drop(["n", "n_total", "n_series", "n_clusters", "unavailable"])
        .drop(["n_70_80", "n_80_90", "n_90_100"])
        .isna()
        .all()
    )
    assert seen["unavailable"].iloc[:2].isna().all()


def test_the_headline_names_the_best_and_counts_what_is_lacking() -> None:
    seen = headline(rows({"good": 10, "even": 20}, {"vit_base": "no weights"}), ["clip_probe"], plan())
    assert (seen["best"], seen["accuracy"], seen["n"], seen["n_unavailable"]) == ("good", 0.75, 40, 1)
    # 30 of 40 series: z = 20 / sqrt 40 = 3.16, Holm doubles p = 0.0016.
    assert (seen["n_beating_chance"], seen["not_run"]) == (1, "clip_probe")


def test_without_a_number_there_is_no_best() -> None:
    seen = headline(rows({}, {"vit_base": "no weights"}), [], plan())
    assert seen["note"] == "no method has a number"
    assert "best" not in seen


def test_ordinary_accuracies_pass() -> None:
    gate = plausible_gate(rows({"good": 12, "even": 20, "poor": 24}))
    assert gate.passed
    assert gate.sentence == "All 3 accuracies lie between 0.4 and 0.7."


def test_accuracies_on_the_limits_pass_and_beyond_them_are_named() -> None:
    assert plausible_gate(rows({"top": 12, "low": 24})).passed
    gate = plausible_gate(rows({"superb": 4, "even": 20, "awful": 30}))
    assert not gate.passed
    assert gate.seen == 2
    assert gate.sentence.endswith("Look at their scores and pairs twice: superb 0.900, awful 0.250.")


def test_an_accuracy_at_a_limit_but_for_the_last_bit_is_plausible() -> None:
    # 7 * 0.1 is 0.7000000000000001.
    frame = rows({"good": 12})
    assert plausible_gate(frame.assign(accuracy=7 * 0.1)).passed
    assert not plausible_gate(frame.assign(accuracy=0.7001)).passed


def test_one_method_surely_better_than_chance_is_enough() -> None:
    gate = chance_gate(rows({"good": 10, "even": 20}), plan())
    assert gate.passed
    assert gate.sentence == "Significantly better than chance (Holm): good (1 of 2)."


@pytest.mark.parametrize("wrong", [{"near": 16, "even": 20}, {"worse": 34}])
def test_methods_that_may_be_chance_or_are_worse_do_not_pass(wrong: dict[str, int]) -> None:
    # 24 of 40: z = 8 / sqrt 40 = 1.26. 6 of 40 is surely not chance, and worse.
    gate = chance_gate(rows(wrong), plan())
    assert not gate.passed
    assert gate.seen == 0


def test_many_series_at_chance_ask_whether_compare_ids_name_these_photos() -> None:
    # 40 series; 16 and 20 wrong are no more than a coin. 34 wrong is surely below it: the photos are the right ones.
    doubt = "Over 40 series every method is at chance: check that compareIDs name these photos (`photo_number`)."
    assert doubt in chance_gate(rows({"near": 16, "even": 20}), plan()).sentence
    assert "compareIDs" not in chance_gate(rows({"worse": 34, "even": 20}), plan()).sentence
    few = photo_pairs_of(VOTES[:20])
    assert "compareIDs" not in chance_gate(rows({"even": 10}, pairs=few), plan()).sentence


def test_a_sure_method_among_many_is_sure_no_more() -> None:
    # 27 of 40: z = 14 / sqrt 40 = 2.21, p = 0.027; with two methods in mind 0.054.
    assert chance_gate(rows({"good": 13}), plan()).passed
    assert not chance_gate(rows({"good": 13, "even": 19}), plan()).passed


def test_what_is_sure_depends_on_the_confidence_of_the_study() -> None:
    # 27 of 40, p = 0.027: sure at 95 %, and not at 99 %.
    frame = rows({"good": 13})
    found = {confidence: chance_gate(frame, plan(confidence=confidence)).passed for confidence in (0.9, 0.95, 0.99)}
    assert found == {0.9: True, 0.95: True, 0.99: False}
    assert headline(frame, [], plan(confidence=0.99))["n_beating_chance"] == 0


@pytest.mark.parametrize(("n_series", "sure"), [(5, False), (9, False), (10, True)])
def test_under_ten_series_that_differ_from_a_coin_nothing_is_sure(n_series: int, sure: bool) -> None:
    # All right: z = sqrt n, p = 0.025 at 5 series, where no exact test comes below 2 / 2^5 = 0.0625.
    frame = rows({"good": 0}, pairs=photo_pairs_of(VOTES[:n_series]))
    assert frame["p_chance_holm"].iloc[0] < 0.05
    assert frame["p_chance_unreliable"].tolist() == [not sure]
    assert chance_gate(frame, plan()).passed is sure
    assert headline(frame, [], plan())["n_beating_chance"] == int(sure)
    marked = f"p_chance: {n_series} clusters differ, under 10: unreliable"
    assert (marked in str(frame["undefined"].iloc[0])) is not sure


def test_available_methods_pass_and_lacking_ones_are_named_with_the_remedy() -> None:
    assert available_gate(rows({"good": 10})).passed
    gate = available_gate(rows({"good": 10}, {"vit_base": "no weights: fetch them", "clip_color": "none"}))
    assert not gate.passed
    assert (
        "package is 2 over 3 methods; needed: at most 0. They are vit_base, clip_color; nothing is wrong with"
        in gate.sentence
    )
    # Reasons with their commands are in the table, once.
    assert "fetch them" not in gate.sentence


@pytest.mark.parametrize("gate", [plausible_gate, lambda frame: chance_gate(frame, plan())])
def test_gates_on_no_number_at_all_fail_as_undefined(gate: Any) -> None:
    seen = gate(rows({}, {"vit_base": "no weights"}))
    assert (seen.passed, seen.seen) == (False, None)
    # There is no method to look at, and more series would be of no use.
    assert re.search(
        r"undefined \(no method has an accuracy\) over 0 methods; needed: at (most|least) \d\. all_methods_are_av",
        seen.sentence,
    )


def test_few_pairs_without_a_prediction_pass_and_many_fail_with_the_reason() -> None:
    scores = by_winner(PAIRS)
    for lost, passes in ((2, True), (3, False)):
        known = {name: score for name, score in scores.items() if name >= f"{lost:06d}"}
        gate = predictions_gate(results_of(PAIRS, "told", known, undefined_rules="cut off"), 0.05)
        assert gate.passed is passes
        assert gate.seen == pytest.approx(lost / 40)
        assert passes or gate.sentence.endswith("cut off. Fix that or leave the method out.")
    assert predictions_gate(no_rows(), 0.05).passed


def test_reasons_of_stages_are_read_from_every_shard_once() -> None:
    shards = pd.DataFrame(
        {"unavailable": [["clip: no weights: fetch them"], ["clip: no weights: fetch them", "vit: no"]]}
    )
    assert unavailable_stages(shards) == {"clip": "no weights: fetch them", "vit": "no"}
    assert unavailable_stages(shards.iloc[:0]) == {}
