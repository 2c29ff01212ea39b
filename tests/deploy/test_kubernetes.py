"""The files for Kubernetes, as far as they can be tried without a cluster."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from resources.runtime.home import CHECKOUT

KUBERNETES = CHECKOUT / "deploy/k8s"
CHART = os.environ.get("TOUCHSTONE_TEST_DAGSTER_CHART", "")


@pytest.fixture
def values() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((KUBERNETES / "values.yaml").read_text())
    return found


def named(found: object, key: str) -> Iterator[Any]:
    """Every value under this key, however deep."""
    if isinstance(found, dict):
        for name, value in found.items():
            if name == key:
                yield value
            yield from named(value, key)
    elif isinstance(found, list):
        for value in found:
            yield from named(value, key)


def test_pools_and_runs_are_those_of_the_root(values: dict[str, Any]) -> None:
    root = yaml.safe_load((CHECKOUT / "dagster.yaml").read_text())
    pools, runs = values["concurrency"]["pools"], values["concurrency"]["runs"]
    assert {"default_limit": pools["defaultLimit"], "granularity": pools["granularity"]} == root["concurrency"]["pools"]
    assert {"max_concurrent_runs": runs["maxConcurrentRuns"]} == root["concurrency"]["runs"]
    assert values["dagsterDaemon"]["runMonitoring"]["enabled"] == root["run_monitoring"]["enabled"]
    assert values["telemetry"] == root["telemetry"]


def test_dagster_takes_the_instance_that_the_chart_writes(values: dict[str, Any], tmp_path: Path) -> None:
    import dagster as dg

    # What the chart's templates make of these values and its defaults, without the storage, which needs the server.
    pools, runs = values["concurrency"]["pools"], values["concurrency"]["runs"]
    written = {
        "run_coordinator": {
            "module": "dagster.core.run_coordinator",
            "class": "QueuedRunCoordinator",
            "config": {"dequeue_use_threads": True, "dequeue_num_workers": 4},
        },
        "concurrency": {
            "pools": {"default_limit": pools["defaultLimit"], "granularity": pools["granularity"]},
            "runs": {"max_concurrent_runs": runs["maxConcurrentRuns"]},
        },
        "telemetry": values["telemetry"],
    }
    (tmp_path / "dagster.yaml").write_text(yaml.safe_dump(written))
    with dg.DagsterInstance.from_config(str(tmp_path)) as instance:
        concurrency = instance.get_concurrency_config()
    assert concurrency.pool_config.default_pool_limit == 1
    assert concurrency.run_queue_config is not None
    assert concurrency.run_queue_config.max_concurrent_runs == 4


def test_every_part_runs_the_same_image(values: dict[str, Any]) -> None:
    images = list(named(values, "image"))
    assert len(images) == 3
    assert all(image == images[0] for image in images)


def test_secrets_are_named_and_not_written(values: dict[str, Any]) -> None:
    text = (KUBERNETES / "values.yaml").read_text()
    assert not [
        value for key in ("password", "postgresqlPassword", "value") for value in named(values, key) if "://" in value
    ]
    assert not re.search(r"(?i)password:\s*\S", text)
    assert values["generatePostgresqlPasswordSecret"] is False
    [deployment] = values["dagster-user-deployments"]["deployments"]
    readme = (KUBERNETES / "README.md").read_text()
    for name in (values["global"]["postgresqlSecretName"], *(one["name"] for one in deployment["envSecrets"])):
        assert f"kubectl create secret generic {name}" in readme


def test_the_code_location_is_that_of_the_workspace_and_its_files_are_in_the_image(values: dict[str, Any]) -> None:
    [deployment] = values["dagster-user-deployments"]["deployments"]
    workspace = yaml.safe_load((CHECKOUT / "workspace.yaml").read_text())
    assert deployment["name"] == workspace["load_from"][0]["python_file"]["location_name"]
    [source] = [Path(word) for word in deployment["codeServerArgs"] if word.endswith(".py")]
    assert (CHECKOUT / source.relative_to("/opt/touchstone")).is_file()
    mounted = {mount["name"]: mount["mountPath"] for mount in deployment["volumeMounts"]}
    assert mounted.keys() == {volume["name"] for volume in deployment["volumes"]}
    variables = {one["name"]: one["value"] for one in deployment["env"]}
    assert variables["TOUCHSTONE_HOME"] == mounted["home"]
    for name in ("TOUCHSTONE_CONFIG", "TOUCHSTONE_GPU_POD"):
        assert Path(variables[name]).parent == Path(mounted["configuration"])


def test_variables_are_documented(values: dict[str, Any]) -> None:
    [deployment] = values["dagster-user-deployments"]["deployments"]
    documented = re.findall(r"`([A-Z_]+)`", (CHECKOUT / "docs/operating.md").read_text())
    assert {one["name"] for one in deployment["env"]} <= set(documented)


def test_dagster_k8s_takes_what_runs_inherit_from_the_deployment(values: dict[str, Any]) -> None:
    from dagster_k8s.container_context import K8sContainerContext

    [deployment] = values["dagster-user-deployments"]["deployments"]
    context = {
        "env": deployment["env"],
        "env_secrets": [one["name"] for one in deployment["envSecrets"]],
        "volumes": [
            {"name": "home", "persistent_volume_claim": {"claim_name": "touchstone-home"}},
            {"name": "configuration", "config_map": {"name": "touchstone-configuration"}},
        ],
        "volume_mounts": [{"name": one["name"], "mount_path": one["mountPath"]} for one in deployment["volumeMounts"]],
        "resources": deployment["resources"],
    }
    read = K8sContainerContext.create_from_config({"k8s": context})
    assert read.run_k8s_config.pod_spec_config


@pytest.mark.skipif(shutil.which("helm") is None or not CHART, reason="needs helm and TOUCHSTONE_TEST_DAGSTER_CHART")
def test_the_chart_renders_with_these_values() -> None:
    subprocess.run(["helm", "template", "touchstone", CHART, "-f", str(KUBERNETES / "values.yaml")], check=True)


def test_the_image_is_built_from_the_lock_and_from_what_is_here() -> None:
    lines = (KUBERNETES / "Dockerfile").read_text().splitlines()
    sources = [word for line in lines if re.match(r"COPY (?!--from)", line) for word in line.split()[1:-1]]
    assert sources
    assert all((CHECKOUT / source).exists() for source in sources)
    let_in = {line[1:] for line in (KUBERNETES / "Dockerfile.dockerignore").read_text().splitlines() if line[0] == "!"}
    assert let_in == set(sources)
    installs = [line for line in lines if "uv sync" in line]
    assert installs
    assert all("--locked" in line and "--extra k8s" in line for line in installs)
    assert lines[-2] == "USER touchstone"
