"""The methods by CLIP: how much nearer an image lies to a good photograph in words than to a bad one."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from resources.photos.methods.features import Features, Floats

ROWS_AT_ONCE = 4096


@dataclass(frozen=True)
class ClipContrast:
    """``cos(image, positive) - cos(image, negative)``."""

    name: str
    positive: str
    negative: str
    needs: tuple[str, ...] = ("clip",)

    def score(self, features: Features) -> Floats:
        """Unitless, -2 to 2."""
        images = features.vectors("clip")
        if not images.shape[1]:
            return np.full(len(images), np.nan)
        good, bad = _unit(features.text_vectors((self.positive, self.negative)))
        # Few rows at once: all of them in 64 bits would fill memory.
        parts = range(0, len(images), ROWS_AT_ONCE)
        return np.concatenate([_unit(images[start : start + ROWS_AT_ONCE]) @ (good - bad) for start in parts])


def _unit(vectors: ArrayLike) -> Floats:
    """Rows of length 1; a row without length has no direction and becomes NaN."""
    rows = np.asarray(vectors, dtype=np.float64)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length > 0.0, length, np.nan)
