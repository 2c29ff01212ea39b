"""Everything Dagster shows and runs: assets, checks, jobs, schedule, sensors and what they use."""

from types import ModuleType

import dagster as dg

import assets.fidelity
from assets.partitions import SETTINGS
from pipeline.automation import REFRESH, changed_human_scores, fidelity, new_human_scores, nightly_fidelity, refresh
from resources.gpu import GpuResource
from resources.parquet_tables import ParquetTables
from resources.progress import LoggedProgress
from resources.study import Study, study_from_environment
from resources.tables.all_tables import TABLES
from resources.tables.column_schema import column_schema

OWNERS = ["team:evaluation"]


@dg.definitions
def touchstone() -> dg.Definitions:
    """The code location that workspace.yaml names."""
    return definitions_of(study_from_environment())


def definitions_of(study: Study) -> dg.Definitions:
    """The graph over one study.

    Raises:
        ValueError: The study has other settings than the configuration that the partitions were read from.
    """
    if (
        study.fidelity_section
        and [one.key for one in study.fidelity.settings.settings] != SETTINGS.get_partition_keys()
    ):
        raise ValueError("the study's settings are not those that TOUCHSTONE_CONFIG gave when assets were imported")
    return dg.Definitions(
        assets=dg.map_asset_specs(with_policy, _assets_of(assets.fidelity)),
        asset_checks=dg.load_asset_checks_from_package_module(assets.fidelity),
        jobs=[fidelity, new_human_scores],
        schedules=[nightly_fidelity],
        sensors=[changed_human_scores, refresh],
        # Tables take less time than starting a process for each; calls run in threads.
        executor=dg.in_process_executor,
        resources={
            "study": study,
            "progress": LoggedProgress(),
            "gpu": GpuResource(),
            "io_manager": ParquetTables(base=str(study.home.tables)),
        },
    )


def _assets_of(package: ModuleType) -> list[dg.AssetsDefinition]:
    loaded = dg.load_assets_from_package_module(package)
    return [asset for asset in loaded if isinstance(asset, dg.AssetsDefinition)]


def with_policy(spec: dg.AssetSpec) -> dg.AssetSpec:
    """What holds for every table: owner, refresh rule, and the declared columns before it is ever made."""
    table = TABLES[spec.key.path[-1]]
    return spec.replace_attributes(
        owners=OWNERS,
        automation_condition=REFRESH,
        description=f"{table.meaning}\n\nOne row per {', '.join(table.key)}.",
        metadata={**spec.metadata, "dagster/column_schema": column_schema(table)},
    )
