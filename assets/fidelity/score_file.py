"""Input `score_file`: the file of human scores that people bring."""

from collections.abc import Iterator

import dagster as dg

from assets.shared.observed_inputs import input_spec, observed
from resources.study import Study

MEANING = "The file of human scores (`human_scores` in touchstone.yaml). Its version is the hash of its bytes."


@dg.multi_observable_source_asset(specs=[input_spec("score_file", "fidelity", "csv", MEANING)])
def score_file(study: dg.ResourceParam[Study]) -> Iterator[dg.ObserveResult]:
    """Its content now, as one version."""
    yield observed(study, "fidelity", "score_file")
