"""The plot of a method's confusion: which photo people picked, which one the method picked."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reports.shared.words import plain

WIDTH_IN, HEIGHT_IN = 4.4, 3.0


def draw_preference_confusion(figure: Any, counts: Sequence[Sequence[int]], method: str) -> None:
    """True winners in rows, predicted ones in columns: counts, and shares of the row as colours.

    Args:
        figure: Where to draw.
        counts: Two rows (winner 1, 2) of three counts (predicted 1, 2, tie).
        method: Its name.
    """
    table = np.asarray(counts, dtype=np.float64)
    totals = table.sum(axis=1, keepdims=True)
    shares = np.divide(table, totals, out=np.zeros_like(table), where=totals > 0)
    axes = figure.subplots()
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for row, column in np.ndindex(*table.shape):
        share = shares[row, column]
        words = f"{int(table[row, column]):,}" + (f"\n{100 * share:.0f} %" if totals[row, 0] else "")
        color = "white" if share > 0.7 else "black"
        axes.text(column, row, words, ha="center", va="center", color=color, fontsize=10)
    axes.hlines([0.5], -0.5, 2.5, color="white", linewidth=1.5)
    axes.vlines([0.5, 1.5], -0.5, 1.5, color="white", linewidth=1.5)
    axes.set_xticks(range(3), ["image 1", "image 2", "tie"])
    axes.set_yticks(range(2), ["image 1", "image 2"])
    axes.set(xlabel=f"{plain(method)} picks", ylabel="people prefer")
    n, n_right, n_ties = int(table.sum()), int(table[0, 0] + table[1, 1]), int(table[:, 2].sum())
    right = (
        f"{100 * (n_right + n_ties / 2) / n:.1f} % right" + (", ties half" if n_ties else "") if n else "none judged"
    )
    axes.set_title(f"{n:,} pairs, {right}", fontsize=11)
