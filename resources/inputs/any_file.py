"""A user's file of records, read as the ending of its name says."""

from collections.abc import Callable, Collection
from pathlib import Path

from upath import UPath

from resources.errors import FileFault, listing
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


def record_file(path: str | Path | UPath, likely: Collection[str] = (), sheet: str | None = None) -> RecordFile:
    """The file, read as the ending of its name says; a JSON file may be one list.

    Args:
        path: Local path or fsspec address.
        likely: Field names that help to tell a CSV file's delimiter.
        sheet: Of a workbook; none: the only one that holds anything.

    Raises:
        FileFault: Its ending names no kind of file that is read, or its header is wrong.
    """
    refuse_no_file(path)
    ending = UPath(path).suffix.lower()
    if ending in SHEETS:
        return Sheet(path, likely, sheet)
    if sheet is not None:
        raise FileFault(UPath(path).name, "it is no workbook, and a sheet is named.", "Leave out `--sheet`.")
    kind = KINDS.get(ending)
    if kind is None:
        problem = f"files of this kind are not read; those that are: {listing(ENDINGS, len(ENDINGS))}."
        raise FileFault(UPath(path).name, problem, "Convert the file, or rename it.")
    if kind is JsonLines and is_json_list(path):
        return JsonList(path, likely)
    return kind(path, likely)
