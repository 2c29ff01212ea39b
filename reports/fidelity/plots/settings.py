"""The plots of study A: what people would rather look at than read."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.resampling.bootstrap import FEWEST_CLUSTERS, RELIABLE_CLUSTERS
from reports.shared.figure import BLUE, GREY, ORANGE, RED


def draw_human_scores(figure: Any, human_scores: pd.DataFrame) -> None:
    """How each annotator used the scale."""
    axes = figure.subplots()
    groups = human_scores.groupby("annotator")["score"]
    bins = np.linspace(0, 1, 21)
    axes.hist([scores.to_numpy() for _, scores in groups], bins=bins, label=[str(name) for name, _ in groups])
    axes.set(xlabel="human score (0-1)", ylabel="ratings", title=f"{len(human_scores)} ratings")
    axes.legend(title="annotator", frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1))


def draw_score_matrix(figure: Any, matrix: pd.DataFrame) -> None:
    """Objects in rows from worst to best, repeats in columns; a missing verdict is white."""
    axes = figure.subplots()
    scores = matrix.filter(regex=r"^repeat_\d+$").to_numpy(dtype=float)
    with np.errstate(invalid="ignore"):
        means = np.where(
            np.isnan(scores).all(axis=1),
            -1.0,
            np.nansum(scores, axis=1) / np.maximum((~np.isnan(scores)).sum(axis=1), 1),
        )
    image = axes.imshow(
        scores[np.argsort(means)], aspect="auto", vmin=0, vmax=1, interpolation="nearest", cmap="viridis"
    )
    axes.set_xticks(range(scores.shape[1]), [str(repeat + 1) for repeat in range(scores.shape[1])])
    axes.set(
        xlabel="repeat",
        ylabel="object (by mean score)",
        title=f"{_setting(matrix)}{scores.shape[0]} objects, {int(np.isnan(scores).sum())} cells missing",
    )
    figure.colorbar(image, label="judge's score (0-1)")


def draw_stability(figure: Any, stability: pd.DataFrame, threshold: float) -> None:
    """Each object's MAD from steady to unsteady, with the limit that their median must keep."""
    axes = figure.subplots()
    mads = np.sort(stability["mad"].dropna().to_numpy())
    axes.stairs(mads, np.arange(len(mads) + 1) + 0.5, fill=True, color=BLUE)
    if len(mads):
        axes.axhline(float(np.median(mads)), color=ORANGE, label=f"median {np.median(mads):.3f}")
    axes.axhline(threshold, color=RED, linestyle="--", label=f"limit for the median {threshold:g}")
    axes.set(
        xlabel="object (by MAD)", ylabel="MAD of its repeats (0-1)", title=f"{_setting(stability)}spread within objects"
    )
    axes.legend(frameon=False)


def draw_convergence(figure: Any, curves: pd.DataFrame, summary: pd.DataFrame) -> None:
    """Half-width against repeats: each object thin, the median thick, the threshold dashed."""
    from matplotlib.collections import LineCollection

    axes = figure.subplots()
    # One collection, not a line for each of a thousand objects.
    lines = [curve.to_numpy(dtype=float) for _, curve in curves.groupby("object")[["n", "half_width"]]]
    axes.add_collection(LineCollection(lines, colors=GREY, alpha=0.25, linewidths=0.7))
    axes.plot(
        summary["n"], summary["median_half_width"], color=BLUE, linewidth=2, marker="o", label="median over objects"
    )
    threshold = float(summary["threshold"].iloc[0])
    axes.axhline(threshold, color=RED, linestyle="--", label=f"threshold {threshold:g}")
    # Two repeats give t intervals several times wider than three: they would flatten the rest.
    shown = curves.loc[curves["n"] >= 3, "half_width"].dropna()
    axes.set_ylim(0, max(2 * threshold, float(shown.quantile(0.95)) if len(shown) else 0.0) * 1.3)
    axes.set_xticks(summary["n"])
    axes.set(
        xlabel="repeats",
        ylabel="half-width of the interval (0-1)",
        title=f"{_setting(summary)}what each further repeat buys",
    )
    axes.legend(frameon=False)


def draw_matched_scores(figure: Any, matched: pd.DataFrame) -> None:
    """People on x, judge on y, with the line on which both say the same."""
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1, label="the same score")
    for color, (algorithm, group) in zip(
        _colors(matched["algorithm"].nunique(dropna=False)), matched.groupby("algorithm", dropna=False), strict=True
    ):
        axes.scatter(group["human_score"], group["judge_score"], s=18, color=color, label=str(algorithm))
    axes.set(
        xlim=(0, 1),
        ylim=(0, 1),
        xlabel="people (0-1)",
        ylabel="judge (0-1)",
        title=f"{_setting(matched)}{len(matched)} objects",
    )
    axes.set_aspect("equal")
    axes.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1.02, 0.5))


def draw_agreement_by_group(figure: Any, agreement: pd.DataFrame, threshold: float) -> None:
    """Spearman correlation with people, overall and per group, with clustered intervals."""
    axes = figure.subplots()
    rows = agreement[agreement["statistic"] == "spearman_r"].iloc[::-1].reset_index(drop=True)
    few = (rows["n_products"] < RELIABLE_CLUSTERS).to_numpy(dtype=bool)
    labels = [
        f"{group} (n={count}{f'; {products} products' if unsure else ''})"
        for group, count, products, unsure in zip(rows["group"], rows["n_used"], rows["n_products"], few, strict=True)
    ]
    colours = np.where(few, ORANGE, BLUE)
    values = rows["value"].to_numpy(dtype=float)
    low, high = rows["ci_low"].to_numpy(dtype=float), rows["ci_high"].to_numpy(dtype=float)
    places = np.arange(len(rows))
    axes.hlines(places, low, high, color=colours)
    axes.scatter(values, places, color=colours, zorder=3)
    axes.axvline(threshold, color=RED, linestyle="--")
    axes.set_yticks(places, labels, fontsize=8)
    unsure = f"orange: under {RELIABLE_CLUSTERS} products, unreliable; under {FEWEST_CLUSTERS} there is no interval"
    figure.suptitle(f"{_setting(agreement)}agreement by group\n{unsure}", fontsize=9)
    axes.set_xlabel(f"Spearman with people (dashed: {threshold:g} needed)")


def draw_setting_summary(figure: Any, summary: pd.DataFrame, thresholds: dict[str, float]) -> None:
    """ICC, MAD, Spearman and MAE of every setting next to their thresholds."""
    panels = (
        ("icc", "ICC(1,k)", "icc_low", "icc_high", thresholds["icc"]),
        ("mad", "median MAD (0-1)", None, None, thresholds["median_mad"]),
        ("spearman_r", "Spearman with people", "spearman_low", "spearman_high", thresholds["spearman"]),
        ("mae", "MAE against people (0-1)", None, None, thresholds["mae"]),
    )
    places = np.arange(len(summary))
    for axes, (column, label, low, high, threshold) in zip(figure.subplots(1, 4, sharey=True), panels, strict=True):
        values = summary[column].to_numpy(dtype=float)
        axes.barh(
            places, np.nan_to_num(values), color=[ORANGE if base else BLUE for base in summary["baseline"]], height=0.7
        )
        if low is not None and high is not None:
            axes.hlines(places, summary[low].to_numpy(dtype=float), summary[high].to_numpy(dtype=float), color="black")
        axes.axvline(threshold, color=RED, linestyle="--")
        needed = f"needed {'at most' if low is None else 'at least'} {threshold:g}"
        few = _few_products(summary[np.isfinite(values)]) if column == "spearman_r" else ""
        axes.set_xlabel(f"{label}\n{needed}{few}", fontsize=8)
        axes.tick_params(axis="x", labelsize=7)
        axes.set_yticks(places, summary["setting"], fontsize=8)
    axes.invert_yaxis()
    named = ", ".join(summary.loc[summary["deterministic"].astype(bool), "setting"])
    note = f"; deterministic, ICC 1 by construction: {named}" if named else ""
    figure.suptitle(f"Settings side by side (baseline in orange{note})", fontsize=10)


def _few_products(rows: pd.DataFrame) -> str:
    """A mark where intervals over products are not to be relied on."""
    most = int(rows["n_products"].max()) if len(rows) else RELIABLE_CLUSTERS
    return f"\nunreliable: {most} products" if most < RELIABLE_CLUSTERS else ""


def _colors(count: int) -> list[Any]:
    from matplotlib import colormaps

    return [colormaps["tab10"](index % 10) for index in range(count)]


def draw_study_objects(figure: Any, rows: Sequence[tuple[str, Sequence[NDArray[np.uint8]]]]) -> None:
    """Some objects side by side: photos, then the render, on black.

    Args:
        figure: Where to draw.
        rows: A label and the RGBA images of each object, the render last.
    """
    most = max(len(images) for _, images in rows)
    grid = figure.subplots(len(rows), most, squeeze=False)
    for axes_of_row, (label, images) in zip(grid, rows, strict=True):
        for place, axes in enumerate(axes_of_row):
            axes.set_axis_off()
            # The render stands in the last column, however many photos there are.
            shown = images[-1] if place == most - 1 else images[place] if place < len(images) - 1 else None
            if shown is not None:
                axes.imshow(shown[..., :3] * (shown[..., 3:] / 255.0) / 255.0)
        axes_of_row[0].set_title(label, fontsize=7, loc="left")
    grid[0][-1].set_title("render", fontsize=7)


def draw_icc(figure: Any, row: pd.DataFrame, threshold: float) -> None:
    """The six forms with their F intervals, and ICC(1,k) with products resampled."""
    axes = figure.subplots()
    seen = row.iloc[0]
    names = [*(f"ICC{form}" for form in ("(1,1)", "(A,1)", "(C,1)", "(1,k)", "(A,k)", "(C,k)")), "ICC(1,k), by product"]
    keys = ("icc_11", "icc_a1", "icc_c1", "icc_1k", "icc_ak", "icc_ck")
    bounds = [(seen[key], seen[f"{key}_low"], seen[f"{key}_high"]) for key in keys]
    bounds.append((seen["icc_1k"], seen["icc_1k_low_by_product"], seen["icc_1k_high_by_product"]))
    values = np.array([[np.nan if pd.isna(value) else float(value) for value in three] for three in bounds])
    places = np.arange(len(names))
    axes.hlines(places, values[:, 1], values[:, 2], color=BLUE)
    axes.plot(values[:, 0], places, "o", color=BLUE)
    axes.axvline(threshold, color=RED, linestyle="--")
    axes.set_yticks(places, names, fontsize=8)
    axes.invert_yaxis()
    title = _setting(row) + (
        "deterministic, 1 by construction" if seen["deterministic"] else f"{seen['n_used']} objects"
    )
    axes.set(xlabel=f"ICC and its interval (dashed: {threshold:g} needed)", title=title)


def _setting(frame: pd.DataFrame) -> str:
    """Which setting a plot shows, as the beginning of its title."""
    return f"{frame['setting'].iloc[0]}: " if len(frame) and "setting" in frame else ""
