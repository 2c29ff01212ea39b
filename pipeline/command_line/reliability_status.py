"""`touchstone reliability status`: where the study stands, for a person or as a block for a README."""

from collections import Counter
from typing import Any

import pandas as pd
from rich.console import Console

from analysis.agreement.contingency import PASSED
from analysis.agreement.landis_koch import landis_koch
from analysis.words import queries
from assets.reliability.kappa_validation import CHOSEN_LOW
from assets.reliability.logic.contingency_state import due, next_command, no_verdict, nobody_to_judge_again
from pipeline.command_line.reliability_shown import (
    few_queries,
    flags_in_words,
    ground_truth_in_words,
    history_table,
    pair_in_words,
    say,
    show_due,
    show_kappa,
    show_one_answer,
    show_verdict,
)
from resources.database.reliability.stored_table import stored_table
from resources.runtime.sanitize import in_markdown
from resources.study import Study

SHOWN_VALIDATIONS = 20
LONGEST_REASON = 400


def show_status(console: Console, study: Study) -> None:
    """Kappa, status, history, reviews, ground truth, and what is due."""
    show_one_answer(console, study)
    history = study.validations.validations()
    reason = no_verdict(study)
    if history.empty:
        say(console, f"Study {study.name}: no validation yet.")
        if reason:
            say(console, f"Not enough data: {reason}.")
        show_due(console, study)
        return
    last = history.iloc[-1].to_dict()
    show_kappa(console, study, last)
    show_verdict(console, last, study.reliability.gate)
    if reason:
        say(console, f"The latest run gave no verdict: {reason}. What is shown is the last that did.")
    console.print(history_table(history.tail(SHOWN_VALIDATIONS), first=max(1, len(history) - SHOWN_VALIDATIONS + 1)))
    cast = study.reviews.blindness()
    say(console, f"Tiebreaks: {study.reviews.progress()}{f'; {cast}' if cast.total else ''}.")
    say(console, ground_truth_in_words(study, history))
    show_due(console, study)


def markdown(study: Study) -> str:
    """The kappa of the latest validation as a block of Markdown, for a README."""
    history = study.validations.validations()
    if history.empty:
        reason = no_verdict(study) or "the study was not run"
        return f"**Inter-rater reliability of {study.name}: not enough data** ({in_markdown(reason, LONGEST_REASON)})."
    last = history.iloc[-1].to_dict()
    level = f"{100 * study.reliability.confidence:g} %"
    passed = last["status"] == PASSED
    title = f"IRR Validation Passed (Kappa: {last['kappa_macro']:.2f})" if passed else f"IRR validation: {_words(last)}"
    step = due(study)
    judges = " and ".join(in_markdown(str(last[name])) for name in ("judge_1", "judge_2"))
    rows = {
        "Date": f"{last['timestamp']:%Y-%m-%d}",
        "Status": _words(last),
        f"Kappa macro ({level} CI)": _kappa(last, "macro"),
        f"Kappa micro ({level} CI)": _kappa(last, "micro"),
        "Queries": f"{last['total_queries']:,} ({last['n_undefined']:,} with one label, counted as 1 in macro)",
        "Documents": f"{last['n_documents']:,}",
        "Judges": ", ".join(filter(None, [judges, pair_in_words(last)])),
        "Prompt versions": _versions(stored_table(study, "query_kappa"), last),
    }
    if not passed and step.name != "none":
        lacking = nobody_to_judge_again(study) if step.name == "recalibrate" else None
        rows["Due"] = f"{step.sentence} {in_markdown(lacking, 400) if lacking else f'`{next_command(study, step)}`'}"
    lines = [f"| {name} | {value} |" for name, value in rows.items()]
    chosen = [CHOSEN_LOW] if str(last["notes"]).endswith(CHOSEN_LOW) else []
    notes = [f"\n{words}" for words in (*flags_in_words(last, study.reliability.gate), *chosen)]
    return "\n".join([f"**{title}**", "", "| Agreement of judges | |", "|---|---|", *lines, *notes])


def _words(last: dict[Any, Any]) -> str:
    return str(last["status"]).replace("_", " ")


def _kappa(last: dict[Any, Any], name: str) -> str:
    value, low, high = (last[f"kappa_{name}{end}"] for end in ("", "_low", "_high"))
    bounds = "no interval" if pd.isna(low) or pd.isna(high) else f"{low:.2f} to {high:.2f}{few_queries(last)}"
    return f"{value:.2f} ({bounds}), {landis_koch(float(value))}"


def _versions(query_kappa: pd.DataFrame | None, last: dict[Any, Any]) -> str:
    """The prompt versions that count, with the number of queries under each."""
    if query_kappa is None:
        return "not known in this home"
    ours = query_kappa[(query_kappa["judge_1"] == last["judge_1"]) & (query_kappa["judge_2"] == last["judge_2"])]
    found = Counter(ours["prompt_version"])
    return ", ".join(f"{in_markdown(version)} ({queries(n)})" for version, n in found.items())
