"""The charts of settings: repeatability, convergence, agreement with people, all settings side by side."""

from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.intervals.measured import fewest_clusters, reliable_from
from reports.fidelity.contents import say
from reports.shared import marks
from reports.shared.colours import GROUPS, LIMIT, MAIN, NEUTRAL, OTHER, PALE, SHAPES
from reports.shared.drawing import COUNTS, WHOLE_NUMBERS, Axis, Drawing, nothing_to_draw, panels, rows_axis, rows_height
from reports.shared.marks import Entry, Interval, Layer, finite, line_at, note_at_line, share_colors, words
from reports.shared.numbers import number, plain_number
from reports.shared.text import Part, joined

UNIT: Final = (-0.03, 1.03)
SCALE: Final = tuple(round(0.2 * step, 1) for step in range(6))
FORMS: Final = {
    "icc_11": "(1,1)",
    "icc_a1": "(A,1)",
    "icc_c1": "(C,1)",
    "icc_1k": "(1,k)",
    "icc_ak": "(A,k)",
    "icc_ck": "(C,k)",
}
# Two repeats give intervals several times wider than three: they would flatten the rest.
FEWEST_SHOWN: Final = 3
MOST_TICKS: Final = 20
PANEL: Final[dict[str, Any]] = {"width_px": 190}
ROW_PX: Final = 22


def of_setting(frame: pd.DataFrame) -> str:
    """Which setting a chart shows, as the beginning of its title."""
    return f"{frame['setting'].iloc[0]}: " if len(frame) and "setting" in frame else ""


def human_scores(frame: pd.DataFrame) -> Drawing:
    """How each annotator used the scale, side by side in each twentieth of it."""
    edges = np.round(np.linspace(0.0, 1.0, 21), 12)
    groups = list(frame.groupby("annotator")["score"])
    if not groups:
        return nothing_to_draw("no rating")
    bars: list[dict[str, Any]] = []
    wide = 0.045 / len(groups)
    for place, (name, scores) in enumerate(groups):
        counts = np.histogram(scores.dropna().to_numpy(dtype=float), edges)[0]
        color = GROUPS[place % len(GROUPS)]
        for low, n in zip(edges[:-1].tolist(), counts.tolist(), strict=True):
            start = low + 0.0025 + place * wide
            sides = {"x": start, "x2": start + wide, "y": 0, "y2": n}
            bars += [sides | {"fill": color, "stroke": color, "hover": f"{name}: {n}"}] if n else []
    entries = [Entry(str(name), GROUPS[place % len(GROUPS)], "square") for place, (name, _) in enumerate(groups)]
    return Drawing(
        [marks.boxes(bars), marks.legend(entries, side="right", title="annotator")],
        Axis("human score (0-1)", (0.0, 1.0), grid=False),
        Axis("ratings", **COUNTS),
        title=f"{len(frame)} ratings",
    )


def score_matrix(matrix: pd.DataFrame) -> Drawing:
    """Objects in rows from worst to best, repeats in columns; a missing verdict is white."""
    scores = matrix.filter(regex=r"^repeat_\d+$").to_numpy(dtype=float)
    if not scores.size:
        return nothing_to_draw("no object")
    known = (~np.isnan(scores)).sum(axis=1)
    means = np.where(known > 0, np.nansum(scores, axis=1) / np.maximum(known, 1), -1.0)
    ranked = scores[np.argsort(means)]
    filled = np.argwhere(~np.isnan(ranked)).tolist()
    colors = share_colors([float(ranked[row, column]) for row, column in filled])
    cells = [marks.around(row, column) | {"fill": color} for (row, column), color in zip(filled, colors, strict=True)]
    shares = [0.0, 0.25, 0.5, 0.75, 1.0]
    entries = [Entry(f"{share:g}", color, "square") for share, color in zip(shares, share_colors(shares), strict=True)]
    n_objects, n_repeats = scores.shape
    repeats = range(n_repeats)
    return Drawing(
        [
            marks.boxes(cells, hover=None, stroke={"value": None}),
            marks.legend(entries, side="right", title="judge's score (0-1)"),
        ],
        Axis("repeat", (-0.5, n_repeats - 0.5), repeats, [str(one + 1) for one in repeats], grid=False),
        # Without names, but downwards as rows go.
        Axis("object (by mean score)", (-0.5, n_objects - 0.5), ticks=(), names=(), grid=False),
        430,
        f"{of_setting(matrix)}{n_objects} objects, {int(np.isnan(scores).sum())} cells missing",
    )


def stability(frame: pd.DataFrame, threshold: float) -> Drawing:
    """Each object's MAD from steady to unsteady, with the limit that their median must keep."""
    mads = np.sort(frame["mad"].dropna().to_numpy(dtype=float))
    title = f"{of_setting(frame)}spread within objects"
    if not mads.size:
        return nothing_to_draw("no object has two repeats", title=title)
    look = {"fill": MAIN, "stroke": MAIN}
    bars = [{"x": at + 0.5, "x2": at + 1.5, "y": 0, "y2": float(mad)} | look for at, mad in enumerate(mads)]
    median = float(np.median(mads))
    entries = [
        Entry(f"median {median:.3f}", OTHER, "stroke"),
        Entry(f"limit for the median {threshold:g}", LIMIT, "stroke", dash="dash"),
    ]
    return Drawing(
        [
            marks.boxes(bars, hover=None, mark={"strokeWidth": 0}),
            line_at(median, vertical=False, color=OTHER, dash="solid"),
            line_at(threshold, vertical=False),
            marks.legend(entries),
        ],
        Axis("object (by MAD)", (0.5, len(mads) + 0.5), grid=False, more=WHOLE_NUMBERS),
        Axis("MAD of its repeats (0-1)", zero=True),
        title=title,
    )


def convergence(curves: pd.DataFrame, summary: pd.DataFrame, threshold: float) -> Drawing:
    """Half-width against repeats: most objects as a stripe, their median thick, what is asked for dashed.

    Args:
        curves: Table `convergence_curves` of the setting that is shown.
        summary: Table `convergence_summary` of all settings that are drawn, thin.
        threshold: Half-width that is asked for, 0-1.
    """
    return Drawing(
        [*_of_all(summary, threshold), *converging(curves, summary)],
        *_half_width_axes(summary, threshold),
        360,
        f"{of_setting(summary)}what each further repeat buys",
    )


def convergence_of_settings(
    curves: dict[str, pd.DataFrame], summaries: dict[str, pd.DataFrame], summary: pd.DataFrame, threshold: float
) -> Drawing:
    """`convergence` for the setting that is shown, with the others thin behind it.

    Args:
        curves: Table `convergence_curves`, by setting.
        summaries: Table `convergence_summary`, by setting.
        summary: All of it.
        threshold: As there.
    """
    variants = {key: converging(curves[key], summaries[key], key) for key in summaries}
    return Drawing(_of_all(summary, threshold), *_half_width_axes(summary, threshold), 360, variants=variants)


def _of_all(summary: pd.DataFrame, threshold: float) -> list[Layer]:
    by = summary.groupby("setting", sort=False) if "setting" in summary else [("", summary)]
    thin = [marks.path(_medians(rows), PALE, width=1.2, clip=True) for _, rows in by]
    # The last repeats, at the right end of the line, are what one looks for.
    note = note_at_line(say("chart.asked", limit=plain_number(threshold)), threshold, vertical=False, anchor="left")
    return [*thin, line_at(threshold, vertical=False), note]


def _half_width_axes(summary: pd.DataFrame, threshold: float) -> tuple[Axis, Axis]:
    known = summary.loc[summary["n"] >= FEWEST_SHOWN, "mean_half_width"].dropna().tolist()
    # Not the largest: one wild object would flatten all curves.
    top = 1.6 * max(2 * threshold, float(max(known, default=0.0)))
    repeats = sorted(set(summary["n"].dropna().astype(int)))
    ticks = repeats if repeats and repeats[-1] <= MOST_TICKS else None
    return Axis(say("axis.repeats"), ticks=ticks), Axis(say("axis.half_width"), (0.0, top))


def converging(curves: pd.DataFrame, summary: pd.DataFrame, key: str = "") -> list[Layer]:
    """The layers of one setting."""
    looks = curves.groupby("n")["half_width"]
    ends = pd.DataFrame({"low": looks.quantile(0.1), "high": looks.quantile(0.9)}).dropna().reset_index()
    stripe = [{"x": int(row["n"]), "low": row["low"], "high": row["high"]} for row in ends.to_dict("records")]
    medians = _medians(summary)
    dots = [
        {"x": n, "y": value, "fill": MAIN, "stroke": MAIN, "shape": "circle", "hover": words(number(value, 4))}
        for n, value in medians
    ]
    median = joined([key, say("legend.median")], ", ") if key else say("legend.median")
    entries = [Entry(median, MAIN), Entry(say("legend.most_objects"), PALE, "square")]
    layers = [
        marks.stripe(stripe),
        marks.path(medians, MAIN, width=3, clip=True),
        marks.dots(dots, size=40, clip=True),
    ]
    if "half_width_all_looks" in curves:
        together = curves.groupby("n")["half_width_all_looks"].median().dropna().items()
        layers.append(marks.path(list(together), NEUTRAL, dash="dot", clip=True))
        entries.append(Entry(say("legend.all_looks"), NEUTRAL, "stroke", dash="dot"))
    return [*layers, marks.legend(entries)]


def _medians(summary: pd.DataFrame) -> list[tuple[int, float]]:
    name = "median_half_width"
    known = summary[summary[name].notna()].sort_values("n")
    return [(int(n), float(value)) for n, value in zip(known["n"], known[name], strict=True)]


def matched_scores(matched: pd.DataFrame) -> Drawing:
    """People on x, judge on y, with the line on which both say the same."""
    entries, rows = [], []
    for place, (algorithm, group) in enumerate(matched.groupby("algorithm", dropna=False)):
        color, shape = GROUPS[place % len(GROUPS)], SHAPES[place % len(SHAPES)]
        entries.append(Entry(str(algorithm), color, shape))
        for row in group.to_dict("records"):
            ends = {"x": finite(row["human_score"]), "y": finite(row["judge_score"])}
            rows += [ends | {"fill": color, "stroke": color, "shape": shape}] if None not in ends.values() else []
    return Drawing(
        [same_score(), marks.dots(rows, size=34, hover=None), marks.legend(entries, side="right")],
        Axis("people (0-1)", UNIT, SCALE),
        Axis("judge (0-1)", UNIT, SCALE),
        480,
        f"{of_setting(matched)}{len(matched)} objects",
        width_px=620,
    )


def same_score() -> Layer:
    """The line on which both give the same score."""
    return marks.path([(0, 0), (1, 1)], NEUTRAL, dash="dash", width=1.3)


def agreement_by_group(agreement: pd.DataFrame, threshold: float, statistic: str = "spearman_r") -> Drawing:
    """A statistic of agreement with people that has a limit, overall and per group, with clustered intervals.

    Args:
        agreement: Table `human_agreement` of one setting.
        threshold: What it has to reach, or of an error at most.
        statistic: ``spearman_r`` or ``mae``.
    """
    rows = agreement[agreement["statistic"] == statistic].to_dict("records")
    needed = {
        "spearman_r": f"Spearman with people (dashed: {threshold:g} needed)",
        "mae": f"mean absolute error against people, 0-1 (dashed: at most {threshold:g})",
    }
    enough = reliable_from("spearman")
    few = [bool(row["n_products"] < enough) for row in rows]
    products = [f"; {row['n_products']} products" if unsure else "" for row, unsure in zip(rows, few, strict=True)]
    names = [f"{row['group']} (n={row['n_used']}{more})" for row, more in zip(rows, products, strict=True)]
    unsure = f"under {fewest_clusters('spearman')} products there is no interval"
    points = [Interval(row["value"], row["ci_low"], row["ci_high"]) for row in rows]
    colors = [OTHER if one else MAIN for one in few]
    return Drawing(
        [line_at(threshold, vertical=True), *marks.row_layers(points, names, colors, whisker=None)],
        Axis(needed[statistic]),
        rows_axis(names),
        rows_height(len(rows)) + 30,
        [f"{of_setting(agreement)}agreement by group", unsure],
    )


def setting_summary(summary: pd.DataFrame, thresholds: dict[str, float]) -> dict[str, Any]:
    """ICC, MAD, Spearman and MAE of every setting next to their thresholds."""
    if summary.empty:
        return nothing_to_draw("no setting was run yet").specification()
    shown = (
        ("icc", "ICC(1,k)", "icc_low", "icc_high", thresholds["icc"]),
        ("mad", "median MAD (0-1)", None, None, thresholds["median_mad"]),
        ("spearman_r", "Spearman with people", "spearman_low", "spearman_high", thresholds["spearman"]),
        ("mae", "MAE against people (0-1)", None, None, thresholds["mae"]),
    )
    colors = [OTHER if base else MAIN for base in summary["baseline"]]
    made = []
    for place, (column, label, low, high, threshold) in enumerate(shown):
        points = [
            Interval(row[column], row[low] if low else None, row[high] if high else None)
            for row in summary.to_dict("records")
        ]
        needed = f"needed {'at most' if low is None else 'at least'} {threshold:g}"
        few = _few_products(summary[summary[column].notna()]) if column == "spearman_r" else ""
        y = rows_axis(summary["setting"].tolist(), labels=place == 0)
        layers = [
            *marks.row_layers(points, [needed] * len(points), colors, bars=True),
            line_at(threshold, vertical=True),
        ]
        x = Axis(f"{label}, {needed}{few}", zero=True, more={"titleLimit": 260, "titleFontSize": 11})
        made.append(Drawing(layers, x, y, ROW_PX * len(summary) + 10, **PANEL))
    named = ", ".join(summary.loc[summary["deterministic"].astype(bool), "setting"])
    note = f"; deterministic, ICC 1 by construction: {named}" if named else ""
    return panels(made, across=2, title=f"Settings side by side (baseline in orange{note})")


def _few_products(rows: pd.DataFrame) -> str:
    """A mark where intervals over products are not to be relied on."""
    enough = reliable_from("spearman")
    most = int(rows["n_products"].max()) if len(rows) else enough
    return f"; unreliable: {most} products" if most < enough else ""


def icc_forms(row: pd.DataFrame, threshold: float) -> Drawing:
    """The six forms with their F intervals, and ICC(1,k) with its interval over products."""
    seen = row.iloc[0]
    names: list[Part] = [*(f"ICC{form}" for form in FORMS.values()), "ICC(1,k), by product"]
    points = [Interval(seen[key], seen[f"{key}_low"], seen[f"{key}_high"]) for key in FORMS]
    points.append(Interval(seen["icc_1k"], seen["icc_1k_low_by_product"], seen["icc_1k_high_by_product"]))
    by_construction = "deterministic, 1 by construction" if seen["deterministic"] else f"{seen['n_used']} objects"
    return Drawing(
        [line_at(threshold, vertical=True), *marks.row_layers(points, names, [MAIN] * len(points), whisker=MAIN)],
        Axis(f"ICC and its interval (dashed: {threshold:g} needed)"),
        rows_axis(names),
        rows_height(len(names)),
        of_setting(row) + by_construction,
    )
