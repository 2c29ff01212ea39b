"""The sample materials: a seamless coloured texture, its relief and its finish, procedural or from photographs."""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from resources.errors import UserError
from tools.samples.patterns import NOTHING, PROCEDURAL, TILE_PX, Floats, Pattern, stretched


@dataclass(frozen=True)
class Material:
    """What a surface looks like, whatever its shape."""

    albedo: Floats  # (TILE_PX, TILE_PX, 3), sRGB 0-1
    height: Floats  # (TILE_PX, TILE_PX), 0-1
    tile: float  # side of a tile, object units
    relief: float  # slope at full height difference between neighbours, unitless
    roughness: float  # 0 mirror, 1 chalk
    reflectance: float  # share of light mirrored head-on, 0-1
    metal: float  # 1: the mirror image takes the surface's colour


@dataclass(frozen=True)
class Kind:
    """One family of materials: the label names a variant, the ranges bound its finish."""

    label: str
    tile: float
    relief: float
    roughness: tuple[float, float]
    reflectance: float = 0.04
    metal: float = 0.0
    photograph: str | None = None


# Photographs that scikit-image carries in its wheel, by file name.
KINDS: dict[str, Kind] = {
    "brushed": Kind("Brushed metal", 1.0, 0.25, (0.22, 0.4), 0.6, 1.0),
    "check": Kind("Gingham check", 0.9, 0.3, (0.75, 0.95)),
    "dots": Kind("Dotted print", 0.95, 0.3, (0.6, 0.9)),
    "herringbone": Kind("Herringbone parquet", 0.95, 0.35, (0.25, 0.5)),
    "knit": Kind("Chunky knit", 0.85, 1.5, (0.85, 1.0)),
    "leather": Kind("Grained leather", 0.8, 0.9, (0.3, 0.5), 0.06),
    "marble": Kind("Polished marble", 1.2, 0.0, (0.05, 0.2), 0.06),
    "stripes": Kind("Striped canvas", 0.95, 0.3, (0.75, 0.95)),
    "terrazzo": Kind("Terrazzo", 0.9, 0.0, (0.1, 0.35), 0.05),
    "weave": Kind("Basket weave", 0.85, 1.2, (0.5, 0.9)),
    "wood": Kind("Oiled wood", 1.1, 0.3, (0.25, 0.55)),
    "brick": Kind("Brick relief", 1.5, 1.0, (0.6, 0.9), photograph="brick.png"),
    "grass": Kind("Meadow plush", 1.1, 0.9, (0.85, 1.0), photograph="grass.png"),
    "gravel": Kind("Pebble stone", 1.2, 0.9, (0.3, 0.7), photograph="gravel.png"),
    "coffee": Kind("Photo print", 1.5, 0.0, (0.4, 0.8), photograph="coffee.png"),
    "tissue": Kind("Painted batik", 1.2, 0.15, (0.5, 0.9), photograph="ihc.png"),
    "fur": Kind("Tabby fur", 0.9, 0.8, (0.7, 0.95), photograph="chelsea.png"),
}
OWN_COLOURS = ("coffee", "fur", "tissue")  # the other photographs lend only their pattern
# Rows and columns of the part that is used, where the whole is not one surface.
CROPS = {"coffee.png": np.s_[40:360, 140:460], "chelsea.png": np.s_[0:88, 150:260]}
SOFT = ("check", "dots", "knit", "leather", "stripes", "weave", "grass", "fur", "tissue", "coffee")
HARD = ("brushed", "herringbone", "marble", "terrazzo", "wood", "brick", "gravel", "tissue", "weave")


def photograph(name: str) -> NDArray[np.uint8]:
    """A photograph from scikit-image's wheel, red, green, blue, cropped to one surface.

    Raises:
        UserError: This build of scikit-image ships without it.
    """
    import skimage

    path = Path(skimage.__file__).parent / "data" / name
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image is None:
        raise UserError(f"{path}: no such photograph in scikit-image. Install the wheel that the lock names.")
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2RGB), dtype=np.uint8)[CROPS.get(name, np.s_[:, :])]


def _seamless(image: NDArray[np.uint8]) -> Floats:
    """Mirrored in both directions, so that the tile repeats without an edge, 0-1."""
    half = cv2.resize(image, (TILE_PX // 2, TILE_PX // 2), interpolation=cv2.INTER_AREA)
    double = np.concatenate([half, half[:, ::-1]], axis=1)
    whole = np.concatenate([double, double[::-1]])
    return np.asarray(whole / np.float32(255), dtype=np.float32)


def _even(grey: Floats) -> Floats:
    """Without the slow change of light across a photograph."""
    tiled = cv2.copyMakeBorder(grey, 128, 128, 128, 128, cv2.BORDER_WRAP)
    return stretched(grey - cv2.GaussianBlur(tiled, (0, 0), 40)[128:-128, 128:-128])


def pattern_of(kind: str, rng: np.random.Generator) -> Pattern:
    """The pattern of one family, without its colours."""
    if (name := KINDS[kind].photograph) is None:
        return PROCEDURAL[kind](rng)
    grey = np.asarray(cv2.cvtColor(_seamless(photograph(name)), cv2.COLOR_RGB2GRAY), dtype=np.float32)
    even = _even(grey)
    return Pattern(even, NOTHING, even)


def _colours(kind: str, rng: np.random.Generator) -> Floats:
    """Three CIELAB colours: ground, second, accent; natural ranges for stone, wood and metal."""
    hue = rng.uniform(0, 2 * np.pi)
    chroma, light, apart = rng.uniform(18, 48), rng.uniform(38, 66), rng.uniform(22, 40)
    if kind in ("wood", "herringbone", "fur"):
        hue, chroma, apart = rng.uniform(0.9, 1.25), rng.uniform(18, 38), rng.uniform(16, 30)
    elif kind in ("marble", "terrazzo"):
        chroma, light = rng.uniform(2, 22), rng.uniform(55, 88)
    elif kind == "brushed":
        hue, chroma, light, apart = rng.uniform(0.8, 1.4), rng.uniform(2, 35), rng.uniform(58, 75), rng.uniform(10, 18)
    second = -apart if light > 50 else apart
    turn = rng.uniform(-0.7, 0.7)
    return np.array(
        [
            [light, chroma * np.cos(hue), chroma * np.sin(hue)],
            [light + second, chroma * 0.8 * np.cos(hue + turn), chroma * 0.8 * np.sin(hue + turn)],
            [light - second * 0.6, 30 * np.cos(hue + 2.5), 30 * np.sin(hue + 2.5)],
        ],
        np.float32,
    )


def to_lab(rgb: Floats) -> Floats:
    """SRGB 0-1 to CIELAB (L 0-100)."""
    return np.asarray(cv2.cvtColor(np.ascontiguousarray(rgb), cv2.COLOR_RGB2LAB), dtype=np.float32)


def to_rgb(lab: Floats) -> Floats:
    """CIELAB to sRGB, clipped to 0-1."""
    return np.clip(cv2.cvtColor(np.ascontiguousarray(lab, dtype=np.float32), cv2.COLOR_LAB2RGB), 0, 1)


def coloured(pattern: Pattern, colours: Floats) -> Floats:
    """A pattern in three CIELAB colours, as sRGB 0-1."""
    mix, accent = pattern.mix[..., None], pattern.accent[..., None]
    lab = colours[0] * (1 - mix) + colours[1] * mix
    return to_rgb(lab * (1 - accent) + colours[2] * accent)


def material(kind: str, rng: np.random.Generator) -> Material:
    """One material of a family, with colours and finish drawn at random."""
    family = KINDS[kind]
    pattern = pattern_of(kind, rng)
    colours = _colours(kind, rng)
    albedo = coloured(pattern, colours)
    if family.photograph is not None and kind in OWN_COLOURS:
        albedo = _seamless(photograph(family.photograph))
    return Material(
        albedo=albedo,
        height=pattern.height,
        tile=family.tile * rng.uniform(0.85, 1.15),
        relief=family.relief,
        roughness=rng.uniform(*family.roughness),
        reflectance=family.reflectance,
        metal=family.metal,
    )
