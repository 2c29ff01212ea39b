"""Tables on a disk and in memory: where they lie and what comes back."""

import io
import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import dagster as dg
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from dagster._core.definitions.partitions.utils import MultiPartitionKey
from upath import UPath

from analysis.messages import labelled, made_of, message, none_because
from resources.errors import UserError
from resources.tables.parquet import checked, read, write
from resources.tables.parquet_tables import Frames, ParquetTables
from tests.stored_tables import (
    KEYS,
    ONE_RUN,
    PARTS,
    RANGE,
    SCORES,
    TOTALS,
    by_setting,
    files,
    frame,
    loaded,
    one_table,
    run,
)

pytestmark = pytest.mark.filterwarnings("ignore:Parameter `backfill_policy`")


def test_a_table_is_one_file_named_by_group_and_table(tables_base: UPath, instance: dg.DagsterInstance) -> None:
    run([one_table(frame("a"))], tables_base, instance)
    assert files(tables_base) == ["fidelity/scores.parquet"]


def test_a_study_prefix_is_a_folder_of_its_own(tables_base: UPath, instance: dg.DagsterInstance) -> None:
    @dg.asset(key=["shoes", "scores"])
    def scores() -> pd.DataFrame:
        return frame("a")

    run([scores], tables_base, instance)
    assert files(tables_base) == ["shoes/fidelity/scores.parquet"]


@pytest.mark.fast
def test_every_kind_of_value_comes_back_with_its_type(tables_base: UPath, instance: dg.DagsterInstance) -> None:
    run([one_table(frame("a", "b"))], tables_base, instance)
    back = loaded(tables_base, instance)
    assert isinstance(back, pd.DataFrame)
    assert list(back) == ["object", "score", "tokens", "seen", "reasons", "at", "note", "repeat_1", "repeat_10"]
    pd.testing.assert_frame_equal(back, SCORES.validated(frame("a", "b"))[list(back)])
    assert back.loc[0].tolist()[:7] == [
        "a",
        0.5,
        2**53 + 1,
        True,
        ["a", "b"],
        pd.Timestamp("2026-03-29T01:30:00.123456Z"),
        "n",
    ]


def test_no_row_comes_back_with_the_same_types(tables_base: UPath, instance: dg.DagsterInstance) -> None:
    run([one_table(frame("a"))], tables_base, instance)
    full = loaded(tables_base, instance)
    run([one_table(frame())], tables_base, instance)
    empty = loaded(tables_base, instance)
    assert isinstance(full, pd.DataFrame)
    assert isinstance(empty, pd.DataFrame)
    assert len(empty) == 0
    assert empty.dtypes.to_dict() == full.dtypes.to_dict()


def test_a_missing_number_is_a_null_in_the_file_and_columns_carry_their_unit(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    run([one_table(frame("a", "b"))], UPath(tmp_path), instance)
    stored = pq.read_table(tmp_path / "fidelity/scores.parquet")
    assert stored["score"].null_count == 1
    assert stored["score"].to_pylist() == [0.5, None]
    assert stored.schema.field("score").metadata == {b"meaning": b"Score.", b"unit": b"0-1"}


@pytest.mark.parametrize(
    "damage",
    [lambda data: b"", lambda data: b"rubbish" * 99, lambda data: data[: len(data) // 2], lambda data: data[:-1]],
    ids=["empty", "garbage", "half", "one_byte_short"],
)
def test_a_damaged_file_is_named_with_its_table_partition_and_remedy(
    tables_base: UPath, instance: dg.DagsterInstance, damage: Callable[[bytes], bytes]
) -> None:
    @dg.asset(partitions_def=PARTS, backfill_policy=ONE_RUN)
    def totals(scores: Frames) -> Frames:
        raise AssertionError("nothing was read")

    run([by_setting()], tables_base, instance, tags=RANGE)
    path = tables_base / f"fidelity/scores/{KEYS[1]}.parquet"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(UserError) as caught:
        run([by_setting(), totals], tables_base, instance, selection=[totals], tags=RANGE)
    for part in (f"Table 'scores' ({KEYS[1]}): the file {path} is", "damaged", "Delete it and make the table again"):
        assert part in str(caught.value)


def test_what_sentences_were_made_of_is_stored_with_them_and_known_again(monkeypatch: pytest.MonkeyPatch) -> None:
    few = message("{n} cluster, fewer than {fewest}|{n} clusters, fewer than {fewest}", n=3, fewest=5)
    rows = frame("a", "b").assign(note=[none_because(few), "no message"], reasons=[[labelled("clip", few)], None])
    stored = io.BytesIO()
    write(SCORES, checked(SCORES, rows), stored)
    monkeypatch.setattr("analysis.messages._made", {})
    assert made_of(few) == (few, {})
    read(SCORES, stored)
    assert made_of(few)[1] == {"n": 3, "fewest": 5}
    assert made_of(f"none: {few}") == ("none: {reason}", {"reason": few})
    assert made_of(f"clip: {few}") == ("{name}: {words}", {"name": "clip", "words": few})


def test_notes_that_are_too_many_or_cannot_be_read_cost_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    few = message("{n} rows, for the test of notes", n=3)
    rows = checked(SCORES, frame("a").assign(note=[few]))
    with monkeypatch.context() as patch:
        patch.setattr("resources.tables.parquet.MOST_NOTED", 10)
        write(SCORES, rows, short := io.BytesIO())
    write(SCORES, rows, stored := io.BytesIO())
    schemas = [pq.read_schema(file).metadata for file in (short, stored)]
    assert [b"messages" in notes for notes in schemas] == [False, True]
    for note in (b"{", b"[1]", b'{"a": 1}'):
        bad = io.BytesIO()
        pq.write_table(pq.read_table(stored).replace_schema_metadata({**schemas[1], b"messages": note}), bad)
        assert len(read(SCORES, bad)) == 1


def test_any_damaged_byte_is_read_or_refused_and_never_an_error_of_the_program() -> None:
    stored = io.BytesIO()
    write(SCORES, checked(SCORES, frame("a", "b")), stored)
    random = np.random.default_rng(1)
    for _ in range(300):
        data = bytearray(stored.getvalue())
        data[random.integers(len(data))] = random.integers(256)
        with suppress(UserError):
            read(SCORES, io.BytesIO(data))


def test_a_table_of_another_version_is_refused_in_words(tmp_path: Path) -> None:
    stored = io.BytesIO()
    write(TOTALS, checked(TOTALS, pd.DataFrame({"setting": ["a"], "mean": [0.5]})), stored)
    with pytest.raises(UserError) as caught:
        read(SCORES, stored)
    assert "another version of Touchstone: column at, mean, note, object, reasons, repeat_1, ..." in str(caught.value)
    assert "\\d" not in str(caught.value)


@pytest.mark.fast
def test_one_run_over_all_partitions_and_a_run_for_each_make_the_same_files(
    tables_base: UPath, instance: dg.DagsterInstance
) -> None:
    run([by_setting()], tables_base / "one", instance, tags=RANGE)
    for key in KEYS:
        run([by_setting()], tables_base / "each", instance, partition_key=key)
    names = [f"fidelity/scores/{key}.parquet" for key in KEYS]
    assert files(tables_base / "one") == files(tables_base / "each") == names
    for name in names:
        assert (tables_base / "one" / name).read_bytes() == (tables_base / "each" / name).read_bytes()


@pytest.mark.parametrize("options", [{"tags": RANGE}, {"partition_key": KEYS[1]}], ids=["range", "one"])
def test_a_partitioned_reader_gets_a_dict_for_one_key_and_for_many(
    tables_base: UPath, instance: dg.DagsterInstance, options: dict[str, object]
) -> None:
    @dg.asset(partitions_def=PARTS, backfill_policy=ONE_RUN)
    def totals(context: dg.AssetExecutionContext, scores: Frames) -> Frames:
        assert set(scores) == set(context.partition_keys)
        return {key: pd.DataFrame({"setting": [key], "mean": rows["score"]}) for key, rows in scores.items()}

    result = run([by_setting(), totals], tables_base, instance, **options)
    assert result.success
    made = KEYS if "tags" in options else [KEYS[1]]
    assert [name for name in files(tables_base) if "totals" in name] == [
        f"fidelity/totals/{key}.parquet" for key in made
    ]


def test_a_reader_without_partitions_gets_every_partition(tables_base: UPath, instance: dg.DagsterInstance) -> None:
    @dg.asset
    def totals(scores: Frames) -> pd.DataFrame:
        return pd.DataFrame({"setting": list(scores), "mean": [rows["score"].mean() for rows in scores.values()]})

    run([by_setting()], tables_base, instance, tags=RANGE)
    run([by_setting(), totals], tables_base, instance, selection=[totals])
    assert pd.read_parquet((tables_base / "fidelity/totals.parquet").open("rb"))["setting"].tolist() == KEYS


def test_rows_and_columns_are_in_the_metadata_of_each_partition(
    tables_base: UPath, instance: dg.DagsterInstance
) -> None:
    made = {KEYS[0]: frame("a"), KEYS[1]: frame("a", "b"), KEYS[2]: frame()}
    run([by_setting(made)], tables_base, instance, tags=RANGE)
    for key, rows in zip(KEYS, (1, 2, 0), strict=True):
        records = instance.fetch_materializations(
            dg.AssetRecordsFilter(dg.AssetKey("scores"), asset_partitions=[key]), limit=1
        ).records
        assert records[0].asset_materialization is not None
        metadata = records[0].asset_materialization.metadata
        assert metadata["dagster/row_count"].value == rows
        assert str(metadata["path"].value).endswith(f"fidelity/scores/{key}.parquet")
        schema = metadata["dagster/column_schema"].value
        assert schema.columns[1].description == "Score. [0-1]"
        assert schema.columns[1].constraints.other == ["at least 0", "at most 1"]
        assert [column.type for column in schema.columns][:2] == ["text", "float"]


@pytest.mark.parametrize("key", ["live/2026 ä", "..", "v1.", "100%", MultiPartitionKey({"a": "x/y", "b": "z"})])
def test_any_partition_key_is_one_file_below_its_table(
    tmp_path: Path, key: str, instance: dg.DagsterInstance, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    if isinstance(key, MultiPartitionKey):
        parts: dg.PartitionsDefinition = dg.MultiPartitionsDefinition(
            {name: dg.StaticPartitionsDefinition([value]) for name, value in key.keys_by_dimension.items()}
        )
    else:
        parts = dg.StaticPartitionsDefinition([key])

    @dg.asset(name="scores", partitions_def=parts)
    def scores() -> pd.DataFrame:
        return frame("a")

    @dg.asset(partitions_def=parts)
    def reader(scores: Frames) -> None:
        assert [rows["object"].tolist() for rows in scores.values()] == [["a"]]

    assert run([scores, reader], UPath(tmp_path), instance, partition_key=key).success
    stored = files(UPath(tmp_path))
    assert len(stored) == 1
    assert stored[0].startswith("fidelity/scores/")
    assert stored[0].count("/") == 2


def test_the_fidelity_tables_are_looked_after_unless_told_otherwise(tmp_path: Path) -> None:
    assert ParquetTables(str(tmp_path))._places["icc_by_setting"][0] == "fidelity"
