"""Whether one judge scores higher: both tests with the shift, the queries' differences, and advice on thresholds."""

from typing import Any, Final

import numpy as np

from analysis.ties import compare
from reports.reliability.contents import Contents, level, say
from reports.reliability.plots import between, differences
from reports.shared.charts import Chart
from reports.shared.drawing import COUNTS, Axis
from reports.shared.marks import Bins, finite
from reports.shared.numbers import interval, is_number, is_unreliable, number, p_value, plain_number, whole
from reports.shared.phrases import phrase
from reports.shared.table_view import Head, TableView, records
from reports.shared.text import Part, Text, joined, lines

DECIDES: Final = "query_medians"
HEIGHT_PX: Final = 320
# Bins are 0.05 wide, centred on multiples of it.
BIN: Final = 0.05


def said_of_bias(contents: Contents) -> list[Text]:
    """Of each pair of judges whether one scores higher, and what to do with its threshold."""
    said = []
    advice = {(row["judge_1"], row["judge_2"]): row for row in records(contents.tables["threshold_advice"])}
    for row in records(contents.tables["bias_test"]):
        if row["test"] != DECIDES:
            continue
        pair = (row["judge_1"], row["judge_2"])
        said.append(_bias(contents, row))
        if pair in advice:
            said.append(_advice(advice[pair], biased=bool(row["biased"])))
    return said


def bias_table(contents: Contents) -> TableView | None:
    """Both tests of each pair, the deciding one emphasised; none without a test."""
    rows = records(contents.tables["bias_test"])
    if not rows:
        return None
    several = len(contents.pairs) > 1
    heads = [
        *([Head(say("head.judges"), numeric=False)] if several else []),
        Head(say("head.test"), numeric=False, term="bias_test"),
        Head(say("head.p")),
        Head(say("head.shift"), term="shift", note=say("head.interval", level=level(contents))),
        Head(say("head.medians")),
        Head(say("head.n_differences"), note=say("head.n_zero")),
        Head(say("head.how"), numeric=False, wide=True),
    ]
    cells: list[list[Part]] = [
        [
            *([contents.named((row["judge_1"], row["judge_2"]))] if several else []),
            say(f"test.{row['test']}"),
            p_value(row["p"]),
            lines([number(row["shift"]), _bounds(row)]),
            number(row["difference_of_medians"]),
            joined([whole(row["n"]), joined(["(", whole(row["n_zero"]), ")"], "")], " "),
            phrase(row["method"]),
        ]
        for row in rows
    ]
    decide = frozenset(place for place, row in enumerate(rows) if row["test"] == DECIDES)
    return TableView(say("bias.table"), heads, cells, decide, stacks=True)


def differences_chart(contents: Contents) -> Chart:
    """The queries by their median difference of the deciding pair, with 0 and the shift as lines."""
    values = np.asarray(contents.differences, dtype=np.float64)
    # The last digits of a division decide no bin.
    places = np.floor(np.round(values / BIN + 0.5, 12)).astype(np.int64)
    first = min(int(places.min(initial=0)), -4)
    counts = np.bincount(places - first, minlength=max(int(places.max(initial=0)), 4) - first + 1)
    edges = [round(float((first + place - 0.5) * BIN), 10) for place in range(len(counts) + 1)]
    one, other = contents.pair or ("", "")
    labels = between(edges, 3)
    heads = [Head(say("head.difference"), numeric=False, term="shift"), Head(say("head.queries"))]
    cells: list[list[Part]] = [[label, whole(int(n))] for label, n in zip(labels, counts, strict=True)]
    rows = [row for row in records(contents.of_pair("bias_test", contents.pair)) if row["test"] == DECIDES]
    hover = [say("hover.queries", n=whole(int(n)), between=label) for n, label in zip(counts, labels, strict=True)]
    return Chart(
        "differences",
        say("chart.differences.title"),
        say("chart.differences.reading", one=one, other=other),
        TableView(say("chart.differences.table"), heads, cells),
        drawing=differences(
            Bins(edges, counts.tolist(), hover),
            finite(rows[0]["shift"]) if rows else None,
            x=Axis(say("axis.difference", one=one, other=other), (edges[0], edges[-1]), grid=False),
            y=Axis(say("axis.queries"), **COUNTS),
            height_px=HEIGHT_PX,
        ),
        empty=None if values.size else say("chart.no_query"),
    )


def _bias(contents: Contents, row: dict[str, Any]) -> Text:
    names = {"judges": contents.named((row["judge_1"], row["judge_2"]))}
    if row["p"] is None:
        return say("bias.untested", why=phrase(row["undefined"]), **names)
    numbers = {
        "p": p_value(row["p"]),
        "shift": number(row["shift"]),
        "bounds": _bounds(row),
        "n": whole(row["n"]),
    }
    if not row["biased"]:
        one_other = {"one": str(row["judge_1"]), "other": str(row["judge_2"])}
        return say("bias.neither", **names, **one_other, **numbers)
    first = row["higher_judge"] == row["judge_1"]
    lower, by = (row["judge_2"], row["shift"]) if first else (row["judge_1"], -row["shift"])
    named = {"higher": str(row["higher_judge"]), "lower": str(lower)}
    turned = numbers | {"shift": number(by), "bounds": _bounds(row, turned=not first)}
    # The test can call a bias where the median difference is 0, or not to that side.
    return say("bias.higher" if by > 0 else "bias.higher_where", **named, **turned)


def _bounds(row: dict[str, Any], *, turned: bool = False) -> Text:
    """The interval of the shift, `turned` where it is given as that of judge 2 - judge 1."""
    few = is_unreliable(row["interval_method"])
    low, high = row["shift_low"], row["shift_high"]
    if turned and is_number(low) and is_number(high):
        low, high = -high, -low
    return interval(low, high, unreliable=few)


def _advice(row: dict[str, Any], *, biased: bool) -> Text:
    judge, now, advised = row["higher_judge"], row["threshold_now"], row["threshold_advised"]
    kappas = {"before": number(row["kappa_now"]), "after": number(row["kappa_advised"]), "n": whole(row["n_queries"])}
    if advised is not None:
        key = "advice.set" if biased else "advice.not_due"
        return say(key, judge=str(judge), now=plain_number(now), advised=plain_number(advised), **kappas)
    if judge is None:
        return say("advice.neither")
    if row["kappa_now"] is None or row["kappa_advised"] is None:
        return say("advice.no_half", n=whole(row["n_queries"])) if row["n_queries"] > 1 else say("advice.one_query")
    if compare(row["kappa_advised"], row["kappa_now"], 1.0) > 0:
        return say("advice.in_force", judge=str(judge), now=plain_number(now))
    return say("advice.no_help", judge=str(judge), **kappas)
