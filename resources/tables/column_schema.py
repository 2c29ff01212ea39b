"""A table's declaration as Dagster shows it."""

import dagster as dg

from resources.tables.copied_columns import copied_from
from resources.tables.declare import Column, Table


def column_schema(table: Table) -> dg.TableSchema:
    """Every column with kind, meaning, unit, limits, whether it may be null and where it is copied from; the key."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                name=column.name,
                type=column.kind,
                description=f"{column.meaning} [{column.unit}]" if column.unit else column.meaning,
                constraints=dg.TableColumnConstraints(
                    nullable=column.nullable, other=[*_limits(column), *_origin(table, column)]
                ),
            )
            for column in table.columns
        ],
        constraints=dg.TableConstraints(other=[f"one row per {', '.join(table.key)}"] if table.key else []),
    )


def _limits(column: Column) -> list[str]:
    limits = []
    if column.low is not None:
        limits.append(f"at least {column.low:g}")
    if column.high is not None:
        limits.append(f"at most {column.high:g}")
    if column.among is not None:
        limits.append(f"one of {', '.join(column.among)}")
    return limits


def _origin(table: Table, column: Column) -> list[str]:
    # The open-source UI records column lineage and draws none: here people see it.
    return [f"copied from {source}" for source in copied_from(table.name, column.name)]
