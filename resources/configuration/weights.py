"""Weights in the configuration: how much each of several parts counts."""

from pydantic import model_validator

from resources.configuration.section import Section


class Weights(Section):
    """Weights of parts, each 0 or more; only their proportions count."""

    @model_validator(mode="after")
    def some_weight(self) -> "Weights":
        """Refuse weights that sum to nothing."""
        if sum(self.model_dump().values()) <= 0:
            raise ValueError("at least one weight must be above 0")
        return self

    @property
    def shares(self) -> dict[str, float]:
        """Each part's share by name; they sum to 1."""
        weights = self.model_dump()
        total = sum(weights.values())
        return {name: weight / total for name, weight in weights.items()}
