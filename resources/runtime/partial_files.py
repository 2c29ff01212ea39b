"""Files that are written next to their place and moved there when they are whole: no reader sees half of one."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

from upath import UPath

from resources.errors import UserError

SUFFIX: Final = ".partial"
# Folders whose entries are devices or open files of a process: a file moved there would take their place.
_OF_THE_SYSTEM: Final = re.compile(r"/dev(/fd)?|/proc/.*")
# A run that still writes is left alone: no table takes an hour to write.
LEFT_OVER_AFTER_S: Final = 3600.0


def partial_file(path: UPath) -> UPath:
    """Where to write what will be moved to the path: next to it, under a name of its own."""
    return path.parent / f".{path.name}.{uuid4().hex}{SUFFIX}"


def move(source: UPath, target: UPath) -> None:
    """Put a file in place at once; a reader sees the old one or the new one."""
    if isinstance(source, Path):
        source.replace(target)
    else:
        source.fs.mv(source.path, target.path)


def is_device(path: Path | UPath) -> bool:
    """Whether a path leads to a device, a pipe or an open file of a process, such as ``/dev/stdout``."""
    if not isinstance(path, Path):
        return False
    with suppress(OSError, RuntimeError):  # links that lead round in a circle: writing says so
        if _OF_THE_SYSTEM.fullmatch(str(path.absolute().parent.resolve())):
            return True
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def named_in_faults(path: Path | UPath) -> Iterator[None]:
    """The system's faults in the block name this path where they name none: a full disk does not say which.

    Raises:
        OSError: As in the block.
    """
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


@contextmanager
def whole_file(path: Path | UPath) -> Iterator[UPath]:
    """The file to write in place of the path, moved there when the block ends well; missing folders are made.

    Raises:
        UserError: The path leads to a device or a pipe.
    """
    target = UPath(path)
    if is_device(target):
        raise UserError(f"{path} is no file, and would be replaced by one. Name a file.")
    target.parent.mkdir(parents=True, exist_ok=True)
    part = partial_file(target)
    try:
        with named_in_faults(target):
            yield part
            move(part, target)
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: Path | UPath, text: str) -> None:
    """Write a text file, whole or not at all; folders that are missing are made."""
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8")


def sweep(folder: UPath, beginning: str = "") -> int:
    """Remove what killed runs left in a folder more than an hour ago.

    Args:
        folder: Other files in it, and folders below it, are left alone.
        beginning: What the name of the file to be written begins with; any where left out.

    Returns:
        How many files were removed.
    """
    if not folder.is_dir():  # an object store knows no empty folder
        return 0
    limit = time.time() - LEFT_OVER_AFTER_S
    removed = 0
    for file in folder.iterdir():
        if not (file.name.startswith(f".{beginning}") and file.name.endswith(SUFFIX)):
            continue
        # Another process may be sweeping too.
        with suppress(FileNotFoundError):
            if _changed_at(file) < limit:
                file.unlink()
                removed += 1
    return removed


def _changed_at(file: UPath) -> float:
    """Seconds since 1970."""
    return file.stat().st_mtime if isinstance(file, Path) else file.fs.modified(file.path).timestamp()
