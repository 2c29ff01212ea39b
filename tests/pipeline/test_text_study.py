"""Study A on texts works like on renders: an own prompt and rubric, people's grades on 1-5, tables and report."""

from pathlib import Path

import dagster as dg
import pytest

from resources.configuration.fidelity import SettingsGrid
from tests.openai_server import openai_server
from tests.small_study import KEYS, UP_TO_CALLS, errors, run, run_one, stored
from tests.text_study import GRADES, KEY_VARIABLE, REPEATS, graded, text_study, write_texts

pytestmark = pytest.mark.slow
N_CALLS = len(GRADES) * REPEATS


@pytest.fixture(autouse=True)
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "sk-text-0123456789abcdef")
    write_texts(tmp_path)


def test_a_study_of_texts_runs_to_its_report(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    with openai_server(graded) as server:
        study = text_study(tmp_path, server.base_url, settings=SettingsGrid())
        assert not errors(run(study, instance))
        assert len(server.requests) == N_CALLS * len(KEYS)
    summary = stored(study, "setting_summary")
    # The judge gives the true grade, and people are half a grade apart around it.
    assert set(summary["json_validity_rate"]) == {1.0}
    assert summary["spearman_r"].min() > 0.95
    assert stored(study, "golden_images").empty
    assert len(stored(study, "fidelity_report")) == 1


def test_no_call_about_a_text_is_repeated_in_another_format_either(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    with openai_server(graded) as server:
        study = text_study(tmp_path, server.base_url, "anthropic:claude-test", settings=SettingsGrid())
        for _ in range(2):
            assert not errors(run_one(study, instance, KEYS[1], UP_TO_CALLS))
            assert len(server.requests) == N_CALLS
    calls = stored(study, "judge_calls", KEYS[1])
    assert set(calls["judge"]) == {"anthropic"}
    assert calls["score"].nunique() == 5
