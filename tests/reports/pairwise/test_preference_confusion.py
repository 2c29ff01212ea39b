"""The plot of a method's confusion says each count, each share, and how often the method is right."""

from typing import Any

from reports.pairwise.plots import preference_confusion
from tests.reports.specifications import axis_of, drawn, rows_of, titles


def cells(spec: dict[str, Any]) -> list[str]:
    """What is written, row by row."""
    said = [row for rows in rows_of(spec, "text") for row in rows]
    return [row["label"] for row in sorted(said, key=lambda row: (row["y"], row["x"]))]


def test_counts_and_shares_stand_in_the_cells_and_ties_count_half_in_the_title() -> None:
    spec = drawn(preference_confusion([[30, 10, 0], [10, 45, 5]], "clip_$price$_x"))
    # Of 40 pairs with winner 1 a quarter is taken for 2; right: (30 + 45 + 5 / 2) / 100.
    assert cells(spec) == ["30\n75 %", "10\n25 %", "0\n0 %", "10\n17 %", "45\n75 %", "5\n8 %"]
    assert titles(spec) == ["100 pairs, 77.5 % right, ties half"]
    assert axis_of(spec, "y")["title"] == "people prefer"
    assert axis_of(spec, "x")["title"] == "clip_$price$_x picks"


def test_a_winner_that_never_was_has_counts_without_shares() -> None:
    spec = drawn(preference_confusion([[3, 1, 0], [0, 0, 0]], "m"))
    assert cells(spec)[3:] == ["0", "0", "0"]
    assert titles(spec) == ["4 pairs, 75.0 % right"]


def test_nothing_judged_is_said() -> None:
    assert titles(drawn(preference_confusion([[0, 0, 0], [0, 0, 0]], "m"))) == ["0 pairs, none judged"]
