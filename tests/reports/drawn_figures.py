"""Figures as the plots leave them, for tests that look at what is on them."""

import warnings
from collections.abc import Callable
from typing import Any

from reports.shared.figure import png


def drawn(draw: Callable[[Any], None], width: float = 6.4, height: float = 4.4) -> Any:
    """The figure as it was written; a warning on the way is a fault."""
    seen: list[Any] = []

    def remember(figure: Any) -> None:
        seen.append(figure)
        draw(figure)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        png(remember, width, height)
    return seen[0]


def texts(figure: Any) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts]
