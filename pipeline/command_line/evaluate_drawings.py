"""The pictures of `touchstone evaluate`."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from analysis.resampling.bootstrap import Resampling
from assets.evaluation.logic.groups import Breakdown
from assets.evaluation.logic.outputs import curve_of, note_of
from assets.evaluation.logic.results import Metric
from assets.evaluation.logic.rows import confusion_rows, confusions_of, correlation_rows, sides_of
from pipeline.command_line.evaluate_output import Picture
from reports.evaluation.plots.evaluation import confusion
from reports.evaluation.plots.evaluation import forest as forest_plot
from reports.evaluation.plots.scatter import scatter as scatter_plot
from resources.tables.declare import Table
from resources.tables.evaluation import CATEGORY_BREAKDOWN, CORRELATION, MCQ_CONFUSION

WRITTEN_ON = ("srcc", "plcc")


def scatter(
    one: Metric, rows: Sequence[dict[str, Any]], resampling: Resampling, color_by: str | None, several: bool
) -> Picture:
    """Prediction against truth; SRCC and PLCC are computed where the result lacks them."""
    there = {row["statistic"] for row in rows}
    missing = tuple(name for name in WRITTEN_ON if name not in there)
    further = correlation_rows(one.samples, one.dataset, resampling, missing) if missing else []
    note = note_of(_frame(CORRELATION, [*rows, *further]))
    sides = sides_of(one.samples, one.dataset)
    groups = None if color_by is None else one.samples[f"field.{color_by}"]
    curve = curve_of(sides, one.dataset)

    made = scatter_plot(
        sides.prediction,
        sides.truth,
        title=one.read.name,
        x_label=one.name + ("" if one.dataset.higher_is_better else " (lower is better)"),
        y_label=one.read.truth_field,
        note=note,
        curve=curve,
        identity=one.dataset.same_scale,
        groups=groups,
    )
    return Picture(one.name if several else "", made.specification())


def confusions(answers: Metric) -> list[Picture]:
    """A matrix for each set of options."""
    found = confusions_of(answers.samples)
    frames = [_frame(MCQ_CONFUSION, confusion_rows([one])) for one in found]
    endings = ["" if len(found) == 1 else "-".join(one.options)[:40] for one in found]
    return [Picture(ending, confusion(frame).specification()) for ending, frame in zip(endings, frames, strict=True)]


def forest(found: Breakdown) -> Picture:
    """Every group with its interval."""
    rows = _frame(CATEGORY_BREAKDOWN, [group.row for group in found.groups])
    return Picture("", forest_plot(rows))


def _frame(table: Table, rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=[column.name for column in table.columns])
