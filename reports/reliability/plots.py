"""The plots of study D: kappa over validations, kappa query by query, and how far the judges' scores lie apart."""

from collections.abc import Hashable
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.agreement.contingency import CONTINGENCY, PASSED, RESOLVED
from analysis.ties import snap
from reports.shared.figure import BLUE, DARK, GREY, PALE, RED, say_nothing_to_draw

# Which mark a validation's status has: the same as on the report's page.
MARKS: Final = {PASSED: "o", CONTINGENCY: "o", RESOLVED: "D"}
EDGES: Final = np.round(np.linspace(-1.0, 1.0, 21), 12)
# Next to the scale, where kappa has no place.
UNDEFINED_AT: Final = 1.15
WIDTH: Final = 0.092  # of a bar, in kappa
MOST_TICKS: Final = 12
# Of many judges there are many pairs.
MOST_PANELS: Final = 6


def panels_height_in(n_pairs: int) -> float:
    """The height in inches at which a panel per pair of judges stands well apart."""
    return 0.4 + 2.8 * max(1, min(n_pairs, MOST_PANELS))


def draw_kappa_history(figure: Any, history: pd.DataFrame, min_macro: float, min_micro: float) -> None:
    """Both kappas of every validation with intervals, what they have to reach, and what each led to.

    Args:
        figure: Drawn onto.
        history: Table `kappa_validation`.
        min_macro: What the macro has to reach.
        min_micro: What the micro has to reach.
    """
    axes = figure.subplots()
    if history.empty:
        say_nothing_to_draw(axes, "there is no validation yet")
        return
    numbers = np.arange(1, len(history) + 1)
    for name, color, line, beside in (("macro", BLUE, "-", -0.03), ("micro", DARK, ":", 0.03)):
        values, low, high = (
            history[f"kappa_{name}{side}"].to_numpy(dtype=np.float64) for side in ("", "_low", "_high")
        )
        axes.plot(numbers + beside, values, line, color=color, label=f"kappa {name}")
        axes.vlines(numbers + beside, low, high, color=color, linewidth=1)
        _marks(axes, numbers + beside, values, history["status"], color)
    for limit in sorted({min_macro, min_micro}):
        axes.axhline(limit, color=RED, linestyle="--", linewidth=1, label=f"needed {limit:g}")
    for status in dict.fromkeys(history["status"]):
        # One entry each in the legend, in no series' colour.
        filled = "white" if status == CONTINGENCY else GREY
        axes.plot([], [], MARKS[status], color=GREY, markerfacecolor=filled, label=status.replace("_", " "))
    ticks = numbers[:: -(-len(numbers) // MOST_TICKS)]
    axes.set_xticks(ticks)
    axes.set(xlabel="validation", ylabel="kappa", xlim=(0.5, len(numbers) + 0.5), ylim=(_lowest(history), 1.04))
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))


def draw_kappas(figure: Any, query_kappa: pd.DataFrame, low_kappa: float) -> None:
    """Queries by their kappa, one panel per pair of judges; those without a kappa next to the scale.

    Args:
        figure: Drawn onto.
        query_kappa: Table `query_kappa`.
        low_kappa: A kappa below it is low.
    """
    pairs = list(query_kappa.groupby(["judge_1", "judge_2"], sort=False))[:MOST_PANELS]
    if not pairs:
        say_nothing_to_draw(figure.subplots(), "there is no query")
        return
    for axes, ((one, other), rows) in zip(figure.subplots(len(pairs), 1, squeeze=False)[:, 0], pairs, strict=True):
        values = rows["kappa"].to_numpy(dtype=np.float64)
        low = rows["is_low"].to_numpy(dtype=bool)
        defined = np.isfinite(values)
        one_label = int((~defined & (rows["n_both"].to_numpy(dtype=np.int64) > 0)).sum())
        axes.hist(
            [values[low], values[defined & ~low]],
            bins=EDGES,
            stacked=True,
            color=[RED, BLUE],
            rwidth=0.92,
            label=[f"low ({int(low.sum())})", f"others ({int((defined & ~low).sum())})"],
        )
        axes.bar([UNDEFINED_AT], [one_label], WIDTH, color=PALE, label=f"0/0, one label ({one_label})")
        axes.axvline(low_kappa, color=RED, linestyle="--", linewidth=1)
        axes.set_xticks([-1.0, -0.5, 0.0, 0.5, 1.0, UNDEFINED_AT], ["-1", "-0.5", "0", "0.5", "1", "0/0"])
        axes.set(xlabel="kappa of the query", ylabel="queries", xlim=(-1.04, UNDEFINED_AT + 0.1))
        axes.set_title(f"{_short(one)} and {_short(other)}", parse_math=False)
        axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))


def draw_differences(figure: Any, differences: dict[tuple[str, str], NDArray[np.float64]], bias: pd.DataFrame) -> None:
    """The documents by score of judge 1 - judge 2, one panel per pair, with the shift of the same documents.

    Args:
        figure: Drawn onto.
        differences: By pair of judges, shape ``(n_documents,)``.
        bias: Table `bias_test`.
    """
    if not differences:
        say_nothing_to_draw(figure.subplots(), "no two judges scored the same documents")
        return
    shifts = bias[bias["test"] == "pooled"].set_index(["judge_1", "judge_2"])["shift"]
    shown = list(differences.items())[:MOST_PANELS]
    panels = figure.subplots(len(shown), 1, squeeze=False)[:, 0]
    for axes, ((one, other), values) in zip(panels, shown, strict=True):
        edges = np.round(np.linspace(-1.0, 1.0, 41), 12)
        axes.hist(snap(values, edges, 1.0), bins=edges.tolist(), color=BLUE, alpha=0.6)
        axes.axvline(0.0, color=DARK, linewidth=1)
        shift = shifts.get((one, other))
        if shift is not None and np.isfinite(shift):
            axes.axvline(float(shift), color=RED, linestyle="--", linewidth=1.4, label=f"shift {shift:+.3f}")
            axes.legend(frameon=False, fontsize=8)
        axes.set_title(f"{_short(one)} - {_short(other)}", parse_math=False)
        axes.set(xlabel="difference of the scores (0-1)", ylabel="documents", xlim=(-1.0, 1.0))


def _marks(axes: Any, places: NDArray[Any], values: NDArray[Any], statuses: pd.Series, color: str) -> None:
    for status, mark in MARKS.items():
        here = (statuses == status).to_numpy()
        filled = "white" if status == CONTINGENCY else color
        axes.plot(places[here], values[here], mark, color=color, markerfacecolor=filled, zorder=3)


def _lowest(history: pd.DataFrame) -> float:
    """Where the axis begins: at 0, lower where a bound is."""
    lowest = history[["kappa_macro", "kappa_micro", "kappa_macro_low", "kappa_micro_low"]].min().min()
    return min(0.0, float(lowest)) - 0.04


def _short(judge: Hashable) -> str:
    name = str(judge)
    return name if len(name) <= 30 else f"{name[:29]}…"
