"""What the terminal shows of study D: kappa, status and its flags, the history, what is due; also as Markdown."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from analysis.agreement.consensus import NO_DOCUMENT, NO_VOTE, TIED
from analysis.agreement.contingency import CONTINGENCY, PASSED, RESOLVED, ContingencyStep
from analysis.agreement.kappa import macro_says_little
from analysis.agreement.landis_koch import landis_koch
from analysis.intervals.measured import reliable_from
from analysis.ties import compare
from analysis.words import count_noun, distinct_numbers, queries
from analysis.words import queries as in_queries
from assets.reliability.ground_truth import GONE, SINCE, why_left_out
from assets.reliability.logic.contingency_state import REVIEW, RUN, due, next_command, no_verdict, nobody_to_judge_again
from assets.reliability.logic.verdict import CHOSEN_LOW, DECIDED, unproven
from pipeline.command_line.terminal import grid
from reports.reliability.summary import said_of_grades, said_of_one_answer
from reports.shared.text import LANGUAGES
from resources.configuration.reliability import ReliabilityGate
from resources.errors import listing
from resources.runtime.sanitize import in_markdown, one_line
from resources.study import Study, stored_table

NAME = 24
WHY_LEFT_OUT: Final = {
    NO_VOTE: "the judges differ on a document without a vote",
    TIED: "the judges differ on a document and people's votes on it are tied",
    NO_DOCUMENT: "no document has a score of every judge or people's decision",
    GONE: "the input does not have the query now",
    SINCE: "the last label came after ground truth was written: the next validation that allows it adds the query",
}
STYLES: Final = {PASSED: "green", CONTINGENCY: "red", RESOLVED: "green"}
SHOWN_VALIDATIONS = 20
LONGEST_REASON = 400


def show_kappa(console: Console, study: Study, last: Mapping[Any, Any]) -> None:
    """Both kappas with intervals, bands and limits, and how many queries are behind them."""
    gate, level = study.reliability.gate, f"{100 * study.reliability.confidence:g} %"
    table = grid("", ">seen", f"{level} CI", "band", "needed", gap=2, wrapped=())
    little = says_little(last)
    both = (("macro", gate.min_macro), ("micro", gate.min_micro))
    for name, limit in reversed(both) if little else both:
        value = float(last[f"kappa_{name}"])
        low, high = last[f"kappa_{name}_low"], last[f"kappa_{name}_high"]
        bounds = "none" if pd.isna(low) or pd.isna(high) else f"[{low:.3f}, {high:.3f}]{few_queries(last)}"
        missed = bool(compare(value, limit) < 0)
        seen = distinct_numbers(value, limit)[0] if missed and f"{value:.3f}" == f"{limit:.3f}" else f"{value:.3f}"
        band = "" if little and name == "macro" else landis_koch(value)
        table.add_row(f"kappa {name}", seen, bounds, band, _needed(f">= {limit:g}", missed=missed))
    low, most = 100 * float(last["low_share"]), 100 * gate.max_low_share
    missed = bool(compare(low, most) > 0)
    share = distinct_numbers(low, most)[0] if missed and f"{low:.1f}" == f"{most:.1f}" else f"{low:.1f}"
    table.add_row(f"queries below {gate.low_kappa:g}", f"{share} %", "", "", _needed(f"<= {most:g} %", missed=missed))
    judges = " and ".join(one_line(str(last[name]), NAME) for name in ("judge_1", "judge_2"))
    say(console, f"Judges {judges}: {counts(last)}.")
    if decides := pair_in_words(last):
        say(console, f"They are {decides}.")
    console.print(table)
    judgments = stored_table(study, "judgments")
    thresholds = {str(name): float(value) for name, value in json.loads(last["thresholds"]).items()}
    for sentence in (
        ()
        if judgments is None
        else said_of_grades(
            judgments, (str(last["judge_1"]), str(last["judge_2"])), thresholds, study.reliability.grades
        )
    ):
        say(console, sentence.plain(LANGUAGES[0]))
    if little:
        say(console, "Micro leads: most queries have one label or one document, so macro is mostly a convention.")
    if last["n_undefined"]:
        defined = last["kappa_macro_defined"]
        without = "not defined" if pd.isna(defined) else f"{defined:.3f}"
        say(
            console,
            f"Macro counts as 1 where both judges give every document one label ({in_queries(last['n_undefined'])}); "
            f"without {'it' if last['n_undefined'] == 1 else 'these'} it is {without}.",
        )


def says_little(last: Mapping[Any, Any]) -> bool:
    """Whether the macro of a row of `kappa_validation` is mostly a convention."""
    return macro_says_little(*(int(last[name]) for name in ("total_queries", "n_undefined", "n_documents")))


def show_one_answer(console: Console, study: Study) -> None:
    """Which judges answer everything alike; it comes first, as kappa may not be defined for that very reason."""
    judgments = stored_table(study, "judgments")
    for sentence in said_of_one_answer(judgments) if judgments is not None else ():
        say(console, sentence.plain(LANGUAGES[0]), style="bold red")


def _needed(limit: str, *, missed: bool) -> Text:
    return Text.assemble(limit, ("  missed", "red")) if missed else Text(limit)


def pair_in_words(last: Mapping[Any, Any]) -> str:
    """Of how many pairs of judges this one decides, and why this one; nothing for two judges."""
    n_judges = len(json.loads(last["thresholds"]))
    if n_judges <= 2:
        return ""
    n_pairs = n_judges * (n_judges - 1) // 2
    return f"the pair that decides of {n_pairs}: of the pairs that fail, else of all, the one with the lowest macro"


def few_queries(last: Mapping[Any, Any]) -> str:
    """A mark behind an interval of too few queries to rely on, else nothing."""
    return " unreliable" if last["total_queries"] < reliable_from("kappa") else ""


def show_verdict(console: Console, last: Mapping[Any, Any], limits: ReliabilityGate) -> None:
    """The status in a line, why, and the flags in words."""
    status = str(last["status"])
    console.print(Text.assemble("Status: ", (status.replace("_", " "), f"bold {STYLES[status]}"), "."))
    if status == PASSED:
        say(console, str(last["notes"]), style="green")
    if status == RESOLVED:
        # The conditions that are missed stand in the table.
        say(console, DECIDED)
    for words in flags_in_words(last, limits):
        console.print(Text.assemble(("note ", "yellow"), words))


def flags_in_words(last: Mapping[Any, Any], limits: ReliabilityGate) -> list[str]:
    """What is to be said next to a verdict."""
    words = []
    if last["not_proven"]:
        words.append(f"It is not proven: {unproven(last, limits)}. More queries would narrow the intervals.")
    if last["depends_on_convention"]:
        words.append(
            "It depends on the convention that a query with one and the same label everywhere counts as 1: sample "
            "queries with relevant and irrelevant documents."
        )
    return words


def history_table(history: pd.DataFrame, first: int = 1) -> Table:
    """Every validation, the first one first, with what happened before it; `first` is the number of the first row."""
    wrapped = ("status", "steps before it")
    table = grid(">no", "when (UTC)", ">macro", ">micro", *wrapped, gap=2, wrapped=wrapped)
    # Numbers of the database go over all studies in it; readers count their own.
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
                words.append(count_noun(step["n_votes"], "vote"))
            case "thresholds_accepted":
                accepted = listing(f"{one_line(name, NAME)} {value:.3g}" for name, value in step["thresholds"].items())
                words.append(f"threshold {accepted} accepted{who}")
            case "recalibration_started":
                words.append(f"{in_queries(len(step['queries']))} judged again{who}")
            case "manual_review_opened":
                words.append(f"manual review opened{who}")
    return words


def show_due(console: Console, study: Study) -> ContingencyStep:
    """The step that is due and the command for it; its hint where it cannot be taken yet."""
    step = due(study)
    say(console, f"Due: {step.sentence}" if step.name != "none" else step.sentence)
    if step.name == "recalibrate" and (lacking := nobody_to_judge_again(study)):
        say(console, lacking)
        return step
    if step.name == "more_data":
        plan = study.reliability
        where = plan.queries if plan.postgres is None else f"Postgres table {plan.postgres.table}"
        console.print(f"Input: {where}", soft_wrap=True, highlight=False, markup=False)
    console.print(Text.assemble("Next: ", (next_command(study, step), "bold")))
    return step


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
    total = len(study.queries.query_rows())
    whole = len(written) >= total
    how_many = in_queries(total) if whole else f"{len(written):,} of {in_queries(total)}"
    return (
        f"Ground truth: {how_many} written, {people} of them with documents that people "
        f"decided (validation {number}{later}).{'' if whole else f' {_left_out(study, total - len(written))}'}"
    )


def _left_out(study: Study, n: int) -> str:
    """How many queries have no ground truth for which reason, and what to do where something can be done."""
    judgments, documents = (stored_table(study, name) for name in ("judgments", "query_documents"))
    if judgments is None or documents is None:
        return f"{n:,} left out; the tables that say why are not in this home: `{RUN}` makes them."
    reasons = Counter(why_left_out(study, judgments, documents).values())
    causes = [(count, WHY_LEFT_OUT[why]) for why, count in reasons.most_common()]
    if len(causes) == 1:
        said = f"{n:,} left out, because {causes[0][1]}."
    else:
        said = f"{n:,} left out: {'; '.join(f'{count:,} because {why}' for count, why in causes)}."
    if reasons.keys() & {NO_VOTE, TIED}:
        said += f" `{REVIEW}` decides it, and the next validation that allows ground truth adds the query."
    return said


def counts(last: Mapping[Any, Any]) -> str:
    """Queries and documents behind a validation."""
    return f"{in_queries(int(last['total_queries']))}, {count_noun(int(last['n_documents']), 'document')}"


def say(console: Console, words: str, style: str = "") -> None:
    """Words as they are, whatever signs of markup stand in them."""
    console.print(Text(words, style=style))


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
    if due(study).name != "verdict":
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
    kappas = ("micro", "macro") if says_little(last) else ("macro", "micro")
    rows = {
        "Date": f"{last['timestamp']:%Y-%m-%d}",
        "Status": _words(last),
        **{f"Kappa {name} ({level} CI)": _kappa(last, name) for name in kappas},
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
    band = "" if name == "macro" and says_little(last) else f", {landis_koch(float(value))}"
    return f"{value:.2f} ({bounds}){band}"


def _versions(query_kappa: pd.DataFrame | None, last: dict[Any, Any]) -> str:
    """The prompt versions that count, with the number of queries under each."""
    if query_kappa is None:
        return "not known in this home"
    ours = query_kappa[(query_kappa["judge_1"] == last["judge_1"]) & (query_kappa["judge_2"] == last["judge_2"])]
    found = Counter(ours["prompt_version"])
    return ", ".join(f"{in_markdown(version)} ({queries(n)})" for version, n in found.items())
