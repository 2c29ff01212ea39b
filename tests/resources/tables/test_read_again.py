"""A small table that is read again: parsed once, the reader's own, and never that of a file's earlier content."""

from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from resources.errors import UserError
from resources.tables import parquet
from resources.tables.declare import Table
from resources.tables.parquet import read, write
from tests.stored_tables import SCORES, TOTALS, frame


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every file that is parsed from here on, however new."""
    monkeypatch.setattr(parquet, "TICK_NS", 0)
    files: list[object] = []
    whole = pq.ParquetFile
    monkeypatch.setattr(pq, "ParquetFile", lambda file: files.append(file) or whole(file))
    return files


def stored(folder: Path, *objects: str) -> Path:
    path = folder / "scores.partial"
    with path.open("wb") as file:
        write(SCORES, frame(*objects), file)
    return path.replace(folder / "scores.parquet")


def read_from(path: Path, table: Table = SCORES) -> pd.DataFrame:
    with path.open("rb") as file:
        return read(table, file, path=path)


def test_it_is_parsed_once_and_what_a_reader_changes_is_its_own(tmp_path: Path, parsed: list[object]) -> None:
    path = stored(tmp_path, "a", "b")
    first = read_from(path)
    as_read = first.copy()
    first.loc[0, "object"] = "changed"
    first["more"] = 1
    pd.testing.assert_frame_equal(read_from(path), as_read)
    assert len(parsed) == 1


def test_a_file_that_was_written_again_is_parsed_again(tmp_path: Path, parsed: list[object]) -> None:
    for name in ("a", "b"):  # of the same size
        assert read_from(stored(tmp_path, name))["object"].tolist() == [name]
    assert len(parsed) == 2


def test_a_file_of_this_moment_is_parsed_each_time(
    tmp_path: Path, parsed: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = stored(tmp_path, "a")
    monkeypatch.setattr(parquet, "TICK_NS", 10**12)
    read_from(path)
    read_from(path)
    assert len(parsed) == 2


def test_a_large_table_is_not_kept(tmp_path: Path, parsed: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    path = stored(tmp_path, "a")
    monkeypatch.setattr(parquet, "SMALL_BYTES", path.stat().st_size - 1)
    read_from(path)
    read_from(path)
    assert len(parsed) == 2


def test_another_declaration_refuses_what_one_has_read(tmp_path: Path) -> None:
    path = stored(tmp_path, "a")
    read_from(path)
    with pytest.raises(UserError, match="was stored by another version"):
        read_from(path, TOTALS)
