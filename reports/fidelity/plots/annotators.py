"""The plots of people next to the judge: the annotator test, few labels, retried calls."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reports.shared.figure import BLUE, GREY, ORANGE, RED, say_nothing_to_draw
from reports.shared.words import escaped as short

LONGEST_NAME = 24


def draw_annotator_test(figure: Any, frame: pd.DataFrame, everybody: str, needed: float) -> None:
    """On how many objects the judge, and on how many each annotator, is at least as near to the others.

    Args:
        figure: Where to draw.
        frame: Rows of `annotator_test` of one setting.
        everybody: The name of the row of the whole.
        needed: Winning rate asked for.
    """
    axes = figure.subplots()
    rows = frame[(frame["annotator"] != everybody) & frame["p"].notna()].reset_index(drop=True)
    whole = frame[frame["annotator"] == everybody]
    omega = _floats(whole["omega"])
    said = f"omega {omega[0]:.2f}, {needed:g} needed" if omega.size and np.isfinite(omega[0]) else "omega undefined"
    axes.set_title(f"{_setting(frame)}{said}")
    if rows.empty:
        say_nothing_to_draw(axes, "no annotator could be tested")
        return
    places = np.arange(len(rows))
    judge, person = _floats(rows["share_judge_better"]), _floats(rows["share_annotator_better"])
    axes.hlines(places, np.minimum(judge, person), np.maximum(judge, person), color=GREY, linewidth=1)
    axes.plot(person, places, "o", color=ORANGE, label="the annotator is at least as near")
    axes.plot(judge, places, "s", color=BLUE, label="the judge is at least as near")
    won = rows["rejected"].fillna(False).astype(bool)
    labels = [
        f"{short(name, LONGEST_NAME)} (n={count}{', won' if win else ''})"
        for name, count, win in zip(rows["annotator"], rows["n_instances"], won, strict=True)
    ]
    axes.set_yticks(places, labels, fontsize=8)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set(xlim=(-0.03, 1.03), xlabel="share of objects, nearness to the remaining annotators")
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(0, -0.18), ncols=2)


def draw_few_labels(figure: Any, frame: pd.DataFrame) -> None:
    """The mean human score against the number of labels: with the judge, without, and by the judge alone.

    Args:
        figure: Where to draw.
        frame: Rows of `few_labels` of one setting.
    """
    axes = figure.subplots()
    rows = frame[frame["prediction_powered"].notna()]
    axes.set_title(f"{_setting(frame)}the mean human score from few labels")
    if rows.empty:
        say_nothing_to_draw(axes, "too few labels")
        return
    labels = _floats(rows["n_labels"])
    kinds = (
        ("people_only", "labels alone", ORANGE, "o", 0.97),
        ("prediction_powered", "labels and judge", BLUE, "s", 1.0),
        ("judge_only", "judge alone", GREY, "^", 1.03),
    )
    for name, words, color, marker, shift in kinds:
        places = labels * shift
        axes.vlines(places, _floats(rows[f"{name}_low"]), _floats(rows[f"{name}_high"]), color=color)
        axes.plot(places, _floats(rows[name]), marker, color=color, label=words, markersize=5)
    axes.axhline(float(rows["all_labels"].iloc[0]), color=RED, linestyle="--", label="all labels")
    axes.set_xscale("log")
    axes.set_xticks(labels, [f"{n:.0f}" for n in labels], minor=False)
    axes.minorticks_off()
    axes.set(xlabel="labels", ylabel="mean score and interval (0-1)")
    axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5))


def draw_retried_calls(figure: Any, row: pd.DataFrame) -> None:
    """What retried calls score and miss next to the others, and their difference within objects.

    Args:
        figure: Where to draw.
        row: The row of `retried_calls` of one setting.
    """
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    figure.suptitle(f"{_setting(row)}{_counts(row)}", fontsize=10)
    if row.empty or not int(row["n_retried_calls"].iloc[0]):
        for axes in (left, right):
            say_nothing_to_draw(axes, "no call was tried again")
        return
    seen = row.iloc[0]
    for place, (kind, color) in enumerate((("retried", ORANGE), ("others", BLUE))):
        values = _floats(pd.Series([seen[f"mean_{kind}"], seen[f"mae_{kind}"]]))
        left.bar(np.arange(2) + 0.4 * place, np.nan_to_num(values), width=0.38, color=color, label=kind)
    left.set_xticks(np.arange(2) + 0.2, ["mean score", "mean abs. error\nagainst people"])
    left.set_ylabel("0-1")
    left.legend(frameon=False, fontsize=8)
    value, low, high = _floats(seen[["difference", "difference_low", "difference_high"]])
    if not np.isfinite(value):
        say_nothing_to_draw(right, "no difference within objects")
        return
    right.hlines(0, low, high, color=BLUE)
    right.plot([value], [0], "o", color=BLUE)
    right.axvline(0, color=RED, linestyle="--")
    right.set(yticks=[], xlabel="retried minus other repeats\nof the same object (0-1)")


def _counts(row: pd.DataFrame) -> str:
    if row.empty:
        return "retried calls"
    return f"{int(row['n_retried_calls'].iloc[0])} of {int(row['n_calls'].iloc[0])} calls tried again"


def _floats(values: pd.Series) -> NDArray[np.float64]:
    return pd.to_numeric(values).to_numpy(dtype=float, na_value=np.nan)


def _setting(frame: pd.DataFrame) -> str:
    return f"{frame['setting'].iloc[0]}: " if len(frame) else ""
