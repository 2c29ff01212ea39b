"""The plot of a method's confusion says each count, each share, and how often the method is right."""

from functools import partial

from reports.pairwise.plots.preference_confusion import draw_preference_confusion
from tests.reports.drawn_figures import drawn, texts


def test_counts_and_shares_stand_in_the_cells_and_ties_count_half_in_the_title() -> None:
    figure = drawn(partial(draw_preference_confusion, counts=[[30, 10, 0], [10, 45, 5]], method="clip_$price$_x"))
    # Of 40 pairs with winner 1 a quarter is taken for 2; right: (30 + 45 + 5 / 2) / 100.
    assert texts(figure) == ["30\n75 %", "10\n25 %", "0\n0 %", "10\n17 %", "45\n75 %", "5\n8 %"]
    [axes] = figure.axes
    assert axes.get_title() == "100 pairs, 77.5 % right, ties half"
    assert axes.get_ylabel() == "people prefer"


def test_a_winner_that_never_was_has_counts_without_shares() -> None:
    figure = drawn(partial(draw_preference_confusion, counts=[[3, 1, 0], [0, 0, 0]], method="m"))
    assert texts(figure)[3:] == ["0", "0", "0"]
    assert figure.axes[0].get_title() == "4 pairs, 75.0 % right"


def test_nothing_judged_is_said() -> None:
    figure = drawn(partial(draw_preference_confusion, counts=[[0, 0, 0], [0, 0, 0]], method="m"))
    assert figure.axes[0].get_title() == "0 pairs, none judged"
