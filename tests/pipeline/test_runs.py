"""Studies run by the command line: which Dagster runs they become, and what is told of them."""

import os
import signal
import time
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import WorkspaceFileTarget

from pipeline import runs
from pipeline.definitions import definitions_of, touchstone
from pipeline.instance import this_process
from pipeline.runs import Outcome, _Job, _run, run_evaluation, run_study
from resources.configuration.evaluation import Dataset
from resources.errors import UserError
from resources.runtime import ctrl_c
from resources.runtime.home import CHECKOUT
from resources.study import Study, study_from_environment
from tests.small_datasets import study_over, write_scores
from tests.small_study import KEYS, stored, write_selection, write_study

# What the UI asks for its pages of a job, of a code location and of all runs.
RUNS_OF_A_JOB_AND_OF_ALL = """
query($job: String!) {
  pipelineOrError(
    params: {pipelineName: $job, repositoryName: "__repository__", repositoryLocationName: "touchstone"}
  ) { ... on Pipeline { runs { runId } } }
  repositoryOrError(repositorySelector: {repositoryName: "__repository__", repositoryLocationName: "touchstone"}) {
    ... on Repository { origin { id } }
  }
  ofLocation: runsOrError(filter: {tags: [{key: ".dagster/repository", value: "__repository__@touchstone"}]}) {
    ... on Runs { results { runId } }
  }
  runsFeedOrError(limit: 9, view: RUNS) {
    ... on RunsFeedConnection {
      results { ... on Run { runId jobName repositoryOrigin { id repositoryName repositoryLocationName } } }
    }
  }
}
"""


def outcome_of(study: Study, instance: dg.DagsterInstance, *settings: str) -> Outcome:
    return run_study(definitions_of(study), "fidelity", instance, settings)


def test_a_data_set_that_is_named_twice_is_evaluated_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[object] = []
    monkeypatch.setattr(runs, "_run", lambda _asked, tags: ran.append(tags))
    monkeypatch.setattr(runs, "_gather", lambda *_result: None)
    study = study_over(tmp_path, {"one": Dataset(file=tmp_path / "one.csv")})
    with dg.DagsterInstance.ephemeral() as instance:
        run_evaluation(dg.Definitions(), instance, study, ["one", "one"])
    assert ran == [{"dagster/partition": "one"}, {}]


@pytest.mark.slow
def test_settings_that_stand_together_are_one_run_and_the_others_runs_of_their_own(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = write_study(tmp_path)
    outcome = outcome_of(study, instance, KEYS[4], KEYS[1], KEYS[2], KEYS[1])
    assert outcome.succeeded
    assert (outcome.user_errors, outcome.other_errors) == ([], [])
    assert stored(study, "setting_summary")["setting"].tolist() == [KEYS[1], KEYS[2], KEYS[4]]
    stretches = [
        (run.tags["dagster/asset_partition_range_start"], run.tags["dagster/asset_partition_range_end"])
        for run in reversed(instance.get_runs())
    ]
    assert stretches == [(KEYS[1], KEYS[2]), (KEYS[4], KEYS[4])]
    # Each gate once, not once more for every setting or run.
    names = [check.check_name for check in outcome.checks]
    assert names.count("enough_repeats") == names.count("images_are_there") == 1
    assert {run.tags.items() >= this_process().items() for run in instance.get_runs()} == {True}


def test_a_setting_that_the_study_does_not_have_is_an_error_with_the_nearest(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    with pytest.raises(UserError, match=rf"no setting 't0\.2_p0\.951' \(did you mean '{KEYS[2]}'\?\)\. It has t0\.0"):
        outcome_of(write_study(tmp_path), instance, KEYS[1], "t0.2_p0.951")
    assert instance.get_runs() == []


def test_what_is_wrong_with_a_users_file_is_told_in_the_files_words(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = write_study(tmp_path)
    study.fidelity.human_scores.write_text("3D Object filename,Score\n")
    outcome = outcome_of(study, instance, KEYS[1])
    assert not outcome.succeeded
    [said] = outcome.user_errors
    assert said.startswith("subjective.csv")
    assert "'Visual Fidelity'" in said
    assert (outcome.other_errors, outcome.tables) == ([], [])


def test_a_gate_that_stops_the_run_is_no_error_but_a_failed_check(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    selection = write_selection(tmp_path / "selected.csv", {"00000000": "00000001"})
    outcome = outcome_of(write_study(tmp_path, selected_objects=selection), instance, KEYS[1])
    assert not outcome.succeeded
    assert (outcome.user_errors, outcome.other_errors) == ([], [])
    [stopped] = [check for check in outcome.checks if not check.passed]
    assert (stopped.check_name, stopped.blocking) == ("render_shows_the_scored_object", True)


def test_an_error_that_is_nobodys_file_is_told_apart(
    tmp_path: Path, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_arguments: object) -> None:
        raise ZeroDivisionError("a fault of ours")

    monkeypatch.setattr("assets.fidelity.study_objects.find_study_objects", broken)
    outcome = outcome_of(write_study(tmp_path), instance, KEYS[1])
    assert outcome.user_errors == []
    assert outcome.other_errors == ["ZeroDivisionError: a fault of ours"]
    assert outcome.tables == ["human_scores"]


def test_a_folder_that_cannot_be_written_is_told_in_the_systems_words(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = write_study(tmp_path)
    taken = study.home.tables / "fidelity" / "judge_calls"
    taken.parent.mkdir(parents=True)
    taken.write_text("a file where a folder of tables belongs")
    outcome = outcome_of(study, instance, KEYS[1])
    assert not outcome.succeeded
    assert outcome.other_errors == []
    [said] = outcome.user_errors
    assert str(taken) in said


@pytest.mark.slow
def test_a_run_of_the_command_line_is_among_those_of_its_job_and_of_the_code_location(
    tmp_path: Path, sqlite_instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dagster_graphql.test.utils import execute_dagster_graphql

    home = tmp_path / "home"
    home.mkdir()
    write_scores(home / "scores.csv")
    (home / "touchstone.yaml").write_text("study: mine\nevaluation: {datasets: {scores: {file: scores.csv}}}\n")
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    run_evaluation(touchstone(), sqlite_instance, study_from_environment())
    made = {run.job_name: run.run_id for run in sqlite_instance.get_runs()}
    assert set(made) == {"evaluation", "evaluation_overview"}
    workspace = WorkspaceFileTarget([str(CHECKOUT / "workspace.yaml")])
    with WorkspaceProcessContext(sqlite_instance, workspace) as context:
        answers = {
            job: execute_dagster_graphql(context.create_request_context(), RUNS_OF_A_JOB_AND_OF_ALL, {"job": job}).data
            for job in made
        }
    for job, answer in answers.items():
        assert answer["pipelineOrError"] == {"runs": [{"runId": made[job]}]}
        assert {run["runId"] for run in answer["ofLocation"]["results"]} == set(made.values())
        [shown] = [run for run in answer["runsFeedOrError"]["results"] if run["jobName"] == job]
        origin = shown["repositoryOrigin"]
        assert (origin["repositoryName"], origin["repositoryLocationName"]) == ("__repository__", "touchstone")
        # The very one that the UI loads from workspace.yaml.
        assert origin["id"] == answer["repositoryOrError"]["origin"]["id"]


def test_a_run_that_ctrl_c_ends_counts_as_interrupted_and_not_as_failed(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ctrl_c, "_pressed", False)

    @dg.asset
    def long() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)

    definitions = dg.Definitions([long], jobs=[dg.define_asset_job("long_job", [long])])
    with pytest.raises(KeyboardInterrupt):
        _run(_Job(definitions, "long_job", instance))
    [run] = instance.get_runs()
    assert run.status == dg.DagsterRunStatus.CANCELED
