"""Files next to the tables, for people and other programs: one strict JSON per data set, pictures as PNG and SVG."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.correlation.score_correlation import oriented
from analysis.undefined import UndefinedStatistic
from assets.evaluation.logic.results import correlation_values
from assets.evaluation.logic.rows import Sides, mapping_of, sides_of
from reports.evaluation.plots.evaluation import confusion, summary
from reports.evaluation.plots.scatter import scatter
from reports.shared.figure import FORMATS, figure_metadata, folder_metadata, save_figure
from resources.configuration.evaluation import Dataset
from resources.runtime.home import Home
from resources.runtime.partial_files import write_whole
from resources.runtime.provenance import Provenance

CURVE_POINTS = 200


def shown_and_saved(home: Home, dataset: str, name: str, picture: dict[str, Any]) -> dict[str, Any]:
    """The picture, as Vega-Lite reads it, for the UI's metadata, and its files."""
    folder = folder_of(home, dataset)
    for suffix in FORMATS:
        save_figure(picture, folder / f"{name}{suffix}")
    return {"plot": figure_metadata(picture), "pictures": folder_metadata(folder)}


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


def scatter_of(name: str, samples: pd.DataFrame, correlation: pd.DataFrame, dataset: Dataset) -> dict[str, Any]:
    """Prediction against truth with the mapped curve, coloured by the first grouping field."""
    sides = sides_of(samples, dataset)
    groups = samples[f"field.{dataset.group_by[0][0]}"] if dataset.group_by else None
    return scatter(
        sides.prediction,
        sides.truth,
        title=name,
        x_label="prediction" if dataset.higher_is_better else "prediction (lower is better)",
        y_label="truth",
        note=note_of(correlation),
        curve=curve_of(sides, dataset),
        identity=dataset.same_scale,
        groups=groups,
    ).specification()


def note_of(correlation: pd.DataFrame) -> str:
    """SRCC and PLCC with their intervals and n, as they are written on the plot."""
    lines = []
    for row in correlation[correlation["statistic"].isin(["srcc", "plcc"])].to_dict("records"):
        name = str(row["statistic"]).upper()
        if pd.isna(row["value"]):
            lines.append(f"{name} undefined")
        elif pd.isna(row["ci_low"]):
            lines.append(f"{name} {row['value']:.3f}")
        else:
            lines.append(f"{name} {row['value']:.3f} [{row['ci_low']:.3f}, {row['ci_high']:.3f}]")
    return "\n".join([*lines, f"n = {correlation['n_used'].iloc[0]}"])


def curve_of(sides: Sides, dataset: Dataset) -> tuple[np.ndarray, np.ndarray] | None:
    """The fitted mapping over the range of predictions; none where the data define none."""
    mapping = mapping_of(sides, dataset)
    if isinstance(mapping, UndefinedStatistic):
        return None
    prediction = sides.prediction
    places = np.linspace(prediction.min(), prediction.max(), CURVE_POINTS)
    return places, mapping.apply(oriented(places, dataset.higher_is_better))


def confusion_of(frame: pd.DataFrame) -> dict[str, Any]:
    """The matrix of the largest option set."""
    largest = frame.groupby("options")["count"].sum().idxmax()
    return confusion(frame[frame["options"] == largest]).specification()


def summary_of(frame: pd.DataFrame) -> dict[str, Any]:
    """All data sets with their intervals, and the means."""
    return summary(frame)
