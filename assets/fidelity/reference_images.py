"""Input `reference_images`: the folder of products' photos."""

from collections.abc import Iterator

import dagster as dg

from assets.shared.observed_inputs import input_spec, observed
from resources.study import Study

MEANING = (
    "The folder of products' photos (`references`). Its version is one hash over the paths and bytes of "
    "all files in it."
)


@dg.multi_observable_source_asset(specs=[input_spec("reference_images", "fidelity", "image", MEANING)])
def reference_images(study: dg.ResourceParam[Study]) -> Iterator[dg.ObserveResult]:
    """Its content now, as one version."""
    yield observed(study, "fidelity", "reference_images")
