"""The plots of study C: scores against the truth, confused options, groups and data sets with their intervals."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from reports.evaluation.plots import scatter_layers as layers
from reports.evaluation.plots.forest_rows import WHOLE, ForestRow, forest_rows
from reports.shared.figure import BLUE, DARK, GREEN, GREY, ORANGE, PALE, RED, say_nothing_to_draw
from reports.shared.words import plain, short

# Beyond it, sums of squares and axis limits overflow.
LARGEST = 1e150
# Smaller letters are not read; a matrix with so many options shows its colours only.
SMALLEST_LETTERS_PT = 4.5
MEANS = ("(mean)", "(size-weighted mean)")
STATISTICS = {"srcc": ("SRCC", BLUE), "plcc": ("PLCC", ORANGE), "krcc": ("KRCC", GREY), "accuracy": ("accuracy", BLUE)}
PANELS = {"scores": "correlation (higher is better)", "answers": "accuracy (share of the questions)"}


def draw_scatter(
    figure: Any,
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
) -> None:
    """Predictions on x, truth on y, with the line of least squares; density above 20,000 pairs.

    Args:
        figure: Where to draw.
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
    x, y = layers.floats(prediction), layers.floats(truth)
    n_groups = len(x) if groups is None else len(groups)
    if not len(x) == len(y) == n_groups:
        raise ValueError(f"one truth and one group per prediction, got {len(x)}, {len(y)} and {n_groups}")
    drawable = (np.abs(x) < LARGEST) & (np.abs(y) < LARGEST)
    x, y = x[drawable], y[drawable]
    axes = figure.subplots()
    axes.set(title=plain(title), xlabel=plain(x_label), ylabel=plain(y_label))
    left_out = int((~drawable).sum())
    words = [*([note] if note else []), *([f"{left_out:,} without a number: not drawn"] if left_out else [])]
    if not len(x):
        say_nothing_to_draw(axes, "no pair to draw")
    else:
        layers.limit(axes, x, y, same=identity)
        if groups is not None:
            layers.colored(figure, axes, x, y, pd.Series(groups).reset_index(drop=True)[drawable])
        elif len(x) > layers.MOST_POINTS:
            layers.density(figure, axes, x, y)
        else:
            layers.points(axes, x, y)
        layers.lines(figure, axes, x, y, curve, identity)
    if words:
        layers.write_note(axes, "\n".join(words), x, y)


def draw_confusion(figure: Any, rows: pd.DataFrame) -> None:
    """True options in rows, answers in columns: counts, shares of the row, and the most confused pairs framed.

    Args:
        figure: Where to draw.
        rows: Rows of `mcq_confusion` for one option set.

    Raises:
        ValueError: Rows of several option sets.
    """
    from matplotlib.patches import Rectangle

    if len(set(rows["options"])) > 1:
        raise ValueError("a confusion matrix has one option set; pick one by the column 'options'")
    axes = figure.subplots()
    axes.set(xlabel="answer", ylabel="truth")
    if rows.empty:
        say_nothing_to_draw(axes, "no answer to draw")
        return
    # Tables keep the options in their order, and so do these.
    truths, answers = list(pd.unique(rows["truth"])), list(pd.unique(rows["prediction"]))
    cells = rows.assign(count=layers.floats(rows["count"])).pivot_table(
        index="truth", columns="prediction", values="count", aggfunc="sum"
    )
    counts = cells.reindex(index=truths, columns=answers).fillna(0).to_numpy(dtype=float)
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    image = axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    width, height = figure.get_size_inches() * 72
    letters = min(10.0, 0.8 * width / len(answers) / 6, 0.7 * height / len(truths) / 3)
    for row, column in np.ndindex(*counts.shape) if letters >= SMALLEST_LETTERS_PT else ():
        share = shares[row, column]
        text = f"{int(counts[row, column]):,}" + (f"\n{100 * share:.0f} %" if share else "")
        color = _readable_on(image.cmap(float(share)))
        axes.text(column, row, text, ha="center", va="center", fontsize=letters, color=color)
    axes.hlines(np.arange(1, len(truths)) - 0.5, -0.5, len(answers) - 0.5, color="white", linewidth=1.5)
    axes.vlines(np.arange(1, len(answers)) - 0.5, -0.5, len(truths) - 0.5, color="white", linewidth=1.5)
    ranked = rows[rows["rank_of_confusion"].notna()]
    for cell in ranked.to_dict("records"):
        at = (answers.index(cell["prediction"]) - 0.47, truths.index(cell["truth"]) - 0.46)
        first = int(cell["rank_of_confusion"]) == 1
        frame: dict[str, Any] = {
            "edgecolor": ORANGE,
            "linewidth": 2.4 if first else 1.2,
            "linestyle": "-" if first else "--",
        }
        axes.add_patch(Rectangle(at, 0.94, 0.92, fill=False, **frame))
    names = [f"{short(name, 16)} (n={int(total):,})" for name, total in zip(truths, totals[:, 0].tolist(), strict=True)]
    tick_letters = float(np.clip(letters, SMALLEST_LETTERS_PT, 9))
    slanted = {"rotation": 35, "ha": "right"} if max(len(str(name)) for name in answers) > 60 / len(answers) else {}
    axes.set_xticks(range(len(answers)), [short(name, 16) for name in answers], fontsize=tick_letters, **slanted)
    axes.set_yticks(range(len(truths)), names, fontsize=tick_letters)
    right = sum(counts[truths.index(name), answers.index(name)] for name in truths if name in answers)
    total = int(counts.sum())
    axes.set_title(
        f"{total:,} answers, {f'{100 * right / total:.1f} % right' if total else 'none to judge'}", fontsize=11
    )
    if len(ranked):
        axes.set_xlabel("answer (framed: the most confused pairs)")
    figure.colorbar(
        image, label="share of the questions with this truth", format=lambda value, _: f"{100 * value:.0f} %"
    )


def _readable_on(color: tuple[float, float, float, float]) -> str:
    """Black or white, whichever stands out more from the colour (relative luminance as WCAG 2 defines it)."""
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color[:3])
    return "white" if 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179 else "black"


def draw_forest(figure: Any, rows: pd.DataFrame) -> None:
    """Groups with their intervals around the whole's; best and worst marked, small groups hollow.

    Args:
        figure: Where to draw.
        rows: Rows of `category_breakdown` of one data set; each grouping gets a panel. Of more than 60 groups, the
            innermost are left out, then the smallest; the best and the worst never.
    """
    groupings = list(pd.unique(rows["grouped_by"]))
    if not groupings:
        say_nothing_to_draw(figure.subplots(), "no group to draw")
        return
    found = [forest_rows(rows[rows["grouped_by"] == grouping]) for grouping in groupings]
    letters = _letters(figure, sum(len(shown) + 3 for shown, _ in found))
    heights = [len(shown) + 1.5 for shown, _ in found]
    panels = figure.subplots(len(found), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, grouping, (shown, left_out) in zip(panels, groupings, found, strict=True):
        of_grouping = rows[rows["grouped_by"] == grouping]
        for place, row in enumerate(shown):
            _draw_group(axes, place, row, letters)
        if shown[0].name == WHOLE and np.isfinite(shown[0].value):
            axes.axvline(shown[0].value, color=GREY, linestyle="--", linewidth=1, zorder=0)
        if not np.isfinite([row.value for row in shown]).any():
            axes.set_xticks([])
        axes.set_yticks(range(len(shown)), [row.label for row in shown], fontsize=letters)
        for label, row in zip(axes.get_yticklabels(), shown, strict=True):
            label.set_fontweight("bold" if row.outer else "normal")
        axes.set_ylim(len(shown) - 0.4, -0.6)
        tested = of_grouping.loc[of_grouping["level"] == 1, "p_difference"].dropna()
        title = [f"by {short(grouping.replace(',', ', '), 50)}" if grouping else "all samples"]
        title += [f"do the groups differ? {_p(float(tested.iloc[0]))}"] if len(tested) else []
        title += [f"{left_out:,} more groups not drawn"] if left_out else []
        axes.set_title("\n".join(title), fontsize=10, loc="left")
        hollow = "; hollow: under 10 samples" if any(row.small for row in shown) else ""
        statistic = str(of_grouping["statistic"].iloc[0])
        axes.set_xlabel(f"{STATISTICS.get(statistic, (statistic,))[0]} (dashed: the whole{hollow})", fontsize=9)
        axes.tick_params(axis="x", labelsize=8)


def forest_height(rows: pd.DataFrame) -> float:
    """The height, in inches, at which the groups that `draw_forest` draws stand well apart."""
    shown = [len(forest_rows(of_grouping)[0]) for _, of_grouping in rows.groupby("grouped_by")]
    return 0.6 + sum(0.7 + 0.22 * n for n in shown)


def _draw_group(axes: Any, place: int, row: ForestRow, letters: float) -> None:
    color = {"best": GREEN, "worst": RED}.get(row.standing, DARK if row.name == WHOLE else BLUE)
    axes.hlines(place, row.low, row.high, color=color, linewidth=1.6)
    face = "white" if row.small else color
    axes.plot(row.value, place, "D" if row.name == WHOLE else "o", color=color, markerfacecolor=face, markersize=5.5)
    if np.isfinite(row.value):
        at = axes.get_yaxis_transform()
        axes.text(1.015, place, row.numbers, color=color, va="center", fontsize=letters, transform=at)
    else:
        _say_undefined(axes, place, row.undefined, letters)


def _say_undefined(axes: Any, place: int, reason: Any, letters: float) -> None:
    words = "undefined" if pd.isna(reason) or not reason else f"undefined: {reason}"
    beside = {"transform": axes.get_yaxis_transform(), "va": "center", "fontsize": letters}
    axes.text(0.01, place, short(words, 60), color=GREY, style="italic", **beside)


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def _letters(figure: Any, n_rows: int) -> float:
    """The size of letters, in points, of which so many lines fit on the figure."""
    return float(np.clip(0.75 * figure.get_size_inches()[1] * 72 / max(n_rows, 1), 4, 8.5))


def draw_evaluation_summary(figure: Any, rows: pd.DataFrame) -> None:
    """Every data set's correlations or accuracy with intervals, the means below them.

    Args:
        figure: Where to draw.
        rows: Rows of `evaluation_summary`; scores and answers get a panel each.
    """
    kinds = [kind for kind in PANELS if (rows["kind"] == kind).any()]
    if not kinds:
        say_nothing_to_draw(figure.subplots(), "no data set to draw")
        return
    of_kind = {kind: rows[rows["kind"] == kind] for kind in kinds}
    letters = _letters(figure, sum(part["dataset"].nunique() + 4 for part in of_kind.values()))
    heights = [part["dataset"].nunique() + 1 for part in of_kind.values()]
    panels = figure.subplots(len(kinds), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, (kind, part) in zip(panels, of_kind.items(), strict=True):
        seen = list(pd.unique(part["dataset"]))
        names = [name for name in seen if name not in MEANS] + [name for name in MEANS if name in seen]
        statistics = [name for name in STATISTICS if (part["statistic"] == name).any()]
        for number, statistic in enumerate(statistics):
            _draw_statistic(
                axes, part[part["statistic"] == statistic], names, 0.24 * (number - len(statistics) / 2 + 0.5)
            )
        for place, name in enumerate(names):
            if place % 2:
                axes.axhspan(place - 0.5, place + 0.5, color="#f7fafc", zorder=0)
            of_name = part[part["dataset"] == name]
            if of_name["value"].isna().all():
                _say_undefined(axes, place, of_name["undefined"].iloc[0], letters)
        n_means = sum(name in MEANS for name in names)
        if 0 < n_means < len(names):
            axes.axhline(len(names) - n_means - 0.5, color=PALE, linewidth=1)
        counts = part.groupby("dataset")["n_used"].max()
        labels = [f"{short(name, 32)} (n={int(counts[name]):,})" for name in names]
        axes.set_yticks(range(len(names)), labels, fontsize=letters)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.set_xlabel(PANELS[kind], fontsize=9)
        axes.locator_params(axis="x", nbins=7)
        if part["value"].isna().all():
            axes.set_xticks([])
        axes.tick_params(axis="x", labelsize=8)
        if len(statistics) > 1:
            axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))
    figure.suptitle("Data sets side by side", fontsize=11)


def _draw_statistic(axes: Any, rows: pd.DataFrame, names: list[str], offset: float) -> None:
    label, color = STATISTICS[str(rows["statistic"].iloc[0])]
    values, low, high = (layers.floats(rows[name]) for name in ("value", "ci_low", "ci_high"))
    places = np.array([names.index(name) for name in rows["dataset"]]) + offset
    is_mean = rows["dataset"].isin(MEANS).to_numpy()
    axes.hlines(places, low, high, color=color, linewidth=1.6)
    axes.plot(values[~is_mean], places[~is_mean], "o", color=color, markersize=5, label=label)
    axes.plot(values[is_mean], places[is_mean], "D", color=color, markersize=5)
