"""Every validation so far: both kappas over time, and the steps that people took between them."""

import json
from dataclasses import dataclass
from typing import Any, Final

from reports.reliability.contents import Contents, band, bounds_of, level, say, when
from reports.reliability.plots import kappa_history
from reports.shared.charts import Chart
from reports.shared.numbers import number, percent, plain_number, whole
from reports.shared.table_view import Head, TableView
from reports.shared.text import Part, Text, joined, lines

FLAGS: Final = ("not_proven", "depends_on_convention")


@dataclass(frozen=True)
class Event:
    """One validation with what was done before it; `kind` is its status."""

    number: int
    kind: str
    title: Text
    kappas: Text
    steps: list[Text]


def history_chart(contents: Contents) -> Chart:
    """Macro and micro of each validation with intervals and limits; the mark says what it led to."""
    gate = contents.plan.gate
    return Chart(
        "history",
        say("chart.history.title"),
        say("chart.history.reading", level=level(contents)),
        history_table(contents),
        drawing=kappa_history(contents.tables["kappa_validation"], gate.min_macro, gate.min_micro),
        empty=None if contents.history else say("chart.no_validation"),
    )


def history_table(contents: Contents) -> TableView:
    """The numbers of the chart, with counts and flags."""
    bounds = say("head.interval", level=level(contents))
    heads = [
        Head(say("head.validation"), numeric=False),
        Head(say("head.status"), numeric=False, term="status"),
        Head(say("head.macro"), term="kappa_macro", note=bounds),
        Head(say("head.macro_defined"), term="convention"),
        Head(say("head.micro"), term="kappa_micro", note=bounds),
        Head(say("head.low_share"), term="low_share"),
        Head(say("head.queries"), note=say("head.documents")),
        Head(say("head.judges"), numeric=False),
    ]
    cells: list[list[Part]] = [
        [
            joined([whole(row["number"]), when(row["timestamp"])], "\u2002"),
            lines([say(f"status.{row['status']}"), *(say(f"flag.{flag}") for flag in FLAGS if row[flag])]),
            lines([number(row["kappa_macro"]), bounds_of(row, "kappa_macro")]),
            number(row["kappa_macro_defined"]),
            lines([number(row["kappa_micro"]), bounds_of(row, "kappa_micro")]),
            percent(row["low_share"]),
            lines([whole(row["total_queries"]), whole(row["n_documents"])]),
            joined([row["judge_1"], row["judge_2"]]),
        ]
        for row in contents.history
    ]
    return TableView(say("chart.history.table"), heads, cells, stacks=True)


def events(contents: Contents) -> list[Event]:
    """The validations with the steps on record before each, the first one first."""
    return [
        Event(
            int(row["number"]),
            str(row["status"]),
            say(
                "event.title",
                number=whole(row["number"]),
                when=when(row["timestamp"]),
                status=say(f"status.{row['status']}"),
            ),
            say(
                "event.kappas",
                macro=number(row["kappa_macro"]),
                micro=number(row["kappa_micro"]),
                band=band(row["kappa_macro"]),
            ),
            [said for step in json.loads(row["contingency_actions"]) for said in step_on_record(step)],
        )
        for row in contents.history
    ]


def step_on_record(step: dict[str, Any]) -> list[Text]:
    """One entry of `contingency_actions` in words; nothing for one that says nothing."""
    who = {"who": str(step.get("who", ""))}
    match step["step"]:
        case "disagreements":
            return [say("record.disagreements", n=whole(step["n_queries"]), documents=whole(step["n_documents"]))]
        case "tiebreaks":
            votes, left = whole(step["n_votes"]), whole(step["n_undecided_documents"])
            return [say("record.tiebreaks", n=votes, reviewed=whole(step["n_reviewed_queries"]), left=left)]
        case "bias_test":
            pairs = [say("judges.two", one=one, other=other) for one, other in step["biased_pairs"]]
            return [say("record.biased", pairs=joined(pairs, "; ")) if pairs else say("record.unbiased")]
        case "thresholds_accepted":
            named = [joined([judge, plain_number(value)], " ") for judge, value in step["thresholds"].items()]
            return [say("record.thresholds", thresholds=joined(named), **who)]
        case "recalibration_started":
            held = whole(len(step["held_out"]))
            return [
                say(
                    "record.recalibration",
                    n=whole(len(step["queries"])),
                    held=held,
                    prompt=step["prompt_version"],
                    **who,
                )
            ]
        case "manual_review_opened":
            return [say("record.manual_review", **who)]
    return [say("record.other", step=str(step["step"]))]
