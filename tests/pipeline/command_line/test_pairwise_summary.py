"""What the terminal calls significantly better than a coin: by the study's confidence, and only on enough clusters."""

from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console
from rich.text import Text
from upath import UPath

from pipeline.command_line.pairwise_summary import in_words, ranking, unavailable_in_short
from resources.configuration.pairwise import PairwiseStudy
from tests.assets.pairwise.made_photo_pairs import plan

TEXTS = PairwiseStudy(pairs_of="texts", pairs_csv="battles.jsonl")
ROWS = pd.DataFrame(
    {
        "method": ["best", "worst"],
        "accuracy": [0.7, 0.3],
        "accuracy_low": [0.6, None],
        "accuracy_high": [0.8, None],
        "p_chance_holm": [0.03, 0.03],
        "p_chance_unreliable": [False, False],
        "tie_rate": 0.0,
        "n": 40,
        "avg_time_ms": 2.0,
    }
)


def styles(rows: pd.DataFrame, confidence: float) -> list[str]:
    cells = ranking(rows, {}, plan(confidence=confidence)).columns[1].cells
    return [str(cell.style) for cell in cells if isinstance(cell, Text)]


@pytest.mark.parametrize(("confidence", "said"), [(0.95, ["green", "red"]), (0.99, ["", ""])])
def test_sure_is_what_lies_under_1_less_the_confidence(confidence: float, said: list[str]) -> None:
    assert styles(ROWS, confidence) == said


def test_a_p_at_the_level_but_for_the_last_bit_and_an_unreliable_one_are_not_sure() -> None:
    # 1 - 0.95 is 0.050000000000000044.
    assert styles(ROWS.assign(p_chance_holm=0.05), 0.95) == ["", ""]
    assert styles(ROWS.assign(p_chance_unreliable=True), 0.95) == ["", ""]


def test_an_accuracy_without_bounds_stands_alone() -> None:
    console = Console(file=StringIO(), width=80)
    console.print(ranking(ROWS, {}, plan()))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert ["worst", "0.300", "!", "-", "0.000", "40", "2.0"] in [line.split() for line in lines]


def test_pairs_that_count_stand_beside_those_that_are_judged_and_the_series_they_come_from() -> None:
    console = Console(file=StringIO(), width=500)
    console.print(in_words(pd.Series({"n": 11, "n_total": 16, "n_series": 6, "n_clusters": 6}), plan()))
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert "11 of 16 judged pairs, of 6 series, in which" in said
    assert "each photo was looked at once" in said
    console.print(in_words(pd.Series({"n": 11, "n_total": 16, "n_series": 6, "n_clusters": 6}), TEXTS))
    assert "photo" not in console.file.getvalue().removeprefix(said)  # type: ignore[attr-defined]


def test_what_is_sure_keeps_a_mark_where_there_is_no_colour_and_numbers_stay_below_each_other() -> None:
    rows = ROWS.assign(accuracy_low=[0.6, 0.2], accuracy_high=[0.8, 0.4], p_chance_holm=[0.03, 0.9])
    console = Console(file=StringIO(), width=80)
    console.print(ranking(rows, {}, plan()))
    best, worst = [line for line in console.file.getvalue().splitlines() if "[0." in line]  # type: ignore[attr-defined]
    assert ("*" in best, "*" in worst) == (True, False)
    assert best.index("]") == worst.index("]")


def test_methods_that_were_not_tried_are_counted_with_the_reason_in_short_too(tmp_path: Path) -> None:
    frame = pd.DataFrame({"method": ["a", "b", "c"], "unavailable": [None, "no weights", "no weights"]})
    frame.to_parquet(tmp_path / "method_metrics.parquet")
    assert unavailable_in_short(UPath(tmp_path)) == "2 methods unavailable: `touchstone doctor` says what they need."
    frame.assign(unavailable=None).to_parquet(tmp_path / "method_metrics.parquet")
    assert unavailable_in_short(UPath(tmp_path)) == ""
