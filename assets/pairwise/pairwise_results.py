"""Table `pairwise_results`: which photo or text of each judged pair a method picks."""

from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate, at_most
from assets.pairwise.logic.method_scores import (
    PAIR,
    answered_rows,
    headline,
    images_of,
    longer_rows,
    no_rows,
    own_file,
    result_rows,
)
from assets.pairwise.logic.photo_measures import measured, unavailable_stages
from assets.pairwise.photo_pairs import photos_gate
from assets.shared.checks import require
from assets.shared.gate import Kind, gate
from assets.shared.partitions import METHODS, ONE_RUN, each_method, methods_of_run
from resources.configuration.pairwise import TEXT_METHODS, PairwiseStudy
from resources.errors import listing
from resources.photos.features.stages import STAGES
from resources.photos.methods.contract import AnsweredMethod
from resources.photos.methods.features import Features
from resources.photos.methods.registry import method_of
from resources.photos.methods.scoring import why_unavailable
from resources.runtime.memory import return_freed_memory
from resources.study import Study
from resources.tables.pairwise_rows import judged_pairs
from resources.tables.parquet_tables import Frames

USED = [*PAIR, "image_1", "image_2", "path_1", "path_2", "excluded", "length_1", "length_2"]


@dg.asset(
    group_name="pairwise_judging", partitions_def=METHODS, backfill_policy=ONE_RUN, kinds={"pandas"}, code_version="2"
)
def pairwise_results(
    context: dg.AssetExecutionContext,
    photo_pairs: pd.DataFrame,
    image_features: pd.DataFrame,
    pair_answers: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> Frames:
    """One row per judged pair and method: its scores of both photos; none of a method whose stages are not there."""
    plan = study.pairwise
    require(photos_gate(photo_pairs, plan))
    judged, stages = (
        judged_pairs(photo_pairs[[name for name in USED if name in photo_pairs]]),
        unavailable_stages(image_features),
    )
    # Before anything is computed: a user's file that is wrong stops the run at once.
    methods = {name: method_of(plan, name) for name in methods_of_run(context)}
    photos = images_of(judged)

    held: dict[tuple[str, ...], Features] = {}

    # Methods that need the same stages follow one another. The last ones' features go before others are read: two
    # networks' of 100,000 photos are half a gigabyte.
    def features_for(stages: tuple[str, ...]) -> Features:
        if stages not in held:
            held.clear()
            return_freed_memory()
            held[stages] = measured(study, photos, stages)
        return held[stages]

    def make(name: str) -> tuple[pd.DataFrame, dict[str, Any]]:
        lacking = why_unavailable(methods[name], stages)
        if lacking:
            return no_rows(), headline(no_rows(), lacking)
        method = methods[name]
        if isinstance(method, AnsweredMethod):
            rows = longer_rows(name, judged) if name in TEXT_METHODS else answered_rows(name, judged, pair_answers)
            return rows, headline(rows, None)
        frame = result_rows(method, judged, features_for(tuple(method.needs)), plan)
        return frame, headline(frame, None) | own_file(plan, name)

    # The widest networks' features are in memory while the rows of few methods are.
    return each_method(context, make, lambda name: -max((STAGES.index(one) for one in methods[name].needs), default=0))


@gate(pairwise_results, Kind.ADVICE, to_do="Fix the cause that is named; its photos are in image_features.")
def pairs_have_predictions(pairwise_results: pd.DataFrame, plan: PairwiseStudy) -> Gate:
    """A method leaves few judged pairs without a prediction; what it fails on is not drawn by chance."""
    limit = plan.max_missing_share
    return predictions_gate(pairwise_results, limit)


def predictions_gate(frame: pd.DataFrame, limit: float) -> Gate:
    """The share of judged pairs without a prediction against the share of photos that may be missing."""
    name = "pairs_have_predictions"
    if frame.empty:
        return Gate(name, True, None, f"<= {limit:g}", "No pair to predict: method_metrics says why.")
    without = frame["predicted_winner"].isna()
    causes = listing(frame.loc[without, "undefined"].unique(), 3).rstrip(".")
    gate = at_most(
        name,
        float(without.mean()),
        limit,
        n=len(frame),
        counted="pairs",
        what="Share of judged pairs without a prediction",
        remedy=f"{causes}. Fix that or leave the method out.",
    )
    return gate.passing_as(f"{int((~without).sum())} of {len(frame)} judged pairs have a prediction.")
