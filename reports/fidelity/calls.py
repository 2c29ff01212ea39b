"""Calls, faults, exclusions, retries and cost: what was left out of the numbers, and what they took."""

from math import ceil
from typing import Any

import pandas as pd

from reports.fidelity.contents import WORDS, Contents, say
from reports.shared.numbers import interval, is_number, number, usd, whole
from reports.shared.phrases import phrase
from reports.shared.table_view import Head, TableView
from reports.shared.text import Part, Text, joined
from resources.tables.call_states import ANSWER_STATES, FAULT_STATES, SCORED_STATES


def states_table(contents: Contents) -> TableView | None:
    """How often each state came, by setting; only states that came."""
    calls = contents.tables["judge_calls"]
    if calls.empty:
        return None
    states = [state for state in (*ANSWER_STATES, *FAULT_STATES) if (calls["state"] == state).any()]
    heads = [Head(say("head.setting"), numeric=False), Head(say("head.attempts"))]
    heads += [Head(say(f"state.{state}"), term="json_validity") for state in states]
    counts = calls.groupby(["setting", "state"]).size()
    rows = []
    for key in contents.settings:
        of_setting: dict[str, int] = {state: int(counts.get((key, state), 0)) for state in states}
        rows.append(
            [contents.named(key), whole(sum(of_setting.values())), *(whole(of_setting[state]) for state in states)]
        )
    return TableView(say("calls.states"), heads, rows)


def said_of_faults(contents: Contents) -> Text:
    """Whether everything was answered."""
    calls = contents.tables["judge_calls"]
    n_faults = int(calls["state"].isin(FAULT_STATES).sum())
    n_unusable = int((calls["state"].isin(ANSWER_STATES) & ~calls["state"].isin(SCORED_STATES)).sum())
    parts = {"faults": whole(n_faults), "unusable": whole(n_unusable)}
    return say("calls.some" if n_faults + n_unusable else "calls.none", n=whole(len(calls)), **parts)


def exclusions_table(contents: Contents) -> TableView | None:
    """Objects that are not judged, by cause."""
    objects = contents.tables["study_objects"]
    left_out = objects[objects["excluded"].notna()]
    if left_out.empty:
        return None
    heads = [
        Head(say("head.cause"), numeric=False),
        Head(say("head.objects")),
        Head(say("head.which"), numeric=False, wide=True),
    ]
    rows: list[list[Part]] = []
    for cause, part in left_out.groupby("excluded"):
        key = f"cause.{cause}"
        named = [f"{row['item_id']} ({row['object']})" for row in part.head(10).to_dict("records")]
        more = [say("calls.and_more", n=whole(len(part) - 10))] if len(part) > 10 else []
        words: Part = say(key) if WORDS.has(key) else str(cause)
        rows.append([words, whole(len(part)), joined([*named, *more])])
    return TableView(say("calls.exclusions"), heads, rows)


def retried_table(contents: Contents) -> TableView | None:
    """Retried calls against the other repeats of the same objects."""
    frame = contents.tables["retried_calls"]
    if frame.empty or not frame["n_retried_calls"].sum():
        return None
    heads = [
        Head(say("head.setting"), numeric=False),
        Head(say("head.calls")),
        Head(say("head.retried"), term="retried"),
        Head(say("head.retried_answers")),
        Head(say("head.objects")),
        Head(say("head.retried_difference"), term="retried"),
        Head(say("head.interval")),
        Head(say("head.mae_retried")),
        Head(say("head.mae_others")),
        Head(say("head.note"), numeric=False, wide=True),
    ]
    rows: list[list[Part]] = []
    for key in contents.settings:
        row = contents.row("retried_calls", key)
        counts = [whole(row[f"n_{name}"]) for name in ("calls", "retried_calls", "retried_answers", "retried_objects")]
        note = phrase(row["undefined"]) if row["undefined"] and not is_number(row["difference"]) else ""
        errors = [number(row["mae_retried"]), number(row["mae_others"])]
        bounds = interval(row["difference_low"], row["difference_high"])
        rows.append([contents.named(key), *counts, number(row["difference"]), bounds, *errors, note])
    return TableView(say("calls.retried"), heads, rows)


def cost_table(contents: Contents) -> TableView | None:
    """Money, tokens and time by setting."""
    calls = contents.tables["judge_calls"]
    if calls.empty:
        return None
    heads = [
        Head(say("head.setting"), numeric=False),
        Head(say("head.cost"), term="cost"),
        Head(say("head.cost_per_item"), term="cost"),
        *(Head(say(f"head.{name}")) for name in ("tokens_in", "tokens_out", "tokens_cached", "latency")),
        Head(say("head.repeats_needed"), term="repeats_needed"),
        Head(say("head.repeats_most"), term="repeats_needed"),
    ]
    rows: list[list[Part]] = []
    for key in contents.settings:
        of_setting, chosen = calls[calls["setting"] == key], contents.row("recommended_setting", key)
        cells: list[Part] = [usd(of_setting["cost_usd"].sum()), usd(chosen["cost_per_item_usd"])]
        cells += [_total(of_setting[f"tokens_{name}"]) for name in ("in", "out", "cached")]
        latency = of_setting["latency_ms"].median() if len(of_setting) else None
        cells.append(number(latency, 0 if latency is not None and latency >= 10 else 1))
        median = chosen["repeats_needed_median"]
        needed = [whole(ceil(median) if is_number(median) else None), whole(chosen["repeats_needed_most"])]
        rows.append([contents.named(key), *cells, *needed])
    return TableView(say("calls.cost"), heads, rows)


def _total(column: pd.Series) -> Text:
    """A sum, or nothing where no call states any."""
    known: Any = column.dropna()
    return whole(int(known.sum()) if len(known) else None)
