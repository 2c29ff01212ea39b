"""Where assets' tables are stored and found again: one Parquet file per table, or per partition of it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import dagster as dg
import pandas as pd
from upath import UPath

from resources.errors import UserError, listing
from resources.runtime.dagster_tags import study_of_group
from resources.runtime.partial_files import move, named_in_faults, partial_file, sweep
from resources.runtime.sanitize import in_markdown
from resources.tables.all_tables import BY_GROUP
from resources.tables.check_results import latest_record
from resources.tables.column_schema import column_schema
from resources.tables.declare import Table
from resources.tables.parquet import TableFault, checked, read, write

ROWS: Final = 5
COLUMNS: Final = 12
LETTERS: Final = 40
COLUMN_LINEAGE = "dagster/column_lineage"
Frames = dict[str, pd.DataFrame]
# Folder (the assets' group) and the tables in it.
DECLARED: Mapping[str, Mapping[str, Table]] = BY_GROUP


def preview(frame: pd.DataFrame) -> str:
    """The first rows and columns as a Markdown table, and a line on how much is not shown.

    Returns:
        At most about 10 kB: `ROWS` rows of `COLUMNS` cells of `LETTERS` letters, in which no sign makes a link, a
        picture or HTML.
    """
    shown = frame.iloc[:ROWS, :COLUMNS]
    lines = [_line([cell(str(name)) for name in shown.columns]), _line(["---"] * len(shown.columns))]
    # By columns: a row of mixed types would turn whole numbers into real ones.
    values = zip(*([cell(value) for value in shown[name].tolist()] for name in shown.columns), strict=True)
    lines += [_line(list(row)) for row in values]
    counts = f"{len(shown)} of {len(frame)} rows"
    if len(frame.columns) > COLUMNS:
        counts += f", {COLUMNS} of {len(frame.columns)} columns"
    return "\n".join([*lines, "", counts])


def cell(value: Any) -> str:
    """One value on one line: four digits of a real number, nothing of a missing value, a long text cut."""
    if isinstance(value, list | tuple):
        return _inert(", ".join(map(str, value[:ROWS])))
    if pd.isna(value):
        return ""
    if isinstance(value, pd.Timestamp):
        return f"{value:%Y-%m-%d %H:%M}"
    return f"{value:.4g}" if isinstance(value, float) else _inert(str(value))


def _inert(text: str) -> str:
    """Addresses are links without any markup, so they are broken too."""
    shown = in_markdown(text, LETTERS)
    return shown.replace("://", "\\://").replace("www.", "www\\.").replace("@", "\\@")


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def require_sound(context: dg.InputContext, partitions: Sequence[str] | None, *, all_of_them: bool) -> None:
    """Stop an asset whose input failed a blocking gate: a launch by hand begins after the check and never meets it.

    A gate that was not asked since the table was made holds nothing back, and checks read what failed to look at it.

    Args:
        context: Of the input.
        partitions: Those that were read; null where the table has none.
        all_of_them: Whether the asset needs every one. Who takes what there is shows those that fail as failing, and
            stops where no other is there.

    Raises:
        UserError: A gate failed, with its sentence.
    """
    step = context.step_context
    if step.is_asset_check_step:
        return
    # In the run that makes the table Dagster goes on only past its gates.
    maker, steps = context.upstream_output, step.dagster_run.step_keys_to_execute
    in_the_job = context.asset_key in step.job_def.asset_layer.selected_asset_keys
    made_now = in_the_job and maker is not None and (steps is None or maker.step_key in steps)
    if made_now and (partitions is None or not all_of_them):
        return
    # A job knows the checks of the tables that it makes; those of what it reads are known to the whole graph.
    graph = step.job_def.asset_layer.asset_graph.source_asset_graph
    checks = graph.get_check_keys_for_assets({context.asset_key})
    blocking = sorted(key for key in checks if graph.get_check_spec(key).blocking)
    if not blocking:
        return
    from resources.runtime.dagster_internals import AssetCheckExecutionRecordStatus

    # One query a gate, however many partitions; only what does not pass is looked at more closely.
    seen = context.instance.event_log_storage.get_asset_check_partition_info(blocking, partition_keys=partitions)
    failed: dict[str | None, str] = {}
    for info in seen:
        passed = info.latest_execution_status == AssetCheckExecutionRecordStatus.SUCCEEDED
        sentence = None if passed else _failure(context.instance, info.check_key, info.partition_key)
        if sentence is not None:
            failed.setdefault(info.partition_key, sentence)
    if failed and (all_of_them or len(failed) == len(partitions or ())):
        study = study_of_group(graph.get(context.asset_key).group_name)
        more = f" So do {len(failed) - 1} other partitions." if len(failed) > 1 else ""
        raise UserError(
            f"{next(iter(failed.values()))}{more} Nothing was made from it. Fix that and make "
            f"`{context.asset_key.path[-1]}` again: `touchstone run {study}`."
        )


def _failure(instance: dg.DagsterInstance, gate: dg.AssetCheckKey, partition: str | None) -> str | None:
    """What a gate said of the table that is there now, if it failed."""
    record = latest_record(instance, gate, partition)
    event, evaluation = (record.event, record.evaluation) if record else (None, None)
    if event is None or evaluation is None or evaluation.passed:
        return None
    wanted = dg.AssetRecordsFilter(gate.asset_key, asset_partitions=None if partition is None else [partition])
    made = instance.fetch_materializations(wanted, limit=1).records
    looked_at = evaluation.target_materialization_data
    # Dagster does not note what a check of a whole table looked at in a run of one partition of others.
    if made and (looked_at.storage_id != made[0].storage_id if looked_at else event.timestamp < made[0].timestamp):
        return None
    where = "" if partition is None else f" ({partition})"
    return f"`{gate.asset_key.path[-1]}`{where} fails its gate `{gate.name}`: {evaluation.description}"


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
        # One query for all partitions: in a run of one of them, the others are often not made.
        made = context.instance.get_materialized_partitions(context.asset_key) if context.has_asset_partitions else {""}
        there = {key: path for key, path in absent.items() if key in made}
        lost = [sentence for key, path in there.items() for sentence in _lost(context, table, key, path)]
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
