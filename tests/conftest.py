"""Fixtures that every part of the tests shares."""

from pathlib import Path

import pytest

pytest_plugins = ["tests.postgres", "tests.stored_tables"]

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with the real files, which are no part of the project."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the real files (../shared/data) are not beside this checkout")
    return SHARED_DATA
