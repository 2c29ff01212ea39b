"""The recommendation and the drift watch in the configuration."""

from typing import Literal

from pydantic import Field

from resources.configuration.section import Section
from resources.configuration.weights import Weights


class RecommendationWeights(Weights):
    """Weights of the four parts of a setting's score; they are divided by their sum."""

    icc: float = Field(0.25, ge=0)
    json_validity: float = Field(0.25, ge=0)
    human: float = Field(0.25, ge=0)
    mad: float = Field(0.25, ge=0)


class Recommendation(Section):
    """How a setting is chosen among those that keep the thresholds.

    `split` chooses on one random half of the products and reports from the other, `optimism` uses all of them and takes
    off by how much the best of several looks better than it is. `auto` splits from `fewest_products_to_split` on.
    """

    weights: RecommendationWeights = RecommendationWeights()
    method: Literal["auto", "split", "optimism"] = "auto"
    fewest_products_to_split: int = Field(12, ge=4)


class Anchor(Section):
    """A pinned set of objects that is judged again now and then, so that a judge that drifts is seen."""

    n_objects: int = Field(10, ge=3)
    setting: str | None = Field(None, description="left out: as for the golden set")
