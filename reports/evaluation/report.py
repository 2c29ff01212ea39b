"""The evaluation report put together: how well each data set's predictions follow the truth, help and data."""

from collections.abc import Sequence
from typing import Final

import pandas as pd

from reports.evaluation.contents import WORDS, Contents, bounds_of, reason, say, statistic_name
from reports.evaluation.tables import (
    comparison_table,
    confused_table,
    correlation_table,
    groups_table,
    options_table,
    overview_table,
    paper_table,
)
from reports.shared.charts import Chart
from reports.shared.colours import MAIN
from reports.shared.drawing import Axis, Drawing, rows_axis, rows_height
from reports.shared.marks import Interval, row_layers
from reports.shared.numbers import is_number, number, whole
from reports.shared.page import Page, rendered
from reports.shared.table_view import TableView
from reports.shared.text import Part, Text, joined, same

FILE_NAME: Final = "evaluation_report.html"
SECTIONS: Final = ("summary", "scores", "answers", "groups", "comparisons", "papers")
TERMS: Final = (
    *("srcc", "plcc", "krcc", "mapped", "errors", "accuracy", "precision", "recall"),
    *("interval", "bca", "p", "clusters", "deviates"),
)
DOWNLOADS: Final = (
    *("evaluation_summary", "correlation", "option_rates", "mcq_confusion"),
    *("category_breakdown", "metric_comparison", "paper_comparison"),
)
# Tables with a row per group are handed out up to this many rows; longer ones would make a page too heavy.
MOST_ROWS: Final = 50_000


def evaluation_page(contents: Contents) -> str:
    """The report as one HTML file.

    Args:
        contents: The study's tables and plan.

    Returns:
        Text that a browser shows without a network; the same contents give the same text.
    """
    return rendered(
        Page(
            template="evaluation/evaluation.html.j2",
            title=say("report.title", study=same(contents.study)),
            translations=WORDS,
            sections=[(name, say(f"section.{name}")) for name in SECTIONS],
            charts=[headline_chart(contents, "srcc"), headline_chart(contents, "accuracy")],
            tables=downloads(contents),
            about={"study": contents.study, "datasets": contents.datasets, "confidence": contents.plan.confidence},
            file_stem="evaluation-report",
            terms=TERMS,
            context={
                "study": contents.study,
                "facts": facts(contents),
                "sentences": sentences(contents),
                "tables": tables(contents),
            },
            provenance=contents.provenance,
        )
    )


def facts(contents: Contents) -> list[tuple[Text, Part]]:
    """Name and value of each fact in the head."""
    samples = contents.tables["evaluation_samples"]
    rows: Sequence[tuple[str, Part]] = (
        ("datasets", whole(len(contents.datasets))),
        ("samples", whole(len(samples))),
        ("confidence", contents.level),
        ("resamples", whole(contents.plan.bootstrap_resamples)),
    )
    return [(say(f"fact.{name}"), value) for name, value in rows]


def sentences(contents: Contents) -> list[Text]:
    """The headline number of each data set with interval and n; of an undefined one the reason."""
    if not contents.headlines:
        return [say("summary.nothing")]
    said = []
    for row in contents.headlines:
        names = {"dataset": same(row["dataset"]), "statistic": statistic_name(str(row["statistic"]))}
        counts = {"n": whole(row["n_used"]), "total": whole(row["n_total"])}
        if not is_number(row["value"]):
            said.append(say("summary.undefined", **names, **counts, reason=reason(row)))
            continue
        bounds = bounds_of(row) if is_number(row["ci_low"]) else say("summary.no_interval")
        said.append(say("summary.value", **names, **counts, value=number(row["value"]), bounds=bounds))
    return said


def tables(contents: Contents) -> dict[str, TableView | None]:
    """Every table by its place on the page; none where it has no row."""
    return {
        "overview": overview_table(contents),
        "correlation": correlation_table(contents),
        "options": options_table(contents),
        "confused": confused_table(contents),
        "groups": groups_table(contents),
        "comparison": comparison_table(contents),
        "paper": paper_table(contents),
    }


def headline_chart(contents: Contents, statistic: str) -> Chart:
    """The statistic of each data set with its interval."""
    rows = [row for row in contents.headlines if row["statistic"] == statistic and is_number(row["value"])]
    points = [Interval(row["value"], row["ci_low"], row["ci_high"]) for row in rows]
    hover = [joined([row["dataset"], number(row["value"]), bounds_of(row)], " ") for row in rows]
    return Chart(
        statistic,
        say(f"chart.{statistic}.title"),
        say(f"chart.{statistic}.reading", level=contents.level),
        None,
        drawing=Drawing(
            row_layers(points, hover, [MAIN] * len(rows)),
            Axis(statistic_name(statistic)),
            rows_axis([str(row["dataset"]) for row in rows]),
            rows_height(len(rows)),
        ),
        empty=None if rows else say(f"chart.{statistic}.nothing"),
    )


def downloads(contents: Contents) -> dict[str, pd.DataFrame]:
    """The tables as the report hands them out, without those that are too long for a page."""
    return {name: contents.tables[name] for name in DOWNLOADS if len(contents.tables[name]) <= MOST_ROWS}
