"""What was spent, and what was judged on an occasion, on both databases."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pandas as pd

from resources.database.call_records import CallRecord, Spent
from resources.database.ledger import Ledger
from resources.tables.fidelity.scores import JUDGE_CALLS

Attempt = Callable[..., CallRecord]
MIDNIGHT = datetime(2026, 10, 2, tzinfo=UTC)
A_MOMENT = timedelta(microseconds=1)


def test_money_is_the_studys_whichever_judge_and_object_took_it(ledger: Ledger, attempt: Attempt) -> None:
    ledger.record_many(
        [
            attempt(cost_usd=1.0, started_at=MIDNIGHT - A_MOMENT),
            attempt(cost_usd=0.25, started_at=MIDNIGHT, repeat=2),
            attempt(cost_usd=0.5, started_at=MIDNIGHT + A_MOMENT, judge_identity="other"),
            attempt(cost_usd=2.0, started_at=MIDNIGHT, object="0a1b2c3d~stripes7_o70"),
            attempt(cost_usd=4.0, started_at=MIDNIGHT, object="0a1b2c3d@2026-10-02", state="timeout"),
            attempt(cost_usd=100.0, started_at=MIDNIGHT, study="boots"),
        ]
    )
    spent = ledger.spent("shoes", MIDNIGHT)
    assert (spent.usd, spent.usd_today) == (7.75, 6.75)


def test_requests_are_the_keys_whichever_study_used_it(ledger: Ledger, attempt: Attempt) -> None:
    ledger.record_many(
        [
            attempt(key_id="k1", started_at=MIDNIGHT - A_MOMENT),
            attempt(key_id="k1", started_at=MIDNIGHT, attempt=2, state="rate_limited"),
            attempt(key_id="k1", started_at=MIDNIGHT, study="boots"),
            attempt(key_id="k2", started_at=MIDNIGHT, repeat=2),
            attempt(started_at=MIDNIGHT, repeat=3),
        ]
    )
    assert ledger.spent("shoes", MIDNIGHT).requests_today == {"k1": 2, "k2": 1}


def test_midnight_is_the_same_moment_in_any_zone(ledger: Ledger, attempt: Attempt) -> None:
    # 01:30 in Rome in summer is 23:30 UTC the day before.
    rome = timezone(timedelta(hours=2))
    ledger.record_many([attempt(cost_usd=1.0, started_at=datetime(2026, 10, 2, 1, 30, tzinfo=rome))])
    assert ledger.spent("shoes", MIDNIGHT).usd_today == 0
    assert ledger.spent("shoes", MIDNIGHT.astimezone(rome) - timedelta(hours=1)).usd_today == 1


def test_what_a_replayed_recording_cost_is_not_spent_again(ledger: Ledger, attempt: Attempt) -> None:
    ledger.record_many([attempt(judge="replay", cost_usd=3.0), attempt(judge="openai", repeat=2, cost_usd=1.0)])
    assert ledger.spent("shoes", MIDNIGHT).usd == 1.0


def test_an_empty_ledger_has_spent_nothing(ledger: Ledger) -> None:
    assert ledger.spent("shoes", MIDNIGHT) == Spent()


def test_rows_of_occasions_are_those_with_a_sign_in_their_object(ledger: Ledger, attempt: Attempt) -> None:
    occasions = ["a@2026-10-02", "a@2026-10-01", "b@2026-10-01"]
    ledger.record_many(
        [
            *(attempt(object=name) for name in [*occasions, "a", "a~blur_2", "a_%"]),
            attempt(object=occasions[0], judge_identity="other", score=0.2),
            attempt(object=occasions[0], state="timeout", attempt=2),
            attempt(object=occasions[0], study="boots"),
        ]
    )
    rows = ledger.occasion_rows("shoes")
    assert list(rows.columns) == [column.name for column in JUDGE_CALLS.columns]
    assert rows["object"].tolist() == [occasions[1], *[occasions[0]] * 3, occasions[2]]
    assert rows["judge_identity"].tolist() == ["5e1f", "5e1f", "other", "5e1f", "5e1f"]
    assert rows["score"].isna().sum() == 1


def test_a_ledger_without_occasions_gives_the_empty_table(ledger: Ledger, attempt: Attempt) -> None:
    ledger.record_many([attempt()])
    rows = ledger.occasion_rows("shoes")
    pd.testing.assert_frame_equal(JUDGE_CALLS.validated(rows), rows)
    assert rows.empty
