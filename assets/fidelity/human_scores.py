"""Table `human_scores`: what people said, one row per generated object and annotator."""

from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate, at_most
from assets.shared.gate import Kind, gate
from assets.shared.partitions import metadata_value, readable
from reports.fidelity.plots.settings import human_scores as human_scores_chart
from reports.shared.figure import figure_metadata
from resources.configuration.fidelity import FidelityStudy
from resources.errors import FileFault, listing
from resources.inputs.faults import counted_by_cause
from resources.inputs.fidelity.human_scores import HumanScoresRead, read_human_scores
from resources.runtime.file_hash import sha256_of_file
from resources.study import Study


@dg.asset(group_name="fidelity_inputs", deps=["score_file", "catalogue_file"], kinds={"csv"}, code_version="1")
def human_scores(context: dg.AssetExecutionContext, study: dg.ResourceParam[Study]) -> pd.DataFrame:
    """Reads the score file and joins the catalogue by job hash; a blank score is left out and counted."""
    path = study.fidelity.human_scores
    before = sha256_of_file(path) if path.is_file() else None
    read = read_human_scores(study.fidelity)
    if sha256_of_file(path) != before:
        raise FileFault(path, "the file changed while it was read.", "Run again when it is complete.")
    context.add_output_metadata(readable(headline(read) | {"source_sha256": before}))
    return read.frame


def headline(read: HumanScoresRead) -> dict[str, Any]:
    """How many ratings of how many objects, what was left out, and how people used the scale."""
    frame = read.frame
    numbers = {
        "n_rows_in_file": read.n_rows_in_file,
        "n_ratings": len(frame),
        "n_objects": frame["object"].nunique(),
        "n_items": frame["item_id"].nunique(),
        "n_products": frame["product_id"].nunique(),
        "n_annotators": frame["annotator"].nunique(),
        "mean": frame["score"].mean(),
        "sd": frame["score"].std(),
        "n_catalogue_jobs": read.n_catalogue_jobs,
        "n_catalogue_duplicates": read.n_catalogue_duplicates,
    }
    left_out = {f"n_left_out_{cause}": count for cause, count in counted_by_cause(read.exclusions).items()}
    plot = figure_metadata(human_scores_chart(frame).specification())
    values = {name: metadata_value(value) for name, value in (numbers | left_out).items()}
    notes = {"notes": " ".join(read.notes)} if read.notes else {}
    return values | notes | {"left_out": listing(read.exclusions) or "none", "plot": plot}


@gate(human_scores, Kind.INTEGRITY, to_do="Make `human_scores` again: the file changed since the table was made.")
def every_row_accounted_for(human_scores: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """Each row of the score file is in the table or was left out for a counted cause."""
    return accounted_gate(human_scores, read_human_scores(plan))


def accounted_gate(stored: pd.DataFrame, read: HumanScoresRead) -> Gate:
    """Ratings that stand in the file or in the table, and not in both with the same score."""
    in_table, in_file = _ratings(stored), _ratings(read.frame)
    gate = at_most(
        "every_row_accounted_for",
        float(len(in_table ^ in_file)),
        0,
        n=read.n_rows_in_file,
        counted="rows",
        what="Ratings that file and table do not share",
        remedy="The file changed since the table was made: make human_scores again.",
    )
    rows, blank = read.n_rows_in_file, len(read.exclusions)
    return gate.passing_as(
        f"All {rows} rows of the file are accounted for: {len(stored)} in the table, {blank} blank left out."
    )


def _ratings(frame: pd.DataFrame) -> set[tuple[str, str, float]]:
    return set(zip(frame["object"], frame["annotator"], frame["score"].round(12), strict=True))
