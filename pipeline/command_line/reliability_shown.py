"""What a validation found, on the terminal: kappa, the status and its flags, the history, and what is due."""

import json
from collections.abc import Mapping
from typing import Any, Final

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from analysis.contingency import ContingencyStep
from analysis.landis_koch import landis_koch
from analysis.undefined import UndefinedStatistic
from assets.contingency_state import due, next_command, stored_table
from assets.reliability.judgments import refuse_without_judges
from assets.reliability.kappa_validation import CONTINGENCY, PASSED, verdict_of
from pipeline.command_line.terminal_text import one_line
from resources.errors import UserError, listed
from resources.study import Study

NAME = 24
STYLES: Final = {"passed": "green", "contingency_triggered": "red", "resolved_by_review": "green"}


def show_kappa(console: Console, study: Study, last: Mapping[Any, Any]) -> None:
    """Both kappas with intervals, bands and limits, and how many queries are behind them.

    Args:
        console: Where to.
        study: For the gate's limits.
        last: A row of table `kappa_validation`.
    """
    gate, level = study.reliability.gate, f"{100 * study.reliability.confidence:g} %"
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0), pad_edge=False)
    for heading in ("", "seen", f"{level} CI", "band", "needed"):
        table.add_column(heading, no_wrap=True, justify="right" if heading == "seen" else "left")
    for name, limit in (("macro", gate.min_macro), ("micro", gate.min_micro)):
        value = float(last[f"kappa_{name}"])
        low, high = last[f"kappa_{name}_low"], last[f"kappa_{name}_high"]
        bounds = "none" if pd.isna(low) or pd.isna(high) else f"[{low:.3f}, {high:.3f}]"
        table.add_row(f"kappa {name}", f"{value:.3f}", bounds, landis_koch(value), f">= {limit:g}")
    share = f"{100 * float(last['low_share']):.1f} %"
    table.add_row(f"queries below {gate.low_kappa:g}", share, "", "", f"<= {100 * gate.max_low_share:g} %")
    judges = " and ".join(one_line(str(last[name]), NAME) for name in ("judge_1", "judge_2"))
    say(console, f"Judges {judges}: {counts(last)}.")
    console.print(table)
    if last["n_undefined"]:
        defined = last["kappa_macro_defined"]
        without = "not defined" if pd.isna(defined) else f"{defined:.3f}"
        say(
            console,
            f"Macro counts as 1 where both judges give every document one label ({last['n_undefined']} queries); "
            f"without these it is {without}.",
        )


def show_verdict(console: Console, last: Mapping[Any, Any]) -> None:
    """The status in a line, why, and the flags in words."""
    status = str(last["status"])
    console.print(Text.assemble("Status: ", (status.replace("_", " "), f"bold {STYLES[status]}"), "."))
    say(console, str(last["notes"]), style="green" if status == PASSED else "")
    for words in flags_in_words(last):
        console.print(Text.assemble(("note ", "yellow"), words))


def flags_in_words(last: Mapping[Any, Any]) -> list[str]:
    """What is to be said beside a verdict."""
    words = []
    if last["not_proven"]:
        words.append(
            "It is not proven: a lower bound does not reach its limit, or there is none. More queries would narrow it."
        )
    if last["depends_on_convention"]:
        words.append(
            "It depends on the convention that a query with one and the same label everywhere counts as 1: sample "
            "queries with relevant and irrelevant documents."
        )
    return words


def history_table(history: pd.DataFrame, first: int = 1) -> Table:
    """Every validation, the first one first, with what happened before it; `first` is the number of the first row."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0), pad_edge=False)
    for heading in ("no", "when (UTC)", "macro", "micro", "status", "steps before it"):
        right = heading in ("no", "macro", "micro")
        table.add_column(
            heading, no_wrap=heading not in ("status", "steps before it"), justify="right" if right else "left"
        )
    # Numbers of the database go over all studies in it; a reader counts his own.
    for number, row in enumerate(history.to_dict("records"), start=first):
        status = str(row["status"])
        table.add_row(
            str(number),
            f"{row['timestamp']:%Y-%m-%d %H:%M}",
            f"{row['kappa_macro']:.3f}",
            f"{row['kappa_micro']:.3f}",
            Text(status.replace("_", " "), style=STYLES[status]),
            Text("; ".join(steps_in_words(json.loads(row["contingency_actions"])))),
        )
    return table


def steps_in_words(steps: list[dict[str, Any]]) -> list[str]:
    """What people did before a validation: votes, thresholds, recalibration, manual review."""
    words = []
    for step in steps:
        who = f" by {one_line(step['who'], NAME)}" if "who" in step else ""
        match step["step"]:
            case "tiebreaks" if step.get("n_votes"):
                words.append(_n(step["n_votes"], "vote", "votes"))
            case "thresholds_accepted":
                accepted = listed(f"{one_line(name, NAME)} {value:.3g}" for name, value in step["thresholds"].items())
                words.append(f"threshold {accepted} accepted{who}")
            case "recalibration_started":
                words.append(f"{_n(len(step['queries']), 'query', 'queries')} judged again{who}")
            case "manual_review_opened":
                words.append(f"manual review opened{who}")
    return words


def show_due(console: Console, study: Study) -> ContingencyStep:
    """The step that is due and the command for it; its hint where it cannot be taken yet."""
    step = due(study)
    say(console, f"Due: {step.sentence}" if step.name != "none" else step.sentence)
    if step.name == "recalibrate":
        try:
            refuse_without_judges(study.reliability)
        except UserError as problem:
            say(console, str(problem))
            return step
    console.print(Text.assemble("Next: ", (next_command(study, step), "bold")))
    return step


def no_verdict(study: Study) -> str | None:
    """Why the tables of the latest run give no verdict; null where they give one or were never made."""
    query_kappa, agreement = (stored_table(study, name) for name in ("query_kappa", "judge_agreement"))
    if query_kappa is None or agreement is None:
        return None
    try:
        verdict_of(query_kappa, agreement, study.reliability)
    except UndefinedStatistic as undefined:
        return undefined.reason
    return None


def ground_truth_in_words(study: Study, history: pd.DataFrame) -> str:
    """How many queries have ground truth, and which validation allowed it."""
    written = study.validations.ground_truth_rows()
    if written.empty:
        waits = not history.empty and str(history["status"].iloc[-1]) != CONTINGENCY
        return "Ground truth: ready to be written." if waits else "Ground truth: not written yet."
    ids = history["id"].tolist()
    number = ids.index(int(written["validation"].max())) + 1
    later = "" if number == len(ids) else f"; the latest, {len(ids)}, is {history['status'].iloc[-1]}"
    people = int(written["human_override"].sum())
    return (
        f"Ground truth: {_n(len(written), 'query', 'queries')} written, {people} of them with documents that people "
        f"decided (validation {number}{later})."
    )


def counts(last: Mapping[Any, Any]) -> str:
    """Queries and documents behind a validation."""
    queries = _n(int(last["total_queries"]), "query", "queries")
    return f"{queries}, {_n(int(last['n_documents']), 'document', 'documents')}"


def say(console: Console, words: str, style: str = "") -> None:
    """Words as they are, whatever signs of markup stand in them."""
    console.print(Text(words, style=style))


def _n(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"
