"""Dose-response: whether more of an alteration costs more, one small chart a kind."""

from typing import Any

import pandas as pd

from reports.fidelity.contents import Contents, say
from reports.fidelity.plots.golden import dose
from reports.fidelity.sensitivity import kind_in_words
from reports.shared.charts import Chart
from reports.shared.drawing import Axis
from reports.shared.numbers import interval, is_number, number, p_value, plain_number, whole
from reports.shared.table_view import Head, TableView
from reports.shared.text import Part, Text, joined


def dose_charts(contents: Contents) -> list[Chart]:
    """One chart per kind of alteration: mean drop at each dose, and the line within items."""
    frame = contents.tables["dose_response"]
    return [_chart(contents, row) for row in frame.to_dict("records")]


def _chart(contents: Contents, row: dict[Any, Any]) -> Chart:
    kind = str(row["kind"])
    seen = contents.tables["sensitivity"]
    of_kind = seen[(seen["kind"] == kind) & seen["alteration"].isin(list(contents.doses))]
    doses = [contents.doses[name] for name in of_kind["alteration"]]
    rises = bool((of_kind["expected"] == "better").any())
    drops = [float(-drop if rises else drop) if is_number(drop) else None for drop in of_kind["mean_drop"]]
    return Chart(
        f"dose-{kind}",
        kind_in_words(kind),
        _reading(contents, row),
        None,
        drawing=dose(
            contents.drops[contents.drops["kind"] == kind],
            list(zip(doses, drops, strict=True)),
            row,
            Axis(_dose_axis(str(row["dose_unit"])), zero=True),
            Axis(say("axis.rise" if rises else "axis.drop")),
            height_px=250,
            width_px=330,
        ),
        empty=None if any(drop is not None for drop in drops) else say("chart.nothing"),
    )


def _reading(contents: Contents, row: dict[Any, Any]) -> Text:
    reading = contents.dose_readings[str(row["kind"])]
    return say(f"dose.{reading}", r2=number(row["r2"], 2), p=p_value(row["page_p"]))


def dose_table(contents: Contents) -> TableView | None:
    """R squared, slope and Page's trend of every kind."""
    frame = contents.tables["dose_response"]
    if frame.empty:
        return None
    heads = [
        Head(say("head.kind"), numeric=False),
        Head(say("head.dose"), numeric=False),
        Head(say("head.magnitudes")),
        Head(say("head.items")),
        Head(say("statistic.r2"), term="dose_response"),
        Head(say("statistic.slope"), term="dose_response"),
        Head(say("head.interval")),
        Head(say("statistic.page_l"), term="page"),
        Head(say("statistic.page_p"), term="page"),
        Head(say("head.points"), numeric=False, wide=True),
    ]
    rows: list[list[Part]] = []
    for row in frame.to_dict("records"):
        rows.append(
            [
                kind_in_words(str(row["kind"])),
                _dose_axis(str(row["dose_unit"])),
                whole(row["n_magnitudes"]),
                joined([whole(row["n_line"]), "/", whole(row["n_total"])], ""),
                number(row["r2"]),
                number(row["slope"], 4),
                interval(row["slope_low"], row["slope_high"], 4, unreliable="unreliable" in str(row["method"])),
                plain_number(row["page_l"]),
                p_value(row["page_p"]),
                _points(contents, str(row["kind"])),
            ]
        )
    return TableView(say("dose.table"), heads, rows)


def _points(contents: Contents, kind: str) -> Text:
    seen: pd.DataFrame = contents.tables["sensitivity"]
    of_kind = seen[(seen["kind"] == kind) & seen["alteration"].isin(list(contents.doses))]
    pairs = zip(of_kind["alteration"], of_kind["mean_drop"], strict=True)
    return joined([joined([plain_number(contents.doses[name]), number(drop)], ": ") for name, drop in pairs], "; ")


def _dose_axis(unit: str) -> Text:
    """The dose's unit in words."""
    for known in ("opacity", "degrees", "factor - 1", "1 - factor", "px at 512", "share"):
        if unit == known:
            return say(f"dose.unit.{known.replace(' ', '_')}")
    return joined([unit])
