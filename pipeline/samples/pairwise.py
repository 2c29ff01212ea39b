"""Sample inputs of the pairwise study: series of real photographs with known faults, and votes drawn from them."""

from dataclasses import dataclass
from pathlib import Path

from pipeline.samples.shipped import unpack

SAMPLES_VERSION = "3"
PAIRS, PHOTOS, TRUTH = "pairs.csv", "photos", "truth.csv"


@dataclass(frozen=True)
class PairwiseSamples:
    """Paths of the sample inputs; ``truth`` is the answer key and no input of the study."""

    pairs: Path
    photos: Path
    truth: Path


def write_pairwise_samples(folder: Path) -> PairwiseSamples:
    """The sample inputs in a folder, written now or found complete from before."""
    folder = unpack("pairwise", folder, SAMPLES_VERSION)
    return PairwiseSamples(folder / PAIRS, folder / PHOTOS, folder / TRUTH)
