"""The plots of study B: accuracy, also by agreement and against time, who is distinguishable, strengths of photos."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.preference.accuracy import BANDS
from analysis.preference.significance import CHANCE
from reports.shared.figure import BLUE, DARK, GREY, ORANGE, PALE, RED, say_nothing_to_draw
from reports.shared.words import escaped as short
from resources.tables.pairwise_rows import chance_of, letters_of, measured

BAND_COLORS = (PALE, BLUE, DARK)
LONGEST_NAME = 32
NARROWEST = 2.0
COLORS = {"better": BLUE, "open": GREY, "worse": RED}
WORDS = {
    "better": "significantly better than chance",
    "open": "not significantly different from chance",
    "worse": "significantly worse",
}


def forest_height_in(n_methods: int) -> float:
    """The height, in inches, at which so many methods stand well apart."""
    return 1.4 + 0.27 * n_methods


def draw_accuracies(figure: Any, metrics: pd.DataFrame, level: float, units: str) -> None:
    """Accuracy of each method with its interval, the best on top; unavailable methods below, by name.

    Args:
        figure: Where to draw.
        metrics: Table `method_metrics`.
        level: What a sure p lies below.
        units: What intervals take as independent, in words.
    """
    axes, shown, _lacking = _forest(figure, metrics)
    if shown.empty:
        return
    values, low, high = (_floats(shown[name]) for name in ("accuracy", "accuracy_low", "accuracy_high"))
    kinds = np.array([chance_of(row, level) for row in shown.to_dict("records")])
    for kind, color in COLORS.items():
        places = np.flatnonzero(kinds == kind)
        if places.size:
            axes.hlines(places, low[places], high[places], color=color, linewidth=1.8)
            axes.plot(values[places], places, "o", color=color, markersize=5, label=WORDS[kind])
    for place, value in enumerate(values):
        label = {"transform": axes.get_yaxis_transform(), "va": "center", "fontsize": 8, "color": DARK}
        axes.text(1.01, place, f"{value:.3f}", **label)
    n, n_clusters = int(shown["n"].max()), int(shown["n_clusters"].max())
    axes.set(xlabel="accuracy (a tie counts half)", title=f"How often each method picks people's choice, {n:,} pairs")
    chance = f"chance; intervals over {n_clusters:,} {units}"
    axes.axvline(CHANCE, color=GREY, linestyle="--", linewidth=1, label=chance)
    _legend(figure, axes)


def draw_agreement_bands(figure: Any, metrics: pd.DataFrame) -> None:
    """Accuracy of each method where people agree somewhat, mostly, and almost all.

    Args:
        figure: Where to draw.
        metrics: Table `method_metrics`.
    """
    axes, shown, _ = _forest(figure, metrics)
    if shown.empty:
        return
    for shift, (band, least, most), color in zip((-0.22, 0.0, 0.22), BANDS, BAND_COLORS, strict=True):
        words = f"{100 * least:g} to {100 * most:g} %" if most < 1 else f"{100 * least:g} % and more"
        values, low, high = (_floats(shown[f"accuracy_{band}{end}"]) for end in ("", "_low", "_high"))
        places = np.arange(len(shown)) + shift
        axes.hlines(places, low, high, color=color, linewidth=1.4)
        n = int(shown[f"n_{band}"].max())
        axes.plot(values, places, "o", color=color, markersize=4, label=f"agreement {words} ({n:,} pairs)")
    axes.axvline(CHANCE, color=GREY, linestyle="--", linewidth=1)
    axes.set(xlabel="accuracy (a tie counts half)", title="Accuracy by how far people agree")
    _legend(figure, axes)


def draw_speed(figure: Any, metrics: pd.DataFrame) -> None:
    """Accuracy against what a method alone would take per pair.

    Args:
        figure: Where to draw.
        metrics: Table `method_metrics`.
    """
    axes = figure.subplots()
    shown = metrics[metrics["accuracy"].notna() & (_floats(metrics["avg_time_ms"]) > 0)]
    axes.set(xlabel="time per pair (ms, logarithmic)", ylabel="accuracy", title="Speed against accuracy")
    if shown.empty:
        say_nothing_to_draw(axes, "no method has both a time and an accuracy")
        return
    times, values = _floats(shown["avg_time_ms"]), _floats(shown["accuracy"])
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.xaxis.set_minor_formatter(lambda value, _: f"{value:g}")
    axes.tick_params(axis="x", which="both", labelsize=8, rotation=30)
    axes.vlines(times, _floats(shown["accuracy_low"]), _floats(shown["accuracy_high"]), color=PALE, linewidth=1.2)
    axes.plot(times, values, "o", color=BLUE, markersize=5)
    # Methods of one stage take the same time, so that their names would lie on one another: only the best is named.
    best = shown.assign(_time=np.round(np.log10(times), 2)).sort_values("accuracy").groupby("_time").tail(1)
    for row in best.to_dict("records"):
        at = (float(row["avg_time_ms"]), float(row["accuracy"]))
        axes.annotate(short(row["method"], LONGEST_NAME), at, (5, 4), textcoords="offset points", fontsize=8)
    axes.axhline(CHANCE, color=GREY, linestyle="--", linewidth=1)
    axes.margins(x=0.25)
    if times.max() < NARROWEST * times.min():
        # Of methods that all cost the same the axis would have no length.
        axes.set_xlim(times.min() / NARROWEST, times.max() * NARROWEST)


def draw_significance(figure: Any, rows: pd.DataFrame) -> None:
    """Differences between all couples of methods; those that Holm separates are coloured and have their number.

    Args:
        figure: Where to draw.
        rows: Table `method_significance`.
    """
    axes = figure.subplots()
    if rows.empty:
        say_nothing_to_draw(axes, "fewer than two methods to compare")
        return
    letters = letters_of(rows)
    names = list(letters)
    place = {name: number for number, name in enumerate(names)}
    cells: NDArray[np.float64] = np.full((len(names), len(names)), np.nan)
    for row in rows.to_dict("records"):
        if row["separated"] and not pd.isna(row["difference"]):
            cells[place[row["method_2"]], place[row["method_1"]]] = float(row["difference"])
    largest = float(np.nanmax(cells)) if np.isfinite(cells).any() else 1.0
    image = axes.imshow(cells, cmap="Blues", vmin=0.0, vmax=largest, aspect="auto")
    for (down, across), value in np.ndenumerate(cells):
        if np.isfinite(value):
            color = "white" if value > 0.6 * largest else DARK
            axes.text(across, down, f"{100 * value:.0f}", ha="center", va="center", fontsize=7, color=color)
        elif down > across:
            axes.text(across, down, "·", ha="center", va="center", color=GREY)
    labels = [f"{short(name, LONGEST_NAME)}  {letters[name]}" for name in names]
    axes.set_yticks(range(len(names)), labels, fontsize=8)
    axes.set_xticks(
        range(len(names)), [short(name, LONGEST_NAME) for name in names], fontsize=8, rotation=60, ha="right"
    )
    title = "By how many points of accuracy (0-100) the column beats the row; a dot: not distinguishable"
    axes.set_title(title, fontsize=9)
    figure.colorbar(image, ax=axes, label="difference in accuracy")


def draw_strengths(figure: Any, strengths: pd.DataFrame) -> None:
    """How the photos' strengths spread, and how surely they are known by how many votes there are.

    Args:
        figure: Where to draw.
        strengths: Table `bradley_terry`.
    """
    left, right = figure.subplots(1, 2)
    left.set(xlabel="strength in its component (log odds)", ylabel="photos")
    right.set(xlabel="votes about the photo", ylabel="standard error (log odds)")
    if strengths.empty:
        for axes in (left, right):
            say_nothing_to_draw(axes, "no photo has a strength")
        return
    held = strengths["regularised"].to_numpy(dtype=bool)
    values = _floats(strengths["strength"])
    parts = [(values[~held], "by votes", BLUE), (values[held], "held by the prior", ORANGE)]
    left.hist([part for part, _, _ in parts], bins=40, stacked=True, color=[color for _, _, color in parts])
    for part, words, color in parts:
        left.plot([], [], "s", color=color, label=f"{words} ({part.size:,})")
    left.legend(frameon=False, fontsize=8)
    votes, errors = _floats(strengths["n_votes"]), _floats(strengths["standard_error"])
    right.plot(votes[~held], errors[~held], ".", color=BLUE, markersize=3, alpha=0.5)
    right.plot(votes[held], errors[held], ".", color=ORANGE, markersize=3, alpha=0.5)
    right.set_ylim(bottom=0)
    figure.suptitle(f"Strengths of {len(strengths):,} photos by people's votes", fontsize=11)


def _forest(figure: Any, metrics: pd.DataFrame) -> tuple[Any, pd.DataFrame, pd.DataFrame]:
    """Axes with a line per method, the measured ones in order of accuracy, then the others with the word."""
    axes = figure.subplots()
    shown, lacking = measured(metrics), metrics[metrics["accuracy"].isna()]
    if shown.empty:
        say_nothing_to_draw(axes, "no method has an accuracy")
        return axes, shown, lacking
    names = [short(name, LONGEST_NAME) for name in [*shown["method"], *lacking["method"]]]
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.set_ylim(len(names) - 0.4, -0.6)
    for place, row in enumerate(lacking.to_dict("records"), start=len(shown)):
        words = "undefined" if pd.isna(row["unavailable"]) else "unavailable"
        beside = {"transform": axes.get_yaxis_transform(), "va": "center", "fontsize": 8}
        axes.text(0.01, place, words, color=GREY, style="italic", **beside)
    return axes, shown, lacking


def _legend(figure: Any, axes: Any) -> None:
    figure.legend(*axes.get_legend_handles_labels(), frameon=False, fontsize=8, loc="outside lower center", ncols=2)


def _floats(column: pd.Series) -> NDArray[np.float64]:
    return column.to_numpy(dtype=np.float64, na_value=np.nan)
