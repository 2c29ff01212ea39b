"""Golden images a second on one core at 512 px: altered, encoded as PNG and written, by kind."""

import tempfile
import time
from collections import defaultdict
from pathlib import Path

import cv2
from upath import UPath

from pipeline.samples.fidelity import write_fidelity_samples
from resources.configuration.fidelity import GoldenSet
from resources.photos.golden_set import Alteration, Original, alterations_of, write_golden_item

ITEMS = 12
ROUNDS = 3
LIMIT_PER_S = 30


def seconds(folder: Path, originals: list[Original], alterations: list[Alteration]) -> float:
    """Time to make all of these of every render, decode included, the best of some rounds."""
    best = float("inf")
    for number in range(ROUNDS):
        fresh = [Original(original.path) for original in originals]
        started = time.perf_counter()
        for place, original in enumerate(fresh):
            other = fresh[place - 1]
            write_golden_item(
                UPath(folder / str(number)), f"{place}-{alterations[0].name}", original, other, alterations
            )
        best = min(best, time.perf_counter() - started)
    return best


def main() -> None:
    """Print the rates."""
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        renders = sorted(write_fidelity_samples(base / "samples").candidates.rglob("*.webp"))
        originals = [Original(str(path)) for path in renders[:: len(renders) // ITEMS]]
        alterations = alterations_of(GoldenSet())
        by_kind: dict[str, list[Alteration]] = defaultdict(list)
        for alteration in alterations:
            by_kind[alteration.kind].append(alteration)
        for kind, some in by_kind.items():
            rate = len(originals) * len(some) / seconds(base / kind, originals, some)
            print(f"{kind:<16} {rate:7.1f} images a second")
        rate = len(originals) * len(alterations) / seconds(base / "all", originals, alterations)
        height, width = originals[0].picture.shape[:2]
        print(
            f"{'all':<16} {rate:7.1f} images a second on one core at {width} x {height} px, encode included; "
            f"needed: {LIMIT_PER_S}"
        )
        started = time.perf_counter()
        for place, original in enumerate(originals):
            item = f"{place}-{alterations[0].name}"
            write_golden_item(UPath(base / "all" / "0"), item, original, originals[place - 1], alterations)
        kept = len(originals) * len(alterations) / (time.perf_counter() - started)
        print(f"{'kept from before':<16} {kept:7.1f} images a second")


if __name__ == "__main__":
    main()
