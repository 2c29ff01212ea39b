"""Input `votes_file`: the file of people's votes on pairs of photos."""

from collections.abc import Iterator

import dagster as dg

from assets.shared.observed_inputs import input_spec, observed
from resources.study import Study

MEANING = "The file of people's votes (`pairs_csv`). Its version is the hash of its bytes."


@dg.multi_observable_source_asset(specs=[input_spec("votes_file", "pairwise", "csv", MEANING)])
def votes_file(study: dg.ResourceParam[Study]) -> Iterator[dg.ObserveResult]:
    """Its content now, as one version."""
    yield observed(study, "pairwise", "votes_file")
