"""Table `evaluation_report`: the study as one page for the browser, in English and Italian, that needs no network."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd

from assets.shared.partitions import MADE_SO_FAR, readable
from assets.shared.provenance import provenance_of
from assets.shared.report_files import as_one, page_on_disk, place_and_size
from assets.shared.verdicts import verdict_metadata
from reports.evaluation.contents import Contents
from reports.evaluation.report import evaluation_page
from resources.configuration.evaluation import EvaluationStudy
from resources.study import Study
from resources.tables.evaluation import EVALUATION_REPORT
from resources.tables.parquet_tables import Frames

WHOLE = ("evaluation_summary", "metric_comparison", "evaluation_trust_verdict")
BY_DATASET = (
    *("evaluation_samples", "correlation", "mcq_confusion"),
    *("option_rates", "category_breakdown", "paper_comparison"),
)


@dg.asset(
    group_name="evaluation_verdict",
    ins={name: dg.AssetIn() for name in WHOLE} | dict.fromkeys(BY_DATASET, MADE_SO_FAR),
    kinds={"html"},
    code_version="1",
    # One run at a time: of two that overlap, the one that read first must not write last.
    pool="evaluation_over_datasets",
)
def evaluation_report(context: dg.AssetExecutionContext, study: dg.ResourceParam[Study], **tables: Any) -> pd.DataFrame:
    """Writes outputs/evaluation_report.html: how well each data set's predictions follow the truth, help and data."""
    made = provenance_of(context, study, study.evaluation)
    contents = replace(contents_of(study.name, study.evaluation, tables), provenance=made)
    written = write_report(contents, study.home.report("evaluation"))
    row = written.iloc[0]
    context.add_output_metadata(
        readable(verdict_metadata(tables["evaluation_trust_verdict"]))
        | place_and_size(row)
        | {
            "n_data_sets": int(row["n_datasets"]),
            # By which the sensor sees whether it is of the data sets that are there.
            "data_sets": sorted(tables["evaluation_samples"]),
        }
    )
    return written


def contents_of(name: str, plan: EvaluationStudy, frames: dict[str, pd.DataFrame | Frames]) -> Contents:
    """What the report is made from: tables joined over data sets."""
    return Contents(name, plan, {table: as_one(table, frame) for table, frame in frames.items()})


def write_report(contents: Contents, path: Path) -> pd.DataFrame:
    """The page on the disk, whole or not at all, and its row."""
    about = {"study": contents.study, "n_datasets": len(contents.datasets)}
    return page_on_disk(evaluation_page(contents), path, EVALUATION_REPORT, about)
