"""Small files of records that the tests of this folder share."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Record = dict[str, Any]


def json_lines(path: Path, *records: Record | str) -> Path:
    """A text stands for a line as it is."""
    lines = (record if isinstance(record, str) else json.dumps(record) for record in records)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def csv_file(path: Path, *records: Record) -> Path:
    """Flat records; a null is a blank cell."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(records[0]))
        writer.writeheader()
        writer.writerows(records)
    return path


def parquet_file(path: Path, *records: Record) -> Path:
    pq.write_table(pa.Table.from_pylist(list(records)), path, row_group_size=2)
    return path


def score(sample_id: str, prediction: Any, truth: Any = 3.0, **fields: Any) -> Record:
    return {"sample_id": sample_id, "final_score": prediction, "mos": truth, **fields}


def answer(sample_id: str, prediction: Any, truth: Any = "B", **fields: Any) -> Record:
    return {"sample_id": sample_id, "answer": truth, "prediction": prediction, **fields}
