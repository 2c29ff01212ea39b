"""The study with a model behind an HTTP server on loopback, through Dagster: set by three variables."""

from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from resources.configuration.openai_judge import OpenAIJudge
from resources.study import Study
from tests.openai_server import Asked, OpenAIServer, Scripted, answered, failed, openai_server, quota_used_up
from tests.small_study import KEYS, UP_TO_CALLS, changed, errors, launched, ledger_rows, run_one, stored, write_study

pytestmark = pytest.mark.slow
SETTING = KEYS[1]
N_CALLS = 60  # 12 objects, 5 repeats
PAID = {"input": 2, "output": 8}


def paid(study: Study, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, **judge: Any) -> Study:
    """The study with the judge openai on this server."""
    for name, value in (("BASE_URL", server.base_url), ("API_KEY", "sk-of-the-test"), ("MODEL", "gpt-4o")):
        monkeypatch.setenv(f"OPENAI_{name}", value)
    described = {"kind": "openai", "price": PAID, "image_side_px": 64, "longest_wait_s": 5, **judge}
    return changed(study, judge=OpenAIJudge(**described))


def odd_ones_fail(asked: Asked) -> Scripted:
    """Every second request is told to come again at once."""
    return answered() if asked.number % 2 else failed(503, headers={"retry-after": "0"})


def test_every_attempt_is_recorded_and_paid_and_no_answer_is_asked_for_twice(
    tmp_path: Path, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server(odd_ones_fail) as server:
        study = paid(write_study(tmp_path), server, monkeypatch, faults_until_open=50, attempts=20)
        result = run_one(study, instance, SETTING, UP_TO_CALLS)
        assert not errors(result)
        rows = ledger_rows(study)
        assert len(rows) == len(server.requests)
        assert (rows["state"] == "valid").sum() == N_CALLS
        assert set(rows["state"]) == {"valid", "provider_error"}
        # 1,000 tokens read and 100 written: $0.0028 an answer; a status 503 costs nothing.
        assert rows["cost_usd"].sum() == pytest.approx(N_CALLS * 0.0028)
        assert set(rows["key_id"].str.len()) == {8}
        run_one(study, instance, SETTING, UP_TO_CALLS)
        assert len(server.requests) == len(rows)
    assert len(stored(study, "judge_calls", SETTING)) == len(rows)
    checks = {one.check_name: one for one in result.get_asset_check_evaluations()}
    assert checks["prices_are_recent"].passed
    assert "the configuration's own" in (checks["prices_are_recent"].description or "")


def test_a_key_that_runs_out_on_the_way_stops_the_run_and_keeps_what_came(
    tmp_path: Path, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def script(asked: Asked) -> Scripted:
        return answered() if asked.number <= 20 else quota_used_up()

    with openai_server(script) as server:
        study = paid(write_study(tmp_path), server, monkeypatch)
        said = errors(run_one(study, instance, SETTING, UP_TO_CALLS))
        assert "Add credit" in said["judge_calls"]
        rows = ledger_rows(study)
        assert len(rows) == len(server.requests) < N_CALLS
        assert (rows["state"] == "valid").sum() == 20
        server.script = ()
        assert not errors(run_one(study, instance, SETTING, UP_TO_CALLS))
    rows = ledger_rows(study)
    assert (rows["state"] == "valid").sum() == N_CALLS
    assert not rows[rows["state"] == "valid"].duplicated(["object", "repeat"]).any()


def test_the_budget_binds_all_runs_of_the_study(
    tmp_path: Path, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server() as server:
        study = paid(write_study(tmp_path), server, monkeypatch, budget_usd=0.1, max_output_tokens=100)
        for _ in range(2):
            said = errors(run_one(study, instance, SETTING, UP_TO_CALLS))
            assert "budget_usd" in said["judge_calls"]
        spent = ledger_rows(study)["cost_usd"].sum()
        assert spent == pytest.approx(len(server.requests) * 0.0028)
    assert 0.08 < spent <= 0.1


def test_a_schedule_spends_nothing_unless_it_may(
    tmp_path: Path, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    tags = {"dagster/partition": SETTING, "dagster/schedule_name": "nightly_fidelity"}
    with openai_server() as server:
        study = paid(write_study(tmp_path), server, monkeypatch)
        said = errors(launched(study, instance, tags, UP_TO_CALLS))
        assert "auto_budget_usd_per_day" in said["judge_calls"]
        assert not server.requests
        allowed = paid(study, server, monkeypatch, auto_budget_usd_per_day=10)
        assert not errors(launched(allowed, instance, tags, UP_TO_CALLS))
        assert len(server.requests) == N_CALLS
