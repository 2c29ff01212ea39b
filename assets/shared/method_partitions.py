"""Pairwise methods as partitions, one frame for each."""

from collections.abc import Callable, Mapping
from typing import Any

import dagster as dg
import pandas as pd

from assets.partitions import metadata_value
from resources.configuration.load import load_configuration
from resources.configuration.pairwise import ATTRIBUTES, LEARNED_METHODS, RULE_METHODS
from resources.dagster_tags import partitions_of
from resources.parquet_tables import Frames

# A configuration without the study still has its assets' code, which needs some methods to be loaded at all.
NAMES = (
    study.methods
    if (study := load_configuration().pairwise)
    else (*(f"clip_{one.name}" for one in ATTRIBUTES), *RULE_METHODS, *LEARNED_METHODS)
)
METHODS = dg.StaticPartitionsDefinition(list(NAMES))


def methods_of_run(context: dg.AssetExecutionContext) -> list[str]:
    """The run's methods in the configuration's order; Dagster gives them in none."""
    chosen = set(context.partition_keys)
    return [name for name in METHODS.get_partition_keys() if name in chosen]


def methods_of_tags(tags: Mapping[str, str]) -> list[str]:
    """The methods that a run makes besides what an asset without partitions does in it; none where it makes none."""
    return partitions_of(tags, METHODS.get_partition_keys())


def each_method(
    context: dg.AssetExecutionContext,
    make: Callable[[str], tuple[pd.DataFrame, Mapping[str, Any]]],
    first: Callable[[str], int] = lambda name: 0,
) -> Frames:
    """One frame per method of the run, with its headline as that partition's metadata.

    Args:
        context: The asset's context.
        make: Method to frame and headline.
        first: Methods with the least of this are made first, others in the configuration's order.
    """
    frames = {}
    for name in sorted(methods_of_run(context), key=first):
        frames[name], headline = make(name)
        metadata = {key: metadata_value(value) for key, value in headline.items()}
        context.add_asset_metadata(metadata, partition_key=name)
    return {name: frames[name] for name in methods_of_run(context)}
