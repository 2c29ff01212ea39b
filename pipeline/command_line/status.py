"""`touchstone status`: what is made, how many rows, which gates hold."""

from datetime import UTC, datetime
from typing import Any

import dagster as dg
from rich.console import Console
from rich.table import Table

from pipeline.instance import open_instance
from resources.home import touchstone_home

EVALUATED = dg.DagsterEventType.ASSET_CHECK_EVALUATION


def status() -> None:
    """Print every table with its partitions, rows, time and gates."""
    console = Console()
    home = touchstone_home()
    from pipeline.definitions import touchstone

    definitions = touchstone()
    graph = definitions.resolve_asset_graph()
    table = Table(title=f"Tables in {home.tables}", title_justify="left")
    for heading in ("table", "made", "rows", "last made (UTC)", "gates"):
        table.add_column(heading)
    with open_instance(home) as instance:
        for key in graph.toposorted_asset_keys:
            table.add_row(key.to_user_string(), *_row(instance, graph.get(key), graph))
    console.print(table)


def _row(instance: dg.DagsterInstance, node: Any, graph: Any) -> tuple[str, str, str, str]:
    event = instance.get_latest_materialization_event(node.key)
    if event is None or event.asset_materialization is None:
        return "no", "", "", ""
    made = "yes"
    if node.partitions_def is not None:
        count = len(instance.get_materialized_partitions(node.key))
        made = f"{count} of {node.partitions_def.get_num_partitions()} settings"
    rows = event.asset_materialization.metadata.get("dagster/row_count")
    return made, "" if rows is None else str(rows.value), _time(event.timestamp), _gates(instance, node.key, graph)


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def _gates(instance: dg.DagsterInstance, key: dg.AssetKey, graph: Any) -> str:
    words = []
    for check_key in sorted(graph.get_check_keys_for_assets({key})):
        record = instance.event_log_storage.get_latest_asset_check_execution_by_key([check_key]).get(check_key)
        event = record.event.dagster_event if record and record.event else None
        evaluation = event.asset_check_evaluation_data if event and event.event_type == EVALUATED else None
        if evaluation is None:
            words.append(f"[dim]{check_key.name} not run[/dim]")
        else:
            words.append(
                f"[green]{check_key.name}[/green]" if evaluation.passed else f"[red]{check_key.name} FAILS[/red]"
            )
    return ", ".join(words)
