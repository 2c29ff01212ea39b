"""Table `reliability_trust_verdict`: do the judges agree with each other, or with people, well enough?"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate
from assets.reliability.judgments import sound_scores
from assets.reliability.logic.pair_verdicts import pair_verdicts, people_verdicts
from assets.shared.gate import Kind, gate
from assets.shared.partitions import readable
from assets.shared.verdicts import not_worse_gate, verdict_metadata, verdict_table
from resources.study import Study
from resources.tables.reliability.decision import RELIABILITY_TRUST_VERDICT


@dg.asset(group_name="reliability_verdict", kinds={"pandas"}, code_version="2")
def reliability_trust_verdict(
    context: dg.AssetExecutionContext,
    query_documents: pd.DataFrame,
    judgments: pd.DataFrame,
    query_kappa: pd.DataFrame,
    judge_agreement: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per two judges, and per judge next to people where some are, with verdict, conditions and people."""
    stated = pair_verdicts(query_kappa, judge_agreement, study.reliability)
    if study.reliability.people:
        scored = sound_scores(judgments, query_documents, study.reliability)
        of_people = people_verdicts(scored, study.thresholds(scored.judges), study.reliability)
        stated = [*of_people, *(replace(one, leading=False) for one in stated)] if of_people else stated
    made = verdict_table(stated, RELIABILITY_TRUST_VERDICT)
    context.add_output_metadata(readable(verdict_metadata(made)))
    return made


@gate(reliability_trust_verdict, Kind.ADVICE, to_do="Look at what changed: queries, judges, prompt, thresholds.")
def verdict_is_not_worse(reliability_trust_verdict: pd.DataFrame, before: Mapping[str, Any] | None) -> Gate:
    """The verdict on the judges that decide is no worse than the one before."""
    return not_worse_gate(reliability_trust_verdict, before)
