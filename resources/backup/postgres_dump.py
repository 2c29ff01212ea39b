"""A Postgres database as one file, by the server's own programs."""

import os
import subprocess
from pathlib import Path

import sqlalchemy as sa

from resources.database.engine import open_engine, shown, usable
from resources.database.migrate import VERSION_TABLE
from resources.database.reliability.models import Base
from resources.errors import UserError

LEDGER_TABLES = (*Base.metadata.tables, VERSION_TABLE)


def dump(address: str, file: Path) -> None:
    """Write the whole database as it is at this moment, without locks.

    Raises:
        UserError: `pg_dump` is missing, older than the server, or may not read the database.
    """
    _dump(address, file, [])


def dump_rest(address: str, file: Path) -> None:
    """Write the database without the ledger's tables; `dump_ledger` writes those, at another moment.

    Raises:
        UserError: As `dump`.
    """
    # The numbers of a table's rows come from a sequence, which is not left out with it.
    _dump(address, file, [f"--exclude-table={name}" for table in LEDGER_TABLES for name in (table, f"{table}_*_seq")])


def dump_ledger(address: str, file: Path) -> None:
    """Write the ledger's tables alone, to be restored next to, or without, what `dump_rest` wrote.

    Raises:
        UserError: As `dump`.
    """
    there = [table for table in _tables(address) if table in LEDGER_TABLES]
    # Asked for no table at all, `pg_dump` writes all of them: no schema is none of them.
    _dump(address, file, [f"--table={table}" for table in there] or ["--exclude-schema=*"])


def restore_dump(file: Path, address: str) -> None:
    """Bring a dump into an empty database, all of it or nothing.

    Raises:
        UserError: `pg_restore` is missing, or the server refuses.
    """
    _call(
        "pg_restore",
        address,
        ["--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error", str(file)],
    )


def refuse_filled(address: str, variable: str) -> None:
    """Raise unless the database has no table.

    Args:
        address: Of the database.
        variable: What names it in the environment.

    Raises:
        UserError: It has some, or cannot be reached.
    """
    if tables := _tables(address):
        raise UserError(
            f"The database {shown(open_engine(address))} holds tables already ({tables[0]} and {len(tables) - 1} "
            f"more). Nothing was restored. Make an empty one (`createdb`), and set {variable} to it."
        )


def _tables(address: str) -> list[str]:
    engine = open_engine(address)
    try:
        with usable(engine), engine.connect() as connection:
            return sa.inspect(connection).get_table_names()
    finally:
        engine.dispose()


def _dump(address: str, file: Path, which: list[str]) -> None:
    _call("pg_dump", address, ["--format=custom", "--no-owner", "--no-privileges", f"--file={file}", *which])


def _call(program: str, address: str, arguments: list[str]) -> None:
    engine = open_engine(address)
    url = engine.url
    # The list of processes shows arguments to everybody, but not the environment.
    secret = {"PGPASSWORD": str(url.password)} if url.password else {}
    plain = url.set(drivername="postgresql", password=None).render_as_string(hide_password=False)
    try:
        subprocess.run(
            [program, f"--dbname={plain}", "--no-password", *arguments],
            env=os.environ | secret,
            check=True,
            capture_output=True,
            text=True,
        )
    except FileNotFoundError:
        raise UserError(
            f"{program} is not on the PATH. Install Postgres' client programs, the server's version."
        ) from None
    except subprocess.CalledProcessError as failed:
        said = " ".join(failed.stderr.split())
        raise UserError(f"{program} failed on {shown(engine)}: {said}") from None
