"""Sub-scores under the golden set: which of them each kind of alteration moves, and whether it is its own."""

from typing import Any

import pandas as pd

from reports.fidelity.contents import Contents, say
from reports.fidelity.plots.golden import subscore
from reports.fidelity.sensitivity import kind_in_words
from reports.shared.charts import Chart
from reports.shared.numbers import interval, number, whole
from reports.shared.table_view import Head, TableView
from reports.shared.text import Part, Text, joined, same
from resources.tables.call_states import SUBSCORES


def subscore_in_words(name: str) -> Text:
    """The sub-score; one of the user's own rubric by its own name."""
    return say(f"subscore.{name}") if name in SUBSCORES else same(name)


def said_of_subscores(contents: Contents) -> list[Text]:
    """Which kinds move another sub-score as much as their own, or why nothing can be said of it."""
    frame = contents.tables["subscore_sensitivity"]
    if frame["subscore"].isna().all():
        return [say("subscores.none")]
    own = frame[frame["moves"].astype("boolean").fillna(False).astype(bool)]
    judged = own[own["moved_most"].notna()]
    missed = judged[~judged["moved_most"].astype(bool)]
    said = []
    if len(missed):
        names = [_pair(row) for row in missed.to_dict("records")]
        said.append(say("subscores.others_move", n=whole(len(missed)), names=joined(names, "; ")))
    elif len(judged):
        said.append(say("subscores.own_moves", n=whole(len(judged))))
    if len(own) > len(judged):
        said.append(say("subscores.unknown", n=whole(len(own) - len(judged))))
    return said


def _pair(row: dict[Any, Any]) -> Text:
    return joined([kind_in_words(str(row["kind"])), " (", subscore_in_words(str(row["subscore"])), ")"], "")


def subscore_charts(contents: Contents) -> list[Chart]:
    """One chart a sub-score: its mean drop under each kind, those that should move it filled."""
    frame = contents.tables["subscore_sensitivity"]
    charts = []
    for place, (name, rows) in enumerate(frame.groupby("subscore", sort=False)):
        labels = [kind_in_words(str(kind)) for kind in rows["kind"]]
        known = rows["mean_drop"].notna().any()
        title = subscore_in_words(str(name))
        drawing = subscore(rows, labels, width_px=330)
        empty = None if known else say("chart.nothing")
        charts.append(Chart(f"subscore-{place}", title, say("subscores.reading"), None, drawing=drawing, empty=empty))
    return charts


def subscore_table(contents: Contents) -> TableView | None:
    """A row for each kind, a column for each sub-score; the one that should move has an asterisk."""
    frame = contents.tables["subscore_sensitivity"]
    named = frame[frame["subscore"].notna()]
    if named.empty:
        return None
    columns = list(dict.fromkeys(named["subscore"]))
    heads = [Head(say("head.kind"), numeric=False), *(Head(subscore_in_words(name)) for name in columns)]
    rows: list[list[Part]] = []
    for kind, of_kind in named.groupby("kind", sort=False):
        cells = {row["subscore"]: _cell(row) for row in of_kind.to_dict("records")}
        rows.append(
            [kind_in_words(str(kind)), *(cells.get(name, "") for name in columns), whole(of_kind["n_items"].max())]
        )
    return TableView(say("subscores.table"), [*heads, Head(say("head.items"))], rows)


def _cell(row: dict[Any, Any]) -> Part:
    bounds = interval(row["mean_drop_low"], row["mean_drop_high"], unreliable="unreliable" in str(row["method"]))
    mark = "*" if not pd.isna(row["moves"]) and row["moves"] else ""
    return joined([joined([number(row["mean_drop"]), mark], ""), bounds], " ")
