"""A study's verdict on the terminal: first of all, then what fails and what to do, one table, and one line of notes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import dagster as dg
import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from analysis.verdict.stated import Stated
from analysis.words import count_noun, decimals, with_bounds
from assets.shared.table_gates import gate_of
from pipeline.command_line.status_shown import STYLES
from pipeline.command_line.study_state import FAIL, NOTE, STOP, GateState, kind_of
from pipeline.command_line.terminal import show_line
from reports.shared.numbers import usd_decimals
from reports.shared.verdict import answer_of, lines_in_short, lines_of, stated_of, style_of
from resources.configuration.made_up import StudyName
from resources.runtime.home import Home
from resources.runtime.sanitize import one_line
from resources.study import Study

SHOWN_VERDICTS: Final = 3
SHOWN_FAILURES: Final = 2
# Below each question, in short.
MOST_LINES: Final = 4
LONGEST: Final = 300
# Of the table `judge_comparison`; the page has the rest and the differences.
SIDE_BY_SIDE: Final = {
    "spearman": "Spearman with people",
    "mae": "MAE",
    "icc": "ICC(1,k)",
    "cost_per_object_usd": "USD an object",
}
CANNOT_SAY: Final = "cannot say"
# What a verdict's number against people is, by name; of two judges, means or one person the first condition is.
OWN: Final = "agreement with people"


def stored_verdicts(home: Home, study: str) -> pd.DataFrame | None:
    """A study's table `*_trust_verdict`; none where it was not made."""
    path = home.tables / study / f"{study}_trust_verdict.parquet"
    return pd.read_parquet(str(path)) if path.exists() else None


def stops_of(checks: Iterable[dg.AssetCheckEvaluation]) -> list[dg.AssetCheckEvaluation]:
    """The integrity gates that fail."""
    return [one for one in checks if not one.passed and kind_of(one) == STOP]


def show_verdict_first(
    home: Home, study: str, console: Console, stops: Iterable[dg.AssetCheckEvaluation] = (), *, most: int | None = None
) -> None:
    """The question and the word, the reasons below; where an integrity gate fails nothing can be said."""
    for gate in list(stops)[:1]:
        console.print(Text.assemble("Verdict: ", (CANNOT_SAY, style_of(CANNOT_SAY))), highlight=False)
        said = f"{gate.check_name}: {gate.description}"
        show_line(console, one_line(said, LONGEST), 2)
        return
    frame = stored_verdicts(home, study)
    for one in [] if frame is None else stated_of(frame):
        show_line(console, verdict_line(one))
        for line in lines_of(one) if most is None else lines_in_short(one, most):
            show_line(console, line, 2)
    path = home.tables / study / "judge_comparison.parquet"
    compared = pd.read_parquet(str(path)) if study == "fidelity" and path.exists() else None
    if compared is not None and len(set(compared["judge"])) > 1:
        _show_judges(compared, console)


def _show_judges(frame: pd.DataFrame, console: Console) -> None:
    """The judges of a study side by side, each with the letters of those that it is not distinguishable from."""
    alone = frame[frame["other"].isna()]
    seen = alone[alone["value"].notna()]
    if seen.empty:
        return
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for name in ("judge", *SIDE_BY_SIDE.values()):
        table.add_column(name, justify="left" if name == "judge" else "right", no_wrap=True)
    for judge, own in alone.groupby("judge", sort=False):
        by_statistic = {row["statistic"]: row for row in own.to_dict("records")}
        table.add_row(one_line(str(judge), 24), *(_of_judge(by_statistic.get(name)) for name in SIDE_BY_SIDE))
    basis, n = seen["basis"].iloc[0], int(seen["n"].max())
    said = f"The judges on the same {count_noun(n, 'object')} ({basis}); a letter in common: not distinguishable (Holm)"
    show_line(console, said)
    console.print(table)


def _of_judge(row: Mapping[Any, Any] | None) -> str:
    if row is None or pd.isna(row["value"]):
        return "-"
    value = float(row["value"])
    is_cost = str(row["statistic"]).startswith("cost")
    number = f"{value:.{usd_decimals(value)}f}" if is_cost else decimals(value)
    if row["statistic"] == "spearman" and not pd.isna(row["value_low"]):
        number = with_bounds(value, float(row["value_low"]), float(row["value_high"]))
    return f"{number} {row['letters']}" if isinstance(row["letters"], str) else number


def verdict_line(one: Stated) -> Text:
    """Question and word, the word in the colour that it has everywhere."""
    found = answer_of(one)
    return Text.assemble(f"{found.question.plain('en')} ", (found.word.plain("en"), style_of(one.verdict.word)))


def verdict_lines(home: Home, study: str, stops: Sequence[GateState]) -> tuple[Text, ...]:
    """The verdict in a line for each question that the study answers, for `touchstone status`."""
    if stops:
        word = Text(CANNOT_SAY, style_of(CANNOT_SAY))
        return (word.append(f": {stops[0].table}: {stops[0].name} stops the study", "default"),)
    frame = stored_verdicts(home, study)
    return () if frame is None else tuple(map(verdict_line, stated_of(frame)))


def show_in_short(
    study: Study, name: StudyName, console: Console, checks: Iterable[dg.AssetCheckEvaluation], also: str = ""
) -> None:
    """A study in a dozen lines: the verdict, what fails and what to do, one table, and how many notes there are."""
    failing = [one for one in checks if not one.passed]
    stops = stops_of(failing)
    show_verdict_first(study.home, name, console, stops, most=MOST_LINES)
    hard = [*stops, *(one for one in failing if kind_of(one) == FAIL)]
    for one in hard[:SHOWN_FAILURES]:
        kind, gate = kind_of(one), gate_of(one)
        to_do = f" {gate.remedy}" if gate.remedy else ""
        words = Text(f"{kind} ", STYLES[kind]).append(
            one_line(f"{one.check_name}:{to_do or f' {gate.sentence}'}", 150), "default"
        )
        show_line(console, words)
    if len(hard) > SHOWN_FAILURES:
        names = ", ".join(one.check_name for one in hard[SHOWN_FAILURES:])
        show_line(console, f"{count_noun(len(hard) - SHOWN_FAILURES, 'more gate')} fail: {names}")
    frame = stored_verdicts(study.home, name)
    if frame is not None and not stops:
        console.print(table_of(stated_of(frame, leading=False)))
    notes = sum(kind_of(one) == NOTE for one in failing)
    said = [f"{count_noun(notes, 'note')}: touchstone status --study {name}."] if notes else []
    said += [also] if also else []
    made_up = study.made_up.get(name, ())
    said += [f"Made up: {', '.join(one.replace('_', ' ') for one in made_up)}."] if made_up else []
    if said:
        show_line(console, " ".join(said), style="bright_black")


def table_of(every: list[Stated]) -> Table:
    """The verdicts of a study side by side, those that answer its question first; people's column where there are."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    with_people = any(one.people for one in every)
    for name in ("which", "verdict", "agreement", *(("people's own",) if with_people else ()), "n"):
        table.add_column(name, justify="left" if name in ("which", "verdict") else "right", no_wrap=True)
    for one in every[:SHOWN_VERDICTS]:
        conditions = one.verdict.conditions
        own = next((c for c in conditions if c.name == OWN), conditions[0] if conditions else None)
        seen = "-" if own is None or own.estimate is None else with_bounds(own.estimate, own.low, own.high)
        people = next((person for person in one.people if not person.name), None)
        theirs = "-" if people is None or people.person is None else decimals(people.person)
        n = "-" if own is None or own.n is None else f"{own.n:,}"
        # Whom it agrees with is in the line above the table.
        short = one.verdict.word.partition(" with ")[0]
        word = Text(short, style=style_of(one.verdict.word))
        name = one_line(one.place or one.judge, 27)
        table.add_row(name, word, seen, *((theirs,) if with_people else ()), n)
    if len(every) > SHOWN_VERDICTS:
        table.add_row(f"and {len(every) - SHOWN_VERDICTS} more", *[""] * (3 + with_people))
    return table
