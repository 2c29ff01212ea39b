"""`touchstone status`: what is made, how many rows, which gates hold."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from resources.home import touchstone_home

if TYPE_CHECKING:
    import dagster as dg

HISTORY = 20  # runs looked back at for a setting's latest evaluation


def status() -> None:
    """Print every table with its settings, rows, time and gates."""
    from pipeline.instance import open_instance

    console = Console()
    home = touchstone_home()
    from pipeline.definitions import touchstone

    graph = touchstone().resolve_asset_graph()
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in ("table", "parts", "rows", "made (UTC)", "gates"):
        table.add_column(heading, no_wrap=heading != "gates", justify="right" if heading == "rows" else "left")
    with open_instance(home) as instance:
        for key in graph.toposorted_asset_keys:
            table.add_row(key.path[-1], *_made(instance, graph.get(key)), _gates(instance, key, graph))
    console.print(table)
    console.print(f"Tables in {home.tables}", soft_wrap=True, highlight=False)
    _tell_what_is_due(console)


def _tell_what_is_due(console: Console) -> None:
    """The step of study D, where it was validated."""
    from assets.contingency_state import due, next_command
    from resources.study import study_from_environment

    study = study_from_environment()
    if study.reliability_section is None or study.validations.validations().empty:
        return
    step = due(study)
    console.print(f"Reliability: {step.sentence} {next_command(study, step)}", highlight=False, markup=False)


def _made(instance: dg.DagsterInstance, node: Any) -> tuple[str, str, str]:
    """How many partitions are made, their rows together, and when the last one was."""
    keys = _partitions(instance, node) or [None]
    found = [record for key in keys if (record := _latest(instance, node.key, key)) is not None]
    if not found:
        return ("" if keys == [None] else f"0 of {len(keys)}"), "", "never"
    counts = [record.asset_materialization.metadata.get("dagster/row_count") for record in found]
    rows = sum(int(count.value) for count in counts if count is not None)
    when = datetime.fromtimestamp(max(record.timestamp for record in found), UTC)
    return ("" if keys == [None] else f"{len(found)} of {len(keys)}"), str(rows), when.strftime("%Y-%m-%d %H:%M")


def _partitions(instance: dg.DagsterInstance, node: Any) -> list[str | None]:
    """The table's settings or data sets; none where it is one file."""
    if node.partitions_def is None:
        return []
    return list(node.partitions_def.get_partition_keys(dynamic_partitions_store=instance))


def _latest(instance: dg.DagsterInstance, key: dg.AssetKey, partition: str | None) -> Any:
    import dagster as dg

    wanted = dg.AssetRecordsFilter(asset_key=key, asset_partitions=[partition] if partition else None)
    records = instance.fetch_materializations(wanted, limit=1).records
    return records[0] if records else None


def _gates(instance: dg.DagsterInstance, key: dg.AssetKey, graph: Any) -> Text:
    """How many gates hold in every setting that was checked, and the names of those that do not."""
    import dagster as dg

    node, text, held = graph.get(key), Text(), 0
    settings = len(_partitions(instance, node)) or 1
    for check_key in sorted(graph.get_check_keys_for_assets({key})):
        latest = _latest_by_partition(instance, check_key, settings)
        failed = [evaluation for evaluation in latest if not evaluation.passed]
        held += bool(latest) and not failed
        if failed:
            advice = failed[0].severity == dg.AssetCheckSeverity.WARN
            word, style = (
                ("note", "yellow") if advice else ("STOP", "bold red") if failed[0].blocking else ("FAIL", "red")
            )
            where = f" in {len(failed)} of {len(latest)}" if node.partitions_def else ""
            text.append(", " if text else "").append(f"{word} {check_key.name}{where}", style=style)
    held_text = Text(f"{held} pass", style="green") if held else Text()
    return Text(", ").join(part for part in (held_text, text) if part)


def _latest_by_partition(
    instance: dg.DagsterInstance, check_key: dg.AssetCheckKey, settings: int
) -> list[dg.AssetCheckEvaluation]:
    """Each setting's latest evaluation; a run over all settings is told by the settings it covered."""
    import dagster as dg

    history = instance.event_log_storage.get_asset_check_execution_history(check_key, limit=HISTORY * (settings + 1))
    latest: dict[str | None, dg.AssetCheckEvaluation] = {}
    for record in history:
        event = record.event.dagster_event if record.event else None
        if event and event.event_type == dg.DagsterEventType.ASSET_CHECK_EVALUATION:
            evaluation = event.asset_check_evaluation_data
            latest.setdefault(evaluation.partition, evaluation)
    of_partitions = [evaluation for partition, evaluation in latest.items() if partition is not None]
    return of_partitions or list(latest.values())
