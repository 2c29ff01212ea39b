"""How many tokens a picture is read as, by the rule of a model's family."""

import math
from typing import Annotated, Literal

from pydantic import Field

from resources.configuration.openai_judge import ImageDetail
from resources.configuration.section import Section

TILE_PX = 512
TILED_WITHIN_PX, TILED_SHORT_SIDE_PX = 2048, 768


class Tiles(Section):
    """A base and so many tokens for each tile of 512 px, of the picture reduced to 768 px on its shorter side."""

    rule: Literal["tiles"]
    base: int = Field(ge=0)
    tile: int = Field(ge=0)

    def tokens(self, width_px: int, height_px: int, detail: ImageDetail) -> int:
        """Tokens of one picture."""
        if detail == "low":
            return self.base
        shrunk = min(1.0, TILED_WITHIN_PX / max(width_px, height_px))
        width, height = width_px * shrunk, height_px * shrunk
        shrunk = min(1.0, TILED_SHORT_SIDE_PX / min(width, height))
        return self.base + self.tile * math.ceil(width * shrunk / TILE_PX) * math.ceil(height * shrunk / TILE_PX)


class Patches(Section):
    """So many tokens for each patch, up to a number of patches to which larger pictures are reduced."""

    rule: Literal["patches"]
    side_px: int = Field(32, ge=1)
    times: float = Field(1.0, gt=0)
    most: int = Field(10_000, ge=1)

    def tokens(self, width_px: int, height_px: int, detail: ImageDetail) -> int:
        """Tokens of one picture."""
        patches = math.ceil(width_px / self.side_px) * math.ceil(height_px / self.side_px)
        return math.ceil(min(patches, self.most) * self.times)


class Flat(Section):
    """As many tokens for every picture."""

    rule: Literal["flat"]
    each: int = Field(ge=0)

    def tokens(self, width_px: int, height_px: int, detail: ImageDetail) -> int:
        """Tokens of one picture."""
        return self.each


ImageRule = Annotated[Tiles | Patches | Flat, Field(discriminator="rule")]


def most_tokens(rule: Tiles | Patches | Flat, side_px: int, detail: ImageDetail) -> int:
    """Tokens of the dearest picture whose longer side is `side_px`: by tiles, that is not always the square one."""
    return max(rule.tokens(side_px, short_px, detail) for short_px in range(1, side_px + 1))
