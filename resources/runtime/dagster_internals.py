"""Every name of Dagster's that is not public and that this house uses: what to look at when Dagster is updated.

Dagster is pinned to the patch. Those that `import dagster` does not load by itself are loaded when they are wanted.
"""

import subprocess
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from dagster._core.definitions.asset_checks.asset_check_evaluation import AssetCheckEvaluationTargetMaterializationData
from dagster._core.definitions.assets.graph.asset_graph import AssetGraph
from dagster._core.definitions.job_base import InMemoryJob
from dagster._core.definitions.repository_definition import SINGLETON_REPOSITORY_NAME
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition
from dagster._core.errors import DagsterUserCodeUnreachableError
from dagster._core.execution import compute_logs
from dagster._core.execution.api import execute_run
from dagster._core.execution.build_resources import wrap_resources_for_execution
from dagster._core.remote_origin import RemoteRepositoryOrigin
from dagster._core.storage.asset_check_execution_record import (
    COMPLETED_ASSET_CHECK_EXECUTION_RECORD_STATUSES,
    AssetCheckExecutionRecord,
    AssetCheckExecutionRecordStatus,
)
from dagster._utils import interrupts
from dagster_shared.error import SerializableErrorInfo
from dagster_shared.record import copy

from resources.runtime.ctrl_c import outside_imports
from resources.runtime.dagster_databases import keep_engines, kept_server

__all__ = [
    "COMPLETED_ASSET_CHECK_EXECUTION_RECORD_STATUSES",
    "SINGLETON_REPOSITORY_NAME",
    "AssetCheckEvaluationTargetMaterializationData",
    "AssetCheckExecutionRecord",
    "AssetCheckExecutionRecordStatus",
    "AssetGraph",
    "DagsterUserCodeUnreachableError",
    "InMemoryJob",
    "RemoteRepositoryOrigin",
    "SerializableErrorInfo",
    "UnresolvedAssetJobDefinition",
    "copy",
    "execute_run",
    "wrap_resources_for_execution",
]
LATER = {
    "BULK_ACTION_TERMINAL_STATUSES": "dagster._core.execution.backfill",
    "BulkActionStatus": "dagster._core.execution.backfill",
    "BulkActionsFilter": "dagster._core.execution.backfill",
    "DagsterGrpcClient": "dagster._grpc.client",
    "AssetCheckExecutionsTable": "dagster._core.storage.event_log.schema",
    "PartitionKeyFilter": "dagster._core.storage.event_log.base",
    "SqlEventLogStorageTable": "dagster._core.storage.event_log.schema",
    "deserialize_value": "dagster_shared.serdes",
    "location_origins_from_yaml_paths": "dagster._core.workspace.load",
}
# Modules that make an engine for each connection.
ENGINE_MODULES = (
    "dagster._core.storage.event_log.sqlite.sqlite_event_log",
    "dagster._core.storage.runs.sqlite.sqlite_run_storage",
    "dagster._core.storage.schedules.sqlite.sqlite_schedule_storage",
)

# Where dagster-postgres takes its engines from; that package itself is loaded only when it is used.
SERVER_MODULES = ("dagster._core.storage.sql",)

keep_engines(ENGINE_MODULES)
keep_engines(SERVER_MODULES, kept_server)

# Ctrl+C on a terminal does not reach the two processes of each step that show what it prints: they would print theirs.
vars(compute_logs)["subprocess"] = SimpleNamespace(Popen=partial(subprocess.Popen, start_new_session=True))
_take_signal = interrupts._replace_interrupt_signal
vars(interrupts)["_replace_interrupt_signal"] = lambda handler: _take_signal(outside_imports(handler))


def __getattr__(name: str) -> Any:
    """A name of `LATER`, loaded now."""
    if name not in LATER:
        raise AttributeError(name)
    return getattr(import_module(LATER[name]), name)
