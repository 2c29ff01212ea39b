"""What a run of study D found, on the terminal: kappa, status, bias, what judging again did, and what is due."""

import pandas as pd
from rich.console import Console

from assets.contingency_state import stored_table
from assets.reliability.bias_test import biased_pairs
from assets.reliability.reliability_report import report_path
from pipeline.command_line.reliability_shown import (
    ground_truth_in_words,
    no_verdict,
    say,
    show_due,
    show_kappa,
    show_verdict,
)
from pipeline.command_line.terminal_text import one_line
from resources.study import Study

PARTS = {"all": "all queries", "judged_again": "judged again", "held_out": "of these held out"}


def show_reliability(study: Study, console: Console) -> None:
    """The latest validation, the tables beside it, and what follows."""
    console.print()
    history = study.validations.validations()
    if reason := no_verdict(study):
        say(console, f"No verdict: {reason}. No validation was recorded.", "yellow")
    elif len(history):
        last = history.iloc[-1].to_dict()
        show_kappa(console, study, last)
        show_verdict(console, last)
        for words in (*bias_in_words(study), *recalibration_in_words(study)):
            say(console, words)
        say(console, f"Tiebreaks: {study.reviews.progress()}.")
        say(console, ground_truth_in_words(study, history))
    show_due(console, study)
    files = [("Disagreements", str(study.home.outputs / "disagreements.csv"))]
    files.append(("Tables, as Parquet, in", str(study.home.tables / "reliability")))
    for name, path in files:
        console.print(f"{name}: {path}", soft_wrap=True, highlight=False, markup=False)
    console.print(f"Report: {report_path(study)}", style="bold", soft_wrap=True, highlight=False, markup=False)


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
        higher = row["judge_1"] if row["shift"] > 0 else row["judge_2"]
        found = f"{one_line(higher)} scores higher" if row["biased"] else "neither scores higher"
        words.append(f"Bias of {pair}: {found} (p {row['p']:.2g}, shift {row['shift']:+.3f}, {row['n']} queries).")
    biased = biased_pairs(bias)
    for row in advice.to_dict("records"):
        due = (row["judge_1"], row["judge_2"]) in biased or pd.isna(row["threshold_advised"])
        words.append(f"Threshold{'' if due else ', not due without a bias'}: {one_line(row['advice'], 200)}.")
    return words


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
        words.append(f"Kappa macro, {PARTS[row['part']]} ({row['n_queries']} queries): {change}.")
    return [f"Recalibrated under {one_line(str(table['prompt_version'].iloc[0]))}:", *(f"  {one}" for one in words)]
