"""Table `fidelity_report`: the study as one page for the browser, in English and Italian, that needs no network."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd

from assets.fidelity.dose_response import readings
from assets.fidelity.logic.report_gates import (
    advice_by_setting,
    conditions_by_setting,
    decision_gates,
    gates_by_setting,
    golden_gates,
)
from assets.fidelity.logic.sensitivity_rows import dose_of, dose_points
from assets.shared.partitions import MADE_SO_FAR, Frames
from assets.shared.provenance import prompts_by, provenance_of
from assets.shared.report_files import as_one, page_on_disk
from reports.fidelity.contents import Contents, left_out
from reports.fidelity.facts import judge_in_words
from reports.fidelity.report import FILE_NAME, fidelity_page
from reports.shared.text import LANGUAGES
from resources.configuration.fidelity import FidelityStudy
from resources.study import Study
from resources.tables.fidelity_decision import FIDELITY_REPORT

WHOLE = (
    "human_scores",
    "study_objects",
    "setting_summary",
    "recommended_setting",
    "golden_images",
    "golden_scores",
    "sensitivity",
    "dose_response",
)
BY_SETTING = (
    "icc_by_setting",
    "stability",
    "convergence_summary",
    "convergence_curves",
    "matched_scores",
    "human_agreement",
    "annotator_test",
    "few_labels",
    "retried_calls",
    "judge_calls",
)


@dg.asset(
    group_name="fidelity",
    ins={name: dg.AssetIn() for name in WHOLE} | dict.fromkeys(BY_SETTING, MADE_SO_FAR),
    kinds={"html"},
    code_version="2",
    # One run at a time: of two that overlap, the one that read first must not write last.
    pool="fidelity_report",
)
def fidelity_report(
    context: dg.AssetExecutionContext,
    study: dg.ResourceParam[Study],
    **tables: Any,
) -> pd.DataFrame:
    """Writes outputs/fidelity_report.html: recommendation, gates, charts, help and data, from the tables as stored."""
    contents = contents_of(study.name, study.fidelity, tables)
    calls = contents.tables["judge_calls"]
    judges, prompts = sorted(calls["judge_identity"].dropna().unique()), prompts_by(calls, "judge")
    made = provenance_of(context, study, study.fidelity, judges=judges, prompts=prompts)
    written = write_report(replace(contents, provenance=made), report_path(study))
    context.add_output_metadata(headline(written))
    return written


def report_path(study: Study) -> Path:
    """Where the report lies, whether it was made or not: for whoever tells a person."""
    return study.home.outputs / FILE_NAME


def contents_of(name: str, plan: FidelityStudy, frames: dict[str, pd.DataFrame | Frames]) -> Contents:
    """What the report is made from: tables joined over settings, gates, and the doses of the golden set.

    Args:
        name: Of the study.
        plan: Its configuration.
        frames: Every table that the report reads, by name; a partitioned one as a dict.
    """
    tables = {table: as_one(table, frame) for table, frame in frames.items()}
    gone = left_out(tables["setting_summary"])
    # What a former judge said is not what this one says: a setting that is not compared has no part in the report.
    tables |= {name: tables[name][~tables[name]["setting"].isin(list(gone))] for name in BY_SETTING}
    doses = {
        str(row["alteration"]): dose_of(str(row["kind"]), float(row["magnitude"]))
        for row in tables["sensitivity"].to_dict("records")
        if not pd.isna(row["magnitude"])
    }
    return Contents(
        name,
        plan,
        tables,
        gates=gates_by_setting(tables, plan),
        golden_gates=golden_gates(tables["golden_scores"], tables["sensitivity"], tables["dose_response"], plan),
        advice=advice_by_setting(tables, plan),
        decision_gates=decision_gates(tables["recommended_setting"], plan),
        drops=dose_points(tables["golden_scores"]),
        conditions=conditions_by_setting(tables["recommended_setting"], plan, "choosing"),
        reported_conditions=conditions_by_setting(tables["recommended_setting"], plan, "reporting"),
        doses=doses,
        dose_readings=readings(tables["dose_response"], plan.thresholds.dose_response_r2),
    )


def write_report(contents: Contents, path: Path) -> pd.DataFrame:
    """The page on the disk, whole or not at all, and its row."""
    about = {
        "study": contents.study,
        "judge": judge_in_words(contents).plain(LANGUAGES[0]),
        "recommended": contents.recommended,
    }
    return page_on_disk(fidelity_page(contents), path, FIDELITY_REPORT, about)


def headline(written: pd.DataFrame) -> dict[str, Any]:
    """Where the page lies and what it recommends."""
    row = written.iloc[0]
    return {
        # Not `path`: the table's own address goes by that name.
        "report": dg.MetadataValue.path(str(row["path"])),
        "n_bytes": int(row["n_bytes"]),
        "recommended": row["recommended"] or "none",
        "judge": str(row["judge"]),
    }
