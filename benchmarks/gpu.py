"""The accelerator end to end: images a second by batch size and precision, full memory, and the same numbers."""

import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import torch
from upath import UPath

from benchmarks.made_models import write_clip, write_photos, write_vit
from benchmarks.photos import Silent, decoded
from benchmarks.table import wall_s as seconds
from resources.configuration.pairwise import PairwiseStudy
from resources.errors import UserError
from resources.gpu import GpuResource, Precision
from resources.judges.relevance.embedding import EmbeddingMeasure
from resources.photos.features.reading import read_features
from resources.photos.features.run import FeaturesMade, Work, make_features
from resources.photos.features.stages import Stages, stages_of

NO_CUDA = "This machine has no CUDA device that torch sees: nothing was measured."
MODELS = ("clip", "vit")
N_TEXTS = 2_000
SIZE_PX = (4000, 3000)
SIDE_PX = 224
# The same photo through the same network in 32 bits: the order of sums differs, and cards may sum in 19 bits.
LEAST_COSINE = 0.999


def rate(work: Callable[[], object], n: int, device: str, least_s: float) -> float:
    """Images a second: warmed up once, then repeated for a while."""
    work()
    synchronise(device)
    started, rounds = time.perf_counter(), 0
    while time.perf_counter() - started < least_s:
        work()
        synchronise(device)
        rounds += 1
    return n * rounds / (time.perf_counter() - started)


def synchronise(device: str) -> None:
    """Wait until the card has done its work."""
    if device.startswith("cuda"):
        torch.cuda.synchronize()


def forward_rates(study: PairwiseStudy, device: str, batch_sizes: tuple[int, ...], least_s: float) -> None:
    """Each model through the resource, copies to and from the card included, and bare: its input lies on the card."""
    print(f"{'model':<6} {'precision':<9} {'batch':>5} {'images/s':>10} {'bare':>10} {'share':>6} {'memory':>9}")
    for precision in get_args(Precision):
        for batch_size in batch_sizes:
            gpu = GpuResource(device=device, precision=precision, batch_size=batch_size)
            for model in stages_of(study, gpu, MODELS).models:
                if device.startswith("cuda"):
                    torch.cuda.reset_peak_memory_stats()
                model.open()
                inputs = torch.rand(batch_size, 3, SIDE_PX, SIDE_PX)
                through = rate(lambda model=model, inputs=inputs: model.embed(inputs), batch_size, device, least_s)  # type: ignore[misc]
                bare = rate(bare_forward(model, inputs, device, precision), batch_size, device, least_s)
                memory = f"{torch.cuda.max_memory_allocated() / 2**30:5.1f} GiB" if device.startswith("cuda") else "-"
                print(
                    f"{model.name:<6} {precision:<9} {batch_size:>5} {through:>10.0f} {bare:>10.0f} "
                    f"{through / bare:>6.2f} {memory:>9}"
                )
            gpu.free()


def bare_forward(model: Any, inputs: torch.Tensor, device: str, precision: str) -> Callable[[], object]:
    """The network alone, on an input that is there."""
    module = model._model
    there = inputs.to(device, getattr(torch, precision)).contiguous(memory_format=torch.channels_last)
    function = module.encode_image if hasattr(module, "encode_image") else module

    def work() -> object:
        with torch.inference_mode():
            return function(there)

    return work


def made(folder: Path, paths: list[str], study: PairwiseStudy, gpu: GpuResource) -> tuple[FeaturesMade, Stages]:
    """Features of the photos, from nothing."""
    stages = stages_of(study, gpu, ("rules", *MODELS))
    named = {f"p{number}": path for number, path in enumerate(paths)}
    log = logging.getLogger(__name__)
    return make_features(Work(UPath(folder), stages, study, gpu), named, Silent(), log), stages


def end_to_end(base: Path, paths: list[str], study: PairwiseStudy, device: str) -> None:
    """Photos from the disk to the shard, with how busy the models were, against the bare decode."""
    alone = len(paths) / seconds(lambda: decoded(paths, study.decoding_threads))
    gpu = GpuResource(device=device, batch_size=study.batch_size)
    stages_of(study, gpu, MODELS).open()
    found, _ = made(base / "card", paths, study, gpu)
    print(
        f"decode alone {alone:.1f} photos/s in {study.decoding_threads} threads ({SIZE_PX[0]} x {SIZE_PX[1]} px); "
        f"decode, rules at {study.rules_long_side} px and both models {found.images_per_s or 0:.1f} photos/s, "
        f"models busy {100 * (found.model_share or 0):.0f} % of the time"
    )


def same_numbers(base: Path, paths: list[str], study: PairwiseStudy) -> bool:
    """Whether the card gives what the processor gives."""
    made(base / "processor", paths, study, GpuResource(device="cpu", batch_size=study.batch_size))
    names = [f"p{number}" for number in range(len(paths))]
    here, there = (read_features(UPath(base / place), names) for place in ("processor", "card"))
    alike = True
    for name in MODELS:
        one, two = (
            np.stack(frame[name]) / np.linalg.norm(np.stack(frame[name]), axis=1)[:, None] for frame in (here, there)
        )
        least = float((one * two).sum(axis=1).min())
        alike &= least >= LEAST_COSINE
        print(f"{name}: least cosine between card and processor {least:.6f} (needed: {LEAST_COSINE})")
    return alike


def same_sentences(device: str, n: int) -> bool:
    """The judge `embedding` on the card: texts a second, and whether the vectors are those of the processor."""
    try:
        there, here = (EmbeddingMeasure(GpuResource(device=one, batch_size=128)) for one in (device, "cpu"))
    except UserError as reason:
        print(f"embedding: not measured. {reason}")
        return True
    texts = [f"Sentence {place} of the bench. " * (1 + place % 40) for place in range(n)]
    few = texts[:: max(1, n // 50)]
    least = float((there.embeddings(few) * here.embeddings(few)).sum(axis=1).min())
    per_s = n / seconds(lambda: there.embeddings(texts))
    print(f"embedding: {per_s:.0f} texts/s; least cosine with the processor {least:.6f} (needed: {LEAST_COSINE})")
    return least >= LEAST_COSINE


def survives_full_memory(study: PairwiseStudy, device: str) -> bool:
    """Whether a batch that does not fit is halved until it does, with the same result."""
    gpu = GpuResource(device=device, batch_size=1024)
    [model] = stages_of(study, gpu, ("vit",)).models
    model.open()
    inputs = torch.rand(1024, 3, SIDE_PX, SIDE_PX)
    expected = model.embed(inputs[:8])
    used = torch.cuda.memory_allocated()
    total = torch.cuda.get_device_properties(device).total_memory
    torch.cuda.empty_cache()
    torch.cuda.set_per_process_memory_fraction(min(1.0, (used + 2**30) / total))
    try:
        found = model.embed(inputs)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    size = gpu.batch_size_of(model._key)  # type: ignore[attr-defined]
    print(f"with 1 GiB left a batch of 1024 became {size}")
    gpu.free()
    return size < 1024 and bool(np.allclose(found[:8], expected, atol=1e-2))


def main() -> int:
    """Print the rates; 1 where the card gives other numbers than the processor."""
    tried_out = "--cpu" in sys.argv[1:]
    if not tried_out and not torch.cuda.is_available():
        print(NO_CUDA)
        return 0
    device = "cpu" if tried_out else "cuda:0"
    print(f"{GpuResource(device=device).opened().sentence}, {os.cpu_count()} cores; true architectures, random weights")
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        study = PairwiseStudy(
            pairs_csv=base / "pairs.csv",
            image_root=base,
            clip_model=write_clip(base),
            vit_model=write_vit(base),
            rules_long_side=1024,
            batch_size=4 if tried_out else 128,
            decoding_threads=os.cpu_count() or 1,
            clip_attributes=(),
        )
        paths = write_photos(base / "photos", 6 if tried_out else 96, SIZE_PX)
        forward_rates(study, device, (2,) if tried_out else (32, 128, 512), 0.1 if tried_out else 2.0)
        end_to_end(base, paths, study, device)
        alike = same_numbers(base, paths[:32], study)
        alike &= same_sentences(device, 100 if tried_out else N_TEXTS)
        return 0 if alike and (tried_out or survives_full_memory(study, device)) else 1


if __name__ == "__main__":
    begun = time.perf_counter()
    status = main()
    print(f"in {time.perf_counter() - begun:.0f} s")
    sys.exit(status)
