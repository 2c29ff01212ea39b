"""The databases that the tests of study D's records share."""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from resources.database.engine import open_engine
from resources.database.migrate import migrate


@pytest.fixture
def engine(database_url: str) -> Iterator[sa.Engine]:
    """A database of each kind with its tables."""
    made = open_engine(database_url)
    migrate(made)
    yield made
    made.dispose()
