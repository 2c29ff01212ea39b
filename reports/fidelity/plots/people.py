"""The charts of people next to the judge: the annotator test, few labels, retried calls."""

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd

from reports.fidelity.contents import say
from reports.fidelity.plots.settings import UNIT, of_setting
from reports.shared import marks
from reports.shared.colours import INK, MAIN, NEUTRAL, OTHER
from reports.shared.drawing import Axis, Drawing, nothing_to_draw, panels, rows_axis, rows_height
from reports.shared.marks import Entry, Layer, finite, line_at, words
from reports.shared.numbers import interval, is_number, number
from reports.shared.text import joined
from reports.shared.words import short

LONGEST_NAME: Final = 24
# Estimate, colour, shape, and how far from its number of labels it is drawn, as a factor.
ESTIMATES: Final = (
    ("people_only", OTHER, "square", 0.96),
    ("prediction_powered", MAIN, "circle", 1.0),
    ("judge_only", NEUTRAL, "triangle-up", 1.04),
)


def annotators(frame: pd.DataFrame, everybody: str, needed: float) -> Drawing:
    """On how many objects the judge, and on how many each annotator, is at least as near to the others.

    Args:
        frame: Rows of `annotator_test` of one setting.
        everybody: The name of the row of the whole.
        needed: Winning rate asked for.
    """
    rows = frame[(frame["annotator"] != everybody) & frame["p"].notna()].to_dict("records")
    omega = [finite(value) for value in frame.loc[frame["annotator"] == everybody, "omega"]]
    known = omega and omega[0] is not None
    title = of_setting(frame) + (f"omega {omega[0]:.2f}, {needed:g} needed" if known else "omega undefined")
    if not rows:
        return nothing_to_draw("no annotator could be tested", title=title)
    layers: list[Layer] = []
    entries = []
    for column, color, shape, label in (
        ("share_annotator_better", OTHER, "circle", "the annotator is at least as near"),
        ("share_judge_better", MAIN, "square", "the judge is at least as near"),
    ):
        look = {"fill": color, "stroke": color, "shape": shape}
        points = [{"x": finite(row[column]), "y": place} | look for place, row in enumerate(rows)]
        layers.append(marks.dots([one for one in points if one["x"] is not None], hover=None))
        entries.append(Entry(label, color, shape))
    between = [
        {"y": place, "low": finite(row["share_judge_better"]), "high": finite(row["share_annotator_better"])}
        | {"stroke": NEUTRAL}
        for place, row in enumerate(rows)
    ]
    names = [
        f"{short(row['annotator'], LONGEST_NAME)} (n={row['n_instances']}{', won' if _won(row) else ''})"
        for row in rows
    ]
    return Drawing(
        [marks.whiskers(between, along="x", width=1), *layers, marks.legend(entries)],
        Axis("share of objects, nearness to the remaining annotators", UNIT),
        rows_axis(names),
        rows_height(len(rows)) + 60,
        title,
    )


def _won(row: dict[Any, Any]) -> bool:
    return bool(row["rejected"]) if not pd.isna(row["rejected"]) else False


def few_labels(frame: pd.DataFrame) -> Drawing:
    """The mean human score against the number of labels: with the judge, without, and by the judge alone."""
    layers = estimates(frame)
    if not layers:
        return nothing_to_draw("too few labels")
    title = f"{of_setting(frame)}the mean human score from few labels"
    return Drawing(layers, labels_axis(frame), Axis(say("axis.mean_people")), 380, title)


def labels_axis(frame: pd.DataFrame) -> Axis:
    """How many labels, those that were tried."""
    tried = sorted({int(n) for n in frame["n_labels"].dropna()})
    ends = (0.8 * tried[0], 1.25 * tried[-1]) if tried else None
    return Axis(say("axis.labels"), ends, tried, [str(n) for n in tried], log=True)


def estimates(frame: pd.DataFrame) -> list[Layer]:
    """The layers of one setting; none where nothing was estimated."""
    rows = [row for row in frame.sort_values("n_labels").to_dict("records") if is_number(row["prediction_powered"])]
    if not rows:
        return []
    layers, entries = [], []
    for name, color, shape, shift in ESTIMATES:
        label = say(f"legend.{name}")
        points = [
            {
                "x": shift * int(row["n_labels"]),
                "y": finite(row[name]),
                "low": finite(row[f"{name}_low"]),
                "high": finite(row[f"{name}_high"]),
                "fill": color,
                "stroke": color,
                "shape": shape,
                "hover": words(
                    joined([label, number(row[name]), interval(row[f"{name}_low"], row[f"{name}_high"])], " ")
                ),
            }
            for row in rows
            if is_number(row[name])
        ]
        layers += [marks.whiskers(points, along="y", width=2), marks.dots(points)]
        entries.append(Entry(label, color, shape))
    everyone = finite(rows[0]["all_labels"])
    if everyone is not None:
        layers.append(line_at(everyone, vertical=False, color=INK, dash="dot"))
        entries.append(Entry(say("legend.all_labels"), INK, "stroke", dash="dot"))
    return [*layers, marks.legend(entries)]


def retried_calls(row: pd.DataFrame) -> dict[str, Any]:
    """What retried calls score and miss next to the others, and their difference within objects."""
    size: dict[str, Any] = {"width_px": 300, "height_px": 200}
    title = of_setting(row) + (
        "retried calls"
        if row.empty
        else f"{int(row['n_retried_calls'].iloc[0])} of {int(row['n_calls'].iloc[0])} calls tried again"
    )
    if row.empty or not int(row["n_retried_calls"].iloc[0]):
        return nothing_to_draw("no call was tried again", title=title).specification()
    seen = row.iloc[0]
    bars: list[dict[str, Any]] = []
    for place, (kind, color) in enumerate((("retried", OTHER), ("others", MAIN))):
        for at, column in enumerate((f"mean_{kind}", f"mae_{kind}")):
            x = at + 0.4 * place - 0.4
            bars.append(
                {"x": x, "x2": x + 0.38, "y": 0, "y2": finite(seen[column]) or 0.0, "fill": color, "stroke": color}
            )
    entries = [Entry("retried", OTHER, "square"), Entry("others", MAIN, "square")]
    names: Sequence[str] = ["mean score", "mean abs. error against people"]
    left = Drawing(
        [marks.boxes(bars, hover=None), marks.legend(entries)],
        Axis("", (-0.6, 1.6), range(2), names, grid=False, more={"labelAngle": 0}),
        Axis("0-1", zero=True),
        **size,
    )
    value, low, high = (finite(seen[name]) for name in ("difference", "difference_low", "difference_high"))
    if value is None:
        return panels([left, nothing_to_draw("no difference within objects", **size)], across=2, title=title)
    point = {"x": value, "y": 0.5, "low": low, "high": high, "fill": MAIN, "stroke": MAIN, "shape": "circle"}
    right = Drawing(
        [marks.whiskers([point], along="x"), marks.dots([point], hover=None), line_at(0, vertical=True)],
        Axis("retried minus other repeats of the same object (0-1)"),
        Axis("", (0, 1), grid=False, more={"labels": False, "ticks": False}),
        **size,
    )
    return panels([left, right], across=2, title=title)
