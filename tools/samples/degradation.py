"""Known unfaithfulness: a material altered in colour, finish, texture and scale, each by a severity from 0 to 1."""

from dataclasses import dataclass, replace

import cv2
import numpy as np

from tools.samples.materials import KINDS, Material, pattern_of, to_lab, to_rgb
from tools.samples.patterns import TILE_PX, Floats

# Shares of the rubric's four sub-scores in a grade: colour, finish, texture, scale.
WEIGHTS = np.array([0.40, 0.25, 0.15, 0.20])
COLOUR_SHIFT = 36.0  # CIELAB units at severity 1
SCALE_RATIO = 2.6  # size of the pattern at severity 1, or its inverse


@dataclass(frozen=True)
class Alteration:
    """Severities (0 untouched, 1 worst) and the directions in which each aspect goes wrong."""

    colour: float
    finish: float
    texture: float
    scale: float
    lab_direction: tuple[float, float, float]  # unit length
    coarser: bool
    other_kind: str
    seed: int

    @property
    def grade(self) -> float:
        """True faithfulness, 0-1: one minus the severities weighted as the rubric weighs them."""
        return float(1 - WEIGHTS @ [self.colour, self.finish, self.texture, self.scale])


def alteration(grade: float, kind: str, rng: np.random.Generator) -> Alteration:
    """An alteration of about this grade, its unfaithfulness spread over the four aspects at random.

    Args:
        grade: Wanted faithfulness, 0-1; a severity that would pass 1 stops there and lifts the true grade.
        kind: The material's family; the foreign texture comes from another one.
        rng: Source of the spread and the directions.
    """
    uneven = rng.uniform(0.6, 1.4, 4)
    severities = np.clip((1 - grade) * uneven / (WEIGHTS @ uneven), 0, 1)
    hue, light = rng.uniform(0, 2 * np.pi), rng.uniform(-0.55, 0.55)
    flat = np.sqrt(1 - light**2)
    others = [other for other, family in KINDS.items() if other != kind and family.photograph is None]
    colour, finish, texture, scale = (float(severity) for severity in severities)
    return Alteration(
        colour=colour,
        finish=finish,
        texture=texture,
        scale=scale,
        lab_direction=(float(light), float(flat * np.cos(hue)), float(flat * np.sin(hue))),
        coarser=bool(rng.uniform() < 0.5),
        other_kind=str(rng.choice(others)),
        seed=int(rng.integers(2**31)),
    )


def _mean_and_spread(image: Floats) -> tuple[Floats, Floats]:
    mean, spread = cv2.meanStdDev(image)
    return mean.ravel().astype(np.float32), spread.ravel().astype(np.float32)


def _foreign(lab: Floats, pattern_mix: Floats, share: float) -> Floats:
    """The texture blended with another pattern of the same mean and spread in every channel."""
    mean, spread = _mean_and_spread(lab)
    unit = (pattern_mix - pattern_mix.mean()) / max(float(pattern_mix.std()), 1e-6)
    # Colour follows lightness in the foreign pattern as it does in the original one.
    thinned = lab.reshape(-1, 3)[::97]
    sign = np.array([np.corrcoef(thinned[:, 0], thinned[:, channel])[0, 1] for channel in range(3)])
    foreign = mean + spread * np.sign(np.nan_to_num(sign, nan=1.0)).astype(np.float32) * unit[..., None]
    blended = (1 - share) * lab + share * foreign
    middle, tighter = _mean_and_spread(blended)
    return np.asarray(mean + (blended - middle) * (spread / np.maximum(tighter, 1e-6)), dtype=np.float32)


def altered(original: Material, change: Alteration) -> Material:
    """The material as an unfaithful reconstruction shows it."""
    lab = to_lab(original.albedo)
    height = original.height
    if change.texture > 0:
        other = pattern_of(change.other_kind, np.random.default_rng(change.seed))
        # Brought near the original's grain, so that texture and scale stay two faults.
        mix = other.mix
        if original.tile > 1.3 * KINDS[change.other_kind].tile:
            mix = np.tile(cv2.resize(mix, (TILE_PX // 2, TILE_PX // 2), interpolation=cv2.INTER_AREA), (2, 2))
        lab = _foreign(lab, mix, change.texture)
        height = (1 - change.texture) * height + change.texture * other.height
    lab = lab + np.float32(COLOUR_SHIFT * change.colour) * np.array(change.lab_direction, np.float32)
    lab[..., 0] = np.clip(lab[..., 0], 4, 97)
    rough = original.roughness
    target = 1.0 if rough < 0.5 else 0.12
    factor = SCALE_RATIO ** (change.scale if change.coarser else -change.scale)
    return replace(
        original,
        albedo=to_rgb(lab),
        height=height.astype(np.float32),
        tile=original.tile * factor,
        relief=original.relief * (1 - 0.8 * change.finish),
        roughness=rough + change.finish * (target - rough),
        metal=original.metal * (1 - change.finish),
        reflectance=original.reflectance + change.finish * (0.05 - original.reflectance),
    )
