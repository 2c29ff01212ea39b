"""The contact sheet: every picture under its name, users' words as they are."""

import numpy as np
import pytest

from reports.fidelity.plots.golden import COLUMNS, draw_contact_sheet, sheet_size_in
from tests.reports.drawn_figures import drawn


@pytest.mark.parametrize("count", [1, COLUMNS, COLUMNS + 1, 26])
def test_every_picture_is_shown_once_under_its_name(count: int) -> None:
    pictures = [(f"hue_{number}", np.full((8, 8, 4), number, np.uint8)) for number in range(count)]
    figure = drawn(lambda figure: draw_contact_sheet(figure, "lamp", pictures), *sheet_size_in(count))
    shown = [axes for axes in figure.axes if axes.images]
    assert [axes.get_title() for axes in shown] == [name for name, _ in pictures]


def test_a_dollar_sign_and_a_long_id_are_no_formula_and_no_overflow() -> None:
    pictures = [("untouched", np.zeros((8, 8, 4), np.uint8))]
    title = "$x^2$ <script> " + "y" * 200
    figure = drawn(lambda figure: draw_contact_sheet(figure, title, pictures), *sheet_size_in(1))
    assert figure.get_suptitle().startswith(r"\$x^2\$ <script>")
    assert len(figure.get_suptitle()) < 110


def test_what_is_transparent_is_shown_on_black() -> None:
    picture = np.full((4, 4, 4), 200, np.uint8)
    picture[..., 3] = 0
    figure = drawn(lambda figure: draw_contact_sheet(figure, "lamp", [("a", picture)]), *sheet_size_in(1))
    assert figure.axes[0].images[0].get_array().max() == 0
