"""What the reports of all studies share: partitioned tables in one frame, and the page on the disk with its row."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd

from reports.shared.text import LANGUAGES
from resources.runtime.partial_files import write_whole
from resources.tables.all_tables import TABLES
from resources.tables.declare import Table
from resources.tables.parquet_tables import Frames


def as_one(table: str, frames: pd.DataFrame | Frames, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """All partitions of a table in one frame; an empty one with the declared columns where none has a row."""
    chosen = slice(None) if columns is None else list(columns)
    if isinstance(frames, pd.DataFrame):
        return frames.loc[:, chosen]
    made = [frames[key].loc[:, chosen] for key in sorted(frames) if len(frames[key])]
    if made:
        return pd.concat(made, ignore_index=True)
    names = [column.name for column in TABLES[table].columns if not column.pattern]
    return TABLES[table].validated(pd.DataFrame({name: [] for name in names}))


def page_on_disk(page: str, path: Path, table: Table, about: Mapping[str, Any]) -> pd.DataFrame:
    """The page written, whole or not at all, and the one row of its table."""
    write_whole(path, page)
    data = page.encode()
    row = {
        "path": str(path),
        "sha256": hashlib.sha256(data).hexdigest(),
        "n_bytes": len(data),
        "languages": list(LANGUAGES),
        **about,
    }
    return pd.DataFrame([row], columns=[column.name for column in table.columns])


def place_and_size(row: pd.Series) -> dict[str, Any]:
    """Of a page's row, for Dagster's metadata."""
    # Not `path`: the table's own address goes by that name.
    return {"report": dg.MetadataValue.path(str(row["path"])), "n_bytes": int(row["n_bytes"])}
