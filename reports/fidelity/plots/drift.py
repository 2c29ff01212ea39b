"""The plot of the anchor over time: how far its mean moved, and how well then and now agree."""

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd

from reports.shared.figure import BLUE, GREY, ORANGE, RED, say_nothing_to_draw

MOST_LABELS = 7


def draw_drift(figure: Any, drift: pd.DataFrame, shift_limit: float, icc_threshold: float) -> None:
    """Shift of the anchor's mean with interval above, ICC(A,1) of then and now below, both over days.

    Occasions on which something about the judge, prompt or images had changed are orange.
    """
    above, below = figure.subplots(2, 1, sharex=True)
    pinned = str(drift["pinned"].iloc[-1])
    days = np.array([_when(occasion) for occasion in drift["occasion"]])
    same = drift[["same_identity", "same_models", "same_material"]].astype(bool).all(axis=1).to_numpy()
    _series(above, days, drift, "shift", same)
    above.plot([_when(pinned)], [0.0], "D", color=GREY, label=f"pinned {pinned}")
    above.axhline(0.0, color=GREY, linewidth=0.8)
    for place in (-shift_limit, shift_limit):
        above.axhline(place, color=RED, linestyle="--", label=f"limit ±{shift_limit:g}" if place > 0 else None)
    above.set(ylabel="shift of the mean (0-1)", title=f"Anchor of {drift['n_pinned'].iloc[-1]} objects over time")
    _series(below, days, drift, "icc", same)
    below.axhline(icc_threshold, color=RED, linestyle="--", label=f"needed {icc_threshold:g}")
    below.set(ylabel="ICC(A,1) then and now", ylim=(min(icc_threshold, _lowest(drift)) - 0.05, 1.02))
    if len(drift) == 1:
        say_nothing_to_draw(below, "nothing to compare with the pinned occasion yet")
        above.set_xticks(days, [str(day.date()) for day in days])
    else:
        shown = days[:: -(-len(days) // MOST_LABELS)]
        below.set_xticks(shown, [str(day.date()) for day in shown], rotation=20, ha="right", fontsize=8)
    for axes in (above, below):
        if axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1.01, 0.5))


def _when(occasion: str) -> datetime:
    """The day; a later judge of the same day stands a few hours next to it."""
    day, _, which = occasion.partition(", judge ")
    return datetime.fromisoformat(day) + timedelta(hours=6 * (int(which) - 1 if which else 0))


def _series(axes: Any, days: Any, drift: pd.DataFrame, column: str, same: Any) -> None:
    """Points with intervals; an undefined one leaves a gap."""
    values, low, high = (drift[name].to_numpy(dtype=float) for name in (column, f"{column}_low", f"{column}_high"))
    axes.plot(days, values, color=GREY, linewidth=0.8)
    for chosen, colour, label in ((same, BLUE, "same judge"), (~same, ORANGE, "judge or material changed")):
        there = chosen & np.isfinite(values)
        if there.any():
            axes.vlines(days[there], low[there], high[there], color=colour)
            axes.plot(days[there], values[there], "o", color=colour, label=label)


def _lowest(drift: pd.DataFrame) -> float:
    lowest = drift[["icc", "icc_low"]].min().min()
    return 1.0 if pd.isna(lowest) else float(lowest)
