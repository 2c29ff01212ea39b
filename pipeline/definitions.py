"""Everything Dagster shows and runs: assets, checks, jobs, schedule, sensors and what they use."""

import os
from collections.abc import Iterable
from datetime import timedelta
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Final, NamedTuple

import dagster as dg
import yaml

import assets.evaluation
import assets.fidelity
import assets.pairwise
import assets.reliability
from assets.shared.partitions import METHODS, SETTINGS
from pipeline.alerts import alert_sensors
from pipeline.automation import fidelity, judges_of, pairwise, refresh, refresh_rule, watch_drift
from pipeline.code_versions import code_version
from pipeline.evaluation_automation import evaluation, evaluation_overview, new_datasets
from pipeline.input_watch import input_sensor
from pipeline.reliability_automation import (
    allowed_ground_truth,
    finished_tiebreaks,
    reliability,
    revalidation,
    write_ground_truth,
)
from pipeline.schedules import schedules_of
from resources.alerts.webhook import WEBHOOK, AlertWebhook
from resources.configuration.fidelity import FidelityStudy
from resources.configuration.pairwise import PairwiseStudy
from resources.configuration.reliability import ReliabilityStudy
from resources.configuration.yaml_text import KeyFaults, values_in_yaml
from resources.errors import UserError
from resources.extras import require_extra
from resources.gpu import POOL, GpuResource
from resources.judges.openai.prices import costs_money
from resources.photos.features.stages import gpu_of
from resources.runtime.progress import LoggedProgress
from resources.study import Study, study_from_environment
from resources.tables.all_tables import TABLES
from resources.tables.column_schema import column_lineage, column_schema
from resources.tables.declare import Table
from resources.tables.parquet_tables import COLUMN_LINEAGE, ParquetTables

# Reports, and the tables with a verdict in them.
READ_BY_PEOPLE: Final = (
    *("recommended_setting", "fidelity_trust_verdict", "fidelity_report"),
    *("method_significance", "pairwise_trust_verdict", "pairwise_report"),
    *("evaluation_summary", "evaluation_trust_verdict", "evaluation_report"),
    *("kappa_validation", "reliability_trust_verdict", "reliability_report"),
)
VARIABLE = "TOUCHSTONE_EXECUTOR"
GPU_POD = "TOUCHSTONE_GPU_POD"
PROCESS, KUBERNETES = "process", "kubernetes"
OWNERS = ["team:evaluation"]
ASKS_JUDGE = "touchstone/asks_judge"


def freshness_of(study: Study, table: str) -> dg.FreshnessPolicy | None:
    """The policy of a table that people read; null where the configuration promises nothing.

    Dagster does not know whether a schedule is on, and would show every study that is run by hand as stale: so the
    promise is the configuration's (`fresh_within_hours`).
    """
    if study.fresh_within_hours is None or table not in READ_BY_PEOPLE:
        return None
    return dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=study.fresh_within_hours))


def step_executor(assets: Iterable[dg.AssetsDefinition]) -> dg.ExecutorDefinition:
    """The executor that `TOUCHSTONE_EXECUTOR` names.

    `process`, where nothing is said: tables take less time than starting a process for each, and calls run in threads.
    `kubernetes`: a pod for each step, those of the pool `gpu` as the file says that `TOUCHSTONE_GPU_POD` names.

    Raises:
        UserError: Another name, no file for steps of that pool, or dagster-k8s is not installed.
    """
    named = os.environ.get(VARIABLE) or PROCESS
    if named == PROCESS:
        return dg.in_process_executor
    if named != KUBERNETES:
        raise UserError(f"{VARIABLE} is '{named}'; it may be {PROCESS} or {KUBERNETES}.")
    require_extra("k8s", f"{VARIABLE}={KUBERNETES}")
    from dagster_k8s import k8s_job_executor

    return k8s_job_executor.configured(pods_of(assets), name=KUBERNETES)


def pods_of(assets: Iterable[dg.AssetsDefinition]) -> dict[str, Any]:
    """How the pods of steps differ from the run's: those of the pool `gpu` go where a GPU is."""
    steps = [asset.op.name for asset in assets if asset.is_executable and asset.op.pool == POOL]
    return {"per_step_k8s_config": dict.fromkeys(steps, _gpu_pod()) if steps else {}}


def _gpu_pod() -> dict[str, Any]:
    named = os.environ.get(GPU_POD)
    if not named:
        raise UserError(f"{VARIABLE}={KUBERNETES} needs {GPU_POD}: a file like deploy/k8s/gpu_pod.yaml.")
    try:
        found = values_in_yaml(Path(named))
    except (OSError, yaml.YAMLError, KeyFaults, ValueError) as fault:
        raise UserError(f"{GPU_POD}: {named} cannot be read ({fault}).") from fault
    if not isinstance(found, dict):
        raise UserError(f"{GPU_POD}: {named} holds no settings. Begin with deploy/k8s/gpu_pod.yaml.")
    return found


class Part(NamedTuple):
    """What one study adds to the code location."""

    package: ModuleType
    jobs: list[Any]
    sensors: list[dg.SensorDefinition]


# A study is there when the configuration has its section.
STUDIES = {
    "fidelity": Part(assets.fidelity, [fidelity, watch_drift], []),
    "pairwise": Part(assets.pairwise, [pairwise], []),
    "evaluation": Part(assets.evaluation, [evaluation, evaluation_overview], [new_datasets]),
    "reliability": Part(
        assets.reliability,
        [reliability, revalidation, write_ground_truth],
        [finished_tiebreaks, allowed_ground_truth],
    ),
}


@dg.definitions
def touchstone() -> dg.Definitions:
    """The code location that workspace.yaml names.

    Raises:
        UserError: Its home holds another study.
    """
    study = study_from_environment()
    if study.home.local.is_dir():
        # Where no command line prepares the home, as on Kubernetes, nothing else says whose it is.
        study.home.claim(study.name)
    return definitions_of(study)


def definitions_of(study: Study) -> dg.Definitions:
    """The graph over one study.

    Raises:
        ValueError: The study has other settings or methods than the configuration that the partitions were read from.
    """
    if study.fidelity_section and study.fidelity.partition_keys != SETTINGS.get_partition_keys():
        raise ValueError("the study's settings are not those that TOUCHSTONE_CONFIG gave when assets were imported")
    if study.pairwise_section and list(study.pairwise.methods) != METHODS.get_partition_keys():
        raise ValueError("the study's methods are not those that TOUCHSTONE_CONFIG gave when assets were imported")
    parts = [STUDIES[name] for name in STUDIES if getattr(study, f"{name}_section") is not None]
    found = [one for part in parts for one in definitions_in(part.package)]
    tables = [one for one in found if not isinstance(one, dg.AssetChecksDefinition)]
    return dg.Definitions(
        assets=dg.map_asset_specs(partial(with_policy, study), tables),
        asset_checks=[one for one in found if isinstance(one, dg.AssetChecksDefinition)],
        jobs=[job for part in parts for job in part.jobs],
        schedules=schedules_of(study),
        sensors=[
            *(sensor for part in parts for sensor in part.sensors),
            *input_sensor(study),
            refresh,
            # Without an address they would skip every tick.
            *alert_sensors(set(study.alerts.on) if os.environ.get(WEBHOOK) else set()),
        ],
        executor=step_executor(tables),
        resources={
            "study": study,
            "progress": LoggedProgress(),
            "alerts": AlertWebhook(),
            "gpu": gpu_of(study.pairwise) if study.pairwise_section else GpuResource(),
            "io_manager": ParquetTables(base=str(study.home.tables)),
        },
    )


@cache
def definitions_in(package: ModuleType) -> tuple[dg.AssetsDefinition, ...]:
    """The tables, inputs and checks of a study, each once, in the order of its files, looked for once.

    Dagster's own loader makes a copy of each, twice, and looks through the study's logic too.
    """
    files = sorted(one.name for one in iter_modules(package.__path__) if not one.ispkg)
    modules = [import_module(f"{package.__name__}.{name}") for name in files]
    found = [one for module in modules for one in vars(module).values() if isinstance(one, dg.AssetsDefinition)]
    return tuple({id(one): one for one in found}.values())


def with_policy(study: Study, spec: dg.AssetSpec) -> dg.AssetSpec:
    """What holds for every table: owner, refresh rule, code version, tags, and the declared columns and their lineage.

    An input, which no run makes, has an owner only.
    """
    table = TABLES.get(spec.key.path[-1])
    if table is None:
        return spec.replace_attributes(owners=OWNERS)
    lineage = column_lineage(table.name, [dep.asset_key for dep in spec.deps])
    return spec.replace_attributes(
        owners=OWNERS,
        automation_condition=refresh_rule(table.name, *_sections(study)),
        freshness_policy=freshness_of(study, table.name),
        code_version=code_version(study, table.name, spec.code_version),
        description=described(table),
        tags={**spec.tags, **asks_judge(study, table.name)},
        metadata={
            **spec.metadata,
            "dagster/column_schema": column_schema(table),
            **({COLUMN_LINEAGE: lineage} if lineage.deps_by_column else {}),
        },
    ).merge_attributes(kinds={"parquet"})


def described(table: Table) -> str:
    """The table's meaning, and what a row is where that does not say so."""
    return (
        table.meaning if "one row per" in table.meaning else f"{table.meaning}\n\nOne row per {', '.join(table.key)}."
    )


def _sections(study: Study) -> tuple[FidelityStudy | None, ReliabilityStudy | None, PairwiseStudy | None]:
    return study.fidelity_section, study.reliability_section, study.pairwise_section


def asks_judge(study: Study, table: str) -> dict[str, str]:
    """The tag of a table whose making asks a judge, so that people find in the UI what may cost money."""
    judges = judges_of(table, *_sections(study))
    return {ASKS_JUDGE: "paid" if any(map(costs_money, judges)) else "free"} if judges else {}
