"""A judge that costs money under automation: asked by people, not by schedules, sensors and the refresh rule."""

import os
import time
from pathlib import Path

import dagster as dg
import pytest

from pipeline.automation import all_settings, fidelity
from pipeline.definitions import definitions_of
from resources.configuration.openai_judge import OpenAIJudge
from resources.database.call_records import Spent
from resources.errors import UserError
from resources.judges import replay
from resources.study import Study
from tests.small_study import UP_TO_CALLS, changed, errors, launched, ledger_rows, write_study

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("paid")]
REFUSED = "no person started the run"


class PaidReplay(replay.ReplayJudge):
    """Answers like the recording, for a person."""

    def begin(self, spent: Spent) -> None:
        """Refuse what nobody asked for, as a paid judge without a daily budget does."""
        if spent.unattended:
            raise UserError(REFUSED)


@pytest.fixture
def paid(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recorded judge costs money."""
    monkeypatch.setattr(replay, "ReplayJudge", PaidReplay)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return write_study(tmp_path)


def refused(result: dg.ExecuteInProcessResult) -> bool:
    """The run ended before the first call, and said why."""
    said = errors(result)
    return set(said) == {"judge_calls"} and REFUSED in said["judge_calls"]


def nights_tags(study: Study, instance: dg.DagsterInstance) -> dict[str, str]:
    """What the schedule's own tick puts on its run."""
    nightly = definitions_of(study).resolve_schedule_def("nightly_fidelity")
    [request] = nightly.evaluate_tick(dg.build_schedule_context(instance)).run_requests or []
    return dict(request.tags)


def test_the_nightly_run_asks_nothing_and_says_why(study: Study, instance: dg.DagsterInstance) -> None:
    assert refused(launched(study, instance, nights_tags(study, instance)))
    assert ledger_rows(study).empty


def test_a_run_of_the_sensor_asks_nothing_either(study: Study, instance: dg.DagsterInstance, tmp_path: Path) -> None:
    then = time.time() - 60  # what was written just now may still grow
    for path in tmp_path.rglob("*.*"):
        os.utime(path, (then, then))
    definitions = definitions_of(study)
    context = dg.build_sensor_context(instance, resources={"study": study}, definitions=definitions)
    [request] = definitions.resolve_sensor_def("changed_inputs").evaluate_tick(context).run_requests or []
    assert refused(launched(study, instance, dict(request.tags), UP_TO_CALLS))
    assert ledger_rows(study).empty


def test_a_backfill_of_the_refresh_rule_asks_nothing_either(study: Study, instance: dg.DagsterInstance) -> None:
    tags = {"dagster/backfill": "b", "dagster/from_automation_condition": "true"}
    assert refused(launched(study, instance, all_settings() | tags, UP_TO_CALLS))
    assert ledger_rows(study).empty


def test_a_person_may_ask_and_the_night_uses_the_answers(study: Study, instance: dg.DagsterInstance) -> None:
    assert not errors(launched(study, instance, all_settings(), UP_TO_CALLS))
    asked = len(ledger_rows(study))
    assert asked
    # Every call is answered, so the judge is not even greeted.
    assert not errors(launched(study, instance, nights_tags(study, instance), UP_TO_CALLS, fidelity.name))
    assert len(ledger_rows(study)) == asked


def test_a_schedules_run_never_reaches_the_endpoint_without_a_daily_budget(
    study: Study, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nothing listens there: a call that went out would be a fault in the ledger.
    for name, value in (("BASE_URL", "http://127.0.0.1:9/v1"), ("MODEL", "gpt-4o-mini"), ("API_KEY", "sk-of-no-one")):
        monkeypatch.setenv(f"OPENAI_{name}", value)
    model = changed(study, judge=OpenAIJudge(kind="openai"))
    said = errors(launched(model, instance, nights_tags(study, instance), UP_TO_CALLS))
    assert set(said) == {"judge_calls"}
    assert "auto_budget_usd_per_day" in said["judge_calls"]
    assert ledger_rows(study).empty
