"""Input `queries_file`: the file of queries and documents, with scores where they were judged elsewhere."""

from collections.abc import Iterator

import dagster as dg

from assets.shared.observed_inputs import input_spec, observed
from resources.study import Study

MEANING = (
    "The file of queries and documents (`queries`), with scores where they were judged elsewhere. Its "
    "version is the hash of its bytes; a database table has none."
)


@dg.multi_observable_source_asset(specs=[input_spec("queries_file", "reliability", "json", MEANING)])
def queries_file(study: dg.ResourceParam[Study]) -> Iterator[dg.ObserveResult]:
    """Its content now, as one version."""
    yield observed(study, "reliability", "queries_file")
