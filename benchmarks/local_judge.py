"""Images a second that the local judge takes on one core, decode included, and what keeping descriptors saves."""

import tempfile
import time
from pathlib import Path

import cv2

from analysis.images.appearance.descriptors import patches
from pipeline.samples.fidelity import FidelitySamples, write_fidelity_samples
from resources.configuration.fidelity import LocalJudge as Configuration
from resources.configuration.fidelity import RubricWeights
from resources.configuration.settings import Setting
from resources.judges.contract import Call, JudgedObject
from resources.judges.local import LocalJudge
from resources.photos.images import load_image
from resources.runtime.file_hash import sha256_of_file

SIDE_PX = 512
ROUNDS = 3
SETTING = Setting(0.2, 1.0)


def images_a_second(paths: list[Path]) -> float:
    """Decode and describe every image, best of some rounds."""
    best = 0.0
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for path in paths:
            patches(load_image(path, SIDE_PX))
        best = max(best, len(paths) / (time.perf_counter() - start))
    return best


def calls_of(samples: FidelitySamples) -> list[Call]:
    """One call for every candidate."""
    calls: list[Call] = []
    for candidate in sorted(samples.candidates.rglob("*.webp")):
        item = candidate.parent.name
        photos = sorted((samples.references / item).iterdir())
        judged = JudgedObject(
            object=candidate.stem,
            item_id=item,
            candidate_path=str(candidate),
            candidate_sha256=sha256_of_file(candidate),
            reference_paths=tuple(str(photo) for photo in photos),
            reference_sha256=tuple(sha256_of_file(photo) for photo in photos),
        )
        calls.append(Call(judged, SETTING, 1, 1, "", "", "", "", len(calls)))
    return calls


def milliseconds_a_call(judge: LocalJudge, calls: list[Call]) -> float:
    """Mean over the calls, one after another."""
    start = time.perf_counter()
    for call in calls:
        judge.reply(call)
    return 1000 * (time.perf_counter() - start) / len(calls)


def main() -> None:
    """Print the rates."""
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as folder:
        samples = write_fidelity_samples(Path(folder) / "fidelity")
        pictures = sorted(samples.candidates.rglob("*.webp"))
        rate = images_a_second(pictures)
        print(
            f"decode and descriptors: {rate:.1f} images a second on one core at {SIDE_PX} px ({len(pictures)} images)"
        )
        calls = calls_of(samples)
        judge = LocalJudge(Configuration(image_side_px=SIDE_PX), RubricWeights())
        # Two candidates an item: the first call of an item reads its photos, the second finds them kept.
        new_item = milliseconds_a_call(judge, calls[::2])
        photos_kept = milliseconds_a_call(judge, calls[1::2])
        all_kept = milliseconds_a_call(judge, calls)
        print(f"a call on a new item (3 photos and a candidate): {new_item:.1f} ms")
        print(
            f"a call with the photos' descriptors kept: {photos_kept:.1f} ms, {new_item / photos_kept:.1f} times faster"
        )
        print(f"a repeat, everything kept: {all_kept:.2f} ms, {new_item / all_kept:.0f} times faster")


if __name__ == "__main__":
    main()
