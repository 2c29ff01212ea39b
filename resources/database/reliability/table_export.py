"""Writes ground truth in the shape of the table that others read: one query a row, one list of scores a judge."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from analysis.ties import compare
from resources.database.reliability.query_store import QueryStore
from resources.database.reliability.validation_store import ValidationStore
from resources.errors import UserError, listing
from resources.runtime.partial_files import whole_file

FORMATS = (".csv", ".jsonl", ".parquet")
Scores = list[float | None]


class ExportRow(NamedTuple):
    """One query; `scores` has for each judge one score a document, null where a judge gave none."""

    id: str
    query: str
    scores: tuple[Scores, ...]
    kappa: float | None
    expected_docs: list[str]
    human_override: bool
    override_reason: str | None
    prompt_version: str

    def fields(self, score_columns: Sequence[str]) -> dict[str, Any]:
        """The row by the table's column names."""
        fields = self._asdict()
        scores = fields.pop("scores")
        head = {"id": fields.pop("id"), "query": fields.pop("query")}
        return head | dict(zip(score_columns, scores, strict=True)) | fields


def numbered_columns(n_judges: int) -> list[str]:
    """`judge1_score`, `judge2_score`, ...: the judges in the study's order."""
    return [f"judge{number}_score" for number in range(1, n_judges + 1)]


def export_rows(
    queries: QueryStore, validations: ValidationStore, judges: Sequence[str], judgments: pd.DataFrame | None = None
) -> list[ExportRow]:
    """The study's ground truth, in the order of its queries.

    Args:
        queries: Where the scores are.
        validations: Where the ground truth is.
        judges: The study's judges, in their order.
        judgments: Table `judgments` of the latest run, without scores of another source than the configured one; all
            that the database has where left out.

    Raises:
        UserError: There is no ground truth, or it was written from other scores than those that are there now.
    """
    truth = validations.ground_truth_rows()
    if truth.empty:
        raise UserError(
            "There is no ground truth yet. Nothing was written. `touchstone reliability status` says what is due."
        )
    used = validations.ground_truth_scores()
    documents = queries.query_documents().groupby("query_id", sort=False)["doc_id"].agg(list).to_dict()
    frame = queries.judgments(judges) if judgments is None else judgments
    scores = _scores(frame, dict(zip(truth["query_id"], truth["prompt_version"], strict=True)))
    rows = []
    for one in truth.to_dict("records"):
        query_id = one["query_id"]
        known = scores.get(query_id, {})
        lists = tuple([known.get((judge, document)) for document in documents[query_id]] for judge in judges)
        _refuse_other_scores(query_id, lists, judges, used[query_id])
        rows.append(
            ExportRow(
                query_id,
                one["query"],
                lists,
                None if one["kappa"] != one["kappa"] else one["kappa"],
                one["expected_docs"],
                bool(one["human_override"]),
                one["override_reason"] if isinstance(one["override_reason"], str) else None,
                one["prompt_version"],
            )
        )
    return rows


def write_export_file(path: Path, rows: Sequence[ExportRow], *, overwrite: bool = False) -> None:
    """Write the rows as CSV (lists as JSON text), JSONL or Parquet, as the file's ending says; whole or not at all.

    Raises:
        UserError: It is a folder, the ending is another, or the file is there and `overwrite` is false.
    """
    if path.is_dir():
        name = path / "ground_truth.csv"
        raise UserError(f"{path} is a folder. Nothing was changed. Name a file in it, such as {name}.")
    if path.suffix.lower() not in FORMATS:
        raise UserError(f"{path}: '{path.suffix}' is not written. Nothing was changed. Use one of {listing(FORMATS)}.")
    if path.exists() and not overwrite:
        raise UserError(f"{path} is there already. Nothing was changed. Name another file, or add `--overwrite`.")
    columns = numbered_columns(len(rows[0].scores) if rows else 2)
    with whole_file(path) as part:
        records = [row.fields(columns) for row in rows]
        if path.suffix.lower() == ".parquet":
            with part.open("wb") as file:
                pq.write_table(pa.Table.from_pylist(records, schema=_schema(columns)), file)
        elif path.suffix.lower() == ".jsonl":
            lines = (json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n" for record in records)
            part.write_text("".join(lines), encoding="utf-8")
        else:
            with part.open("w", encoding="utf-8", newline="") as text:
                writer = csv.DictWriter(text, [field.name for field in _schema(columns)])
                writer.writeheader()
                writer.writerows({name: _cell(value) for name, value in record.items()} for record in records)


def _scores(frame: pd.DataFrame, versions: dict[str, str]) -> dict[str, dict[tuple[str, str], float]]:
    """Of each query the scores by judge and document, under the prompt version of its ground truth."""
    frame = frame[frame["score"].notna() & (frame["prompt_version"] == frame["query_id"].map(versions))]
    found: dict[str, dict[tuple[str, str], float]] = {}
    columns = [frame[name].tolist() for name in ("query_id", "judge", "doc_id", "score")]
    for query, judge, document, score in zip(*columns, strict=True):
        found.setdefault(query, {})[judge, document] = score
    return found


def _refuse_other_scores(
    query_id: str, lists: Sequence[Scores], judges: Sequence[str], used: dict[str, list[float | None]]
) -> None:
    """Ground truth that rests on other scores than those that would be written next to it."""
    now, then = _complete(lists), _complete([used.get(judge, []) for judge in judges])
    for judge, there, known in zip(judges, now, then, strict=True):
        if len(there) != len(known) or compare(there, known).any():
            raise UserError(
                f"The ground truth of query '{query_id}' was written before its scores of judge '{judge}' changed. "
                "Nothing was written. `touchstone run reliability` writes it anew; then export again."
            )


def _complete(lists: Sequence[Sequence[float | None]]) -> list[list[float]]:
    """Each judge's scores of the documents that all of them scored: documents of the others people decide."""
    whole = [
        place for place in range(len(lists[0])) if all(place < len(one) and one[place] is not None for one in lists)
    ]
    return [[float(one[place] or 0.0) for place in whole] for one in lists]


def _schema(score_columns: Sequence[str]) -> pa.Schema:
    return pa.schema(
        [
            ("id", pa.string()),
            ("query", pa.string()),
            *[(name, pa.list_(pa.float64())) for name in score_columns],
            ("kappa", pa.float64()),
            ("expected_docs", pa.list_(pa.string())),
            ("human_override", pa.bool_()),
            ("override_reason", pa.string()),
            ("prompt_version", pa.string()),
        ]
    )


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else value
