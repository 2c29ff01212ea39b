"""Reads the list of objects to judge: the object that people scored and the one whose render is judged."""

from collections import defaultdict
from pathlib import Path

import pandas as pd
from upath import UPath

from resources.errors import listing
from resources.inputs.csv_files import read_csv_file
from resources.inputs.faults import Faults
from resources.inputs.fidelity.object_names import BadObjectName, ObjectName, parse_object_name

PATH = "output_glb_relpath"
COLUMNS = ("row", "object", "judged_object", "filename", "judged_filename")


def read_selected_objects(
    path: str | Path | UPath, algorithms: tuple[str, ...], filename_column: str = "3D Object filename"
) -> pd.DataFrame:
    """The objects that a study judges.

    Args:
        path: Local path or fsspec address of a CSV file.
        algorithms: Known algorithms, as in `parse_object_name`.
        filename_column: The column with the object that people scored.

    Returns:
        `COLUMNS`, in the file's order: `row` in the file, `object` from the file name, `judged_object` from
        `output_glb_relpath`. They are meant to be equal; where they differ, people scored another object than
        the render shows.

    Raises:
        FileFault: A name cannot be read, or an object is listed twice.
        FileFaults: Several such faults.
    """
    file = read_csv_file(path, [filename_column, PATH], "fidelity.columns")
    faults = Faults(file.name)
    if file.frame.empty:
        faults.add("there is no row below the header.", "List the objects, or leave `selected_objects` out.")
    records = []
    rows_of = defaultdict(list)
    for row, cells in file.records():
        scored = _name(cells, filename_column, algorithms, row, faults)
        judged = _name(cells, PATH, algorithms, row, faults)
        if scored is not None and judged is not None:
            records.append((row, scored.object, judged.object, scored.filename, judged.filename))
            rows_of[scored.object].append(row)
    for scored_object, rows in rows_of.items():
        if len(rows) > 1:
            problem = f"object '{scored_object}' in column '{filename_column}' is listed in rows {listing(rows)}."
            faults.add(problem, "Keep one of them.", rows[1])
    faults.raise_if_any()
    return pd.DataFrame.from_records(records, columns=list(COLUMNS))


def _name(
    cells: dict[str, str], column: str, algorithms: tuple[str, ...], row: int, faults: Faults
) -> ObjectName | None:
    try:
        return parse_object_name(cells[column], algorithms)
    except BadObjectName as error:
        faults.add(f"in column '{column}', {error.problem}", error.remedy, row)
        return None
