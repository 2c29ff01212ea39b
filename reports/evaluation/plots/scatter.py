"""The scatter plot of study C: points or their density, fitted lines, and a note in the emptiest corner."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from reports.shared import marks
from reports.shared.colours import GROUPS, INK, LIMIT, MAIN, NEUTRAL, PAPER, SHAPES
from reports.shared.drawing import Axis, Drawing, nothing_to_draw
from reports.shared.marks import Entry, Layer, share_colors
from reports.shared.words import natural, short

Floats = NDArray[np.float64]

# Above this many points a picture of points is slow to open and shows only a blot.
MOST_POINTS: Final = 20_000
MISSING: Final = "(missing)"
CELLS: Final = (60, 40)
# Nearer to each other than this, relative to their size, values are one place on an axis.
FLAT: Final = 1e-12
# Below it, slopes overflow.
SMALLEST: Final = 1e-150
# Beyond it, sums of squares and axis limits overflow.
LARGEST: Final = 1e150
HEIGHT_PX: Final = 480


class Plane(NamedTuple):
    """The pairs that are drawn, and the range of each axis."""

    x: Floats
    y: Floats
    across: tuple[float, float] = (0.0, 1.0)
    up: tuple[float, float] = (0.0, 1.0)


def floats(values: ArrayLike) -> Floats:
    """Any column as floats; what is no number is NaN."""
    column = pd.Series(np.asarray(values, dtype=object) if not isinstance(values, pd.Series) else values)
    return pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)


def scatter(
    prediction: ArrayLike,
    truth: ArrayLike,
    *,
    title: str,
    x_label: str,
    y_label: str,
    note: str = "",
    curve: tuple[ArrayLike, ArrayLike] | None = None,
    identity: bool = False,
    groups: Sequence[str | None] | pd.Series | None = None,
) -> Drawing:
    """Predictions on x, truth on y, with the line of least squares; density above 20,000 pairs.

    Args:
        prediction: Shape ``(n,)``; pairs with a missing or infinite side are left out and counted on the plot.
        truth: Shape ``(n,)``, same order.
        title: Above the plot.
        x_label: What the prediction is, with its unit.
        y_label: What the truth is, with its unit.
        note: Written in the emptiest corner: correlations, intervals, n.
        curve: x and y of the mapped curve, in the units of the axes.
        identity: Both sides share a scale: draw the line of equal values and give both axes the same range.
        groups: A label for each pair; the ten largest groups are coloured, the rest are grey. A series' name is the
            legend's title.

    Raises:
        ValueError: Lengths differ.
    """
    x, y = floats(prediction), floats(truth)
    n_groups = len(x) if groups is None else len(groups)
    if not len(x) == len(y) == n_groups:
        raise ValueError(f"one truth and one group per prediction, got {len(x)}, {len(y)} and {n_groups}")
    drawable = (np.abs(x) < LARGEST) & (np.abs(y) < LARGEST)
    x, y = x[drawable], y[drawable]
    left_out = int((~drawable).sum())
    words = [*([note] if note else []), *([f"{left_out:,} without a number: not drawn"] if left_out else [])]
    if not len(x):
        said = nothing_to_draw("no pair to draw", title=title)
        return Drawing([*said.layers, *_note(words, Plane(x, y))], said.x, said.y, said.height_px, title)
    plane = Plane(x, y, *_ranges(x, y, same=identity))
    if groups is not None:
        layers = _grouped(plane, pd.Series(groups).reset_index(drop=True)[drawable])
    elif len(x) > MOST_POINTS:
        layers = _density(plane)
    else:
        layers = [_points(x, y, fill={"value": MAIN}, shape={"value": "circle"}, opacity=_alpha(len(x)))]
    layers += _lines(plane, curve, identity=identity)
    layers += _note(words, plane)
    return Drawing(layers, Axis(x_label, plane.across), Axis(y_label, plane.up), HEIGHT_PX, short(title, 100))


def _points(x: Floats, y: Floats, opacity: float, more: Sequence[marks.Row] | None = None, **look: Any) -> Layer:
    """Smaller and paler the more there are."""
    rows = [{"x": float(one), "y": float(other)} for one, other in zip(x, y, strict=True)]
    if more is not None:
        rows = [{**row, **own} for row, own in zip(rows, more, strict=True)]
    return marks.dots(rows, size=_size(len(x)), opacity=opacity, hover=None, stroke={"value": None}, **look)


def _size(n: int) -> float:
    return float(np.clip(16_000 / max(n, 1), 9, 46))


def _alpha(n: int) -> float:
    return float(np.clip(25 / np.sqrt(max(n, 1)), 0.3, 0.9))


def _ranges(x: Floats, y: Floats, *, same: bool) -> tuple[tuple[float, float], tuple[float, float]]:
    """Ranges by the points alone: a fitted curve may run far out of them."""
    sides = [np.concatenate([x, y])] * 2 if same else [x, y]
    ranges = []
    for side in sides:
        low, high = float(side.min()), float(side.max())
        of_one_place = 0.1 * max(abs(low), abs(high))
        margin = 0.04 * (high - low) if _spread(side) else of_one_place if of_one_place > SMALLEST else 0.5
        ranges.append((low - margin, high + margin))
    return ranges[0], ranges[1]


def _spread(side: Floats) -> bool:
    return bool(np.ptp(side) > max(FLAT * np.abs(side).max(), SMALLEST))


def _grouped(plane: Plane, groups: pd.Series) -> list[Layer]:
    """The pairs of the ten largest groups in colours and shapes, the rest grey, and a legend next to the plot."""
    labels = groups.astype(object).where(groups.notna(), MISSING).astype(str).to_numpy()
    sizes = pd.Series(labels).value_counts()
    named = sorted(sizes.index, key=lambda name: (-sizes[name], natural(name)))[: len(GROUPS)]
    number = pd.Index(named).get_indexer(labels)
    rest = number < 0
    many = len(plane.x) > MOST_POINTS
    looks = [(color, "square" if many else SHAPES[place % len(SHAPES)]) for place, color in enumerate(GROUPS)]
    entries = [Entry(f"{short(name, 24)} ({sizes[name]:,})", *looks[at]) for at, name in enumerate(named)]
    if rest.any():
        entries.append(Entry(f"other: {len(sizes) - len(named):,} groups ({int(rest.sum()):,})", NEUTRAL))
    title = [] if groups.name is None else [short(str(groups.name).removeprefix("field."), 30)]
    title += ["(colour: most frequent there)"] if many else []
    legend = marks.legend(entries, side="right", title=" ".join(title) or None)
    if many:
        return [_most_frequent(plane, np.where(rest, len(named), number), len(named)), legend]
    # Grey is behind; the others keep the file's order, so that no group hides another.
    layers = []
    for chosen, alpha in ((rest, 0.35), (~rest, 0.8)):
        own = [looks[one] if one >= 0 else (NEUTRAL, "circle") for one in number[chosen]]
        looks_of = [{"fill": color, "shape": shape} for color, shape in own]
        layers.append(_points(plane.x[chosen], plane.y[chosen], alpha, looks_of))
    return [*layers, legend]


def _counts(plane: Plane, number: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """How many pairs of each group are in each cell: shape ``(rows, columns, n)``."""
    (x, y, across, up), (columns, rows) = plane, CELLS
    column = np.minimum(((x - across[0]) / (across[1] - across[0]) * columns).astype(int), columns - 1)
    row = np.minimum(((y - up[0]) / (up[1] - up[0]) * rows).astype(int), rows - 1)
    return np.bincount((row * columns + column) * n + number, minlength=rows * columns * n).reshape(rows, columns, n)


def _cell(row: int, column: int, plane: Plane) -> dict[str, Any]:
    _, _, across, up = plane
    wide, high = (across[1] - across[0]) / CELLS[0], (up[1] - up[0]) / CELLS[1]
    x, y = across[0] + column * wide, up[0] + row * high
    return {"x": x, "x2": x + wide, "y": y, "y2": y + high}


def _most_frequent(plane: Plane, number: NDArray[np.int64], n_named: int) -> Layer:
    """Cells in the colour of the group that has most pairs there, the stronger the more pairs there are.

    The last colour, of the rest taken together, shows only where no other group has a pair.
    """
    of_cell = _counts(plane, number, n_named + 1)
    total = of_cell.sum(axis=2)
    rows = []
    for row, column in np.argwhere(total).tolist():
        found = of_cell[row, column]
        group = int(found[:-1].argmax()) if found[:-1].any() else n_named
        strong = 0.3 + 0.7 * float(np.log1p(found.sum()) / np.log1p(total.max()))
        fill = GROUPS[group] if group < n_named else NEUTRAL
        rows.append(_cell(row, column, plane) | {"fill": fill, "strong": round(strong, 3)})
    strength = {"field": "strong", "type": "quantitative", "scale": None}
    return marks.boxes(rows, hover=None, stroke={"value": None}, fillOpacity=strength)


def _density(plane: Plane) -> list[Layer]:
    """How many pairs are in each cell, on a logarithmic scale."""
    total = _counts(plane, np.zeros(len(plane.x), dtype=np.int64), 1)[:, :, 0]
    most = int(total.max())
    steps = [10**power for power in range(len(str(most)))] + [most]

    def shade(counts: Sequence[int]) -> list[str]:
        return share_colors([0.25 + 0.75 * float(np.log(n) / max(np.log(most), 1e-9)) for n in counts])

    filled = np.argwhere(total).tolist()
    colors = shade([int(total[row, column]) for row, column in filled])
    rows = [
        _cell(row, column, plane) | {"fill": color, "n": int(total[row, column])}
        for (row, column), color in zip(filled, colors, strict=True)
    ]
    entries = [Entry(f"{n:,}", color, "square") for n, color in zip(steps, shade(steps), strict=True)]
    legend = marks.legend(entries, side="right", title="pairs per cell")
    return [marks.boxes(rows, hover=None, stroke={"value": None}), legend]


def _lines(plane: Plane, curve: tuple[ArrayLike, ArrayLike] | None, *, identity: bool) -> list[Layer]:
    """Identity, least squares and mapped curve, where there are any, named below the plot."""
    x, y, across, _ = plane
    layers: list[Layer] = []
    entries = []
    if identity:
        layers.append(marks.path([(end, end) for end in across], NEUTRAL, dash="dash", width=1, clip=True))
        entries.append(Entry("the same value", NEUTRAL, "stroke", dash="dash"))
    if _spread(x):
        slope, level = _least_squares(x, y)
        ends = [(float(end), float(level + slope * end)) for end in (x.min(), x.max())]
        layers += _with_halo(ends, INK)
        equation = f"regression line: y = {level:.3g} {'-' if slope < 0 else '+'} {abs(slope):.3g} x"
        entries.append(Entry(equation, INK, "stroke"))
    if curve is not None:
        at, mapped = floats(curve[0]), floats(curve[1])
        order = np.argsort(at)
        layers += _with_halo(list(zip(at[order].tolist(), mapped[order].tolist(), strict=True)), LIMIT)
        entries.append(Entry("mapped curve", LIMIT, "stroke"))
    return [*layers, marks.legend(entries, side="bottom")] if entries else layers


def _with_halo(points: Sequence[tuple[float, float]], color: str) -> list[Layer]:
    return [marks.path(points, PAPER, width=4.5, clip=True), marks.path(points, color, clip=True)]


def _least_squares(x: Floats, y: Floats) -> tuple[float, float]:
    """Slope and level of the line; centred and scaled first, so that large offsets cost no digits."""
    spread = float(np.ptp(x))
    z = (x - x.mean()) / spread
    slope = float(z @ (y - y.mean()) / (z @ z)) / spread
    return slope, float(y.mean() - slope * x.mean())


def _note(words: Sequence[str], plane: Plane) -> list[Layer]:
    """Words in the corner that covers the fewest pairs, on a ground of their own."""
    if not words:
        return []
    x, y, across, up = plane
    at_x, at_y = (x - across[0]) / (across[1] - across[0]), (y - up[0]) / (up[1] - up[0])
    corners = [(0, 1), (1, 1), (1, 0), (0, 0)]
    covered = [int(((np.abs(at_x - side) < 0.45) & (np.abs(at_y - end) < 0.3)).sum()) for side, end in corners]
    side, end = corners[int(np.argmin(covered))]
    n_lines = sum(one.count("\n") + 1 for one in words)
    place: dict[str, Any] = {
        "align": "right" if side else "left",
        "baseline": "top",
        "lineBreak": "\n",
        "lineHeight": 15,
    }
    place["x"] = {"expr": "width - 8"} if side else 8
    place["y"] = 8 if end else {"expr": f"height - {15 * n_lines + 4}"}
    rows = [{"label": "\n".join(words)}]
    ground = {"stroke": PAPER, "strokeWidth": 4, "strokeJoin": "round"}
    return [
        marks.labels(rows, size=12, color=PAPER, **place, **ground),
        marks.labels(rows, size=12, color=INK, **place),
    ]
