"""What runs the steps of a run: one process, or on Kubernetes a pod for each step."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import dagster as dg
import yaml

from resources.configuration.yaml_text import KeyFaults, values_in_yaml
from resources.errors import UserError
from resources.extras import require_extra

VARIABLE = "TOUCHSTONE_EXECUTOR"
GPU_POD = "TOUCHSTONE_GPU_POD"
PROCESS, KUBERNETES = "process", "kubernetes"
GPU_POOL = "gpu"


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
    steps = [asset.op.name for asset in assets if asset.is_executable and asset.op.pool == GPU_POOL]
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
