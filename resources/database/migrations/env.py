"""What Alembic runs for every revision: on the connection, inside the transaction, that `migrate` opened."""

from alembic import context

import resources.database.reliability.models  # noqa: F401
from resources.database.migrate import VERSION_TABLE
from resources.database.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    version_table=VERSION_TABLE,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
