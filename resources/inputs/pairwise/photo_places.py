"""Where photos of a series lie: each by its name, in any spelling of its ending where the exact one is absent."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final, Literal

import pandas as pd

from resources.inputs.csv_files import read_csv_file
from resources.inputs.faults import Faults
from resources.runtime.opened_files import is_file, refuse_link_out

ENDING: Final = ".JPG"
# In this order, in any letter case, where the exact name is absent.
ENDINGS: Final = (".jpg", ".jpeg", ".png")
PhotoNumber = Literal["compareID+1", "file"] | Path
BY_ID: Final = "compareID+1"
BY_FILE: Final = "file"
MAPPED: Final = ("series_id", "compareID", "photo")
_NUMBERED = re.compile(r"0*([0-9]+)-0*([0-9]+)(\.[A-Za-z]+)?")
_WHOLE = re.compile(r"([0-9]{1,18})(\.0*)?")
_NUMBER = re.compile(r"0*([0-9]+)")


def photo_name(series: str, compare_id: int) -> str:
    """The photo's name without its ending: files count from 1, compareIDs from 0."""
    return f"{series}-{compare_id + 1:02d}"


@dataclass(frozen=True)
class PhotoPlaces:
    """The files of one folder, listed once; no folder is a folder without files."""

    root: Path
    _exact: frozenset[str]
    _any_case: Mapping[str, str]

    @cached_property
    def _prefix(self) -> str:
        return str(self.root / "x")[:-1]

    @classmethod
    def at(cls, root: Path) -> "PhotoPlaces":
        """The files that lie in the folder itself.

        Raises:
            UserError: One of them is a link that leads out of it.
        """
        names: list[str] = []
        if root.is_dir():
            with os.scandir(root) as entries:
                files = [entry for entry in entries if is_file(entry)]
            for entry in files:
                if entry.is_symlink():
                    refuse_link_out(root, Path(entry.path), "image_root")
            names = sorted(entry.name for entry in files)
        # Of names that differ only in letter case the first in the alphabet counts, on every machine the same.
        return cls(root, frozenset(names), {name.casefold(): name for name in reversed(names)})

    def place_of(self, name: str) -> tuple[str, bool]:
        """The photo's address and whether it is there; where it is not, the address at which it belongs."""
        exact = f"{name}{ENDING}"
        spellings = (self._any_case.get(f"{name}{ending}".casefold()) for ending in ENDINGS)
        found = exact if exact in self._exact else next((one for one in spellings if one is not None), None)
        # Joined as text: a Path for each of many thousand photos costs more than finding them.
        return f"{self._prefix}{found or exact}", found is not None


def photo_names(
    rows: pd.DataFrame, how: PhotoNumber, columns: tuple[tuple[str, str], ...], faults: Faults
) -> list[list[str]]:
    """Names of the photos without their ending, one list for each of `columns`.

    Args:
        rows: With series_id (six digits) and the columns below; the index is the row in the file.
        how: `compareID+1`, `file`, or a CSV with the columns `MAPPED`, whose `photo` is a number in the series or a
            file name.
        columns: Pairs of a compareID's and a file name's column.
        faults: Gets rows whose photo nothing names.
    """
    if how == BY_ID:
        return [
            [photo_name(series, place) for series, place in zip(rows["series_id"], rows[number], strict=True)]
            for number, _ in columns
        ]
    known = {} if how == BY_FILE else _mapped(Path(how))
    found = []
    for number, file in columns:
        names = []
        for row, series, place, cell in zip(rows.index, rows["series_id"], rows[number], rows[file], strict=True):
            said = cell if how == BY_FILE else known.get((int(series), int(place)), "")
            if not said and how == BY_FILE:
                remedy = "`photo_number: file` takes the photo from it: write the photo's file name."
                faults.add(f"column '{file}' is blank.", remedy, row)
            elif not said:
                problem = f"{Path(how).name} names no photo of series {series} with compareID {place}."
                faults.add(problem, "Add the row, or leave the pair out.", row)
            names.append(_name(series, said))
        found.append(names)
    return found


def refuse_shared(rows: pd.DataFrame, sides: tuple[tuple[str, str], ...], faults: Faults) -> None:
    """Note pairs of two compareIDs that mean one photo, and compareIDs that mean two.

    Args:
        rows: With series_id and the columns below; the index is the row in the file.
        sides: Pairs of a compareID's and its photo's column, of the first and the second photo.
        faults: Gets them.
    """
    meant: dict[tuple[str, int], str] = {}
    columns = [rows[name] for side in sides for name in side]
    for row, series, one, photo, other, second in zip(rows.index, rows["series_id"], *columns, strict=True):
        if photo == second and one != other:
            problem = f"compareIDs {one} and {other} of series {series} mean one photo, {photo}."
            faults.add(problem, "Correct the one that is wrong.", row)
        for place, name in ((one, photo), (other, second)):
            if (before := meant.setdefault((series, place), name)) != name:
                problem = f"compareID {place} of series {series} is {name} here and {before} above."
                faults.add(problem, "Correct the file name that is wrong.", row)


def _name(series: str, said: str) -> str:
    """`1-3.JPG`, `000001-03.jpg` and, in series 1, `3` are `000001-03`; other names stay, without their ending."""
    path = PurePosixPath(said.replace("\\", "/"))
    if (numbered := _NUMBERED.fullmatch(path.name)) is not None:
        name = f"{int(numbered[1]):06d}-{int(numbered[2]):02d}"
    elif (number := _NUMBER.fullmatch(said)) is not None:
        return f"{series}-{int(number[1]):02d}"
    else:
        name = path.stem
    return str(path.parent / name)


def _mapped(path: Path) -> dict[tuple[int, int], str]:
    """The photo by series and compareID.

    Raises:
        FileFault: The file is missing or wrong.
        FileFaults: Several rows are.
    """
    file = read_csv_file(path, MAPPED)
    faults = Faults(file.name)
    found: dict[tuple[int, int], str] = {}
    for row, one in file.frame.iterrows():
        whole = [_WHOLE.fullmatch(one[name]) for name in MAPPED[:2]]
        if whole[0] is None or whole[1] is None:
            problem = f"'{one['series_id']}' and '{one['compareID']}' are no series and compareID."
            faults.add(problem, "Write whole numbers.", int(str(row)))
            continue
        key = (int(whole[0][1]), int(whole[1][1]))
        if found.setdefault(key, one["photo"]) != one["photo"]:
            problem = (
                f"series {key[0]} with compareID {key[1]} has photo '{one['photo']}' here and '{found[key]}' above."
            )
            faults.add(problem, "Keep one of the rows.", int(str(row)))
    faults.raise_if_any()
    return found
