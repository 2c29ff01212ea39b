"""Reads one row of a relevance file: a judgment of a document, or a query with all its documents and score lists."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from upath import UPath

from analysis.words import count_noun
from resources.errors import FileFault, did_you_mean, listing, nearest_of
from resources.inputs.any_file import record_file
from resources.inputs.column_names import own_name
from resources.inputs.faults import BadRow, RowFault
from resources.inputs.record_files import Fields, RecordFile, SeveralValues, as_text, refuse_unreadable, value_of
from resources.inputs.reliability.relevance_records import (
    Asked,
    Gathering,
    Judgment,
    RelevanceInput,
    judge_name,
    refuse_unknown,
    shown,
)
from resources.inputs.written_columns import WrittenColumns, read_as_written

ID, QUERY_ID, QUERY, DOC_ID, DOCUMENT, DOCS = "id", "query_id", "query", "doc_id", "document", "docs"
JUDGE, VERSION, SCORE, SUFFIX = "judge", "prompt_version", "score", "_score"
OF_DOCUMENTS: Final = (QUERY_ID, QUERY, DOC_ID, DOCUMENT, JUDGE, VERSION, SCORE)
OF_QUERIES: Final = (ID, QUERY_ID, QUERY, DOCS, VERSION)
_LIKE_DOCUMENTS = 'Write documents like [{"id": "d1", "text": "..."}], or a list of texts.'
_LIKE = "Write it like [0.8, null, 0.4]: one score a document, null where it is missing."
LIKELY = tuple(dict.fromkeys((*OF_DOCUMENTS, *OF_QUERIES)))
LIKENESS = 0.85
AS_SCORES: Final = Asked()
_NAME_IT = "Rename the column, or name it in `columns` of touchstone.yaml, such as `columns: {query_id: QID}`."


class RowReader(Protocol):
    """Takes the rows of one form of file."""

    def take(self, row: int, fields: Fields) -> None:
        """Keep what a row says.

        Raises:
            RowFault: The row is wrong.
        """


class DocumentRows:
    """One row a document: with a judge and its score, with a score column for each judge, or without scores."""

    def __init__(self, gathering: Gathering, names: Mapping[str, str]) -> None:
        """`names` are ours and the file's."""
        self._gathering, self._names = gathering, names
        self._values = {name: value_of(names[name]) for name in names}
        self._document_fields = [name for name in (QUERY_ID, QUERY, DOC_ID, DOCUMENT) if name in names]
        self._last_values: list[Any] | None = None
        self._document = 0
        self._long = SCORE in names
        self._judges = (
            {} if self._long else {name: judge_of(names[name], name) for name in names if name.endswith(SUFFIX)}
        )

    def take(self, row: int, fields: Fields) -> None:
        """One document, and what was said of it."""
        values = [self._values[name](fields) for name in self._document_fields]
        if values != self._last_values:  # a document has as many rows as judges, most often one after the other
            self._last_values, self._document = None, self._document_of(row, fields)
            self._last_values = values
        for column, judge in self._judgments(fields):
            version = self._gathering.version(judge, VERSION, self._text(VERSION, fields))
            value = self._values[column](fields)
            number = self._gathering.judge(judge)
            self._gathering.score(row, self._names[column], Judgment(self._document, number, version), value)

    def _document_of(self, row: int, fields: Fields) -> int:
        query_id = self._gathering.identifier(self._names[QUERY_ID], self._text(QUERY_ID, fields))
        query = self._gathering.query(row, query_id, self._words(QUERY, fields))
        doc_id = self._gathering.identifier(self._names[DOC_ID], self._text(DOC_ID, fields))
        return self._gathering.document(query, query_id, doc_id, self._words(DOCUMENT, fields))

    def _judgments(self, fields: Fields) -> Iterator[tuple[str, str]]:
        if not self._long:
            yield from self._judges.items()
            return
        judge = self._text(JUDGE, fields)
        # A row without judge and score is a document without a judgment.
        if judge is not None or self._text(SCORE, fields) is not None:
            yield SCORE, judge_name(self._names[JUDGE], judge)

    def _text(self, name: str, fields: Fields) -> str | None:
        return single(self._names[name], self._values[name](fields)) if name in self._values else None

    def _words(self, name: str, fields: Fields) -> str | None:
        return words(self._names[name], self._values[name](fields)) if name in self._values else None


class QueryRows:
    """One row a query: its documents, and a list of scores for each judge in the documents' order."""

    def __init__(self, gathering: Gathering, names: Mapping[str, str]) -> None:
        """`names` are ours and the file's."""
        self._gathering = gathering
        self._id = names.get(QUERY_ID) or names[ID]
        self._names = {name: names.get(name, name) for name in (QUERY, DOCS, VERSION)}
        self._ours = {theirs: ours for ours, theirs in names.items() if ours.endswith(SUFFIX)}

    def take(self, row: int, fields: Fields) -> None:
        """One query with its documents, and what was said of them."""
        query_id = self._gathering.identifier(self._id, single(self._id, value_of(self._id)(fields)))
        text = words(self._names[QUERY], value_of(self._names[QUERY])(fields))
        query = self._gathering.query(row, query_id, text)
        lists = {
            column: scores
            for column in fields
            if (column.endswith(SUFFIX) or column in self._ours)
            and (scores := list_in(column, fields[column])) is not None
        }
        column = self._names[DOCS]
        docs = list_in(column, value_of(column)(fields), _LIKE_DOCUMENTS)
        # Without documents they are numbered, as many as there are scores.
        longest = max(lists, key=lambda name: len(lists[name]), default="")
        n = len(lists.get(longest, [])) if docs is None else len(docs)
        for name, scores in lists.items():
            if len(scores) != n:
                what = f"{count_noun(n, 'score')} in column '{longest}'" if docs is None else count_noun(n, "document")
                problem = f"query '{query_id}' has {what} and {count_noun(len(scores), 'score')} in column '{name}'."
                raise RowFault(problem, _LIKE)
        documents = self._documents(query, query_id, column, [None] * n if docs is None else docs)
        stated = single(self._names[VERSION], value_of(self._names[VERSION])(fields))
        for name, scores in lists.items():
            who = judge_of(name, self._ours.get(name, name))
            version, judge = self._gathering.version(who, self._names[VERSION], stated), self._gathering.judge(who)
            for document, value in zip(documents, scores, strict=True):
                self._gathering.score(row, name, Judgment(document, judge, version), value)

    def _documents(self, query: int, query_id: str, column: str, docs: list[Any]) -> list[int]:
        found: dict[str, int] = {}
        for number, one in enumerate(docs, start=1):
            doc_id, text = _document(column, number, one)
            doc_id = self._gathering.identifier(f"{column}.id", doc_id)
            if doc_id in found:
                problem = f"document '{doc_id}' stands twice in column '{column}' of query '{query_id}'."
                raise RowFault(problem, "Keep one of the two, with its scores.")
            found[doc_id] = self._gathering.document(query, query_id, doc_id, text)
        return list(found.values())


def judge_of(column: str, name: str) -> str:
    """The judge whose scores stand in a column.

    Args:
        column: What the file calls it.
        name: What we call it: the judge's name and `SUFFIX`.

    Raises:
        RowFault: It is no name that a judge can have.
    """
    return judge_name(column, name.removesuffix(SUFFIX) or None)


def single(column: str, value: Any) -> str | None:
    """The single value as text, without outer spaces; null where there is none.

    Raises:
        RowFault: It is a list or a group of fields.
    """
    try:
        return as_text(value)
    except SeveralValues as fault:
        raise RowFault(f"{fault} in column '{column}' is no single value.", "Write one value.") from fault


def words(column: str, value: Any) -> str | None:
    """The text as it is written; null where it is blank.

    Raises:
        RowFault: It is a list or a group of fields, or no text that a file could hold.
    """
    if not isinstance(value, str):
        return single(column, value)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise RowFault(f"{shown(value)!r} in column '{column}' holds half a letter.", "Remove it.") from error
    return value if value and not value.isspace() else None


def list_in(column: str, value: Any, remedy: str = _LIKE) -> list[Any] | None:
    """The list that a value holds, as JSON or as Postgres writes one where it is text; null where there is none.

    Raises:
        RowFault: It is no list.
    """
    if value is None or value != value:  # a data frame writes a missing value as NaN
        return None
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, str):
        text = value.strip()
        if not text:
            return None
        if text.startswith("{") and text.endswith("}") and ":" not in text:
            items = [item.strip() for item in text[1:-1].split(",")] if text[1:-1].strip() else []
            return [None if item.upper() == "NULL" else item.strip('"') for item in items]
        try:
            parsed = json.loads(text)
        except (ValueError, RecursionError):
            parsed = None
        if isinstance(parsed, list):
            return parsed
    raise RowFault(f"'{shown(str(value))}' in column '{column}' is no list.", remedy)


def _document(column: str, number: int, one: Any) -> tuple[str | None, str | None]:
    """Id and text of a document; a document that is only a text, or nothing at all, is numbered from 1."""
    if one is None or isinstance(one, str):
        return str(number), words(column, one)
    if not isinstance(one, dict):
        problem = f"'{shown(str(one))}' in column '{column}' is no document."
        raise RowFault(problem, 'Write documents like {"id": "d1", "text": "..."}.')
    doc_id = single(f"{column}.id", one.get(ID) if one.get(ID) is not None else one.get(DOC_ID))
    text = one.get("text") if one.get("text") is not None else one.get(DOCUMENT)
    return doc_id, words(f"{column}.text", text)


def read_relevance_file(
    path: str | Path | UPath,
    columns: Mapping[str, str] | None = None,
    asked: Asked = AS_SCORES,
) -> RelevanceInput:
    """Everything in the file, in its order; the file is read as a stream.

    Args:
        path: Local path or fsspec address. One row a document (`query_id, query, doc_id, document`, with `judge` and
            `score` or with a `{judge}_score` a judge, and `prompt_version`) or one row a query (`id, query, docs[{id,
            text}], {judge}_score[]`). In CSV lists are JSON text.
        columns: Our column name to the file's.
        asked: How its scores are read.

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
        gathering = Gathering(file.name, asked, written)
        try:
            reader: RowReader = kind(gathering, found)
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

    return read_as_written(read, file.name, file.delimiter, file.remarks)


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
