"""Judges side by side on the page: one that is not compared is named with the reason, also if it was never run."""

from types import SimpleNamespace
from typing import cast

import pandas as pd

from reports.fidelity.contents import Contents
from reports.fidelity.judges import pairs_table, said_of_judges
from resources.tables.fidelity.decision import JUDGE_COMPARISON


def test_a_judge_that_was_not_run_is_named_and_the_one_that_saw_the_golden_set() -> None:
    shared = {"statistic": "mae", "basis": "all objects: each judge has one setting"}
    rows = [
        shared | {"judge": "gpt", "value": 0.1},
        shared | {"judge": "claude", "undefined": "no object is valid for every judge"},
    ]
    frame = pd.DataFrame(rows).reindex(columns=[column.name for column in JUDGE_COMPARISON.columns])
    plan = SimpleNamespace(judges=dict.fromkeys(("gpt", "claude", "mistral")))
    sight = pd.DataFrame({"setting": ["claude@t0.2_p1.0", "claude@t0.2_p1.0"]})
    tables = {"judge_comparison": frame, "sensitivity": sight}
    said = said_of_judges(cast(Contents, SimpleNamespace(tables=tables, plan=plan)))
    assert [one.plain("en") for one in said[1:]] == [
        "claude is not compared: no object is valid for every judge.",
        "mistral is not compared: none of its settings was run.",
        "The golden set was judged by claude alone: "
        "the verdicts of the others do not cover what was altered on purpose.",
    ]
    assert said[2].plain("it") == "mistral non è confrontato: nessuna delle sue impostazioni è stata eseguita."


def test_the_bounds_of_a_small_price_have_as_many_digits_as_the_price() -> None:
    row = {"judge": "gpt", "other": "claude", "statistic": "cost_per_point_usd", "value": -0.000081, "p_holm": 0.01}
    row |= {"value_low": -0.000085, "value_high": -0.000077, "method": "delete-one jackknife, 6 clusters"}
    alone = {"judge": "gpt"}
    frame = pd.DataFrame([row, alone]).reindex(columns=[column.name for column in JUDGE_COMPARISON.columns])
    both = pd.concat([frame, frame.assign(judge="claude", other=None)], ignore_index=True)
    shown = pairs_table(cast(Contents, SimpleNamespace(tables={"judge_comparison": both})))
    assert shown is not None
    [cells] = shown.rows
    assert [cell.plain("en") for cell in cells[2:4] if not isinstance(cell, str)] == [
        "−0.000081",
        "[−0.000085, −0.000077]",
    ]
