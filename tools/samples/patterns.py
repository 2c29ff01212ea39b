"""Surface patterns of the sample materials: how strongly each place takes the second colour, and how high it lies."""

from collections.abc import Callable
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
TILE_PX = 512


class Pattern(NamedTuple):
    """A tile that repeats without a seam: all of shape ``(TILE_PX, TILE_PX)``, 0-1."""

    mix: Floats  # 0 takes the first colour, 1 the second
    accent: Floats  # how much of the third colour lies on top
    height: Floats


Draw = Callable[[np.random.Generator], Pattern]
ROWS, COLUMNS = (np.indices((TILE_PX, TILE_PX), dtype=np.float32) / TILE_PX).astype(np.float32)
NOTHING = np.zeros((TILE_PX, TILE_PX), np.float32)


def stretched(values: Floats) -> Floats:
    """Brought to 0-1 by the 1st and 99th percentile."""
    low, high = np.percentile(values, [1, 99])
    return np.clip((values - low) / max(high - low, 1e-6), 0, 1).astype(np.float32)


def noise(rng: np.random.Generator, cycles: float, stretch: float = 1.0, width: float = 0.6) -> Floats:
    """Seamless noise around ``cycles`` per tile, drawn out along the rows by ``stretch``, 0-1."""
    down = np.fft.fftfreq(TILE_PX)[:, None] * TILE_PX
    across = np.fft.rfftfreq(TILE_PX)[None, :] * TILE_PX * stretch
    radius = np.maximum(np.hypot(down, across), 1e-3)
    weight = np.exp(-((np.log(radius / cycles) / width) ** 2) / 2)
    weight[0, 0] = 0
    spectrum = np.fft.rfft2(rng.standard_normal((TILE_PX, TILE_PX))) * weight
    return stretched(np.fft.irfft2(spectrum, s=(TILE_PX, TILE_PX)).astype(np.float32))


def _wave(turns: Floats) -> Floats:
    return (0.5 - 0.5 * np.cos(2 * np.pi * turns)).astype(np.float32)


def wood(rng: np.random.Generator) -> Pattern:
    """Long grain with darker rings and fine pores."""
    rings = _wave(rng.integers(7, 11) * ROWS + 2.2 * noise(rng, 2.0, stretch=3))
    pores = noise(rng, 70, stretch=14)
    mix = np.clip(0.65 * rings**2 + 0.4 * pores, 0, 1)
    return Pattern(mix, NOTHING, 0.6 * pores + 0.2 * rings)


def weave(rng: np.random.Generator) -> Pattern:
    """A basket of flat threads, over and under."""
    threads = int(rng.integers(9, 15))
    over = ((np.floor(ROWS * threads * 2) + np.floor(COLUMNS * threads * 2)) % 2).astype(np.float32)
    across, down = np.abs(np.sin(2 * np.pi * threads * ROWS)), np.abs(np.sin(2 * np.pi * threads * COLUMNS))
    height = over * across + (1 - over) * down
    fibre = noise(rng, 60)
    return Pattern(np.clip(0.75 * over + 0.25 * fibre, 0, 1), (1 - height) ** 3 * 0.55, height)


def marble(rng: np.random.Generator) -> Pattern:
    """Sharp veins that wander through a clouded ground."""
    bend = noise(rng, 2.5, width=0.9) + 0.35 * noise(rng, 9)
    veins = (1 - np.abs(np.sin(np.pi * (2 * ROWS + COLUMNS + 1.6 * bend)))) ** 5
    thin = (1 - np.abs(np.sin(np.pi * (3 * COLUMNS - ROWS + 2.2 * noise(rng, 4, width=0.9))))) ** 9
    return Pattern(np.clip(0.9 * veins + 0.2 * bend, 0, 1), np.clip(thin, 0, 1) * 0.7, NOTHING)


def check(rng: np.random.Generator) -> Pattern:
    """Gingham: crossing bands on a fine cloth."""
    bands = int(rng.integers(4, 7))
    across = (np.sin(2 * np.pi * bands * ROWS) > 0).astype(np.float32)
    down = (np.sin(2 * np.pi * bands * COLUMNS) > 0).astype(np.float32)
    cloth = _wave(96 * ROWS) * _wave(96 * COLUMNS)
    return Pattern(np.clip(0.5 * (across + down) * 0.92 + 0.08 * cloth, 0, 1), NOTHING, 0.5 * cloth)


def stripes(rng: np.random.Generator) -> Pattern:
    """Broad and narrow stripes on a fine cloth."""
    bands = int(rng.integers(4, 8))
    broad = (np.sin(2 * np.pi * bands * COLUMNS) > 0.1).astype(np.float32)
    narrow = (np.sin(2 * np.pi * bands * COLUMNS + 2.4) > 0.93).astype(np.float32)
    cloth = _wave(96 * ROWS) * _wave(96 * COLUMNS)
    return Pattern(np.clip(0.9 * broad + 0.1 * cloth, 0, 1), narrow, 0.5 * cloth)


def leather(rng: np.random.Generator) -> Pattern:
    """A grained hide: small raised cells between creases."""
    creases = np.abs(noise(rng, 26, width=0.28) - 0.5) * 2
    clouds = noise(rng, 3, width=0.8)
    grain = np.clip(creases * 1.6, 0, 1)
    return Pattern(np.clip(0.35 * clouds + 0.6 * (1 - grain), 0, 1), NOTHING, grain)


def knit(rng: np.random.Generator) -> Pattern:
    """Rows of V-shaped stitches."""
    stitches = int(rng.integers(10, 15))
    slant = np.abs((COLUMNS * stitches) % 1 - 0.5)
    loops = _wave(ROWS * stitches * 1.0 + slant * 1.2)
    groove = np.clip(np.abs((COLUMNS * stitches) % 1 - 0.5) * 5, 0, 1) * np.clip((0.5 - slant) * 8, 0, 1)
    height = loops * (0.4 + 0.6 * groove)
    return Pattern(np.clip(0.3 * noise(rng, 50) + 0.75 * (1 - height), 0, 1), NOTHING, height)


def herringbone(rng: np.random.Generator) -> Pattern:
    """Parquet-like zigzag of two tones."""
    columns = int(rng.integers(3, 5)) * 2
    fold = np.abs((COLUMNS * columns / 2) % 1 - 0.5) * 2
    sticks = (ROWS * columns * 2 + fold * 2) % 1
    tone = (np.floor(ROWS * columns * 2 + fold * 2) * 0.37 + np.floor(COLUMNS * columns) * 0.21) % 1
    joint = (sticks < 0.07).astype(np.float32)
    grain = noise(rng, 50, stretch=6)
    return Pattern(np.clip(0.75 * tone + 0.25 * grain, 0, 1).astype(np.float32), joint * 0.8, 1 - joint)


def terrazzo(rng: np.random.Generator) -> Pattern:
    """Broken chips of two colours in a smooth ground."""
    mix, accent = NOTHING.copy(), NOTHING.copy()
    for _ in range(int(rng.integers(130, 190))):
        centre, size = rng.uniform(0, TILE_PX, 2), rng.uniform(8, 27)
        angles = np.sort(rng.uniform(0, 2 * np.pi, 6))
        reach = size * rng.uniform(0.6, 1, 6)
        chip = np.stack([np.cos(angles) * reach, np.sin(angles) * reach], axis=1) + centre
        layer, shade = (mix, rng.uniform(0.6, 1)) if rng.uniform() < 0.6 else (accent, rng.uniform(0.7, 1))
        for shift_x in (-TILE_PX, 0, TILE_PX):
            for shift_y in (-TILE_PX, 0, TILE_PX):
                corners = np.rint(chip + (shift_x, shift_y)).astype(np.int32)
                cv2.fillConvexPoly(layer, corners, float(shade), lineType=cv2.LINE_8)
    return Pattern(mix, accent, NOTHING)


def brushed(rng: np.random.Generator) -> Pattern:
    """Metal drawn over with a wire brush."""
    lines = noise(rng, 90, stretch=30)
    return Pattern(np.clip(0.6 * lines + 0.3 * noise(rng, 3), 0, 1), NOTHING, 0.7 * lines)


def dots(rng: np.random.Generator) -> Pattern:
    """A print of staggered spots on cloth."""
    rows = int(rng.integers(4, 7))
    far = np.cos(2 * np.pi * rows * ROWS) + np.cos(2 * np.pi * rows * COLUMNS)
    between = -far
    cloth = _wave(96 * ROWS) * _wave(96 * COLUMNS)
    return Pattern(
        np.clip((far - 1.0) * 8, 0, 1) * 0.95 + 0.05 * cloth, np.clip((between - 1.35) * 8, 0, 1), 0.5 * cloth
    )


PROCEDURAL: dict[str, Draw] = {
    "brushed": brushed,
    "check": check,
    "dots": dots,
    "herringbone": herringbone,
    "knit": knit,
    "leather": leather,
    "marble": marble,
    "stripes": stripes,
    "terrazzo": terrazzo,
    "weave": weave,
    "wood": wood,
}
