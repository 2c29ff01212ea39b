"""A recording through the ledger: the same score counts, the same first answers, and a second run adds nothing."""

import json
import logging
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from resources.configuration.fidelity import FidelityStudy
from resources.configuration.fidelity import ReplayJudge as Configuration
from resources.configuration.settings import Setting
from resources.database.engine import open_engine
from resources.database.ledger import Ledger
from resources.database.migrate import migrate
from resources.judges.contract import JudgedObject
from resources.judges.judging import Judging
from resources.judges.replay import open_replay
from resources.runtime.progress import LoggedProgress
from resources.tables.call_states import SUBSCORES

SETTING = Setting(0.2, 0.95)
OBJECTS = [JudgedObject("0000000a", "100", "c.png", "cc", ("1.png",), ("11",))]
LOG = logging.getLogger(__name__)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    engine = open_engine(f"sqlite:///{tmp_path / 'ledger.db'}")
    migrate(engine)
    return Ledger(engine)


def valid(score: float) -> dict[str, Any]:
    said = {"item_id": "100", "subscores": dict.fromkeys(SUBSCORES, score), "score": score, "rationale": ["a", "b"]}
    return {"state": "valid", "raw_answer": json.dumps(said)}


def replayed(ledger: Ledger, folder: Path, *recorded: dict[str, Any]) -> pd.DataFrame:
    """The table of three repeats after a run on this recording."""
    path = folder / "calls.jsonl"
    path.write_text(
        "".join(json.dumps({"object": "0000000a", "setting": SETTING.key} | row) + "\n" for row in recorded)
    )
    files = {name: Path(name) for name in ("human_scores", "references", "candidates")}
    plan = FidelityStudy(**files, repeats=3, judge=Configuration(kind="replay", path=path))  # type: ignore[arg-type]
    judging = Judging("study", plan, open_replay(path, OBJECTS), OBJECTS, [SETTING], ledger)
    judging.ask(LoggedProgress(), LOG)
    return judging.rows()[SETTING.key]


def test_a_better_second_answer_gives_the_score_and_the_first_stays_the_first(ledger: Ledger, tmp_path: Path) -> None:
    rows = replayed(
        ledger,
        tmp_path,
        {"repeat": 1, "attempt": 1, "state": "invalid_json", "raw_answer": "seven of ten"},
        {"repeat": 1, "attempt": 2, **valid(70)},
        {"repeat": 2, **valid(60)},
        {"repeat": 3, **valid(50)},
    )
    assert rows[["repeat", "attempt", "state"]].to_numpy().tolist() == [
        [1, 1, "invalid_json"],
        [1, 2, "valid"],
        [2, 1, "valid"],
        [3, 1, "valid"],
    ]
    last = rows.drop_duplicates("repeat", keep="last")
    assert last["score"].tolist() == [0.7, 0.6, 0.5]


def test_replaying_a_ledgers_own_rows_gives_the_same_states_and_scores(ledger: Ledger, tmp_path: Path) -> None:
    first = replayed(
        ledger,
        tmp_path,
        {"repeat": 1, "attempt": 1, "state": "rate_limited", "raw_answer": None, "fault_message": "slow down"},
        {"repeat": 1, "attempt": 2, "state": "invalid_json", "raw_answer": "seven of ten"},
        {"repeat": 1, "attempt": 3, **valid(70)},
        {"repeat": 2, "state": "timeout", "raw_answer": None, "fault_message": "60 s"},
        {"repeat": 3, "state": "out_of_range", "raw_answer": None, "fault_message": "outside 0-100: score 140"},
    )
    assert first["state"].tolist() == ["rate_limited", "invalid_json", "valid", "timeout", "out_of_range"]
    again = replayed(ledger, tmp_path, *json.loads(first.to_json(orient="records", date_format="iso")))
    columns = ["object", "setting", "repeat", "attempt", "state", "score", "raw_answer", "fault_message"]
    pd.testing.assert_frame_equal(again[columns], first[columns])
    assert again["judge_identity"].iloc[0] != first["judge_identity"].iloc[0]


@pytest.mark.parametrize("state", ["invalid_json", "schema_error", "out_of_range", "refused"])
def test_a_failed_answer_whose_text_is_lost_keeps_its_state(ledger: Ledger, tmp_path: Path, state: str) -> None:
    row = replayed(ledger, tmp_path, {"repeat": 1, "state": state, "raw_answer": None, "fault_message": "why"}).iloc[0]
    assert (row["state"], row["fault_message"]) == (state, "why")
    assert pd.isna(row["score"])


def test_a_recording_with_gaps_is_asked_once_and_the_table_stays_as_it_is(ledger: Ledger, tmp_path: Path) -> None:
    recorded = (
        {"repeat": 1, **valid(70)},
        {"repeat": 2, "state": "timeout", "raw_answer": None, "fault_message": "60 s"},
    )
    first = replayed(ledger, tmp_path, *recorded)
    assert first["state"].tolist() == ["valid", "timeout", "provider_error"]
    assert first["fault_message"].iloc[2] == "not recorded"
    for _ in range(2):
        pd.testing.assert_frame_equal(replayed(ledger, tmp_path, *recorded), first)


def test_a_recording_that_was_completed_is_asked_anew(ledger: Ledger, tmp_path: Path) -> None:
    replayed(ledger, tmp_path, {"repeat": 1, **valid(70)})
    rows = replayed(ledger, tmp_path, *({"repeat": repeat, **valid(70)} for repeat in (1, 2, 3)))
    assert rows["state"].tolist() == ["valid"] * 3
