"""Partitions of all studies, settings, methods and data sets, and the one way in which a table is made by partition."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import dagster as dg
import pandas as pd

from resources.configuration.load import load_configuration
from resources.configuration.pairwise import ATTRIBUTES, LEARNED_METHODS, RULE_METHODS
from resources.configuration.settings import SettingsGrid
from resources.runtime.dagster_tags import partitions_of
from resources.runtime.sanitize import in_markdown
from resources.tables.parquet_tables import Frames

# Two features of Dagster 1.13 that are used with open eyes; every other such warning stays visible.
warnings.filterwarnings("ignore", message="Parameter `backfill_policy` of function `asset`", category=dg.BetaWarning)
warnings.filterwarnings("ignore", message="Specifying a partitions_def on an AssetCheck", category=dg.PreviewWarning)

CONFIGURATION = load_configuration()
# A configuration without a study still has its assets' code, which needs some partitions to be loaded at all.
# Of several judges each has its settings: one dimension, as docs/decisions/judges-are-partitions.md says why.
SETTINGS = dg.StaticPartitionsDefinition(
    study.partition_keys if (study := CONFIGURATION.fidelity) else [setting.key for setting in SettingsGrid().settings]
)
METHOD_NAMES = (
    pairwise.methods
    if (pairwise := CONFIGURATION.pairwise)
    else (*(f"clip_{one.name}" for one in ATTRIBUTES), *RULE_METHODS, *LEARNED_METHODS)
)
METHODS = dg.StaticPartitionsDefinition(list(METHOD_NAMES))
DATASETS = dg.DynamicPartitionsDefinition(name="evaluation_datasets")
ONE_RUN = dg.BackfillPolicy.single_run()
# Partitions that were never run are left out, not waited for.
MADE_SO_FAR = dg.AssetIn(metadata={"allow_missing_partitions": True})
DIGITS = 4
Headline = Sequence[str] | Callable[[pd.DataFrame], Mapping[str, Any]]


def keys_of(context: dg.AssetExecutionContext) -> list[str]:
    """The run's partitions in the configuration's order; Dagster gives them in none."""
    chosen = set(context.partition_keys)
    return [key for key in SETTINGS.get_partition_keys() if key in chosen]


def each_partition(
    context: dg.AssetExecutionContext, make: Callable[[str], pd.DataFrame], headline: Headline = ()
) -> Frames:
    """One frame per setting of the run, with its headline numbers as that partition's metadata.

    Args:
        context: The asset's context.
        make: Partition key to frame.
        headline: Columns of a one-row frame, or a function from the frame to metadata.
    """
    return each_of(context, keys_of(context), make, headline)


def each_dataset(
    context: dg.AssetExecutionContext,
    make: Callable[[str], pd.DataFrame],
    headline: Callable[[pd.DataFrame], Mapping[str, Any]],
) -> Frames:
    """One frame per data set of the run, with its headline as that partition's metadata."""
    return each_of(context, sorted(context.partition_keys), make, headline)


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
        context.add_asset_metadata(readable(metadata), partition_key=name)
    return {name: frames[name] for name in methods_of_run(context)}


def each_of(
    context: dg.AssetExecutionContext, keys: Iterable[str], make: Callable[[str], pd.DataFrame], headline: Headline
) -> Frames:
    """`each_partition` over any partitions, in the order given."""
    frames = {}
    for key in keys:
        frames[key] = make(key)
        context.add_asset_metadata(readable(_headline(frames[key], headline)), partition_key=key)
    return frames


def _headline(frame: pd.DataFrame, headline: Headline) -> dict[str, Any]:
    if callable(headline):
        return {name: metadata_value(value) for name, value in headline(frame).items()}
    return {name: metadata_value(frame[name].iloc[0]) for name in headline if len(frame)}


def metadata_value(value: Any) -> Any:
    """A value that Dagster's metadata takes: no numpy scalar, and a null where there is no number."""
    if isinstance(value, dg.MetadataValue):
        return value
    plain = value.item() if hasattr(value, "item") else value
    return dg.MetadataValue.null() if plain is pd.NA or plain is None or plain != plain else plain


def readable(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata with the digits that one reads in the UI, four; the table has all."""
    return {name: _rounded(value) for name, value in metadata.items()}


def _rounded(value: Any) -> Any:
    if isinstance(value, dg.FloatMetadataValue):
        return value if value.value is None else dg.MetadataValue.float(_rounded(value.value))
    if not isinstance(value, float):
        return value
    return float(f"{value:.{DIGITS}g}" if abs(value) < 10**DIGITS else f"{value:.0f}")


def first_and_rest(numbers: Mapping[str, Any], first: Sequence[str]) -> dict[str, Any]:
    """Metadata of many numbers: those that matter first on lines of their own, the others as one table."""
    values = readable({name: metadata_value(value) for name, value in numbers.items()})
    lines = [
        f"| {in_markdown(name)} | {in_markdown('-' if isinstance(value, dg.NullMetadataValue) else str(value))} |"
        for name, value in values.items()
        if name not in first
    ]
    others = dg.MetadataValue.md("\n".join(["| number | value |", "| --- | --- |", *lines]))
    return {name: values[name] for name in first} | {"others": others}
