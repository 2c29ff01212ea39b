"""Study B: all methods against the parts that they share, against pair by pair, and all that follows the features."""

import logging
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pandas as pd
import torch
from PIL import Image
from upath import UPath

from analysis.images.photo_rules import (
    colorfulness,
    contrast,
    exposure,
    grey_of,
    histogram_of,
    photo_measures,
    sharpness,
)
from assets.pairwise.logic.method_scores import result_rows
from assets.pairwise.method_metrics import metrics_rows
from assets.pairwise.method_significance import common_credit, significance_rows
from benchmarks.made_models import write_clip, write_photos, write_vit
from benchmarks.photos import Silent, decoded
from benchmarks.table import wall_s as seconds
from reports.pairwise.export.folder import Benchmark, write_benchmark
from resources.configuration.pairwise import PairwiseStudy
from resources.gpu import GpuResource
from resources.inputs.pairwise.photo_pairs import MISSING, read_photo_pairs
from resources.photos.features.clip import ClipEmbedding
from resources.photos.features.model import EmbeddingModel
from resources.photos.features.prefetch import one_thread_a_picture, prefetched
from resources.photos.features.prepared import Photo, prepared
from resources.photos.features.run import Work, make_features
from resources.photos.features.stages import Stages, stages_of
from resources.photos.images import decode_photo
from resources.photos.methods.features import MEASURES, Features
from resources.photos.methods.registry import method_of
from resources.tables.pairwise_rows import judged_pairs, measured

SERIES, IN_SERIES, N_PAIRS = 67, 3, 200
N_COST, ROUNDS = 48, 3
SIZE_PX = (1600, 1200)
WIDTHS = {"clip": 512, "vit": 768, "efficientnet": 1280}
REAL = Path(__file__).resolve().parents[2] / "shared" / "data" / "pairwise" / "photo_triage_pairs.csv"
LOG = logging.getLogger(__name__)


def cost_of_features(base: Path, paths: list[str], study: PairwiseStudy, stages: Stages, gpu: GpuResource) -> None:
    """All stages in one run against each measured alone, best of rounds that take turns."""
    best: dict[str, float] = {}

    def note(name: str, work: Callable[[], object]) -> None:
        best[name] = min(best.get(name, float("inf")), seconds(work))

    for number in range(ROUNDS):
        note("decode", lambda: decoded(paths, study.decoding_threads))
        rules = stages.only(["rules"])
        note("decode and rules", partial(make, base / f"rules {number}", paths, study, rules, gpu))
        for model in stages.models:
            note(model.name, partial(forward, model, len(paths), study.batch_size))
        note("inputs of models", partial(inputs, paths, stages, study.decoding_threads))
        note("all in one run", partial(make, base / f"all {number}", paths, study, stages, gpu))
    for name, taken in best.items():
        print(f"  {name:<16} {taken:7.2f} s, {len(paths) / taken:8.1f} photos a second")
    parts = best["decode and rules"] + sum(best[model.name] for model in stages.models)
    whole = best["all in one run"]
    print(f"  all in one run: {whole / parts:.2f} times decode and rules + clip + vit (limit 1.15)")
    parts += best["inputs of models"] - best["decode"]
    print(f"  {whole / parts:.2f} times where the models' own resizing of the decoded photos is a part too")


def make(folder: Path, paths: list[str], study: PairwiseStudy, stages: Stages, gpu: GpuResource) -> None:
    """Features of the photos, from nothing."""
    named = {f"p{number}": path for number, path in enumerate(paths)}
    make_features(Work(UPath(folder), stages, study, gpu), named, Silent(), LOG)


def forward(model: EmbeddingModel, n: int, batch_size: int) -> None:
    """One forward pass of each photo, its input ready."""
    for start in range(0, n, batch_size):
        model.embed(torch.zeros(min(batch_size, n - start), 3, model.side_px, model.side_px))


def inputs(paths: list[str], stages: Stages, threads: int) -> None:
    """Decode each photo and make the models' inputs of it, no more."""

    def prepare(path: str) -> None:
        photo = Image.fromarray(pixels_of(path))
        for model in stages.models:
            model.prepare(photo)

    with one_thread_a_picture():
        list(prefetched(prepare, paths, threads, 2 * threads))


def pair_by_pair(paths: list[str], study: PairwiseStudy, stages: Stages) -> tuple[float, float]:
    """Each method by itself opens and measures both photos of each pair; how long that took.

    Returns:
        Seconds: with the sentences embedded once, as a careful program does, and for each pair anew, as CLIP's own
        forward pass of photos and sentences does.
    """
    by_rule = {
        "sharpness_only": lambda photo: sharpness(grey_of(photo)),
        "contrast_only": lambda photo: contrast(histogram_of(grey_of(photo))),
        "exposure_only": lambda photo: exposure(histogram_of(grey_of(photo))),
        "colorfulness_only": colorfulness,
        **{name: photo_measures for name in study.rule_based_methods if name.startswith("composite")},
    }
    taken = {name: seconds(lambda rule=rule: [rule(pixels_of(path)) for pair in pairs_of(paths) for path in pair])  # type: ignore[misc]
             for name, rule in by_rule.items()}  # fmt: skip
    users = {"clip": len(study.clip_attributes) + 1, "vit": 1}
    for model in stages.models:

        def score(model: EmbeddingModel = model) -> None:
            for pair in pairs_of(paths):
                model.embed(torch.stack([model.prepare(Image.fromarray(pixels_of(path))) for path in pair]))

        one = seconds(score)
        taken |= {f"{model.name} {number}": one for number in range(users[model.name])}
    total = sum(taken.values())
    [clip] = [model for model in stages.models if isinstance(model, ClipEmbedding)]
    sentences = [study.clip_attributes[0].positive, study.clip_attributes[0].negative]
    anew = len(study.clip_attributes) * seconds(lambda: [clip.embed_texts(sentences) for _ in range(N_PAIRS)])
    print(f"  {len(taken)} methods pair by pair {total:.1f} s (of those on one model one run), sentences {anew:.1f} s")
    return total, total + anew


def pixels_of(path: str) -> np.ndarray:
    """A photo, decoded as the study does it."""
    return decode_photo(Path(path).read_bytes(), path)


def pairs_of(paths: list[str]) -> Iterator[tuple[str, str]]:
    """Pairs inside series of three: as many pairs as photos, as there are in the real data."""
    for number in range(N_PAIRS):
        series, place = divmod(number, IN_SERIES)
        yield paths[series * IN_SERIES + place], paths[series * IN_SERIES + (place + 1) % IN_SERIES]


def made_features(judged: pd.DataFrame) -> Features:
    """Random measures of every photo of the judged pairs, with the widths of the true models."""
    random = np.random.default_rng(0)
    images = pd.unique(pd.concat([judged["image_1"], judged["image_2"]]))
    columns: dict[str, object] = {"sha256": images, "decode_ms": 20.0}
    columns |= {name: random.uniform(0.1, 1.0, len(images)) for name in MEASURES["rules"]}
    columns |= {
        name: list(random.normal(size=(len(images), width)).astype(np.float32)) for name, width in WIDTHS.items()
    }
    columns |= {f"{stage}_ms": 5.0 for stage in MEASURES}
    frame = pd.DataFrame(columns, index=pd.Index(images, name="image"))
    return Features(frame, list(images), lambda sentences: random.normal(size=(len(sentences), WIDTHS["clip"])))


def after_features(base: Path, study: PairwiseStudy) -> None:
    """Results, metrics, significance and export of every method on the real votes."""
    pairs = read_photo_pairs(study).frame
    # The photos are no part of the project; their measures are made up, so none is missing.
    pairs = pairs.assign(excluded=pairs["excluded"].mask(pairs["excluded"] == MISSING))
    judged = judged_pairs(pairs)
    features = made_features(judged)
    methods = {name: method_of(study, name) for name in study.methods}
    times: dict[str, float] = {}
    results: dict[str, pd.DataFrame] = {}
    kept: dict[str, pd.DataFrame] = {}

    def judge() -> None:
        results.update({name: result_rows(method, judged, features, study) for name, method in methods.items()})

    def measure() -> None:
        kept["metrics"] = metrics_rows(results, pairs, dict.fromkeys(methods), study)

    def compare() -> None:
        significance_rows(*common_credit(results), merged=study.orders == "merged")

    def export() -> None:
        write_benchmark(
            base, Benchmark(study, None, pairs, results, kept["metrics"]), datetime.now(UTC), lambda done=1: None
        )

    begun = time.process_time()
    for name, work in {"results": judge, "metrics": measure, "significance": compare, "export": export}.items():
        times[name] = seconds(work)
    assert len(measured(kept["metrics"])) == len(methods)
    parts = ", ".join(f"{name} {taken:.1f} s" for name, taken in times.items())
    print(
        f"  {len(methods)} methods on {len(judged)} pairs, {study.bootstrap_resamples} resamples: "
        f"{sum(times.values()):.1f} s (limit 20), {time.process_time() - begun:.1f} s of the processor: {parts}"
    )


def main() -> None:
    """Print the ratios and times that are promised."""
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        paths = write_photos(base / "photos", SERIES * IN_SERIES, SIZE_PX)
        study = PairwiseStudy(
            pairs_csv=REAL,
            image_root=base / "photos",
            orders="as_listed",
            dl_methods=("vit_base", "clip_probe"),
            clip_model=write_clip(base),
            vit_model=write_vit(base),
        )
        gpu = GpuResource(device="auto")
        stages = stages_of(study, gpu, ("rules", "clip", "vit"))
        stages.open()
        prepared(Photo(digest(paths[0]), paths[0]), stages)
        print(f"{len(paths)} JPEGs of {SIZE_PX[0]} x {SIZE_PX[1]} px, {gpu.opened().sentence}, {os.cpu_count()} cores")
        cost_of_features(base, paths[:N_COST], study, stages, gpu)
        shared = seconds(partial(make, base / "pairs", paths, study, stages, gpu))
        apart, with_sentences = pair_by_pair(paths, study, stages)
        print(
            f"  {N_PAIRS} pairs, each photo once {shared:.1f} s: {with_sentences / shared:.1f} times faster "
            f"(limit 10), {apart / shared:.1f} times where a program embeds the sentences once"
        )
        if REAL.is_file():
            after_features(base, study.model_copy(update={"dl_methods": ("vit_base",)}))
        else:
            print("  the real votes (../shared/data) are not next to this checkout: no time after the features")


def digest(path: str) -> str:
    """The content's hash."""
    from resources.runtime.file_hash import sha256_of_file

    return sha256_of_file(Path(path))


if __name__ == "__main__":
    started = time.perf_counter()
    main()
    print(f"  in {time.perf_counter() - started:.0f} s")
