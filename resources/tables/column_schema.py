"""A table's declaration as Dagster shows it."""

import dagster as dg

from resources.tables.declare import Column, Table


def column_schema(table: Table) -> dg.TableSchema:
    """Every column with kind, meaning and unit, limits and whether it may be null; the key as a constraint."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                name=column.name,
                type=column.kind,
                description=f"{column.meaning} [{column.unit}]" if column.unit else column.meaning,
                constraints=dg.TableColumnConstraints(nullable=column.nullable, other=_limits(column)),
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
