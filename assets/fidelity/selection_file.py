"""Input `selection_file`: the list of objects to judge, where the study has one."""

from collections.abc import Iterator

import dagster as dg

from assets.shared.observed_inputs import input_spec, observed
from resources.study import Study

MEANING = (
    "The list of objects to judge (`selected_objects`), which a study need not have. Its version is the "
    "hash of its bytes."
)


@dg.multi_observable_source_asset(specs=[input_spec("selection_file", "fidelity", "csv", MEANING)])
def selection_file(study: dg.ResourceParam[Study]) -> Iterator[dg.ObserveResult]:
    """Its content now, as one version."""
    yield observed(study, "fidelity", "selection_file")
