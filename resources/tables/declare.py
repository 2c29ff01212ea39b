"""How a table is declared: its columns with type, unit, meaning and limits, once for checks, UI and docs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

if TYPE_CHECKING:
    import pandera.pandas as pa

Kind = Literal["text", "number", "whole", "flag", "texts", "time"]

# Pandas types that can hold a null where the column allows one.
DTYPES: dict[Kind, Any] = {
    "text": "str",
    "number": "float64",
    "whole": "Int64",
    "flag": "boolean",
    "texts": "object",
    "time": "datetime64[us, UTC]",
}


@dataclass(frozen=True)
class Column:
    """One column: ``unit`` is empty where there is none, ``nullable`` where a value may be missing."""

    name: str
    kind: Kind
    meaning: str
    unit: str = ""
    nullable: bool = False
    low: float | None = None
    high: float | None = None
    among: Sequence[str] | None = None
    pattern: bool = False  # `name` is a regular expression that matches one column or more
    optional: bool = False  # a table may have no such column

    def checked(self) -> pa.Column:
        """The column as pandera sees it."""
        import pandera.pandas as pa

        checks = []
        if self.low is not None:
            checks.append(pa.Check.ge(self.low))
        if self.high is not None:
            checks.append(pa.Check.le(self.high))
        if self.among is not None:
            checks.append(pa.Check.isin(list(self.among)))
        dtype = None if self.kind == "texts" else DTYPES[self.kind]
        return pa.Column(
            dtype,
            checks,
            nullable=self.nullable,
            coerce=dtype is not None,
            description=self.meaning,
            metadata={"unit": self.unit},
            regex=self.pattern,
            required=not self.optional,
        )

    def holds(self, values: pd.Series) -> bool:
        """Whether values of the declared type are within the limits, and there where none may be missing."""
        if not self.nullable and values.hasnans:
            return False
        if self.low is None and self.high is None and self.among is None:
            return True
        present = values.dropna()
        return (
            (self.low is None or bool((present >= self.low).all()))
            and (self.high is None or bool((present <= self.high).all()))
            and (self.among is None or bool(present.isin(list(self.among)).all()))
        )


# How intervals are made: keys of the configuration that tables of every study are made from.
SAMPLING = ("bootstrap_resamples", "confidence", "seed")


@dataclass(frozen=True)
class Table:
    """One table: the name is also its file, function, asset key and stored name.

    `reads` says what of the configuration the table, its checks included, is made from: a change of it makes the table
    again. A name is a key of the study's section in touchstone.yaml, a section stands for all keys in it, ``*`` for the
    whole section, and a name that begins with @ is one of `pipeline.code_versions.FACTS`. Where inputs lie is not among
    them: their content is observed. Neither is what changes nothing that is stored or checked: threads, devices,
    batches, budgets, the order of asking; nor what is set for one data set, of which `new_datasets` sees that it
    changed. What follows from a table upstream is that table's alone; so a changed judge is a change of the tables that
    ask it, and the rest follows once it has answered.
    """

    name: str
    meaning: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    reads: tuple[str, ...] = ()

    @cached_property
    def schema(self) -> pa.DataFrameSchema:
        """The pandera schema: exactly these columns, and no two rows with the same key."""
        import pandera.pandas as pa

        return pa.DataFrameSchema(
            {column.name: column.checked() for column in self.columns},
            strict=True,
            unique=list(self.key) or None,
            name=self.name,
        )

    def validated(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The frame with declared types, or a pandera ``SchemaErrors`` that lists every fault."""
        # A frame of its own that shares the caller's values: pandas copies what is written to, pandera everything.
        rows = frame.reset_index(drop=True)
        kept = self._without_a_fault(rows)
        return self.schema.validate(rows, lazy=True, inplace=True) if kept is None else kept

    def _without_a_fault(self, rows: pd.DataFrame) -> pd.DataFrame | None:
        """The rows with declared types where every check passes; null where pandera has to say what does not.

        Pandera takes 3 to 5 ms a column, which is most of the time of a small table, to get ready for faults.
        """
        if any(column.pattern for column in self.columns) or not rows.columns.is_unique:
            return None
        there = set(rows.columns)
        needed = {column.name for column in self.columns if not column.optional}
        if not needed <= there <= {column.name for column in self.columns}:
            return None
        kept = {}
        for column in (column for column in self.columns if column.name in there):
            values = rows[column.name]
            if column.kind != "texts" and values.dtype != DTYPES[column.kind]:
                try:
                    values = values.astype(DTYPES[column.kind])
                except Exception:  # whatever it is, pandera converts in its own way, or names it
                    return None
            if not column.holds(values):
                return None
            kept[column.name] = values
        found = rows.assign(**kept)
        return None if self.key and found.duplicated(list(self.key)).any() else found


def text(name: str, meaning: str, **limits: Any) -> Column:
    """A column of words."""
    return Column(name, "text", meaning, **limits)


def number(name: str, meaning: str, unit: str = "", **limits: Any) -> Column:
    """A column of real numbers; a missing one is null."""
    return Column(name, "number", meaning, unit, **limits)


def bounds(name: str, what: str, unit: str = "unitless", **limits: Any) -> tuple[Column, Column]:
    """The two columns of an interval: null where the data carry no bound, and the table's `method` says why."""
    return (
        number(f"{name}_low", f"Lower bound of {what}.", unit, nullable=True, **limits),
        number(f"{name}_high", f"Upper bound of {what}.", unit, nullable=True, **limits),
    )


def undefined(what: str = "Which numbers are null") -> Column:
    """The column that says what the data do not define."""
    return text("undefined", f"{what}, and why; null where none is. Of bounds `method` says it.", nullable=True)


def whole(name: str, meaning: str, unit: str = "", **limits: Any) -> Column:
    """A column of whole numbers."""
    return Column(name, "whole", meaning, unit, **limits)


def count(name: str, meaning: str, *, low: int = 0, **limits: Any) -> Column:
    """A column of how many there are."""
    return whole(name, meaning, "count", low=low, **limits)


def flag(name: str, meaning: str, **limits: Any) -> Column:
    """A column of true and false."""
    return Column(name, "flag", meaning, **limits)


def texts(name: str, meaning: str, **limits: Any) -> Column:
    """A column of lists of words."""
    return Column(name, "texts", meaning, **limits)


def time(name: str, meaning: str, **limits: Any) -> Column:
    """A column of instants, in UTC."""
    return Column(name, "time", meaning, **limits)
