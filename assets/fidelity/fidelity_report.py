"""Table `fidelity_report`: the study as one page for the browser, in English and Italian, that needs no network."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd

from assets.fidelity.annotator_test import judge_can_stand_in
from assets.fidelity.dose_response import more_costs_more, readings
from assets.fidelity.golden_scores import golden_items_are_held_out, golden_pairs_are_complete
from assets.fidelity.human_agreement import (
    close_to_people,
    no_large_errors,
    orders_like_people,
    orders_like_people_for_sure,
)
from assets.fidelity.icc_by_setting import repeatable, repeatable_for_sure
from assets.fidelity.judge_calls import answers_are_valid_json, prices_are_recent, same_model_answered
from assets.fidelity.logic.sensitivity_rows import dose_of, dose_points
from assets.fidelity.logic.setting_conditions import conditions_by_setting, decision_gates
from assets.fidelity.retried_calls import retries_not_told_apart
from assets.fidelity.sensitivity import (
    every_alteration_is_seen,
    stripes_are_seen,
    stripes_are_seen_for_sure,
    stripes_lower_the_score,
    strong_stripes_stand_out,
    unchanged_copies_keep_their_score,
)
from assets.fidelity.stability import means_are_precise, repeats_agree
from assets.fidelity.subscore_sensitivity import alterations_move_their_subscore
from assets.shared.gate import declared, rows_of
from assets.shared.partitions import MADE_SO_FAR, Frames, readable
from assets.shared.provenance import prompts_by, provenance_of
from assets.shared.report_files import as_one, page_on_disk, place_and_size
from assets.shared.verdicts import verdict_metadata
from reports.fidelity.contents import Contents, left_out
from reports.fidelity.facts import judge_in_words
from reports.fidelity.report import fidelity_page
from reports.shared.gate_row import GateRow
from reports.shared.text import LANGUAGES
from resources.configuration.fidelity import FidelityStudy
from resources.study import Study
from resources.tables.fidelity.decision import FIDELITY_REPORT

WHOLE = (
    "human_scores",
    "study_objects",
    "setting_summary",
    "recommended_setting",
    "golden_images",
    "golden_scores",
    "sensitivity",
    "dose_response",
    "subscore_sensitivity",
    "fidelity_trust_verdict",
    "judge_comparison",
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
# Gates of each setting in the order of the page's table; a setting has a row with all of them, or none.
OF_SETTING = (
    repeatable,
    repeats_agree,
    orders_like_people,
    close_to_people,
    answers_are_valid_json,
    means_are_precise,
    no_large_errors,
)
# Advice that has no column in that table.
APART = (
    repeatable_for_sure,
    orders_like_people_for_sure,
    same_model_answered,
    prices_are_recent,
    retries_not_told_apart,
)
OF_GOLDEN_SET = (
    stripes_are_seen,
    stripes_are_seen_for_sure,
    stripes_lower_the_score,
    strong_stripes_stand_out,
    unchanged_copies_keep_their_score,
    every_alteration_is_seen,
    more_costs_more,
    alterations_move_their_subscore,
    golden_items_are_held_out,
    golden_pairs_are_complete,
)


@dg.asset(
    group_name="fidelity_verdict",
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
    judges = sorted((calls["judge"] + " " + calls["judge_identity"]).dropna().unique())
    prompts = prompts_by(calls, "judge")
    made = provenance_of(context, study, study.fidelity, judges=judges, prompts=prompts)
    written = write_report(replace(contents, provenance=made), study.home.report("fidelity"))
    context.add_output_metadata(readable(verdict_metadata(tables["fidelity_trust_verdict"]) | headline(written)))
    return written


def contents_of(name: str, plan: FidelityStudy, frames: dict[str, pd.DataFrame | Frames]) -> Contents:
    """What the report is made from: tables joined over settings, gates, and the doses of the golden set."""
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
        golden_gates=rows_of(OF_GOLDEN_SET, tables, plan),
        advice=advice_by_setting(tables, plan),
        decision_gates=decision_gates(tables["recommended_setting"], plan),
        drops=dose_points(tables["golden_scores"]),
        conditions=conditions_by_setting(tables["recommended_setting"], plan, "choosing"),
        reported_conditions=conditions_by_setting(tables["recommended_setting"], plan, "reporting"),
        doses=doses,
        dose_readings=readings(tables["dose_response"], plan.thresholds.dose_response_r2),
    )


def gates_by_setting(tables: Mapping[str, pd.DataFrame], plan: FidelityStudy) -> dict[str, list[GateRow]]:
    """The gates of each setting that has the tables behind them, by partition key; those without are left out."""
    made = set.intersection(*(_settings(tables, name) for one in OF_SETTING for name in declared(one).reads))
    tested = _settings(tables, "annotator_test")
    found: dict[str, list[GateRow]] = {}
    for key in plan.partition_keys:
        asked = (*(OF_SETTING if key in made else ()), *((judge_can_stand_in,) if key in tested else ()))
        if asked:
            found[key] = rows_of(asked, _of_setting(tables, key, asked), plan)
    return found


def advice_by_setting(tables: Mapping[str, pd.DataFrame], plan: FidelityStudy) -> dict[str, list[GateRow]]:
    """What is advice only and has no column in the table of all settings, by partition key."""
    found: dict[str, list[GateRow]] = {}
    for one in APART:
        for key in dict.fromkeys(key for name in declared(one).reads for key in tables[name]["setting"]):
            if rows := rows_of([one], _of_setting(tables, key, [one]), plan):
                found.setdefault(str(key), []).extend(rows)
    return found


def _settings(tables: Mapping[str, pd.DataFrame], name: str) -> set[str]:
    return set(tables[name]["setting"])


def _of_setting(
    tables: Mapping[str, pd.DataFrame], key: str, checks: Iterable[dg.AssetChecksDefinition]
) -> dict[str, pd.DataFrame]:
    """A setting's rows of the tables that these gates read."""
    names = {name for check in checks for name in declared(check).reads}
    return {name: tables[name][tables[name]["setting"] == key] for name in names}


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
    return place_and_size(row) | {
        "recommended": row["recommended"] or "none",
        "judge": str(row["judge"]),
    }
