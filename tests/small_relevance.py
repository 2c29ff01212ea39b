"""Queries with scores of two judges, small enough to reason about, as files, and studies over them."""

import json
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
import yaml
from upath import UPath

from pipeline.definitions import definitions_of
from pipeline.runs import Outcome, run_reliability
from resources.configuration.load import read_configuration
from resources.runtime.home import Home
from resources.study import Study
from resources.tables.all_tables import TABLES
from resources.tables.parquet import read
from tests.small_study import without_drawing

JUDGES = ("judge1", "judge2")
# Scores of the two judges about the four documents of a query; relevant is a score above 0.5.
AGREED = ((0.9, 0.8, 0.2, 0.1), (0.8, 0.9, 0.1, 0.2))  # kappa 1
OPPOSED = ((0.9, 0.8, 0.2, 0.1), (0.1, 0.8, 0.8, 0.1))  # kappa 0: two of four labels differ, by 0.8 and 0.6
LENIENT = ((0.9, 0.8, 0.2, 0.4), (1.0, 0.9, 0.6, 0.8))  # kappa 0: all relevant to the second judge
Scores = tuple[Sequence[float], Sequence[float]]


def record(number: int, scores: Scores, query: str | None = None, text: str = "Document") -> dict[str, Any]:
    """One query with its documents and both judges' scores."""
    docs = [{"id": f"d{place}", "text": f"{text} {place} of query {number}."} for place in range(1, len(scores[0]) + 1)]
    found = {"id": f"q{number:02d}", "query": query or f"What is number {number}?", "docs": docs}
    return found | {f"{judge}_score": list(of_judge) for judge, of_judge in zip(JUDGES, scores, strict=True)}


def write_queries(path: Path, kinds: Sequence[Scores], **texts: str) -> Path:
    """One query for each of these pairs of scores."""
    records = [record(number, scores, **texts) for number, scores in enumerate(kinds, start=1)]
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return path


def write_answers(path: Path, kinds: Sequence[Scores], version: str = "recalibrated_v2") -> Path:
    """Both judges' recorded answers under another prompt, for the judge `recorded`."""
    rows = [
        {"query_id": f"q{number:02d}", "doc_id": f"d{place}", "judge": judge, "prompt_version": version, "score": score}
        for number, scores in enumerate(kinds, start=1)
        for judge, of_judge in zip(JUDGES, scores, strict=True)
        for place, score in enumerate(of_judge, start=1)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def relevance_study(
    folder: Path,
    first: Sequence[Scores],
    again: Sequence[Scores] | None = None,
    *,
    home: Path | None = None,
    **plan: Any,
) -> Study:
    """A study over these scores, with its configuration in its home.

    Args:
        folder: Where input and home go.
        first: Of each query, both judges' scores.
        again: The same under the next prompt, recorded; nobody could judge again where left out.
        home: Its home; `folder / "home"` where left out.
        plan: Further keys of the section `reliability`.
    """
    home = home or folder / "home"
    home.mkdir(parents=True, exist_ok=True)
    section: dict[str, Any] = {
        "queries": str(write_queries(folder / "queries.jsonl", first)),
        "bootstrap_resamples": 100,
        **plan,
    }
    if again is not None:
        path = str(write_answers(folder / "again.jsonl", again))
        section["recalibration"] = {"judges": {judge: {"kind": "recorded", "path": path} for judge in JUDGES}}
    file = home / "touchstone.yaml"
    file.write_text(yaml.safe_dump({"study": "small", "reliability": section}), encoding="utf-8")
    return study_in(home)


def study_in(home: Path) -> Study:
    """The study whose configuration `relevance_study` left in this home."""
    file = home / "touchstone.yaml"
    return Study(
        "small", None, Home(UPath(home), home), file=file, reliability_section=read_configuration(file).reliability
    )


def validate(study: Study, instance: dg.DagsterInstance, *, drawn: bool = False) -> Outcome:
    """The whole study through Dagster; plots, which take half of its time, where they are asked for."""
    with nullcontext() if drawn else without_drawing():
        return run_reliability(definitions_of(study), instance, study)


def validate_in(study: Study) -> Outcome:
    """The same with an instance that is forgotten."""
    with dg.DagsterInstance.ephemeral() as instance:
        return validate(study, instance)


def vote_on(study: Study, n_queries: int | None = None, reviewer: str = "ann", relevant: bool = True) -> int:
    """One reviewer's votes on that many disputed queries, all that are offered where left out; how many there were."""
    n = 0
    while n_queries is None or n < n_queries:
        task = study.reviews.next_query(reviewer)
        if task is None:
            break
        votes = dict.fromkeys((one.document_row for one in task.documents), relevant)
        study.reviews.vote(reviewer, f"{reviewer} {study.name} {task.query_row} {sorted(votes)}", votes)
        n += 1
    return n


def stored(study: Study, table: str) -> pd.DataFrame:
    """A table as it lies on disk, read by its declaration."""
    with (study.home.tables / "reliability" / f"{table}.parquet").open("rb") as file:
        return read(TABLES[table], file)
