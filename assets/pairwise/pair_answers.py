"""Table `pair_answers`: what judges say of each judged pair, asked in both orders."""

from collections.abc import Mapping
from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate
from assets.pairwise.logic.pair_judging import (
    asked_once,
    asked_rows,
    no_answers,
    pair_run,
    recorded_answers,
    shown_pairs,
)
from assets.pairwise.photo_pairs import photos_gate
from assets.shared.checks import require
from assets.shared.gate import Kind, gate
from assets.shared.partitions import metadata_value, methods_of_tags, readable
from assets.shared.provenance import started_by_a_person
from resources.configuration.pairwise import PairwiseStudy
from resources.judges.openai.prices import price_age_gate
from resources.runtime.progress import TracksProgress
from resources.study import Study
from resources.tables.pairwise_rows import judged_pairs


@dg.asset(group_name="pairwise_judging", deps=["votes_file", "photos"], kinds={"database"}, code_version="1")
def pair_answers(
    context: dg.AssetExecutionContext,
    photo_pairs: pd.DataFrame,
    study: dg.ResourceParam[Study],
    progress: dg.ResourceParam[TracksProgress],
) -> pd.DataFrame:
    """Asks each judge of the run what the ledger does not answer yet, then takes the ledger's rows of all judges."""
    plan = study.pairwise
    require(photos_gate(photo_pairs, plan))
    judged, frames = judged_pairs(photo_pairs), []
    if plan.judges:
        pairs = shown_pairs(judged, plan)
        unattended = not started_by_a_person(context.run.tags)
        # What is wrong with one judge is said before another is asked.
        runs = {name: pair_run(study, name, pairs, context.run.run_id, unattended=unattended) for name in plan.judges}
        wanted = methods_of_tags(context.run.tags)
        for method, name in plan.judge_methods.items():
            if name in runs and (method in wanted or not wanted):
                runs[name].ask(progress, context.log)
        frames = [asked_rows(name, judged, pairs, run) for name, run in runs.items()]
    frames += recorded_answers(judged, plan)
    found = pd.concat(frames, ignore_index=True) if frames else no_answers()
    context.add_output_metadata(readable(headline(found)))
    return found


def headline(answers: pd.DataFrame) -> Mapping[str, Any]:
    """How many answers there are, how many pairs lack a pick, and what they cost."""
    numbers = {
        "n_judges": answers["judge"].nunique(),
        "n_pairs": answers["pair_idx"].nunique(),
        "n_without_pick": int(answers["picked"].isna().sum()),
        "cost_usd": float(asked_once(answers)["cost_usd"].sum()),
    }
    return {name: metadata_value(value) for name, value in numbers.items()}


@gate(pair_answers, Kind.ADVICE, to_do="Look the price up and set `price`.")
def pair_prices_are_recent(pair_answers: pd.DataFrame, plan: PairwiseStudy) -> Gate:
    """The prices by which paid judges' budgets are kept were looked up within the last 180 days."""
    gates = [price_age_gate(judge) for judge in plan.judges.values()]
    failing = [one for one in gates if not one.passed]
    if not gates:
        return Gate("pair_prices_are_recent", True, None, "nothing", "No judge of pairs is asked.")
    return (failing or gates)[0]._replace(name="pair_prices_are_recent")
