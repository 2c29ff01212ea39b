"""Calls and ledgers that the database tests share."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import sqlalchemy as sa

from resources.database.call_records import CallRecord
from resources.database.engine import open_engine
from resources.database.ledger import Ledger

BEGUN = datetime(2026, 3, 29, 1, 30, 0, 123456, tzinfo=UTC)


@pytest.fixture
def engine(migrated_url: str) -> Iterator[sa.Engine]:
    """A database of each kind with its tables and no row."""
    engine = open_engine(migrated_url)
    yield engine
    engine.dispose()


@pytest.fixture
def ledger(engine: sa.Engine) -> Ledger:
    """A ledger without a row."""
    return Ledger(engine)


@pytest.fixture
def attempt() -> Callable[..., CallRecord]:
    """Makes one attempt, a valid answer unless told otherwise."""

    def make(**changes: Any) -> CallRecord:
        values: dict[str, Any] = {
            "study": "shoes",
            "object": "0a1b2c3d",
            "item_id": "558736",
            "setting": "t0.2_p0.95",
            "repeat": 1,
            "attempt": 1,
            "run_id": "c0ffee",
            "judge": "local",
            "judge_identity": "5e1f",
            "model_asked": "appearance",
            "rubric_version": "1",
            "temperature": 0.2,
            "top_p": 0.95,
            "seed": 2**53 + 1,
            "prompt_hash": "ab12",
            "image_hashes": ("photo1", "photo2", "render"),
            "started_at": BEGUN,
            "latency_ms": 12.5,
            "state": "valid",
        } | changes
        if values["state"] in ("valid", "recovered"):
            values.setdefault("score", 0.7)
        return CallRecord(**values)

    return make
