"""Which methods the configuration asks for, built from it by kind."""

from collections.abc import Callable, Mapping
from functools import partial

from resources.configuration.pairwise import TEXT_METHODS, PairwiseStudy
from resources.photos.methods.contract import AnsweredMethod, Method
from resources.photos.methods.networks import PROBES, ClipContrast
from resources.photos.methods.own import own_method
from resources.photos.methods.rules import RULES_BY_NAME, Composite

Build = Callable[[], Method]


def builders(study: PairwiseStudy) -> dict[str, Build]:
    """How to build each method, by name, in the order of the partitions; a user's file is not run before its turn."""
    clip: Mapping[str, Build] = {
        f"clip_{one.name}": partial(ClipContrast, f"clip_{one.name}", one.positive, one.negative)
        for one in study.clip_attributes
    }
    rules: Mapping[str, Build] = {
        name: partial(AnsweredMethod, name) if name in TEXT_METHODS else partial(RULES_BY_NAME.__getitem__, name)
        for name in study.rule_based_methods
    }
    mixtures: Mapping[str, Build] = {
        name: partial(Composite, name, {str(measure): weight for measure, weight in weights.items()})
        for name, weights in study.composites.items()
    }
    learned: Mapping[str, Build] = {name: partial(PROBES.__getitem__, name) for name in study.dl_methods}
    own: Mapping[str, Build] = {name: partial(own_method, name, path) for name, path in study.own_methods.items()}
    judges: Mapping[str, Build] = {name: partial(AnsweredMethod, name) for name in study.judge_methods}
    return {**clip, **rules, **mixtures, **learned, **own, **judges}


def method_of(study: PairwiseStudy, name: str) -> Method:
    """One method, ready to score.

    Raises:
        UserError: It is a user's own and its file is wrong.
    """
    return builders(study)[name]()
