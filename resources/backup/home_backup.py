"""A home and its databases as one folder, taken while runs go on, and put back into an empty home."""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

import sqlalchemy as sa

from resources.configuration.place import FILE_NAME, configuration_file
from resources.database.engine import open_engine, shown, usable
from resources.database.locks import FOLDER_SUFFIX
from resources.database.migrate import VERSION_TABLE
from resources.database.reliability.models import Base
from resources.errors import UserError
from resources.runtime.file_hash import sha256_of_file
from resources.runtime.home import DAGSTER_POSTGRES_URL, DATABASE, DATABASE_URL, Home
from resources.runtime.partial_files import SUFFIX, named_in_faults, write_whole

_SQLITE: Final = b"SQLite format 3\0"
# What SQLite keeps next to a database while it is open.
_NEXT_TO: Final = ("-wal", "-shm", "-journal")
# Below any home, as a home of a benchmark lies in another: Dagster's state, and in it what its sensors have seen.
_DAGSTER, _SCHEDULES = "dagster", "schedules"
_CHUNK_BYTES: Final = 1 << 20
BUSY_S: Final = 60.0
NAME = "backup.json"
LEDGER_TABLES = (*Base.metadata.tables, VERSION_TABLE)
HOME = "home"
LEDGER, DAGSTER = "ledger", "dagster"


class Copy(NamedTuple):
    """What was copied: size in bytes and SHA-256 in hex."""

    bytes: int
    sha256: str


def files_of(folder: Path) -> Iterator[Path]:
    """Every file to keep, relative to the folder: Dagster's state first, then tables, databases, the ledger last.

    Copied one by one as they come, while runs go on: no table is older in the copy than Dagster's copy says, and
    whatever a table tells of calls is in the copy of the ledger too. Tables are looked for when Dagster's state is
    through, so that none which it knows is missed.
    """
    for of_dagster in (True, False):
        found = [file for file in _walked(folder, folder, set()) if (_DAGSTER in file.parts[:-1]) == of_dagster]
        yield from sorted(found, key=lambda file: _turn(folder, file))


def copy_living(source: Path, target: Path) -> Copy | None:
    """Copy a file of a home in use; null where it is gone by now, as one is that was replaced or swept away.

    Raises:
        UserError: A database cannot be read or written.
    """
    try:
        if not is_sqlite(source):
            return copy_file(source, target)
        target.parent.mkdir(parents=True, exist_ok=True)
        _copy_sqlite(source, target)
        return hashed(target)
    except FileNotFoundError:
        return None


def copy_file(source: Path, target: Path) -> Copy:
    """Copy a file that nothing writes to, byte by byte; folders that are missing are made."""
    target.parent.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with source.open("rb") as read, named_in_faults(target), target.open("wb") as written:
        while chunk := read.read(_CHUNK_BYTES):
            digest.update(chunk)
            size += written.write(chunk)
    return Copy(size, digest.hexdigest())


def hashed(path: Path) -> Copy:
    """Size and hash of a file that is there."""
    return Copy(path.stat().st_size, sha256_of_file(path))


def is_sqlite(path: Path) -> bool:
    """Whether a file is a database of SQLite; one that is gone is none."""
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except FileNotFoundError:
        return False


def _turn(folder: Path, file: Path) -> tuple[bool, bool, bool, str]:
    """What sorts files into the order of copying.

    What sensors have seen goes before the runs that they asked for: the other way round a restored sensor would take
    for done what no run of the copy did. Asked again, a run that is there is not started twice.
    """
    return _SCHEDULES not in file.parts, is_sqlite(folder / file), file.name == DATABASE, str(file)


def _copy_sqlite(source: Path, target: Path) -> None:
    """By SQLite's own means: a plain copy lacks the newest rows, which lie in a file next to it, or is torn."""
    target.unlink(missing_ok=True)
    address = f"file:{quote(str(source.absolute()))}?mode=ro"
    try:
        with (
            closing(sqlite3.connect(address, uri=True, timeout=BUSY_S)) as read,
            closing(sqlite3.connect(target)) as written,
        ):
            read.backup(written)
    except sqlite3.Error as fault:
        if not source.exists():
            raise FileNotFoundError(str(source)) from fault
        raise UserError(
            f"{source} cannot be copied to {target}: {fault}. The back-up is not complete. Fix the file, its rights "
            "or the disk, and back up into a new folder."
        ) from fault


def _walked(folder: Path, base: Path, seen: set[tuple[int, int]]) -> Iterator[Path]:
    status = folder.stat()
    # A link that leads back up would be followed for ever.
    if (status.st_dev, status.st_ino) in seen:
        return
    seen.add((status.st_dev, status.st_ino))
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            if entry.is_dir():
                if not entry.name.endswith(FOLDER_SUFFIX):
                    yield from _walked(Path(entry.path), base, seen)
            elif entry.is_file() and not _passing(Path(entry.path)):
                yield Path(entry.path).relative_to(base)


def _passing(path: Path) -> bool:
    """Whether a file is one that a process has not finished writing, or needs only while it runs."""
    base, sign, ending = path.name.rpartition("-")
    return path.name.endswith(SUFFIX) or (sign + ending in _NEXT_TO and is_sqlite(path.with_name(base)))


@dataclass(frozen=True)
class Manifest:
    """`dumps` maps ledger and dagster to a file each; `tables` is the address of tables that are not in the back-up."""

    study: str
    made_at: str
    version: str
    configuration: str | None
    tables: str | None
    dumps: dict[str, str]
    files: dict[str, Copy] = field(repr=False)

    @property
    def bytes(self) -> int:
        """Of all files together."""
        return sum(copy.bytes for copy in self.files.values())


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """Say that the back-up is complete."""
    said = asdict(manifest) | {"files": {name: copy._asdict() for name, copy in manifest.files.items()}}
    write_whole(folder / NAME, json.dumps(said, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def read_manifest(folder: Path) -> Manifest:
    """What the back-up in a folder says.

    Raises:
        UserError: There is none, or it cannot be read.
    """
    path = folder / NAME
    if not path.is_file():
        raise UserError(
            f"{folder} is no complete back-up: it has no {NAME}. Name a folder that `touchstone backup` made."
        )
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return Manifest(**(said | {"files": {name: Copy(**copy) for name, copy in said["files"].items()}}))
    except (ValueError, TypeError, KeyError, AttributeError) as fault:
        raise UserError(f"{path} cannot be read ({fault}). Take another back-up, or a newer Touchstone.") from fault


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


def back_up(home: Home, study: str, folder: Path) -> Manifest:
    """Copy everything below the home, and dump Postgres where it holds the records.

    Runs may go on. Dagster's state comes before the tables, so that it knows none newer than their copies; the ledger
    after them, so that it has every call that they tell of. Where both lie in one Postgres database, that is two dumps.

    Raises:
        UserError: The folder holds something or lies in the home, or a database cannot be copied or is not named.
    """
    folder = folder.absolute()
    if folder.resolve().is_relative_to(home.local.resolve()):
        raise UserError(
            f"{folder} lies in the home that is to be copied. Name a folder elsewhere, best on another disk."
        )
    _refuse_full(folder, "Nothing was copied. Name a new folder.")
    if not home.holds_a_study():
        raise UserError(f"There is no study in {home.local}: nothing was run there.")
    addresses = _addresses(home)
    if home.asks_for_postgres and not addresses:
        raise UserError(
            f"{home.dagster / 'dagster.yaml'} keeps this study on Postgres, and no address of it is set. Nothing "
            f"was copied. Set {DATABASE_URL} as for its runs."
        )
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, Copy] = {}
    dumps = {name: f"{name}.dump" for name in addresses}
    shared = addresses.get(DAGSTER) == addresses.get(LEDGER)
    if DAGSTER in addresses:
        (dump_rest if shared else dump)(addresses[DAGSTER], folder / dumps[DAGSTER])
    for file in files_of(home.local):
        place = Path(HOME) / file
        copied = copy_living(home.local / file, folder / place)
        if copied is not None:
            files[place.as_posix()] = copied
    if LEDGER in addresses:
        (dump_ledger if shared else dump)(addresses[LEDGER], folder / dumps[LEDGER])
    files |= {name: hashed(folder / name) for name in dumps.values()}
    configuration = configuration_file(home)
    manifest = Manifest(
        study=study,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        version=version("touchstone"),
        configuration=None if configuration in (None, home.local / FILE_NAME) else str(configuration),
        tables=None if isinstance(home.base, Path) else str(home.base),
        dumps=dumps,
        files=files,
    )
    write_manifest(manifest, folder)
    return manifest


def restore(folder: Path, home: Home) -> Manifest:
    """Put a back-up into an empty home and, where it holds dumps, empty databases.

    Raises:
        UserError: The back-up is incomplete or damaged, or the home or a database is not the kind that it needs, or
            holds something. Nothing was changed then, but where the message names a database that is to be dropped.
    """
    manifest = read_manifest(folder)
    _refuse_full(home.local, "Nothing was restored. Empty it, or set TOUCHSTONE_HOME to a new folder.")
    addresses = _addresses(home)
    _refuse_another_kind(manifest, home, addresses)
    _refuse_damaged(manifest, folder)
    for name, address in addresses.items():
        refuse_filled(address, DAGSTER_POSTGRES_URL if name == DAGSTER else DATABASE_URL)
    there = home.local.exists()
    try:
        for name in manifest.files:
            if name not in manifest.dumps.values():
                copy_file(folder / name, home.local / Path(name).relative_to(HOME))
        if DAGSTER in addresses:
            restore_dump(folder / manifest.dumps[DAGSTER], addresses[DAGSTER])
        if LEDGER in addresses:
            _restore_ledger(folder / manifest.dumps[LEDGER], addresses)
    except BaseException:
        _empty(home.local, there)
        raise
    return manifest


def _addresses(home: Home) -> dict[str, str]:
    """Of the Postgres databases in use: Dagster's, the ledger's where none is named for it, and the ledger's."""
    # An engine of SQLite makes the folder of its file, which is to stay as it is.
    ledger = None if home.database_url.startswith("sqlite") else home.database_url
    named = os.environ.get(DAGSTER_POSTGRES_URL) or ledger
    if named and ledger and open_engine(named).url == open_engine(ledger).url:
        named = ledger
    return {name: address for name, address in ((DAGSTER, named), (LEDGER, ledger)) if address}


def _restore_ledger(file: Path, addresses: dict[str, str]) -> None:
    """The last of the dumps; Dagster's is in already."""
    try:
        restore_dump(file, addresses[LEDGER])
    except UserError as problem:
        raise UserError(
            f"{problem} Dagster's state was restored into {shown(open_engine(addresses[DAGSTER]))} before: drop that "
            "database and make it anew, empty (`dropdb`, `createdb`)."
        ) from problem


def _refuse_full(folder: Path, remedy: str) -> None:
    if folder.is_dir() and any(folder.iterdir()):
        raise UserError(f"{folder} is not empty. {remedy}")


def _refuse_another_kind(manifest: Manifest, home: Home, addresses: dict[str, str]) -> None:
    if manifest.dumps.keys() != addresses.keys():
        held, named = " and ".join(manifest.dumps) or "no", ", ".join(addresses) or "no Postgres"
        raise UserError(
            f"The back-up holds {held} dump of Postgres, and the environment names {named}. "
            f"Nothing was restored. Set {DATABASE_URL} and {DAGSTER_POSTGRES_URL} as they were: "
            "to an empty database where there is a dump, else not at all."
        )
    if (manifest.tables is None) != isinstance(home.base, Path):
        raise UserError(
            f"The tables of the back-up lie {'in it' if manifest.tables is None else f'at {manifest.tables}'}, and "
            f"TOUCHSTONE_HOME is {home.base}. Nothing was restored. Set TOUCHSTONE_HOME to "
            f"{'a folder' if manifest.tables is None else 'that address'}."
        )
    if manifest.configuration and not os.environ.get("TOUCHSTONE_CONFIG"):
        raise UserError(
            f"The study's configuration lay outside its home, at {manifest.configuration}. Nothing was restored. Set "
            "TOUCHSTONE_CONFIG to it."
        )


def _refuse_damaged(manifest: Manifest, folder: Path) -> None:
    for name, copy in manifest.files.items():
        path = folder / name
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise UserError(f"{folder}: '{name}' leads out of the back-up. Nothing was restored. Take another back-up.")
        if not path.is_file() or hashed(path) != copy:
            raise UserError(f"{path} is missing or damaged. Nothing was restored. Take another back-up.")


def _empty(folder: Path, keep: bool) -> None:
    """Remove what was restored so far; the folder was empty, or not there."""
    shutil.rmtree(folder, ignore_errors=True)
    if keep:
        folder.mkdir(parents=True, exist_ok=True)
