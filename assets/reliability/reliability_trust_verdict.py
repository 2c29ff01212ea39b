"""Table `reliability_trust_verdict`: do the judges agree with each other well enough?"""

from collections.abc import Mapping
from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate
from assets.reliability.logic.pair_verdicts import pair_verdicts
from assets.shared.gate import Kind, gate
from assets.shared.verdicts import not_worse_gate, verdict_metadata, verdict_table
from resources.study import Study
from resources.tables.reliability.decision import RELIABILITY_TRUST_VERDICT


@dg.asset(group_name="reliability_verdict", kinds={"pandas"}, code_version="1")
def reliability_trust_verdict(
    context: dg.AssetExecutionContext,
    query_kappa: pd.DataFrame,
    judge_agreement: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per two judges with their verdict, then its conditions: kappas and the share of queries that is low."""
    stated = pair_verdicts(query_kappa, judge_agreement, study.reliability)
    made = verdict_table(stated, RELIABILITY_TRUST_VERDICT)
    context.add_output_metadata(verdict_metadata(made))
    return made


@gate(reliability_trust_verdict, Kind.ADVICE, to_do="Look at what changed: queries, judges, prompt, thresholds.")
def verdict_is_not_worse(reliability_trust_verdict: pd.DataFrame, before: Mapping[str, Any] | None) -> Gate:
    """The verdict on the judges that decide is no worse than the one before."""
    return not_worse_gate(reliability_trust_verdict, before)
