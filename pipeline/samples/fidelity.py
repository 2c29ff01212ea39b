"""Sample inputs of the fidelity study: products photographed, reconstructed with known faults, and made-up scores."""

from dataclasses import dataclass
from pathlib import Path

from pipeline.samples.shipped import unpack

SAMPLES_VERSION = "2"


@dataclass(frozen=True)
class FidelitySamples:
    """Paths of the sample inputs; ``truth`` is the answer key and no input of the study."""

    human_scores: Path
    catalogue: Path
    references: Path
    candidates: Path
    truth: Path


def write_fidelity_samples(folder: Path) -> FidelitySamples:
    """The sample inputs in a folder, written now or found complete from before."""
    folder = unpack("fidelity", folder, SAMPLES_VERSION)
    return FidelitySamples(
        human_scores=folder / "subjective.csv",
        catalogue=folder / "database.csv",
        references=folder / "references",
        candidates=folder / "candidates",
        truth=folder / "truth.csv",
    )
