"""Opens a user's file as bytes, or says why it cannot be read."""

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import IO, AnyStr, BinaryIO

from upath import UPath

from resources.configuration.limits import raise_it
from resources.configuration.yaml_text import current_limits
from resources.errors import FileFault

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_HEAD_BYTES = 4096


def opened(path: str | Path | UPath) -> BinaryIO:
    """The file from its first byte, as a stream; whoever opens it closes it.

    Args:
        path: Local path or fsspec address.

    Raises:
        FileFault: Missing, not readable or empty.
    """
    try:
        file: BinaryIO = UPath(path).open("rb")
    except FileNotFoundError as error:
        remedy = "Correct its path, where you typed it or in touchstone.yaml."
        raise FileFault(path, "there is no such file.", remedy) from error
    except OSError as error:
        raise FileFault(path, f"it cannot be opened ({error}).", "Check the path and its permissions.") from error
    if not _has_text(file):
        file.close()
        raise FileFault(UPath(path).name, "the file is empty.", "Export it again with its rows.")
    return file


def refuse_utf16(file: BinaryIO, name: str, wanted: str) -> None:
    """End the reading of a text file that a spreadsheet saved as "Unicode".

    Raises:
        FileFault: The file begins with a mark of UTF-16; ``wanted`` says what to save it as.
    """
    if file.read(2) in _UTF16_MARKS:
        raise FileFault(name, "the text is UTF-16.", f"Save it as {wanted}.")
    file.seek(0)


def lines_of(file: IO[AnyStr], name: str, remedy: str, first_row: int = 1) -> Iterator[AnyStr]:
    """Each line of an open file, none longer than `limits.line_bytes` allows.

    Args:
        file: As text or bytes.
        name: The file's name for errors.
        remedy: What to do about a line that is too long.
        first_row: The number of the next line.

    Raises:
        FileFault: A line is longer than the limit.
    """
    longest = current_limits().line_bytes
    row = first_row
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
