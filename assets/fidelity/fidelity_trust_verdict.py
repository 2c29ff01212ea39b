"""Table `fidelity_trust_verdict`: may the judge stand in for people, at which setting, and why."""

import os
from collections.abc import Mapping
from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate
from assets.fidelity.logic.verdict_evidence import Evidence, setting_verdicts
from assets.fidelity.sensitivity import effect_gate
from assets.shared.gate import Kind, gate
from assets.shared.partitions import MADE_SO_FAR, Frames, readable
from assets.shared.verdicts import not_worse_gate, verdict_metadata, verdict_table
from resources.configuration.fidelity import FidelityStudy
from resources.configuration.openai_judge import ModelJudge, OpenAIJudge
from resources.judges.openai.access import MODEL
from resources.study import Study
from resources.tables.fidelity.decision import FIDELITY_TRUST_VERDICT


@dg.asset(
    group_name="fidelity_verdict",
    ins={"score_matrix": MADE_SO_FAR, "human_agreement": MADE_SO_FAR},
    kinds={"pandas"},
    code_version="3",
    # One run at a time: of two that overlap, the one that read first must not write last.
    pool="recommended_setting",
)
def fidelity_trust_verdict(
    context: dg.AssetExecutionContext,
    score_matrix: Frames,
    human_scores: pd.DataFrame,
    study_objects: pd.DataFrame,
    recommended_setting: pd.DataFrame,
    human_agreement: Frames,
    sensitivity: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per setting with its verdict, then its conditions and the annotators by the same statistic."""
    plan = study.fidelity
    stripes = effect_gate(sensitivity, plan.thresholds.effect_size)
    evidence = Evidence(
        score_matrix, human_scores, study_objects, recommended_setting, human_agreement, sensitivity, stripes
    )
    table = FIDELITY_TRUST_VERDICT
    made = verdict_table(setting_verdicts(evidence, judge_of(plan), plan), table)
    context.add_output_metadata(readable(verdict_metadata(made)))
    return made


def judge_of(plan: FidelityStudy) -> str:
    """How the verdict calls the judge: by the model that is asked, else by its kind."""
    if isinstance(plan.judge, OpenAIJudge):
        named = plan.judge.name if isinstance(plan.judge, ModelJudge) else None
        return named or plan.judge.model or os.environ.get(MODEL) or "the configured model"
    return "the local judge" if plan.judge.kind == "local" else "the recorded judge"


@gate(fidelity_trust_verdict, Kind.ADVICE, to_do="Look at what fails, and at what changed: inputs, judge, prompt.")
def verdict_is_not_worse(fidelity_trust_verdict: pd.DataFrame, before: Mapping[str, Any] | None) -> Gate:
    """The verdict on the setting to use is no worse than the one before."""
    return not_worse_gate(fidelity_trust_verdict, before)
