"""Gathers queries, documents and scores of relevance row by row, and refuses what contradicts itself."""

import hashlib
import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.messages import message
from analysis.spelling import one_spelling
from analysis.words import count_noun
from resources.database.storable import storable
from resources.errors import FileFault, did_you_mean
from resources.inputs.column_names import SpelledNames, own_name
from resources.inputs.faults import Faults, RowFault
from resources.inputs.record_files import NO_VALUE, SeveralValues, as_text
from resources.inputs.written_columns import WrittenColumns
from resources.inputs.written_values import MISSING, score_in

Scale = tuple[float, float]
SHOWN_CHARACTERS = 60
LONGEST_JUDGE = 60
EACH = -1  # the number of no version: a judgment that counts under each
_WHOLE = re.compile(r"-?\d+\.0*")


class Judgment(NamedTuple):
    """The numbers of a document and of a judge, and the prompt version; none counts under each."""

    document: int
    judge: int
    version: str | None


@dataclass(frozen=True)
class Asked:
    """How a file's scores are read.

    Attributes:
        scale: What they run from and to; they are mapped onto 0-1.
        prompt_version: Of scores that name none.
        grades: In place of a scale, the least relevant first.
        people: Judges who are people: a score of theirs without a prompt version counts under each.
    """

    scale: Scale = (0.0, 1.0)
    prompt_version: str = "v1"
    grades: tuple[str, ...] = ()
    people: tuple[str, ...] = ()


@dataclass(frozen=True)
class RelevanceInput:
    """Queries with their documents, and the scores that came with them.

    `documents` has the columns of table `query_documents`; `scores` has query_id, doc_id, judge, prompt_version and
    score (0-1), no row where a judgment is missing. `judges` are those of `scores`, in the order of the input.
    `n_missing` counts each judge's documents without a score, under the versions under which it judged their query or
    another judge did. `ignored` are columns that say nothing to the study. `rows` has the row of each document and of
    each score, in the order of the frames of these names; null for a table, whose rows are known by their key.
    `sha256` is of the file or the table's content; `notes` are sentences on how it was read.
    """

    name: str
    documents: pd.DataFrame
    scores: pd.DataFrame
    judges: tuple[str, ...]
    n_missing: Mapping[str, int]
    ignored: tuple[str, ...]
    rows: Mapping[str, NDArray[np.int64]] | None
    sha256: str = ""
    notes: tuple[str, ...] = ()

    @cached_property
    def content_sha256(self) -> str:
        """Of queries, documents, texts and scores as they were read, whatever else changed in the file."""
        digest = hashlib.sha256()
        for frame in (self.documents, self.scores):
            digest.update(pd.util.hash_pandas_object(frame, index=False).to_numpy().tobytes())
        return digest.hexdigest()

    def place(
        self, query_id: str, doc_id: str | None = None, judge: str | None = None, prompt_version: str | None = None
    ) -> str:
        """Where a query's text was read, a document's or a score: file and row, or table and key."""
        frame = self.documents if judge is None else self.scores
        wanted = {"query_id": query_id, "doc_id": doc_id, "judge": judge, "prompt_version": prompt_version}
        meant = np.ones(len(frame), dtype=bool)
        for column, value in wanted.items():
            meant &= True if value is None else (frame[column] == value).to_numpy(dtype=bool)
        found = np.flatnonzero(meant)
        if self.rows is None or not found.size:
            return f"{self.name}, id '{query_id}'"
        return f"{self.name}, row {self.rows['documents' if judge is None else 'scores'][found[0]]}"


class Gathering:
    """Queries, documents, judges and prompt versions by number, and scores that refer to them."""

    def __init__(self, name: str, asked: "Asked", written: WrittenColumns | None = None) -> None:
        """Begin empty; `written` says how columns of text are read."""
        self.name, self.faults, self._grades = name, Faults(name), asked.grades
        self._people = {one_spelling(name) for name in asked.people}
        self._default_version = asked.prompt_version
        self._written = written or WrittenColumns({})
        self._judge_names = SpelledNames()
        self._low, self._high = asked.scale
        self._queries: dict[str, int] = {}
        self._query_texts: list[str | None] = []
        self._query_rows: list[int] = []
        self._refused: set[int] = set()
        self._doc_numbers: list[dict[str, int]] = []
        self._document_query, self._document_rows = array("q"), array("q")
        self._doc_ids: list[str] = []
        self._texts: list[str | None] = []
        self.judges: dict[str, int] = {}
        self._versions: dict[str, int] = {}
        self._scores = array("d")
        self._keys = {name: array("q") for name in ("document", "judge", "version", "row")}

    def refuse(self, row: int, fault: RowFault) -> None:
        """Note a row that is wrong; a query that it alone tells of lacks nothing then."""
        self._refused.add(row)
        self.faults.add(fault.problem, fault.remedy, row)

    def query(self, row: int, query_id: str, text: str | None) -> int:
        """The query's number; a text that is missing here may stand in another of its rows.

        Raises:
            RowFault: The query has another text.
        """
        self._row = row
        number = self._queries.setdefault(query_id, len(self._query_texts))
        if number == len(self._query_texts):
            self._query_texts.append(text)
            self._query_rows.append(row)
            self._doc_numbers.append({})
        elif text is not None and text != (known := self._query_texts[number]):
            if known is not None:
                problem = f"query '{query_id}' reads '{shown(text)}' in column 'query' and '{shown(known)}' before."
                raise RowFault(problem, "Give one query one text, or two queries two query_ids.")
            self._query_texts[number] = text
        return number

    def document(self, query: int, query_id: str, doc_id: str, text: str | None) -> int:
        """The document's number.

        Raises:
            RowFault: The document has another text.
        """
        numbers = self._doc_numbers[query]
        number = numbers.setdefault(doc_id, len(self._doc_ids))
        if number == len(self._doc_ids):
            self._document_query.append(query)
            self._document_rows.append(self._row)
            self._doc_ids.append(doc_id)
            self._texts.append(text)
        elif text is not None and text != (known := self._texts[number]):
            if known is not None:
                problem = (
                    f"document '{doc_id}' of query '{query_id}' reads '{shown(text)}' and '{shown(known)}' before."
                )
                raise RowFault(problem, "Give one document one text, or two documents two doc_ids.")
            self._texts[number] = text
        return number

    def judge(self, name: str) -> int:
        """The judge's number, in the order of first appearance; another spelling of a name is the same judge."""
        return self.judges.setdefault(self._judge_names.first(name), len(self.judges))

    def identifier(self, column: str, text: str | None) -> str:
        """The id in a column.

        Raises:
            RowFault: There is none, or no database could hold it as it is.
        """
        return self._written.label(column, identifier(column, text))

    def version(self, judge: str, column: str, stated: str | None) -> str | None:
        """The prompt version of a judgment; null of a person's without one, which counts under each.

        Raises:
            RowFault: It is no name.
        """
        if stated is None and one_spelling(judge) in self._people:
            return None
        return identifier(column, stated or self._default_version)

    def score(self, row: int, column: str, judgment: Judgment, value: Any) -> None:
        """Keep one judgment; a missing one is kept as missing.

        Raises:
            RowFault: The value is no number on the scale, or none of the grades.
        """
        if self._grades:
            self._keep(row, judgment, self._grade(column, value))
            return
        found = score_in(value, partial(self._written.number, column))
        if not self._written.reads:
            return
        if found.cause not in (None, MISSING) and value == value:  # a NaN is a missing score too
            raise RowFault(
                f"'{shown(str(value))}' in column '{column}' is no number.",
                "Write a number, or nothing where it is missing.",
            )
        if found.cause is None and found.from_text:
            found = found._replace(value=self._written.on_scale(column, found.value, self._low, self._high))
        if found.cause is None and not self._low <= found.value <= self._high:
            raise RowFault(
                f"score {shown(str(value).strip())} in column '{column}' is outside the scale "
                f"{self._low:g}-{self._high:g}.",
                "Correct it, or declare the scale that the scores are on in touchstone.yaml, such as `scale: [1, 5]`.",
            )
        number = (found.value - self._low) / (self._high - self._low) if found.cause is None else np.nan
        self._keep(row, judgment, number)

    def _grade(self, column: str, value: Any) -> float:
        """A grade's place among all, on 0-1; NaN where there is none."""
        try:
            text = as_text(value)
        except SeveralValues as fault:
            raise RowFault(f"{fault} in column '{column}' is no single value.", "Write one grade.") from fault
        if text is None or text in NO_VALUE:
            return float("nan")
        whole = text.split(".")[0] if _WHOLE.fullmatch(text) else text
        own = own_name(whole, self._grades)
        if own is None:
            problem = f"'{shown(text)}' in column '{column}' is none of the grades {', '.join(self._grades)}."
            raise RowFault(problem, "Correct it, or put it into `grades` in touchstone.yaml at its place.")
        return self._grades.index(own) / (len(self._grades) - 1)

    def _keep(self, row: int, judgment: Judgment, number: float) -> None:
        document, judge, version = judgment
        self._scores.append(number)
        version_number = EACH if version is None else self._versions.setdefault(version, len(self._versions))
        for name, key in zip(self._keys, (document, judge, version_number, row), strict=True):
            self._keys[name].append(key)

    def result(self, ignored: Sequence[str]) -> RelevanceInput:
        """The frames, once all is read.

        Raises:
            FileFault: One thing is wrong.
            FileFaults: Several are.
        """
        self._refuse_queries()
        keys = {
            name: np.frombuffer(key, dtype=np.int64) if len(key) else np.zeros(0, np.int64)
            for name, key in self._keys.items()
        }
        scores = np.frombuffer(self._scores, dtype=np.float64) if len(self._scores) else np.zeros(0)
        keys, scores = self._under_each_version(keys, scores)
        self._refuse_duplicates(keys)
        self.faults.raise_if_any()
        if not self._doc_ids:
            raise FileFault(self.name, "there is no row in it.", "Export it again with its queries.")
        there = np.isfinite(scores)
        judges = [name for name, number in self.judges.items() if there[keys["judge"] == number].any()]
        query = np.frombuffer(self._document_query, dtype=np.int64)
        order = np.argsort(query, kind="stable")
        return RelevanceInput(
            self.name,
            self._documents(query, order),
            self._frame({name: key[there] for name, key in keys.items()}, scores[there]),
            tuple(judges),
            self._missing(keys, there),
            tuple(ignored),
            {"documents": np.array(self._document_rows)[order], "scores": keys["row"][there]},
            notes=(*self._written.notes(), *self._judge_names.notes(message("Judges"))),
        )

    def _under_each_version(
        self, keys: dict[str, np.ndarray], scores: np.ndarray
    ) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Judgments without a version as often as their query has versions; under the default where it has none."""
        each = keys["version"] == EACH
        if not each.any():
            return keys, scores
        n_queries = len(self._queries)
        query = np.frombuffer(self._document_query, dtype=np.int64)[keys["document"]]
        default = self._versions.setdefault(self._default_version, len(self._versions))
        pairs = np.unique(np.column_stack([query[~each], keys["version"][~each]]), axis=0)
        without = np.setdiff1d(query[each], pairs[:, 0])
        pairs = np.concatenate([pairs, np.column_stack([without, np.full(len(without), default)])])
        pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
        n_versions = np.bincount(pairs[:, 0], minlength=n_queries)
        first = np.cumsum(n_versions) - n_versions
        times = np.where(each, n_versions[query], 1)
        place = np.repeat(np.arange(len(scores)), times)
        nth = np.arange(len(place)) - np.repeat(np.cumsum(times) - times, times)
        spread = {name: key[place] for name, key in keys.items()}
        its = pairs[np.minimum(first[query[place]] + nth, len(pairs) - 1), 1]
        spread["version"] = np.where(each[place], its, spread["version"])
        return spread, scores[place]

    def _documents(self, query: np.ndarray, order: np.ndarray) -> pd.DataFrame:
        sorted_query = query[order]
        first = np.searchsorted(sorted_query, sorted_query)
        ids = np.array(list(self._queries), dtype=object)
        return pd.DataFrame(
            {
                "query_id": pd.array(ids[sorted_query], dtype="str"),
                "query": pd.array(np.array(self._query_texts, dtype=object)[sorted_query], dtype="str"),
                "doc_id": pd.array(np.array(self._doc_ids, dtype=object)[order], dtype="str"),
                "document": pd.array(np.array(self._texts, dtype=object)[order], dtype="str"),
                "position": np.arange(len(order)) - first,
            }
        )

    def _frame(self, keys: Mapping[str, np.ndarray], scores: np.ndarray) -> pd.DataFrame:
        query = np.frombuffer(self._document_query, dtype=np.int64)[keys["document"]]

        def named(names: Sequence[str], numbers: np.ndarray) -> Any:
            return pd.array(np.array(names, dtype=object)[numbers], dtype="str")

        return pd.DataFrame(
            {
                "query_id": named(list(self._queries), query),
                "doc_id": named(self._doc_ids, keys["document"]),
                "judge": named(list(self.judges), keys["judge"]),
                "prompt_version": named(list(self._versions), keys["version"]),
                "score": scores,
            }
        )

    def _missing(self, keys: Mapping[str, np.ndarray], there: np.ndarray) -> dict[str, int]:
        """Of each judge, documents of queries that were judged under a version, without a score of its own under it."""
        query = np.frombuffer(self._document_query, dtype=np.int64)
        n_documents = np.bincount(query, minlength=len(self._queries))
        n_versions = max(len(self._versions), 1)
        judged = np.unique(query[keys["document"]] * n_versions + keys["version"])
        expected = int(n_documents[judged // n_versions].sum())
        return {
            name: expected - int(np.count_nonzero(there & (keys["judge"] == number)))
            for name, number in self.judges.items()
        }

    def _refuse_queries(self) -> None:
        for query_id, number in self._queries.items():
            if self._query_rows[number] in self._refused:
                continue
            if not self._doc_numbers[number]:
                problem, remedy = f"query '{query_id}' has no documents.", "Give it documents, or leave it out."
                self.faults.add(problem, remedy, self._query_rows[number])
            if self._query_texts[number] is None:
                problem = f"query '{query_id}' has no text in column 'query'."
                self.faults.add(problem, "Write what was asked.", self._query_rows[number])

    def _refuse_duplicates(self, keys: Mapping[str, np.ndarray]) -> None:
        n_judges, n_versions = max(len(self.judges), 1), max(len(self._versions), 1)
        joined = (keys["document"] * n_judges + keys["judge"]) * n_versions + keys["version"]
        values, first, inverse = np.unique(joined, return_index=True, return_inverse=True)
        if len(values) == len(joined):
            return
        judges, versions, queries = list(self.judges), list(self._versions), list(self._queries)
        again = np.flatnonzero(first[inverse] != np.arange(len(joined)))
        # A row that says a whole query again is one fault.
        rows, first_of_row, n_of_row = np.unique(keys["row"][again], return_index=True, return_counts=True)
        for row, place, n in zip(rows.tolist(), again[first_of_row].tolist(), n_of_row.tolist(), strict=True):
            document = int(keys["document"][place])
            query_id = queries[self._document_query[document]]
            others = f", and so for {count_noun(n - 1, 'more score')}" if n > 1 else ""
            problem = (
                f"judge '{judges[keys['judge'][place]]}' has a score of document '{self._doc_ids[document]}' of query "
                f"'{query_id}' under prompt version '{versions[keys['version'][place]]}' in row "
                f"{keys['row'][first[inverse[place]]]} already{others}."
            )
            self.faults.add(problem, "Keep one of the two.", row)


def identifier(column: str, text: str | None) -> str:
    """A name that stands in a column.

    Raises:
        RowFault: There is none, or no database could hold it as it is.
    """
    if text is None:
        raise RowFault(f"there is no value in column '{column}'.", "Write one, or leave the row out.")
    if not (text.isascii() and "\x00" not in text) and storable(text) != text:
        raise RowFault(f"{text[:SHOWN_CHARACTERS]!r} in column '{column}' holds NUL or half a letter.", "Remove it.")
    return text


def judge_name(column: str, text: str | None) -> str:
    """The name of a judge, from a column or in its heading.

    Raises:
        RowFault: There is none, it is long, or has characters that cannot be seen.
    """
    name = identifier(column, text)
    if len(name) > LONGEST_JUDGE or not name.isprintable():
        problem = f"{name[:SHOWN_CHARACTERS]!r} in column {column[:SHOWN_CHARACTERS]!r} cannot be a judge's name."
        raise RowFault(problem, f"Write a name of at most {LONGEST_JUDGE} characters on one line.")
    return name


def refuse_unknown(
    name: str, columns: Mapping[str, str], known: Sequence[str], names: Sequence[str], complete: bool
) -> None:
    """Refuse a renaming of a column that the study does not read, or that the file does not have.

    Raises:
        FileFault: It does either.
    """
    for ours, theirs in columns.items():
        if ours not in known and not ours.endswith("_score"):
            problem = f"`columns` names '{ours}'{did_you_mean(ours, known)}, which is no column of this study."
            raise FileFault(name, problem, f"Those that are: {', '.join(known)} and judge1_score, judge2_score, ....")
        if complete and own_name(theirs, names) is None:
            problem = f"there is no column '{theirs}'{did_you_mean(theirs, names)}, which `columns` names for '{ours}'."
            raise FileFault(name, problem, "Correct `columns` in touchstone.yaml.")


def shown(text: str) -> str:
    """The text's beginning, for messages."""
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}..."
