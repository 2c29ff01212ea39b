"""What one judge's answers took on average, on both databases."""

from collections.abc import Callable

import sqlalchemy as sa

from resources.database.call_queries import MeasuredCalls, measured_calls
from resources.database.call_records import CallRecord
from resources.database.ledger import Ledger

Attempt = Callable[..., CallRecord]


def test_the_means_are_of_one_judges_answers_with_tokens(engine: sa.Engine, ledger: Ledger, attempt: Attempt) -> None:
    mine = {"judge_identity": "me"}
    ledger.record_many(
        [
            attempt(**mine, repeat=1, tokens_in=1000, tokens_out=100, tokens_cached=0, latency_ms=1000.0),
            attempt(**mine, repeat=2, tokens_in=2000, tokens_out=301, tokens_cached=500, latency_ms=3000.0),
            attempt(**mine, repeat=3, state="timeout", latency_ms=120_000.0),
            # A fault that was billed took tokens, but gave no answer.
            attempt(**mine, repeat=3, attempt=2, state="provider_error", tokens_in=90_000, tokens_out=90_000),
            attempt(repeat=4, tokens_in=9, tokens_out=9, tokens_cached=9),
        ]
    )
    assert measured_calls(engine, "shoes", "me") == MeasuredCalls(2, 1500.0, 200.5, 250.0, 2.0)


def test_a_judge_without_answers_has_no_means(engine: sa.Engine, ledger: Ledger) -> None:
    assert measured_calls(engine, "shoes", "me") is None
