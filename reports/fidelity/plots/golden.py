"""The charts of study A's golden set: what the judge makes of altered renders."""

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd

from analysis.agreement.dose_response import FEWEST_MAGNITUDES
from reports.fidelity.contents import defined, say
from reports.fidelity.plots.settings import SCALE, UNIT, of_setting, same_score
from reports.shared import marks
from reports.shared.colours import GROUPS, LIMIT, MAIN, NEUTRAL, OTHER, SHAPES
from reports.shared.drawing import Axis, Drawing, nothing_to_draw, panels, rows_axis, rows_height
from reports.shared.marks import Entry, Interval, finite, line_at, note_at_line, words
from reports.shared.numbers import interval, number, plain_number
from reports.shared.text import Part, joined
from resources.tables.fidelity.golden import DISTURBED, IN_PART, KEPT, NOT_SEEN, SEEN, UNKNOWN

PANELS_ACROSS: Final = 3
# Colour of each word, and whether its mark is hollow.
LOOKS: Final = {
    SEEN: (MAIN, False),
    IN_PART: (MAIN, True),
    NOT_SEEN: (LIMIT, False),
    KEPT: (NEUTRAL, False),
    DISTURBED: (LIMIT, False),
    UNKNOWN: (NEUTRAL, True),
}
# Column, its limit in the plan, and how its interval is called in the row's method.
MEASURES: Final = {
    "cohens_d": ("effect_size", "cohens_d", "Cohen's d: drop in standard deviations"),
    "hit_rate": ("hit_rate", "hit rate", "hit rate: share that moved (or stayed) as expected"),
}


def golden_scores(scores: pd.DataFrame) -> Drawing:
    """Original on x, altered on y, a colour and shape per kind: below the line the altered image is marked down."""
    pairs = scores[scores["undefined"].isna()]
    if pairs.empty:
        return nothing_to_draw("no pair of scores")
    entries, rows = [], []
    for place, (kind, group) in enumerate(pairs.groupby("kind", sort=False)):
        # As many pairs of colour and shape as there are kinds.
        color, shape = GROUPS[place % len(GROUPS)], SHAPES[(place + place // len(GROUPS)) % len(SHAPES)]
        entries.append(Entry(str(kind), color, shape))
        rows += [
            {"x": float(x), "y": float(y), "fill": color, "stroke": color, "shape": shape}
            for x, y in zip(group["original_score"], group["altered_score"], strict=True)
        ]
    return Drawing(
        [same_score(), marks.dots(rows, size=24, opacity=0.8, hover=None), marks.legend(entries, side="right")],
        Axis("original (0-1)", UNIT, SCALE),
        Axis("altered (0-1)", UNIT, SCALE),
        480,
        f"{of_setting(scores)}{len(pairs)} pairs",
        width_px=660,
    )


def sensitivity(frame: pd.DataFrame, column: str, limit: float, labels: Sequence[Part], **size: Any) -> Drawing:
    """One measure of every alteration with its interval, coloured by what the judge sees.

    Args:
        frame: Table `sensitivity`.
        column: One of `MEASURES`.
        limit: What it has to reach on stripes.
        labels: Of each row.
        size: And title, where it is one of several.
    """
    rows = frame.to_dict("records")
    _, method, _ = MEASURES[column]
    points = [Interval(row[column], row[f"{column}_low"], row[f"{column}_high"]) for row in rows]
    hover = [
        joined([label, number(one.value), interval(one.low, one.high, unreliable=unreliable(row, method))], " ")
        for label, one, row in zip(labels, points, rows, strict=True)
    ]
    looks = [LOOKS[row["seen"]] for row in rows]
    drawn = marks.row_layers(points, hover, [color for color, _ in looks], hollow=[hollow for _, hollow in looks])
    needed = say("chart.needed", limit=plain_number(limit))
    share = column == "hit_rate"
    note = note_at_line(needed, limit, vertical=True, anchor="right" if share else "left")
    entries = [
        Entry(say(f"seen.{word.replace(' ', '_')}"), color, hollow=hollow)
        for word, (color, hollow) in LOOKS.items()
        if (frame["seen"] == word).any()
    ]
    return Drawing(
        [line_at(limit, vertical=True), note, *drawn, marks.legend(entries)],
        Axis(say(f"axis.{column}"), UNIT if share else None),
        rows_axis(labels),
        **({"height_px": rows_height(len(rows)) + 30} | size),
    )


def unreliable(row: dict[Any, Any], name: str) -> bool:
    """Whether the interval of one of a row's numbers rests on too few products, by the row's method."""
    parts = str(row.get("method")).split("; ")
    return any("unreliable" in part for part in parts if name in part.split(":")[0].split(", "))


def sensitivity_panels(frame: pd.DataFrame, thresholds: dict[str, float]) -> dict[str, Any]:
    """Cohen's d and hit rate of every alteration."""
    if frame.empty:
        return nothing_to_draw("no alteration").specification()
    labels = [f"{name} (n={n})" for name, n in zip(frame["alteration"], frame["n_items"], strict=True)]
    size = {"height_px": 22 * len(frame) + 10, "width_px": 280}
    made = [
        sensitivity(frame, column, thresholds[key], labels, title=title, **size)
        for column, (key, _, title) in MEASURES.items()
    ]
    return panels(made, across=2, title=f"{of_setting(frame)}what the judge sees")


def subscore(rows: pd.DataFrame, labels: Sequence[Part], **size: Any) -> Drawing:
    """The mean drop of one sub-score under each kind, with its interval: filled where the kind should move it.

    Args:
        rows: Of table `subscore_sensitivity`, of one sub-score.
        labels: Of each row.
        size: And title, where it is one of several.
    """
    made = rows.to_dict("records")
    points = [Interval(row["mean_drop"], row["mean_drop_low"], row["mean_drop_high"]) for row in made]
    hover = [
        joined([label, number(one.value), interval(one.low, one.high)], " ")
        for label, one in zip(labels, points, strict=True)
    ]
    own = [not pd.isna(row["moves"]) and bool(row["moves"]) for row in made]
    drawn = marks.row_layers(points, hover, [MAIN if one else NEUTRAL for one in own], hollow=[not one for one in own])
    zero = line_at(0, vertical=True, color=NEUTRAL, dash="dot")
    return Drawing(
        [zero, *drawn], Axis(say("axis.drop")), rows_axis(labels), **({"height_px": rows_height(len(made))} | size)
    )


def subscore_panels(frame: pd.DataFrame) -> dict[str, Any]:
    """`subscore` of every sub-score."""
    if frame["mean_drop"].isna().all():
        return nothing_to_draw("no pair of sub-scores").specification()
    made = [
        subscore(rows, rows["kind"].tolist(), title=str(name), width_px=280, height_px=22 * len(rows) + 10)
        for name, rows in frame.groupby("subscore", sort=False)
    ]
    return panels(made, across=2, title=f"{of_setting(frame)}mean drop of sub-scores (filled: what should move it)")


def dose(
    items: pd.DataFrame,
    means: Sequence[tuple[float, float | None]],
    row: dict[Any, Any],
    x: Axis,
    y: Axis | None = None,
    **size: Any,
) -> Drawing:
    """One kind: items thin, their means, and the line within items.

    Args:
        items: A row per pair of this kind: object, dose, drop.
        means: Dose and mean drop.
        row: Of `dose_response`.
        x: The dose's axis.
        y: That of rises, where these are not drops.
        size: And title, where it is one of several.
    """
    thin = [
        {"x": float(one["dose"]), "y": finite(one["drop"]), "of": str(one["object"])}
        for one in items.sort_values("dose").to_dict("records")
    ]
    dots = [
        {
            "x": at,
            "y": drop,
            "fill": MAIN,
            "stroke": MAIN,
            "shape": "circle",
            "hover": words(joined([plain_number(at), number(drop)], ": ")),
        }
        for at, drop in means
        if drop is not None
    ]
    layers = [line_at(0, vertical=False, color=NEUTRAL, dash="dot"), marks.paths(thin)]
    layers += [marks.path([(one["x"], one["y"]) for one in dots], MAIN, dash="dot", width=1.2), marks.dots(dots)]
    if defined(row["slope"], row["intercept"]) and means:
        ends = [min(at for at, _ in means), max(at for at, _ in means)]
        line = [(end, float(row["intercept"]) + float(row["slope"]) * end) for end in ends]
        layers.append(marks.path(line, OTHER))
    return Drawing(layers, x, y or Axis(say("axis.drop")), **size)


def dose_panels(points: pd.DataFrame, rows: pd.DataFrame) -> dict[str, Any]:
    """`dose` of every kind.

    Args:
        points: One row per pair: kind, object, dose, drop.
        rows: Table `dose_response`.
    """
    if rows.empty:
        return nothing_to_draw(f"no kind has {FEWEST_MAGNITUDES} magnitudes").specification()
    made = []
    for row in rows.to_dict("records"):
        of_kind = points[points["kind"] == row["kind"]]
        means = [(float(at), finite(drop)) for at, drop in of_kind.groupby("dose")["drop"].mean().items()]
        explained = "R² undefined" if pd.isna(row["r2"]) else f"R² {row['r2']:.2f}"
        size: dict[str, Any] = {"title": f"{row['kind']}: {explained}", "width_px": 190, "height_px": 150}
        made.append(dose(of_kind, means, row, Axis(row["dose_unit"]), **size))
    title = f"{of_setting(rows)}drop against dose (mean in blue, line within items in orange)"
    return panels(made, across=PANELS_ACROSS, title=title)
