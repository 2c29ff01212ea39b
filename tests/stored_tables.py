"""Assets and rows for tests of stored tables."""

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import numpy as np
import pandas as pd
import pytest
from upath import UPath

from resources.tables.declare import Column, Table, flag, number, text, texts, time, whole
from resources.tables.parquet_tables import Frames, ParquetTables

KEYS = ["t0.0_p1.0", "t0.2_p0.95", "t0.8_p0.9"]
PARTS = dg.StaticPartitionsDefinition(KEYS)
ONE_RUN = dg.BackfillPolicy.single_run()
RANGE = {"dagster/asset_partition_range_start": KEYS[0], "dagster/asset_partition_range_end": KEYS[-1]}

SCORES = Table(
    "scores",
    "Scores.",
    (
        text("object", "Object."),
        number("score", "Score.", "0-1", nullable=True, low=0.0, high=1.0),
        whole("tokens", "Tokens.", "tokens", nullable=True),
        flag("seen", "Seen.", nullable=True),
        texts("reasons", "Reasons.", nullable=True),
        time("at", "When.", nullable=True),
        text("note", "Note.", nullable=True),
        Column(r"repeat_\d+", "number", "Repeat.", "0-1", nullable=True, pattern=True),
    ),
    ("object",),
)
TOTALS = Table("totals", "Totals.", (text("setting", "Setting."), number("mean", "Mean.", "0-1")), ("setting",))
TABLES = {"scores": SCORES, "totals": TOTALS}
numbers = itertools.count()


@pytest.fixture(params=["disk", pytest.param("memory", marks=pytest.mark.slow)])
def tables_base(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[UPath]:
    """An empty folder, on a disk and on a file system that is none."""
    if request.param == "disk":
        yield UPath(tmp_path / "tables")
        return
    folder = UPath(f"memory://tables{next(numbers)}")
    yield folder
    if folder.exists():
        folder.fs.rm(folder.path, recursive=True)


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    """Dagster's memory of what was made."""
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


def frame(*objects: str, score: float | None = 0.5) -> pd.DataFrame:
    """Rows with a value of every kind, the first one full and the others null where they may be."""
    n = len(objects)
    return pd.DataFrame(
        {
            "repeat_1": [0.25] * n,
            "repeat_10": [np.nan] * n,
            "object": list(objects),
            "score": [score] + [None] * (n - 1) if n else [],
            "tokens": [2**53 + 1] + [None] * (n - 1) if n else [],
            "seen": [True] + [None] * (n - 1) if n else [],
            "reasons": [["a", "b"]] + [None] * (n - 1) if n else [],
            "at": [datetime(2026, 3, 29, 1, 30, 0, 123456, tzinfo=UTC)] + [None] * (n - 1) if n else [],
            "note": ["n"] + [None] * (n - 1) if n else [],
        },
        dtype="object",
    )


def one_table(made: pd.DataFrame | Exception) -> dg.AssetsDefinition:
    """Asset `scores` without partitions that returns this frame."""

    @dg.asset(name="scores")
    def scores() -> pd.DataFrame:
        if isinstance(made, Exception):
            raise made
        return made

    return scores


def by_setting(made: dict[str, pd.DataFrame] | None = None) -> dg.AssetsDefinition:
    """Asset `scores` by setting; one row whose object is the setting's key unless told otherwise."""

    @dg.asset(name="scores", partitions_def=PARTS, backfill_policy=ONE_RUN)
    def scores(context: dg.AssetExecutionContext) -> Frames:
        return made if made is not None else {key: frame(key) for key in context.partition_keys}

    return scores


def run(
    assets: list[dg.AssetsDefinition], base: UPath, instance: dg.DagsterInstance, **options: object
) -> dg.ExecuteInProcessResult:
    """Materialise through Dagster with the manager under test."""
    manager = ParquetTables(base, {"fidelity": TABLES})
    return dg.materialize(assets, resources={"io_manager": manager}, instance=instance, **options)  # type: ignore[arg-type]


def files(base: UPath) -> list[str]:
    """Every file below the base, left-overs too."""
    return sorted(str(path)[len(str(base)) + 1 :] for path in base.rglob("*") if path.is_file())


def loaded(base: UPath, instance: dg.DagsterInstance) -> object:
    """What a reader of `scores` gets in a later run."""
    got: list[object] = []

    @dg.asset(ins={"scores": dg.AssetIn()})
    def reader(scores: object) -> None:
        got.append(scores)

    run([one_table(pd.DataFrame()), reader], base, instance, selection=[reader])
    return got[0]
