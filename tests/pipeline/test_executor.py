"""What runs the steps: this process unless told, or a pod for each on Kubernetes."""

from pathlib import Path

import dagster as dg
import pytest
import yaml

import assets.evaluation
import assets.pairwise
from pipeline.definitions import pods_of, step_executor
from resources.errors import UserError
from resources.runtime.home import CHECKOUT

pytestmark = pytest.mark.slow

GPU_POD = CHECKOUT / "deploy/k8s/gpu_pod.yaml"


@pytest.fixture
def tables() -> list[dg.AssetsDefinition]:
    found = dg.load_assets_from_package_module(assets.pairwise)
    return [table for table in found if isinstance(table, dg.AssetsDefinition)]


def test_steps_share_the_runs_process_unless_told(
    tables: list[dg.AssetsDefinition], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TOUCHSTONE_EXECUTOR", raising=False)
    assert step_executor(tables) is dg.in_process_executor


def test_steps_of_the_gpu_pool_and_no_others_go_where_a_gpu_is(
    tables: list[dg.AssetsDefinition], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_GPU_POD", str(GPU_POD))
    assert pods_of(tables) == {"per_step_k8s_config": {"image_features": yaml.safe_load(GPU_POD.read_text())}}


def test_a_study_without_steps_of_the_gpu_pool_needs_no_file_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOUCHSTONE_GPU_POD", raising=False)
    found = dg.load_assets_from_package_module(assets.evaluation)
    assert pods_of([one for one in found if isinstance(one, dg.AssetsDefinition)]) == {"per_step_k8s_config": {}}


def test_dagster_k8s_takes_the_settings(tables: list[dg.AssetsDefinition], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_EXECUTOR", "kubernetes")
    monkeypatch.setenv("TOUCHSTONE_GPU_POD", str(GPU_POD))
    executor = step_executor(tables)
    assert executor.name == "kubernetes"
    # Wrong keys are found when the configuration is resolved, as at the start of every run.
    resolved = executor.apply_config_mapping({"config": {}})
    assert resolved.success, resolved.errors


@pytest.mark.parametrize(
    ("executor", "pod", "words"),
    [
        ("celery", None, "TOUCHSTONE_EXECUTOR is 'celery'; it may be process or kubernetes"),
        ("kubernetes", None, "needs TOUCHSTONE_GPU_POD"),
        ("kubernetes", "absent.yaml", "absent.yaml cannot be read"),
    ],
)
def test_a_setting_that_cannot_work_is_said_when_the_study_loads(
    tables: list[dg.AssetsDefinition], monkeypatch: pytest.MonkeyPatch, executor: str, pod: str | None, words: str
) -> None:
    monkeypatch.setenv("TOUCHSTONE_EXECUTOR", executor)
    monkeypatch.delenv("TOUCHSTONE_GPU_POD", raising=False)
    if pod is not None:
        monkeypatch.setenv("TOUCHSTONE_GPU_POD", pod)
    with pytest.raises(UserError, match=words):
        step_executor(tables)


def test_a_file_without_settings_is_refused(
    tables: list[dg.AssetsDefinition], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "pod.yaml").write_text("# nothing\n")
    monkeypatch.setenv("TOUCHSTONE_GPU_POD", str(tmp_path / "pod.yaml"))
    with pytest.raises(UserError, match="holds no settings"):
        pods_of(tables)
