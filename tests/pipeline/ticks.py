"""What the daemon does with a sensor's tick before it starts runs, and the code location as it loads it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
from dagster._core.definitions.sensor_definition import SensorExecutionData
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import PythonFileTarget

from resources.runtime.home import CHECKOUT
from tests.small_study import sqlite_instance_in


def take_effect(found: dg.SensorResult | SensorExecutionData, instance: dg.DagsterInstance) -> None:
    """Partitions come and go as the tick wants, and its events are stored."""
    for change in found.dynamic_partitions_requests or []:
        if isinstance(change, dg.AddDynamicPartitionsRequest):
            instance.add_dynamic_partitions(change.partitions_def_name, list(change.partition_keys))
        else:
            for key in change.partition_keys:
                instance.delete_dynamic_partition(change.partitions_def_name, key)
    for event in found.asset_events:
        instance.report_runless_asset_event(event)


@contextmanager
def code_location(
    state: Path, file: Path = CHECKOUT / "pipeline" / "definitions.py", attribute: str | None = None
) -> Iterator[WorkspaceProcessContext]:
    """A code server over the definitions in a file, and an instance on SQLite in a folder of its own.

    Args:
        state: The instance's folder.
        file: The definitions' module.
        attribute: Their name in it, where it has several.
    """
    target = PythonFileTarget(
        python_file=str(file), attribute=attribute, working_directory=str(CHECKOUT), location_name="touchstone"
    )
    with sqlite_instance_in(state) as instance, WorkspaceProcessContext(instance, target) as context:
        yield context
