"""A home and its databases as one folder, taken while runs go on, and put back into an empty home."""

import os
import shutil
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from resources.backup.copies import Copy, copy_file, copy_living, files_of, hashed
from resources.backup.manifest import Manifest, read_manifest, write_manifest
from resources.backup.postgres_dump import dump, dump_ledger, dump_rest, refuse_filled, restore_dump
from resources.configuration.place import FILE_NAME, configuration_file
from resources.database.engine import open_engine, shown
from resources.errors import UserError
from resources.runtime.home import DAGSTER_POSTGRES_URL, DATABASE_URL, Home

HOME = "home"
LEDGER, DAGSTER = "ledger", "dagster"


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
