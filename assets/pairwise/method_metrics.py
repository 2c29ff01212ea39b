"""Table `method_metrics`: how often each method picks what people pick, how surely, and at what cost."""

from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate, at_least, at_most
from assets.checks import WARN, gate_result, require, told
from assets.method_rows import method_row, ranked, unavailable_row, with_holm
from assets.method_scores import current_pairs_gate, images_of, judged_pairs, shared_times_ms
from assets.partitions import MADE_SO_FAR, metadata_value
from assets.photo_measures import measured_times, unavailable_stages
from assets.strengths import strengths_of
from resources.configuration.pairwise import PairwiseStudy
from resources.errors import listed
from resources.methods.registry import method_of
from resources.methods.scoring import why_unavailable
from resources.parquet_tables import Frames
from resources.plots.figure import figure_metadata
from resources.plots.pairwise import draw_accuracies, draw_agreement_bands, draw_speed, forest_height_in
from resources.study import Study
from resources.tables.pairwise import METHOD_METRICS

# Published measures of photo preference lie between these; beyond them a fault is likelier than a finding.
PLAUSIBLE = (0.4, 0.7)
LEVEL = 0.05


@dg.asset(group_name="pairwise", ins={"pairwise_results": MADE_SO_FAR}, kinds={"pandas"}, code_version="1")
def method_metrics(
    context: dg.AssetExecutionContext,
    photo_pairs: pd.DataFrame,
    image_features: pd.DataFrame,
    pairwise_results: Frames,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per method that was run: accuracy, confusion, likelihood, time; an unavailable one says why."""
    judged = judged_pairs(photo_pairs)
    require(current_pairs_gate(pairwise_results, judged))
    methods = {name: method_of(study.pairwise, name) for name in study.pairwise.methods if name in pairwise_results}
    lacking = {name: why_unavailable(method, unavailable_stages(image_features)) for name, method in methods.items()}
    frame = metrics_rows(pairwise_results, photo_pairs, lacking, study.pairwise)
    if len(judged):
        needs = {name: tuple(method.needs) for name, method in methods.items() if lacking[name] is None}
        stages = sorted({stage for stages in needs.values() for stage in stages})
        shared = shared_times_ms(needs, measured_times(study, images_of(judged), stages), len(judged))
        frame["shared_time_ms"] = frame["method"].map(shared)
    context.add_output_metadata(headline(frame, sorted(set(study.pairwise.methods) - methods.keys())))
    return frame


def metrics_rows(
    results: Frames, photo_pairs: pd.DataFrame, lacking: dict[str, str | None], study: PairwiseStudy
) -> pd.DataFrame:
    """Every method's row but for the time that it took here.

    Args:
        results: Rows of `pairwise_results` by method.
        photo_pairs: All pairs, for the votes.
        lacking: Methods in order, with why they yield nothing, or none.
        study: Its seed, resamples and confidence.
    """
    fit, n_total = strengths_of(photo_pairs, study), len(judged_pairs(photo_pairs))
    rows = [
        method_row(name, results[name], photo_pairs, fit, study) if why is None else unavailable_row(name, why, n_total)
        for name, why in lacking.items()
    ]
    return pd.DataFrame(with_holm(rows), columns=[column.name for column in METHOD_METRICS.columns])


def headline(frame: pd.DataFrame, not_run: list[str]) -> dict[str, Any]:
    """The best method, how many beat chance, what is lacking, and three plots."""
    best = ranked(frame).head(1)
    numbers: dict[str, Any] = {
        "n_methods": len(frame),
        "n_unavailable": int(frame["unavailable"].notna().sum()),
        "n_beating_chance": int(_beats_chance(frame).sum()),
        "not_run": listed(not_run) or "none",
    }
    if best.empty:
        return numbers | {"note": "no method has a number"}
    numbers |= {name: best[name].iloc[0] for name in ("accuracy", "accuracy_low", "accuracy_high", "n", "n_series")}
    height = forest_height_in(len(frame))
    return {name: metadata_value(value) for name, value in numbers.items()} | {
        "best": best["method"].iloc[0],
        "plot": figure_metadata(lambda figure: draw_accuracies(figure, frame), 7.6, height),
        "plot_by_agreement": figure_metadata(lambda figure: draw_agreement_bands(figure, frame), 7.6, height),
        "plot_speed": figure_metadata(lambda figure: draw_speed(figure, frame), 7.2, 4.2),
    }


@dg.asset_check(asset=method_metrics)
def accuracies_are_plausible(method_metrics: pd.DataFrame) -> dg.AssetCheckResult:
    """Advice: an accuracy outside 0.4 to 0.7 is looked at twice: image measures hardly ever leave that range."""
    return gate_result(plausible_gate(method_metrics), WARN)


@dg.asset_check(asset=method_metrics)
def some_method_beats_chance_for_sure(method_metrics: pd.DataFrame) -> dg.AssetCheckResult:
    """Advice: at least one method is right more often than a coin, with all methods in mind."""
    return gate_result(chance_gate(method_metrics), WARN)


@dg.asset_check(asset=method_metrics)
def all_methods_are_available(method_metrics: pd.DataFrame) -> dg.AssetCheckResult:
    """Advice: no method is left out for want of its weights."""
    return gate_result(available_gate(method_metrics), WARN)


def plausible_gate(frame: pd.DataFrame) -> Gate:
    """Methods whose accuracy lies outside 0.4 to 0.7, each with its accuracy."""
    low, high = PLAUSIBLE
    measured = ranked(frame)
    outside = measured[(measured["accuracy"] < low) | (measured["accuracy"] > high)]
    named = listed(f"{name} {value:.3f}" for name, value in zip(outside["method"], outside["accuracy"], strict=True))
    gate = at_most(
        "accuracies_are_plausible",
        float(len(outside)) if len(measured) else None,
        0,
        n=len(measured),
        counted="methods",
        what=f"Number of methods with an accuracy outside {low:g} to {high:g}",
        reason="no method has an accuracy",
        remedy=f"Look at their scores and pairs twice: {named}.",
    )
    return told(gate, f"All {len(measured)} accuracies lie between {low:g} and {high:g}.")


def chance_gate(frame: pd.DataFrame) -> Gate:
    """Methods that are right more often than a coin by the test over series, after Holm over all methods."""
    measured, beating = ranked(frame), ranked(frame[_beats_chance(frame)])
    gate = at_least(
        "some_method_beats_chance_for_sure",
        float(len(beating)) if len(measured) else None,
        1,
        n=len(measured),
        counted="methods",
        what="Number of methods that surely beat chance",
        reason="no method has an accuracy",
        remedy="More series make differences sure; method_metrics has each method's p.",
    )
    return told(gate, f"Surely better than chance: {listed(beating['method'])} ({len(beating)} of {len(measured)}).")


def available_gate(frame: pd.DataFrame) -> Gate:
    """Methods that yield nothing, with the reasons and what to do."""
    lacking = frame[frame["unavailable"].notna()]
    gate = at_most(
        "all_methods_are_available",
        float(len(lacking)),
        0,
        n=len(frame),
        counted="methods",
        what="Number of unavailable methods",
        remedy=f"{listed(lacking['method'], 20)}: {listed(lacking['unavailable'].unique(), 5)}",
    )
    return told(gate, f"All {len(frame)} methods are available.")


def _beats_chance(frame: pd.DataFrame) -> pd.Series:
    return (frame["p_chance_holm"].astype("float64") < LEVEL) & (frame["accuracy"].astype("float64") > 0.5)
