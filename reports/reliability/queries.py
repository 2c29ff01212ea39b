"""Kappa query by query: how it is distributed, and what tells queries of low kappa from the rest."""

import itertools
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from analysis.agreement.judge_bias import LEVEL
from analysis.significance.holm import below_level
from analysis.ties import snap
from reports.reliability.contents import Contents, say
from reports.reliability.plots import EDGES, UNDEFINED_AT, WIDTH
from reports.shared.charts import Chart, line_at, note_at_line, words
from reports.shared.figure import BLUE, PALE, RED
from reports.shared.numbers import number, p_value, plain_number, whole
from reports.shared.phrases import phrase
from reports.shared.table_view import Head, TableView, records
from reports.shared.text import Part, Text, joined, same

HEIGHT_PX: Final = 340
PROMPT: Final = "prompt_version="
FEATURES: Final = ("query_words", "query_is_vague", "document_words", "documents")


def kappa_histogram(contents: Contents) -> Chart:
    """Queries by their kappa, low ones marked, those without a kappa next to the scale."""
    rows = contents.kappas
    values = rows["kappa"].to_numpy(dtype=np.float64)
    defined, low = np.isfinite(values), rows["is_low"].to_numpy(dtype=bool)
    one_label = int((~defined & (rows["n_both"].to_numpy(dtype=np.int64) > 0)).sum())
    counts = {name: bins(values[defined & which]) for name, which in (("low", low), ("not_low", ~low))}
    limit = contents.plan.gate.low_kappa
    return Chart(
        "kappas",
        say("chart.kappas.title"),
        say("chart.kappas.reading", judges=contents.named()),
        _histogram_table(counts, one_label),
        _bars(counts, one_label),
        {
            "barmode": "stack",
            "xaxis": _kappa_axis(has_one_label=one_label > 0),
            "yaxis": {"title": {"text": words(say("axis.queries"))}, "rangemode": "tozero"},
            "shapes": [line_at(limit, vertical=True)],
            "annotations": [
                note_at_line(say("chart.low_below", limit=plain_number(limit)), limit, vertical=True, anchor="right")
            ],
            "showlegend": True,
            "legend": {"orientation": "h", "x": 0, "y": 1.08, "yanchor": "bottom", "xanchor": "left"},
            "margin": {"l": 56, "r": 20, "t": 72, "b": 48},
        },
        HEIGHT_PX,
        empty=None if defined.any() or one_label else say("chart.no_query"),
    )


def _histogram_table(counts: Mapping[str, np.ndarray], one_label: int) -> TableView:
    """The numbers of the chart: a row for each bin, and one for the queries with one label."""
    heads = [
        Head(say("head.kappa"), numeric=False, term="kappa"),
        Head(say("legend.low"), term="low_share"),
        Head(say("legend.not_low")),
    ]
    cells: list[list[Part]] = [
        [label, whole(int(one)), whole(int(other))]
        for label, one, other in zip(_labels(), counts["low"], counts["not_low"], strict=True)
    ]
    cells.append([say("legend.one_label"), whole(0), whole(one_label)])
    return TableView(say("chart.kappas.table"), heads, cells)


def _bars(counts: Mapping[str, np.ndarray], one_label: int) -> list[dict[str, Any]]:
    """A bar for each bin, in two colours, and one for the queries with one label where there are some."""
    middles = [round(float(one), 12) for one in (EDGES[:-1] + EDGES[1:]) / 2]
    labels = _labels()
    traces = []
    for name, color in (("low", RED), ("not_low", BLUE)):
        found = [int(n) for n in counts[name]]
        hover = [say("hover.queries", n=whole(n), between=label) for n, label in zip(found, labels, strict=True)]
        traces.append(_bar(middles, found, say(f"legend.{name}"), color, hover))
    if one_label:
        hover = [say("hover.one_label", n=whole(one_label))]
        traces.append(_bar([UNDEFINED_AT], [one_label], say("legend.one_label"), PALE, hover))
    return traces


def _bar(places: list[float], counts: list[int], name: Text, color: str, hover: list[Text]) -> dict[str, Any]:
    return {
        "type": "bar",
        "x": places,
        "y": counts,
        "width": WIDTH,
        "name": words(name),
        "marker": {"color": color},
        "text": [words(one) for one in hover],
        "hoverinfo": "text",
        "textposition": "none",
    }


def _kappa_axis(*, has_one_label: bool) -> dict[str, Any]:
    """Kappa from -1 to 1, with a place next to it where queries have no kappa."""
    ticks: list[float] = [-1.0, -0.5, 0.0, 0.5, 1.0]
    names: list[Part] = [plain_number(one) for one in ticks]
    if has_one_label:
        ticks.append(UNDEFINED_AT)
        names.append("0/0")
    return {
        "title": {"text": words(say("axis.query_kappa"))},
        "tickmode": "array",
        "tickvals": ticks,
        "ticktext": [words(one) for one in names],
        "range": [-1.04, UNDEFINED_AT + 0.1 if has_one_label else 1.04],
        "showgrid": False,
    }


def bins(values: np.ndarray) -> np.ndarray:
    """How many values lie in each tenth of -1 to 1: a value on an edge counts above it, 1 in the last."""
    place = np.searchsorted(EDGES, snap(values, EDGES, 1.0), side="right") - 1
    return np.bincount(np.minimum(place, len(EDGES) - 2), minlength=len(EDGES) - 1)


def profile_table(contents: Contents) -> TableView | None:
    """Queries of low kappa against the rest, feature by feature; none where there is nothing to compare."""
    rows = records(contents.tables["low_kappa_profile"])
    if not rows:
        return None
    heads = [
        Head(say("head.feature"), numeric=False, term="profile"),
        Head(say("head.measure"), numeric=False),
        Head(say("head.low")),
        Head(say("head.rest")),
        Head(say("head.difference")),
        Head(same("p")),
        Head(say("head.p_holm")),
        Head(say("head.n_low"), note=say("head.n_rest")),
        Head(say("head.note"), numeric=False),
    ]
    cells: list[list[Part]] = [
        [
            feature_name(row["feature"]),
            say(f"measure.{row['measure']}"),
            number(row["low_kappa"], 2),
            number(row["rest"], 2),
            number(row["difference"], 2),
            p_value(row["p"]),
            p_value(row["p_holm"]),
            joined([whole(row["n_low_kappa"]), joined(["(", whole(row["n_rest"]), ")"], "")], " "),
            phrase(row["undefined"]) if row["undefined"] else "",
        ]
        for row in rows
    ]
    caption = joined([say("profile.of_pair", judges=contents.named()), say("profile.table")], " ")
    return TableView(caption, heads, cells)


def said_of_profile(contents: Contents) -> Text:
    """Which features tell queries of low kappa from the rest, all tests in mind."""
    rows = records(contents.tables["low_kappa_profile"])
    if not any(row["p_holm"] is not None for row in rows):
        return say(_why_no_test(contents))
    apart = [row for row in rows if row["p_holm"] is not None and below_level(row["p_holm"], LEVEL)]
    if caution_of_profile(contents):
        apart = [row for row in apart if not row["feature"].startswith(PROMPT)]
    if not apart:
        return say("profile.none")
    return say("profile.some", n=whole(len(apart)), features=joined([feature_name(row["feature"]) for row in apart]))


def _why_no_test(contents: Contents) -> str:
    """Which words say why no feature could be tested."""
    is_low = contents.kappas.loc[contents.kappas["kappa"].notna(), "is_low"].astype(bool)
    if is_low.empty:
        return "profile.no_query"
    if is_low.any() and not is_low.all():
        return "profile.same"
    return "profile.no_rest" if is_low.any() else "profile.no_low"


def caution_of_profile(contents: Contents) -> Text | None:
    """What a prompt version in the profile does not say: it was given to queries because of their kappa."""
    told_by_prompt = contents.tables["low_kappa_profile"]["feature"].str.startswith(PROMPT).any()
    several = contents.kappas["prompt_version"].nunique() > 1
    return say("profile.chosen") if told_by_prompt and several else None


def feature_name(feature: str) -> Text:
    """A feature in words."""
    name, _, value = feature.partition("=")
    if not value:
        return say(f"feature.{name}") if name in FEATURES else same(feature)
    kinds = ("code", "markup", "list", "prose")
    shown: Part = say(f"kind.{value}") if name == "document_kind" and value in kinds else value
    return say(f"feature.{name}", value=shown)


def _labels() -> list[Text]:
    return [joined([number(low, 1), number(high, 1)], "\u2009\u2013\u2009") for low, high in itertools.pairwise(EDGES)]
