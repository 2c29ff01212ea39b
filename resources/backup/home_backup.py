"""A home and its databases as one folder, taken while runs go on, and put back into an empty home."""

import os
import shutil
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from resources.backup.copies import Copy, copy_file, files_of, hashed
from resources.backup.manifest import Manifest, read_manifest, write_manifest
from resources.backup.postgres_dump import dump, refuse_filled, restore_dump
from resources.configuration.load import FILE_NAME, configuration_file
from resources.database.engine import open_engine
from resources.errors import UserError
from resources.home import Home

HOME = "home"
LEDGER, DAGSTER = "ledger", "dagster"
DAGSTER_VARIABLE = "DAGSTER_POSTGRES_URL"


def back_up(home: Home, study: str, folder: Path) -> Manifest:
    """Copy everything below the home, and dump Postgres where it holds the records.

    Runs may go on. Databases are copied after the tables: what a table tells of calls is in the ledger's copy too.

    Raises:
        UserError: The folder holds something or lies in the home, or a database cannot be dumped.
    """
    folder = folder.absolute()
    if folder.resolve().is_relative_to(home.local.resolve()):
        raise UserError(
            f"{folder} lies in the home that is to be copied. Name a folder elsewhere, best on another disk."
        )
    _refuse_full(folder, "Nothing was copied. Name a new folder.")
    if not home.holds_a_study():
        raise UserError(f"There is no study in {home.local}: nothing was run there.")
    files: dict[str, Copy] = {}
    for file in files_of(home.local):
        place = Path(HOME) / file
        copied = copy_file(home.local / file, folder / place)
        if copied is not None:
            files[place.as_posix()] = copied
    dumps = {}
    for name, address in _addresses(home).items():
        dumps[name] = f"{name}.dump"
        dump(address, folder / dumps[name])
        files[dumps[name]] = hashed(folder / dumps[name])
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
            holds something. Nothing was changed then.
    """
    manifest = read_manifest(folder)
    _refuse_full(home.local, "Nothing was restored. Empty it, or set TOUCHSTONE_HOME to a new folder.")
    addresses = _addresses(home)
    _refuse_another_kind(manifest, home, addresses)
    _refuse_damaged(manifest, folder)
    for name in manifest.dumps:
        refuse_filled(addresses[name])
    there = home.local.exists()
    try:
        for name in manifest.files:
            if name not in manifest.dumps.values():
                copy_file(folder / name, home.local / Path(name).relative_to(HOME))
        for name, file in manifest.dumps.items():
            restore_dump(folder / file, addresses[name])
    except BaseException:
        _empty(home.local, there)
        raise
    return manifest


def _addresses(home: Home) -> dict[str, str]:
    """Of the Postgres databases in use: the ledger's, and Dagster's where that is another."""
    found, ledger = {}, None
    # An engine of SQLite makes the folder of its file, which is to stay as it is.
    if not home.database_url.startswith("sqlite"):
        ledger = open_engine(home.database_url).url
        found[LEDGER] = home.database_url
    named = os.environ.get(DAGSTER_VARIABLE)
    if named and open_engine(named).url != ledger:
        found[DAGSTER] = named
    return found


def _refuse_full(folder: Path, remedy: str) -> None:
    if folder.is_dir() and any(folder.iterdir()):
        raise UserError(f"{folder} is not empty. {remedy}")


def _refuse_another_kind(manifest: Manifest, home: Home, addresses: dict[str, str]) -> None:
    if manifest.dumps.keys() != addresses.keys():
        held, named = " and ".join(manifest.dumps) or "no", ", ".join(addresses) or "no Postgres"
        raise UserError(
            f"The back-up holds {held} dump of Postgres, and the environment names {named}. "
            f"Nothing was restored. Set TOUCHSTONE_DATABASE_URL and {DAGSTER_VARIABLE} as they were: "
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
