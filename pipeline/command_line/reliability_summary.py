"""What a run of study D found, on the terminal: kappa, status, bias, what judging again did, and what is due."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from rich.console import Console

from analysis.words import queries
from assets.reliability.logic.contingency_state import (
    advised_thresholds,
    due,
    no_verdict,
    stored_tables,
    thresholds_now,
)
from assets.reliability.logic.judge_bias import biased_pairs
from assets.reliability.logic.judged_again import judged_again_now
from pipeline.command_line.reliability_shown import (
    ground_truth_in_words,
    say,
    show_due,
    show_kappa,
    show_one_answer,
    show_verdict,
)
from pipeline.command_line.reliability_steps import effect_in_words
from reports.shared.numbers import is_unreliable
from resources.database.reliability.recalibrations import judged_again
from resources.runtime.sanitize import one_line
from resources.study import Study, stored_table

LONGEST_REASON = 400
PARTS = {"all": "all queries", "judged_again": "judged again", "held_out": "of these held out"}


def show_reliability(study: Study, console: Console) -> None:
    """The latest validation, the tables next to it, and what follows."""
    console.print()
    show_one_answer(console, study)
    history = study.validations.validations()
    if reason := no_verdict(study):
        say(console, f"No verdict: {reason}. No validation was recorded.", "yellow")
    elif len(history):
        last = history.iloc[-1].to_dict()
        show_kappa(console, study, last)
        show_verdict(console, last, study.reliability.gate)
        for words in (*bias_in_words(study), *recalibration_in_words(study)):
            say(console, words)
        if due(study).name != "verdict":
            say(console, f"Tiebreaks: {study.reviews.progress()}.")
        say(console, ground_truth_in_words(study, history))
    show_due(console, study)
    files = [("Disagreements", str(study.home.outputs / "disagreements.csv"))]
    files.append(("Tables, as Parquet, in", str(study.home.tables / "reliability")))
    for name, path in files:
        console.print(f"{name}: {path}", soft_wrap=True, highlight=False, markup=False)
    console.print(
        f"Report: {study.home.report('reliability')}", style="bold", soft_wrap=True, highlight=False, markup=False
    )


def bias_in_words(study: Study) -> list[str]:
    """Of each pair of judges whether one scores higher, and what another threshold would do."""
    bias, advice = stored_table(study, "bias_test"), stored_table(study, "threshold_advice")
    if bias is None or advice is None:
        return []
    words = []
    for row in bias[bias["test"] == "query_medians"].to_dict("records"):
        pair = f"{one_line(row['judge_1'])} and {one_line(row['judge_2'])}"
        if pd.isna(row["p"]):
            words.append(f"Bias of {pair}: not tested ({row['undefined']}).")
            continue
        found = _higher(row) if row["biased"] else _neither(row)
        words.append(f"Bias of {pair}: {found} (p {row['p']:.2g}, {queries(row['n'])}).")
    biased = biased_pairs(bias)
    for row in advice.to_dict("records"):
        due = (row["judge_1"], row["judge_2"]) in biased or pd.isna(row["threshold_advised"])
        pair = "" if len(advice) == 1 else f" by {one_line(row['judge_1'])} and {one_line(row['judge_2'])}"
        words.append(f"Threshold{pair}{'' if due else ', not due without a bias'}: {one_line(row['advice'], 200)}.")
    return words + _advised(study)


def _advised(study: Study) -> list[str]:
    """What the thresholds that are advised for a bias and not set yet would do to both kappas."""
    tables = stored_tables(study)
    if tables is None:
        return []
    now = thresholds_now(study, tables.query_kappa)
    advised = advised_thresholds(tables, now)
    return effect_in_words(study, now, {**now, **advised}) if advised else []


def interval_in_words(low: float | None, high: float | None, method: str) -> str:
    """Bounds behind a number, marked where they are of few queries; nothing where there are none."""
    if pd.isna(low) or pd.isna(high):
        return ""
    return f" [{low:.3f}, {high:.3f}]{' unreliable' if is_unreliable(method) else ''}"


def _higher(row: Mapping[Any, Any]) -> str:
    """Who scores higher, by the test: the median shift can be 0, where most differences are, or not to that side."""
    said = f"{one_line(row['higher_judge'])} scores higher"
    toward, low, high = row["shift"], row["shift_low"], row["shift_high"]
    if row["higher_judge"] != row["judge_1"]:
        # Plus 0, so that no -0.000 is printed.
        toward, low, high = -toward + 0.0, -high + 0.0, -low + 0.0
    bounds = interval_in_words(low, high, row["interval_method"])
    if toward > 0:
        return f"{said} by {toward:.3f}{bounds}"
    return f"{said} where they differ; the median shift is {toward:.3f}{bounds}"


def _neither(row: Mapping[Any, Any]) -> str:
    bounds = interval_in_words(row["shift_low"], row["shift_high"], row["interval_method"])
    less = f"{one_line(row['judge_1'])} less {one_line(row['judge_2'])}"
    return f"neither is shown to score higher; the median shift of {less} is {row['shift']:+.3f}{bounds}"


def recalibration_in_words(study: Study) -> list[str]:
    """What judging again did to the macro, in each part of the queries; nothing before a recalibration."""
    table = stored_table(study, "recalibration")
    if table is None or table.empty:
        return []
    words = []
    for row in table[table["statistic"] == "kappa_macro"].to_dict("records"):
        if row["part"] not in PARTS:
            continue
        change = f"not defined ({row['undefined']})"
        if not pd.isna(row["change"]):
            change = f"{row['before']:.3f} -> {row['after']:.3f}"
            bounds = interval_in_words(row["change_low"], row["change_high"], row["method"])
            change += f", change {row['change']:+.3f}{bounds or ' without an interval'}"
        words.append(f"Kappa macro, {PARTS[row['part']]} ({queries(row['n_queries'])}): {change}.")
    started, judgments = judged_again(study.validations), stored_table(study, "judgments")
    documents = stored_table(study, "query_documents")
    if started is not None and judgments is not None and documents is not None:
        again = judged_again_now(judgments, documents, started, study.reliability)
        said = one_line(again.sentence, LONGEST_REASON)
        if not again.n_counting:
            # Kappa before and after is one and the same: it says nothing of the prompt.
            return [f"Recalibration has changed nothing yet: {said}"]
        words.insert(0, said)
    return [f"Recalibrated under {one_line(str(table['prompt_version'].iloc[0]))}:", *(f"  {one}" for one in words)]
