"""Table `photo_pairs`: which photo of two people prefer, and why a pair is not judged."""

from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate, at_least, at_most
from assets.pairwise.logic.photo_pair_counts import (
    after_filter,
    counts_of,
    missing_numbers,
    missing_of,
    n_images,
    position_numbers,
    sampled,
)
from assets.shared.gate import Kind, gate
from assets.shared.partitions import first_and_rest, metadata_value
from resources.configuration.pairwise import PairwiseStudy
from resources.errors import FileFault, listing
from resources.inputs.pairwise.photo_pairs import PhotoPairsRead, read_photo_pairs
from resources.runtime.file_hash import sha256_of_file
from resources.study import Study

VOTES = ["series_id", "cluster", "compareID1", "compareID2", "votes_1", "votes_2", "votes_neither", "num_reviewers"]
SHOWN = 5
# What the UI shows first of many numbers: what is judged, of how much, and what is missing.
FIRST = ("n_judged", "n_pairs", "n_votes", "n_clusters", "missing_share")


@dg.asset(group_name="pairwise_inputs", deps=["votes_file", "photos"], kinds={"csv"}, code_version="3")
def photo_pairs(context: dg.AssetExecutionContext, study: dg.ResourceParam[Study]) -> pd.DataFrame:
    """Reads people's votes; winners come from the votes, ties have none; pairs that are not judged say why."""
    plan = study.pairwise
    before = sha256_of_file(plan.pairs_csv) if plan.pairs_csv.is_file() else None
    read = read_photo_pairs(plan)
    if sha256_of_file(plan.pairs_csv) != before:
        raise FileFault(plan.pairs_csv, "the file changed while it was read.", "Run again when it is complete.")
    frame = sampled(read.frame, plan.sample_size, plan.seed)
    notes = {"notes": " ".join(read.notes)} if read.notes else {}
    numbers = first_and_rest(headline(frame, read.n_rows_in_file, plan), FIRST)
    context.add_output_metadata(numbers | notes | {"source_sha256": before})
    return frame


def headline(frame: pd.DataFrame, n_rows_in_file: int, plan: PairwiseStudy) -> dict[str, Any]:
    """How many pairs there are, how many pass, what the place on the screen did, which photos are missing."""
    numbers: dict[str, Any] = {"n_rows_in_file": n_rows_in_file, "orders": plan.orders}
    numbers |= counts_of(frame) | position_numbers(frame, plan) | missing_numbers(frame)
    return {name: metadata_value(value) for name, value in numbers.items()}


@gate(photo_pairs, Kind.INTEGRITY, to_do="Make `photo_pairs` again: the file or how it is read changed since.")
def every_row_accounted_for(photo_pairs: pd.DataFrame, plan: PairwiseStudy) -> Gate:
    """Each row is in the table with its votes, and the votes agree with MaxVote and Total."""
    return accounted_gate(photo_pairs, read_photo_pairs(plan))


@gate(
    photo_pairs,
    Kind.INTEGRITY,
    to_do="Put the photos there, correct `image_root`, or set `max_missing_share: 1` to go on without.",
)
def photos_are_there(photo_pairs: pd.DataFrame, plan: PairwiseStudy) -> Gate:
    """Few of the photos that judged pairs need are missing."""
    return photos_gate(photo_pairs, plan)


@gate(photo_pairs, Kind.ADVICE, to_do="Put the photos there.")
def no_photo_is_missing(photo_pairs: pd.DataFrame, plan: PairwiseStudy) -> Gate:
    """Every photo that pairs need is in the image folder."""
    missing, needed = missing_of(photo_pairs), n_images(after_filter(photo_pairs))
    lost = int((photo_pairs["excluded"] == "missing_image").sum())
    # Where they stop the study, the gate that stops it has named them.
    named = (
        _missing_words(missing, plan) if photos_gate(photo_pairs, plan).passed else "photos_are_there names the first."
    )
    gate = at_most(
        "no_photo_is_missing",
        float(len(missing)),
        0,
        n=needed,
        counted="photos",
        what="Number of missing photos",
        remedy=f"{named} {lost} pairs are not judged for that. Put the photos there.",
    )
    return gate.passing_as(f"All {needed} photos that pairs need are there.")


@gate(
    photo_pairs,
    Kind.QUALITY,
    to_do="Lower `min_agreement` or `min_reviewers`, or collect more votes.",
    withheld="predictions and accuracies, for there is no pair; strengths of photos are made.",
)
def some_pairs_are_judged(photo_pairs: pd.DataFrame) -> Gate:
    """At least one pair is left for the methods; strengths of photos need none."""
    return judged_gate(photo_pairs)


def accounted_gate(stored: pd.DataFrame, read: PhotoPairsRead) -> Gate:
    """Pairs that stand in the file or in the table, and not in both with the same votes.

    Reading refuses a file whose votes contradict each other or the recorded winner.
    """
    both = pd.concat([stored[VOTES], read.frame[VOTES]], ignore_index=True).astype(dict.fromkeys(VOTES, "str"))
    n_rows = read.n_rows_in_file
    gate = at_most(
        "every_row_accounted_for",
        float((~both.duplicated(keep=False)).sum()),
        0,
        n=n_rows,
        counted="rows",
        what="Pairs that file and table do not share",
        remedy="The file, `cluster_column` or `orders` changed since the table was made: make photo_pairs again.",
    )
    left_out = int(stored["excluded"].notna().sum())
    return gate.passing_as(
        f"All {n_rows} rows with {read.n_votes} votes are accounted for, and agree with the recorded winners: "
        f"{len(stored)} pairs, {left_out} of them left out with the cause.",
    )


def photos_gate(frame: pd.DataFrame, plan: PairwiseStudy) -> Gate:
    """The share of missing photos among those that pairs need which pass the filter, against its limit."""
    missing, needed = missing_of(frame), n_images(after_filter(frame))
    gate = at_most(
        "photos_are_there",
        # Where no pair needs a photo, none is missing.
        len(missing) / needed if needed else 0.0,
        plan.max_missing_share,
        n=needed,
        counted="photos",
        what="Share of photos that are missing",
        remedy=f"{_missing_words(missing, plan)} Put them there, or set `max_missing_share: 1` to go on without.",
    )
    there = f"{needed - len(missing)} of {needed} photos that pairs need are there"
    return gate.passing_as(f"{there}; at most a share of {plan.max_missing_share:g} may be missing.")


def judged_gate(frame: pd.DataFrame) -> Gate:
    """Pairs left for the methods, at least one; where there is none, what took them."""
    judged = int(frame["excluded"].isna().sum())
    causes = frame["excluded"].value_counts()
    gate = at_least(
        "some_pairs_are_judged",
        float(judged),
        1,
        n=len(frame),
        counted="pairs",
        what="Number of judged pairs",
        remedy=f"Left out: {listing(f'{n} {cause}' for cause, n in causes.items()) or 'none'}. Lower `min_agreement` "
        "or `min_reviewers`, or collect more votes.",
    )
    return gate.passing_as(f"{judged} of {len(frame)} pairs are judged.")


def _missing_words(missing: list[str], plan: PairwiseStudy) -> str:
    if not plan.image_root.is_dir():
        return f"There is no folder {plan.image_root}: correct `image_root`."
    return f"{plan.image_root} has no photo {listing((f'{name}.JPG' for name in missing), SHOWN)}."
