"""Brings a database to the tables that this version of Touchstone needs."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from resources.database.engine import shown, usable, writing
from resources.errors import UserError

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

VERSION_TABLE = "touchstone_version"
MIGRATIONS = Path(__file__).parent / "migrations"
# Any number that nothing else locks in the same Postgres database.
ADVISORY_LOCK = 7_063_117_925_201


def migrate(engine: sa.Engine) -> None:
    """Make or change the tables where they are not up to date; one process at a time, all or nothing.

    Raises:
        UserError: The database cannot be reached, or a newer Touchstone has changed it already.
    """
    with usable(engine):
        with engine.connect() as connection:
            if _version(connection) == newest():
                return
        with _locked(engine) as connection:
            _upgrade(connection, shown(engine))


def version_of(engine: sa.Engine) -> str | None:
    """The revision that a database is at, null where it has no tables yet; nothing is made or changed.

    Raises:
        UserError: The database cannot be reached.
    """
    with usable(engine), engine.connect() as connection:
        return _version(connection)


def newest() -> str:
    """The revision that this version of Touchstone brings a database to."""
    head = _migrations().get_current_head()
    if head is None:
        raise RuntimeError(f"no migration is installed in {MIGRATIONS}")
    return head


def configuration(connection: sa.Connection | None = None) -> "Config":
    """Alembic's configuration without a file, so that it works from an installed package.

    A new revision is written in a checkout with ``alembic.command.revision(configuration(connection), "what it
    does", autogenerate=True)`` on a connection to a migrated database.
    """
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _version(connection: sa.Connection) -> str | None:
    from alembic.migration import MigrationContext

    return MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}).get_current_revision()


def _upgrade(connection: sa.Connection, address: str) -> None:
    from alembic import command

    known = {script.revision for script in _migrations().walk_revisions()}
    version = _version(connection)
    if version is not None and version not in known:
        raise UserError(
            f"The database {address} is at version {version}, which a newer Touchstone made; this one knows "
            f"{newest()} at most. Update Touchstone, or set TOUCHSTONE_DATABASE_URL to another database."
        )
    command.upgrade(configuration(connection), "head")


@cache
def _migrations() -> "ScriptDirectory":
    """Those of this version, read once: every store that is opened asks for the newest."""
    from alembic.script import ScriptDirectory

    return ScriptDirectory.from_config(configuration())


@contextmanager
def _locked(engine: sa.Engine) -> Iterator[sa.Connection]:
    with writing(engine).connect() as connection:
        if engine.dialect.name == "postgresql":
            with connection.begin():
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(ADVISORY_LOCK)))
                yield connection
            return
        # Rebuilding a table drops it, which would delete what refers to it; SQLite says to check at the end instead.
        _pragma(connection, "foreign_keys = OFF")
        try:
            with connection.begin():
                yield connection
                if broken := connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall():
                    raise RuntimeError(f"the migration left rows that refer to nothing: {broken[:3]}")
        finally:
            _pragma(connection, "foreign_keys = ON")


def _pragma(connection: sa.Connection, setting: str) -> None:
    """Set it outside any transaction: inside one SQLite ignores it."""
    raw = connection.connection.driver_connection
    if raw is not None:
        raw.execute(f"PRAGMA {setting}")
