"""The charts on which decisions rest: how far behind the best each setting is, and the anchor over time."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pandas as pd

from reports.shared import marks
from reports.shared.colours import BEST, INK, LIMIT, MAIN, NEUTRAL, OTHER, PAPER
from reports.shared.drawing import Axis, Drawing, nothing_to_draw, panels, rows_axis, rows_height
from reports.shared.marks import Entry, Interval, Layer, finite, line_at
from reports.shared.words import short

WORDS_SHOWN: Final = 92
MOST_LABELS: Final = 7
NO_AXIS: Final[dict[str, Any]] = {"labels": False, "ticks": False}
DAY_MS: Final = 86_400_000


def recommendation(recommended: pd.DataFrame) -> Drawing:
    """Score behind the best with simultaneous intervals; a setting that misses a condition says which."""
    if recommended.empty:
        return nothing_to_draw("no setting was run yet")
    rows = recommended.to_dict("records")
    points = [Interval(row["behind_best"], row["behind_best_low"], row["behind_best_high"]) for row in rows]
    colors = [BEST if row["recommended"] else MAIN for row in rows]
    shown = marks.row_layers(points, [_name(row) for row in rows], colors, whisker=None)
    # What is missed is written where the value would be.
    missed = [
        {"y": place, "label": short("" if pd.isna(row["failed"]) else row["failed"], WORDS_SHOWN)}
        for place, (row, one) in enumerate(zip(rows, points, strict=True))
        if finite(one.value) is None
    ]
    drawn = len(missed) < len(rows)
    zero = [line_at(0, vertical=True, color=INK, dash="solid")] if drawn else []
    label = "score behind the best, with simultaneous intervals; one that reaches 0: as good as the best"
    look: dict[str, Any] = {"size": 10, "x": 8, "align": "left", "baseline": "middle"}
    # A ground of its own, or the line at 0 strikes the words through.
    ground = marks.labels(missed, color=PAPER, stroke=PAPER, strokeWidth=4, **look)
    words = marks.labels(missed, color=NEUTRAL, **look)
    x = Axis(label) if drawn else Axis(label, (0, 1), grid=False, more=NO_AXIS)
    names = rows_axis([_name(row) for row in rows])
    return Drawing(
        [*zero, *shown, ground, words], x, names, rows_height(len(rows)) + 20, _title(recommended), width_px=860
    )


def _name(row: dict[Any, Any]) -> str:
    mark = "recommended: " if row["recommended"] else "nearest: " if row["nearest"] else ""
    return f"{mark}{row['setting']}{' (baseline)' if row['baseline'] else ''}"


def _title(rows: pd.DataFrame) -> str:
    passing, tried = int(rows["passes"].astype(bool).sum()), int(rows["n_settings_tried"].max())
    conditions = "the four conditions (ICC, JSON validity, Spearman, MAD)"
    return f"{passing} of {tried} settings keep {conditions}" if passing else f"No setting keeps {conditions}"


def drift(frame: pd.DataFrame, shift_limit: float, icc_threshold: float) -> dict[str, Any]:
    """Shift of the anchor's mean with interval above, ICC(A,1) of then and now below, both over days.

    Occasions on which something about the judge, prompt or images had changed are orange and square.
    """
    size: dict[str, Any] = {"width_px": 480, "height_px": 170}
    days = [_when(occasion) for occasion in frame["occasion"]]
    pinned = str(frame["pinned"].iloc[-1])
    same = frame[["same_identity", "same_models", "same_material"]].astype(bool).all(axis=1).tolist()
    shifts, entries = _series(days, frame, "shift", same)
    start = {"x": _when(pinned), "y": 0.0, "fill": NEUTRAL, "stroke": NEUTRAL, "shape": "diamond"}
    shifts += [line_at(0, vertical=False, color=NEUTRAL, dash="solid")]
    shifts += [line_at(place, vertical=False) for place in (-shift_limit, shift_limit)]
    shifts.append(marks.dots([start], hover=None))
    entries.append(Entry(f"pinned {pinned}", NEUTRAL, "diamond"))
    entries.append(Entry(f"limit ±{shift_limit:g}", LIMIT, "stroke", dash="dash"))
    x = _days_axis(days)
    title = f"Anchor of {frame['n_pinned'].iloc[-1]} objects over time"
    above = Drawing(
        [*shifts, marks.legend(entries, side="right")], x, Axis("shift of the mean (0-1)"), title=title, **size
    )
    if len(frame) == 1:
        return panels([above, nothing_to_draw("nothing to compare with the pinned occasion yet", **size)])
    icc, of_icc = _series(days, frame, "icc", same)
    icc.append(line_at(icc_threshold, vertical=False))
    of_icc.append(Entry(f"needed {icc_threshold:g}", LIMIT, "stroke", dash="dash"))
    lowest = frame[["icc", "icc_low"]].min().min()
    bottom = min(icc_threshold, 1.0 if pd.isna(lowest) else float(lowest)) - 0.05
    y = Axis("ICC(A,1) then and now", (bottom, 1.02))
    return panels([above, Drawing([*icc, marks.legend(of_icc, side="right")], x, y, **size)])


def _days_axis(days: list[float]) -> Axis:
    shown = days[:: -(-len(days) // MOST_LABELS)]
    names = [str(datetime.fromtimestamp(day / 1000, tz=UTC).date()) for day in shown]
    room = max(0.04 * (max(days) - min(days)), DAY_MS)
    more = {"labelAngle": -20, "labelAlign": "right"}
    return Axis("", (min(days) - room, max(days) + room), shown, names, more=more)


def _when(occasion: str) -> float:
    """The day, in milliseconds; a later judge of the same day is drawn a few hours next to it."""
    day, _, which = occasion.partition(", judge ")
    moment = datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(hours=6 * (int(which) - 1 if which else 0))
    return moment.timestamp() * 1000


def _series(days: list[float], frame: pd.DataFrame, column: str, same: list[bool]) -> tuple[list[Layer], list[Entry]]:
    """Points with intervals; an undefined one leaves a gap."""
    rows = [
        {
            "x": day,
            "y": finite(row[column]),
            "low": finite(row[f"{column}_low"]),
            "high": finite(row[f"{column}_high"]),
            "fill": MAIN if alike else OTHER,
            "stroke": MAIN if alike else OTHER,
            "shape": "circle" if alike else "square",
        }
        for day, row, alike in zip(days, frame.to_dict("records"), same, strict=True)
    ]
    known = [row for row in rows if row["y"] is not None]
    entries = [
        Entry(label, color, shape)
        for label, color, shape in (("same judge", MAIN, "circle"), ("judge or material changed", OTHER, "square"))
        if any(row["fill"] == color for row in known)
    ]
    line = marks.path([(row["x"], row["y"]) for row in rows], NEUTRAL, width=0.8)
    return [line, marks.whiskers(known, along="y"), marks.dots(known, hover=None)], entries
