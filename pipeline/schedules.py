"""The schedules: a nightly refresh of each study and a weekly watch on drift; each says what it may cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

import dagster as dg

from assets.fidelity.anchor_scores import watched
from assets.shared.partitions import DATASETS
from pipeline.automation import (
    JUDGMENTS,
    PAIR_ANSWERS,
    all_methods,
    all_settings,
    fidelity,
    judges_of,
    pairwise,
    partitions_between,
    watch_drift,
)
from pipeline.evaluation_automation import changed_datasets, evaluation, made_from, versions_of
from pipeline.reliability_automation import reliability
from resources.configuration.fidelity import FidelityStudy, ReplayJudge
from resources.configuration.openai_judge import OpenAIJudge
from resources.configuration.section import Section
from resources.errors import UserError
from resources.inputs.evaluation.known_datasets import known_datasets
from resources.judges.openai.prices import costs_money
from resources.study import Study

if TYPE_CHECKING:
    from resources.runtime.dagster_internals import UnresolvedAssetJobDefinition

Requests = list[dg.RunRequest] | dg.SkipReason
PHOTOS: Final = 5  # of an object, where they are not counted yet
NO_JUDGE: Final = "It asks no judge and costs nothing."


def schedules_of(study: Study) -> list[dg.ScheduleDefinition]:
    """The schedules of the configured parts; what they say of their cost depends on the judges."""
    asks_a, asks_d = (
        judges_of(table, study.fidelity_section, study.reliability_section) for table in ("judge_calls", JUDGMENTS)
    )
    schedules = []
    if study.reliability_section:
        does = "reads the queries again, has judged what is not judged, and validates"
        schedules.append(_nightly(reliability, 1, does, most_it_costs(asks_d), lambda _context: [dg.RunRequest()]))
    if study.pairwise_section:
        does = "judges all photo pairs again; photos that are known are kept"
        costs = most_it_costs(judges_of(PAIR_ANSWERS, None, pairwise=study.pairwise))
        schedules.append(_nightly(pairwise, 2, does, costs, lambda _context: [dg.RunRequest(tags=all_methods())]))
    if study.fidelity_section:
        does = "makes all tables anew but those of the watch on drift; an answered call is not repeated"
        schedules.append(
            _nightly(fidelity, 3, does, most_it_costs(asks_a), lambda _context: [dg.RunRequest(tags=all_settings())])
        )
    if study.evaluation_section:
        does = (
            "evaluates again every data set whose file and settings did not change; `new_datasets` sees to the others"
        )
        schedules.append(_nightly(evaluation, 4, does, NO_JUDGE, lambda context: unchanged_datasets(context, study)))
    if study.fidelity_section:
        schedules.append(weekly_anchor(study.fidelity))
    return schedules


def unchanged_datasets(context: dg.ScheduleEvaluationContext, study: Study) -> Requests:
    """One run for each unbroken stretch of data sets that were evaluated as their files and settings are now.

    A new or changed one has a run of its own by `new_datasets`: were it a bad one, it would stop the others here.
    """
    versions, _ = versions_of(study)
    changed = changed_datasets(known_datasets(study.evaluation), versions, made_from(context.instance, versions))
    known = context.instance.get_dynamic_partitions(DATASETS.name or "")
    wanted = [name in versions.keys() - changed for name in known]
    stretches = [
        [place for place, _ in run] for is_wanted, run in groupby(enumerate(wanted), lambda one: one[1]) if is_wanted
    ]
    asked = [
        dg.RunRequest(
            # Several runs of one tick need keys, and Dagster starts one run for a key ever.
            run_key=f"{first} to {last} {context.scheduled_execution_time.isoformat()}",
            tags=partitions_between(first, last),
        )
        for first, last in ((known[places[0]], known[places[-1]]) for places in stretches)
    ]
    return asked or dg.SkipReason("No data set has been evaluated as it is now.")


def most_it_costs(judges: Sequence[Section]) -> str:
    """What one night may cost at most, in words."""
    paid = [judge for judge in judges if isinstance(judge, OpenAIJudge) and costs_money(judge)]
    if not judges:
        return NO_JUDGE
    if not paid:
        return "Its judges are free of charge."
    if any(judge.auto_budget_usd_per_day is None for judge in paid):
        return (
            "It costs at most 0 USD: the judge may cost money, and until auto_budget_usd_per_day is set, a night with "
            "calls to make stops before the first of them."
        )
    most = max(judge.auto_budget_usd_per_day or 0.0 for judge in paid)
    return f"It costs at most {most:g} USD a night: it stops where the study has spent that much that day."


def _nightly(
    job: UnresolvedAssetJobDefinition,
    hour: int,
    does: str,
    costs: str,
    requests: Callable[[dg.ScheduleEvaluationContext], Requests],
) -> dg.ScheduleDefinition:
    """A schedule; what it asks for may depend on the instance."""

    @dg.schedule(
        name=f"nightly_{job.name}",
        job=job,
        cron_schedule=f"0 {hour} * * *",
        default_status=dg.DefaultScheduleStatus.STOPPED,
        description=f"Every night at {hour:02d}:00 UTC, once switched on: {does}. {costs}",
    )
    def nightly(context: dg.ScheduleEvaluationContext) -> Requests:
        return requests(context)

    return nightly


def weekly_anchor(study: FidelityStudy) -> dg.ScheduleDefinition:
    """Every Monday at 04:00 UTC, once switched on: judges the anchor; it says how many calls that is at most."""
    return dg.ScheduleDefinition(
        name="weekly_anchor",
        job=watch_drift,
        cron_schedule="0 4 * * 1",
        default_status=dg.DefaultScheduleStatus.STOPPED,
        description=f"Every Monday at 04:00 UTC, once switched on: watches the judge for drift. {anchor_calls(study)}",
    )


def anchor_calls(study: FidelityStudy) -> str:
    """How many calls one occasion makes, and what they may cost unattended; of several judges one is watched."""
    study, _ = watched(study)
    n_objects, repeats, judge = study.anchor.n_objects, study.repeats, study.judge
    calls = f"Judge {study.judge_name}: at most {n_objects * repeats} calls ({n_objects} objects, {repeats} repeats)"
    if isinstance(judge, ReplayJudge):
        return "Judge replay: no calls, a recording cannot drift."
    if not isinstance(judge, OpenAIJudge) or not costs_money(judge):
        return f"{calls}, free of charge."
    if judge.auto_budget_usd_per_day is None:
        return f"{calls}. It makes none of them until auto_budget_usd_per_day is set: the judge may cost money."
    return (
        f"{calls}.{_price_of(study, judge, n_objects * repeats)} It stops where the study has spent "
        f"{judge.auto_budget_usd_per_day:g} USD that day."
    )


def _price_of(study: FidelityStudy, judge: OpenAIJudge, n_calls: int) -> str:
    """What so many calls come to by the price table; nothing where model or price are not known: the run says so."""
    from resources.judges.contract import Attempt, JudgedObject, JudgeIdentity
    from resources.judges.openai.access import access_of
    from resources.judges.openai.estimate import Estimator, Planned
    from resources.judges.openai.prices import price_of
    from resources.judges.question import question_of

    try:
        access = access_of(judge)
        price = price_of(access.model, judge, own_server=access.is_own, base_url=access.base_url)
    except UserError:
        return ""
    one = JudgedObject("", "item", "", "", ("",) * PHOTOS, ("",) * PHOTOS)
    no_judge = JudgeIdentity("", "", "", "")
    call = question_of(study).call(one, Attempt("study", study.settings.baseline, no_judge))
    row = Estimator(judge, price).row("", [Planned(call, n_calls)])
    return (
        f" With {PHOTOS} photos an object about {row.usd:.2f} USD, at most {row.worst_usd:.2f} if every call is sent "
        "once."
    )
