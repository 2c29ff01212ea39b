"""How old the tables that people read may become before the UI shows them as stale."""

from datetime import timedelta
from typing import Final

import dagster as dg

from resources.study import Study

# Reports, and the tables with a verdict in them.
READ_BY_PEOPLE: Final = (
    *("recommended_setting", "fidelity_report"),
    *("method_significance", "pairwise_report"),
    *("evaluation_summary", "evaluation_report"),
    *("kappa_validation", "reliability_report"),
)


def freshness_of(study: Study, table: str) -> dg.FreshnessPolicy | None:
    """The policy of a table that people read; null where the configuration promises nothing.

    Dagster does not know whether a schedule is on, and would show every study that is run by hand as stale: so the
    promise is the configuration's (`fresh_within_hours`).
    """
    if study.fresh_within_hours is None or table not in READ_BY_PEOPLE:
        return None
    return dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=study.fresh_within_hours))
