"""The ledger on SQLite and on Postgres: nothing is lost, nothing is there twice, nothing is mixed up."""

import math
from collections.abc import Callable
from datetime import timedelta, timezone

import numpy as np
import pandas as pd
import pytest
import sqlalchemy as sa

from resources.database.call_records import CallRecord, Progress, images_digest
from resources.database.ledger import Ledger
from resources.tables.fidelity.scores import JUDGE_CALLS

Attempt = Callable[..., CallRecord]


def test_a_recorded_answer_is_answered(ledger: Ledger, attempt: Attempt) -> None:
    row = attempt()
    assert ledger.record_many([row]) == 1
    assert ledger.progress("shoes", "5e1f") == {row.call_key: Progress(1, "valid", scored=True)}


def test_a_fault_is_not_an_answer_and_counts_its_attempt(ledger: Ledger, attempt: Attempt) -> None:
    fault = attempt(state="timeout", fault_message="no answer in 60 s")
    ledger.record_many([fault])
    ledger.record_many([attempt(state="rate_limited", attempt=2)])
    assert ledger.progress("shoes", "5e1f") == {fault.call_key: Progress(2, "rate_limited", scored=False)}


@pytest.mark.parametrize(
    "change",
    [
        {"study": "boots"},
        {"judge_identity": "ffff"},
        {"object": "99999999"},
        {"setting": "t0.5_p1.0"},
        {"repeat": 2},
        {"prompt_hash": "cd34"},
        {"image_hashes": ("photo2", "photo1", "render")},
    ],
    ids=lambda change: next(iter(change)),
)
def test_an_answer_is_never_used_for_another_call(ledger: Ledger, attempt: Attempt, change: dict[str, object]) -> None:
    other = attempt(**change)
    ledger.record_many([other])
    assert attempt().call_key not in ledger.progress("shoes", "5e1f")
    assert ledger.record_many([attempt()]) == 1
    assert attempt().call_key in ledger.progress("shoes", "5e1f")


def test_the_same_record_twice_is_one_row_and_the_first_stays(ledger: Ledger, attempt: Attempt) -> None:
    assert ledger.record_many([attempt(score=0.7)]) == 1
    assert ledger.record_many([attempt(score=0.1)]) == 0
    assert ledger.record_many([attempt(state="timeout")]) == 0
    assert ledger.rows("shoes", "5e1f")["score"].tolist() == [0.7]


def test_an_answer_that_meets_a_fault_is_kept_once_under_the_next_attempt(ledger: Ledger, attempt: Attempt) -> None:
    ledger.record_many([attempt(state="timeout")])
    assert ledger.record_many([attempt()]) == 1
    assert ledger.record_many([attempt()]) == 0
    rows = ledger.rows("shoes", "5e1f")
    assert rows["attempt"].tolist() == [1, 2]
    assert rows["state"].tolist() == ["timeout", "valid"]


def test_a_second_answer_that_meets_a_fault_is_kept_unless_the_call_has_a_score(
    ledger: Ledger, attempt: Attempt
) -> None:
    ledger.record_many([attempt(state="invalid_json"), attempt(state="timeout", attempt=2)])
    assert ledger.record_many([attempt(attempt=2)]) == 1
    assert ledger.record_many([attempt(attempt=2, score=0.1)]) == 0
    assert ledger.rows("shoes", "5e1f")["state"].tolist() == ["invalid_json", "timeout", "valid"]


def test_progress_tells_the_last_attempts_state_and_whether_any_has_a_score(ledger: Ledger, attempt: Attempt) -> None:
    told = {
        1: (["valid"], Progress(1, "valid", scored=True), True),
        2: (["timeout", "recovered"], Progress(2, "recovered", scored=True), True),
        3: (["invalid_json"], Progress(1, "invalid_json", scored=False), True),
        4: (["invalid_json", "timeout"], Progress(2, "timeout", scored=False), False),
        5: (["valid", "timeout"], Progress(2, "timeout", scored=True), True),
        6: (["rate_limited"] * 11, Progress(11, "rate_limited", scored=False), False),
    }
    ledger.record_many(
        attempt(repeat=repeat, attempt=number, state=state)
        for repeat, (states, _, _) in told.items()
        for number, state in enumerate(states, start=1)
    )
    found = {key.repeat: progress for key, progress in ledger.progress("shoes", "5e1f").items()}
    assert found == {repeat: progress for repeat, (_, progress, _) in told.items()}
    assert {repeat: one.answered for repeat, one in found.items()} == {n: done for n, (_, _, done) in told.items()}


def test_many_at_once_are_recorded_like_one_by_one(ledger: Ledger, attempt: Attempt) -> None:
    ledger.record_many([attempt(repeat=1)])
    ledger.record_many([attempt(repeat=2, state="timeout")])
    batch = [attempt(repeat=repeat) for repeat in range(1, 1201)]
    assert ledger.record_many(batch) == 1199
    assert ledger.record_many(batch) == 0
    assert sum(call.answered for call in ledger.progress("shoes", "5e1f").values()) == 1200
    assert len(ledger.rows("shoes", "5e1f")) == 1201


def test_rows_are_the_declared_table_whatever_came_in(ledger: Ledger, attempt: Attempt) -> None:
    ledger.record_many([attempt(object="b0000000", state="refused", raw_answer="I cannot.")])
    rome = timezone(timedelta(hours=2))
    begun = attempt().started_at.astimezone(rome)
    full = attempt(
        started_at=begun,
        subscores={"color_palette": 0.8},
        rationale=("close colour", "mat"),
        tokens_in=2**40,
        cost_usd=0.01,
    )
    ledger.record_many([full])
    rows = ledger.rows("shoes", "5e1f", ["t0.2_p0.95"])
    pd.testing.assert_frame_equal(JUDGE_CALLS.validated(rows), rows)
    first = rows.iloc[0]
    assert first["object"] == "0a1b2c3d"
    assert first["started_at"] == pd.Timestamp("2026-03-29T01:30:00.123456Z")
    assert first["image_hashes"] == ["photo1", "photo2", "render"]
    assert first["rationale"] == ["close colour", "mat"]
    assert first["color_palette"] == 0.8
    assert math.isnan(first["material_finish"])
    assert (first["seed"], first["tokens_in"], first["cost_usd"]) == (2**53 + 1, 2**40, 0.01)
    assert math.isnan(rows.iloc[1]["score"])


def test_no_row_still_gives_every_column_with_its_type(ledger: Ledger, attempt: Attempt) -> None:
    empty = ledger.rows("shoes", "5e1f")
    ledger.record_many([attempt()])
    assert empty.dtypes.to_dict() == ledger.rows("shoes", "5e1f").dtypes.to_dict()


def test_rows_come_in_one_order_on_every_database(ledger: Ledger, attempt: Attempt) -> None:
    ledger.record_many([attempt(object=name) for name in ("b", "A", "a", "Z", "é", "_")])
    assert ledger.rows("shoes", "5e1f")["object"].tolist() == ["A", "Z", "_", "a", "b", "é"]


def test_rows_of_another_prompt_are_left_out_when_the_calls_are_named(ledger: Ledger, attempt: Attempt) -> None:
    now, before = attempt(score=0.9), attempt(prompt_hash="older", score=0.1)
    ledger.record_many([before, now])
    assert ledger.rows("shoes", "5e1f", keys={now.call_key})["score"].tolist() == [0.9]
    assert len(ledger.rows("shoes", "5e1f")) == 2


def test_text_that_no_database_holds_is_kept_in_a_form_that_both_do(ledger: Ledger, attempt: Attempt) -> None:
    ledger.record_many([attempt(raw_answer='{"score": "\x00\ud800é😀"}', rationale=("\x00",), fault_message="\udfff")])
    row = ledger.rows("shoes", "5e1f").iloc[0]
    assert row["raw_answer"] == '{"score": "\u2400\ufffdé😀"}'
    assert row["rationale"] == ["\u2400"]
    assert row["fault_message"] == "\ufffd"


def test_a_parameter_that_is_no_json_is_refused_and_nothing_is_stored(ledger: Ledger, attempt: Attempt) -> None:
    with pytest.raises(sa.exc.StatementError, match="not JSON compliant"):
        ledger.record_many([attempt(parameters={"penalty": math.nan})])
    assert ledger.rows("shoes", "5e1f").empty


def test_numpy_numbers_are_stored_as_numbers(ledger: Ledger, attempt: Attempt) -> None:
    subscores = {"color_palette": np.float32(0.5)}
    ledger.record_many([attempt(score=np.float64(0.25), seed=np.int64(7), repeat=np.int64(3), subscores=subscores)])
    row = ledger.rows("shoes", "5e1f").iloc[0]
    assert (row["score"], row["seed"], row["repeat"], row["color_palette"]) == (0.25, 7, 3, 0.5)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"state": "broken"}, "no state"),
        ({"score": 1.2}, "outside 0-1"),
        ({"score": math.nan}, "outside 0-1"),
        ({"score": None}, "only"),
        ({"state": "refused", "score": 0.5}, "only"),
        ({"cost_usd": math.inf}, "cost_usd is inf"),
        ({"subscores": {"colour": 0.5}}, "unknown sub-scores"),
        ({"started_at": pd.Timestamp("2026-01-01").to_pydatetime()}, "no time zone"),
    ],
)
def test_a_record_that_contradicts_itself_cannot_be_made(
    attempt: Attempt, change: dict[str, object], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        attempt(**change)


def test_the_images_digest_depends_on_the_order_and_on_the_borders() -> None:
    assert images_digest(["a", "b"]) != images_digest(["b", "a"])
    assert images_digest(["ab", "c"]) != images_digest(["a", "bc"])
