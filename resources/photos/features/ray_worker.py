"""What runs in a process of Ray's: one worker per device, which loads the models once and makes shard after shard."""

import json
import socket
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, NamedTuple

from upath import UPath

from resources.configuration.pairwise import PairwiseStudy
from resources.errors import UserError, listing
from resources.gpu import GpuResource, Precision
from resources.photos.features import index
from resources.photos.features.making import FeatureMaker, ShardReport
from resources.photos.features.plan import ShardTask
from resources.photos.features.prepared import Photo
from resources.photos.features.stages import Stages, stages_of

REPORT: Final = tuple(ShardReport.__dataclass_fields__)
# Ray starts a dead worker's task again without end; a shard that kills every worker has to end the run.
TRIES: Final = 3


class WorkerPlan(NamedTuple):
    """What every worker is given: the features' folder, the study as JSON, its device, and the numbers to be had.

    `recipes` are the stages with the digest of what their numbers depend on, as the machine that asks has them.
    """

    folder: str
    study: str
    device: str
    precision: Precision
    batch_size: int
    recipes: Mapping[str, str]


class Tally:
    """What the workers together have done: it outlives any of them."""

    def __init__(self) -> None:
        self._done = 0
        self._tries: Counter[str] = Counter()

    def begin(self, file: str) -> int:
        """Count a shard's beginning; how many there were with this one."""
        self._tries[file] += 1
        return self._tries[file]

    def add(self, done: int) -> None:
        """Count photos."""
        self._done += done

    def done(self) -> int:
        """Photos so far; those of a shard that had to be begun again count twice."""
        return self._done


class ShardWorker:
    """Makes shards on one device; called by Ray Data with one task at a time, as text."""

    def __init__(self, plan: WorkerPlan, tally: Any) -> None:
        self._plan, self._tally = plan, tally
        self._folder = UPath(plan.folder)
        self._study = PairwiseStudy.model_validate_json(plan.study)
        self._maker: FeatureMaker | None = None

    def __call__(self, batch: Mapping[str, Sequence[str]]) -> dict[str, list[Any]]:
        """The reports of the shards; where a user can fix what went wrong, `fault` says it instead."""
        rows = [self._row(task_of(text)) for text in batch["task"]]
        return {name: [row[name] for row in rows] for name in (*REPORT, "fault")}

    def advance(self, done: int = 1) -> None:
        """Count photos; nothing waits for the count."""
        self._tally.add.remote(done)

    def _row(self, task: ShardTask) -> dict[str, Any]:
        try:
            refuse_endless_tries(task.file, self._begin(task.file))
            # Not in __init__: what fails there, Ray tries again for ever.
            self._maker = self._maker or self._made_ready()
            return asdict(self._maker.make_shard(self._folder, task)) | {"fault": ""}
        except UserError as error:
            nothing = ShardReport(task.file, 0, 0.0, 0.0)
            return asdict(nothing) | {"fault": f"On {socket.gethostname()}: {error}"}

    def _begin(self, file: str) -> int:
        import ray

        return int(ray.get(self._tally.begin.remote(file)))

    def _made_ready(self) -> FeatureMaker:
        plan = self._plan
        if not (self._folder / index.FILE).exists():
            raise UserError(
                f"{self._folder} is not the folder that the run began in. Put TOUCHSTONE_HOME on storage that every "
                "machine sees under the same path, or on an address such as s3://bucket/folder."
            )
        gpu = GpuResource(device=plan.device, precision=plan.precision, batch_size=plan.batch_size)
        stages = stages_of(self._study, gpu, plan.recipes)
        refuse_other_numbers(stages, plan.recipes)
        return FeatureMaker(stages, gpu, self._study.decoding_threads, self.advance)


def refuse_other_numbers(stages: Stages, recipes: Mapping[str, str]) -> None:
    """Refuse a machine whose numbers would not be those of the others.

    Raises:
        UserError: A stage is lacking here, or depends on other weights or versions.
    """
    here = stages.recipes
    lacking = [f"{name} ({stages.unavailable[name]})" for name in recipes if name in stages.unavailable]
    other = [name for name in recipes if name in here and here[name] != recipes[name]]
    if lacking:
        raise UserError(f"this machine lacks {listing(lacking)}.")
    if other:
        raise UserError(
            f"this machine has other weights or versions behind {listing(other)} than the one that the run began on. "
            "Install the same lock and copy the same weights there."
        )


def refuse_endless_tries(file: str, tries: int) -> None:
    """Refuse a shard that workers died of.

    Raises:
        UserError: It was begun `TRIES` times before.
    """
    if tries > TRIES:
        raise UserError(
            f"Ray workers died of {file} {TRIES} times, most often because memory ran out. Finished shards are kept. "
            "Set a smaller batch_size or fewer decoding_threads, and run again."
        )


def text_of(task: ShardTask) -> str:
    """A task as text, which any version of Ray and Python carries."""
    return json.dumps(asdict(task))


def task_of(text: str) -> ShardTask:
    """The task that `text_of` wrote."""
    values = json.loads(text)
    there, new = (tuple(Photo(*one) for one in values[name]) for name in ("there", "new"))
    return ShardTask(values["file"], there, tuple(values["missing"]), tuple(values["kept"]), new, values["rest"])
