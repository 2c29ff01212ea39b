"""What the tests of runs share: Dagster instances, and runs that do without drawing."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from resources.plots import figure


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    """Dagster's memory for one test."""
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


@pytest.fixture
def sqlite_instance(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    """Dagster's memory on the disk, as it is in a home."""
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        yield instance


@pytest.fixture(scope="package")
def undrawn() -> Iterator[None]:
    """Runs whose plots nobody looks at: drawing takes half of a small run's time and has tests of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figure, "png", lambda *_args, **_sizes: b"")
        yield
