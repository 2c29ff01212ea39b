"""A user's file of records, read as the ending of its name says."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from upath import UPath

from resources.errors import FileFault, did_you_mean, listing
from resources.inputs.record_files import CsvRecords, JsonLines, ParquetRecords, RecordFile
from resources.inputs.whole_files import SHEETS, JsonList, Sheet, is_json_list
from resources.runtime.opened_files import refuse_no_file

KINDS: dict[str, Callable[..., RecordFile]] = {
    ".jsonl": JsonLines,
    ".ndjson": JsonLines,
    ".json": JsonLines,
    ".csv": CsvRecords,
    ".tsv": CsvRecords,
    ".txt": CsvRecords,
    ".parquet": ParquetRecords,
    ".pq": ParquetRecords,
}
ENDINGS = (*KINDS, *SHEETS)


def file_state(file: Path, key: str) -> tuple[int, int]:
    """When a file was written, in ns, and its size in bytes: what was read of it holds as long as both stay.

    Args:
        file: On this machine.
        key: What names it in the configuration, for the error.

    Raises:
        FileFault: It cannot be looked at.
    """
    try:
        written = file.stat()
    except OSError as error:
        raise FileFault(file, f"it cannot be read ({error.strerror}).", f"Correct `{key}`.") from error
    return written.st_mtime_ns, written.st_size


COMMON = ("utf-8", "latin-1", "cp1252", "utf-16", "shift_jis", "gb18030", "big5", "euc-kr", "koi8-r", "cp1251")


@dataclass(frozen=True)
class Opening:
    """What a file does not say of itself.

    Attributes:
        sheet: Of a workbook.
        encoding: Of a CSV file, as Python names it.
        decimal: The decimal sign of its numbers, a comma or a point.
    """

    sheet: str | None = None
    encoding: str | None = None
    decimal: str | None = None


AS_IT_IS = Opening()


def record_file(path: str | Path | UPath, likely: Collection[str] = (), opening: Opening = AS_IT_IS) -> RecordFile:
    """The file, read as the ending of its name says; a JSON file may be one list.

    Args:
        path: Local path or fsspec address.
        likely: Field names that help to tell a CSV file's delimiter.
        opening: What the file does not say of itself.

    Raises:
        FileFault: Its ending names no kind of file that is read, it has no sheets or no text, or its header is wrong.
    """
    refuse_no_file(path)
    ending, name = UPath(path).suffix.lower(), UPath(path).name
    kind = KINDS.get(ending)
    if opening.sheet is not None and ending not in SHEETS:
        raise FileFault(name, "it is no workbook, and a sheet is named.", "Leave out `--sheet`.")
    if opening.encoding is not None and kind is not CsvRecords:
        raise FileFault(name, "an encoding is named, and it is no CSV file.", "Leave out `--encoding`.")
    if ending in SHEETS:
        return Sheet(path, likely, opening.sheet)
    if kind is None:
        problem = f"files of this kind are not read; those that are: {listing(ENDINGS, len(ENDINGS))}."
        raise FileFault(name, problem, "Convert the file, or rename it.")
    if kind is JsonLines and is_json_list(path):
        return JsonList(path, likely)
    if opening.encoding is None:
        return kind(path, likely)
    try:
        known = "".encode(opening.encoding) is not None
    except LookupError:
        known = False
    if not known:
        problem = f"there is no encoding '{opening.encoding}'{did_you_mean(opening.encoding, COMMON)}."
        raise FileFault(name, problem, f"Common ones: {listing(COMMON)}.")
    return CsvRecords(path, likely, opening.encoding)
