"""Score samples of known rank correlation: pictures of 25 references in five kinds of distortion and four levels."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

# Spearman's correlation of score and opinion, in the population that the samples are drawn from.
SRCC_BY_DISTORTION = {
    "gaussian_blur": 0.95,
    "white_noise": 0.92,
    "jpeg": 0.88,
    "contrast": 0.80,
    "color_saturation": 0.70,
}
# Opinions and scores spread alike in every kind of distortion, so the whole has the mean of the parts.
SRCC = sum(SRCC_BY_DISTORTION.values()) / len(SRCC_BY_DISTORTION)
SHARPNESS_SRCC = 0.60
N_REFERENCES, N_LEVELS, N_VOTES = 25, 4, 24
REFERENCE_SHARE = 0.15  # of the variance, common to all pictures of a reference
N_MISSING, N_AS_TEXT = 2, 3
VOTE_SD = 0.9

Floats = NDArray[np.float64]


def score_records(seed: int) -> Iterator[dict[str, Any]]:
    """One record per distorted picture, 500 in all.

    Opinions (`metadata.mos`, 1-5) and scores (`result.final_score`, 0-1) bend a normal variable each, so that ranks
    correlate as planted and the scatter is curved. Some predictions are missing or written as text.
    """
    rng = np.random.default_rng(seed)
    n_types = len(SRCC_BY_DISTORTION)
    shape = (n_types, N_REFERENCES, N_LEVELS)
    # The first level is the mildest: the opinions of one reference and kind fall from level to level.
    opinion = -np.sort(-_shared(rng, shape), axis=2)
    rho = np.array([_pearson(srcc) for srcc in SRCC_BY_DISTORTION.values()])[:, None, None]
    score = rho * opinion + np.sqrt(1 - rho**2) * _shared(rng, shape)
    plain = _pearson(SHARPNESS_SRCC)
    sharpness = plain * opinion + math.sqrt(1 - plain**2) * _shared(rng, shape)
    mos = 1 + 4 * ndtr(opinion)
    final = 1 / (1 + np.exp(-1.6 * score - 0.4))
    spread = VOTE_SD * rng.uniform(0.8, 1.2, shape) * np.sqrt(4 * ndtr(opinion) * ndtr(-opinion) + 0.1)
    unusual = rng.permutation(mos.size)[: N_MISSING + N_AS_TEXT].tolist()
    missing, as_text = set(unusual[:N_MISSING]), set(unusual[N_MISSING:])
    for number, (kind, reference, level) in enumerate(np.ndindex(shape)):
        place = (kind, reference, level)
        value = round(float(final[place]), 6)
        # TID2013 spells one reference in two ways; grouping by it has to ignore the letter case.
        letter = "I" if level == 0 else "i"
        yield {
            "sample_id": f"i{reference + 1:02d}_{kind + 1:02d}_{level + 1}",
            "result": {
                "final_score": None if number in missing else f"{value} " if number in as_text else value,
                "sharpness_score": round(float(sharpness[place]), 6),
            },
            "reference_mode": ("FR", "NR")[(reference + level) % 2],
            "distortion_type": list(SRCC_BY_DISTORTION)[kind],
            "metadata": {
                "mos": round(float(mos[place]), 6),
                "mos_sd": round(float(spread[place]), 6),
                "n_votes": N_VOTES,
                "level": level + 1,
                "reference": f"{letter}{reference + 1:02d}.bmp",
            },
        }


def _pearson(srcc: float) -> float:
    """Pearson's correlation of the two normal variables whose ranks correlate so (Pearson 1907)."""
    return 2 * math.sin(math.pi / 6 * srcc)


def _shared(rng: np.random.Generator, shape: tuple[int, int, int]) -> Floats:
    """Standard normal values that agree a little within a reference, the second axis."""
    common = rng.standard_normal((1, shape[1], 1))
    return math.sqrt(REFERENCE_SHARE) * common + math.sqrt(1 - REFERENCE_SHARE) * rng.standard_normal(shape)
