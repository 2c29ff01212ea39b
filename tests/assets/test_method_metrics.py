"""Table `method_metrics`: methods with numbers and without, and the gates on them, passing and failing."""

from typing import Any

import pandas as pd
import pytest

from assets.method_scores import no_rows
from assets.pairwise.method_metrics import available_gate, chance_gate, headline, metrics_rows, plausible_gate
from assets.pairwise.pairwise_results import predictions_gate
from assets.photo_measures import unavailable_stages
from tests.assets.made_photo_pairs import by_winner, photo_pairs_of, plan, results_of
from tests.assets.made_tables import keeps_to_its_declaration

# Forty series with one pair each, half of them won 4 to 1 by image 1, half by image 2; the last pair is a tie.
VOTES = [(series, 0, 1, *((4, 1) if series % 2 else (1, 4))) for series in range(40)]
PAIRS = photo_pairs_of([*VOTES, (40, 0, 1, 2, 2)])


def rows(wrong: dict[str, int], lacking: dict[str, str] | None = None) -> pd.DataFrame:
    """Methods that are wrong in so many pairs, and others that are unavailable."""
    results = {name: results_of(PAIRS, name, by_winner(PAIRS, range(n))) for name, n in wrong.items()}
    results |= {name: no_rows() for name in lacking or {}}
    frame = metrics_rows(results, PAIRS, dict.fromkeys(wrong) | (lacking or {}), plan())
    return keeps_to_its_declaration("method_metrics", frame)


def test_every_method_has_a_row_and_an_unavailable_one_its_reason() -> None:
    seen = rows({"good": 16, "even": 20}, {"vit_base": "no weights: fetch them"}).set_index("method")
    assert seen["accuracy"].iloc[:2].tolist() == [0.6, 0.5]
    assert seen["n"].tolist() == [40, 40, 0]
    assert seen["n_total"].tolist() == [40, 40, 40]
    assert seen.loc["vit_base", "unavailable"] == "no weights: fetch them"
    assert (
        seen.loc["vit_base"]
        .drop(["n", "n_total", "n_series", "unavailable"])
        .drop(["n_70_80", "n_80_90", "n_90_100"])
        .isna()
        .all()
    )
    assert seen["unavailable"].iloc[:2].isna().all()


def test_the_headline_names_the_best_and_counts_what_is_lacking() -> None:
    seen = headline(rows({"good": 10, "even": 20}, {"vit_base": "no weights"}), ["clip_probe"])
    assert (seen["best"], seen["accuracy"], seen["n"], seen["n_unavailable"]) == ("good", 0.75, 40, 1)
    # 30 of 40 series: z = 20 / sqrt 40 = 3.16, Holm doubles p = 0.0016.
    assert (seen["n_beating_chance"], seen["not_run"]) == (1, "clip_probe")


def test_without_a_number_there_is_no_best() -> None:
    seen = headline(rows({}, {"vit_base": "no weights"}), [])
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


def test_one_method_surely_better_than_chance_is_enough() -> None:
    gate = chance_gate(rows({"good": 10, "even": 20}))
    assert gate.passed
    assert gate.sentence == "Surely better than chance: good (1 of 2)."


@pytest.mark.parametrize("wrong", [{"near": 16, "even": 20}, {"worse": 34}])
def test_methods_that_may_be_chance_or_are_worse_do_not_pass(wrong: dict[str, int]) -> None:
    # 24 of 40: z = 8 / sqrt 40 = 1.26. 6 of 40 is surely not chance, and worse.
    gate = chance_gate(rows(wrong))
    assert not gate.passed
    assert gate.seen == 0


def test_a_sure_method_among_many_is_sure_no_more() -> None:
    # 27 of 40: z = 14 / sqrt 40 = 2.21, p = 0.027; with two methods in mind 0.054.
    assert chance_gate(rows({"good": 13})).passed
    assert not chance_gate(rows({"good": 13, "even": 19})).passed


def test_available_methods_pass_and_lacking_ones_are_named_with_the_remedy() -> None:
    assert available_gate(rows({"good": 10})).passed
    gate = available_gate(rows({"good": 10}, {"vit_base": "no weights: fetch them", "clip_color": "none"}))
    assert not gate.passed
    assert "vit_base, clip_color: no weights: fetch them, none" in gate.sentence


@pytest.mark.parametrize("gate", [plausible_gate, chance_gate])
def test_gates_on_no_number_at_all_fail_as_undefined(gate: Any) -> None:
    seen = gate(rows({}, {"vit_base": "no weights"}))
    assert (seen.passed, seen.seen) == (False, None)
    assert "no method has an accuracy" in seen.sentence


def test_few_pairs_without_a_prediction_pass_and_many_fail_with_the_reason() -> None:
    scores = by_winner(PAIRS)
    for lost, passes in ((2, True), (3, False)):
        known = {name: score for name, score in scores.items() if name >= f"{lost:06d}"}
        gate = predictions_gate(results_of(PAIRS, "told", known, undefined_rules="cut off"), 0.05)
        assert gate.passed is passes
        assert gate.seen == pytest.approx(lost / 40)
        assert passes or gate.sentence.endswith("cut off")
    assert predictions_gate(no_rows(), 0.05).passed


def test_reasons_of_stages_are_read_from_every_shard_once() -> None:
    shards = pd.DataFrame(
        {"unavailable": [["clip: no weights: fetch them"], ["clip: no weights: fetch them", "vit: no"]]}
    )
    assert unavailable_stages(shards) == {"clip": "no weights: fetch them", "vit": "no"}
    assert unavailable_stages(shards.iloc[:0]) == {}
