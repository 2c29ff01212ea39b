"""Input `photos`: the folder of photos of the series."""

from collections.abc import Iterator

import dagster as dg

from assets.shared.observed_inputs import input_spec, observed
from resources.study import Study

MEANING = "The folder of photos (`image_root`). Its version is one hash over the paths and bytes of all files in it."


@dg.multi_observable_source_asset(specs=[input_spec("photos", "pairwise", "image", MEANING)])
def photos(study: dg.ResourceParam[Study]) -> Iterator[dg.ObserveResult]:
    """Its content now, as one version."""
    yield observed(study, "pairwise", "photos")
