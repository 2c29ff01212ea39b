"""Input `catalogue_file`: the catalogue of generated objects, where the study has one."""

from collections.abc import Iterator

import dagster as dg

from assets.shared.observed_inputs import input_spec, observed
from resources.study import Study

MEANING = (
    "The catalogue of generated objects (`catalogue`), which a study need not have. Its version is the "
    "hash of its bytes."
)


@dg.multi_observable_source_asset(specs=[input_spec("catalogue_file", "fidelity", "json", MEANING)])
def catalogue_file(study: dg.ResourceParam[Study]) -> Iterator[dg.ObserveResult]:
    """Its content now, as one version."""
    yield observed(study, "fidelity", "catalogue_file")
