"""A home to back up, and no other places than its own."""

from pathlib import Path

import pytest
from upath import UPath

from resources.runtime.home import Home


@pytest.fixture(autouse=True)
def _no_other_places(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TOUCHSTONE_DATABASE_URL", "DAGSTER_POSTGRES_URL", "TOUCHSTONE_CONFIG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with a table, a ledger and what must not be copied."""
    local = tmp_path / "home"
    made = Home(UPath(local), local)
    made.claim("small")
    table = local / "tables" / "fidelity" / "human_scores.parquet"
    table.parent.mkdir(parents=True)
    table.write_bytes(b"a table")
    (table.parent / ".stability.parquet.1a2b.partial").write_bytes(b"half a")
    (local / "touchstone.db.locks").mkdir()
    (local / "touchstone.db.locks" / "1a2b.lock").write_text("a run")
    return made
