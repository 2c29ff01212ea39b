"""How far a candidate's appearance lies from a set of photos, and what the four sub-scores make of it.

A distance counts only beyond the one that the photos show among themselves: light and viewpoint are no fault.
The constants turn distances into severities (0 faithful, 1 worst). They were fitted by bounded least squares on the
fidelity samples of seeds 7, 11, 13 and 17 (192 objects with known faults) and are fixed, as is `DECAY`; the
demonstration's samples (seed 20260101) took no part.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.images.appearance.descriptors import WIDTHS, Descriptor, Patches

DECAY = 5.0  # share in view = exp(-DECAY * temperature): 37 % at 0.2, 8 % at 0.5, a patch or two at 0.8
Shares = NDArray[np.float64]
LIGHTNESS_WEIGHT = 0.5  # of squared lightness in a colour difference: light changes between photos, hue hardly
COLOUR_AXES = ("red_green", "yellow_blue", "diagonal_up", "diagonal_down")
LEVELS = np.linspace(0.02, 0.98, 25)
HIGHLIGHT_LEVELS = (0.95, 0.99)
# Distances of single photos from their set's mean, medians of the tuning samples: what one photo is given, and the
# least that several have. Highlights and bands have none: their constants were fitted without.
USUAL_FLOORS = {
    "palette": 1.5,
    "highlights": 0.0,
    "light_spread": 1.1,
    "lbp_1": 0.023,
    "lbp_2": 0.024,
    "lbp_4": 0.025,
    "coherence": 0.023,
    "bands": 0.0,
}
# Severity = sum of constant * sqrt(distance), plus `linear` * distance for colour; at most 1.
SEVERITIES: dict[str, dict[str, float]] = {
    "color_palette": {"palette": 0.093, "linear": 0.027},
    "material_finish": {"highlights": 0.026, "light_spread": 0.087, "lbp_1": 0.916},
    "texture_identity": {"lbp": 1.304, "coherence": 0.298},
    "texture_scale_placement": {"bands": 0.153, "lbp_1": 0.553, "lbp_4": 0.592},
}


@dataclass(frozen=True)
class Photos:
    """A set of photos seen jointly: their mean descriptor and how far each lies from it."""

    mean: Descriptor
    light_levels: Shares  # (levels,), quantiles of whiteness above the median
    highlight_levels: Shares
    log_energies: Shares  # (bands,), octaves of squared CIELAB units
    floors: Mapping[str, float]


@dataclass(frozen=True)
class Comparison:
    """Sub-scores 0-100 by rubric name, and the distances behind them."""

    subscores: Mapping[str, float]
    distances: Mapping[str, float]  # beyond the floors; palette in CIELAB units, bands in octaves, others unitless
    floors: Mapping[str, float]


def transport(one: Shares, other: Shares, width: float = 1.0) -> float:
    """Earth mover's distance between two histograms of the same bins, in the unit of ``width``.

    Source:
        Rubner, Tomasi, Guibas (2000), IJCV 40:99-121; in one dimension the area between cumulative shares.
    """
    return float(np.abs(np.cumsum(one - other)).sum() * width)


def palette_distance(one: Descriptor, other: Descriptor) -> float:
    """How far the colours have to move, CIELAB units: earth mover's distance sliced along lightness and four hues.

    A shift of all colours by d in the a-b plane reads as d; by d in lightness as d times sqrt(0.5).
    """
    slices = [transport(one.block(axis), other.block(axis), WIDTHS[axis]) for axis in COLOUR_AXES]
    # A shift projected on evenly spread directions has the mean length 2 / pi.
    plane = np.pi / 2 * float(np.mean(slices))
    light = transport(one.block("lightness"), other.block("lightness"), WIDTHS["lightness"])
    return float(np.sqrt(plane**2 + LIGHTNESS_WEIGHT * light**2))


def _levels(seen: Descriptor, levels: Sequence[float] | Shares) -> Shares:
    """Quantiles of whiteness without texture, above the median: brightness itself is the palette's business."""
    shares = np.concatenate([[0.0], np.cumsum(seen.block("base_whiteness"))])
    edges = WIDTHS["base_whiteness"] * np.arange(len(shares))
    return np.asarray(np.interp(levels, shares, edges) - np.interp(0.5, shares, edges))


def photos_together(seen: Sequence[Descriptor]) -> Photos:
    """Several photos of one object as one set.

    Raises:
        ValueError: There is no photo.
    """
    if not seen:
        raise ValueError("at least one photo is needed")
    mean = Descriptor(
        np.mean([photo.shares for photo in seen], axis=0), np.mean([photo.energies for photo in seen], axis=0)
    )
    light = np.mean([_levels(photo, LEVELS) for photo in seen], axis=0)
    highlight = np.mean([_levels(photo, HIGHLIGHT_LEVELS) for photo in seen], axis=0)
    logs = np.mean([_octaves(photo) for photo in seen], axis=0)
    alone = Photos(mean, light, highlight, logs, dict.fromkeys(USUAL_FLOORS, 0.0))
    if len(seen) == 1:
        floors = dict(USUAL_FLOORS)
    else:
        apart = [distances(photo, alone) for photo in seen]
        # Never under the usual one: photos that happen to agree make no light and view of the candidate a fault.
        floors = {
            name: max(usual, float(np.mean([gap[name] for gap in apart]))) if usual else 0.0
            for name, usual in USUAL_FLOORS.items()
        }
    return Photos(mean, light, highlight, logs, floors)


def _octaves(seen: Descriptor) -> Shares:
    return np.log2(seen.energies + 1e-3)


def distances(candidate: Descriptor, photos: Photos) -> dict[str, float]:
    """Raw distances of a candidate from the photos' mean, floors not yet taken off."""
    gaps = {
        "palette": palette_distance(candidate, photos.mean),
        "highlights": float(np.abs(_levels(candidate, HIGHLIGHT_LEVELS) - photos.highlight_levels).mean()),
        "light_spread": float(np.abs(_levels(candidate, LEVELS) - photos.light_levels).mean()),
        "coherence": transport(candidate.block("coherence"), photos.mean.block("coherence"), WIDTHS["coherence"]),
        "bands": float(np.abs(_octaves(candidate) - photos.log_energies).mean()),
    }
    for name in ("lbp_1", "lbp_2", "lbp_4"):
        gaps[name] = float(np.abs(candidate.block(name) - photos.mean.block(name)).sum() / 2)
    return gaps


def compare(candidate: Descriptor, photos: Photos) -> Comparison:
    """Four sub-scores of a candidate against a set of photos, 0-100, 100 where nothing differs.

    Returns:
        Sub-scores unrounded. Geometry, silhouette and background have no part: every measure is taken on the
        object's surface and summed over it.
    """
    raw = distances(candidate, photos)
    beyond = {name: max(gap - photos.floors[name], 0.0) for name, gap in raw.items()}
    beyond["lbp"] = (beyond["lbp_1"] + beyond["lbp_2"] + beyond["lbp_4"]) / 3
    scores = {}
    for name, constants in SEVERITIES.items():
        severity = constants.get("linear", 0.0) * beyond["palette"]
        severity += sum(factor * np.sqrt(beyond[gap]) for gap, factor in constants.items() if gap in beyond)
        scores[name] = 100 * (1 - min(float(severity), 1.0))
    return Comparison(scores, beyond, photos.floors)


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
