"""The texts that a judge of study A reads instead of images: one row per id, what was asked and what was answered."""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from resources.configuration.fidelity import Texts
from resources.database.call_records import OCCASION_SIGN
from resources.errors import FileFault, UserError
from resources.inputs.any_file import file_state, record_file
from resources.inputs.column_names import own_name
from resources.inputs.faults import BadRow, Faults
from resources.inputs.record_files import as_text, unknown_field

HASH_LENGTH: Final = 8
NO_SOURCE: Final = "text"


class Text(NamedTuple):
    """One object to judge: `group` is what is one cluster, such as one question; `source` is who wrote it."""

    id: str
    query: str
    document: str
    group: str
    source: str

    @property
    def object(self) -> str:
        """Its name in tables and ledger."""
        return object_of(self.id)

    @property
    def sha256(self) -> str:
        """Of what the judge reads: another text is another call."""
        return hashlib.sha256(f"{self.query}\0{self.document}".encode()).hexdigest()


def object_of(id_: str) -> str:
    """8 hex digits that follow from an id."""
    return hashlib.sha256(id_.encode()).hexdigest()[:HASH_LENGTH]


def read_texts(texts: Texts) -> Mapping[str, Text]:
    """The texts by object, read once for each state of the file.

    Raises:
        FileFault: The file cannot be read, lacks a column, or has one fault.
        FileFaults: It has several.
    """
    columns = tuple(texts.columns_by_name.items())
    return _read(texts.file, columns, *file_state(texts.file, "texts.file"))


def text_of(texts: Mapping[str, Text], object_: str) -> Text:
    """The text of an object, whatever occasion its name in the ledger goes on with.

    Raises:
        UserError: There is none.
    """
    text = texts.get(object_.partition(OCCASION_SIGN)[0])
    if text is None:
        raise UserError(f"There is no text of object {object_} any more; make human_scores and study_objects again.")
    return text


@lru_cache(4)
def _read(path: Path, columns: tuple[tuple[str, str], ...], mtime_ns: int, size: int) -> Mapping[str, Text]:
    wanted = dict(columns)
    file = record_file(path, list(wanted.values()))
    names, _ = file.names(whole=True)
    for name in ("id", "document"):
        if problem := unknown_field(wanted[name], names):
            raise FileFault(file.name, str(problem), f"Name it in `texts.columns`: {{{name}: ...}}.")
    theirs = {name: own_name(column, names) for name, column in wanted.items()}
    faults = Faults(file.name)
    texts: dict[str, Text] = {}
    for record in file.records([column for column in theirs.values() if column]):
        if isinstance(record, BadRow):
            faults.add(record.problem, record.remedy, record.row)
            continue
        cells = {name: as_text(record.fields.get(column)) if column else None for name, column in theirs.items()}
        if cells["id"] is None or cells["document"] is None:
            lacks = "id" if cells["id"] is None else "document"
            faults.add(f"there is no value in column '{theirs[lacks]}'.", "Write one, or remove the row.", record.row)
            continue
        query = cells["query"] or ""
        group = cells["group"] or query or cells["id"]
        found = Text(cells["id"], query, cells["document"], group, cells["source"] or NO_SOURCE)
        known = texts.setdefault(found.object, found)
        if known.id != found.id:
            faults.add(f"ids '{known.id}' and '{found.id}' have the same short hash.", "Rename one.", record.row)
        elif known != found:
            faults.add(f"id '{found.id}' has another text than before.", "Give each text an id of its own.", record.row)
    faults.raise_if_any()
    return texts
