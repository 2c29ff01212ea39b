"""The steps of a contingency that people take, each recorded with a name, and what a person reads before one."""

import getpass
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from analysis.agreement.kappa import kappa_summary
from analysis.ties import compare
from analysis.words import count_noun, distinct_numbers, noun, queries
from assets.reliability.disagreements import exported
from assets.reliability.logic.contingency_state import (
    ContingencyTables,
    advised_thresholds,
    recalibration_under_way,
    require_contingency,
    stored_tables,
    thresholds_now,
    undecided_now,
)
from assets.reliability.logic.judge_pairs import pairs_of_judges, scored_documents
from assets.reliability.logic.recalibration_plan import NO_TABLES, RecalibrationPlan
from pipeline.command_line.reliability_shown import say
from resources.database.reliability.recalibrations import Recalibrated
from resources.database.reliability.review_records import LONGEST_NAME, visible_name
from resources.errors import UserError, did_you_mean, listing
from resources.runtime.partial_files import write_whole
from resources.runtime.sanitize import one_line
from resources.study import Study, stored_table

SHOWN = 10
TEXT = 38
HELD_OUT = "(held out: not to be read for a new prompt)"


class Kappas(NamedTuple):
    """Kappa of one pair of judges over all queries; micro is null where it is 0/0."""

    judge_1: str
    judge_2: str
    macro: float
    micro: float | None


def who_takes_it(name: str | None) -> str:
    """The name given, else the login name; as it can be read.

    Raises:
        UserError: There is neither, or it is too long.
    """
    if name is not None:
        who = visible_name(name)
        if not any(sign.isalnum() for sign in who):
            raise UserError("`--who` names no one. Nothing was changed: say who takes the step, by letters or digits.")
        if len(who) > LONGEST_NAME:
            raise UserError(f"`--who` has {len(who)} characters; {LONGEST_NAME} are allowed. Nothing was changed.")
        return who
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise UserError("This account has no login name. Nothing was changed: say who, by `--who NAME`.") from None


def thresholds_asked_for(study: Study, judge: Sequence[str]) -> dict[str, float]:
    """The thresholds that a person wants to use: those named, else the advised ones.

    Args:
        study: The running study.
        judge: Each ``NAME=VALUE``.

    Raises:
        UserError: It is not the time for it, a name or a value is wrong, or none is named and none is advised.
            Nothing was changed.
    """
    require_contingency(study)
    if recalibration_under_way(study) is not None:
        raise UserError(
            "A recalibration was started and not finished. Nothing was changed. `touchstone reliability recalibrate` "
            "goes on with it."
        )
    tables = tables_or_refuse(study)
    now = thresholds_now(study, tables.query_kappa)
    if judge:
        return _thresholds(judge, now)
    advised = advised_thresholds(tables, now)
    if not advised:
        said = " ".join(f"{text[:1].upper()}{text[1:]}." for text in tables.threshold_advice["advice"])
        raise UserError(
            f"No threshold is advised but the current one. {_why(tables)} {said} Nothing was changed. "
            "`--judge NAME=VALUE` sets one all the same."
        )
    return advised


def kappas_at(study: Study, thresholds: Mapping[str, float]) -> list[Kappas]:
    """Kappa of every pair of judges at these thresholds, on the scores of the latest run.

    Raises:
        UserError: The table of the scores is not there.
    """
    judgments = stored_table(study, "judgments")
    if judgments is None:
        raise UserError(NO_TABLES)
    scored = scored_documents(judgments, study.reliability, documents=stored_table(study, "query_documents"))
    found = []
    for pair in pairs_of_judges(scored, dict(thresholds)):
        summary = kappa_summary(pair.counts, study.reliability.gate.low_kappa)
        found.append(Kappas(pair.judge_1, pair.judge_2, summary.macro, summary.micro))
    return found


def accept_thresholds(study: Study, thresholds: Mapping[str, float], who: str) -> None:
    """Record new thresholds; the next validation counts with them."""
    study.validations.take_action("thresholds_accepted", {"thresholds": dict(thresholds)}, who)


def start_recalibration(study: Study, again: Recalibrated, who: str) -> None:
    """Have queries judged again by the next run."""
    details = {
        "prompt_version": again.prompt_version,
        "queries": sorted(again.queries),
        "held_out": sorted(again.held_out),
    }
    study.validations.take_action("recalibration_started", details, who)


def open_manual_review(study: Study, who: str) -> pd.DataFrame:
    """Record that people decide what is left, once; the documents that are left.

    Raises:
        UserError: It is not the time for it. Nothing was changed.
    """
    require_contingency(study)
    left = undecided_now(study, tables_or_refuse(study).disputed_documents)
    if not study.validations.manual_review_is_open():
        study.validations.take_action("manual_review_opened", {}, who)
    return left


def tables_or_refuse(study: Study) -> ContingencyTables:
    """The tables of the latest run.

    Raises:
        UserError: They are not in this home.
    """
    tables = stored_tables(study)
    if tables is None:
        raise UserError(NO_TABLES)
    return tables


def _thresholds(written: Sequence[str], now: Mapping[str, float]) -> dict[str, float]:
    chosen: dict[str, float] = {}
    for name, value in (_threshold(one, now) for one in written):
        if name in chosen:
            raise UserError(
                f"--judge: '{name}' stands twice, with {chosen[name]:g} and {value:g}. Nothing was changed. Name each "
                "judge once."
            )
        chosen[name] = value
    return chosen


def _threshold(written: str, now: Mapping[str, float]) -> tuple[str, float]:
    name, sign, value = written.rpartition("=")
    if not sign or not name:
        raise UserError(f"--judge {written!r}: NAME=VALUE is needed, such as judge2=0.62. Nothing was changed.")
    if name not in now:
        raise UserError(
            f"--judge {written!r}: there is no judge '{name}'{did_you_mean(name, now)}; there are {listing(now)}. "
            "Nothing was changed."
        )
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        raise UserError(f"--judge {written!r}: '{value}' is no threshold, a number from 0 to 1. Nothing was changed.")
    return name, number


def _why(tables: ContingencyTables) -> str:
    decides: Any = tables.bias_test[tables.bias_test["test"] == "query_medians"]
    return (
        ""
        if decides["biased"].fillna(False).any()
        else "Neither judge is shown to score higher by the test that decides."
    )


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
        f"{_queries_again(study, plan)} judged again under '{again.prompt_version}'; {len(again.held_out)} of them "
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


def _queries_again(study: Study, plan: RecalibrationPlan) -> str:
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
