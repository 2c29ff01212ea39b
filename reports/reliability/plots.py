"""The charts of study D: kappa over validations, kappa query by query, and how far the judges' scores lie apart."""

import itertools
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.contingency import CONTINGENCY, PASSED, RESOLVED
from analysis.ties import snap
from reports.reliability.contents import bounds_of, say, when
from reports.shared import marks
from reports.shared.colours import BAR, INK, LIMIT, MAIN, PALE, PAPER
from reports.shared.drawing import COUNTS, Axis, Drawing, nothing_to_draw, panels
from reports.shared.marks import Entry, Layer, finite, line_at, note_at_line, words
from reports.shared.numbers import number, plain_number, whole
from reports.shared.table_view import records
from reports.shared.text import Part, Text, joined

# Which mark a validation's status has: its shape, and whether it is hollow.
MARKS: Final = {PASSED: ("circle", False), CONTINGENCY: ("circle", True), RESOLVED: ("diamond", False)}
SERIES: Final = (("kappa_macro", MAIN, "solid", -0.03), ("kappa_micro", INK, "dot", 0.03))
EDGES: Final = np.round(np.linspace(-1.0, 1.0, 21), 12)
APART_EDGES: Final = np.round(np.linspace(-1.0, 1.0, 41), 12)
# Next to the scale, where kappa has no place.
UNDEFINED_AT: Final = 1.15
WIDTH: Final = 0.092  # of a bar, in kappa
# Pale, so that the line of the shift shows on it.
MOST_TICKS: Final = 12
MOST_NAMED: Final = 40
# Of many judges there are many pairs.
MOST_PANELS: Final = 6
PANEL: Final = {"height_px": 190, "width_px": 560}


def kappa_history(history: pd.DataFrame, min_macro: float, min_micro: float) -> Drawing:
    """Both kappas of every validation with intervals, what they have to reach, and what each led to."""
    rows = records(history)
    if not rows:
        return nothing_to_draw(say("chart.no_validation"))
    limits = {min_micro: ("needed_micro", "dot"), min_macro: ("needed", "dash")}
    layers: list[Layer] = []
    for limit, (key, dash) in limits.items():
        layers.append(line_at(limit, vertical=False, dash=dash))
        layers.append(note_at_line(say(f"chart.{key}", limit=plain_number(limit)), limit, vertical=False))
    for series in SERIES:
        layers += _kappas_over_time(rows, *series)
    entries = [Entry(say(f"statistic.{name}"), color, "stroke", dash=dash) for name, color, dash, _ in SERIES]
    led_to = {row["status"] for row in rows}
    entries += [Entry(say(f"status.{status}"), INK, *mark) for status, mark in MARKS.items() if status in led_to]
    numbers = range(1, len(rows) + 1)
    x = Axis(say("axis.validation"), (0.5, len(rows) + 0.5), ticks=numbers[:: -(-len(rows) // MOST_TICKS)], grid=False)
    lowest = _lowest(history, min(min_macro, min_micro))
    return Drawing([*layers, marks.legend(entries)], x, Axis(say("axis.kappa"), (lowest, 1.04)), 380)


def _kappas_over_time(rows: Sequence[dict[str, Any]], name: str, color: str, dash: str, shift: float) -> list[Layer]:
    """Next to the other kappa, so that neither interval hides the other."""
    points = []
    for place, row in enumerate(rows, start=1):
        shape, hollow = MARKS[row["status"]]
        said = [say(f"statistic.{name}"), number(row[name]), bounds_of(row, name), say(f"status.{row['status']}")]
        points.append(
            {
                "x": place + shift,
                **{key: finite(row[of]) for key, of in (("y", name), ("low", f"{name}_low"), ("high", f"{name}_high"))},
                "fill": PAPER if hollow else color,
                "stroke": color,
                "shape": shape,
                "hover": words(joined([*said, when(row["timestamp"])], " ")),
            }
        )
    bars = PALE if len(rows) > MOST_NAMED else color
    return [
        marks.whiskers([point | {"stroke": bars} for point in points], along="y", width=1.1),
        marks.path([(point["x"], point["y"]) for point in points], color, dash=dash),
        marks.dots([point for point in points if point["y"] is not None], size=80),
    ]


def _lowest(history: pd.DataFrame, limit: float) -> float:
    """Where the axis begins: at 0, lower where a bound is."""
    found = history[["kappa_macro", "kappa_micro", "kappa_macro_low", "kappa_micro_low"]].min().min()
    return min([0.0, limit, *([] if pd.isna(found) else [float(found)])]) - 0.04


def kappas_by_query(rows: pd.DataFrame, low_kappa: float, **panel: Any) -> Drawing:
    """Queries of one pair of judges by their kappa, low ones marked, those without a kappa next to the scale."""
    counts, one_label = counts_by_kappa(rows)
    if not one_label and not any(found.any() for found in counts.values()):
        return nothing_to_draw(say("chart.no_query"), **panel)
    low, others = counts["low"], counts["not_low"]
    edges = EDGES.tolist()
    bars = marks.columns(marks.Bins(edges, low.tolist(), _queries_between(low)), LIMIT)
    bars += marks.columns(marks.Bins(edges, others.tolist(), _queries_between(others), low.tolist()), MAIN)
    entries = [Entry(say("legend.low"), LIMIT, "square"), Entry(say("legend.not_low"), MAIN, "square")]
    ticks, names = [-1.0, -0.5, 0.0, 0.5, 1.0], [plain_number(one) for one in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    scale: list[Part] = [*names]
    if one_label:
        edges = [UNDEFINED_AT - WIDTH / 2, UNDEFINED_AT + WIDTH / 2]
        of_one = marks.Bins(edges, [one_label], [say("hover.one_label", n=whole(one_label))])
        bars += marks.columns(of_one, PALE, share=1)
        entries.append(Entry(say("legend.one_label"), PALE, "square"))
        ticks.append(UNDEFINED_AT)
        scale.append("0/0")
    note = note_at_line(say("chart.low_below", limit=plain_number(low_kappa)), low_kappa, vertical=True, anchor="right")
    ends = (-1.04, UNDEFINED_AT + 0.1 if one_label else 1.04)
    return Drawing(
        [marks.boxes(bars), line_at(low_kappa, vertical=True), note, marks.legend(entries)],
        Axis(say("axis.query_kappa"), ends, ticks=ticks, names=scale, grid=False),
        Axis(say("axis.queries"), **COUNTS),
        **panel,
    )


def kappa_panels(query_kappa: pd.DataFrame, low_kappa: float) -> dict[str, Any]:
    """`kappas_by_query` of each pair of judges."""
    pairs = list(query_kappa.groupby(["judge_1", "judge_2"], sort=False))[:MOST_PANELS]
    titled = [
        kappas_by_query(rows, low_kappa, title=f"{_short(one)} and {_short(other)}", **PANEL)
        for (one, other), rows in pairs
    ]
    return panels(titled or [nothing_to_draw(say("chart.no_query"))])


def counts_by_kappa(rows: pd.DataFrame) -> tuple[dict[str, NDArray[np.int64]], int]:
    """How many queries, low ones and others, are in each bin of `EDGES`, and how many have one label throughout."""
    values = rows["kappa"].to_numpy(dtype=np.float64)
    defined, low = np.isfinite(values), rows["is_low"].to_numpy(dtype=bool)
    one_label = int((~defined & (rows["n_both"].to_numpy(dtype=np.int64) > 0)).sum())
    return {name: bins(values[defined & of], EDGES) for name, of in (("low", low), ("not_low", ~low))}, one_label


def bins(values: ArrayLike, edges: NDArray[np.float64]) -> NDArray[np.int64]:
    """How many values lie in each bin: a value on an edge counts above it, 1 in the last."""
    place = np.searchsorted(edges, snap(np.asarray(values, dtype=np.float64), edges, 1.0), side="right") - 1
    return np.bincount(np.minimum(place, len(edges) - 2), minlength=len(edges) - 1)


def between(edges: Sequence[float], decimals: int) -> list[Text]:
    """What each bin holds, from where to where."""
    return [
        joined([number(low, decimals), number(high, decimals)], "\u2009\u2013\u2009")
        for low, high in itertools.pairwise(edges)
    ]


def _queries_between(counts: NDArray[np.int64]) -> list[Text]:
    labels = between(EDGES.tolist(), 1)
    return [say("hover.queries", n=whole(int(n)), between=label) for n, label in zip(counts, labels, strict=True)]


def differences(found: marks.Bins, shift: float | None, *, x: Axis, y: Axis, **panel: Any) -> Drawing:
    """How far two judges' scores lie apart, with lines at 0 and at the shift, where there is one."""
    layers = [marks.boxes(marks.columns(found, BAR))]
    layers.append(line_at(0.0, vertical=True, color=INK, dash="solid"))
    if shift is not None:
        side = "left" if shift >= 0 else "right"
        layers.append(line_at(shift, vertical=True))
        layers.append(note_at_line(say("chart.shift", shift=number(shift)), shift, vertical=True, anchor=side))
    return Drawing(layers, x, y, **panel)


def difference_panels(apart: Mapping[tuple[str, str], NDArray[np.float64]], bias: pd.DataFrame) -> dict[str, Any]:
    """The documents by score of judge 1 - judge 2, one panel per pair, with the shift of the same documents.

    Args:
        apart: By pair of judges, shape ``(n_documents,)``.
        bias: Table `bias_test`.
    """
    shifts = bias[bias["test"] == "pooled"].set_index(["judge_1", "judge_2"])["shift"]
    labels = between(APART_EDGES.tolist(), 2)
    made = []
    for pair, values in list(apart.items())[:MOST_PANELS]:
        counts = bins(values, APART_EDGES).tolist()
        hover = [joined([label, whole(n)], ": ") for label, n in zip(labels, counts, strict=True)]
        made.append(
            differences(
                marks.Bins(APART_EDGES.tolist(), counts, hover),
                finite(shifts.get(pair)),
                x=Axis("difference of the scores (0-1)", (-1.0, 1.0), grid=False),
                y=Axis("documents", **COUNTS),
                title=" - ".join(map(_short, pair)),
                **PANEL,
            )
        )
    return panels(made or [nothing_to_draw("no two judges scored the same documents")])


def _short(judge: Hashable) -> str:
    name = str(judge)
    return name if len(name) <= 30 else f"{name[:29]}…"
