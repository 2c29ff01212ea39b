"""JSON of other tools: records that stand in a list within one object, ratings that stand in lists of named entries."""

import codecs
import json
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import Any, Final

from upath import UPath

from analysis.messages import Name, message
from resources.configuration.yaml_text import current_limits
from resources.errors import FileFault
from resources.inputs.csv_files import refuse_names_twice
from resources.inputs.faults import BadRow
from resources.inputs.record_files import HEAD_RECORDS, Fields, JsonLines, Record, RecordFile
from resources.inputs.whole_files import JsonList
from resources.runtime.opened_files import opened

# The fields that name an entry of a list: a metric, or who rated.
_NAMES: Final = (
    *("name", "key", "metric", "rater", "annotator", "annotator_id", "user", "user_id", "worker_id", "reviewer"),
    *("judge", "author", "source", "model"),
)
# Documents found for a question have other names in every record; metrics and raters come again.
_MOST_NAMES: Final = 100


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
    most = current_limits().parquet_bytes
    with opened(path) as file:
        first = file.readline(most)
        more = file.read(HEAD_RECORDS)
        if not (start := first.removeprefix(codecs.BOM_UTF8).strip()).startswith(b"{") or start == b"{":
            return start == b"{"
        try:
            fields = _json(first)
            if fields is None:  # the first line alone is none
                return bool(more.strip()) and _json(first + more + file.read(most - len(first))) is not None
            return not more.strip() and (bool(_lists_in(fields)) or _of_frame(fields, path.name) is not None)
        except RecursionError:
            return False


def _json(text: bytes) -> Any:
    with suppress(ValueError):
        return json.loads(text.removeprefix(codecs.BOM_UTF8))
    return None


class OneObject(JsonList):
    """One JSON object: its records are the entries of the longest list of objects in it, rows their places there."""

    @cached_property
    def _values(self) -> list[Any]:
        fields = self._parsed()
        if (rows := _of_frame(fields, self.name)) is not None:
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


def _of_frame(fields: Fields, file: str) -> list[Any] | None:
    """The rows of a data frame as pandas writes one by columns, by rows or split; null where it is none."""
    if {*fields} == {"columns", "index", "data"} and _all_of(str, columns := fields["columns"]):
        if not _all_of(list, rows := fields["data"]):
            return None
        refuse_names_twice(file, columns, 1)
        for row, cells in enumerate(rows, start=1):
            if len(cells) != len(columns):
                problem = f"its values ({len(cells):,}) are not as many as the columns ({len(columns):,})."
                raise FileFault(file, problem, "Export it again.", row=row)
        return [dict(zip(columns, cells, strict=True)) for cells in rows]
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
    return bool(value) and _all_of(dict, value)


def _all_of(kind: type, value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, kind) for entry in value)


class NamedEntries(JsonLines):
    """A file of JSON with lists of named entries, `[{"name": "tone", "score": 4}]`, as groups of fields: tone.score.

    A list of one label or number, as doccano writes, is that, and an empty one where such stand is blank.
    """

    def __init__(self, file: RecordFile) -> None:
        """Learn from the first records which field names a list's entries: it tells them apart and comes again."""
        super().__init__(file.path, file.likely)
        self._file = file
        self._singles = set[str]()
        # Of each list, by field that may name its entries, in how many lists each name stands.
        counts: dict[str, dict[str, Counter[str]]] = {}
        for record in islice(file.records(), HEAD_RECORDS):
            if isinstance(record, Record):
                self._learn(record.fields, "", counts)
        self._keys = {
            path: key
            for path, by_key in counts.items()
            for key, names in reversed(by_key.items())
            if 2 * sum(n > 1 for n in names.values()) >= len(names)
        }
        self.remarks = file.remarks

    @property
    def has_any(self) -> bool:
        """Whether there is such a list, or one of a single value."""
        return bool(self._keys or self._singles)

    def records(self, wanted: Collection[str] | None = None) -> Iterator[Record | BadRow]:
        """Every record; where names do not tell a list's entries apart, each field of them holds the list."""
        for record in self._file.records(wanted):
            yield Record(record.row, self._grouped(record.fields, "")) if isinstance(record, Record) else record

    def _learn(self, value: Any, path: str, counts: dict[str, dict[str, Counter[str]]]) -> None:
        if isinstance(value, dict):
            for name, inner in value.items():
                self._learn(inner, f"{path}.{name}", counts)
        elif _are_entries(value):
            by_key = counts.setdefault(path, {key: Counter() for key in _NAMES})
            for key, names in [*by_key.items()]:
                names.update(found := _names(value, key))
                if not found or len(names) > _MOST_NAMES:
                    del by_key[key]
            for entry in value:
                self._learn(entry, path, counts)
        elif _is_single(value):
            self._singles.add(path)

    def _grouped(self, value: Any, path: str) -> Any:
        if isinstance(value, dict):
            return {name: self._grouped(inner, f"{path}.{name}") for name, inner in value.items()}
        if _is_single(value):
            return value[0]
        if value == [] and path in self._singles:
            return None
        key = self._keys.get(path)
        if key is None or not _are_entries(value):
            return value
        if not (names := _names(value, key)):
            # A rating that is asked for in one of them is refused: it holds several values.
            return {str(entry.get(key)): dict.fromkeys(entry, value) for entry in value}
        return {
            name: self._grouped({field: inner for field, inner in entry.items() if field != key}, path)
            for name, entry in zip(names, value, strict=True)
        }


def _names(entries: list[Fields], key: str) -> list[str]:
    """What the field names each entry; empty where it does not tell them apart."""
    names = [str(name) for entry in entries if isinstance(name := entry.get(key), str | int)]
    return names if len({*names}) == len(entries) else []
