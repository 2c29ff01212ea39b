"""The databases that the tests of study D's records share."""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from resources.database.engine import open_engine


@pytest.fixture
def engine(migrated_url: str) -> Iterator[sa.Engine]:
    """A database of each kind with its tables."""
    made = open_engine(migrated_url)
    yield made
    made.dispose()
