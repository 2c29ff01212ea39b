"""Measures of a few images, as `image_features` gives them, and pairs of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.images.photo_rules import STEPS
from resources.photos.methods.features import Features, Pairs

# What CLIP would say of sentences: the first points along x, the second along y.
TEXTS = np.array([[2.0, 0.0], [0.0, 3.0]])


def vectors_of(sentences: Sequence[str]) -> NDArray[np.float64]:
    return TEXTS[: len(sentences)]


def features_of(n: int, **columns: Any) -> Features:
    """Images a0, a1, ...; each is decoded in 10 ms, and a stage takes 1 ms; of the rules, each step 0.125."""
    names = [f"a{number}" for number in range(n)]
    times: dict[str, Any] = {"decode_ms": 10.0, "rules_ms": 1.0, "clip_ms": 1.0, "vit_ms": 1.0, "efficientnet_ms": 1.0}
    times |= {f"{step}_ms": 0.125 for step in STEPS}
    frame = pd.DataFrame(times | columns, index=pd.Index(names, name="image"))
    return Features(frame, [f"{name}.jpg" for name in names], vectors_of)


def side_by_side(n_pairs: int, winner: Sequence[int] | None = None) -> Pairs:
    """Images 0 and 1, 2 and 3, and so on."""
    first = np.arange(0, 2 * n_pairs, 2)
    return Pairs(first, first + 1, np.array([1] * n_pairs if winner is None else winner))
