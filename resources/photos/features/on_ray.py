"""The engine of many machines: shards through Ray Data, one worker per device; a worker that dies costs its shard."""

import logging
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from resources.errors import UserError
from resources.extras import require_extra
from resources.photos.features.making import ShardReport
from resources.photos.features.plan import Plan
from resources.photos.features.ray_worker import REPORT, ShardWorker, Tally, WorkerPlan, text_of
from resources.photos.features.run import Engine, Work, one_after_another
from resources.runtime.progress import Advance

LOOK_EVERY_S: Final = 1.0


class Devices(NamedTuple):
    """What a cluster has to compute on: `name` for torch, how many, and processor cores for each."""

    name: str
    n: int
    cores: int

    @property
    def gpus(self) -> int | None:
        """GPUs that Ray sets aside for one worker; none, not 0, where it needs none."""
        return 1 if self.name == "cuda" else None


def on_ray(work: Work, plan: Plan, advance: Advance) -> Iterator[ShardReport]:
    """Make the shards on every device of the cluster: `RAY_ADDRESS`, else one that runs here, else one for this run.

    Args:
        work: The folder, which every machine of the cluster must see; what this machine can compute, of which the
            others have to give the same numbers; precision and batch size, which hold for the workers' devices too.
        plan: The shards' tasks, of which none needs another.
        advance: Called with photos about once a second.

    Yields:
        Each shard's report, in the order in which they are finished.

    Raises:
        UserError: Ray is not installed, the cluster lacks the device, a machine has other weights or versions, or a
            shard killed its worker too often; finished shards stay.
    """
    with _cluster() as ray:
        devices = devices_of([node["Resources"] for node in ray.nodes() if node["Alive"]], work.study.device)
        tally = _beside_this_process(ray, Tally)
        worker = WorkerPlan(
            str(work.folder),
            work.study.model_dump_json(),
            devices.name,
            work.gpu.precision,
            work.gpu.batch_size,
            work.stages.recipes,
        )
        tasks = [{"task": text_of(task)} for task in plan.tasks]
        made = ray.data.from_items(tasks, override_num_blocks=len(tasks)).map_batches(
            ShardWorker,
            fn_constructor_args=(worker, tally),
            batch_size=1,
            # A task that waits for its turn at a worker would be lost time when that one dies.
            compute=ray.data.ActorPoolStrategy(size=min(devices.n, len(tasks)), max_tasks_in_flight_per_actor=1),
            num_cpus=devices.cores,
            num_gpus=devices.gpus,
        )
        with _followed(ray, tally, plan.n_photos, advance):
            for row in made.iter_rows():
                if row["fault"]:
                    raise UserError(row["fault"])
                yield ShardReport(**{name: row[name] for name in REPORT})


def devices_of(nodes: Sequence[Mapping[str, float]], wanted: str) -> Devices:
    """One worker per GPU where the cluster has any, else one per machine.

    Args:
        nodes: Resources of each machine, as Ray counts them.
        wanted: `auto`, `cuda` or `cpu`.

    Raises:
        UserError: The cluster has no such device, or the name is one that Ray cannot give.
    """
    if wanted not in ("auto", "cuda", "cpu"):
        raise UserError(f"device: '{wanted}' cannot be had through Ray, which picks devices itself: auto, cuda or cpu.")
    with_gpu = [node for node in nodes if node.get("GPU", 0) >= 1 and node.get("CPU", 0) >= 1]
    if wanted != "cpu" and with_gpu:
        cores = min(int(node["CPU"] // node["GPU"]) for node in with_gpu)
        return Devices("cuda", sum(int(node["GPU"]) for node in with_gpu), max(1, cores))
    if wanted == "cuda":
        raise UserError("device: 'cuda' was asked for, but no machine of the Ray cluster has a GPU. Set auto or cpu.")
    with_cores = [node for node in nodes if node.get("CPU", 0) >= 1]
    if not with_cores:
        raise UserError("The Ray cluster has no processor core to give. Start a worker: deploy/ray/worker.sh.")
    return Devices("cpu", len(with_cores), min(int(node["CPU"]) for node in with_cores))


@contextmanager
def _cluster() -> Iterator[Any]:
    """Ray with its Data library, connected; what was started or connected for this is let go again."""
    # Ray's own processes write to the terminal otherwise; faults come back as exceptions.
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    require_extra("scale", "engine: ray", "One machine does without: set engine: local.")
    import ray
    import ray.data

    begun_here = not ray.is_initialized()
    if begun_here:
        try:
            ray.init(log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise UserError(
                f"The Ray cluster cannot be reached ({error}). Start it as deploy/ray/README.md says, or correct "
                "RAY_ADDRESS."
            ) from error
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    try:
        yield ray
    finally:
        if begun_here:
            ray.shutdown()


def _beside_this_process(ray: Any, actor: type) -> Any:
    """An actor on this machine, which lives as long as the run does and takes no core from the workers."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    return ray.remote(actor).options(num_cpus=0, scheduling_strategy=here).remote()


@contextmanager
def _followed(ray: Any, tally: Any, total: int, advance: Advance) -> Iterator[None]:
    """Tell of photos as the workers count them, never more than there are."""
    ended, reported = threading.Event(), 0

    def catch_up() -> None:
        nonlocal reported
        done = min(int(ray.get(tally.done.remote())), total)
        if done > reported:
            advance(done - reported)
            reported = done

    def follow() -> None:
        while not ended.wait(LOOK_EVERY_S):
            catch_up()

    thread = threading.Thread(target=follow, name="photos done", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    catch_up()


ENGINES: Final[Mapping[str, Engine]] = {"local": one_after_another, "ray": on_ray}
