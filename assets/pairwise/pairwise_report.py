"""Table `pairwise_report`: the study as one page for the browser, in English and Italian, that needs no network."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd

from analysis.preference.truth import majority_share
from assets.pairwise.bradley_terry import strengths_rest_on_all_votes
from assets.pairwise.logic.photo_pair_counts import counts_of, position_numbers
from assets.pairwise.method_metrics import (
    accuracies_are_plausible,
    all_methods_are_available,
    some_method_beats_chance_for_sure,
)
from assets.pairwise.pair_judges import place_does_not_decide
from assets.pairwise.pairwise_results import pairs_have_predictions
from assets.pairwise.photo_pairs import no_photo_is_missing, photos_are_there, some_pairs_are_judged
from assets.shared.gate import rows_of
from assets.shared.partitions import MADE_SO_FAR, readable
from assets.shared.provenance import provenance_of
from assets.shared.report_files import as_one, page_on_disk, place_and_size
from assets.shared.verdicts import verdict_metadata
from reports.pairwise.contents import Contents, People
from reports.pairwise.report import pairwise_page
from reports.shared.gate_row import GateRow
from resources.configuration.pairwise import PairwiseStudy
from resources.runtime.memory import return_freed_memory
from resources.study import Study
from resources.tables.pairwise import PAIRWISE_REPORT
from resources.tables.pairwise_rows import judged_pairs
from resources.tables.parquet_tables import Frames

WHOLE = (
    "photo_pairs",
    "image_features",
    "pair_judges",
    "method_metrics",
    "method_significance",
    "bradley_terry",
    "pairwise_trust_verdict",
)
BY_METHOD = "pairwise_results"
OF_STUDY = (
    photos_are_there,
    some_pairs_are_judged,
    strengths_rest_on_all_votes,
    no_photo_is_missing,
    all_methods_are_available,
    some_method_beats_chance_for_sure,
    accuracies_are_plausible,
    place_does_not_decide,
)
# What the page shows of them; of 100,000 pairs and 16 methods the other columns would take 100 MB once more.
RESULTS = ["method", "pair_idx", "score_image1", "score_image2", "predicted_winner", "credit", "undefined"]


@dg.asset(
    group_name="pairwise_verdict",
    ins={name: dg.AssetIn() for name in WHOLE} | {BY_METHOD: MADE_SO_FAR},
    kinds={"html"},
    code_version="2",
    # One run at a time: of two that overlap, the one that read first must not write last.
    pool="pairwise_report",
)
def pairwise_report(context: dg.AssetExecutionContext, study: dg.ResourceParam[Study], **tables: Any) -> pd.DataFrame:
    """Writes outputs/pairwise_report.html: which methods pick what people pick, failures, help and data."""
    # What reading so many rows took besides them: a tenth of a gigabyte with 100,000 photos.
    return_freed_memory()
    made = provenance_of(context, study, study.pairwise, judges=study.pairwise.methods)
    contents = replace(contents_of(study.name, study.pairwise, tables), provenance=made)
    written = write_report(contents, study.home.report("pairwise"))
    context.add_output_metadata(readable(verdict_metadata(tables["pairwise_trust_verdict"]) | headline(written)))
    return written


def contents_of(name: str, plan: PairwiseStudy, frames: dict[str, pd.DataFrame | Frames]) -> Contents:
    """What the report is made from: tables joined over methods, and what the votes say of people."""
    columns = {BY_METHOD: RESULTS}
    tables = {
        table: without_addresses(as_one(table, frame, columns.get(table)), plan) for table, frame in frames.items()
    }
    return Contents(name, plan, tables, people_of(tables["photo_pairs"], plan), pairwise_gates(tables, plan))


def pairwise_gates(tables: Mapping[str, pd.DataFrame], plan: PairwiseStudy) -> dict[str, list[GateRow]]:
    """Every gate on the tables that the report reads, by method or, of all methods together, under the study's name."""
    by_method = tables[BY_METHOD].groupby("method", sort=False)
    rows = {str(name): rows_of([pairs_have_predictions], {BY_METHOD: frame}, plan) for name, frame in by_method}
    return {"study": rows_of(OF_STUDY, tables, plan)} | rows


def people_of(photo_pairs: pd.DataFrame, plan: PairwiseStudy) -> People:
    """How far people agree among themselves."""
    judged = judged_pairs(photo_pairs)
    return People(
        counts_of(photo_pairs),
        position_numbers(photo_pairs, plan),
        _majority(photo_pairs),
        _majority(judged),
        accuracy_bound(judged),
    )


def accuracy_bound(judged: pd.DataFrame) -> float | None:
    """What no accuracy can exceed, as of two rows of one pair with opposite winners one is missed.

    A bound and not what some scores reach: choices that go round in a circle make every order of the photos miss more.
    """
    if judged.empty:
        return None
    photos = pd.DataFrame({"one": judged["image_1"], "two": judged["image_2"], "winner": judged["winner"]})
    turned = photos["one"] > photos["two"]
    # The winner by name, so that a pair listed in both orders has one name for each outcome.
    won = photos["one"].where(photos["winner"] == 1, photos["two"])
    lower = photos["two"].where(turned, photos["one"])
    higher = photos["one"].where(turned, photos["two"])
    rows = pd.DataFrame({"lower": lower, "higher": higher, "won": won})
    most = rows.groupby(["lower", "higher", "won"]).size().groupby(["lower", "higher"]).max()
    return float(most.sum() / len(judged))


def without_addresses(frame: pd.DataFrame, plan: PairwiseStudy) -> pd.DataFrame:
    """The table with reasons that name a photo and not where it lies, which concerns no one else."""
    if "undefined" not in frame:
        return frame
    return frame.assign(undefined=frame["undefined"].astype("str").str.replace(f"{plan.image_root}/", "", regex=False))


def write_report(contents: Contents, path: Path) -> pd.DataFrame:
    """The page on the disk, whole or not at all, and its row."""
    about = {
        "study": contents.study,
        "best": contents.best["method"] if contents.best else None,
    }
    return page_on_disk(pairwise_page(contents), path, PAIRWISE_REPORT, about)


def headline(written: pd.DataFrame) -> dict[str, Any]:
    """Where the page lies and which method is right most often."""
    row = written.iloc[0]
    return place_and_size(row) | {
        "best": row["best"] or "none",
    }


def _majority(pairs: pd.DataFrame) -> float | None:
    chosen = pairs[pairs["votes_1"] + pairs["votes_2"] > 0]
    return majority_share(chosen["votes_1"], chosen["votes_2"]) if len(chosen) else None
