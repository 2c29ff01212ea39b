"""Writes ground truth in the shape of the table that others read: one query a row, one list of scores a judge."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from analysis.ties import compare
from resources.database.bulk_rows import in_batches
from resources.database.reliability.query_store import QueryStore
from resources.database.reliability.validation_store import ValidationStore
from resources.errors import UserError, did_you_mean, listing
from resources.inputs.reliability.relevance_table import source_connection, stored_table
from resources.runtime.partial_files import whole_file

FORMATS = (".csv", ".jsonl", ".parquet")
Scores = list[float | None]
ROWS_AT_A_TIME = 2_000
LONGEST_NAME_BYTES = 63
# What a new row of the table has before anybody decides: writing over it loses nothing.
UNDECIDED: Mapping[str, Any] = {"human_override": False, "prompt_version": "v1", "expected_docs": []}


class ExportRow(NamedTuple):
    """One query; `scores` has for each judge one score a document, null where a judge gave none."""

    id: str
    query: str
    scores: tuple[Scores, ...]
    kappa: float | None
    expected_docs: list[str]
    human_override: bool
    override_reason: str | None
    prompt_version: str

    def fields(self, score_columns: Sequence[str]) -> dict[str, Any]:
        """The row by the table's column names."""
        fields = self._asdict()
        scores = fields.pop("scores")
        head = {"id": fields.pop("id"), "query": fields.pop("query")}
        return head | dict(zip(score_columns, scores, strict=True)) | fields


def numbered_columns(n_judges: int) -> list[str]:
    """`judge1_score`, `judge2_score`, ...: the judges in the study's order."""
    return [f"judge{number}_score" for number in range(1, n_judges + 1)]


def export_rows(
    queries: QueryStore, validations: ValidationStore, judges: Sequence[str], judgments: pd.DataFrame | None = None
) -> list[ExportRow]:
    """The study's ground truth, in the order of its queries.

    Args:
        queries: Where the scores are.
        validations: Where the ground truth is.
        judges: The study's judges, in their order.
        judgments: Table `judgments` of the latest run, without scores of another source than the configured one; all
            that the database has where left out.

    Raises:
        UserError: There is no ground truth, or it was written from other scores than those that are there now.
    """
    truth = validations.ground_truth_rows()
    if truth.empty:
        raise UserError(
            "There is no ground truth yet. Nothing was written. `touchstone reliability status` says what is due."
        )
    used = validations.ground_truth_scores()
    documents = queries.query_documents().groupby("query_id", sort=False)["doc_id"].agg(list).to_dict()
    frame = queries.judgments(judges) if judgments is None else judgments
    scores = _scores(frame, dict(zip(truth["query_id"], truth["prompt_version"], strict=True)))
    rows = []
    for one in truth.to_dict("records"):
        query_id = one["query_id"]
        known = scores.get(query_id, {})
        lists = tuple([known.get((judge, document)) for document in documents[query_id]] for judge in judges)
        _refuse_other_scores(query_id, lists, judges, used[query_id])
        rows.append(
            ExportRow(
                query_id,
                one["query"],
                lists,
                None if one["kappa"] != one["kappa"] else one["kappa"],
                one["expected_docs"],
                bool(one["human_override"]),
                one["override_reason"] if isinstance(one["override_reason"], str) else None,
                one["prompt_version"],
            )
        )
    return rows


def write_export_file(path: Path, rows: Sequence[ExportRow], *, overwrite: bool = False) -> None:
    """Write the rows as CSV (lists as JSON text), JSONL or Parquet, as the file's ending says; whole or not at all.

    Raises:
        UserError: It is a folder, the ending is another, or the file is there and `overwrite` is false.
    """
    if path.is_dir():
        name = path / "ground_truth.csv"
        raise UserError(f"{path} is a folder. Nothing was changed. Name a file in it, such as {name}.")
    if path.suffix.lower() not in FORMATS:
        raise UserError(f"{path}: '{path.suffix}' is not written. Nothing was changed. Use one of {listing(FORMATS)}.")
    if path.exists() and not overwrite:
        raise UserError(f"{path} is there already. Nothing was changed. Name another file, or add `--overwrite`.")
    columns = numbered_columns(len(rows[0].scores) if rows else 2)
    with whole_file(path) as part:
        records = [row.fields(columns) for row in rows]
        if path.suffix.lower() == ".parquet":
            with part.open("wb") as file:
                pq.write_table(pa.Table.from_pylist(records, schema=_schema(columns)), file)
        elif path.suffix.lower() == ".jsonl":
            lines = (json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n" for record in records)
            part.write_text("".join(lines), encoding="utf-8")
        else:
            with part.open("w", encoding="utf-8", newline="") as text:
                writer = csv.DictWriter(text, [field.name for field in _schema(columns)])
                writer.writeheader()
                writer.writerows({name: _cell(value) for name, value in record.items()} for record in records)


def _scores(frame: pd.DataFrame, versions: dict[str, str]) -> dict[str, dict[tuple[str, str], float]]:
    """Of each query the scores by judge and document, under the prompt version of its ground truth."""
    frame = frame[frame["score"].notna() & (frame["prompt_version"] == frame["query_id"].map(versions))]
    found: dict[str, dict[tuple[str, str], float]] = {}
    columns = [frame[name].tolist() for name in ("query_id", "judge", "doc_id", "score")]
    for query, judge, document, score in zip(*columns, strict=True):
        found.setdefault(query, {})[judge, document] = score
    return found


def _refuse_other_scores(
    query_id: str, lists: Sequence[Scores], judges: Sequence[str], used: dict[str, list[float | None]]
) -> None:
    """Ground truth that rests on other scores than those that would be written next to it."""
    now, then = _complete(lists), _complete([used.get(judge, []) for judge in judges])
    for judge, there, known in zip(judges, now, then, strict=True):
        if len(there) != len(known) or compare(there, known).any():
            raise UserError(
                f"The ground truth of query '{query_id}' was written before its scores of judge '{judge}' changed. "
                "Nothing was written. `touchstone run reliability` writes it anew; then export again."
            )


def _complete(lists: Sequence[Sequence[float | None]]) -> list[list[float]]:
    """Each judge's scores of the documents that all of them scored: documents of the others people decide."""
    whole = [
        place for place in range(len(lists[0])) if all(place < len(one) and one[place] is not None for one in lists)
    ]
    return [[float(one[place] or 0.0) for place in whole] for one in lists]


def _schema(score_columns: Sequence[str]) -> pa.Schema:
    return pa.schema(
        [
            ("id", pa.string()),
            ("query", pa.string()),
            *[(name, pa.list_(pa.float64())) for name in score_columns],
            ("kappa", pa.float64()),
            ("expected_docs", pa.list_(pa.string())),
            ("human_override", pa.bool_()),
            ("override_reason", pa.string()),
            ("prompt_version", pa.string()),
        ]
    )


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else value


class Exported(NamedTuple):
    """How many rows are new, how many were there and are filled in, and how many were there as they are."""

    inserted: int
    updated: int
    unchanged: int


def write_export_table(
    url_variable: str, table: str, rows: Sequence[ExportRow], judges: Sequence[str], *, overwrite: bool = False
) -> Exported:
    """Write the rows into the table, by id; it is made where it is not there.

    Args:
        url_variable: Environment variable with the address of the database; the address is in no message.
        table: Its name, with its schema in front or without.
        rows: What to write.
        judges: Names of the judges: a `{judge}_score` column is used where the table has it, else `judge1_score`, ....
        overwrite: Write over what is there and says something else.

    Raises:
        UserError: Postgres takes no such name; the table lacks a column, an id does not fit it, or a row there says
            something else and `overwrite` is false; or the database cannot be used. Nothing was changed.
    """
    schema, _, own = table.rpartition(".")
    _refuse_name(table, schema, own)
    if not rows:
        return Exported(0, 0, 0)
    with source_connection(url_variable, writes=True) as connection:
        if schema and schema not in (there := sa.inspect(connection).get_schema_names()):
            raise UserError(
                f"There is no schema '{schema}'{did_you_mean(schema, there)} for table '{table}'. Nothing was changed. "
                "Make it, or name a table of another."
            )
        if not sa.inspect(connection).has_table(own, schema=schema or None):
            _new_table(own, schema or None, rows, len(judges)).create(connection)
        stored = stored_table(connection, table, "Name another table.")
        columns = [
            f"{judge}_score" if f"{judge}_score" in stored.c else numbered
            for judge, numbered in zip(judges, numbered_columns(len(judges)), strict=True)
        ]
        records = [_fitted(stored, row.fields(columns)) for row in rows]
        return _write(connection, stored, records, overwrite)


def _refuse_name(table: str, schema: str, own: str) -> None:
    for part in [own, *([schema] if "." in table else [])]:
        # Postgres cuts longer names off, and means another table then.
        if not part or len(part.encode("utf-8", "replace")) > LONGEST_NAME_BYTES or not part.isprintable():
            raise UserError(
                f"'{table[:80]}' cannot be a table's name. Nothing was changed. Write `table` or `schema.table`, each "
                f"of 1 to {LONGEST_NAME_BYTES} bytes."
            )


def _write(connection: sa.Connection, stored: sa.Table, records: list[dict[str, Any]], overwrite: bool) -> Exported:
    new, changed, unchanged = [], [], 0
    for batch in in_batches(records, ROWS_AT_A_TIME):
        ids = [record["id"] for record in batch]
        question = sa.select(stored).where(stored.c.id.in_(ids)).with_for_update()
        there = {row["id"]: row for row in connection.execute(question).mappings()}
        for record in batch:
            known = there.get(record["id"])
            if known is None:
                new.append(record)
                continue
            differs = [name for name, value in record.items() if not _same(known[name], value)]
            lost = [name for name in differs if known[name] is not None and known[name] != UNDECIDED.get(name)]
            if lost and not overwrite:
                raise UserError(
                    f"Table {stored.fullname}, id {record['id']}: column {listing(lost)} holds {known[lost[0]]!r:.60} "
                    f"and would become {record[lost[0]]!r:.60}. Nothing was changed. Say to overwrite it, or name "
                    "another table."
                )
            if differs:
                changed.append(record)
            else:
                unchanged += 1
    if new:
        connection.execute(sa.insert(stored), new)
    if changed:
        values = {name: sa.bindparam(f"new_{name}", type_=stored.c[name].type) for name in changed[0] if name != "id"}
        statement = sa.update(stored).where(stored.c.id == sa.bindparam("new_id")).values(values)
        connection.execute(statement, [{f"new_{name}": value for name, value in one.items()} for one in changed])
    return Exported(len(new), len(changed), unchanged)


def _new_table(name: str, schema: str | None, rows: Sequence[ExportRow], n_judges: int) -> sa.Table:
    numbers = all(row.id.isascii() and row.id.isdigit() and str(int(row.id)) == row.id for row in rows)
    return sa.Table(
        name,
        sa.MetaData(),
        sa.Column("id", sa.BigInteger() if numbers else sa.Text(), primary_key=True, autoincrement=False),
        sa.Column("query", sa.Text(), nullable=False),
        *[sa.Column(column, ARRAY(sa.Double())) for column in numbered_columns(n_judges)],
        sa.Column("kappa", sa.Double()),
        sa.Column("expected_docs", ARRAY(sa.Text())),
        sa.Column("human_override", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("override_reason", sa.String(200)),
        sa.Column("prompt_version", sa.Text(), nullable=False, server_default="v1"),
        schema=schema,
    )


def _fitted(stored: sa.Table, fields: dict[str, Any]) -> dict[str, Any]:
    """The row as the table's columns take it.

    Raises:
        UserError: A column is missing, or the id or a document is no number where the table has numbers.
    """
    if missing := [name for name in fields if name not in stored.c]:
        raise UserError(
            f"Table {stored.fullname} has no column {listing(map(repr, missing))}. Nothing was changed. Add it, or "
            "name another table."
        )
    expected = stored.c.expected_docs.type
    documents: Any = fields["expected_docs"]
    if isinstance(expected, sa.ARRAY):
        if isinstance(expected.item_type, sa.Integer):
            documents = [_number(stored, "expected_docs", document) for document in documents]
    elif not isinstance(expected, sa.JSON):
        documents = json.dumps(documents, ensure_ascii=False)
    row_id = _number(stored, "id", fields["id"]) if isinstance(stored.c.id.type, sa.Integer) else fields["id"]
    return fields | {"id": row_id, "expected_docs": documents}


def _number(stored: sa.Table, column: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UserError(
            f"Table {stored.fullname}: '{text:.60}' does not fit column '{column}', which holds whole numbers. Nothing "
            "was changed. Name another table; a new one is made with a column that fits."
        ) from None


def _same(one: Any, other: Any) -> bool:
    """Alike but for the last digits of arithmetic."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return bool(compare(one, other) == 0)
    return bool(one == other)
