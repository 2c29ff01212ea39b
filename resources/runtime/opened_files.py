"""Opens a user's file as bytes, or says why it cannot be read."""

import codecs
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, AnyStr, BinaryIO

from upath import UPath

from resources.configuration.limits import raise_it
from resources.configuration.yaml_text import current_limits
from resources.errors import FileFault, UserError

_NO_FILES = {
    stat.S_ISDIR: "a folder",
    stat.S_ISFIFO: "a pipe",
    stat.S_ISSOCK: "a socket",
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
}
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_HEAD_BYTES = 4096


def is_file(entry: os.DirEntry[str]) -> bool:
    """Whether an entry of a folder is a file or leads to one; one that leads round in a circle leads nowhere."""
    try:
        return entry.is_file()
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        return False


def opened(path: str | Path | UPath) -> BinaryIO:
    """The file from its first byte, as a stream; the caller closes it.

    Raises:
        FileFault: Missing, not readable, empty, or no file (`refuse_no_file`).
    """
    refuse_no_file(path)
    try:
        file: BinaryIO = UPath(path).open("rb")
    except ImportError as error:
        raise FileFault(
            path, f"it cannot be opened ({error}).", "Install that package, or use a local file."
        ) from error
    except FileNotFoundError as error:
        remedy = "Correct its path, where you typed it or in touchstone.yaml."
        raise FileFault(path, "there is no such file.", remedy) from error
    except OSError as error:
        raise FileFault(path, f"it cannot be opened ({error}).", "Check the path and its permissions.") from error
    if not _has_text(file):
        file.close()
        raise FileFault(UPath(path).name, "the file is empty.", "Export it again with its rows.")
    return file


def refuse_no_file(path: str | Path | UPath) -> None:
    """Stop at once where a name leads to something else than a file, which a read may wait for without end.

    Args:
        path: Local path or fsspec address; what is not there is no fault here.

    Raises:
        FileFault: It is a folder, a pipe, a socket or a device, or its name is no text.
    """
    refuse_name(path)
    try:
        UPath(path)
    except (ImportError, ValueError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise FileFault(
            path, f"it cannot be opened ({reason}).", "Name a local file, or install what it needs."
        ) from error
    kind = no_file(path)
    if kind is not None:
        remedy = "Name a file in it." if kind == "a folder" else "Save what it gives to a file, and name that."
        raise FileFault(UPath(path).resolve().name or path, f"it is {kind}.", remedy)


def no_file(path: str | Path | UPath) -> str | None:
    """What a local path leads to where that is no file; null where it is one, or nothing is there."""
    place = UPath(path)
    try:
        mode = place.stat().st_mode if isinstance(place, Path) else 0
    except (OSError, ValueError):
        return None  # opening it says why
    return next((words for is_kind, words in _NO_FILES.items() if is_kind(mode)), None)


def refuse_name(path: str | Path | UPath) -> None:
    """Stop where a file's name cannot be written elsewhere.

    Raises:
        FileFault: It is not UTF-8, or holds NUL.
    """
    name = str(path)
    try:
        name.encode()
    except UnicodeEncodeError as error:
        shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        raise FileFault(shown, "its name is not UTF-8.", "Rename it.") from error
    if "\0" in name:
        raise FileFault(repr(name), "its name holds NUL.", "Correct it.")


def begins_utf16(file: BinaryIO) -> bool:
    """Whether a text file begins with the mark of UTF-16, as spreadsheets save "Unicode"; then it is at its start."""
    found = file.read(2) in _UTF16_MARKS
    file.seek(0)
    return found


def lines_of(file: IO[AnyStr], name: str, remedy: str) -> Iterator[AnyStr]:
    """Each line of an open file, none longer than `limits.line_bytes` allows.

    Args:
        file: As text or bytes.
        name: The file's name for errors.
        remedy: What to do about a line that is too long.

    Raises:
        FileFault: A line is longer than the limit.
    """
    longest = current_limits().line_bytes
    row = 1
    while line := file.readline(longest + 1):
        if len(line) > longest:
            problem = f"the line is longer than {longest:,} bytes."
            raise FileFault(name, problem, f"{remedy.rstrip('.')}, {raise_it('line_bytes')}", row=row)
        yield line
        row += 1


def _has_text(file: BinaryIO) -> bool:
    head = file.read(_HEAD_BYTES).removeprefix(codecs.BOM_UTF8)
    while head and not head.strip():
        head = file.read(_HEAD_BYTES)
    file.seek(0)
    return bool(head)


def refuse_link_out(root: Path, place: Path, setting: str) -> None:
    """Refuse a link that leads out of a folder: its file would be read, and may be sent to a judge.

    Raises:
        UserError: It is such a link.
    """
    if place.is_symlink() and leads_out(root, place):
        raise UserError(
            f"{place}: this is a link that leads out of `{setting}` ({root}), to {real_path(place)}. Nothing "
            "was read from it. Put the file itself there, or name a folder that holds both."
        )


def leads_out(root: Path, place: Path) -> bool:
    """Whether a path leads out of a folder, through links too."""
    return not real_path(place).is_relative_to(real_path(root))


def real_path(path: Path) -> Path:
    """Where a path leads through links; the path itself, absolute, where they lead round in a circle."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # which of them Python raises for a circle depends on its version
        return path.absolute()
