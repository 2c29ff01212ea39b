"""Files next to the tables, for people and other programs: one strict JSON per data set, pictures as PNG and SVG."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from assets.evaluation.logic.results import correlation_values
from reports.shared.figure import FORMATS, figure_metadata, folder_metadata, save_figure
from resources.runtime.home import Home
from resources.runtime.partial_files import write_whole
from resources.runtime.provenance import Provenance


def shown_and_saved(home: Home, dataset: str, name: str, picture: dict[str, Any]) -> dict[str, Any]:
    """The picture, as Vega-Lite reads it, for the UI's metadata, and its files."""
    folder = folder_of(home, dataset)
    for suffix in FORMATS:
        save_figure(picture, folder / f"{name}{suffix}")
    return {
        "plot": figure_metadata(picture),
        "pictures": folder_metadata(folder),
    }


def save_results(home: Home, dataset: str, tables: dict[str, pd.DataFrame], made: Provenance) -> Path:
    """One JSON with everything that the data set's tables say: null where a number is undefined, never NaN."""
    own = {dataset: made.inputs[dataset]} if dataset in made.inputs else {}
    results: dict[str, Any] = {"dataset": dataset, "provenance": replace(made, inputs=own).as_json()}
    rows = {name: plain_rows(frame) for name, frame in tables.items()}
    if rows.get("correlation"):
        results |= correlation_values(rows.pop("correlation"))
    results |= {name: found for name, found in rows.items() if found}
    path = folder_of(home, dataset) / "results.json"
    write_whole(path, json.dumps(results, indent=1, allow_nan=False, ensure_ascii=False) + "\n")
    return path


def plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as JSON takes them: plain numbers in full, null for what is missing."""
    plain = frame.drop(columns="dataset").astype("object")
    return [
        {str(name): value for name, value in row.items()} for row in plain.where(plain.notna(), None).to_dict("records")
    ]


def folder_of(home: Home, dataset: str) -> Path:
    """Where a data set's files lie."""
    return home.outputs / "evaluation" / dataset
