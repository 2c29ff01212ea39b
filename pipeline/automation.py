"""When tables are made again: one rule over all assets, and the jobs of study A."""

import dagster as dg

from assets.shared.observed_inputs import INPUTS
from assets.shared.partitions import METHODS, SETTINGS
from resources.configuration.fidelity import FidelityStudy
from resources.configuration.openai_judge import OpenAIJudge
from resources.configuration.pairwise import PairwiseStudy
from resources.configuration.reliability import ReliabilityStudy
from resources.configuration.section import Section
from resources.judges.openai.prices import costs_money
from resources.runtime.dagster_tags import FIRST, LAST
from resources.tables.all_tables import BY_GROUP

# What `eager()` answers to, and a changed code version: of the table's code, or of the configuration that it reads.
_CAUSES = dg.AutomationCondition.newly_missing() | dg.AutomationCondition.any_deps_updated()
# `any_deps_updated()` overlooks what was made by a run that was to make this table too, and perhaps broke off before.
_UPDATED = dg.AutomationCondition.any_deps_match(
    dg.AutomationCondition.newly_updated() | dg.AutomationCondition.will_be_requested()
)
_OURS = dg.AutomationCondition.newly_missing() | _UPDATED | dg.AutomationCondition.code_version_changed()
_EAGER = dg.AutomationCondition.eager().replace(_CAUSES, _OURS)
# Plain `eager()` forgets a gate that failed in an earlier run.
REFRESH = _EAGER & dg.AutomationCondition.all_deps_blocking_checks_passed()
# They ask the judge; without a daily budget no automation makes them when the judge is a paid one.
ASKING = ("judge_calls", "golden_scores")
JUDGMENTS, GROUND_TRUTH = "judgments", "ground_truth"
PAIR_ANSWERS = "pair_answers"
# The anchor asks anew on every day on which it is made: it follows the calendar or a person, never another table.
ANCHOR = "anchor_scores"
WATCH = dg.AssetSelection.assets(ANCHOR, "drift")


def refresh_rule(
    table: str,
    fidelity: FidelityStudy | None,
    reliability: ReliabilityStudy | None = None,
    pairwise: PairwiseStudy | None = None,
) -> dg.AutomationCondition | None:
    """The refresh rule of one table; null where only a person, a schedule or a sensor may make it."""
    if table in (ANCHOR, GROUND_TRUTH):  # ground truth has a sensor: a validation must have allowed it
        return None
    judges = judges_of(table, fidelity, reliability, pairwise)
    return None if any(map(_may_not_spend, judges)) else REFRESH


def judges_of(
    table: str,
    fidelity: FidelityStudy | None,
    reliability: ReliabilityStudy | None = None,
    pairwise: PairwiseStudy | None = None,
) -> list[Section]:
    """The judges, as configured, that making this table may ask; none where it asks no judge."""
    if table in (*ASKING, ANCHOR) and fidelity is not None:
        return [plan.judge for plan, _ in fidelity.by_judge()]
    if table == JUDGMENTS and reliability is not None:
        return [*reliability.judges.values(), *reliability.recalibration.judges.values()]
    if table == PAIR_ANSWERS and pairwise is not None:
        return [*pairwise.judges.values()]
    return []


def _may_not_spend(judge: Section) -> bool:
    return isinstance(judge, OpenAIJudge) and judge.auto_budget_usd_per_day is None and costs_money(judge)


def all_settings() -> dict[str, str]:
    """Run tags that make one run cover every setting."""
    keys = SETTINGS.get_partition_keys()
    return partitions_between(keys[0], keys[-1])


def partitions_between(first: str, last: str) -> dict[str, str]:
    """Run tags that make one run cover the partitions from first to last, in their order."""
    return {FIRST: first, LAST: last}


def tables_of(group: str) -> dg.AssetSelection:
    """All tables of a study, whatever their part of it."""
    return dg.AssetSelection.assets(*BY_GROUP[group])


def tables_and_inputs(group: str) -> dg.AssetSelection:
    """All tables of a study, and its inputs, so that every run notes which content it was made from."""
    return tables_of(group) | dg.AssetSelection.assets(*INPUTS[group])


fidelity = dg.define_asset_job(
    "fidelity",
    selection=tables_and_inputs("fidelity") - WATCH,
    description="Study A without the watch on drift: calls, repeatability, agreement, golden set, recommendation.",
)


watch_drift = dg.define_asset_job(
    "watch_drift",
    selection=WATCH,
    description="Study A, watch on drift: judges the pinned anchor again, once a day at most, and compares.",
)


refresh = dg.AutomationConditionSensorDefinition(
    "refresh",
    target=dg.AssetSelection.all(),
    default_status=dg.DefaultSensorStatus.STOPPED,
    description="The refresh rule: a table is made again when one it is made from was, when `changed_inputs` saw that "
    "an input changed, or when the configuration or code changed that it reads, unless a blocking gate failed.",
)


pairwise = dg.define_asset_job(
    "pairwise",
    selection=tables_and_inputs("pairwise"),
    description="Study B: photo features once, every method on every pair, people's votes, export and report.",
)


def all_methods() -> dict[str, str]:
    """Run tags that make one run cover every method."""
    keys = METHODS.get_partition_keys()
    return partitions_between(keys[0], keys[-1])
