"""Tables that failed a blocking gate: nothing is made from them, however the run starts."""

from collections.abc import Sequence

import dagster as dg

from resources.errors import UserError
from resources.runtime.dagster_internals import AssetCheckExecutionRecordStatus
from resources.tables.check_results import latest_record


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
    # A job knows the checks of the tables that it makes; those of what it reads are known to the whole graph.
    graph = step.job_def.asset_layer.asset_graph.source_asset_graph
    checks = graph.get_check_keys_for_assets({context.asset_key})
    blocking = sorted(key for key in checks if graph.get_check_spec(key).blocking)
    if not blocking:
        return
    # One query a gate, however many partitions; only what does not pass is looked at more closely.
    seen = context.instance.event_log_storage.get_asset_check_partition_info(blocking, partition_keys=partitions)
    failed: dict[str | None, str] = {}
    for info in seen:
        passed = info.latest_execution_status == AssetCheckExecutionRecordStatus.SUCCEEDED
        sentence = None if passed else _failure(context.instance, info.check_key, info.partition_key)
        if sentence is not None:
            failed.setdefault(info.partition_key, sentence)
    if failed and (all_of_them or len(failed) == len(partitions or ())):
        more = f" So do {len(failed) - 1} other partitions." if len(failed) > 1 else ""
        raise UserError(
            f"{next(iter(failed.values()))}{more} Nothing was made from it. Fix that and make "
            f"`{context.asset_key.path[-1]}` again: `touchstone run {graph.get(context.asset_key).group_name}`."
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
