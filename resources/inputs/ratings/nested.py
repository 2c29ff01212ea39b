"""JSON of other tools: records that stand in a list within one object, ratings that stand in lists of named entries."""

import codecs
import json
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any, Final

from upath import UPath

from analysis.messages import Name, message
from resources.configuration.yaml_text import current_limits
from resources.errors import FileFault
from resources.inputs.faults import BadRow
from resources.inputs.record_files import HEAD_RECORDS, Fields, JsonLines, Record, RecordFile
from resources.inputs.whole_files import JsonList
from resources.runtime.opened_files import opened

# The fields that name an entry of a list: a metric, or who rated.
_NAMES: Final = (
    *("name", "key", "metric", "rater", "annotator", "annotator_id", "user", "user_id", "worker_id", "reviewer"),
    *("judge", "author", "source", "model"),
)


def whole_object(file: RecordFile) -> RecordFile:
    """The file, as the longest list of objects in it where it is one JSON object."""
    return OneObject(file.path, file.likely) if isinstance(file, JsonLines) and _is_one_object(file.path) else file


def with_named_entries(file: RecordFile) -> RecordFile:
    """The file, with groups of fields in place of lists of named entries where it is JSON with such lists."""
    if not isinstance(file, JsonLines | JsonList):
        return file
    try:
        named = NamedEntries(file)
    except RecursionError:
        return file  # so deep a file is read as it is
    return named if named.has_any else file


def _is_one_object(path: UPath) -> bool:
    """Whether a file holds one JSON object, over several lines or with a list of records in it."""
    with opened(path) as file:
        first, more = (
            file.readline(current_limits().parquet_bytes).removeprefix(codecs.BOM_UTF8).strip(),
            file.read(HEAD_RECORDS).strip(),
        )
    if first == b"{" or more or not first.startswith(b"{"):
        return first == b"{"
    try:
        fields = json.loads(first)
        return bool(_lists_in(fields)) or _of_frame(fields) is not None
    except (ValueError, RecursionError):
        return False


class OneObject(JsonList):
    """One JSON object: its records are the entries of the longest list of objects in it, rows their places there."""

    @cached_property
    def _values(self) -> list[Any]:
        fields = self._parsed()
        if (rows := _of_frame(fields)) is not None:
            return rows
        if not (lists := _lists_in(fields)):
            problem = "it is one JSON object, without a list of records in it."
            raise FileFault(self.name, problem, "Export a list of records, or one JSON object per line.")
        # Of two of one length the one with more in it: what came of test cases, not the cases.
        path, values = max(lists.items(), key=lambda one: (len(one[1]), len(json.dumps(one[1][0]))))
        of_list = message("Its records are the {n:,} entries of '{path}'.", n=len(values), path=Name(path))
        self.remarks = [of_list]
        return values


def _lists_in(fields: Fields) -> dict[str, list[Any]]:
    """By dotted name every list of objects that no other list holds."""
    found, groups = dict[str, list[Any]](), [("", fields)]
    for prefix, group in groups:
        for name, value in group.items():
            if isinstance(value, dict):
                groups.append((f"{prefix}{name}.", value))
            elif _are_entries(value):
                found[prefix + name] = value
    return found


def _of_frame(fields: Fields) -> list[Any] | None:
    """The rows of a data frame as pandas writes one by columns, by rows or split; null where it is none."""
    if {*fields} == {"columns", "index", "data"}:
        return [dict(zip(fields["columns"], row, strict=False)) for row in fields["data"]]
    groups = list(fields.values())
    if len(groups) < 2 or not all(isinstance(group, dict) and group for group in groups):
        return None
    keys = list(groups[0])
    if any(list(group) != keys for group in groups):
        return None
    if all(key.isdecimal() for key in keys):
        return [{name: fields[name][key] for name in fields} for key in keys]
    return groups if all(name.isdecimal() for name in fields) else None


def _is_single(value: Any) -> bool:
    """Whether a list holds one label or number."""
    return isinstance(value, list) and len(value) == 1 and isinstance(value[0], str | int | float)


def _are_entries(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(entry, dict) for entry in value)


class NamedEntries(JsonLines):
    """A file of JSON with lists of named entries, `[{"name": "tone", "score": 4}]`, as groups of fields: tone.score.

    A list of one label or number, as doccano writes, is that.
    """

    def __init__(self, file: RecordFile) -> None:
        """Learn from the first records which field names a list's entries: in every record another value for each."""
        super().__init__(file.path, file.likely)
        self._file = file
        self._keys: dict[str, list[str]] = {}
        self._has_single = False
        for record in islice(file.records(), HEAD_RECORDS):
            if isinstance(record, Record):
                self._learn(record.fields, "")
        self.remarks = file.remarks

    @property
    def has_any(self) -> bool:
        """Whether there is such a list, or one of a single value."""
        return any(self._keys.values()) or self._has_single

    def records(self, wanted: Collection[str] | None = None) -> Iterator[Record | BadRow]:
        """Every record, or the list in it that names an entry twice."""
        for record in self._file.records(wanted):
            try:
                yield Record(record.row, self._grouped(record.fields, "")) if isinstance(record, Record) else record
            except _Twice as error:
                yield BadRow(record.row, f"{error}.", "Keep one entry of each name.")

    def _learn(self, value: Any, path: str) -> None:
        if isinstance(value, dict):
            for name, inner in value.items():
                self._learn(inner, f"{path}.{name}")
        elif _are_entries(value):
            given = self._keys.get(path, _NAMES)
            self._keys[path] = [key for key in given if _differ([entry.get(key) for entry in value])]
            for entry in value:
                self._learn(entry, path)
        else:
            self._has_single |= _is_single(value)

    def _grouped(self, value: Any, path: str) -> Any:
        if isinstance(value, dict):
            return {name: self._grouped(inner, f"{path}.{name}") for name, inner in value.items()}
        if _is_single(value):
            return value[0]
        key = next(iter(self._keys.get(path, ())), None)
        if key is None or not _are_entries(value):
            return value
        names = [entry.get(key) for entry in value]
        if not _differ(names):
            raise _Twice(f"the entries of '{path[1:]}' have no '{key}', or one of them twice")
        return {
            str(name): self._grouped({field: inner for field, inner in entry.items() if field != key}, path)
            for name, entry in zip(names, value, strict=True)
        }


class _Twice(Exception):
    """A list's entries are not told from each other by their names."""


def _differ(names: Iterable[Any]) -> bool:
    given = list(names)
    return len({str(name) for name in given if isinstance(name, str | int)}) == len(given)
