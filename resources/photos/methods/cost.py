"""What a method alone costs, in parts: decoding, its stages, and of the rules only the steps that its measures need."""

from analysis.images.photo_rules import STEPS, STEPS_OF
from resources.photos.methods.contract import Method
from resources.photos.methods.features import DECODE, MEASURES, RULES
from resources.photos.methods.rules import Composite, RuleMeasure


def parts_of(method: Method) -> tuple[str, ...]:
    """The parts of `Features.times_ms` that this method pays for: what several measures share, each pays in full.

    Args:
        method: A user's own that needs the rules pays for all of them, as which it reads is unknown.
    """
    measures = method.measures if isinstance(method, RuleMeasure | Composite) else MEASURES[RULES]
    used = {step for measure in measures for step in STEPS_OF[measure]}
    steps = tuple(step for step in STEPS if step in used) if RULES in method.needs else ()
    return (DECODE, *method.needs, *steps)
