"""Study D by itself: sensors on votes and on validations, tick by tick."""

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.sensor_definition import SensorExecutionData

from pipeline.asked_runs import RUN_KEY, today
from pipeline.automation import REFRESH, refresh_rule
from pipeline.definitions import definitions_of
from pipeline.reliability_automation import (
    allowed_ground_truth,
    finished_tiebreaks,
    revalidation,
)
from pipeline.runs import run_revalidation
from resources.configuration.openai_judge import OpenAIJudge
from resources.study import Study
from resources.tables.all_tables import BY_GROUP
from tests.small_relevance import AGREED, OPPOSED, relevance_study, validate, vote_on, write_queries

pytestmark = pytest.mark.slow

# Two of the ten disputed queries are the quota.
DIFFERENT = [AGREED] * 5 + [OPPOSED] * 10


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    one = relevance_study(tmp_path, DIFFERENT)
    yield one
    one.engine.dispose()


@pytest.fixture(scope="module")
def validated_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one validation, made once; tests work on copies."""
    folder = tmp_path_factory.mktemp("validated")
    study = relevance_study(folder, DIFFERENT)
    with dg.DagsterInstance.ephemeral() as one:
        validate(study, one)
    study.engine.dispose()
    return study.home.local


@pytest.fixture
def waiting(tmp_path: Path, validated_home: Path) -> Iterator[Study]:
    """A study whose one validation waits for votes."""
    shutil.copytree(validated_home, tmp_path / "home")
    one = relevance_study(tmp_path, DIFFERENT)
    yield one
    one.engine.dispose()


def looked(
    sensor: dg.SensorDefinition, study: Study, instance: dg.DagsterInstance, cursor: str | None = None
) -> SensorExecutionData:
    """One tick of a sensor as the daemon makes it."""
    context = dg.build_sensor_context(
        instance, cursor=cursor, resources={"study": study}, definitions=definitions_of(study)
    )
    return sensor.evaluate_tick(context)


def keys(sensor: dg.SensorDefinition, study: Study, instance: dg.DagsterInstance, ticks: int = 1) -> set[str]:
    """The run keys of so many ticks: Dagster starts one run for each, ever."""
    requests = [one for _ in range(ticks) for one in looked(sensor, study, instance).run_requests or []]
    return {one.run_key or "" for one in requests}


def again(study: Study, instance: dg.DagsterInstance) -> None:
    """The run that a request for a re-validation starts."""
    assert run_revalidation(definitions_of(study), instance, study).succeeded


def test_before_a_validation_votes_start_nothing(study: Study, instance: dg.DagsterInstance) -> None:
    tick = looked(finished_tiebreaks, study, instance)
    assert (tick.run_requests, tick.skip_message) == ([], "No validation waits for votes.")


def test_below_the_quota_votes_start_nothing_and_at_it_one_run_however_often_it_looks(
    waiting: Study, instance: dg.DagsterInstance
) -> None:
    assert keys(finished_tiebreaks, waiting, instance) == set()
    vote_on(waiting, 1)
    tick = looked(finished_tiebreaks, waiting, instance)
    assert not tick.run_requests
    assert "1/10" in (tick.skip_message or "")
    vote_on(waiting, 1)
    assert len(keys(finished_tiebreaks, waiting, instance, ticks=3)) == 1
    again(waiting, instance)
    tick = looked(finished_tiebreaks, waiting, instance)
    assert not tick.run_requests
    assert "Validation 2 has seen as much" in (tick.skip_message or "")


def test_votes_between_the_quota_and_the_end_start_nothing_and_the_last_one_starts_one_run_more(
    waiting: Study, instance: dg.DagsterInstance
) -> None:
    vote_on(waiting, 2)
    first = keys(finished_tiebreaks, waiting, instance)
    again(waiting, instance)
    vote_on(waiting, 5)
    assert keys(finished_tiebreaks, waiting, instance) == set()
    vote_on(waiting)
    last = keys(finished_tiebreaks, waiting, instance, ticks=2)
    assert len(last) == 1
    assert not first & last
    again(waiting, instance)
    assert waiting.validations.validations()["status"].iloc[-1] == "resolved_by_review"
    assert keys(finished_tiebreaks, waiting, instance) == set()


def test_all_decided_at_once_is_one_run(waiting: Study, instance: dg.DagsterInstance) -> None:
    vote_on(waiting)
    assert len(keys(finished_tiebreaks, waiting, instance, ticks=2)) == 1


def test_a_tie_is_reviewed_and_not_decided(waiting: Study, instance: dg.DagsterInstance) -> None:
    vote_on(waiting, reviewer="ann")
    vote_on(waiting, 1, reviewer="ben", relevant=False)
    [tied] = keys(finished_tiebreaks, waiting, instance)
    assert tied.startswith("enough")
    again(waiting, instance)
    assert waiting.validations.validations()["status"].iloc[-1] == "contingency_triggered"
    assert keys(finished_tiebreaks, waiting, instance) == set()
    # The third reviewer breaks the tie.
    vote_on(waiting, 1, reviewer="eve")
    [decided] = keys(finished_tiebreaks, waiting, instance)
    assert decided.startswith("all")


def test_disputes_that_a_later_validation_finds_ask_for_their_own_quota(
    tmp_path: Path, waiting: Study, instance: dg.DagsterInstance
) -> None:
    vote_on(waiting, 2)
    first = keys(finished_tiebreaks, waiting, instance)
    again(waiting, instance)
    # Forty more queries of which nobody has seen any: the quota is ten now.
    write_queries(tmp_path / "queries.jsonl", [*DIFFERENT, *[OPPOSED] * 40])
    validate(waiting, instance)
    assert keys(finished_tiebreaks, waiting, instance) == set()
    vote_on(waiting, 8)
    later = keys(finished_tiebreaks, waiting, instance)
    assert len(later) == 1
    assert not first & later


def test_a_validation_that_passed_waits_for_no_votes(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = relevance_study(tmp_path, [AGREED] * 6)
    validate(study, instance)
    assert keys(finished_tiebreaks, study, instance) == set()
    study.engine.dispose()


def test_a_re_validation_makes_what_votes_decide_and_asks_no_judge(study: Study) -> None:
    job = definitions_of(study).resolve_job_def(revalidation.name)
    made = {key.path[-1] for key in job.asset_layer.selected_asset_keys}
    assert made >= {"query_kappa", "disputed_documents", "kappa_validation", "recalibration"}
    assert not made & {"query_documents", "judgments", "ground_truth"}


def test_ground_truth_is_written_once_for_each_validation_that_allows_it(
    waiting: Study, instance: dg.DagsterInstance
) -> None:
    assert keys(allowed_ground_truth, waiting, instance) == set()
    vote_on(waiting)
    job = definitions_of(waiting).resolve_job_def(revalidation.name)
    assert job.execute_in_process(instance=instance).success
    assert len(keys(allowed_ground_truth, waiting, instance, ticks=3)) == 1
    write = definitions_of(waiting).resolve_job_def("write_ground_truth")
    assert write.execute_in_process(instance=instance).success
    tick = looked(allowed_ground_truth, waiting, instance)
    assert (tick.run_requests, tick.skip_message) == ([], "Ground truth is that of validation 2.")
    assert len(waiting.validations.ground_truth_rows()) == 15


def test_a_run_that_a_disk_ended_is_asked_for_again_the_next_day_under_another_key(
    waiting: Study, instance: dg.DagsterInstance
) -> None:
    vote_on(waiting)
    validates = definitions_of(waiting).resolve_job_def(revalidation.name)
    assert validates.execute_in_process(instance=instance).success
    tick = looked(allowed_ground_truth, waiting, instance)
    kappas = Path(str(waiting.home.tables)) / "reliability" / "query_kappa.parquet"
    kappas.unlink()
    kappas.mkdir()
    [key] = [one.run_key or "" for one in tick.run_requests or []]
    write = definitions_of(waiting).resolve_job_def("write_ground_truth")
    assert not write.execute_in_process(instance=instance, tags={RUN_KEY: key}, raise_on_error=False).success
    assert not looked(allowed_ground_truth, waiting, instance, tick.cursor).run_requests
    yesterday = (tick.cursor or "").replace(str(today()), str(today() - timedelta(days=1)))
    [other] = [one.run_key for one in looked(allowed_ground_truth, waiting, instance, yesterday).run_requests or []]
    assert other != key


def test_what_asks_no_judge_runs_by_itself() -> None:
    assert finished_tiebreaks.default_status == dg.DefaultSensorStatus.RUNNING
    assert allowed_ground_truth.default_status == dg.DefaultSensorStatus.RUNNING
    assert finished_tiebreaks.job_name == revalidation.name


def test_only_ground_truth_is_outside_the_refresh_rule_unless_a_judge_may_cost_money(study: Study) -> None:
    def outside(one: Study) -> set[str]:
        rules = {name: refresh_rule(name, None, one.reliability) for name in BY_GROUP["reliability"]}
        assert set(rules.values()) == {REFRESH, None}
        return {name for name, rule in rules.items() if rule is None}

    assert outside(study) == {"ground_truth"}
    paid = dict.fromkeys(("careful", "hasty"), OpenAIJudge(kind="openai", model="gpt-4o"))
    study.reliability_section = study.reliability.model_copy(update={"judges": paid})
    assert outside(study) == {"ground_truth", "judgments"}
