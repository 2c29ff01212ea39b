"""What a step of the contingency is about, shown before it is taken: thresholds, queries, disagreements."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from analysis.ties import compare
from analysis.words import count_noun, distinct_numbers, noun, queries
from assets.reliability.disagreements import exported
from assets.reliability.logic.contingency_state import thresholds_now
from assets.reliability.logic.recalibration_plan import RecalibrationPlan
from pipeline.command_line.reliability_shown import say
from pipeline.command_line.reliability_steps import kappas_at, tables_or_refuse
from resources.database.reliability.stored_table import stored_table
from resources.errors import UserError
from resources.runtime.partial_files import write_whole
from resources.runtime.sanitize import one_line
from resources.study import Study

SHOWN = 10
TEXT = 38
HELD_OUT = "(held out: not to be read for a new prompt)"


def show_thresholds(console: Console, study: Study, chosen: Mapping[str, float], *, advised: bool) -> None:
    """Each threshold before and after, with kappa held out where it is advised, and on all queries."""
    tables = tables_or_refuse(study)
    now = thresholds_now(study, tables.query_kappa)
    for name, value in chosen.items():
        in_force, asked_for = distinct_numbers(now[name], value)
        say(console, f"Threshold of {one_line(name)}: {in_force} -> {asked_for}.")
    if advised:
        for row in tables.threshold_advice.dropna(subset=["threshold_advised"]).to_dict("records"):
            say(
                console,
                f"Held out, micro kappa of {one_line(row['judge_1'])} and {one_line(row['judge_2'])}: "
                f"{row['kappa_now']:.3f} -> {row['kappa_advised']:.3f} (set on one half of {queries(row['n_queries'])}"
                ", seen on the other, both ways).",
            )
    for words in effect_in_words(study, now, {**now, **chosen}):
        say(console, words)


def effect_in_words(study: Study, now: Mapping[str, float], then: Mapping[str, float]) -> list[str]:
    """Both kappas of each pair of judges on all queries at these thresholds and at those; a macro that falls is named.

    Raises:
        UserError: The table of the scores is not there.
    """
    return [
        f"On all queries, {one_line(before.judge_1)} and {one_line(before.judge_2)}: macro {before.macro:.3f} -> "
        f"{after.macro:.3f}, micro {_kappa(before.micro)} -> {_kappa(after.micro)}."
        f"{' Accepting lowers macro kappa.' if compare(after.macro, before.macro, 1.0) < 0 else ''}"
        for before, after in zip(kappas_at(study, now), kappas_at(study, then), strict=True)
    ]


def show_recalibration(console: Console, study: Study, plan: RecalibrationPlan) -> None:
    """The queries that will be judged again, the lowest kappa first; the texts of those held out stay hidden."""
    again = plan.again
    say(
        console,
        f"{_chosen(study, plan)} judged again under '{again.prompt_version}'; {len(again.held_out)} of them "
        f"{noun(len(again.held_out), 'is', 'are')} held out.",
    )
    table = _table("query", "kappa", "text")
    documents = stored_table(study, "query_documents")
    texts = {} if documents is None else dict(zip(documents["query_id"], documents["query"], strict=True))
    for row in plan.rows.sort_values("kappa", kind="stable").head(SHOWN).to_dict("records"):
        query = str(row["query_id"])
        shown = HELD_OUT if query in again.held_out else texts.get(query, "")
        table.add_row(Text(one_line(query, 20)), _kappa(row["kappa"]), Text(one_line(shown, 48)))
    console.print(table)
    if len(plan.rows) > SHOWN:
        say(console, f"... and {len(plan.rows) - SHOWN} more.")
    if plan.without_answer:
        say(
            console,
            f"{count_noun(plan.without_answer, 'recorded answer is', 'recorded answers are')} missing: where one is, "
            "the query keeps its scores of before.",
            "yellow",
        )


def _chosen(study: Study, plan: RecalibrationPlan) -> str:
    n = len(plan.rows)
    if plan.every:
        return f"All {queries(n)} that {noun(n, 'does', 'do')} not count under it yet {noun(n, 'is', 'are')}"
    return f"{queries(n)} with kappa below {study.reliability.gate.low_kappa:g} {noun(n, 'is', 'are')}"


def show_disagreements(console: Console, study: Study, output: Path | None) -> None:
    """The first few of table `disagreements`, and where the CSV lies.

    Raises:
        UserError: There is no such table yet, the file is no CSV, or the database is of a newer version.
    """
    _engine = study.engine  # refuses a database of a newer version, whose tables may mean something else
    frame = stored_table(study, "disagreements")
    if frame is None:
        raise UserError("There is no table of disagreements yet. Run `touchstone run reliability`.")
    if output is not None and output.suffix.lower() != ".csv":
        raise UserError(f"{output}: a name ending in .csv is needed. Nothing was written.")
    in_dispute = count_noun(len(frame), "query is", "queries are")
    say(console, f"{in_dispute} in dispute, {int(frame['reviewed'].sum())} of them reviewed.")
    if len(frame):
        say(console, f"The worst {SHOWN} of {len(frame)}:" if len(frame) > SHOWN else "The worst first:")
        console.print(_disagreements(frame.head(SHOWN)))
    path = output or Path(study.home.outputs / "disagreements.csv")
    if output is not None or not path.is_file():
        write_whole(path, exported(frame, study.reviews.words()))
    console.print(f"All of them, as CSV: {path}", soft_wrap=True, highlight=False, markup=False)


def _disagreements(frame: pd.DataFrame) -> Table:
    table = _table("query", "kappa", "widest", "text")
    for row in frame.to_dict("records"):
        shown = HELD_OUT if row["held_out"] else str(row["query"])
        table.add_row(
            Text(one_line(str(row["query_id"]), 20)),
            _kappa(row["kappa"]),
            f"{row['max_disagreement']:.2f}",
            Text(one_line(shown, TEXT)),
        )
    return table


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0), pad_edge=False)
    for heading in headings:
        table.add_column(heading, justify="right" if heading in ("kappa", "widest") else "left")
    return table


def _kappa(value: float | None) -> str:
    return "0/0" if value is None or pd.isna(value) else f"{value:.3f}"
