"""Shards through Ray on two nodes of one machine: the same table, one worker a device, a killed one costs its shard."""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from upath import UPath

from resources.configuration.pairwise import PairwiseStudy
from resources.errors import UserError
from resources.photos.features import on_ray as engine_module
from resources.photos.features.on_ray import devices_of, on_ray
from resources.photos.features.reading import read_features
from resources.photos.features.run import FeaturesMade, Work, make_features
from resources.photos.features.stages import stages_of
from tests.resources.photos.features.made_photos import CPU, LOG, Counted, make, study_of, write_photos, write_vit
from tests.resources.photos.features.ray_workers import NotingWorker

pytestmark = pytest.mark.slow

N_PHOTOS, STAGES = 20, ("rules", "vit")
# What becomes of a killed worker does not depend on what it computes, and without a model it begins sooner.
WITHOUT_A_MODEL = STAGES[:1]


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """Two nodes of one core each, as two machines would be."""
    with pytest.MonkeyPatch.context() as patch:
        # Without it the first start writes a token into the user's folder, which later clusters demand.
        patch.setenv("RAY_AUTH_MODE", "disabled")
        patch.setenv("RAY_BACKEND_LOG_LEVEL", "fatal")
        patch.setenv("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
        import ray
        from ray.cluster_utils import Cluster

        two = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        try:
            two.add_node(num_cpus=1)
            ray.init(address=two.address, log_to_driver=False)
            two.wait_for_nodes()
            yield
        finally:
            ray.shutdown()
            two.shutdown()


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that note what they begin."""
    monkeypatch.setattr(engine_module, "ShardWorker", NotingWorker)


def over_ray(
    folder: Path,
    paths: dict[str, str],
    study: PairwiseStudy,
    progress: Counted | None = None,
    stages: tuple[str, ...] = STAGES,
) -> FeaturesMade:
    chosen = stages_of(study, CPU, stages)
    return make_features(
        Work(UPath(folder / "features"), chosen, study, CPU), paths, progress or Counted(), LOG, engine=on_ray
    )


def numbers(folder: Path, paths: dict[str, str]) -> pd.DataFrame:
    """The features without the times, which no two runs share."""
    found = read_features(UPath(folder / "features"), list(paths))
    return found[[name for name in found if not name.endswith("_ms")]]


def begun(folder: Path) -> list[tuple[str, str]]:
    """Shard and node of each beginning."""
    lines = (folder / "begun.txt").read_text().splitlines()
    return [(line.split()[0], line.split()[1]) for line in lines]


@pytest.fixture
def study(tmp_path: Path) -> PairwiseStudy:
    return study_of(tmp_path, vit_model=write_vit(tmp_path / "vit"), shard_size=4)


@pytest.mark.usefixtures("cluster", "noted")
def test_two_nodes_make_the_table_that_one_process_makes(tmp_path: Path, study: PairwiseStudy) -> None:
    paths, progress = write_photos(tmp_path / "photos", N_PHOTOS), Counted()
    here = make(tmp_path / "here", paths, study, STAGES)
    there = over_ray(tmp_path / "there", paths, study, progress)
    assert [(row["shard"], row["n_images"], row["recipe"]) for row in there.rows] == [
        (row["shard"], row["n_images"], row["recipe"]) for row in here.rows
    ]
    pd.testing.assert_frame_equal(
        numbers(tmp_path / "there", paths), numbers(tmp_path / "here", paths), check_exact=True
    )
    # 20 photos at 4 a shard, each shard begun once, by workers of both nodes.
    assert sorted(file for file, _ in begun(tmp_path / "there")) == [f"shard_{n:06d}.parquet" for n in range(5)]
    assert len({node for _, node in begun(tmp_path / "there")}) == 2
    assert (there.n_computed, progress.done - progress.totals["photo files looked at"]) == (20, 20)
    assert over_ray(tmp_path / "there", paths, study).n_computed == 0


@pytest.mark.usefixtures("cluster", "noted")
def test_a_worker_that_is_killed_in_the_middle_costs_its_shard_and_no_other(
    tmp_path: Path, study: PairwiseStudy
) -> None:
    paths, folder = write_photos(tmp_path / "photos", N_PHOTOS), tmp_path / "there"
    folder.mkdir()
    (folder / "dies.txt").write_text("shard_000002.parquet 1")
    made = over_ray(folder, paths, study, stages=WITHOUT_A_MODEL)
    assert made.n_computed == N_PHOTOS
    # Five shards, and the one whose worker was killed a second time.
    assert sorted(file for file, _ in begun(folder)) == sorted(
        [*(f"shard_{n:06d}.parquet" for n in range(5)), "shard_000002.parquet"]
    )
    make(tmp_path / "here", paths, study, WITHOUT_A_MODEL)
    pd.testing.assert_frame_equal(numbers(folder, paths), numbers(tmp_path / "here", paths), check_exact=True)


@pytest.mark.usefixtures("cluster", "noted")
def test_a_shard_that_kills_every_worker_ends_the_run_with_the_others_kept(
    tmp_path: Path, study: PairwiseStudy
) -> None:
    paths, folder = write_photos(tmp_path / "photos", 8), tmp_path / "there"
    folder.mkdir()
    (folder / "dies.txt").write_text("shard_000001.parquet 99")
    with pytest.raises(UserError, match=r"workers died of shard_000001.parquet 3 times.* Set a smaller batch_size"):
        over_ray(folder, paths, study, stages=WITHOUT_A_MODEL)
    # The fourth beginning is refused.
    assert [file for file, _ in begun(folder)].count("shard_000001.parquet") == 4
    assert [path.name for path in (folder / "features").glob("shard_*")] == ["shard_000000.parquet"]
    (folder / "dies.txt").unlink()
    assert over_ray(folder, paths, study, stages=WITHOUT_A_MODEL).n_computed == 4


@pytest.mark.usefixtures("cluster")
def test_what_a_user_can_mend_comes_back_from_the_worker_in_one_sentence(tmp_path: Path, study: PairwiseStudy) -> None:
    paths = write_photos(tmp_path / "photos", 4)

    def lose_one(*arguments: Any) -> Iterator[Any]:
        Path(paths["p2"]).unlink()
        yield from on_ray(*arguments)

    chosen = stages_of(study, CPU, WITHOUT_A_MODEL)
    with pytest.raises(UserError, match=rf"On {socket.gethostname()}: .*p2.png cannot be read any more .* run again"):
        make_features(Work(UPath(tmp_path / "features"), chosen, study, CPU), paths, Counted(), LOG, engine=lose_one)


@pytest.mark.usefixtures("cluster")
def test_a_machine_with_other_weights_is_refused(tmp_path: Path, study: PairwiseStudy) -> None:
    paths = write_photos(tmp_path / "photos", 4)

    def other_weights(*arguments: Any) -> Iterator[Any]:
        write_vit(tmp_path / "vit", seed=1)
        yield from on_ray(*arguments)

    chosen = stages_of(study, CPU, STAGES)
    with pytest.raises(UserError, match="this machine has other weights or versions behind vit than the one"):
        make_features(
            Work(UPath(tmp_path / "features"), chosen, study, CPU), paths, Counted(), LOG, engine=other_weights
        )


def test_without_ray_the_engine_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UserError, match=r"needs the extra `scale`.*pip install -e '.\[scale\]'.*engine: local"):
        over_ray(tmp_path, write_photos(tmp_path / "photos", 1), study_of(tmp_path))


HEAD: dict[str, float] = {"CPU": 0.0, "node:10.0.0.1": 1.0}
CORES_ONLY: dict[str, float] = {"CPU": 16.0}
TWO_GPUS: dict[str, float] = {"CPU": 24.0, "GPU": 2.0}


@pytest.mark.parametrize(
    ("nodes", "wanted", "expected"),
    [
        # A head that computes nothing counts for nothing; 24 cores for 2 GPUs are 12 each.
        ([HEAD, TWO_GPUS, TWO_GPUS], "auto", ("cuda", 4, 12)),
        ([HEAD, CORES_ONLY, TWO_GPUS], "auto", ("cuda", 2, 12)),
        ([HEAD, CORES_ONLY, {"CPU": 8.0}], "auto", ("cpu", 2, 8)),
        ([CORES_ONLY, TWO_GPUS], "cpu", ("cpu", 2, 16)),
    ],
)
def test_there_is_one_worker_a_device(
    nodes: list[dict[str, float]], wanted: str, expected: tuple[str, int, int]
) -> None:
    assert tuple(devices_of(nodes, wanted)) == expected


def test_a_gpus_worker_takes_the_gpu_and_its_share_of_the_cores() -> None:
    gpu, processor = devices_of([TWO_GPUS], "cuda"), devices_of([CORES_ONLY], "auto")
    assert (gpu.cores, gpu.gpus) == (12, 1)
    assert (processor.cores, processor.gpus) == (16, None)


@pytest.mark.parametrize(
    ("nodes", "wanted", "words"),
    [
        ([CORES_ONLY], "cuda", "no machine of the Ray cluster has a GPU. Set auto or cpu."),
        ([CORES_ONLY], "cuda:1", "'cuda:1' cannot be had through Ray"),
        ([HEAD], "auto", "no processor core to give. Start a worker: deploy/ray/worker.sh."),
    ],
)
def test_a_cluster_without_the_device_is_refused(nodes: list[dict[str, float]], wanted: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        devices_of(nodes, wanted)
