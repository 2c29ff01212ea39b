"""Judges side by side on the page: one that is not compared is named with the reason, also if it was never run."""

from types import SimpleNamespace
from typing import cast

import pandas as pd

from reports.fidelity.contents import Contents
from reports.fidelity.judges import said_of_judges
from resources.tables.fidelity.decision import JUDGE_COMPARISON


def test_a_judge_of_which_nothing_was_run_is_named() -> None:
    shared = {"statistic": "mae", "basis": "all objects: each judge has one setting"}
    rows = [
        shared | {"judge": "gpt", "value": 0.1},
        shared | {"judge": "claude", "undefined": "no object is valid for every judge"},
    ]
    frame = pd.DataFrame(rows).reindex(columns=[column.name for column in JUDGE_COMPARISON.columns])
    plan = SimpleNamespace(judges=dict.fromkeys(("gpt", "claude", "mistral")))
    said = said_of_judges(cast(Contents, SimpleNamespace(tables={"judge_comparison": frame}, plan=plan)))
    assert [one.plain("en") for one in said[1:]] == [
        "claude is not compared: no object is valid for every judge.",
        "mistral is not compared: none of its settings was run.",
    ]
    assert said[2].plain("it") == "mistral non è confrontato: nessuna delle sue impostazioni è stata eseguita."
