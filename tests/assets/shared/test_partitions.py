"""Settings as partitions: their order, one frame for each, and metadata that Dagster takes."""

import math

import dagster as dg
import numpy as np
import pandas as pd
import pytest

from assets.shared.partitions import (
    SETTINGS,
    Frames,
    Headline,
    each_partition,
    first_and_rest,
    keys_of,
    metadata_value,
    readable,
)
from resources.configuration.load import load_configuration

KEYS = SETTINGS.get_partition_keys()


def made(
    frame: pd.DataFrame, headline: Headline, first: int = 0, last: int = 2
) -> tuple[Frames, dict[str, dict[str, dg.MetadataValue]]]:
    """What an asset over a stretch of settings returns, and each setting's metadata."""

    @dg.asset(partitions_def=SETTINGS)
    def table(context: dg.AssetExecutionContext) -> None:
        frames.update(each_partition(context, lambda key: frame.assign(setting=key), headline))

    frames: Frames = {}
    tags = {"dagster/asset_partition_range_start": KEYS[first], "dagster/asset_partition_range_end": KEYS[last]}
    with dg.DagsterInstance.ephemeral() as instance:
        result = dg.materialize([table], instance=instance, tags=tags)
    events = result.asset_materializations_for_node("table")
    return frames, {str(event.partition): dict(event.metadata) for event in events}


def test_the_partitions_are_the_configured_settings_baseline_first() -> None:
    settings = load_configuration().fidelity.settings
    assert [setting.key for setting in settings.settings] == KEYS
    assert KEYS[0] == settings.baseline.key


def test_settings_of_a_run_come_in_the_configurations_order() -> None:
    class Context:
        partition_keys = (KEYS[4], KEYS[1], KEYS[0])

    assert keys_of(Context()) == [KEYS[0], KEYS[1], KEYS[4]]  # type: ignore[arg-type]


def test_every_setting_of_the_run_gets_a_frame_and_no_other() -> None:
    frames, metadata = made(pd.DataFrame({"n": [1]}), ["n"], 1, 3)
    assert list(frames) == KEYS[1:4]
    assert [frame["setting"].iloc[0] for frame in frames.values()] == KEYS[1:4]
    assert set(metadata) == set(KEYS[1:4])


def test_headline_columns_become_each_settings_metadata() -> None:
    _, metadata = made(pd.DataFrame({"n": pd.array([3], "Int64"), "share": [0.25], "word": ["good"]}), ["n", "share"])
    assert [metadata[KEYS[2]][name].value for name in ("n", "share")] == [3, 0.25]
    assert "word" not in metadata[KEYS[2]]


def test_numbers_have_four_digits_and_those_that_matter_first_come_first() -> None:
    given = {"mae": 0.18514583333333337, "ms": np.float64(23456.78), "n": 7, "of": dg.MetadataValue.float(1 / 3)}
    assert readable(given) == {"mae": 0.1851, "ms": 23457.0, "n": 7, "of": dg.MetadataValue.float(0.3333)}
    _, metadata = made(pd.DataFrame({"share": [1 / 3]}), ["share"])
    assert metadata[KEYS[0]]["share"].value == 0.3333
    shown = first_and_rest({"n": 3, "share": 0.123456, "p_low": None, "word": "a|b"}, ["share", "n"])
    assert list(shown) == ["share", "n", "others"]
    assert shown["share"] == 0.1235
    assert shown["others"].value.splitlines()[2:] == ["| p\\_low | - |", "| word | a\\|b |"]


def test_a_headline_function_sees_each_settings_frame() -> None:
    _, metadata = made(pd.DataFrame({"n": [1, 2]}), lambda frame: {"last": frame["setting"].iloc[-1]})
    assert metadata[KEYS[1]]["last"].value == KEYS[1]


def test_a_null_headline_is_null_and_an_empty_frame_has_none() -> None:
    _, metadata = made(pd.DataFrame({"n": [np.nan]}), ["n"])
    assert metadata[KEYS[0]]["n"].value is None
    _, metadata = made(pd.DataFrame({"n": []}), ["n"])
    assert "n" not in metadata[KEYS[0]]


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.float64(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (7, 7),
        ("word", "word"),
        (math.inf, math.inf),
    ],
)
def test_numpy_scalars_become_pythons(value: object, plain: object) -> None:
    seen = metadata_value(value)
    assert seen == plain
    assert type(seen) is type(plain)


@pytest.mark.parametrize("value", [None, np.nan, float("nan"), pd.NA, pd.NaT, np.float64("nan")])
def test_what_is_missing_becomes_null(value: object) -> None:
    seen = metadata_value(value)
    assert isinstance(seen, dg.MetadataValue)
    assert seen.value is None


def test_metadata_stays_metadata() -> None:
    plot = dg.MetadataValue.md("![plot]()")
    assert metadata_value(plot) is plot
