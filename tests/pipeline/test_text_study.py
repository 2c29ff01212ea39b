"""Study A on texts works like on renders: an own prompt and rubric, people's grades on 1-5, tables and report."""

from pathlib import Path

import dagster as dg
import pytest

from pipeline.command_line.planned_calls import planned_calls
from resources.configuration.settings import SettingsGrid
from tests.openai_server import openai_server
from tests.small_study import KEYS, UP_TO_CALLS, errors, run, run_one, stored
from tests.text_study import GRADES, KEY_VARIABLE, REPEATS, graded, text_study, write_texts

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("pages")]
N_CALLS = len(GRADES) * REPEATS


@pytest.fixture(autouse=True)
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "sk-text-0123456789abcdef")
    write_texts(tmp_path)


def test_a_study_of_texts_runs_to_its_report(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    with openai_server(graded) as server:
        study = text_study(tmp_path, server.base_url, settings=SettingsGrid())
        assert not errors(run(study, instance, (KEYS[0], KEYS[1])))
        assert len(server.requests) == N_CALLS * 2
    summary = stored(study, "setting_summary")
    # The judge gives the true grade, and people are half a grade apart around it.
    assert set(summary["json_validity_rate"]) == {1.0}
    assert summary["spearman_r"].min() > 0.95
    assert stored(study, "golden_images").empty
    assert len(stored(study, "fidelity_report")) == 1


def test_altered_texts_of_the_users_own_are_judged_and_a_rise_counts_where_it_is_expected(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    low, high = [name for name, grade in GRADES.items() if grade == 5], [name for name in GRADES if GRADES[name] < 4]
    rows = [f'{name},"answer of grade 2, number {name}",falsified,,right' for name in low]
    rows += [f'{name},"answer of grade 5, number {name}",completed,better,' for name in high]
    (tmp_path / "pairs.csv").write_text("\n".join(["object,altered,kind,expected,moves", *rows]) + "\n")
    golden = {"pairs": tmp_path / "pairs.csv", "setting": KEYS[1]}
    with openai_server(graded) as server:
        study = text_study(tmp_path, server.base_url, settings=SettingsGrid(), golden=golden)
        assert planned_calls(study, [KEYS[1]]).n_open == N_CALLS + REPEATS * len(rows)
        assert not errors(run(study, instance, (KEYS[1], KEYS[1])))
        assert len(server.requests) == N_CALLS + REPEATS * len(rows)
        assert planned_calls(study, [KEYS[1]]).n_open == 0
        assert not errors(run(study, instance, (KEYS[1], KEYS[1]), ("judge_calls", "golden_scores")))
        assert len(server.requests) == N_CALLS + REPEATS * len(rows)
    seen = stored(study, "sensitivity").set_index("alteration")
    # Grade 5 is 1 on 0-1, and grade 2 is 0.25.
    assert seen.loc["falsified", "mean_drop"] == pytest.approx(0.75)
    assert seen.loc["completed", "mean_altered"] == 1
    assert seen.loc["completed", "cohens_d"] > 1
    assert seen["hit_rate"].tolist() == [1, 1]
    # The user's own rubric: all of its parts fall by the same, of two answers too few for an interval.
    parts = stored(study, "subscore_sensitivity").set_index(["kind", "subscore"])
    assert list(parts.loc["falsified"].index) == ["right", "clear"]
    assert parts.loc[("falsified", "right"), "moves"]
    assert parts.loc[("completed", "right"), "mean_drop"] < 0
    assert not parts.loc["completed", "moved_most"].any()
    page = (study.home.outputs / "fidelity_report.html").read_text()
    assert "Expected to be scored higher, so that a rise is a hit" in page
    assert "Ci si attende un punteggio più alto" in page
    (tmp_path / "pairs.csv").write_text("object,altered,kind\na99,anything,falsified\n")
    result = run_one(study, instance, KEYS[1])
    said = errors(result)["study_objects"]
    assert "pairs.csv, row 2: 'a99' in column 'object' is none of the study's objects" in said


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
