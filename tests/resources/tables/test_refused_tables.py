"""Rows that are not what the table declares: refused with the reason, and the table before stays."""

import itertools
from pathlib import Path

import dagster as dg
import pandas as pd
import pyarrow.parquet as pq
import pytest
from upath import UPath

from resources.errors import UserError
from resources.tables.parquet import TableFault
from resources.tables.parquet_tables import ParquetTables
from tests.stored_tables import (
    KEYS,
    ONE_RUN,
    PARTS,
    RANGE,
    TABLES,
    TOTALS,
    by_setting,
    files,
    frame,
    one_table,
    run,
)

pytestmark = pytest.mark.filterwarnings("ignore:Parameter `backfill_policy`")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (frame("a", score=1.2), "'scores', 1 rows: column 'score' holds 1.2, which fails less_than_or_equal_to"),
        (frame("a", "b", score=-0.5), "1 of 2 rows, first row 0"),
        (frame("a", "a", "b"), "do not tell 2 rows apart, such as object a"),
        (frame("a").drop(columns="note"), "column 'note' is missing"),
        (frame("a").drop(columns=["repeat_1", "repeat_10"]), "column 'repeat_1, ...' is missing"),
        (frame("a").assign(extra=1), "column 'extra' is not declared"),
        (frame("a").assign(object=None), "column 'object' may not be null"),
        (frame("a").assign(tokens=2.5), "column 'tokens' holds 2.5, which is not of kind 'whole'"),
        (frame("a").assign(score="high"), "column 'score' holds 'high', which is not of kind 'number'"),
        (frame("a").assign(reasons="a b"), "column 'reasons' holds 'a b', not a list of words"),
        (frame("a").assign(reasons=[[1]]), "column 'reasons' holds"),
        (None, "returned NoneType, not a DataFrame"),
    ],
)
def test_rows_that_break_the_declaration_are_refused_and_the_table_before_stays(
    tables_base: UPath, instance: dg.DagsterInstance, wrong: pd.DataFrame | None, words: str
) -> None:
    run([one_table(frame("before"))], tables_base, instance)
    before = (tables_base / "fidelity/scores.parquet").read_bytes()

    @dg.asset(name="scores")
    def scores() -> object:
        return wrong

    with pytest.raises(TableFault) as caught:
        run([scores], tables_base, instance)
    assert words in str(caught.value)
    assert "Nothing was stored." in str(caught.value)
    assert files(tables_base) == ["fidelity/scores.parquet"]
    assert (tables_base / "fidelity/scores.parquet").read_bytes() == before


@pytest.mark.fast
def test_one_wrong_partition_keeps_all_of_the_run_from_being_stored(
    tables_base: UPath, instance: dg.DagsterInstance
) -> None:
    made = {KEYS[0]: frame("a"), KEYS[1]: frame("b"), KEYS[2]: frame("c", score=2.0)}
    with pytest.raises(TableFault, match=r"\(t0.8_p0.9\), 1 rows: column 'score' holds 2"):
        run([by_setting(made)], tables_base, instance, tags=RANGE)
    assert not tables_base.exists() or files(tables_base) == []


@pytest.mark.fast
def test_a_write_that_breaks_off_leaves_no_trace_and_the_table_before(
    tables_base: UPath, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    run([by_setting()], tables_base, instance, tags=RANGE)
    before = {name: (tables_base / name).read_bytes() for name in files(tables_base)}
    written = itertools.count(1)

    def full_disk(*arguments: object, **options: object) -> None:
        if next(written) == 2:
            raise OSError(28, "No space left on device")
        write_table(*arguments, **options)

    write_table = pq.write_table
    monkeypatch.setattr(pq, "write_table", full_disk)
    made = {key: frame("changed") for key in KEYS}
    with pytest.raises(OSError, match="No space left"):
        run([by_setting(made)], tables_base, instance, tags=RANGE)
    assert {name: (tables_base / name).read_bytes() for name in files(tables_base)} == before


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ({KEYS[0]: frame("a")}, f"missing: {KEYS[1]}, {KEYS[2]}; not asked for: none"),
        ({key: frame("a") for key in [*KEYS, "t9.0_p1.0"]}, "missing: none; not asked for: t9.0_p1.0"),
        (frame("a"), "return a dict of partition key to DataFrame, not DataFrame"),
    ],
)
def test_a_run_stores_exactly_the_partitions_it_is_for(
    tmp_path: Path, instance: dg.DagsterInstance, made: object, words: str
) -> None:
    @dg.asset(name="scores", partitions_def=PARTS, backfill_policy=ONE_RUN)
    def scores() -> object:
        return made

    with pytest.raises(TableFault, match=words):
        run([scores], UPath(tmp_path), instance, tags=RANGE)
    assert files(UPath(tmp_path)) == []


def test_an_undeclared_table_is_an_error(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    @dg.asset
    def surprise() -> pd.DataFrame:
        return frame("a")

    with pytest.raises(UserError, match="Asset 'surprise' returns a table that is not declared"):
        run([surprise], UPath(tmp_path), instance)


def test_one_name_in_two_groups_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\['totals'\] are declared in group 'pairwise' and in another"):
        ParquetTables(tmp_path, {"fidelity": TABLES, "pairwise": {"totals": TOTALS}})
