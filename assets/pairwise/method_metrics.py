"""Table `method_metrics`: how often each method picks what people pick, how surely, and at what cost."""

from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate, at_least, at_most
from analysis.messages import message
from assets.pairwise.logic.method_rows import method_row, unavailable_row, with_holm
from assets.pairwise.logic.method_scores import current_pairs_gate, images_of, shared_times_ms
from assets.pairwise.logic.photo_measures import measured_times, unavailable_stages
from assets.pairwise.logic.photo_pair_counts import strengths_of
from assets.shared.checks import require
from assets.shared.gate import Kind, gate
from assets.shared.partitions import MADE_SO_FAR, metadata_value, readable
from reports.pairwise.plots import accuracies, bands, speeds
from reports.shared.figure import figure_metadata
from resources.configuration.pairwise import OF_JUDGES, PairwiseStudy
from resources.errors import listing
from resources.photos.methods.contract import AnsweredMethod
from resources.photos.methods.registry import method_of
from resources.photos.methods.rules import parts_of
from resources.photos.methods.scoring import why_unavailable
from resources.study import Study
from resources.tables.pairwise import METHOD_METRICS
from resources.tables.pairwise_rows import PLAUSIBLE, chance_of, judged_pairs, measured, plausible
from resources.tables.parquet_tables import Frames

NO_ACCURACY = "all_methods_are_available and some_pairs_are_judged say what is lacking: fix that."

MANY_SERIES = 30  # with fewer, a method that sees what people see may look like a coin


@dg.asset(group_name="pairwise_people", ins={"pairwise_results": MADE_SO_FAR}, kinds={"pandas"}, code_version="2")
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
        seen = {name: method for name, method in methods.items() if not isinstance(method, AnsweredMethod)}
        parts = {name: parts_of(method) for name, method in seen.items() if lacking[name] is None}
        shared = shared_times_ms(parts, measured_times(study, images_of(judged)), len(judged)) if parts else {}
        # What a judge answers serves no other method.
        alone = zip(frame["method"], frame["avg_time_ms"], strict=True)
        frame["shared_time_ms"] = [shared.get(str(name), time_ms) for name, time_ms in alone]
    context.add_output_metadata(
        readable(headline(frame, sorted(set(study.pairwise.methods) - methods.keys()), study.pairwise))
    )
    return frame


def metrics_rows(
    results: Frames, photo_pairs: pd.DataFrame, lacking: dict[str, str | None], study: PairwiseStudy
) -> pd.DataFrame:
    """Every method's row but for the time that it took here."""
    fit, n_total = strengths_of(photo_pairs, study), len(judged_pairs(photo_pairs))
    rows = [
        method_row(name, results[name], photo_pairs, fit, study) if why is None else unavailable_row(name, why, n_total)
        for name, why in lacking.items()
    ]
    return pd.DataFrame(with_holm(rows), columns=[column.name for column in METHOD_METRICS.columns])


def headline(frame: pd.DataFrame, not_run: list[str], study: PairwiseStudy) -> dict[str, Any]:
    """The best method, how many beat chance, what is lacking, and three plots."""
    best = measured(frame).head(1)
    numbers: dict[str, Any] = {
        "n_methods": len(frame),
        "n_unavailable": int(frame["unavailable"].notna().sum()),
        "n_beating_chance": len(_beating_chance(frame, study)),
        "not_run": listing(not_run) or "none",
    }
    if best.empty:
        return numbers | {"note": "no method has a number"}
    seen = ("accuracy", "accuracy_low", "accuracy_high", "n", "n_series", "n_clusters")
    numbers |= {name: best[name].iloc[0] for name in seen}
    return {name: metadata_value(value) for name, value in numbers.items()} | {
        "best": best["method"].iloc[0],
        "plot": figure_metadata(accuracies(frame, study.level).specification()),
        "plot_by_agreement": figure_metadata(bands(frame).specification()),
        "plot_speed": figure_metadata(speeds(frame).specification()),
    }


@gate(method_metrics, Kind.ADVICE, to_do="Look at the scores and pairs of the methods that are named.")
def accuracies_are_plausible(method_metrics: pd.DataFrame) -> Gate:
    """An accuracy outside 0.4 to 0.7 is looked at twice: image measures hardly ever leave that range."""
    low, high = PLAUSIBLE
    # A judge that reads or looks is no measure, and may be right more often.
    seen = measured(method_metrics[~method_metrics["method"].astype("str").str.startswith(OF_JUDGES)])
    if seen.empty and len(measured(method_metrics)):
        return Gate("accuracies_are_plausible", True, None, "nothing", "Only judges have an accuracy, and no measure.")
    outside = seen[~seen["accuracy"].map(plausible).astype("bool")]
    named = listing(f"{name} {value:.3f}" for name, value in zip(outside["method"], outside["accuracy"], strict=True))
    gate = at_most(
        "accuracies_are_plausible",
        float(len(outside)) if len(seen) else None,
        0,
        n=len(seen),
        counted="methods",
        what=f"Number of methods with an accuracy outside {low:g} to {high:g}",
        reason=message("no method has an accuracy"),
        remedy=f"Look at their scores and pairs twice: {named}." if named else NO_ACCURACY,
    )
    return gate.passing_as(f"All {len(seen)} accuracies lie between {low:g} and {high:g}.")


@gate(
    method_metrics,
    Kind.ADVICE,
    to_do="Check that compareIDs name these photos (`photo_number`). Judge more series: differences become sure.",
)
def some_method_beats_chance_for_sure(method_metrics: pd.DataFrame, plan: PairwiseStudy) -> Gate:
    """At least one method is right more often than a coin, after Holm over all methods."""
    seen, beating = measured(method_metrics), _beating_chance(method_metrics, plan)
    gate = at_least(
        "some_method_beats_chance_for_sure",
        float(len(beating)) if len(seen) else None,
        1,
        n=len(seen),
        counted="methods",
        what="Number of methods that significantly beat chance",
        reason=message("no method has an accuracy"),
        remedy=f"{_numbering_doubt(seen, plan)}More {plan.units} make differences sure; method_metrics has each "
        "method's p."
        if len(seen)
        else NO_ACCURACY,
    )
    return gate.passing_as(
        f"Significantly better than chance (Holm): {listing(beating)} ({len(beating)} of {len(seen)})."
    )


@gate(method_metrics, Kind.ADVICE, to_do="Run the command that method_metrics names under `unavailable`.")
def all_methods_are_available(method_metrics: pd.DataFrame) -> Gate:
    """No method is left out for want of its weights."""
    lacking = method_metrics[method_metrics["unavailable"].notna()]
    gate = at_most(
        "all_methods_are_available",
        float(len(lacking)),
        0,
        n=len(method_metrics),
        counted="methods",
        what="Number of methods not measured for want of weights or a package",
        remedy=f"They are {listing(lacking['method'], 20)}; nothing is wrong with the others. What each lacks, and the "
        "command that provides it, stand in method_metrics, on the page and in summary.json under `unavailable`.",
    )
    return gate.passing_as(f"All {len(method_metrics)} methods are available.")


def _numbering_doubt(seen: pd.DataFrame, study: PairwiseStudy) -> str:
    """What to look at first where many series tell no method from a coin: votes of other photos look just so."""
    n_series = int(seen["n_series"].max())
    differ = [row for row in seen.to_dict("records") if chance_of(row, study.level) in ("better", "worse")]
    if differ or n_series < MANY_SERIES:
        return ""
    return (
        f"Over {n_series} series every method is at chance: check that compareIDs name these photos (`photo_number`). "
    )


def _beating_chance(frame: pd.DataFrame, study: PairwiseStudy) -> list[str]:
    """Methods that are significantly right more often than a coin, the best first."""
    rows = measured(frame).to_dict("records")
    return [str(row["method"]) for row in rows if chance_of(row, study.level) == "better"]
