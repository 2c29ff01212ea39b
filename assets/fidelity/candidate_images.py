"""Input `candidate_images`: the folder of renders to judge."""

from collections.abc import Iterator

import dagster as dg

from assets.shared.observed_inputs import input_spec, observed
from resources.study import Study

MEANING = (
    "The folder of renders to judge (`candidates`). Its version is one hash over the paths and bytes of "
    "all files in it."
)


@dg.multi_observable_source_asset(specs=[input_spec("candidate_images", "fidelity", "image", MEANING)])
def candidate_images(study: dg.ResourceParam[Study]) -> Iterator[dg.ObserveResult]:
    """Its content now, as one version."""
    yield observed(study, "fidelity", "candidate_images")
