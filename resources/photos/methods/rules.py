"""The methods by rule: one measure of an image by itself, or a weighted mixture of several."""

from collections.abc import Mapping
from dataclasses import dataclass

from analysis.images.photo_rules import COMPOSITES, MEASURES, STEPS, STEPS_OF, composite
from resources.photos.methods.contract import AnsweredMethod, Method
from resources.photos.methods.features import DECODE, RULES, Features, Floats
from resources.photos.methods.features import MEASURES as MEASURES_OF

NEEDS = ("rules",)


@dataclass(frozen=True)
class RuleMeasure:
    """One measure, raw."""

    name: str
    measure: str
    needs: tuple[str, ...] = NEEDS

    @property
    def measures(self) -> tuple[str, ...]:
        """What it reads."""
        return (self.measure,)

    def score(self, features: Features) -> Floats:
        """The measure, in its own unit."""
        return features.numbers(self.measure)


@dataclass(frozen=True)
class Composite:
    """A weighted mean of measures brought to 0-1: ``v / (v + c)``, exposure as it is."""

    name: str
    weights: Mapping[str, float]
    needs: tuple[str, ...] = NEEDS

    @property
    def measures(self) -> tuple[str, ...]:
        """What it reads."""
        return tuple(self.weights)

    def score(self, features: Features) -> Floats:
        """The mean, 0-1; NaN where one of its measures is not defined."""
        return composite({measure: features.numbers(measure) for measure in self.weights}, self.weights)


_METHODS: list[RuleMeasure | Composite] = [
    *(RuleMeasure(f"{measure}_only", measure) for measure in MEASURES),
    *(Composite(name, weights) for name, weights in COMPOSITES.items()),
]


RULES_BY_NAME: Mapping[str, RuleMeasure | Composite] = {method.name: method for method in _METHODS}


def parts_of(method: Method) -> tuple[str, ...]:
    """The parts of `Features.times_ms` that this method pays for: what several measures share, each pays in full.

    Args:
        method: A user's own that needs the rules pays for all of them, as which it reads is unknown.
    """
    if isinstance(method, AnsweredMethod):
        return ()
    measures = method.measures if isinstance(method, RuleMeasure | Composite) else MEASURES_OF[RULES]
    used = {step for measure in measures for step in STEPS_OF[measure]}
    steps = tuple(step for step in STEPS if step in used) if RULES in method.needs else ()
    return (DECODE, *method.needs, *steps)
