"""How `touchstone calls` looks on the terminal and in its CSV; whatever a judge wrote cannot do harm there."""

from __future__ import annotations

import csv
import re
import sys
import unicodedata
from collections import defaultdict
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from rich import box
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from resources.database.call_queries import ANCHOR_CALLS, GOLDEN_CALLS, RELEVANCE_CALLS, STUDY_CALLS
from resources.errors import UserError
from resources.runtime.opened_files import real_path
from resources.runtime.partial_files import is_device, write_whole
from resources.tables.call_states import ANSWER_STATES, FAULT_STATES

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd
    from rich.console import Console

KINDS = {STUDY_CALLS: "", GOLDEN_CALLS: "golden", ANCHOR_CALLS: "anchor", RELEVANCE_CALLS: "relevance"}
PRICE = {"tokens_in": "tokens in", "tokens_cached": "of them cached", "tokens_out": "tokens out", "cost_usd": "USD"}
SHOWN_CALLS, SHOWN_MESSAGES = 50, 10
TO_STDOUT = ("-", "/dev/stdout")
_LONGEST_MESSAGE = 300
_PARTICULARS = re.compile(r"'[^']*'|\"[^\"]*\"|\d+(\.\d+)?")
_FORMULA = ("=", "+", "-", "@")


def plain(words: object, longest: int | None = None) -> str:
    """Text of any origin in one line: no control character, nothing that turns the writing round."""
    kept = "".join(
        letter if not unicodedata.category(letter).startswith("C") else " " if letter.isspace() else "\ufffd"
        for letter in str(words)
    )
    kept = " ".join(kept.split())
    return kept if longest is None or len(kept) <= longest else f"{kept[: longest - 1]}…"


def show_counts(
    counts: pd.DataFrame, study: str, identity: str, settings: tuple[str, ...] | None, console: Console
) -> None:
    """Settings by states, with tokens and cost; golden images and anchors as groups of their own."""
    ours = counts[counts["judge_identity"] == identity]
    if settings is not None:
        ours = ours[ours["setting"].isin(settings)]
    judge = counts[counts["judge_identity"] == identity].iloc[0]
    console.print(f"Study {study}, judge {plain(judge['judge'])} {plain(judge['model_asked'])} ({identity})")
    if ours.empty:
        console.print("No call at these settings.")
        return
    states = [state for state in (*ANSWER_STATES, *FAULT_STATES) if state in set(ours["state"])]
    by_state = ours.pivot_table(index=["kind", "setting"], columns="state", values="n", aggfunc="sum", fill_value=0)
    sums = ours.groupby(["kind", "setting"])[["n", *PRICE]].sum()
    counted = by_state[states].assign(n=sums["n"])
    for headings in _that_fit(counted, {"n": "attempts"} | {one: one for one in states}, console.width):
        console.print(_grouped(counted, headings))
    if sums[list(PRICE)].to_numpy().any():
        for headings in _that_fit(sums, PRICE, console.width):
            console.print(_grouped(sums, headings))
    n_faults = ours[ours["state"].isin(FAULT_STATES)]["n"].sum()
    n_answers = ours["n"].sum() - n_faults
    console.print(f"{n_answers:,} answers and {n_faults:,} faults; a fault is asked again in the next run.")
    if again := ours["n_second"].sum():
        console.print(f"{again:,} calls were tried more than once: table retried_calls compares them with the others.")


def _that_fit(numbers: pd.DataFrame, headings: dict[str, str], width: int) -> list[dict[str, str]]:
    """The columns in as many tables next to their settings as the terminal's width takes."""
    between = 2  # the table's own spaces
    first = max(len(plain(setting)) for setting in numbers.index.get_level_values("setting")) + 2 * between
    parts: list[dict[str, str]] = [{}]
    left = width - first
    for name, heading in headings.items():
        taken = max(_longest_word(heading), len(_counted(name, numbers[name].sum()))) + between
        if parts[-1] and taken > left:
            parts.append({})
            left = width - first
        parts[-1][name] = heading
        left -= taken
    return parts


def _longest_word(heading: str) -> int:
    return max(map(len, heading.replace("_", " ").split()))


def _grouped(numbers: pd.DataFrame, headings: dict[str, str]) -> Table:
    """A row for each setting, golden images and anchors below titles of their own, and the sums."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_footer=True)
    table.add_column("setting", footer="all", no_wrap=True)
    for name, heading in headings.items():
        # By words, so that a narrow terminal breaks a heading rather than cutting it.
        words = heading.replace("_", " ")
        table.add_column(
            words,
            footer=_counted(name, numbers[name].sum()),
            justify="right",
            vertical="bottom",
            overflow="fold",
            min_width=_longest_word(heading),
        )
    for kind, title in KINDS.items():
        group = numbers[numbers.index.get_level_values("kind") == kind]
        if title and len(group):
            table.add_row(Text(title, style="bold"))
        for setting, row in zip(group.index.get_level_values("setting"), group.to_dict("records"), strict=True):
            table.add_row(plain(setting), *(_counted(name, row[name]) for name in headings))
    return table


def _counted(name: str, number: float) -> str:
    if name == "cost_usd":
        return f"{number:.2f}"
    return f"{int(number):,}" if number else ""


def show_messages(messages: Iterable[tuple[str, str, int]], console: Console) -> None:
    """The most frequent ones; those that differ in numbers and quoted words only count as one."""
    alike: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
    for state, message, count in messages:
        alike[(state, _PARTICULARS.sub("…", message))].append((count, message))
    if not alike:
        return
    often = sorted(((sum(n for n, _ in same), max(same)[1], state) for (state, _), same in alike.items()), reverse=True)
    grid = Table.grid(padding=(0, 1, 0, 0))
    for count, message, state in often[:SHOWN_MESSAGES]:
        grid.add_row(f"{count:,}", state, plain(message, _LONGEST_MESSAGE))
    console.print("Most frequent messages, with one of each kind:")
    console.print(grid)
    if len(often) > SHOWN_MESSAGES:
        console.print(f"and {len(often) - SHOWN_MESSAGES} other kinds of message: `--state` lists the calls.")


def show_other_judges(counts: pd.DataFrame, identity: str, console: Console) -> None:
    """A line for each other judge of the study."""
    others = counts[counts["judge_identity"] != identity]
    if others.empty:
        return
    console.print("Other judges in this study, whose answers are not used for this one:")
    grid = Table.grid(padding=(0, 2, 0, 0))
    for (judge, model, other), rows in others.groupby(["judge", "model_asked", "judge_identity"]):
        usd = rows["cost_usd"].sum()
        grid.add_row(f"  {plain(judge)}", plain(model), plain(other), f"{rows['n'].sum():,} attempts", f"{usd:.2f} USD")
    console.print(grid)
    console.print("`--judge` with the model or the identity shows one of them.")


def show_single(single: pd.DataFrame, console: Console) -> None:
    """The single calls, the first of them where there are many."""
    if single.empty:
        console.print("No call in this state.")
        return
    for row in single.head(SHOWN_CALLS).itertuples():
        console.print(
            f"{plain(row.setting):<10}  {plain(row.object)}  repeat {row.repeat}, attempt {row.attempt}, "
            f"{plain(row.state)}, {row.cost_usd:.4f} USD"
        )
        if row.fault_message is not None:
            console.print(Padding(plain(row.fault_message, _LONGEST_MESSAGE), (0, 0, 0, 4)))
    rest = len(single) - SHOWN_CALLS
    more = f"; the {rest:,} others are in --csv" if rest > 0 else ""
    console.print(f"{len(single):,} attempts, {single['cost_usd'].sum():.4f} USD{more}.")


def write_csv(single: pd.DataFrame, path: Path) -> None:
    """The single calls as CSV, UTF-8; a message cannot be taken for a formula.

    Raises:
        UserError: The file cannot be written.
    """
    if str(path) in TO_STDOUT:
        _write_rows(single, sys.stdout)
        return
    rows = StringIO(newline="")
    _write_rows(single, rows)
    try:
        if is_device(path):  # no file must take its place
            with path.open("w", encoding="utf-8", newline="") as file:
                file.write(rows.getvalue())
        else:
            write_whole(real_path(path), rows.getvalue())
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror}).") from error


def _write_rows(single: pd.DataFrame, file: TextIO) -> None:
    writer = csv.writer(file)
    writer.writerow(single.columns)
    for row in single.itertuples(index=False):
        writer.writerow([_cell(value) for value in row])


def _cell(value: object) -> str:
    if value is None or value != value:
        return ""
    if not isinstance(value, str):
        return str(value)
    words = plain(value)
    return f"'{words}" if words.startswith(_FORMULA) else words
