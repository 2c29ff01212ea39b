"""How often each method is right: the ranking with intervals and the line of chance, and by how far people agree."""

from analysis.messages import message_list
from analysis.preference.accuracy import BAND_NAMES
from reports.pairwise.contents import Contents, bounds_of, level, say, units, without_bounds
from reports.pairwise.plots import accuracies, bands
from reports.shared.charts import Chart
from reports.shared.numbers import is_number, number, p_value, whole
from reports.shared.phrases import phrase
from reports.shared.table_view import Head, TableView
from reports.shared.text import Part, Text
from resources.tables.pairwise_rows import chance_of, measured


def accuracy_chart(contents: Contents) -> Chart:
    """Every measured method, the best on top; the colour says whether it is significantly different from chance."""
    return Chart(
        "accuracy",
        say("chart.accuracy.title"),
        say("chart.accuracy.reading", level=level(contents), units=units(contents)),
        ranking_table(contents),
        drawing=accuracies(measured(contents.tables["method_metrics"]), contents.plan.level),
        empty=nothing_measured(contents),
    )


def ranking_table(contents: Contents) -> TableView:
    """Every method's accuracy with what it rests on, the best first, and why others have none."""
    bounds = Head(say("head.interval", level=level(contents)), term="interval")
    heads = [
        Head(say("head.method"), numeric=False),
        Head(say("head.accuracy"), term="accuracy"),
        bounds,
        Head(say("head.chance"), numeric=False, term="chance"),
        Head(say("head.p_chance"), term="holm_methods"),
        Head(say("head.pairs")),
        Head(say("head.without")),
        Head(say("head.ties"), term="tie"),
        Head(say("head.decided"), term="tie"),
        bounds,
        Head(say("head.f1"), term="f1"),
        Head(say("head.note"), numeric=False, wide=True),
    ]
    rows: list[list[Part]] = []
    for row in contents.measured:
        rows.append(
            [
                str(row["method"]),
                number(row["accuracy"]),
                bounds_of(row, "accuracy"),
                say(f"chance.{chance_of(row, contents.plan.level)}"),
                p_value(row["p_chance_holm"]),
                whole(row["n"]),
                whole(row["n_total"] - row["n"]),
                number(row["tie_rate"]),
                number(row["accuracy_decided"]),
                bounds_of(row, "accuracy_decided"),
                number(row["f1_macro"]),
                _note(row["undefined"] or "", without_bounds(row, ("accuracy", "accuracy_decided"))),
            ]
        )
    return TableView(say("chart.accuracy.table"), heads, rows)


def bands_chart(contents: Contents) -> Chart:
    """Accuracy where people agree somewhat, mostly, and almost all."""
    rows = contents.measured
    heads = [Head(say("head.method"), numeric=False)]
    for band in BAND_NAMES:
        heads += [
            Head(say(f"band.{band}"), term="agreement"),
            Head(say("head.interval", level=level(contents))),
            Head(say("head.pairs")),
        ]
    heads.append(Head(say("head.note"), numeric=False, wide=True))
    cells: list[list[Part]] = []
    for row in rows:
        line: list[Part] = [str(row["method"])]
        for band in BAND_NAMES:
            line += [number(row[f"accuracy_{band}"]), bounds_of(row, f"accuracy_{band}"), whole(row[f"n_{band}"])]
        cells.append([*line, _note(without_bounds(row, [f"accuracy_{band}" for band in BAND_NAMES]))])
    return Chart(
        "bands",
        say("chart.bands.title"),
        say("chart.bands.reading"),
        TableView(say("chart.bands.table"), heads, cells),
        drawing=bands(measured(contents.tables["method_metrics"])),
        empty=nothing_measured(contents),
    )


def said_of_bands(contents: Contents) -> Text | None:
    """How many methods are right more often where people agree more; none where no method has both ends."""
    both = [row for row in contents.measured if is_number(row["accuracy_70_80"]) and is_number(row["accuracy_90_100"])]
    if not both:
        return None
    rising = [row for row in both if row["accuracy_90_100"] > row["accuracy_70_80"]]
    return say("bands.said", n=whole(len(rising)), total=whole(len(both)))


def nothing_measured(contents: Contents) -> Text | None:
    """Why a chart of methods is empty, where it is."""
    return None if contents.measured else say("chart.no_method")


def _note(*parts: str) -> Part:
    said = message_list(parts)
    return phrase(said) if said else ""
