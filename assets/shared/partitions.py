"""Settings as partitions, and the one way in which a table is made partition by partition."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import dagster as dg
import pandas as pd

from resources.configuration.fidelity import SettingsGrid
from resources.configuration.load import load_configuration
from resources.parquet_tables import Frames

# Two features of Dagster 1.13 that are used with open eyes; every other such warning stays visible.
warnings.filterwarnings("ignore", message="Parameter `backfill_policy` of function `asset`", category=dg.BetaWarning)
warnings.filterwarnings("ignore", message="Specifying a partitions_def on an AssetCheck", category=dg.PreviewWarning)

# A configuration without the study still has its assets' code, which needs some settings to be loaded at all.
GRID = study.settings if (study := load_configuration().fidelity) else SettingsGrid()
SETTINGS = dg.StaticPartitionsDefinition([setting.key for setting in GRID.settings])
ONE_RUN = dg.BackfillPolicy.single_run()
# Partitions that were never run are left out, not waited for.
MADE_SO_FAR = dg.AssetIn(metadata={"allow_missing_partitions": True})
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


def each_of(
    context: dg.AssetExecutionContext, keys: Iterable[str], make: Callable[[str], pd.DataFrame], headline: Headline
) -> Frames:
    """`each_partition` over any partitions, in the order given."""
    frames = {}
    for key in keys:
        frames[key] = make(key)
        context.add_asset_metadata(_headline(frames[key], headline), partition_key=key)
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
    return dg.MetadataValue.null() if plain is pd.NA or plain is None or plain != plain else plain  # noqa: PLR0124
