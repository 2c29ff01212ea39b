"""Reads queries, documents and scores of relevance from a CSV, JSONL or Parquet file."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from upath import UPath

from resources.errors import FileFault, did_you_mean, listing, nearest_of
from resources.inputs.column_names import own_name
from resources.inputs.faults import BadRow
from resources.inputs.record_files import RecordFile, record_file, refuse_unreadable
from resources.inputs.reliability.relevance_input import RelevanceInput
from resources.inputs.reliability.relevance_records import Gathering, RowFault, Scale, refuse_unknown
from resources.inputs.reliability.relevance_rows import (
    DOC_ID,
    DOCS,
    ID,
    JUDGE,
    OF_DOCUMENTS,
    OF_QUERIES,
    QUERY,
    QUERY_ID,
    SCORE,
    SUFFIX,
    DocumentRows,
    QueryRows,
    RowReader,
)
from resources.inputs.written_columns import WrittenColumns, read_as_written

LIKELY = tuple(dict.fromkeys((*OF_DOCUMENTS, *OF_QUERIES)))
LIKENESS = 0.85
_NAME_IT = "Rename the column, or name it in `columns` of touchstone.yaml, such as `columns: {query_id: QID}`."


def read_relevance_file(
    path: str | Path | UPath,
    columns: Mapping[str, str] | None = None,
    scale: Scale = (0.0, 1.0),
    prompt_version: str = "v1",
) -> RelevanceInput:
    """Everything in the file, in its order; the file is read as a stream.

    Args:
        path: Local path or fsspec address. One row a document (`query_id, query, doc_id, document`, with `judge` and
            `score` or with a `{judge}_score` a judge, and `prompt_version`) or one row a query (`id, query, docs[{id,
            text}], {judge}_score[]`). In CSV lists are JSON text.
        columns: Our column name to the file's.
        scale: What the scores run from and to; they are mapped onto 0-1.
        prompt_version: Of scores that name none.

    Raises:
        FileFault: The file cannot be read, or one thing is wrong in it.
        FileFaults: Several things are wrong in it.
    """
    renamed = dict(columns or {})
    file = record_file(path, [renamed.get(name, name) for name in LIKELY])
    names, complete = file.names()
    if not complete and not _is_recognised(names, renamed):
        names, complete = file.names(whole=True)
    if not names:
        refuse_unreadable(file)
    refuse_unknown(file.name, renamed, LIKELY, names, complete)
    of_documents = own_name(_theirs(DOC_ID, renamed), names) is not None
    found = _columns(file, names, renamed, OF_DOCUMENTS if of_documents else OF_QUERIES)
    kind = DocumentRows if of_documents else QueryRows

    def read(written: WrittenColumns) -> RelevanceInput:
        gathering = Gathering(file.name, scale, written)
        try:
            reader: RowReader = kind(gathering, found, prompt_version)
        except RowFault as fault:
            raise FileFault(file.name, fault.problem, fault.remedy) from fault
        for record in file.records(list(found.values())):
            if isinstance(record, BadRow):
                gathering.faults.add(record.problem, record.remedy, record.row)
                continue
            try:
                reader.take(record.row, record.fields)
            except RowFault as fault:
                gathering.refuse(record.row, fault)
        return gathering.result([name for name in names if name not in found.values()])

    return read_as_written(read, file.name, file.delimiter)


def _theirs(name: str, renamed: Mapping[str, str]) -> str:
    return renamed.get(name, name)


def _is_recognised(names: Sequence[str], renamed: Mapping[str, str]) -> bool:
    """Whether the names seen so far say what the file holds."""
    return any(own_name(_theirs(name, renamed), names) is not None for name in (DOC_ID, DOCS))


def _columns(
    file: RecordFile, names: Sequence[str], renamed: Mapping[str, str], known: Sequence[str]
) -> dict[str, str]:
    """The columns that are read: our name to the file's.

    Raises:
        FileFault: One that is needed is missing, or another looks like one that is not there.
    """
    found = {name: own for name in known if (own := own_name(_theirs(name, renamed), names)) is not None}
    of_documents = DOC_ID in found
    if of_documents and QUERY_ID not in found and (own := own_name(_theirs(ID, renamed), names)) is not None:
        found[QUERY_ID] = own
    required = (QUERY_ID, QUERY, DOC_ID) if of_documents else (ID, QUERY)
    missing = [name for name in required if name not in found and not (name == ID and QUERY_ID in found)]
    if SCORE in found and JUDGE not in found:
        missing.append(JUDGE)
    if JUDGE in found and SCORE not in found:
        missing.append(SCORE)
    if missing:
        wanted = ", ".join(f"'{name}'{did_you_mean(name, names)}" for name in missing)
        raise FileFault(
            file.name,
            f"column {wanted} is missing; the columns there are: {listing(map(repr, names), 30)}.",
            _NAME_IT,
        )
    taken = set(found.values())
    if SCORE not in found:
        ours = {theirs: name for name, theirs in renamed.items()}
        lists = [name for name in names if ours.get(name, name).endswith(SUFFIX) and name not in taken]
        found |= {ours.get(name, name): name for name in lists}
    _refuse_look_alikes(file, names, found, known)
    if not of_documents and DOCS not in found and not any(name.endswith(SUFFIX) for name in found):
        problem = f"it holds queries without documents; the columns there are: {listing(map(repr, names), 30)}."
        raise FileFault(
            file.name, problem, f"One row a document has '{DOC_ID}', one row a query has '{DOCS}'. {_NAME_IT}"
        )
    return found


def _refuse_look_alikes(file: RecordFile, names: Sequence[str], found: Mapping[str, str], known: Sequence[str]) -> None:
    """A column that is nearly one that is read, and would be passed over in silence."""
    absent = [name for name in known if name not in found and name != QUERY_ID]
    read = set(found.values())
    for name in names:
        if name in read:
            continue
        meant = nearest_of(name, absent, LIKENESS)
        if meant is None and SCORE not in found and "_score" in name.casefold():
            meant = f"{name[: name.casefold().index('_score')]}{SUFFIX}"
        if meant is not None:
            problem = f"column '{name}' is not read, and looks like '{meant}'."
            raise FileFault(file.name, problem, f"Rename it if it is meant, or remove it. {_NAME_IT}")
