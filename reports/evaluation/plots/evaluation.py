"""The plots of study C next to the scatter: confused options, groups and data sets with their intervals."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from reports.evaluation.plots.scatter import floats
from reports.shared import marks
from reports.shared.colours import BEST, INK, LIMIT, MAIN, NEUTRAL, OTHER, PALE, PAPER
from reports.shared.drawing import Axis, Drawing, nothing_to_draw, panels, rows_axis
from reports.shared.marks import Entry, Layer, finite, share_colors
from reports.shared.words import natural, short

WHOLE = "(all)"
BETWEEN = " / "
MOST_ROWS = 60
# Smaller letters are not read; a matrix with so many options shows its colours only.
SMALLEST_LETTERS_PX: Final = 6.0
MATRIX_PX: Final = (520, 340)
MEANS: Final = ("(mean)", "(size-weighted mean)")
STATISTICS: Final = {
    "srcc": ("SRCC", MAIN, "circle"),
    "plcc": ("PLCC", OTHER, "square"),
    "krcc": ("KRCC", NEUTRAL, "triangle-up"),
    "accuracy": ("accuracy", MAIN, "circle"),
}
PANELS: Final = {"scores": "correlation (higher is better)", "answers": "accuracy (share of the questions)"}
ROW_PX: Final = 20
PANEL_PX: Final = 340


@dataclass(frozen=True)
class ForestRow:
    """One group: value and interval (NaN where there is none) and what is written next to them.

    `outer`: other groups of the plot lie inside it.
    """

    name: str
    label: str
    outer: bool
    value: float
    low: float
    high: float
    small: bool
    standing: str
    undefined: str

    @property
    def numbers(self) -> str:
        """Value and interval, and whether it is the best or the worst."""
        interval = f" [{self.low:.3f}, {self.high:.3f}]" if np.isfinite([self.low, self.high]).all() else ""
        return f"{self.value:.3f}{interval}{f'  {self.standing}' if self.standing else ''}"


def forest_rows(rows: pd.DataFrame) -> tuple[list[ForestRow], int]:
    """The groups from the top down, and how many are left out."""
    kept = _most_telling(rows.reset_index(drop=True))
    numbers = {name: floats(kept[name]) for name in ("value", "ci_low", "ci_high")}
    records = sorted(kept.assign(**numbers).to_dict("records"), key=lambda record: natural(record["group"]))
    innermost = max((record["level"] for record in records), default=0)
    found = [_row(records[place], name, records[place]["level"] < innermost) for place, name in _nested(records)]
    return found, len(rows) - len(kept)


def _most_telling(rows: pd.DataFrame) -> pd.DataFrame:
    """All groups, or those left when the innermost and then the smallest are dropped; extremes stay."""
    if len(rows) <= MOST_ROWS:
        return rows
    # A level is drawn whole or not at all, so that no group seems to have fewer subgroups than it has.
    drawn = [level for level in sorted(set(rows["level"])) if (rows["level"] <= level).sum() <= MOST_ROWS]
    extreme = rows["standing"].notna()
    if drawn and max(drawn) > 0:
        return rows[(rows["level"] <= max(drawn)) | extreme]
    largest = rows[rows["level"] <= 1].sort_values(["level", "n_used"], ascending=[True, False], kind="stable")
    return rows[rows.index.isin(largest.index[:MOST_ROWS]) | extreme]


def _nested(records: list[dict[Hashable, Any]]) -> list[tuple[int, str]]:
    """Place and own name of every row, each subgroup right after its group."""
    found: list[tuple[int, str]] = []
    placed: set[int] = set()

    def descend(beginning: str, level: int) -> None:
        for place, record in enumerate(records):
            inside = record["level"] == level and str(record["group"]).startswith(beginning)
            if inside and place not in placed:
                placed.add(place)
                found.append((place, str(record["group"]).removeprefix(beginning)))
                descend("" if level == 0 else f"{record['group']}{BETWEEN}", level + 1)

    for level in sorted({record["level"] for record in records}):
        descend("", level)
    return found


def _row(record: dict[Hashable, Any], own_name: str, outer: bool) -> ForestRow:
    def words(name: str) -> str:
        return "" if pd.isna(record[name]) else str(record[name])

    return ForestRow(
        str(record["group"]),
        f"{short(own_name, 32)} (n={int(record['n_used']):,})",
        outer,
        record["value"],
        record["ci_low"],
        record["ci_high"],
        bool(record["small"]),
        words("standing"),
        words("undefined"),
    )


def confusion(rows: pd.DataFrame) -> Drawing:
    """True options in rows, answers in columns: counts, shares of the row, and the most confused pairs framed.

    Raises:
        ValueError: Rows of several option sets.
    """
    if len(set(rows["options"])) > 1:
        raise ValueError("a confusion matrix has one option set; pick one by the column 'options'")
    if rows.empty:
        return nothing_to_draw("no answer to draw")
    # Tables keep the options in their order, and so do these.
    truths, answers = list(pd.unique(rows["truth"])), list(pd.unique(rows["prediction"]))
    cells = rows.assign(count=floats(rows["count"])).pivot_table(
        index="truth", columns="prediction", values="count", aggfunc="sum"
    )
    counts = cells.reindex(index=truths, columns=answers).fillna(0).to_numpy(dtype=float)
    right = sum(counts[truths.index(name), answers.index(name)] for name in truths if name in answers)
    total = int(counts.sum())
    ranked = rows[rows["rank_of_confusion"].notna()]
    frames = [
        {
            **marks.around(truths.index(cell["truth"]), answers.index(cell["prediction"]), 0.46),
            "first": int(cell["rank_of_confusion"]) == 1,
        }
        for cell in ranked.to_dict("records")
    ]
    names = [f"{short(name, 16)} (n={int(n):,})" for name, n in zip(truths, counts.sum(axis=1).tolist(), strict=True)]
    label = "answer (framed: the most confused pairs)" if frames else "answer"
    slanted = max(len(str(name)) for name in answers) > 60 / len(answers)
    columns = [short(name, 16) for name in answers]
    letters = _letters(counts.shape)
    small = {"labelFontSize": float(np.clip(letters, SMALLEST_LETTERS_PX, 12))}
    turned = {"labelAngle": -35 if slanted else 0, "labelAlign": "right" if slanted else "center", **small}
    shares = [0.0, 0.25, 0.5, 0.75, 1.0]
    entries = [
        Entry(f"{100 * share:.0f} %", color, "square")
        for share, color in zip(shares, share_colors(shares), strict=True)
    ]
    return Drawing(
        [
            *marks.matrix(counts, letters if letters >= SMALLEST_LETTERS_PX else 0),
            *(_frames([one for one in frames if one["first"] is first], first=first) for first in (True, False)),
            marks.legend(entries, side="right", title="share of this truth"),
        ],
        Axis(label, (-0.5, len(answers) - 0.5), ticks=range(len(answers)), names=columns, grid=False, more=turned),
        Axis("truth", (-0.5, len(truths) - 0.5), ticks=range(len(truths)), names=names, grid=False, more=small),
        460,
        f"{total:,} answers, {f'{100 * right / total:.1f} % right' if total else 'none to judge'}",
    )


def _letters(shape: tuple[int, ...]) -> float:
    """The size of letters, in pixels, of which a cell's words fit into it."""
    return float(min(12.0, 0.8 * MATRIX_PX[0] / shape[1] / 4, 0.7 * MATRIX_PX[1] / shape[0] / 2.2))


def _frames(places: Sequence[dict[str, Any]], *, first: bool) -> Layer:
    look = {"strokeWidth": 3.0 if first else 1.6, "strokeDash": marks.DASHES["solid" if first else "dash"]}
    return marks.boxes(places, hover=None, fill={"value": None}, stroke={"value": OTHER}, mark=look)


def forest(rows: pd.DataFrame) -> dict[str, Any]:
    """Groups with their intervals around the whole's; best and worst marked, small groups hollow.

    Args:
        rows: Rows of `category_breakdown` of one data set; each grouping gets a panel. Of more than 60 groups, the
            innermost are left out, then the smallest; the best and the worst never.
    """
    groupings = list(pd.unique(rows["grouped_by"]))
    if not groupings:
        return nothing_to_draw("no group to draw").specification()
    return panels([_grouping(grouping, rows[rows["grouped_by"] == grouping]) for grouping in groupings])


def _grouping(grouping: str, of_grouping: pd.DataFrame) -> Drawing:
    shown, left_out = forest_rows(of_grouping)
    points = [_dot(place, row) for place, row in enumerate(shown)]
    known = [one for one in points if one["x"] is not None]
    layers: list[Layer] = []
    if shown[0].name == WHOLE and known and points[0]["x"] is not None:
        layers.append(marks.line_at(points[0]["x"], vertical=True, color=NEUTRAL))
    layers += [marks.whiskers(known, along="x", width=2), marks.dots(known, hover=None)]
    layers.append(marks.at_right([{"y": one["y"], "label": one["numbers"], "color": one["stroke"]} for one in known]))
    layers.append(
        undefined_rows({place: row.undefined for place, row in enumerate(shown) if not np.isfinite(row.value)})
    )
    tested = of_grouping.loc[of_grouping["level"] == 1, "p_difference"].dropna()
    title = [f"by {short(grouping.replace(',', ', '), 50)}" if grouping else "all samples"]
    title += [f"do the groups differ? {_p(float(tested.iloc[0]))}"] if len(tested) else []
    title += [f"{left_out:,} more groups not drawn"] if left_out else []
    hollow = "; hollow: under 10 samples" if any(row.small for row in shown) else ""
    statistic = str(of_grouping["statistic"].iloc[0])
    label = f"{STATISTICS.get(statistic, (statistic,))[0]} (dashed: the whole{hollow})"
    outer = [place for place, row in enumerate(shown) if row.outer]
    bold = {"condition": {"test": f"indexof({outer}, datum.value) >= 0", "value": "bold"}, "value": "normal"}
    return Drawing(
        layers,
        Axis(label) if known else nothing_to_draw("").x,
        rows_axis([row.label for row in shown], labelFontWeight=bold),
        ROW_PX * len(shown) + 14,
        title,
        width_px=PANEL_PX,
    )


def _dot(place: int, row: ForestRow) -> dict[str, Any]:
    whole = row.name == WHOLE
    color = {"best": BEST, "worst": LIMIT}.get(row.standing, INK if whole else MAIN)
    look = {"fill": PAPER if row.small else color, "stroke": color, "shape": "diamond" if whole else "circle"}
    ends = {"x": finite(row.value), "low": finite(row.low), "high": finite(row.high)}
    return {"y": place, **ends, **look, "numbers": row.numbers}


def undefined_rows(reasons: dict[int, Any]) -> Layer:
    """Words in rows without a value, by place."""
    said = []
    for place, reason in reasons.items():
        words = "undefined" if pd.isna(reason) or not reason else f"undefined: {reason}"
        said.append({"y": place, "label": short(words, 60)})
    return marks.in_rows(said)


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def summary(rows: pd.DataFrame) -> dict[str, Any]:
    """Every data set's correlations or accuracy with intervals, the means below them."""
    kinds = [kind for kind in PANELS if (rows["kind"] == kind).any()]
    if not kinds:
        return nothing_to_draw("no data set to draw").specification()
    return panels([_of_kind(kind, rows[rows["kind"] == kind]) for kind in kinds], title="Data sets side by side")


def _of_kind(kind: str, part: pd.DataFrame) -> Drawing:
    seen = list(pd.unique(part["dataset"]))
    names = [name for name in seen if name not in MEANS] + [name for name in MEANS if name in seen]
    statistics = [name for name in STATISTICS if (part["statistic"] == name).any()]
    layers: list[Layer] = []
    n_means = sum(name in MEANS for name in names)
    if 0 < n_means < len(names):
        layers.append(marks.line_at(len(names) - n_means - 0.5, vertical=False, color=PALE, dash="solid"))
    for number, statistic in enumerate(statistics):
        offset = 0.24 * (number - len(statistics) / 2 + 0.5)
        layers += _statistic(part[part["statistic"] == statistic], names, offset)
    nowhere = {
        place: part.loc[part["dataset"] == name, "undefined"].iloc[0]
        for place, name in enumerate(names)
        if part.loc[part["dataset"] == name, "value"].isna().all()
    }
    layers.append(undefined_rows(nowhere))
    if len(statistics) > 1:
        layers.append(marks.legend([Entry(*STATISTICS[name]) for name in statistics], side="right"))
    counts = part.groupby("dataset")["n_used"].max()
    labels = [f"{short(name, 32)} (n={int(counts[name]):,})" for name in names]
    x = nothing_to_draw("").x if part["value"].isna().all() else Axis(PANELS[kind])
    return Drawing(layers, x, rows_axis(labels), (ROW_PX + 4) * len(names) + 14, width_px=PANEL_PX)


def _statistic(rows: pd.DataFrame, names: list[str], offset: float) -> list[Layer]:
    _, color, shape = STATISTICS[str(rows["statistic"].iloc[0])]
    points = [
        {
            "x": finite(row["value"]),
            "y": names.index(row["dataset"]) + offset,
            "low": finite(row["ci_low"]),
            "high": finite(row["ci_high"]),
            "fill": color,
            "stroke": color,
            "shape": "diamond" if row["dataset"] in MEANS else shape,
        }
        for row in rows.to_dict("records")
        if finite(row["value"]) is not None
    ]
    return [marks.whiskers(points, along="x"), marks.dots(points, hover=None, size=46)]
