"""Tables that are not there: never made, made elsewhere, or gone."""

from pathlib import Path

import dagster as dg
import pyarrow.parquet as pq
import pytest
from upath import UPath

from resources.errors import UserError
from resources.tables.parquet_tables import Frames
from tests.stored_tables import KEYS, RANGE, by_setting, frame, loaded, one_table, run

pytestmark = pytest.mark.filterwarnings("ignore:Parameter `backfill_policy`")


def test_a_table_that_was_never_made_says_how_to_make_it(tables_base: UPath, instance: dg.DagsterInstance) -> None:
    with pytest.raises(UserError, match="Table 'scores' has not been made. Run `touchstone run fidelity`."):
        loaded(tables_base, instance)


def test_a_table_made_for_another_home_says_where(tables_base: UPath, instance: dg.DagsterInstance) -> None:
    run([one_table(frame("a"))], tables_base / "old", instance)
    with pytest.raises(UserError, match="Table 'scores' was made elsewhere, at .*old/fidelity/scores.parquet"):
        loaded(tables_base / "new", instance)


def test_a_table_that_was_deleted_says_so(tables_base: UPath, instance: dg.DagsterInstance) -> None:
    run([one_table(frame("a"))], tables_base, instance)
    (tables_base / "fidelity/scores.parquet").unlink()
    with pytest.raises(UserError, match="Table 'scores' was made and is gone: there is no file .*scores.parquet"):
        loaded(tables_base, instance)


def some_partitions(tables_base: UPath, instance: dg.DagsterInstance, allow: bool) -> list[str]:
    """The partitions that a reader of all of them gets."""
    got: list[str] = []

    @dg.asset(ins={"scores": dg.AssetIn(metadata={"allow_missing_partitions": allow})})
    def reader(scores: Frames) -> None:
        got.extend(scores)

    run([by_setting(), reader], tables_base, instance, selection=[reader])
    return got


def test_a_partition_never_made_is_left_out_only_where_that_is_allowed(
    tables_base: UPath, instance: dg.DagsterInstance
) -> None:
    run([by_setting()], tables_base, instance, partition_key=KEYS[1])
    assert some_partitions(tables_base, instance, allow=True) == [KEYS[1]]
    with pytest.raises(UserError, match="has not been made for t0.0_p1.0, t0.8_p0.9. Run"):
        some_partitions(tables_base, instance, allow=False)


def test_a_partition_that_was_lost_is_never_left_out(tables_base: UPath, instance: dg.DagsterInstance) -> None:
    run([by_setting()], tables_base, instance, tags=RANGE)
    (tables_base / f"fidelity/scores/{KEYS[0]}.parquet").unlink()
    with pytest.raises(UserError, match=r"\(t0.0_p1.0\) was made and is gone"):
        some_partitions(tables_base, instance, allow=True)


def test_a_file_of_another_version_says_which_column(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    run([one_table(frame("a"))], UPath(tmp_path), instance)
    file = tmp_path / "fidelity/scores.parquet"
    pq.write_table(pq.read_table(file).rename_columns({"note": "remark"}), file)
    with pytest.raises(UserError, match="column note, remark is in the file or in the declaration, not in both"):
        loaded(UPath(tmp_path), instance)
