"""The plots of study A's golden set: what the judge makes of altered renders."""

from typing import Any

import numpy as np
import pandas as pd

from analysis.agreement.dose_response import FEWEST_MAGNITUDES
from reports.shared.figure import BLUE, GREEN, GREY, ORANGE, RED, say_nothing_to_draw
from resources.tables.fidelity.golden import DISTURBED, IN_PART, KEPT, NOT_SEEN, SEEN, UNKNOWN

PANELS_ACROSS = 3
BY_SEEN = {SEEN: BLUE, IN_PART: ORANGE, NOT_SEEN: RED, KEPT: GREEN, DISTURBED: RED, UNKNOWN: GREY}


def draw_golden_scores(figure: Any, scores: pd.DataFrame) -> None:
    """Original on x, altered on y, a colour for each kind: below the line the judge marks the altered image down."""
    from matplotlib import colormaps

    axes = figure.subplots()
    pairs = scores[scores["undefined"].isna()]
    if pairs.empty:
        say_nothing_to_draw(axes, "no pair of scores")
        return
    axes.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1, label="the same score")
    for place, (kind, group) in enumerate(pairs.groupby("kind", sort=False)):
        x, y = group["original_score"].to_numpy(dtype=float), group["altered_score"].to_numpy(dtype=float)
        axes.scatter(x, y, s=14, color=colormaps["tab20"](place % 20), label=str(kind), alpha=0.8)
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="original (0-1)", ylabel="altered (0-1)")
    axes.set_title(f"{_setting(scores)}{len(pairs)} pairs")
    axes.set_aspect("equal")
    axes.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1.02, 0.5))


def draw_sensitivity(figure: Any, sensitivity: pd.DataFrame, thresholds: dict[str, float]) -> None:
    """Cohen's d and hit rate of every alteration with their intervals, coloured by what the judge sees."""
    left, right = figure.subplots(1, 2, sharey=True)
    if sensitivity.empty:
        for axes in (left, right):
            say_nothing_to_draw(axes, "no alteration")
        return
    panels = (
        (left, "cohens_d", "effect_size", "Cohen's d: drop in standard deviations"),
        (right, "hit_rate", "hit_rate", "hit rate: share that moved (or stayed) as expected"),
    )
    places = np.arange(len(sensitivity))
    colours = [BY_SEEN[seen] for seen in sensitivity["seen"]]
    for axes, column, threshold, label in panels:
        value, low, high = (sensitivity[f"{column}{end}"].to_numpy(dtype=float) for end in ("", "_low", "_high"))
        axes.hlines(places, low, high, color=colours, linewidth=1.5)
        axes.scatter(value, places, s=22, color=colours, zorder=3)
        axes.axvline(thresholds[threshold], color=RED, linestyle="--", linewidth=1)
        axes.set_xlabel(f"{label}\n(dashed: {thresholds[threshold]:g} needed on stripes)", fontsize=8)
    left.axvline(0, color=GREY, linewidth=0.8)
    right.set_xlim(-0.03, 1.03)
    labels = [f"{name} (n={n})" for name, n in zip(sensitivity["alteration"], sensitivity["n_items"], strict=True)]
    left.set_yticks(places, labels, fontsize=8)
    left.invert_yaxis()
    _explain(figure, sensitivity["seen"])
    figure.suptitle(f"{_setting(sensitivity)}what the judge sees", fontsize=10)


def draw_dose_response(figure: Any, points: pd.DataFrame, rows: pd.DataFrame) -> None:
    """A panel for each kind: items thin, their mean thick, the line within items dashed.

    Args:
        figure: Where to draw.
        points: One row per pair: kind, object, dose, drop.
        rows: Table `dose_response`.
    """
    if rows.empty:
        say_nothing_to_draw(figure.subplots(), f"no kind has {FEWEST_MAGNITUDES} magnitudes")
        return
    down = -(-len(rows) // PANELS_ACROSS)
    grid = figure.subplots(down, min(PANELS_ACROSS, len(rows)), sharey=True, squeeze=False)
    panels = list(grid.flat)
    for axes, row in zip(panels, rows.to_dict("records"), strict=False):
        of_kind = points[points["kind"] == row["kind"]].sort_values("dose")
        for _, item in of_kind.groupby("object"):
            axes.plot(item["dose"], item["drop"], color=GREY, alpha=0.4, linewidth=0.7)
        means = of_kind.groupby("dose")["drop"].mean()
        axes.plot(means.index, means.to_numpy(), color=BLUE, marker="o", linewidth=2)
        axes.axhline(0, color=GREY, linewidth=0.8)
        if not pd.isna(row["slope"]) and len(means):
            ends = np.array([means.index.min(), means.index.max()], dtype=float)
            axes.plot(ends, row["intercept"] + row["slope"] * ends, color=ORANGE, linestyle="--")
        explained = "R² undefined" if pd.isna(row["r2"]) else f"R² {row['r2']:.2f}"
        axes.set_title(f"{row['kind']}: {explained}", fontsize=9)
        axes.set_xlabel(row["dose_unit"], fontsize=8)
        axes.tick_params(labelsize=7)
    for axes in panels[len(rows) :]:
        axes.set_axis_off()
    for row_of_axes in grid:
        row_of_axes[0].set_ylabel("drop (0-1)", fontsize=8)
    figure.suptitle(f"{_setting(rows)}drop against dose (mean in blue, line within items dashed)", fontsize=10)


def _explain(figure: Any, seen: pd.Series) -> None:
    from matplotlib.lines import Line2D

    said = [word for word in BY_SEEN if word in set(seen)]
    handles = [Line2D([], [], color=BY_SEEN[word], marker="o", linestyle="") for word in said]
    if handles:
        figure.legend(handles, said, loc="outside lower center", ncols=len(said), frameon=False, fontsize=8)


def _setting(frame: pd.DataFrame) -> str:
    """Which setting a plot shows, as the beginning of its title."""
    return f"{frame['setting'].iloc[0]}: " if len(frame) else ""
