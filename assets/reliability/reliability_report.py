"""Table `reliability_report`: the study as one page for the browser, in English and Italian, that needs no network."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import numpy as np
import pandas as pd

from analysis.agreement.consensus import NO_DOCUMENT
from analysis.agreement.contingency import ContingencyStep, step_due
from analysis.agreement.judge_bias import query_medians
from analysis.significance.walsh import score_differences
from analysis.undefined import UndefinedStatistic
from assets.reliability.ground_truth import consensus_of
from assets.reliability.logic.contingency_state import ContingencyTables, facts_of, next_command, thresholds_now
from assets.reliability.logic.judge_pairs import Scored, Thresholds, pairs_of_judges, scored_documents
from assets.reliability.logic.verdict import verdict_of
from assets.reliability.query_kappa import lowest_kappas
from assets.shared.partitions import readable
from assets.shared.provenance import prompts_by, provenance_of
from assets.shared.report_files import page_on_disk, place_and_size
from assets.shared.verdicts import verdict_metadata
from reports.reliability.contents import Contents, Standing, Truth
from reports.reliability.report import reliability_page
from resources.study import Study
from resources.tables.reliability.decision import RELIABILITY_REPORT

READ = (
    "query_documents",
    "judgments",
    "query_kappa",
    "judge_agreement",
    "kappa_validation",
    "disputed_documents",
    "disagreements",
    "bias_test",
    "threshold_advice",
    "low_kappa_profile",
    "recalibration",
    "reviewer_agreement",
    "judges_against_reviewers",
    "reliability_trust_verdict",
)


@dg.asset(
    group_name="reliability_verdict",
    ins={name: dg.AssetIn() for name in READ},
    kinds={"html"},
    code_version="1",
    # One run at a time: of two that overlap, the one that read first must not write last.
    pool="reliability_report",
)
def reliability_report(
    context: dg.AssetExecutionContext, study: dg.ResourceParam[Study], **tables: Any
) -> pd.DataFrame:
    """Writes outputs/reliability_report.html: the verdict, kappa over time, disagreements, bias, what is due, help."""
    contents = contents_of(study, tables)
    judgments = contents.tables["judgments"].assign(
        asked=lambda rows: rows["judge"].astype("str") + ", " + rows["prompt_version"].astype("str")
    )
    prompts = prompts_by(judgments, "asked")
    made = provenance_of(context, study, study.reliability, judges=contents.judges, prompts=prompts)
    written = write_report(replace(contents, provenance=made), study.home.report("reliability"))
    context.add_output_metadata(readable(verdict_metadata(tables["reliability_trust_verdict"]) | headline(written)))
    return written


def contents_of(study: Study, tables: dict[str, pd.DataFrame]) -> Contents:
    """What the report is made from: the tables, the verdict on them, what is due, and the ground truth of now."""
    thresholds = thresholds_now(study, tables["query_kappa"])
    scored = scored_documents(tables["judgments"], study.reliability, documents=tables["query_documents"])
    standing = standing_of(study, tables)
    made = Contents(
        study.name,
        study.reliability,
        tables,
        standing,
        truth_of(study, scored, thresholds, tables),
        thresholds,
        np.empty(0),
        study.reviews.words(),
        blindness=study.reviews.blindness(),
    )
    return made if made.pair is None else _with_differences(made, scored)


def standing_of(study: Study, tables: dict[str, pd.DataFrame]) -> Standing:
    """The verdict on the tables, and the step that is due by them and by the store."""
    gate, reason = None, None
    try:
        gate = verdict_of(tables["query_kappa"], tables["judge_agreement"], study.reliability).gate
    except UndefinedStatistic as undefined:
        reason = undefined.reason
    facts = facts_of(study, ContingencyTables(**{name: tables[name] for name in ContingencyTables._fields}))
    step: ContingencyStep = step_due(facts)
    return Standing(gate, reason, facts, step, next_command(study, step))


def truth_of(study: Study, scored: Scored, thresholds: Thresholds, tables: dict[str, pd.DataFrame]) -> Truth:
    """The ground truth that scores and votes give now, next to what is written."""
    written = study.validations.ground_truth_rows()
    ids = tables["kappa_validation"]["id"].tolist()
    n_validation = None if written.empty else ids.index(int(written["validation"].max())) + 1
    if len(scored.judges) < 2:
        return Truth(0, {NO_DOCUMENT: len(scored.query_ids)}, 0, len(written), n_validation)
    found, unresolved = consensus_of(
        scored, thresholds, study.reviews.decisions(), lowest_kappas(tables["query_kappa"]), 1
    )
    n_by_people = sum(record.human_override for record in found)
    return Truth(len(found), Counter(unresolved.values()), n_by_people, len(written), n_validation)


def write_report(contents: Contents, path: Path) -> pd.DataFrame:
    """The page on the disk, whole or not at all, and its row."""
    last = contents.last
    about = {
        "study": contents.study,
        "status": None if last is None else str(last["status"]),
        "due": None if last is None else contents.standing.step.name,
    }
    return page_on_disk(reliability_page(contents), path, RELIABILITY_REPORT, about)


def headline(written: pd.DataFrame) -> dict[str, Any]:
    """Where the page lies, and what it says first."""
    row = written.iloc[0]
    return place_and_size(row) | {
        "status": row["status"] or "no verdict",
        "due": row["due"] or "a verdict",
    }


def _with_differences(contents: Contents, scored: Scored) -> Contents:
    """The same with the median difference of each query of the pair that decides."""
    [pair] = [
        one for one in pairs_of_judges(scored, dict(contents.thresholds)) if (one.judge_1, one.judge_2) == contents.pair
    ]
    _, index = np.unique(pair.queries, return_inverse=True)
    differences = score_differences(pair.score_1, pair.score_2)
    largest = np.maximum(np.abs(pair.score_1), np.abs(pair.score_2))
    medians = query_medians(differences, index.astype(np.intp), largest) if differences.size else np.empty(0)
    return replace(contents, differences=medians)
