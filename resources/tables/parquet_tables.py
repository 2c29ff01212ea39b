"""Where assets' tables are stored and found again: one Parquet file per table, or per partition of it."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import dagster as dg
import pandas as pd
from upath import UPath

from resources.errors import UserError, listing
from resources.runtime.partial_files import move, named_in_faults, partial_file, sweep
from resources.tables.all_tables import BY_GROUP
from resources.tables.column_schema import column_schema
from resources.tables.declare import Table
from resources.tables.failed_gates import require_sound
from resources.tables.parquet import TableFault, checked, read, write
from resources.tables.preview import preview

COLUMN_LINEAGE = "dagster/column_lineage"
Frames = dict[str, pd.DataFrame]
# Folder (the assets' group) and the tables in it.
DECLARED: Mapping[str, Mapping[str, Table]] = BY_GROUP


class ParquetTables(dg.UPathIOManager):
    """Stores what assets return below one address, local or remote.

    ``{base}/{group}/{table}.parquet`` or ``{base}/{group}/{table}/{partition}.parquet``, below a folder for each
    prefix of the asset key. A partitioned asset returns a dict of partition key to frame, and its reader gets
    one, for one partition too. Every frame of a run is checked before the first is written, and every file is written
    next to its place before the first is moved there: what fails leaves the previous tables as they were.
    """

    extension = ".parquet"

    def __init__(
        self, base: str | Path | UPath, declared: Mapping[str, Mapping[str, Table]] = DECLARED, **options: Any
    ) -> None:
        """Look after the tables of these groups.

        Args:
            base: Folder or fsspec address.
            declared: Group to tables by name; a name stands in one group only.
            options: What fsspec needs for the address.

        Raises:
            ValueError: Two groups declare a table of one name.
        """
        super().__init__(UPath(base, **options))
        self._places: dict[str, tuple[str, Table]] = {}
        for group, tables in declared.items():
            if twice := sorted(self._places.keys() & tables.keys()):
                raise ValueError(f"tables {twice} are declared in group '{group}' and in another")
            self._places |= {name: (group, table) for name, table in tables.items()}

    def get_asset_relative_path(self, context: dg.InputContext | dg.OutputContext) -> UPath:
        """Prefixes of the key, group, table."""
        group, table = self._place(context)
        return UPath(*context.asset_key.path[:-1], group, table.name)

    def make_safe_partition_path(self, base_path: UPath, partition: str) -> UPath:
        """One file name per key, whatever characters it has."""
        name = quote(partition, safe=" =+,@:")
        return base_path / (name if name.strip(".") else name.replace(".", "%2E"))

    def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
        """Check all frames, write all files, then put them in place.

        Raises:
            TableFault: A frame does not keep to the declaration, or the partitions are not the ones that were asked
                for.
        """
        _, table = self._place(context)
        partitioned = context.has_asset_partitions
        paths = self._get_paths_for_partitions(context) if partitioned else {"": self._get_path(context)}
        frames = _by_partition(table, obj, list(paths)) if partitioned else {"": obj}
        valid = {key: checked(table, frame, _where(key)) for key, frame in frames.items()}
        self._store(table, {paths[key]: frame for key, frame in valid.items()})
        for key, frame in valid.items():
            metadata: dict[str, Any] = {
                "path": dg.MetadataValue.path(str(paths[key])),
                "dagster/row_count": len(frame),
                "first_rows": dg.MetadataValue.md(preview(frame)),
            }
            if partitioned:
                context.step_context.add_asset_metadata(metadata, context.asset_key, key)
            else:
                context.add_output_metadata(metadata)
        # Dagster reads lineage from what was stored, not from the definition.
        lineage = {name: value for name, value in context.definition_metadata.items() if name == COLUMN_LINEAGE}
        context.add_output_metadata({"dagster/column_schema": column_schema(table)} | lineage)

    def load_input(self, context: dg.InputContext) -> pd.DataFrame | Frames:
        """The table, or a dict of partition key to table where it is partitioned.

        Raises:
            UserError: A file is damaged, or not there, with the reason: never made, made for another home, or deleted.
                Or it failed a blocking gate and an asset is to be made from it.
        """
        _, table = self._place(context)
        partitioned = context.has_asset_partitions
        paths = self._get_paths_for_partitions(context) if partitioned else {"": self._get_path(context)}
        frames, absent = {}, {}
        for key, path in paths.items():
            try:
                with path.open("rb") as file:
                    frames[key] = read(table, file, _where(key), path)
            except FileNotFoundError:
                absent[key] = path
        if absent:
            self._explain(context, table, absent)
        require_sound(context, list(frames) if partitioned else None, all_of_them=not _takes_what_there_is(context))
        return frames if partitioned else frames[""]

    def dump_to_path(self, context: dg.OutputContext, obj: pd.DataFrame, path: UPath) -> None:
        """Store one frame."""
        _, table = self._place(context)
        self._store(table, {path: checked(table, obj)})

    def load_from_path(self, context: dg.InputContext, path: UPath) -> pd.DataFrame:
        """Read one file."""
        _, table = self._place(context)
        with path.open("rb") as file:
            return read(table, file, path=path)

    def _place(self, context: dg.InputContext | dg.OutputContext) -> tuple[str, Table]:
        if not context.has_asset_key:
            raise UserError("ParquetTables stores assets only; give an op's output another `io_manager_key`.")
        name = context.asset_key.path[-1]
        if name not in self._places:
            raise UserError(
                f"Asset '{context.asset_key.to_user_string()}' returns a table that is not declared. Declare "
                f"'{name}' in resources/tables, or annotate the asset `-> None` if it stores nothing."
            )
        return self._places[name]

    def _store(self, table: Table, frames: Mapping[UPath, pd.DataFrame]) -> None:
        partial = {path: partial_file(path) for path in frames}
        for folder in {path.parent for path in frames}:
            self.make_directory(folder)
            # A table's own folder holds nothing else, the group's holds the other tables too.
            sweep(folder, "" if folder.name == table.name else f"{table.name}{self.extension}")
        try:
            for path, frame in frames.items():
                with named_in_faults(path), partial[path].open("wb") as file:
                    write(table, frame, file)
            for path in frames:
                move(partial[path], path)
                del partial[path]
        finally:
            for leftover in partial.values():
                with suppress(FileNotFoundError):
                    leftover.unlink()

    def _explain(self, context: dg.InputContext, table: Table, absent: Mapping[str, UPath]) -> None:
        """Raise the error for the first reason that applies, unless partitions never made may be missing."""
        lost = [sentence for key, path in absent.items() for sentence in _lost(context, table, key, path)]
        group, _ = self._place(context)
        if lost:
            more = f" So are {len(lost) - 1} other partitions." if len(lost) > 1 else ""
            raise UserError(f"{lost[0]}{more} `touchstone run {group}` makes the table again.")
        if _takes_what_there_is(context):
            context.log.warning(f"Table '{table.name}' is not made yet for {listing(absent)}; left out.")
            return
        which = f" for {listing(absent)}" if context.has_asset_partitions else ""
        raise UserError(f"Table '{table.name}' has not been made{which}. Run `touchstone run {group}`.")


def _by_partition(table: Table, obj: Any, keys: list[str]) -> Mapping[str, Any]:
    if isinstance(obj, pd.DataFrame) and len(keys) == 1:
        return {keys[0]: obj}
    if not isinstance(obj, Mapping):
        raise TableFault(
            f"Table '{table.name}' is partitioned: return a dict of partition key to DataFrame, not "
            f"{type(obj).__name__}. Nothing was stored."
        )
    missing, unasked = sorted(set(keys) - obj.keys()), sorted(obj.keys() - set(keys))
    if missing or unasked:
        raise TableFault(
            f"Table '{table.name}': the run is for {listing(sorted(keys))}; missing: {listing(missing) or 'none'}; "
            f"not asked for: {listing(unasked) or 'none'}. Nothing was stored."
        )
    return obj


def _lost(context: dg.InputContext, table: Table, key: str, path: UPath) -> Iterator[str]:
    """A sentence where Dagster knows that the table was made."""
    records = context.instance.fetch_materializations(
        dg.AssetRecordsFilter(context.asset_key, asset_partitions=[key] if key else None), limit=1
    ).records
    made = records[0].asset_materialization if records else None
    if made is None:
        return
    name = f"Table '{table.name}'{_where(key)}"
    stored = made.metadata.get("path")
    if stored is not None and stored.value != str(path):
        yield f"{name} was made elsewhere, at {stored.value}; it is not at {path}. Set TOUCHSTONE_HOME as it was then."
    else:
        yield f"{name} was made and is gone: there is no file {path}."


def _takes_what_there_is(context: dg.InputContext) -> bool:
    return bool((context.definition_metadata or {}).get("allow_missing_partitions", False))


def _where(key: str) -> str:
    return f" ({key})" if key else ""
