"""The evaluation's plots, drawn from its tables."""

from typing import Any

import numpy as np
import pandas as pd

from analysis.correlation.score_correlation import oriented
from analysis.undefined import UndefinedStatistic
from assets.evaluation.logic.rows import Sides, mapping_of, sides_of
from reports.evaluation.plots.evaluation import confusion, forest, summary
from reports.evaluation.plots.scatter import scatter
from resources.configuration.evaluation import Dataset

CURVE_POINTS = 200


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


def forest_of(frame: pd.DataFrame) -> dict[str, Any]:
    """Every group with its interval."""
    return forest(frame)


def summary_of(frame: pd.DataFrame) -> dict[str, Any]:
    """All data sets with their intervals, and the means."""
    return summary(frame)
