"""Reads people's votes on photo pairs, one row per pair and order shown; every fault with row, column and value."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from upath import UPath

from analysis.preference_truth import agreements, contradicts_max_vote
from resources.errors import FileFault
from resources.inputs.csv_files import CsvFile, read_csv_file
from resources.inputs.faults import Faults

SERIES, FIRST, SECOND, LEFT, RIGHT = "series_id", "compareID1", "compareID2", "LEFT", "RIGHT"
FIRST_FILE, SECOND_FILE = "compareFile1", "compareFile2"
AGREEMENT, MAX_VOTE, REVIEWERS, TOTAL = "Agreement", "MaxVote", "num_reviewers", "Total"
REQUIRED: Final = (SERIES, FIRST, SECOND, FIRST_FILE, SECOND_FILE, LEFT, RIGHT, AGREEMENT, MAX_VOTE, REVIEWERS)
COUNTS: Final = (FIRST, SECOND, LEFT, RIGHT, MAX_VOTE, REVIEWERS)
LARGEST: Final = 1_000_000_000
DIGITS: Final = 6
# Agreement may be written with one decimal.
ROUNDING: Final = 0.05

_SERIES = re.compile(r"([0-9]{1,18})(\.0*)?")
_LEADS_OUT = r"(?:^|[\\/])\.\.(?:[\\/]|$)|^[\\/]|^[A-Za-z]:"
_FILE_NAME = r"^0*([0-9]+)-0*([0-9]+)\.[A-Za-z]+$"


def read_photo_votes(path: str | Path | UPath) -> pd.DataFrame:
    """Every row of the file, in its order.

    Args:
        path: Local path or fsspec address of a CSV in PhotoTriage's form; columns beyond `REQUIRED` may be there.

    Returns:
        Columns series_id (six digits, however the file writes it), compareID1, compareID2, compareFile1, compareFile2,
        LEFT, RIGHT and num_reviewers; the index is the row in the file.

    Raises:
        FileFault: One thing is wrong with the file.
        FileFaults: Several things are; all are listed in one message.
    """
    file = read_csv_file(path, REQUIRED)
    if file.frame.empty:
        raise FileFault(file.name, "there is no row below the header.", "Export it again with its rows.")
    faults = Faults(file.name)
    counted = [*COUNTS, *([TOTAL] if TOTAL in file.frame.columns else [])]
    read = pd.DataFrame({SERIES: _series(file, faults)} | {name: _whole(file, name, faults) for name in counted})
    read[AGREEMENT] = _agreement(file, faults)
    rows = read.dropna().astype(dict.fromkeys(counted, "int64"))
    rows = rows.assign(**{name: file.frame.loc[rows.index, name] for name in (FIRST_FILE, SECOND_FILE)})
    _refuse_files(rows, faults)
    _refuse_pairs(rows, faults)
    _refuse_votes(rows, faults)
    faults.raise_if_any()
    return rows[[SERIES, FIRST, SECOND, FIRST_FILE, SECOND_FILE, LEFT, RIGHT, REVIEWERS]]


def series_name(cell: str) -> str | None:
    """The series as six digits or more: ``1``, ``1.0`` and ``000001`` are the same; null where it is no number."""
    found = _SERIES.fullmatch(cell)
    return None if found is None else f"{int(found[1]):0{DIGITS}d}"


def _series(file: CsvFile, faults: Faults) -> pd.Series:
    cells = file.frame[SERIES]
    names = cells.map({cell: series_name(cell) for cell in cells.unique()})
    for row, cell in _cells(cells[names.isna()]):
        problem = f"series '{cell}' in column '{SERIES}' is no number."
        faults.add(problem, "Photos are named by its digits and must lie in image_root: write digits only.", row)
    return names


def _whole(file: CsvFile, column: str, faults: Faults) -> pd.Series:
    """The column's counts; missing where a cell holds none."""
    numbers = _numbers(file, column)
    good = (numbers >= 0) & (numbers <= LARGEST) & (numbers == np.floor(numbers))
    for row, cell in _cells(file.frame[column][~good]):
        problem = f"'{cell}' in column '{column}' is no whole number from 0 to {LARGEST:,}."
        faults.add(problem, "Correct it, or leave the row out.", row)
    return numbers.where(good)


def _agreement(file: CsvFile, faults: Faults) -> pd.Series:
    """The winner's share of votes as the file has it; missing where a cell holds none."""
    cells, numbers = file.frame[AGREEMENT], _numbers(file, AGREEMENT)
    good = (numbers >= 0.5) & (numbers <= 1)
    for row, cell in _cells(cells[numbers.isna()]):
        faults.add(f"'{cell}' in column '{AGREEMENT}' is no number.", "Write it with a point.", row)
    for row, cell in _cells(cells[numbers.notna() & ~good]):
        problem = f"agreement {cell} in column '{AGREEMENT}' is outside 0.5-1."
        faults.add(problem, "It is the winner's share of votes: divide a percentage by 100.", row)
    return numbers.where(good)


def _refuse_files(rows: pd.DataFrame, faults: Faults) -> None:
    """File names that lead out of the image folder, or that name another photo than series and compareID do."""
    numbers = rows[SERIES].map({name: str(int(name)) for name in rows[SERIES].unique()})
    for column, place in ((FIRST_FILE, FIRST), (SECOND_FILE, SECOND)):
        cells = rows[column]
        out = cells.str.contains(_LEADS_OUT, regex=True)
        for row, cell in _cells(cells[out]):
            problem = f"'{cell}' in column '{column}' leads out of image_root."
            faults.add(problem, "Write the photo's file name only.", row)
        named = cells[~out].str.extract(_FILE_NAME).dropna()
        there = rows.loc[named.index]
        other = (named[0] != numbers[named.index]) | (named[1] != (there[place] + 1).astype("str"))
        for row, one in _rows(there, other):
            problem = (
                f"'{one[column]}' in column '{column}' is another photo than series {one[SERIES]} with {place} "
                f"{one[place]}, which counts from 0."
            )
            faults.add(problem, "Correct the one that is wrong, or leave the file name blank.", row)


def _refuse_pairs(rows: pd.DataFrame, faults: Faults) -> None:
    """Pairs of a photo with itself, and the same order of the same pair twice."""
    for row, one in _rows(rows, rows[FIRST] == rows[SECOND]):
        problem = f"series {one[SERIES]} pairs image {one[FIRST]} in columns '{FIRST}' and '{SECOND}' with itself."
        faults.add(problem, "Correct a compareID, or leave the row out.", row)
    key = [SERIES, FIRST, SECOND]
    again = rows.duplicated(key)
    if not again.any():
        return
    first = {tuple(one[name] for name in key): row for row, one in _rows(rows, ~again)}
    for row, one in _rows(rows, again):
        problem = (
            f"series {one[SERIES]} shows images {one[FIRST]} and {one[SECOND]} in this order in row "
            f"{first[one[SERIES], one[FIRST], one[SECOND]]} too."
        )
        faults.add(problem, "Keep one of the rows, or add their votes.", row)


def _refuse_votes(rows: pd.DataFrame, faults: Faults) -> None:
    """Votes that contradict each other, or what the file says about them."""
    votes = rows[LEFT] + rows[RIGHT]
    for row, _ in _rows(rows, votes == 0):
        faults.add(f"'{LEFT}' and '{RIGHT}' are both 0: nobody voted.", "Leave the row out.", row)
    voted = rows[votes > 0]
    votes = votes[voted.index]
    if TOTAL in voted:
        for row, one in _rows(voted, voted[TOTAL] != votes):
            problem = f"{one[TOTAL]} in column '{TOTAL}' is not the sum of {_said(one)}."
            faults.add(problem, "Correct the votes or their total.", row)
    for row, one in _rows(voted, voted[REVIEWERS] < votes):
        problem = f"{one[REVIEWERS]} in column '{REVIEWERS}' are fewer people than votes ({_said(one)})."
        faults.add(problem, "Each person votes once on a row: correct the one that is wrong.", row)
    share = agreements(voted[LEFT], voted[RIGHT])
    for row, one in _rows(voted, np.abs(share - voted[AGREEMENT]).round(9) > ROUNDING):
        problem = f"{one[AGREEMENT]:g} in column '{AGREEMENT}' is not the winner's share of {_said(one)}."
        faults.add(problem, "Correct the votes or the agreement.", row)
    contradicts = contradicts_max_vote(*(voted[name] for name in (LEFT, RIGHT, FIRST, SECOND, MAX_VOTE)))
    for row, one in _rows(voted, contradicts):
        images = f"{one[FIRST]} and {one[SECOND]}"
        problem = f"{one[MAX_VOTE]} in column '{MAX_VOTE}' contradicts {_said(one)} for images {images}."
        faults.add(problem, "MaxVote is the compareID of the image with more votes, not 1 or 2: correct it.", row)


def _numbers(file: CsvFile, column: str) -> pd.Series:
    cells = file.frame[column]
    return cells.map({cell: file.number(cell) for cell in cells.unique()}).astype("float64")


def _cells(cells: pd.Series) -> Iterator[tuple[int, str]]:
    """Each cell with its row in the file."""
    return zip(cells.index.tolist(), cells.tolist(), strict=True)


def _rows(rows: pd.DataFrame, wrong: pd.Series | NDArray[np.bool_]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The wrong rows, each with its number in the file and its cells by column."""
    found = rows[np.asarray(wrong)]
    return zip(found.index.tolist(), found.to_dict("records"), strict=True)  # type: ignore[arg-type]


def _said(one: dict[str, Any]) -> str:
    return f"LEFT {one[LEFT]} and RIGHT {one[RIGHT]}"
