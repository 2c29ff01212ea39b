"""Study B as `TOUCHSTONE_CONFIG` describes it, up to significance, through Dagster; run as a program of its own.

Methods are partitions, and partitions are read when assets are imported: another configuration needs another process.
Prints what failed, or the checks that did not pass, as JSON.
"""

import json

import dagster as dg

from assets.pairwise import (
    bradley_terry,
    image_features,
    method_metrics,
    method_significance,
    pair_answers,
    pairwise_results,
    photo_pairs,
)
from assets.shared.partitions import METHODS
from resources.gpu import GpuResource
from resources.runtime.progress import LoggedProgress
from resources.study import study_from_environment
from resources.tables.parquet_tables import ParquetTables

MODULES = (
    photo_pairs,
    image_features,
    pair_answers,
    pairwise_results,
    bradley_terry,
    method_metrics,
    method_significance,
)


def main() -> None:
    """One run over all methods, then metrics again after a run of one method, as the UI launches it."""
    study = study_from_environment()
    keys = METHODS.get_partition_keys()
    assets = [getattr(module, module.__name__.rpartition(".")[2]) for module in MODULES]
    definitions = dg.Definitions(
        assets=assets,
        asset_checks=[check for module in MODULES for check in dg.load_asset_checks_from_modules([module])],
        executor=dg.in_process_executor,
        resources={
            "study": study,
            "progress": LoggedProgress(),
            "gpu": GpuResource(device="cpu"),
            "io_manager": ParquetTables(base=str(study.home.tables)),
        },
        jobs=[dg.define_asset_job("all_of_it")],
    )
    every = {"dagster/asset_partition_range_start": keys[0], "dagster/asset_partition_range_end": keys[-1]}
    with dg.DagsterInstance.ephemeral() as instance:
        job = definitions.resolve_job_def("all_of_it")
        result = job.execute_in_process(instance=instance, tags=every, raise_on_error=False)
        checks = {one.check_name: one.description for one in result.get_asset_check_evaluations() if not one.passed}
        failures = [
            event.step_failure_data.error.to_string()
            for event in result.get_step_failure_events()
            if event.step_failure_data.error
        ]
        notes = {
            key: {name: str(value.value) for name, value in metadata.items() if name in ("unavailable", "file")}
            for key, metadata in _metadata(instance, keys).items()
        }
        one = job.execute_in_process(
            instance=instance,
            tags={"dagster/partition": keys[0]},
            asset_selection=[dg.AssetKey("pairwise_results"), dg.AssetKey("method_metrics")],
            raise_on_error=False,
        )
    print(json.dumps({"failures": failures, "checks": checks, "notes": notes, "one_succeeds": one.success}))


def _metadata(instance: dg.DagsterInstance, keys: list[str]) -> dict[str, dict[str, dg.MetadataValue]]:
    found = {}
    for key in keys:
        wanted = dg.AssetRecordsFilter(asset_key=dg.AssetKey("pairwise_results"), asset_partitions=[key])
        for record in instance.fetch_materializations(wanted, limit=1).records:
            if record.asset_materialization is not None:
                found[key] = dict(record.asset_materialization.metadata)
    return found


if __name__ == "__main__":
    main()
