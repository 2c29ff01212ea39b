"""Input of study C, the file of each data set, configured or dropped into the inbox: observed, never made."""

from collections.abc import Iterator

import dagster as dg

from assets.shared.observed_inputs import input_spec, observed
from assets.shared.partitions import DATASETS
from resources.inputs.evaluation.known_datasets import known_datasets
from resources.study import Study

MEANING = (
    "The file of each data set, configured or dropped into the inbox. A data set's version is the hash of its bytes."
)
SPEC = input_spec("dataset_files", "evaluation", "csv", MEANING).replace_attributes(partitions_def=DATASETS)


@dg.multi_observable_source_asset(specs=[SPEC])
def dataset_files(context: dg.AssetExecutionContext, study: dg.ResourceParam[Study]) -> Iterator[dg.ObserveResult]:
    """The content of a data set's file now, as one version."""
    known = known_datasets(study.evaluation)
    place = known[context.partition_key].file if context.partition_key in known else None
    yield observed(study, "dataset_files", place)
