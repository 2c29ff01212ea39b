"""Rounds in which queries were judged again: those under the latest prompt count together."""

from typing import Any

import pandas as pd

from resources.database.reliability.recalibrations import Recalibrated, judged_again, latest_recalibration


class Actions:
    """What people did, as the store gives it."""

    def __init__(self, *rounds: tuple[str, list[str], list[str]]) -> None:
        details: list[Any] = [
            {"prompt_version": version, "queries": queries, "held_out": held_out}
            for version, queries, held_out in rounds
        ]
        self._frame = pd.DataFrame({"action": ["recalibration_started"] * len(details), "details": details})

    def actions(self) -> pd.DataFrame:
        return self._frame


def test_all_rounds_under_the_latest_prompt_count_and_no_other() -> None:
    taken: Any = Actions(("v2", ["a"], []), ("v3", ["b", "c"], ["c"]), ("v3", ["d"], ["d"]))
    assert judged_again(taken) == Recalibrated("v3", frozenset("bcd"), frozenset("cd"))
    assert latest_recalibration(taken) == Recalibrated("v3", frozenset("d"), frozenset("d"))


def test_before_the_first_round_no_query_was_judged_again() -> None:
    taken: Any = Actions()
    assert judged_again(taken) is None
    assert latest_recalibration(taken) is None
