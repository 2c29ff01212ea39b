"""The methods by rule: one measure of an image by itself, or a weighted mixture of several."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from resources.methods.features import Features, Floats

# v / (v + c) lies between 0 and 1 for any v >= 0 and never reaches 1, so that no two large values become a tie.
HALF_AT: Mapping[str, float] = {"sharpness": 1000.0, "contrast": 0.8, "colorfulness": 100.0}
NEEDS = ("rules",)


@dataclass(frozen=True)
class RuleMeasure:
    """One measure, raw."""

    name: str
    measure: str
    needs: tuple[str, ...] = NEEDS

    def score(self, features: Features) -> Floats:
        """The measure, in its own unit."""
        return features.numbers(self.measure)


@dataclass(frozen=True)
class Composite:
    """A weighted mean of measures brought to 0-1: ``v / (v + c)``, exposure as it is."""

    name: str
    weights: Mapping[str, float]
    needs: tuple[str, ...] = NEEDS

    def score(self, features: Features) -> Floats:
        """The mean, 0-1; NaN where one of its measures is not defined."""
        total = np.zeros(len(features))
        for measure, weight in self.weights.items():
            value = features.numbers(measure)
            half_at = HALF_AT.get(measure)
            total += weight * (value if half_at is None else value / (value + half_at))
        return total / sum(self.weights.values())


def _mixture(name: str, *weights: float) -> Composite:
    return Composite(name, dict(zip(("sharpness", "contrast", "exposure", "colorfulness"), weights, strict=True)))


RULES: Mapping[str, RuleMeasure | Composite] = {
    one.name: one
    for one in (
        RuleMeasure("sharpness_only", "sharpness"),
        RuleMeasure("contrast_only", "contrast"),
        RuleMeasure("exposure_only", "exposure"),
        RuleMeasure("colorfulness_only", "colorfulness"),
        _mixture("composite_balanced", 0.3, 0.2, 0.3, 0.2),
        _mixture("composite_sharpness_focused", 0.5, 0.15, 0.25, 0.1),
        _mixture("composite_exposure_focused", 0.2, 0.15, 0.5, 0.15),
    )
}
