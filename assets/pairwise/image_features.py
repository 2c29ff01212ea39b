"""Table `image_features`: what is measured on each photo, once for all methods, in shards next to the table."""

from collections.abc import Sequence
from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate, at_most
from analysis.messages import message
from assets.pairwise.logic.method_scores import images_of
from assets.pairwise.logic.photo_measures import features_of
from assets.pairwise.photo_pairs import photos_gate
from assets.shared.checks import require
from assets.shared.gate import Kind, gate
from assets.shared.partitions import metadata_value, methods_of_tags
from reports.pairwise.export.folder import refuse_unwritable
from resources.configuration.pairwise import PairwiseStudy
from resources.errors import UserError, listing
from resources.gpu import POOL, GpuResource
from resources.judges.pairs import pair_task
from resources.photos.features.on_ray import ENGINES
from resources.photos.features.run import FeaturesMade, Work, make_features
from resources.photos.features.shards import alone_in, features_folder
from resources.photos.features.stages import STAGES, Stages, stages_of
from resources.photos.methods.own import needs_written_in
from resources.photos.methods.registry import builders, method_of
from resources.runtime.progress import TracksProgress
from resources.study import Study
from resources.tables.pairwise import IMAGE_FEATURES
from resources.tables.pairwise_rows import judged_pairs

REPLACE = "Replace these files."


@dg.asset(group_name="pairwise_judging", deps=["photos"], kinds={"image", "pytorch"}, code_version="1", pool=POOL)
def image_features(
    context: dg.AssetExecutionContext,
    photo_pairs: pd.DataFrame,
    gpu: GpuResource,
    study: dg.ResourceParam[Study],
    progress: dg.ResourceParam[TracksProgress],
) -> pd.DataFrame:
    """Decodes each photo of a judged pair once and computes every stage; what is there and still holds is kept."""
    plan = study.pairwise
    require(photos_gate(photo_pairs, plan))
    refuse_what_would_fail_later(plan, methods_of_tags(context.run.tags))
    stages = stages_of(plan, gpu, wanted_stages(plan))
    if stages.models:
        gpu.opened()
    photos = images_of(judged_pairs(photo_pairs)) if plan.pairs_of == "photos" else pd.Series(dtype="str")
    paths = dict(zip(photos.index.astype(str), photos, strict=True))
    work = Work(features_folder(study.home, plan), stages, plan, gpu)
    try:
        with alone_in(work.folder, progress, context.log):
            made = make_features(work, paths, progress, context.log, ENGINES[plan.engine])
    finally:
        gpu.free()
    features = features_of(study, list(paths), stages.names, vectors=False)
    context.add_output_metadata({"engine": plan.engine} | headline(made, stages, gpu, features))
    return pd.DataFrame(made.rows, columns=[column.name for column in IMAGE_FEATURES.columns])


def refuse_what_would_fail_later(study: PairwiseStudy, methods: Sequence[str]) -> None:
    """Refuse, before hours of photos, what the tables after this one could not be made with.

    Args:
        study: Names the folder of the export, and users' files.
        methods: Those of the run; the files of others are not loaded.

    Raises:
        UserError: A judge's prompt is wrong, a user's file defines no method, or the export's folder cannot be written.
    """
    for judge in study.judges.values():
        pair_task(judge)
    if study.output_dir is not None:
        refuse_unwritable(study.output_dir, "`output_dir`")
    for name in study.own_methods.keys() & set(methods):
        try:
            method_of(study, name)
        except UserError as error:
            raise UserError(
                f"{error} The other methods run without it: give `--method NAME` for each (`touchstone run pairwise "
                "--method sharpness_only --method contrast_only`)."
            ) from error


def wanted_stages(study: PairwiseStudy) -> set[str]:
    """The stages that some method needs: all of them where a user's file does not say so in plain sight.

    A user's file is read for it and not run.
    """
    own = [needs_written_in(path) for path in study.own_methods.values()]
    if None in own:
        return set(STAGES)
    ours = [build().needs for name, build in builders(study).items() if name not in study.own_methods]
    return {stage for needs in (*ours, *own) for stage in needs or ()}


def headline(made: FeaturesMade, stages: Stages, gpu: GpuResource, features: pd.DataFrame) -> dict[str, Any]:
    """How many photos, how fast, on what, which stages are lacking, and what each costs a photo."""
    numbers: dict[str, Any] = {
        "n_images": made.n_names,
        "n_different_images": made.n_photos,
        "n_unreadable": int(features["unreadable"].notna().sum()),
        "unreadable": listing(features["unreadable"].dropna().unique(), 3) or "none",
        "n_computed": made.n_computed,
        "images_per_s": made.images_per_s,
        "model_busy_share": made.model_share,
        "device": gpu.opened().sentence if stages.models else "none needed",
        "stages": listing(stages.names),
        "unavailable": listing(stages.unavailable.values(), len(STAGES)) or "none",
        "rules_long_side": f"{stages.rules_long_side} px" if stages.rules_long_side else "full resolution",
        **{f"mean_{stage}_ms": features[f"{stage}_ms"].mean() for stage in ("decode", *stages.names)},
        "records": dg.MetadataValue.json(stages.records),
    }
    return {name: metadata_value(value) for name, value in numbers.items()}


@gate(image_features, Kind.ADVICE, to_do="Replace the photos that are named.")
def few_photos_are_unreadable(image_features: pd.DataFrame, photo_pairs: pd.DataFrame, study: Study) -> Gate:
    """Few photos of judged pairs cannot be decoded; a pair with one is not predicted."""
    if study.pairwise.pairs_of == "texts":
        return Gate("few_photos_are_unreadable", True, None, "nothing", "The pairs are of texts: no photo is read.")
    features = features_of(study, list(images_of(judged_pairs(photo_pairs)).index), ())
    return unreadable_gate(features, study.pairwise.max_missing_share)


def unreadable_gate(features: pd.DataFrame, limit: float) -> Gate:
    """The share of photos that cannot be decoded against the share that may be missing; the first ones are named."""
    unreadable = features["unreadable"].dropna()
    if len(features) and len(unreadable) == len(features):
        # A limit of 1 lets any number be missing, but not a study of nothing look well.
        remedy = f"{listing(unreadable, 3)} {REPLACE}"
        sentence = f"None of the {len(features)} photos of judged pairs can be read; needed: at least 1. {remedy}"
        return Gate("few_photos_are_unreadable", False, 1.0, "< 1", sentence, len(features), None, remedy)
    gate = at_most(
        "few_photos_are_unreadable",
        len(unreadable) / len(features) if len(features) else None,
        limit,
        n=len(features),
        counted="photos",
        what="Share of unreadable photos",
        remedy=f"{listing(unreadable, 3)} {REPLACE}" if len(features) else "some_pairs_are_judged says why.",
        reason=message("no pair is judged"),
    )
    return gate.passing_as(f"{len(features) - len(unreadable)} of {len(features)} photos of judged pairs can be read.")
