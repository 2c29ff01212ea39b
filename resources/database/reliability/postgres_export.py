"""Writes ground truth into a Postgres table that others read, new or there already, in one transaction."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from analysis.ties import compare
from resources.database.bulk_rows import in_batches
from resources.database.reliability.table_export import ExportRow, numbered_columns
from resources.errors import UserError, did_you_mean, listing
from resources.inputs.reliability.relevance import source_connection, stored_table

ROWS_AT_A_TIME = 2_000
LONGEST_NAME_BYTES = 63
# What a new row of the table has before anybody decides: writing over it loses nothing.
UNDECIDED: Mapping[str, Any] = {"human_override": False, "prompt_version": "v1", "expected_docs": []}


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
