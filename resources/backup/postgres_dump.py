"""A Postgres database as one file, by the server's own programs."""

import os
import subprocess
from pathlib import Path

import sqlalchemy as sa

from resources.database.engine import open_engine, shown, usable
from resources.errors import UserError


def dump(address: str, file: Path) -> None:
    """Write the whole database as it is at this moment; nobody is locked out.

    Raises:
        UserError: `pg_dump` is missing, older than the server, or may not read the database.
    """
    _call("pg_dump", address, ["--format=custom", "--no-owner", "--no-privileges", f"--file={file}"])


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


def refuse_filled(address: str) -> None:
    """Raise unless the database has no table.

    Raises:
        UserError: It has some, or cannot be reached.
    """
    engine = open_engine(address)
    try:
        with usable(engine), engine.connect() as connection:
            tables = sa.inspect(connection).get_table_names()
        if tables:
            raise UserError(
                f"The database {shown(engine)} holds tables already ({tables[0]} and {len(tables) - 1} more). "
                "Nothing was restored. Make an empty one (`createdb`), and set TOUCHSTONE_DATABASE_URL to it."
            )
    finally:
        engine.dispose()


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
