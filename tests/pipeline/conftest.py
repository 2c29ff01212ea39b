"""What the tests of runs share: Dagster instances, and runs that do without drawing."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from tests.small_study import sqlite_instance_in, without_drawing


@pytest.fixture
def sqlite_instance(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    """Dagster's memory on the disk, as it is in a home."""
    with sqlite_instance_in(tmp_path / "dagster") as instance:
        yield instance


@pytest.fixture(autouse=True)
def undrawn() -> Iterator[None]:
    """Runs do without drawing; what looks at plots draws in a fixture of its module."""
    with without_drawing():
        yield
