"""How much of an object one look sees: random patches, fewer the higher the temperature.

The decay was chosen on the same samples as the constants of `comparison`, none of them the demonstration's.
"""

import numpy as np
from numpy.typing import NDArray

from analysis.images.appearance.descriptors import Patches

DECAY = 5.0  # share in view = exp(-DECAY * temperature): 37 % at 0.2, 8 % at 0.5, a patch or two at 0.8


def share_in_view(temperature: float) -> float:
    """The share of the object's pixels that one look sees: 1 at temperature 0, falling exponentially."""
    return float(np.exp(-DECAY * temperature))


def patches_in_view(seen: Patches, temperature: float, top_p: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """The patches that one look sees, by index.

    Args:
        seen: The object's patches.
        temperature: At 0 every patch that `top_p` leaves is in view and ``rng`` is not used.
        top_p: The most textured patches are kept until they hold this share of the object, (0, 1].
        rng: Draws the patches.

    Returns:
        Ascending indices, at least one.

    Raises:
        ValueError: Temperature below 0, or top_p outside (0, 1].
    """
    if temperature < 0 or not 0 < top_p <= 1:
        raise ValueError(f"temperature {temperature} must be at least 0 and top_p {top_p} in (0, 1]")
    kept = np.argsort(-seen.texture, kind="stable")
    kept = _until(kept, seen.pixels, top_p)
    if temperature > 0:
        kept = _until(rng.permutation(kept), seen.pixels, share_in_view(temperature))
    return np.sort(kept)


def _until(order: NDArray[np.int64], pixels: NDArray[np.int64], share: float) -> NDArray[np.int64]:
    """The first patches of an order that together hold a share of its pixels."""
    held = np.cumsum(pixels[order])
    return order[: int(np.searchsorted(held, share * held[-1])) + 1]
