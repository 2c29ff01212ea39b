"""Table `judge_calls`: every attempt to get a verdict, a snapshot of the ledger's rows."""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate, at_most, share_at_least
from assets.fidelity.logic.judge_answers import first_answers, judged_objects
from assets.fidelity.study_objects import require_sound_objects
from assets.shared.gate import Kind, gate
from assets.shared.partitions import ONE_RUN, SETTINGS, Frames, each_partition, keys_of
from assets.shared.provenance import started_by_a_person
from resources.configuration.fidelity import FidelityStudy
from resources.configuration.settings import Setting, judge_in, setting_from_key
from resources.errors import listing
from resources.judges.contract import JudgedObject
from resources.judges.judging import Judging, judge_of
from resources.judges.openai.prices import price_age_gate
from resources.judges.without_score import why_no_score
from resources.runtime.progress import TracksProgress
from resources.study import Study
from resources.tables.call_states import ANSWER_STATES

UNNAMED = "unnamed"  # what a recording without a model's name is called
_SNAPSHOT = re.compile(r"[-@](\d{4}(-?\d{2}-?\d{2})?|\d{6})")
DISAGREEMENT = 0.01  # stated and recomputed score may differ by rounding


@dg.asset(
    group_name="fidelity_judging",
    partitions_def=SETTINGS,
    backfill_policy=ONE_RUN,
    kinds={"python", "sqlalchemy"},
    code_version="1",
)
def judge_calls(
    context: dg.AssetExecutionContext,
    study_objects: pd.DataFrame,
    study: dg.ResourceParam[Study],
    progress: dg.ResourceParam[TracksProgress],
) -> Frames:
    """Asks each judge what the ledger does not answer yet, then takes the ledger's rows of these settings."""
    require_sound_objects(study_objects, study.fidelity)
    objects = judged_objects(study_objects)
    rows: Frames = {}
    for _, of_judge in groupby(keys_of(context), judge_in):
        keys = list(of_judge)
        settings = [setting_from_key(key) for key in keys]
        judging = judging_of(context, study, study.fidelity.asking(keys[0]), objects, settings)
        judging.ask(progress, context.log)
        rows |= rows_by_key(judging, keys)
    return each_partition(context, rows.__getitem__, headline)


def rows_by_key(judging: Judging, keys: Sequence[str]) -> Frames:
    """The ledger's rows by partition key: the ledger, which knows the judge by its identity, has the setting alone."""
    rows = judging.rows()
    return {key: rows[setting_from_key(key).key].assign(setting=key) for key in keys}


def judging_of(
    context: dg.AssetExecutionContext,
    study: Study,
    plan: FidelityStudy,
    objects: Sequence[JudgedObject],
    settings: Sequence[Setting],
) -> Judging:
    """The judge of a plan about any objects, golden images and anchors too, as this run asks it.

    Raises:
        UserError: The judge cannot be opened.
    """
    return Judging(
        study.name,
        plan,
        judge_of(plan, objects),
        objects,
        settings,
        study.ledger,
        context.run.run_id,
        unattended=not started_by_a_person(context.run.tags),
        retry_states=study.retry_states,
    )


def headline(calls: pd.DataFrame) -> dict[str, Any]:
    """How many attempts, what became of them, what they cost."""
    states = calls["state"].value_counts()
    differ = (calls["score_stated"] - calls["score_recomputed"]).abs().round(12) > DISAGREEMENT
    return {
        "n_attempts": len(calls),
        **{f"n_{state}": int(count) for state, count in states.items()},
        "n_stated_and_recomputed_differ": int(differ.sum()),
        "n_calls_tried_again": int((calls["attempt"] == 2).sum()),
        "tokens_in": int(calls["tokens_in"].sum()),
        "tokens_out": int(calls["tokens_out"].sum()),
        "tokens_cached": int(calls["tokens_cached"].sum()),
        "cost_usd": calls["cost_usd"].sum(),
        "median_latency_ms": calls["latency_ms"].median(),
        "model_answered": ", ".join(sorted(calls["model_answered"].dropna().unique())) or "not stated",
    }


@gate(
    judge_calls,
    Kind.QUALITY,
    to_do="Read `fault_message` in judge_calls, then change the prompt or take a judge that keeps to the form.",
    withheld="the setting is not recommended.",
)
def answers_are_valid_json(judge_calls: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """The judge keeps to the answer's form: JSON validity reaches its threshold."""
    first = first_answers(judge_calls)
    remedy = "Read in `fault_message` of judge_calls what was wrong with each answer; change prompt or judge."
    return share_at_least(
        "answers_are_valid_json",
        int((first["state"] == "valid").sum()),
        len(first),
        plan.thresholds.json_validity,
        what="JSON validity",
        counted="first answers",
        remedy=f"{why_no_score(first['state'], first['fault_message'])} {remedy}".lstrip(),
        confidence=plan.confidence,
    )


@gate(judge_calls, Kind.ADVICE, to_do="Pin the model's version, or name the model that answers.")
def same_model_answered(judge_calls: pd.DataFrame) -> Gate:
    """One model with one fingerprint gave all answers; a provider that swaps it changes the judge."""
    answered = judge_calls[judge_calls["state"].isin(ANSWER_STATES)]
    models = answered[["model_answered", "fingerprint"]].fillna("not stated").drop_duplicates()
    named = listing(f"{row.model_answered} ({row.fingerprint})" for row in models.itertuples())
    gate = at_most(
        "same_model_answered",
        float(len(models)),
        1,
        n=len(answered),
        counted="answers",
        what="Models and fingerprints behind the answers",
        remedy=f"They are {named}. Pin the model's version, or judge the setting again under another model name.",
    )
    others = sorted(
        {
            f"{row.model_answered} for {row.model_asked}"
            for row in answered[["model_asked", "model_answered"]].dropna().itertuples()
            if not _is_asked_model(str(row.model_asked), str(row.model_answered))
        }
    )
    if gate.passed and others:
        reason = f"another model answered than was asked for: {listing(others)}"
        return at_most(
            gate.name,
            float(len(others)),
            0,
            n=len(answered),
            counted="answers",
            what="Number of models that answered and were not asked for",
            remedy=f"These answered: {listing(others)}. Name the one that answers, or ask the provider why.",
        )._replace(seen=None, reason=reason)
    return gate.passing_as(f"One model gave all {len(answered)} answers: {named or 'none yet'}.")


@gate(judge_calls, Kind.ADVICE, to_do="Look the price up and set `price`.")
def prices_are_recent(judge_calls: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """The price by which a paid judge's budget is kept was looked up within the last 180 days."""
    keys = judge_calls["setting"].head(1).tolist()
    return price_age_gate((plan.asking(keys[0]) if keys else plan).judge)


def _is_asked_model(asked: str, answered: str) -> bool:
    """Whether the name that answered is the one asked for, or a dated snapshot of it such as gpt-4o-2024-08-06."""
    # A recording may hold several models, and one without a name says nothing.
    names = asked.split("+")
    return names == [UNNAMED] or any(
        answered == name or (answered.startswith(name) and _SNAPSHOT.fullmatch(answered[len(name) :])) for name in names
    )
