"""Photos a second on the processor: bare decode, rules at full size and in fast mode, and a run where all is there."""

import logging
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from skimage import data
from upath import UPath

from resources.configuration.pairwise import PairwiseStudy
from resources.gpu import GpuResource
from resources.photos.features.prefetch import one_thread_a_picture, prefetched
from resources.photos.features.run import Work, make_features
from resources.photos.features.stages import stages_of

PHOTOS = 24
SIZE_PX = (4000, 3000)
FAST_PX = 1024
ROUNDS = 3
FAST_LIMIT = 1.3


class Silent:
    """Progress that is not shown."""

    def track(self, what: str, total: int, log: logging.Logger) -> Any:
        """Show nothing."""
        return nullcontext(lambda done=1: None)


def write_photos(folder: Path) -> dict[str, str]:
    """Real photographs enlarged to 12 megapixels with a sensor's noise, each another part of the picture."""
    random = np.random.default_rng(0)
    paths = {}
    for number in range(PHOTOS):
        photo = (data.astronaut, data.coffee, data.chelsea)[number % 3]()
        shifted = np.roll(photo, 17 * number, axis=1)
        large = cv2.resize(shifted, SIZE_PX, interpolation=cv2.INTER_CUBIC)
        noisy = np.clip(large + random.normal(0.0, 4.0, large.shape).astype(np.float32), 0, 255).astype(np.uint8)
        path = folder / f"{number}.jpg"
        cv2.imwrite(str(path), cv2.cvtColor(noisy, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, 90])
        paths[f"photo {number}"] = str(path)
    return paths


def decoded(paths: dict[str, str], threads: int) -> None:
    """Read and decode, and nothing else."""

    def decode(path: str) -> None:
        cv2.imdecode(np.frombuffer(Path(path).read_bytes(), np.uint8), cv2.IMREAD_COLOR)

    with one_thread_a_picture():
        list(prefetched(decode, paths.values(), threads, 2 * threads))


def seconds(work: Callable[[], object]) -> float:
    """How long this took."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    """Print the rates, best of some rounds that take turns, so that a busy machine slows all alike."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        base.joinpath("photos").mkdir()
        paths = write_photos(base / "photos")
        study = PairwiseStudy(pairs_csv=base / "pairs.csv", image_root=base / "photos")
        modes = {"rules, full size": study, "rules, fast": study.model_copy(update={"rules_long_side": FAST_PX})}
        gpu, best = GpuResource(device="cpu"), dict.fromkeys(("bare decode", *modes, "cached rerun"), float("inf"))

        def run(name: str, number: int) -> None:
            plan = modes[name]
            place = UPath(base / f"{name} {number}")
            make_features(
                Work(place, stages_of(plan, gpu, ["rules"]), plan, gpu), paths, Silent(), logging.getLogger(__name__)
            )

        for number in range(ROUNDS):
            best["bare decode"] = min(best["bare decode"], seconds(lambda: decoded(paths, study.decoding_threads)))
            for name in modes:
                best[name] = min(best[name], seconds(lambda name=name, number=number: run(name, number)))  # type: ignore[misc]
            best["cached rerun"] = min(best["cached rerun"], seconds(lambda number=number: run("rules, fast", number)))  # type: ignore[misc]
        for name, taken in best.items():
            ratio = taken / best["bare decode"]
            print(f"{name:<18} {PHOTOS / taken:8.1f} photos a second, {ratio:5.2f} times the bare decode")
        print(
            f"{PHOTOS} JPEGs of {SIZE_PX[0]} x {SIZE_PX[1]} px in {study.decoding_threads} threads; fast is "
            f"{FAST_PX} px, needed: at most {FAST_LIMIT} times"
        )


if __name__ == "__main__":
    main()
