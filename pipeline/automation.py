"""When tables are made again: one rule over all assets, the schedules, the sensor on the score file."""

from pathlib import Path

import dagster as dg

from assets.partitions import SETTINGS
from resources.configuration.fidelity import FidelityStudy, ReplayJudge
from resources.configuration.openai_judge import OpenAIJudge
from resources.configuration.reliability import ReliabilityStudy
from resources.file_hash import sha256_of_file
from resources.judges.openai.paid import costs_money
from resources.study import Study

# Plain `eager()` forgets a gate that failed in an earlier run.
REFRESH = dg.AutomationCondition.eager() & dg.AutomationCondition.all_deps_blocking_checks_passed()

HUMAN_SCORES = dg.AssetKey("human_scores")
# They ask the judge; without a daily budget no automation makes them when the judge is a paid one.
ASKING = ("judge_calls", "golden_scores")
JUDGMENTS, GROUND_TRUTH = "judgments", "ground_truth"
# The anchor asks anew on every day on which it is made: it follows the calendar or a person, never another table.
ANCHOR = "anchor_scores"
WATCH = dg.AssetSelection.assets(ANCHOR, "drift")


def refresh_rule(
    table: str, fidelity: FidelityStudy | None, reliability: ReliabilityStudy | None = None
) -> dg.AutomationCondition | None:
    """The refresh rule of one table; null where only a person, a schedule or a sensor may make it.

    Args:
        table: Its name.
        fidelity: Study A, where it is configured.
        reliability: Study D, where it is configured.
    """
    if table in (ANCHOR, GROUND_TRUTH):  # ground truth has a sensor: a validation must have allowed it
        return None
    asked: list[object] = []
    if table in ASKING and fidelity is not None:
        asked = [fidelity.judge]
    elif table == JUDGMENTS and reliability is not None:
        asked = [*reliability.judges.values(), *reliability.recalibration.judges.values()]
    return None if any(_may_not_spend(judge) for judge in asked) else REFRESH


def _may_not_spend(judge: object) -> bool:
    return isinstance(judge, OpenAIJudge) and judge.auto_budget_usd_per_day is None and costs_money(judge)


def all_settings() -> dict[str, str]:
    """Run tags that make one run cover every setting."""
    keys = SETTINGS.get_partition_keys()
    return settings_between(keys[0], keys[-1])


def settings_between(first: str, last: str) -> dict[str, str]:
    """Run tags that make one run cover the settings (or other partitions) from first to last, in their order."""
    return {"dagster/asset_partition_range_start": first, "dagster/asset_partition_range_end": last}


def run_for_new_content(
    context: dg.SensorEvaluationContext, path: Path, table: dg.AssetKey, remedy: str, tags: dict[str, str]
) -> dg.RunRequest | dg.SkipReason:
    """One run per content of a file: a file that was only touched starts nothing.

    Args:
        context: Of the sensor.
        path: The file.
        table: Made from the file; its metadata `source_sha256` says from which content.
        remedy: A sentence for when the file is not there.
        tags: Of the run.
    """
    if not path.is_file():
        return dg.SkipReason(f"{path} is not there. {remedy}")
    digest = sha256_of_file(path)
    event = context.instance.get_latest_materialization_event(table)
    made = event.asset_materialization if event else None
    known = made.metadata.get("source_sha256") if made else None
    if known is not None and known.value == digest:
        return dg.SkipReason(f"{path.name} has not changed since {table.path[-1]} was made.")
    # Dagster starts one run for a key ever: content that comes back after another needs a key of its own.
    last_run = event.run_id if event else "nothing"
    return dg.RunRequest(run_key=f"{digest} after {last_run}", tags=tags)


fidelity = dg.define_asset_job(
    "fidelity",
    selection=dg.AssetSelection.groups("fidelity") - WATCH,
    description="Study A without the watch on drift: calls, repeatability, agreement, golden set, recommendation.",
)

watch_drift = dg.define_asset_job(
    "watch_drift",
    selection=WATCH,
    description="Study A, watch on drift: judges the pinned anchor again, once a day at most, and compares.",
)

new_human_scores = dg.define_asset_job(
    "new_human_scores",
    selection=dg.AssetSelection.assets(HUMAN_SCORES).downstream() - WATCH,
    description="Human scores and what depends on them. Calls that the ledger holds are not made again.",
)

refresh = dg.AutomationConditionSensorDefinition(
    "refresh",
    target=dg.AssetSelection.all(),
    default_status=dg.DefaultSensorStatus.STOPPED,
    description="The refresh rule: a table is made again when one it is made from was, unless a blocking gate failed.",
)


@dg.schedule(
    job=fidelity,
    cron_schedule="0 3 * * *",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Every night at 03:00 UTC, once switched on: makes all tables anew, repeats no answered call.",
)
def nightly_fidelity() -> dg.RunRequest:
    """One run over all settings; a schedule's own tags may not name a range of partitions."""
    return dg.RunRequest(tags=all_settings())


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
    """How many calls one occasion makes, and what they may cost when nobody looks on."""
    n_objects, repeats, judge = study.anchor.n_objects, study.repeats, study.judge
    calls = f"Judge {judge.kind}: at most {n_objects * repeats} calls ({n_objects} objects, {repeats} repeats)"
    if isinstance(judge, ReplayJudge):
        return "Judge replay: no calls, a recording cannot drift."
    if not isinstance(judge, OpenAIJudge) or not costs_money(judge):
        return f"{calls}, free of charge."
    if judge.auto_budget_usd_per_day is None:
        return f"{calls}. It makes none of them until auto_budget_usd_per_day is set: the judge may cost money."
    return f"{calls}. It stops where the study has spent {judge.auto_budget_usd_per_day:g} USD that day."


@dg.sensor(
    job=new_human_scores,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.STOPPED,
    description="Sees by content that the human-score file changed and makes again what depends on it.",
)
def changed_human_scores(
    context: dg.SensorEvaluationContext, study: dg.ResourceParam[Study]
) -> dg.RunRequest | dg.SkipReason:
    """One run per content of the file: a file that was only touched starts nothing."""
    remedy = "Put the score file there or change `human_scores` in touchstone.yaml."
    return run_for_new_content(context, study.fidelity.human_scores, HUMAN_SCORES, remedy, all_settings())
