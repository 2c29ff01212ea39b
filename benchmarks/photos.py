"""Study B's photos: rules at 1024 px against the bare decode, and all stages in one run against each alone."""

import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from upath import UPath

from benchmarks.made_models import write_clip, write_photos, write_vit
from benchmarks.table import Row, in_turns, over_the_floor
from resources.configuration.pairwise import PairwiseStudy
from resources.gpu import GpuResource
from resources.photos.features.model import EmbeddingModel
from resources.photos.features.prefetch import one_thread_a_picture, prefetched
from resources.photos.features.run import Work, make_features
from resources.photos.features.stages import Stages, stages_of

LARGE, LARGE_PX = 12, (4000, 3000)
SMALL, SMALL_PX = 24, (1600, 1200)
ROUNDS = 2
LOG = logging.getLogger(__name__)


class Silent:
    """Progress that is not shown."""

    def track(self, what: str, total: int, log: logging.Logger) -> Any:
        """Show nothing."""
        return nullcontext(lambda done=1: None)


def decoded(paths: list[str], threads: int) -> None:
    """Read and decode, and nothing else."""

    def decode(path: str) -> None:
        cv2.imdecode(np.frombuffer(Path(path).read_bytes(), np.uint8), cv2.IMREAD_COLOR)

    with one_thread_a_picture():
        list(prefetched(decode, paths, threads, 2 * threads))


def made(base: Path, paths: list[str], study: PairwiseStudy, stages: Stages, gpu: GpuResource) -> None:
    """Features of the photos, from nothing."""
    with tempfile.TemporaryDirectory(dir=base) as folder:
        named = {f"p{number}": path for number, path in enumerate(paths)}
        make_features(Work(UPath(folder), stages, study, gpu), named, Silent(), LOG)


def forward(model: EmbeddingModel, n: int, batch_size: int) -> None:
    """One forward pass of each photo, its input ready."""
    for start in range(0, n, batch_size):
        model.embed(torch.zeros(min(batch_size, n - start), 3, model.side_px, model.side_px))


def rules() -> Iterator[Row]:
    """Photos of 12 megapixels."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        paths = write_photos(base / "photos", LARGE, LARGE_PX)
        study = PairwiseStudy(pairs_csv=base / "pairs.csv", image_root=base / "photos", rules_long_side=1024)
        gpu = GpuResource(device="cpu")
        stages = stages_of(study, gpu, ["rules"])
        bare, fast = in_turns(
            [lambda: decoded(paths, study.decoding_threads), lambda: made(base, paths, study, stages, gpu)], ROUNDS
        )
        name = "rules at 1024 px, photo of 12 megapixels"
        yield Row(
            name, 1e3 * fast / LARGE, "ms", floor=1e3 * bare / LARGE, of_peer="bare decode", target=over_the_floor(1.3)
        )


def all_stages() -> Iterator[Row]:
    """Photos of 2 megapixels through rules, CLIP and ViT: true architectures with random weights."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        paths = write_photos(base / "photos", SMALL, SMALL_PX)
        study = PairwiseStudy(
            pairs_csv=base / "pairs.csv",
            image_root=base / "photos",
            dl_methods=("vit_base", "clip_probe"),
            # Sentences are embedded once for a folder of photos, however many: 14 take as long as 4 photos.
            clip_attributes=(),
            clip_model=write_clip(base),
            vit_model=write_vit(base),
        )
        gpu = GpuResource(device="cpu")
        stages = stages_of(study, gpu, ("rules", "clip", "vit"))
        stages.open()
        alone: list[Callable[[], None]] = [
            partial(forward, model, len(paths), study.batch_size) for model in stages.models
        ]
        whole, *parts = in_turns(
            [
                lambda: made(base, paths, study, stages, gpu),
                lambda: made(base, paths, study, stages.only(["rules"]), gpu),
                *alone,
            ],
            ROUNDS,
        )
        name, floor = "all stages of a photo of 2 megapixels", 1e3 * sum(parts) / SMALL
        yield Row(name, 1e3 * whole / SMALL, "ms", floor=floor, of_peer="decode and rules + CLIP + ViT",
                  target=over_the_floor(1.15))  # fmt: skip


BENCHES = (rules, all_stages)
