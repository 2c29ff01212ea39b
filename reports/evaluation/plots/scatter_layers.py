"""The layers of a scatter plot: points or their density, fitted lines, and a note in the emptiest corner."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from reports.shared.figure import BLUE, DARK, GREY, PALE, RED
from reports.shared.words import natural, plain, short

Floats = NDArray[np.float64]

# Above this many points a picture of points is slow to open and shows only a blot.
MOST_POINTS = 20_000
# Distinguishable on white, without the grey of "other" and the colours of the lines.
GROUP_COLORS = (
    "#1f77b4", "#e69f00", "#2ca02c", "#9467bd", "#8c564b", "#e377c2", "#17becf", "#bcbd22", "#1a365d", "#f4845f",
)  # fmt: skip
MISSING = "(missing)"
CELLS = (150, 100)
# Nearer to each other than this, relative to their size, values are one place on an axis.
FLAT = 1e-12
# Below it, slopes overflow.
SMALLEST = 1e-150


def floats(values: ArrayLike) -> Floats:
    """Any column as floats; what is no number is NaN."""
    column = pd.Series(np.asarray(values, dtype=object) if not isinstance(values, pd.Series) else values)
    return pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)


def points(axes: Any, x: Floats, y: Floats) -> None:
    """The pairs in one colour, smaller and paler the more there are."""
    axes.scatter(x, y, s=_size(len(x)), color=BLUE, alpha=_alpha(len(x)), linewidths=0)


def _size(n: int) -> float:
    return float(np.clip(9000 / max(n, 1), 5, 26))


def _alpha(n: int) -> float:
    return float(np.clip(25 / np.sqrt(max(n, 1)), 0.3, 0.9))


def limit(axes: Any, x: Floats, y: Floats, *, same: bool) -> None:
    """Ranges by the points alone: a fitted curve may run far out of them."""
    sides = [np.concatenate([x, y])] * 2 if same else [x, y]
    ranges = []
    for side in sides:
        low, high = float(side.min()), float(side.max())
        of_one_place = 0.1 * max(abs(low), abs(high))
        margin = 0.04 * (high - low) if _spread(side) else of_one_place if of_one_place > SMALLEST else 0.5
        ranges.append((low - margin, high + margin))
    axes.set(xlim=ranges[0], ylim=ranges[1])


def _spread(side: Floats) -> bool:
    return bool(np.ptp(side) > max(FLAT * np.abs(side).max(), SMALLEST))


def colored(figure: Any, axes: Any, x: Floats, y: Floats, groups: pd.Series) -> None:
    """The pairs of the ten largest groups in colours, the rest grey, and a legend next to the plot."""
    from matplotlib.colors import to_rgba_array
    from matplotlib.lines import Line2D

    labels = groups.astype(object).where(groups.notna(), MISSING).astype(str).to_numpy()
    sizes = pd.Series(labels).value_counts()
    named = sorted(sizes.index, key=lambda name: (-sizes[name], natural(name)))[: len(GROUP_COLORS)]
    number = pd.Index(named).get_indexer(labels)
    rest = number < 0
    colors = to_rgba_array([*GROUP_COLORS[: len(named)], GREY])
    many = len(x) > MOST_POINTS
    if many:
        _most_frequent(axes, x, y, np.where(rest, len(named), number), colors)
    else:
        # Grey lies below; the others keep the file's order, so that no group hides another.
        for chosen, alpha in ((rest, 0.35), (~rest, 0.8)):
            axes.scatter(x[chosen], y[chosen], s=_size(len(x)), c=colors[number[chosen]], alpha=alpha, linewidths=0)
    entries = [f"{short(name, 24)} ({sizes[name]:,})" for name in named]
    entries += [f"other: {len(sizes) - len(named):,} groups ({int(rest.sum()):,})"] if rest.any() else []
    handles = [Line2D([], [], marker="o", linestyle="", color=color) for color in colors[: len(entries)]]
    title = [] if groups.name is None else [short(str(groups.name).removeprefix("field."), 30)]
    title += ["(colour: most frequent there)"] if many else []
    figure.legend(
        handles,
        entries,
        title="\n".join(title) or None,
        title_fontsize=8,
        loc="outside right upper",
        frameon=False,
        fontsize=7,
    )


def _most_frequent(axes: Any, x: Floats, y: Floats, number: NDArray[np.int64], colors: Floats) -> None:
    """Cells in the colour of the group that has most pairs there, the stronger the more pairs there are.

    The last colour, of the rest taken together, shows only where no other group has a pair.
    """
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    columns, rows = CELLS
    column = np.minimum(((x - left) / (right - left) * columns).astype(int), columns - 1)
    row = np.minimum(((y - bottom) / (top - bottom) * rows).astype(int), rows - 1)
    counts = np.bincount((row * columns + column) * len(colors) + number, minlength=rows * columns * len(colors))
    of_cell = counts.reshape(rows, columns, len(colors))
    total = of_cell.sum(axis=2)
    of_groups = of_cell[..., :-1]
    picture = colors[np.where(of_groups.any(axis=2), of_groups.argmax(axis=2), len(colors) - 1)]
    picture[..., 3] = np.where(total > 0, 0.3 + 0.7 * np.log1p(total) / np.log1p(total.max()), 0.0)
    axes.imshow(picture, origin="lower", extent=(left, right, bottom, top), aspect="auto", interpolation="nearest")


def density(figure: Any, axes: Any, x: Floats, y: Floats) -> None:
    """How many pairs lie in each hexagon, on a logarithmic scale."""
    from matplotlib.colors import LogNorm

    columns = 60
    box = axes.get_window_extent()
    rows = max(4, round(columns / np.sqrt(3) * box.height / box.width))
    extent = (*axes.get_xlim(), *axes.get_ylim())
    cells = axes.hexbin(x, y, gridsize=(columns, rows), extent=extent, mincnt=1, cmap="Blues", linewidths=0.1)
    cells.set_norm(LogNorm(0.5, max(2.0, float(cells.get_array().max()))))
    figure.colorbar(cells, label="pairs per cell").ax.set_ylim(bottom=1)


def lines(
    figure: Any, axes: Any, x: Floats, y: Floats, curve: tuple[ArrayLike, ArrayLike] | None, identity: bool
) -> None:
    """Identity, least squares and mapped curve, where there are any, named below the plot."""
    from matplotlib.patheffects import Normal, Stroke

    halo = [Stroke(linewidth=3.5, foreground="white"), Normal()]
    lines = []
    if identity:
        ends = axes.get_xlim()
        lines += axes.plot(ends, ends, color=GREY, linestyle="--", linewidth=1, label="the same value", scalex=False)
    if _spread(x):
        slope, level = _least_squares(x, y)
        ends = np.array([x.min(), x.max()])
        equation = f"regression line: y = {level:.3g} {'-' if slope < 0 else '+'} {abs(slope):.3g} x"
        lines += axes.plot(ends, level + slope * ends, color=DARK, linewidth=1.6, label=equation, path_effects=halo)
    if curve is not None:
        at, mapped = floats(curve[0]), floats(curve[1])
        at, mapped = at[np.argsort(at)], mapped[np.argsort(at)]
        lines += axes.plot(at, mapped, color=RED, linewidth=1.8, label="mapped curve", path_effects=halo)
    if lines:
        figure.legend(handles=lines, loc="outside lower center", ncols=3, frameon=False, fontsize=8)


def _least_squares(x: Floats, y: Floats) -> tuple[float, float]:
    """Slope and level of the line; centred and scaled first, so that large offsets cost no digits."""
    spread = float(np.ptp(x))
    z = (x - x.mean()) / spread
    slope = float(z @ (y - y.mean()) / (z @ z)) / spread
    return slope, float(y.mean() - slope * x.mean())


def write_note(axes: Any, note: str, x: Floats, y: Floats) -> None:
    """Words in the corner that covers the fewest pairs."""
    corners = [(0.02, 0.97, "left", "top"), (0.98, 0.97, "right", "top")]
    corners += [(0.98, 0.03, "right", "bottom"), (0.02, 0.03, "left", "bottom")]
    (x_low, x_high), (y_low, y_high) = axes.get_xlim(), axes.get_ylim()
    across, up = (x - x_low) / (x_high - x_low), (y - y_low) / (y_high - y_low)
    covered = [int(((np.abs(across - at) < 0.45) & (np.abs(up - height) < 0.3)).sum()) for at, height, _, _ in corners]
    at, height, horizontal, vertical = corners[int(np.argmin(covered))]
    box = {"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": PALE, "alpha": 0.88}
    axes.text(
        at,
        height,
        plain(note, lines=True),
        transform=axes.transAxes,
        ha=horizontal,
        va=vertical,
        ma="left",
        fontsize=8,
        bbox=box,
    )
