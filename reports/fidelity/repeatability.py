"""Charts of repeatability: ICC with its interval, MAD, and what each further repeat buys."""

from typing import Any

import pandas as pd

from reports.fidelity.contents import Contents, defined, few, say
from reports.fidelity.plots.settings import convergence_of_settings
from reports.shared.charts import Chart
from reports.shared.colours import INK, MAIN, NEUTRAL
from reports.shared.drawing import Axis, Drawing, rows_axis, rows_height
from reports.shared.marks import Interval, line_at, note_at_line, row_layers
from reports.shared.numbers import interval, is_number, number, plain_number, whole
from reports.shared.phrases import phrase
from reports.shared.table_view import Head, TableView
from reports.shared.text import Part, Text, joined


def repeatability_charts(contents: Contents) -> list[Chart]:
    """In the order of the page."""
    return [icc_chart(contents), mad_chart(contents), convergence_chart(contents)]


def icc_chart(contents: Contents) -> Chart:
    """ICC(1,k) of every setting with the interval that counts: over products where objects share one."""
    rows = [contents.row("icc_by_setting", key) for key in contents.settings]
    limit = contents.plan.thresholds.icc
    points = [Interval(row["icc_1k"], *_interval_that_counts(row)) for row in rows]
    table = TableView(
        say("chart.icc.table"),
        [
            Head(say("head.setting"), numeric=False),
            Head(say("statistic.icc"), term="icc"),
            Head(say("head.by_f")),
            Head(say("head.by_product")),
            Head(say("statistic.icc_single"), term="icc_forms"),
            Head(say("head.measurement_error"), term="measurement_error"),
            Head(say("head.limit"), term="measurement_error"),
            Head(say("head.objects")),
            Head(say("head.missing")),
            Head(say("head.note"), numeric=False, wide=True),
        ],
        [[contents.named(key), *_icc_cells(row)] for key, row in zip(contents.settings, rows, strict=True)],
    )
    hover = [
        joined([key, say("hover.icc", icc=number(one.value), bounds=_bounds_that_count(row))], ": ")
        for key, one, row in zip(contents.settings, points, rows, strict=True)
    ]
    return Chart(
        "icc",
        say("chart.icc.title"),
        say("chart.icc.reading"),
        table,
        drawing=Drawing(
            [
                *row_layers(points, hover, _colors(contents), hollow=[bool(row["deterministic"]) for row in rows]),
                line_at(limit, vertical=True),
                note_at_line(say("chart.needed", limit=plain_number(limit)), limit, vertical=True, anchor="right"),
            ],
            Axis(say("statistic.icc")),
            rows_axis(contents.settings),
            rows_height(len(rows)),
        ),
        empty=_nothing([one.value for one in points]),
    )


def mad_chart(contents: Contents) -> Chart:
    """The median over objects of the MAD, with the middle half of the objects."""
    limit = contents.plan.thresholds.median_mad
    points, rows = [], []
    for key in contents.settings:
        mads = contents.of("stability", key)["mad"].dropna()
        quarters = mads.quantile([0.5, 0.25, 0.75]) if len(mads) else pd.Series([None] * 3)
        point = Interval(*quarters.tolist())
        points.append(point)
        cells = [number(point.value), number(point.low), number(point.high), number(mads.max() if len(mads) else None)]
        rows.append([contents.named(key), *cells, whole(len(mads))])
    heads = [
        Head(say("head.setting"), numeric=False),
        Head(say("statistic.mad"), term="mad"),
        *(Head(say(f"head.{name}")) for name in ("lower_quarter", "upper_quarter", "largest", "objects")),
    ]
    hover = [
        joined([key, say("hover.mad", mad=number(one.value), bounds=interval(one.low, one.high))], ": ")
        for key, one in zip(contents.settings, points, strict=True)
    ]
    return Chart(
        "mad",
        say("chart.mad.title"),
        say("chart.mad.reading"),
        TableView(say("chart.mad.table"), heads, rows),
        drawing=Drawing(
            [
                *row_layers(points, hover, _colors(contents), bars=True),
                line_at(limit, vertical=True),
                note_at_line(say("chart.at_most", limit=plain_number(limit)), limit, vertical=True),
            ],
            Axis(say("axis.mad"), zero=True),
            rows_axis(contents.settings),
            rows_height(len(rows)),
        ),
        empty=_nothing([one.value for one in points]),
    )


def convergence_chart(contents: Contents) -> Chart:
    """Median half-width against repeats: every setting thin, the one that is shown thick, the threshold dashed."""
    summary = contents.tables["convergence_summary"]
    limit = contents.plan.thresholds.ci_half_width
    curves = {key: contents.of("convergence_summary", key).sort_values("n") for key in contents.settings}
    of_settings = {key: contents.of("convergence_curves", key) for key in contents.settings}
    return Chart(
        "convergence",
        say("chart.convergence.title"),
        say("chart.convergence.reading"),
        TableView(say("chart.convergence.table"), _convergence_heads(), _convergence_rows(contents, curves)),
        drawing=convergence_of_settings(of_settings, curves, summary, limit),
        empty=_nothing(summary["median_half_width"].tolist()),
    )


def _convergence_heads() -> list[Head]:
    names = ("repeats", "objects", "mean", "median", "largest", "converged", "without_spread")
    return [Head(say("head.setting"), numeric=False), *(Head(say(f"head.{name}")) for name in names)]


def _convergence_rows(contents: Contents, curves: dict[str, pd.DataFrame]) -> list[list[Part]]:
    rows: list[list[Part]] = []
    for key, curve in curves.items():
        for row in curve.to_dict("records"):
            widths = [number(row[f"{name}_half_width"], 4) for name in ("mean", "median", "max")]
            counts = [whole(row["n_converged"]), whole(row["n_without_spread"])]
            rows.append([contents.named(key), whole(row["n"]), whole(row["n_objects"]), *widths, *counts])
    return rows


def _icc_cells(row: dict[str, Any]) -> list[Part]:
    note = say("card.by_construction") if row["deterministic"] else phrase(row["undefined"]) if row["undefined"] else ""
    return [
        number(row["icc_1k"]),
        interval(row["icc_1k_low"], row["icc_1k_high"]),
        interval(row["icc_1k_low_by_product"], row["icc_1k_high_by_product"], unreliable=few(row, "icc")),
        number(row["icc_11"]),
        number(row["standard_error_of_measurement"]),
        number(row["repeatability_limit"]),
        whole(row["n_used"]),
        whole(row["n_missing"]),
        note,
    ]


def _bounds_that_count(row: dict[str, Any]) -> Text:
    return interval(*_interval_that_counts(row), unreliable=_by_product(row) and few(row, "icc"))


def _by_product(row: dict[str, Any]) -> bool:
    return defined(row["n_products"], row["n_used"]) and bool(row["n_products"] < row["n_used"])


def _interval_that_counts(row: dict[str, Any]) -> tuple[Any, Any]:
    if _by_product(row):
        return row["icc_1k_low_by_product"], row["icc_1k_high_by_product"]
    return row["icc_1k_low"], row["icc_1k_high"]


def _colors(contents: Contents) -> list[str]:
    """The accent for the setting to look at, dark for the baseline, grey for the rest."""
    known = dict.fromkeys(contents.baselines, INK) | ({contents.focus: MAIN} if contents.focus is not None else {})
    return [known.get(key, NEUTRAL) for key in contents.settings]


def _nothing(values: list[Any]) -> Text | None:
    return None if any(is_number(value) for value in values) else say("chart.nothing")
