"""The plot of the recommendation: how far behind the best each setting is, and which miss a condition."""

from typing import Any

import numpy as np
import pandas as pd

from reports.shared.figure import BLUE, DARK, GREEN, GREY, say_nothing_to_draw
from reports.shared.words import escaped as short

WORDS_SHOWN = 104


def draw_recommendation(figure: Any, recommended: pd.DataFrame) -> None:
    """Score behind the best with simultaneous intervals; a setting that misses a condition says which.

    Args:
        figure: Where to draw.
        recommended: Table `recommended_setting`.
    """
    axes = figure.subplots()
    if recommended.empty:
        say_nothing_to_draw(axes, "no setting was run yet")
        return
    rows = recommended.reset_index(drop=True)
    places = np.arange(len(rows))
    behind, low, high = (
        rows[name].to_numpy(dtype=float) for name in ("behind_best", "behind_best_low", "behind_best_high")
    )
    chosen = rows["recommended"].to_numpy(dtype=bool)
    drawn = np.isfinite(behind)
    colors = np.where(chosen, GREEN, BLUE)
    axes.hlines(places[drawn], low[drawn], high[drawn], color=colors[drawn])
    axes.scatter(behind[drawn], places[drawn], color=colors[drawn], s=np.where(chosen[drawn], 70, 28), zorder=3)
    axes.axvline(0, color=DARK, linewidth=0.8)
    if not drawn.any():
        axes.set(xticks=[], xlim=(-0.02, 1))
    left = axes.get_xlim()[0]
    for place, why in zip(places[~drawn], rows.loc[~drawn, "failed"], strict=True):
        words = short("" if pd.isna(why) else why, WORDS_SHOWN)
        # A ground of its own, or the grid strikes the words through.
        ground = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        axes.text(left, place, f" {words}", va="center", fontsize=6.5, color=GREY, bbox=ground, zorder=2)
    axes.set_yticks(places, [_name(row) for _, row in rows.iterrows()], fontsize=8)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel("score behind the best, with simultaneous intervals; one that reaches 0: as good as the best")
    axes.set_title(_title(rows), fontsize=10)


def _name(row: Any) -> str:
    mark = "recommended: " if row["recommended"] else "nearest: " if row["nearest"] else ""
    return f"{mark}{row['setting']}{' (baseline)' if row['baseline'] else ''}"


def _title(rows: pd.DataFrame) -> str:
    passing, tried = int(rows["passes"].astype(bool).sum()), int(rows["n_settings_tried"].max())
    conditions = "the four conditions (ICC, JSON validity, Spearman, MAD)"
    return f"{passing} of {tried} settings keep {conditions}" if passing else f"No setting keeps {conditions}"
