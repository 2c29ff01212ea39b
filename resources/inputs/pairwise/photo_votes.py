"""The votes on photo pairs: a CSV with PhotoTriage's columns, or a list."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from upath import UPath

from analysis.preference.truth import agreements, contradicts_max_vote
from resources.configuration.pairwise import NEEDED_COLUMNS, OPTIONAL_COLUMNS
from resources.errors import FileFault, did_you_mean, listing
from resources.inputs.csv_files import CsvFile, read_csv_file
from resources.inputs.faults import BadRow, Faults
from resources.inputs.pairwise.photo_places import BY_FILE, BY_ID, PhotoNumber, photo_names, refuse_shared
from resources.inputs.record_files import JsonLines
from resources.inputs.written_columns import WrittenColumns, WrittenOtherwise

ENDINGS: Final = (".jsonl", ".ndjson")
NEEDED: Final = ("image_1", "image_2", "winner")
OPTIONAL: Final = ("strength", "num_reviewers", "series_id")
STRENGTH: Final = "strength"
_FIRST, _SECOND, _TIE = ("1", "image_1", "left", "a"), ("2", "image_2", "right", "b"), ("0", "tie", "none", "")
SERIES, FIRST, SECOND, LEFT, RIGHT = NEEDED_COLUMNS
FIRST_FILE, SECOND_FILE, AGREEMENT, MAX_VOTE, REVIEWERS, TOTAL, TIES = OPTIONAL_COLUMNS
CLUSTER: Final = "cluster"
FIRST_PHOTO, SECOND_PHOTO = "photo_1", "photo_2"
READ: Final = (
    *(SERIES, FIRST, SECOND, FIRST_FILE, SECOND_FILE, LEFT, RIGHT, TIES, REVIEWERS, CLUSTER),
    *(FIRST_PHOTO, SECOND_PHOTO, STRENGTH),
)
COUNTS: Final = (FIRST, SECOND, LEFT, RIGHT, MAX_VOTE, REVIEWERS, TOTAL, TIES)
LARGEST: Final = 1_000_000_000
DIGITS: Final = 6
# Agreement may be written with one decimal.
ROUNDING: Final = 0.05
_SERIES = re.compile(r"([0-9]{1,18})(\.0*)?")
_LEADS_OUT = r"(?:^|[\\/])\.\.(?:[\\/]|$)|^[\\/]|^[A-Za-z]:"
_FILE_NAME = r"^0*([0-9]+)-0*([0-9]+)\.[A-Za-z]+$"


def is_photo_list(path: str | Path | UPath) -> bool:
    """Whether the file's ending says that it is such a list."""
    return UPath(path).suffix.lower() in ENDINGS


def read_photo_list(path: str | Path | UPath) -> pd.DataFrame:
    """Every pair as a row of PhotoTriage's CSV would have it, all cells as text.

    Args:
        path: JSONL with `NEEDED` and perhaps `OPTIONAL` fields. `winner` is 1 or 2 (or left or right, a or b, or one of
            the two paths), 0, `tie` or null for none. `strength` is the share of votes for the winner, 0.5-1. Where
            `num_reviewers` is left out, each row counts as one vote. `series_id` is any whole number; where it is left
            out, it is the number before the last hyphen of the photos' names, as in `000123-02.JPG`.

    Returns:
        Columns series_id, compareID1, compareID2 (places in the order of the names of a series' photos), compareFile1,
        compareFile2 (the paths), LEFT, RIGHT, TIES, num_reviewers and strength (a number; missing where votes are
        counted); the index is the line.

    Raises:
        FileFault: One thing is wrong with the file.
        FileFaults: Several things are.
    """
    file = JsonLines(path)
    faults = Faults(file.name)
    rows: dict[int, dict[str, Any]] = {}
    for record in file.records():
        if isinstance(record, BadRow):
            faults.add(record.problem, record.remedy, record.row)
        elif (row := _row(record.fields, record.row, faults)) is not None:
            rows[record.row] = row
    faults.raise_if_any()
    if not rows:
        raise FileFault(file.name, "there is no pair in it.", "Export it again with its rows.")
    frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis("row")
    names = pd.concat([frame[["series_id", f"compareFile{side}"]].set_axis(["s", "f"], axis=1) for side in (1, 2)])
    places = {
        series: {name: str(place) for place, name in enumerate(sorted(set(part)))}
        for series, part in names.groupby("s")["f"]
    }
    for side in (1, 2):
        pairs = zip(frame["series_id"], frame[f"compareFile{side}"], strict=True)
        frame[f"compareID{side}"] = [places[series][name] for series, name in pairs]
    return frame


def _row(fields: Any, row: int, faults: Faults) -> dict[str, Any] | None:
    """One pair, or none where something is wrong with it."""
    if missing := [name for name in NEEDED if name not in fields]:
        remedy = (
            "`pairs_of: texts` reads battles of models." if "model_a" in fields else f"A pair has {listing(NEEDED, 9)}."
        )
        faults.add(f"field {listing(map(repr, missing))} is missing.", remedy, row)
        return None
    paths = [fields[name] for name in ("image_1", "image_2")]
    for name, path in zip(("image_1", "image_2"), paths, strict=True):
        if not isinstance(path, str) or not path.strip():
            faults.add(f"{path!r} in field '{name}' is no path.", "Write the photo's path below image_root.", row)
            return None
    side = _side(fields["winner"], paths)
    series = _series_of_list(fields.get("series_id"), paths)
    n, strength = fields.get("num_reviewers"), fields.get(STRENGTH)
    if side is None:
        faults.add(f"{fields['winner']!r} in field 'winner' names no photo.", "Write 1, 2 or tie.", row)
    elif series is None:
        problem = f"{paths[0]!r} and {paths[1]!r} do not say their series."
        faults.add(problem, "Add the field series_id, a whole number.", row)
    elif strength is not None and (not _is_number(strength) or not 0.5 <= strength <= 1):
        remedy = "It is the share of votes for the winner: divide a percentage by 100."
        faults.add(f"{strength!r} in field 'strength' is outside 0.5-1.", remedy, row)
    elif n is not None and (not _is_number(n) or n < 1 or n != int(n)):
        faults.add(f"{n!r} in field 'num_reviewers' is no whole number from 1.", "Correct it, or leave it out.", row)
    elif side and n is not None and strength is not None and 2 * round(strength * int(n)) <= n:
        problem = f"{strength!r} of {n!r} votes in fields 'strength' and 'num_reviewers' is no majority for the winner."
        faults.add(problem, "Correct the one that is wrong, or write tie.", row)
    else:
        return {"series_id": series, "compareFile1": paths[0], "compareFile2": paths[1]} | _votes(side, n, strength)
    return None


def _votes(side: int, n: float | None, strength: float | None) -> dict[str, Any]:
    """Votes for the first, the second and neither; one in all where their number is not given."""
    total = 1 if n is None else int(n)
    winning = total if n is None or strength is None else round(strength * total)
    counts = {"LEFT": winning, "RIGHT": total - winning, "TIES": 0}
    if side == 2:
        counts = {"LEFT": total - winning, "RIGHT": winning, "TIES": 0}
    elif side == 0:
        counts = {"LEFT": 0, "RIGHT": 0, "TIES": total}
    share = strength if n is None and side else None
    return {name: str(value) for name, value in (counts | {"num_reviewers": total}).items()} | {STRENGTH: share}


def _side(winner: Any, paths: list[str]) -> int | None:
    """1, 2, or 0 for a tie; none where it is none of them."""
    if winner in paths:
        return 1 + paths.index(winner)
    text = "" if winner is None else str(winner).strip().casefold().removesuffix(".0")
    return next((side for side, words in enumerate((_TIE, _FIRST, _SECOND)) if text in words), None)


def _series_of_list(stated: Any, paths: list[str]) -> str | None:
    if stated is not None:
        return str(stated).strip()
    found = {PurePosixPath(path.replace("\\", "/")).stem.rpartition("-")[0] for path in paths}
    return found.pop() if len(found) == 1 and "" not in found else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def read_photo_votes(
    path: str | Path | UPath,
    cluster_column: str | None = None,
    columns: Mapping[str, str] | None = None,
    photo_number: PhotoNumber = BY_ID,
) -> pd.DataFrame:
    """Every row of the file, in its order.

    LEFT and RIGHT decide. What else the file says of the votes must agree with them, and need not be there.

    Args:
        path: Local path or fsspec address of a CSV in PhotoTriage's form: `NEEDED_COLUMNS`, perhaps some of
            `OPTIONAL_COLUMNS`, and any others; or a JSONL list of pairs that names its photos (`photo_lists`).
        cluster_column: The column with what several series share, such as a scene; none: series share nothing.
        columns: Names of these columns in the file, where they differ.
        photo_number: Which photo a compareID means; a list says so itself.

    Returns:
        Columns series_id (six digits, however the file writes it), compareID1, compareID2, compareFile1, compareFile2
        (blank where the file has no such column), LEFT, RIGHT, TIES (votes for neither; 0 there), num_reviewers (the
        number of votes there), cluster (the series where no column is named), photo_1 and photo_2 (names without
        ending) and strength (a list's share for the winner where it counts no votes); the index is the row in the file.
        ``attrs["notes"]`` are sentences on how numbers were read.

    Raises:
        FileFault: One thing is wrong with the file.
        FileFaults: Several things are; all are listed in one message.
    """
    if is_photo_list(path):
        photo_number = BY_FILE  # it names them itself
        file = _listed(path, cluster_column)
    else:
        file = _opened(path, cluster_column, columns or {})
    if file.frame.empty:
        raise FileFault(file.name, "there is no row below the header.", "Export it again with its rows.")
    faults = Faults(file.name)
    counted = [name for name in COUNTS if name in file.frame.columns]
    read = pd.DataFrame({SERIES: _series(file, faults)} | {name: _whole(file, name, faults) for name in counted})
    if AGREEMENT in file.frame:
        read[AGREEMENT] = _agreement(file, faults)
    read[CLUSTER] = _clusters(file, cluster_column, faults) if cluster_column else read[SERIES]
    rows = read.dropna().astype(dict.fromkeys(counted, "int64"))
    if TIES not in rows:
        rows[TIES] = 0
    if REVIEWERS not in rows:
        rows[REVIEWERS] = rows[LEFT] + rows[RIGHT] + rows[TIES]
    rows = rows.assign(**{name: file.frame.loc[rows.index, name] for name in (FIRST_FILE, SECOND_FILE)})
    _refuse_files(rows, faults, file.names, numbered=photo_number == BY_ID)
    _refuse_clusters(rows, faults)
    _refuse_pairs(rows, faults, file.names)
    _refuse_votes(rows, faults, file.names)
    rows[FIRST_PHOTO], rows[SECOND_PHOTO] = photo_names(
        rows, photo_number, ((FIRST, FIRST_FILE), (SECOND, SECOND_FILE)), faults
    )
    if photo_number != BY_ID:
        refuse_shared(rows, ((FIRST, FIRST_PHOTO), (SECOND, SECOND_PHOTO)), faults)
    faults.raise_if_any()
    rows[STRENGTH] = pd.to_numeric(file.frame[STRENGTH].loc[rows.index]) if STRENGTH in file.frame else np.nan
    rows.attrs["notes"] = file.written.notes()
    return rows[list(READ)]


@dataclass(frozen=True)
class _Votes:
    """The file with our names for its columns; `names` has the file's own, for messages."""

    name: str
    frame: pd.DataFrame
    names: Mapping[str, str]
    written: WrittenColumns


def _opened(path: str | Path | UPath, cluster_column: str | None, columns: Mapping[str, str]) -> _Votes:
    """The columns that are read, and the one of the clusters as `CLUSTER`."""
    names = {name: columns.get(name, name) for name in (*NEEDED_COLUMNS, *OPTIONAL_COLUMNS)}
    # Who gives an optional column another name says that it is there.
    needed = [names[name] for name in names if name in NEEDED_COLUMNS or name in columns]
    optional = [*names.values(), *([] if cluster_column is None else [cluster_column])]
    file = read_csv_file(path, needed, "pairwise.columns", optional)
    there = list(file.frame.columns)
    if cluster_column is not None and cluster_column not in there:
        problem = f"column '{cluster_column}' is missing{did_you_mean(cluster_column, there)}."
        raise FileFault(file.name, problem, "Correct `cluster_column`, or add the column.", row=file.header_row)
    frame = pd.DataFrame({name: file.frame[theirs] for name, theirs in names.items() if theirs in there})
    if cluster_column is not None:
        frame[CLUSTER] = file.frame[cluster_column]
    for name in (FIRST_FILE, SECOND_FILE):
        if name not in frame:
            frame[name] = ""
    counted = [theirs for name, theirs in names.items() if name in (*COUNTS, AGREEMENT)]
    return _Votes(file.name, frame, names, file.as_written(counted))


def _listed(path: str | Path | UPath, cluster_column: str | None) -> _Votes:
    """A list that names its photos, as the CSV would have it."""
    frame = read_photo_list(path)
    name = UPath(path).name
    if cluster_column is not None:
        raise FileFault(name, f"a list of pairs has no column '{cluster_column}'.", "Leave `cluster_column` out.")
    written = CsvFile(name, frame, ",", 0).as_written([one for one in frame.columns if one in COUNTS])
    return _Votes(name, frame, {column: column for column in frame.columns}, written)


def series_name(cell: str) -> str | None:
    """The series as six digits or more: ``1``, ``1.0`` and ``000001`` are the same; null where it is no number."""
    found = _SERIES.fullmatch(cell)
    return None if found is None else f"{int(found[1]):0{DIGITS}d}"


def _series(file: _Votes, faults: Faults) -> pd.Series:
    cells = file.frame[SERIES]
    names = cells.map({cell: series_name(cell) for cell in cells.unique()})
    for row, cell in _cells(cells[names.isna()]):
        problem = f"series '{cell}' in column '{file.names[SERIES]}' is no number."
        faults.add(problem, "Photos are named by its digits and must lie in image_root: write digits only.", row)
    return names


def _clusters(file: _Votes, column: str, faults: Faults) -> pd.Series:
    """What several series share, as the file names it; missing where a cell is blank."""
    cells = file.frame[CLUSTER]
    for row, _ in _cells(cells[cells == ""]):
        faults.add(f"column '{column}' is blank.", "Write what the series shares with others, or its own name.", row)
    return cells.where(cells != "")


def _whole(file: _Votes, column: str, faults: Faults) -> pd.Series:
    """The column's counts; missing where a cell holds none."""
    numbers = _numbers(file, column)
    good = (numbers >= 0) & (numbers <= LARGEST) & (numbers == np.floor(numbers))
    for row, cell in _cells(file.frame[column][~good]):
        problem = f"'{cell}' in column '{file.names[column]}' is no whole number from 0 to {LARGEST:,}."
        faults.add(problem, "Correct it, or leave the row out.", row)
    return numbers.where(good)


def _agreement(file: _Votes, faults: Faults) -> pd.Series:
    """The winner's share of votes as the file has it; missing where a cell holds none."""
    cells, numbers = file.frame[AGREEMENT], _numbers(file, AGREEMENT)
    good = (numbers >= 0.5) & (numbers <= 1)
    for row, cell in _cells(cells[numbers.isna()]):
        faults.add(f"'{cell}' in column '{file.names[AGREEMENT]}' is no number.", "Write it with a point.", row)
    for row, cell in _cells(cells[numbers.notna() & ~good]):
        problem = f"agreement {cell} in column '{file.names[AGREEMENT]}' is outside 0.5-1."
        faults.add(problem, "It is the winner's share of votes: divide a percentage by 100.", row)
    return numbers.where(good)


def _refuse_files(rows: pd.DataFrame, faults: Faults, names: Mapping[str, str], *, numbered: bool) -> None:
    """File names that lead out of the image folder, or that name another photo than a numbering compareID does."""
    numbers = rows[SERIES].map({name: str(int(name)) for name in rows[SERIES].unique()})
    for column, place in ((FIRST_FILE, FIRST), (SECOND_FILE, SECOND)):
        cells = rows[column]
        out = cells.str.contains(_LEADS_OUT, regex=True)
        for row, cell in _cells(cells[out]):
            problem = f"'{cell}' in column '{names[column]}' leads out of image_root."
            faults.add(problem, "Write the photo's file name only.", row)
        if not numbered:
            continue
        named = cells[~out].str.extract(_FILE_NAME).dropna()
        there = rows.loc[named.index]
        other = (named[0] != numbers[named.index]) | (named[1] != (there[place] + 1).astype("str"))
        for row, one in _rows(there, other):
            problem = (
                f"'{one[column]}' in column '{names[column]}' is another photo than series {one[SERIES]} with "
                f"{names[place]} {one[place]}, which counts from 0."
            )
            remedy = "Correct the one that is wrong, leave the file name blank, or say `photo_number: file`."
            faults.add(problem, remedy, row)


def _refuse_clusters(rows: pd.DataFrame, faults: Faults) -> None:
    """Rows that put a series into another cluster than its first row does."""
    first = rows.drop_duplicates(SERIES).set_index(SERIES)[CLUSTER]
    for row, one in _rows(rows, rows[CLUSTER] != rows[SERIES].map(first)):
        problem = f"series {one[SERIES]} lies in cluster '{one[CLUSTER]}' here and in '{first[one[SERIES]]}' above."
        faults.add(problem, "A series has one cluster, which may hold others too: correct the one that is wrong.", row)


def _refuse_pairs(rows: pd.DataFrame, faults: Faults, names: Mapping[str, str]) -> None:
    """Pairs of a photo with itself, and the same order of the same pair twice."""
    for row, one in _rows(rows, rows[FIRST] == rows[SECOND]):
        both = f"columns '{names[FIRST]}' and '{names[SECOND]}'"
        problem = f"series {one[SERIES]} pairs image {one[FIRST]} in {both} with itself."
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


def _refuse_votes(rows: pd.DataFrame, faults: Faults, names: Mapping[str, str]) -> None:
    """Votes that contradict each other, or what the file says about them."""
    votes = rows[LEFT] + rows[RIGHT] + rows[TIES]
    for row, _ in _rows(rows, votes == 0):
        faults.add(f"'{names[LEFT]}' and '{names[RIGHT]}' are both 0: there is no vote.", "Leave the row out.", row)
    voted = rows[votes > 0]
    votes = votes[voted.index]
    if TOTAL in voted:
        for row, one in _rows(voted, voted[TOTAL] != votes):
            problem = f"{one[TOTAL]} in column '{names[TOTAL]}' is not the sum of {_said(one, names)}."
            faults.add(problem, "Correct the votes or their total.", row)
    for row, one in _rows(voted, voted[REVIEWERS] < votes):
        problem = f"{one[REVIEWERS]} in column '{names[REVIEWERS]}' are fewer people than votes ({_said(one, names)})."
        faults.add(problem, "Each person votes once on a row: correct the one that is wrong.", row)
    # Where all votes are for neither there is no winner whose share could be wrong.
    voted = voted[voted[LEFT] + voted[RIGHT] > 0]
    share = agreements(voted[LEFT], voted[RIGHT])
    given = voted.get(AGREEMENT, share)
    for row, one in _rows(voted, np.abs(share - given).round(9) > ROUNDING):
        problem = f"{one[AGREEMENT]:g} in column '{names[AGREEMENT]}' is not the winner's share of {_said(one, names)}."
        faults.add(problem, "Correct the votes or the agreement.", row)
    if MAX_VOTE not in voted:
        return
    contradicts = contradicts_max_vote(*(voted[name] for name in (LEFT, RIGHT, FIRST, SECOND, MAX_VOTE)))
    for row, one in _rows(voted, contradicts):
        images = f"{one[FIRST]} and {one[SECOND]}"
        problem = f"{one[MAX_VOTE]} in column '{names[MAX_VOTE]}' contradicts {_said(one, names)} for images {images}."
        faults.add(problem, "It is the compareID of the image with more votes, not 1 or 2: correct it.", row)


def _numbers(file: _Votes, column: str) -> pd.Series:
    cells, name = file.frame[column], file.names[column]

    def number(cell: str) -> float | None:
        try:
            return file.written.number(name, cell)
        except WrittenOtherwise:
            return None

    return cells.map({cell: number(cell) for cell in cells.unique()}).astype("float64")


def _cells(cells: pd.Series) -> Iterator[tuple[int, str]]:
    """Each cell with its row in the file."""
    return zip(cells.index.tolist(), cells.tolist(), strict=True)


def _rows(rows: pd.DataFrame, wrong: pd.Series | NDArray[np.bool_]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The wrong rows, each with its number in the file and its cells by column."""
    found = rows[np.asarray(wrong)]
    return zip(found.index.tolist(), found.to_dict("records"), strict=True)  # type: ignore[arg-type]


def _said(one: dict[str, Any], names: Mapping[str, str]) -> str:
    ties = f", {names[TIES]} {one[TIES]}" if one[TIES] else ""
    return f"{names[LEFT]} {one[LEFT]} and {names[RIGHT]} {one[RIGHT]}{ties}"
