"""Kappa's companions with their intervals, all pairs of judges, and what three judges or more say together."""

from typing import Any, Final

from reports.reliability.contents import Contents, band, by_statistic, level, note_of, say
from reports.shared.charts import Chart
from reports.shared.colours import INK, MAIN
from reports.shared.drawing import Axis, Drawing, rows_axis, rows_height
from reports.shared.marks import Interval, row_layers
from reports.shared.numbers import interval, is_number, is_unreliable, number, percent, whole
from reports.shared.table_view import Head, TableView
from reports.shared.text import Part, Text, joined, lines

OF_THE_GATE: Final = ("kappa_macro", "kappa_micro")
TERMS: Final = {
    "kappa_macro": "kappa_macro",
    "kappa_macro_defined": "convention",
    "kappa_micro": "kappa_micro",
    "low_share": "low_share",
    "percent_agreement": "percent_agreement",
    "pabak": "pabak",
    "ac1": "ac1",
    "alpha_nominal": "alpha",
    "alpha_ordinal": "alpha",
    "alpha_interval": "alpha",
    "weighted_kappa_linear": "weighted_kappa",
    "weighted_kappa_quadratic": "weighted_kappa",
    "ac2_quadratic": "ac2",
    "fleiss_kappa": "fleiss",
    "conger_kappa": "conger",
    "kendall_w": "kendall_w",
    "prevalence_index": "prevalence",
    "bias_index": "bias_index",
}
# Those that say how far the judges agree; the others say why these differ.
DRAWN: Final = tuple(
    name
    for name in TERMS
    if name not in ("low_share", "prevalence_index", "bias_index", "fleiss_kappa", "conger_kappa", "kendall_w")
)


def coefficients_chart(contents: Contents) -> Chart:
    """Every coefficient of agreement with its interval, kappa on top."""
    rows = [contents.agreement[name] for name in DRAWN if is_number(contents.agreement.get(name, {}).get("value"))]
    points = [Interval(row["value"], row["value_low"], row["value_high"]) for row in rows]
    names = [say(f"statistic.{row['statistic']}") for row in rows]
    hover = [
        joined([name, number(one.value), interval(one.low, one.high, unreliable=_few(row))], " ")
        for name, one, row in zip(names, points, rows, strict=True)
    ]
    colors = [MAIN if row["statistic"] in OF_THE_GATE else INK for row in rows]
    lowest = min([0.0, *(float(value) for one in points for value in one if is_number(value))])
    return Chart(
        "coefficients",
        say("chart.coefficients.title"),
        say("chart.coefficients.reading", level=level(contents), judges=contents.named()),
        coefficients_table(contents, contents.agreement, say("chart.coefficients.table", judges=contents.named())),
        drawing=Drawing(
            row_layers(points, hover, colors),
            Axis(say("axis.agreement"), (lowest - 0.04, 1.04)),
            rows_axis(names),
            rows_height(len(rows)),
        ),
        empty=None if rows else say("chart.no_query"),
    )


def coefficients_table(contents: Contents, rows: dict[str, dict[str, Any]], caption: Text) -> TableView:
    """Each coefficient with interval, band and n, and why it has none."""
    heads = [
        Head(say("head.statistic"), numeric=False),
        Head(say("head.value")),
        Head(say("head.interval", level=level(contents)), term="interval"),
        Head(say("head.band"), numeric=False, term="band"),
        Head(say("head.queries")),
        Head(say("head.documents")),
        Head(say("head.note"), numeric=False, wide=True),
    ]
    cells: list[list[Part]] = [
        [
            say(f"statistic.{name}"),
            number(rows[name]["value"]),
            interval(rows[name]["value_low"], rows[name]["value_high"], unreliable=_few(rows[name])),
            band(rows[name]["value"]) if isinstance(rows[name]["band"], str) else "",
            whole(rows[name]["n_queries"]),
            whole(rows[name]["n_documents"]),
            note_of(rows[name]),
        ]
        for name in TERMS
        if name in rows
    ]
    return TableView(caption, heads, cells)


def terms_of_coefficients(rows: dict[str, dict[str, Any]]) -> list[tuple[Text, str]]:
    """Each coefficient's name and its entry in the help, for a line of links."""
    return [(say(f"statistic.{name}"), term) for name, term in TERMS.items() if name in rows]


def said_of_prevalence(contents: Contents) -> Text | None:
    """How unequally frequent the labels are here, next to what kappa and AC1 make of it."""
    found = {
        name: contents.agreement.get(name, {}).get("value")
        for name in ("prevalence_index", "percent_agreement", "kappa_micro", "ac1", "pabak")
    }
    if not all(is_number(value) for value in found.values()):
        return None
    named = {name: number(value) for name, value in found.items() if name != "percent_agreement"}
    return say("coefficients.here", agreement=percent(found["percent_agreement"]), **named)


def pairs_table(contents: Contents) -> TableView | None:
    """All pairs of judges side by side, the deciding one emphasised; none for two judges."""
    if len(contents.pairs) < 2:
        return None
    bounds = say("head.interval", level=level(contents))
    heads = [
        Head(say("head.judges"), numeric=False),
        Head(say("head.macro"), term="kappa_macro", note=bounds),
        Head(say("head.macro_defined"), term="convention"),
        Head(say("head.micro"), term="kappa_micro", note=bounds),
        Head(say("head.low_share"), term="low_share"),
        Head(say("statistic.ac1"), term="ac1"),
        Head(say("head.queries"), note=say("head.documents")),
    ]
    cells: list[list[Part]] = []
    for pair in contents.pairs:
        rows = by_statistic(contents.of_pair("judge_agreement", pair))
        cells.append(
            [
                contents.named(pair),
                lines(_value_and_bounds(rows["kappa_macro"])),
                number(rows["kappa_macro_defined"]["value"]),
                lines(_value_and_bounds(rows["kappa_micro"])),
                percent(rows["low_share"]["value"]),
                number(rows["ac1"]["value"]),
                lines([whole(rows["kappa_macro"][name]) for name in ("n_queries", "n_documents")]),
            ]
        )
    decides = frozenset({contents.pairs.index(contents.pair)}) if contents.pair in contents.pairs else frozenset()
    return TableView(say("pairs.table"), heads, cells, decides, stacks=True)


def all_judges_table(contents: Contents) -> TableView | None:
    """Fleiss' kappa and the others over all judges; none for two."""
    rows = contents.of_all_judges
    return coefficients_table(contents, rows, say("all_judges.table", n=whole(len(contents.judges)))) if rows else None


def _value_and_bounds(row: dict[str, Any]) -> list[Part]:
    return [number(row["value"]), interval(row["value_low"], row["value_high"], unreliable=_few(row))]


def _few(row: dict[str, Any]) -> bool:
    return is_unreliable(row["method"])
