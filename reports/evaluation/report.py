"""The evaluation report put together: how well each data set's predictions follow the truth, help and data."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from reports.evaluation.contents import WORDS, Contents, bounds_of, reason, say, statistic_name
from reports.shared.charts import Chart
from reports.shared.colours import MAIN
from reports.shared.drawing import Axis, Drawing, rows_axis, rows_height
from reports.shared.marks import Interval, row_layers
from reports.shared.numbers import NOTHING, is_number, number, p_value, plain_number, whole
from reports.shared.page import Page, rendered
from reports.shared.table_view import Head, TableView, all_rows, records
from reports.shared.text import Part, Text, joined, lines, same
from reports.shared.verdict import as_data, title_of, verdict_parts

SHOWN_GROUPS: Final = 60
SECTIONS: Final = ("summary", "scores", "answers", "groups", "comparisons", "papers")
TABLE_OF: Final = {
    **{"scores": "correlation", "answers": "options", "groups": "groups"},
    **{"comparisons": "comparison", "papers": "paper"},
}
TERMS: Final = (
    *("srcc", "plcc", "krcc", "mapped", "errors", "accuracy", "precision", "recall"),
    *("interval", "bca", "p", "clusters", "deviates"),
)
TERM_IN: Final = {
    **dict.fromkeys(("srcc", "plcc", "krcc", "mapped", "errors", "bca"), "scores"),
    **dict.fromkeys(("accuracy", "precision", "recall"), "answers"),
    "deviates": "papers",
}
CHARTS: Final = {"srcc": "scores", "accuracy": "answers"}
DOWNLOADS: Final = (
    *("evaluation_summary", "correlation", "option_rates", "mcq_confusion"),
    *("category_breakdown", "metric_comparison", "paper_comparison"),
)
SAMPLES: Final = "evaluation_samples"
OF_A_SAMPLE: Final = r"^(dataset|sample_id|prediction_score|truth_score|prediction_answer|truth_answer|field\..+)$"
# Tables with a row per group are handed out up to this many rows; longer ones would make a page too heavy.
MOST_ROWS: Final = 50_000


def overview_table(contents: Contents) -> TableView | None:
    """Every data set's headline numbers and the means over them."""
    heads = [*_first(), *_value(contents), Head(say("head.used")), Head(say("head.rows")), _note()]
    rows: list[Sequence[Part]] = [
        [
            str(row["dataset"]),
            statistic_name(str(row["statistic"])),
            number(row["value"]),
            bounds_of(row),
            whole(row["n_used"]),
            whole(row["n_total"]),
            reason(row),
        ]
        for row in records(contents.tables["evaluation_summary"])
    ]
    return _view("overview", heads, rows)


def correlation_table(contents: Contents) -> TableView | None:
    """Every statistic of predicted scores, with how its interval was made."""
    heads = [
        *_first(),
        *_value(contents),
        Head(say("head.bca"), term="bca"),
        Head(say("head.p"), term="p"),
        Head(say("head.used")),
        Head(say("head.clusters"), term="clusters"),
        _note(),
    ]
    rows: list[Sequence[Part]] = [
        [
            str(row["dataset"]),
            statistic_name(str(row["statistic"])),
            number(row["value"]),
            bounds_of(row),
            bounds_of(row | {"ci_low": row["bca_low"], "ci_high": row["bca_high"]}),
            p_value(row["p"]),
            whole(row["n_used"]),
            whole(row["n_clusters"]),
            reason(row),
        ]
        for row in records(contents.tables["correlation"])
    ]
    return _view("correlation", heads, rows)


def options_table(contents: Contents) -> TableView | None:
    """Each option: how often it is true, how often it is the answer, precision and recall."""
    names = ("dataset", "options", "option")
    heads = [Head(say(f"head.{name}"), numeric=False) for name in names]
    heads += [Head(say(f"head.{name}")) for name in ("n_true", "n_predicted")]
    heads += [Head(say("head.precision"), term="precision"), Head(say("head.recall"), term="recall"), _note()]
    rows: list[Sequence[Part]] = [
        [
            *(str(row[name]) for name in names),
            whole(row["n_true"]),
            whole(row["n_predicted"]),
            number(row["precision"]),
            number(row["recall"]),
            reason(row),
        ]
        for row in records(contents.tables["option_rates"])
    ]
    return _view("options", heads, rows)


def confused_table(contents: Contents) -> TableView | None:
    """The five option pairs of each option set that are confused most often."""
    frame = contents.tables["mcq_confusion"]
    names = ("dataset", "options", "truth", "prediction")
    heads = [Head(say(f"head.{name}"), numeric=False) for name in names] + [Head(say("head.count"))]
    found = records(frame[frame["rank_of_confusion"].notna()].sort_values(["dataset", "options", "rank_of_confusion"]))
    return _view("confused", heads, [[*(str(row[name]) for name in names), whole(row["count"])] for row in found])


def groups_table(contents: Contents) -> TableView | None:
    """The headline number of each group of samples, the first ones; the download has all."""
    frame = contents.tables["category_breakdown"]
    heads = [Head(say("head.dataset"), numeric=False), Head(say("head.group"), numeric=False)]
    heads += [Head(say("head.statistic"), numeric=False), *_value(contents), Head(say("head.used")), _note()]
    rows: list[Sequence[Part]] = [
        [
            str(row["dataset"]),
            str(row["group"]),
            statistic_name(str(row["statistic"])),
            number(row["value"]),
            bounds_of(row),
            whole(row["n_used"]),
            _remark(row),
        ]
        for row in records(frame[frame["level"] > 0].head(SHOWN_GROUPS))
    ]
    return _view("groups", heads, rows)


def comparison_table(contents: Contents) -> TableView | None:
    """Two data sets against each other: the difference, its interval, and the test where there is one."""
    heads = [
        Head(say("head.first"), numeric=False),
        Head(say("head.second"), numeric=False),
        Head(say("head.statistic"), numeric=False),
        Head(say("head.difference")),
        Head(say("head.interval", level=contents.level), term="interval"),
        Head(say("head.significant"), numeric=False),
        Head(say("head.p"), term="p"),
        Head(say("head.used")),
    ]
    rows: list[Sequence[Part]] = [
        [
            str(row["first"]),
            str(row["second"]),
            statistic_name(str(row["statistic"])),
            number(row["difference"]),
            bounds_of(row),
            NOTHING if row["significant"] is None else say("yes" if row["significant"] else "no"),
            p_value(row["p"]),
            whole(row["n_used"]),
        ]
        for row in records(contents.tables["metric_comparison"])
    ]
    return _view("comparison", heads, rows)


def paper_table(contents: Contents) -> TableView | None:
    """Our numbers next to a paper's."""
    heads = [
        *_first(),
        Head(say("head.paper"), numeric=False),
        Head(say("head.paper_value")),
        *_value(contents),
        Head(say("head.delta")),
        Head(say("head.deviates"), numeric=False, term="deviates"),
        _note(),
    ]
    rows: list[Sequence[Part]] = [
        [
            str(row["dataset"]),
            statistic_name(str(row["statistic"])),
            joined(_of_paper(row)) or NOTHING,
            plain_number(row["paper_value"]),
            number(row["value"]),
            bounds_of(row),
            number(row["delta"]),
            NOTHING if row["deviates"] is None else say("yes" if row["deviates"] else "no"),
            reason(row),
        ]
        for row in records(contents.tables["paper_comparison"])
    ]
    return _view("paper", heads, rows)


def _of_paper(row: Mapping[str, Any]) -> list[Part]:
    """What a paper's number is of, and its sign where that was not turned."""
    words: list[Part] = [str(row[name]) for name in ("category", "model", "tools", "protocol") if row[name]]
    return [*words, say("paper.as_measured")] if row["sign"] else words


def _remark(row: Mapping[str, Any]) -> Part:
    said = [say("groups.small") if row["small"] else "", reason(row)]
    return lines(said) if any(said) else ""


def _first() -> list[Head]:
    return [Head(say("head.dataset"), numeric=False), Head(say("head.statistic"), numeric=False)]


def _value(contents: Contents) -> list[Head]:
    return [Head(say("head.value")), Head(say("head.interval", level=contents.level), term="interval")]


def _note() -> Head:
    return Head(say("head.note"), numeric=False, wide=True)


def _view(name: str, heads: Sequence[Head], rows: Sequence[Sequence[Any]]) -> TableView | None:
    if heads[-1].wide and not any(row[-1] for row in rows):
        # A column of notes without a note takes room from the numbers.
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    return TableView(say(f"table.{name}"), heads, rows, stacks=True) if rows else None


def evaluation_page(contents: Contents) -> str:
    """The report as one HTML file, the same for the same contents; a browser shows it without a network."""
    found, made = downloads(contents), tables(contents)
    sections = sections_of(contents, made)
    return rendered(
        Page(
            template="evaluation/evaluation.html.j2",
            title=title_of(contents.verdicts, say("report.title", study=same(contents.study))),
            translations=WORDS,
            sections=[(name, say(f"section.{name}")) for name in sections],
            charts=[headline_chart(contents, one) for one, part in CHARTS.items() if part in sections],
            tables=found,
            about={
                "study": contents.study,
                "verdict": as_data(contents.verdicts),
                "datasets": contents.datasets,
                "confidence": contents.plan.confidence,
            },
            file_stem="evaluation-report",
            terms=[one for one in TERMS if TERM_IN.get(one, "summary") in sections],
            context={
                "study": contents.study,
                **verdict_parts(contents.verdicts),
                "facts": facts(contents),
                "sentences": sentences(contents),
                "tables": made,
                "parts_shown": sections,
                "every_row": all_rows(say("page.every_row"), SAMPLES, found[SAMPLES]) if SAMPLES in found else None,
            },
            provenance=contents.provenance,
        )
    )


def sections_of(contents: Contents, made: Mapping[str, TableView | None]) -> list[str]:
    """The sections with something in them: the summary, others where their table has a row or their chart a point."""
    drawn = {CHARTS.get(str(row["statistic"])) for row in contents.headlines}
    return [name for name in SECTIONS if name == "summary" or made[TABLE_OF[name]] is not None or name in drawn]


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
    found = {name: contents.tables[name] for name in DOWNLOADS if len(contents.tables[name]) <= MOST_ROWS}
    samples = contents.tables[SAMPLES]
    if len(samples) <= MOST_ROWS:
        found[SAMPLES] = samples.filter(regex=OF_A_SAMPLE).dropna(axis="columns", how="all")
    return found if contents.verdicts is None else {"evaluation_trust_verdict": contents.verdicts, **found}
