"""Reads a list of photo pairs that names its photos: JSONL with two image paths, the winner and how strong it was."""

import math
from pathlib import Path, PurePosixPath
from typing import Any, Final

import pandas as pd
from upath import UPath

from resources.errors import FileFault, listing
from resources.inputs.faults import BadRow, Faults
from resources.inputs.record_files import JsonLines

ENDINGS: Final = (".jsonl", ".ndjson")
NEEDED: Final = ("image_1", "image_2", "winner")
OPTIONAL: Final = ("strength", "num_reviewers", "series_id")
STRENGTH: Final = "strength"
_FIRST, _SECOND, _TIE = ("1", "image_1", "left", "a"), ("2", "image_2", "right", "b"), ("0", "tie", "none", "")


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
        faults.add(f"field {listing(map(repr, missing))} is missing.", f"A pair has {listing(NEEDED, 9)}.", row)
        return None
    paths = [fields[name] for name in ("image_1", "image_2")]
    for name, path in zip(("image_1", "image_2"), paths, strict=True):
        if not isinstance(path, str) or not path.strip():
            faults.add(f"{path!r} in field '{name}' is no path.", "Write the photo's path below image_root.", row)
            return None
    side = _side(fields["winner"], paths)
    series = _series(fields.get("series_id"), paths)
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


def _series(stated: Any, paths: list[str]) -> str | None:
    if stated is not None:
        return str(stated).strip()
    found = {PurePosixPath(path.replace("\\", "/")).stem.rpartition("-")[0] for path in paths}
    return found.pop() if len(found) == 1 and "" not in found else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
