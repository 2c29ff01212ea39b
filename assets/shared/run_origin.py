"""Who started a run: a person, or one of Dagster's automations, which may spend only what was allowed to them."""

from collections.abc import Mapping

# What Dagster 1.13 puts on a run that a schedule, a sensor or the refresh rule asked for; a backfill that the refresh
# rule starts hands these to its runs, one that a person starts has a `dagster/backfill` only.
AUTOMATIONS = (
    "dagster/schedule_name",
    "dagster/sensor_name",
    "dagster/from_automation_condition",
    "dagster/auto_materialize",
    "dagster/tick",
)


def started_by_a_person(tags: Mapping[str, str]) -> bool:
    """Whether a run was launched by hand, from the UI or from the command line.

    A run that repeats an automatic one keeps its tags and counts as automatic, even if a person repeats it.

    Args:
        tags: Of the run.
    """
    return not any(name in tags for name in AUTOMATIONS)
