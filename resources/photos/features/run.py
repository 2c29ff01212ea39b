"""Everything that `image_features` does: look at the files, plan, make each shard, embed the sentences, report."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from upath import UPath

from analysis.messages import labelled
from resources.configuration.pairwise import PairwiseStudy
from resources.gpu import GpuResource
from resources.photos.features.clip import ClipEmbedding
from resources.photos.features.index import look_at
from resources.photos.features.making import FeatureMaker, ShardReport
from resources.photos.features.plan import Plan, plan_of
from resources.photos.features.shards import shard_at, stored_shards
from resources.photos.features.stages import Stages
from resources.photos.features.texts import embed_texts
from resources.runtime.file_hash import digest_of
from resources.runtime.memory import return_freed_memory
from resources.runtime.partial_files import sweep
from resources.runtime.progress import Advance, TracksProgress


class Work(NamedTuple):
    """What features are made with: their folder, what can be computed, the study's settings, and the device.

    The folder is one that every machine that takes part can see. The models stay loaded.
    """

    folder: UPath
    stages: Stages
    study: PairwiseStudy
    gpu: GpuResource


Engine = Callable[[Work, Plan, Advance], Iterable[ShardReport]]


@dataclass(frozen=True)
class FeaturesMade:
    """Rows of table `image_features`, and what the run did."""

    rows: list[dict[str, Any]]
    n_photos: int
    n_names: int
    n_computed: int
    images_per_s: float | None
    model_share: float | None


def one_after_another(work: Work, plan: Plan, advance: Advance) -> Iterator[ShardReport]:
    """The engine of one machine: shard by shard in this process."""
    maker = FeatureMaker(work.stages, work.gpu, work.study.decoding_threads, advance)
    for task in plan.tasks:
        yield maker.make_shard(work.folder, task)


def make_features(
    work: Work,
    paths: Mapping[str, str],
    progress: TracksProgress,
    log: logging.Logger,
    engine: Engine = one_after_another,
) -> FeaturesMade:
    """Bring the features of these photos up to date: what is there and still holds is not computed again.

    Raises:
        UserError: A file changed meanwhile, a shard is damaged, or a model cannot be used; finished shards stay.
    """
    folder, stages, study = work.folder, work.stages, work.study
    sweep(folder)
    with progress.track("photo files looked at", len(paths), log) as advance:
        known = look_at(folder, paths, study.decoding_threads, advance)
    wanted = {one.sha256: one.path for one in known.values() if one.sha256 is not None}
    plan = plan_of(wanted, stored_shards(folder), stages.recipes, study.shard_size)
    reports: dict[str, ShardReport] = {}
    # Workers' own times overlap where there are several.
    started = time.perf_counter()
    if plan.tasks:
        with progress.track("photos", plan.n_photos, log) as advance:
            reports = {one.file: one for one in engine(work, plan, advance)}
    elapsed_s = time.perf_counter() - started
    sentences = [text for one in study.clip_attributes for text in (one.positive, one.negative)]
    for model in stages.models:
        if isinstance(model, ClipEmbedding) and sentences:
            embed_texts(folder, model, sentences)
    return_freed_memory()
    names = Counter(one.sha256 for one in known.values())
    wall_s, model_s = (sum(getattr(report, name) for report in reports.values()) for name in ("wall_s", "model_s"))
    n_computed = sum(report.n_computed for report in reports.values())
    return FeaturesMade(
        rows=[_row(folder, file, reports.get(file), stages, names) for file in plan.files]
        or [_without_a_shard(stages)],
        n_photos=len(wanted),
        n_names=len(paths),
        n_computed=n_computed,
        images_per_s=n_computed / elapsed_s if n_computed else None,
        model_share=model_s / wall_s if n_computed and stages.models else None,
    )


def _row(
    folder: UPath, file: str, report: ShardReport | None, stages: Stages, names: Mapping[str | None, int]
) -> dict[str, Any]:
    """A shard's row; `names` counts the study's photos of each content."""
    shard = shard_at(folder / file)
    return {
        "shard": file,
        "path": str(folder / file),
        "n_images": len(shard.hashes),
        "n_names": sum(names[sha256] for sha256 in shard.hashes),
        "n_unreadable": sum(names[sha256] for sha256 in shard.unreadable),
        "n_computed": report.n_computed if report else 0,
        "stages": list(shard.recipes),
        "recipe": digest_of(shard.recipes),
        "images_per_s": report.n_computed / report.wall_s if report is not None and report.n_computed else None,
        "unavailable": _unavailable(stages),
    }


def _without_a_shard(stages: Stages) -> dict[str, Any]:
    """The only row where there is no photo: what cannot be computed is lacking all the same."""
    counts = dict.fromkeys(("n_images", "n_names", "n_unreadable", "n_computed"), 0)
    return {**counts, "stages": [], "unavailable": _unavailable(stages)}


def _unavailable(stages: Stages) -> list[str]:
    return [labelled(name, reason) for name, reason in stages.unavailable.items()]
