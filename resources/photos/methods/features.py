"""What a method sees of images and of pairs: the columns of `image_features` as arrays, and people's choices."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.images.photo_rules import STEPS
from resources.errors import UserError, did_you_mean

Floats = NDArray[np.float64]
TextVectors = Callable[[Sequence[str]], Floats]

# What each stage of `image_features` measures.
MEASURES: Mapping[str, tuple[str, ...]] = {
    "rules": ("sharpness", "contrast", "exposure", "colorfulness"),
    "clip": ("clip",),
    "vit": ("vit",),
    "efficientnet": ("efficientnet",),
}
NUMBERS = MEASURES["rules"]
VECTORS = ("clip", "vit", "efficientnet")
DECODE, RULES = "decode", "rules"


class Pairs(NamedTuple):
    """Judged pairs, shape ``(n,)`` each: rows of both images in the features, and the winner by votes, 1 or 2."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    winner: NDArray[np.int64]


class Features:
    """Measures of unique images, one row per image, each stage measured once for all methods.

    What is not measured of an image is NaN; `reasons` says why.
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        paths: Sequence[str],
        text_vectors: TextVectors,
        vectors: Mapping[str, NDArray[np.float32]] | None = None,
    ) -> None:
        """Look at a table of measures.

        Args:
            frame: One row per image: its name as index, columns by name (see `MEASURES`), `undefined_<stage>` with the
                reason where a stage measured nothing, `<stage>_ms` and `decode_ms`, `sha256` of the file.
            paths: Address of each image.
            text_vectors: CLIP's vectors of sentences, shape ``(k, d)``.
            vectors: Networks' features by name, shape ``(m, d)`` each; those left out are columns of the frame, an
                array per image.
        """
        self._frame = frame
        self._paths = list(paths)
        self.text_vectors = text_vectors
        self._vectors = dict(vectors or {})

    def __len__(self) -> int:
        return len(self._frame)

    @cached_property
    def images(self) -> NDArray[np.str_]:
        """Names, shape ``(m,)``."""
        return np.asarray(self._frame.index, dtype=np.str_)

    @property
    def contents(self) -> NDArray[np.object_]:
        """What tells one picture from another, shape ``(m,)``: the content's hash, else the name."""
        names = np.asarray(self._frame.index, dtype=object)
        if "sha256" not in self._frame:
            return names
        hashes = self._frame["sha256"]
        return np.where(hashes.isna(), names, hashes).astype(object)

    @property
    def paths(self) -> list[str]:
        """Addresses, for a method that looks at the pictures itself (`photos.images.load_image` opens them)."""
        return self._paths

    def numbers(self, name: str) -> Floats:
        """One measure of every image: sharpness, contrast, exposure or colorfulness, in its own unit.

        Returns:
            Shape ``(m,)``; NaN where it is not defined.

        Raises:
            UserError: No such measure.
        """
        _refuse_unknown(name, NUMBERS)
        return np.asarray(self._column(name), dtype=np.float64)

    def vectors(self, name: str) -> NDArray[np.float32]:
        """One network's features of every image: clip, vit or efficientnet.

        Returns:
            Shape ``(m, d)``; a row of NaN where there are none; d is 0 where no image has any. In the 32 bits that
            networks compute in: of 100,000 images a copy in 64 bits takes 600 MB.

        Raises:
            UserError: No such network.
        """
        _refuse_unknown(name, VECTORS)
        if name not in self._vectors:
            self._vectors[name] = _stacked(self._column(name))
        # What one method wrote into it, the next would read.
        self._vectors[name].flags.writeable = False
        return self._vectors[name]

    def reasons(self, stages: Sequence[str]) -> list[str | None]:
        """Why an image lacks a measure of these stages, the first reason that there is; none where all is measured."""
        found: list[str | None] = [None] * len(self)
        for stage in stages:
            column = f"undefined_{stage}"
            if column in self._frame:
                said = [None if pd.isna(value) else str(value) for value in self._frame[column]]
                found = [have or more for have, more in zip(found, said, strict=True)]
        return found

    def times_ms(self, parts: Sequence[str]) -> Floats:
        """What these parts of the work took of each image, ms; NaN where one has no time.

        Args:
            parts: `DECODE`, stages, and steps of the stage rules; that stage by itself is what it takes besides them.
        """
        total = np.zeros(len(self))
        for part in parts:
            total = total + self._part_ms(part)
        return total

    def _part_ms(self, part: str) -> Floats:
        taken = np.asarray(self._column(f"{part}_ms"), dtype=np.float64)
        return taken - sum(self._part_ms(step) for step in STEPS) if part == RULES else taken

    def _column(self, name: str) -> pd.Series:
        if name in self._frame:
            return self._frame[name]
        return pd.Series(np.nan, index=self._frame.index, dtype="object" if name in VECTORS else "float64")


def _stacked(column: pd.Series) -> NDArray[np.float32]:
    rows = [None if _missing(value) else np.asarray(value, dtype=np.float32) for value in column]
    size = next((row.size for row in rows if row is not None), 0)
    stacked = np.full((len(rows), size), np.nan, dtype=np.float32)
    for place, row in enumerate(rows):
        if row is not None:
            stacked[place] = row
    return stacked


def _missing(value: object) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value))


def _refuse_unknown(name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise UserError(f"Features have no '{name}'{did_you_mean(name, known)}; known are {', '.join(known)}.")
