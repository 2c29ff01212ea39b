"""When tables are made again: the refresh rule."""

from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from pipeline.automation import REFRESH, all_settings, refresh
from pipeline.definitions import definitions_of
from resources.configuration.openai_judge import OpenAIJudge
from resources.study import Study
from resources.tables.all_tables import TABLES
from tests.small_study import (
    KEYS,
    OBJECTS,
    changed,
    errors,
    fault,
    launched,
    near_truth,
    run,
    run_one,
    write_study,
)

pytestmark = pytest.mark.slow
HUMAN_SCORES = ("human_scores",)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return write_study(tmp_path)


def make_human_scores(study: Study, instance: dg.DagsterInstance) -> None:
    assert not errors(run_one(study, instance, KEYS[0], HUMAN_SCORES))


def other_scores(study: Study) -> None:
    path = study.fidelity.human_scores
    path.write_text(path.read_text(encoding="utf-8-sig").replace("0.190", "0.195"), encoding="utf-8-sig")


def test_the_tags_of_schedule_and_sensor_make_a_run_over_all_settings(
    study: Study, instance: dg.DagsterInstance
) -> None:
    result = launched(study, instance, all_settings(), ("human_scores", "study_objects", "judge_calls"))
    assert not errors(result)
    assert instance.get_materialized_partitions(dg.AssetKey("judge_calls")) == set(KEYS)


def test_nothing_runs_by_itself_until_it_is_switched_on() -> None:
    assert refresh.default_status == dg.DefaultSensorStatus.STOPPED


def without_refresh(study: Study) -> set[str]:
    """The tables that the refresh rule leaves alone."""
    specs = [spec for spec in definitions_of(study).resolve_all_asset_specs() if spec.key.path[-1] in TABLES]
    assert {spec.automation_condition for spec in specs} <= {REFRESH, None}
    return {spec.key.path[-1] for spec in specs if spec.automation_condition is None}


def test_the_refresh_rule_is_on_every_table_but_the_anchor(study: Study) -> None:
    assert without_refresh(study) == {"anchor_scores"}


def test_no_rule_asks_a_paid_judge_that_has_no_daily_budget(study: Study) -> None:
    paid = changed(study, judge=OpenAIJudge(kind="openai", model="m"))
    assert without_refresh(paid) == {"judge_calls", "golden_scores", "anchor_scores"}


def test_a_judge_that_costs_nothing_is_under_the_rule_whatever_its_kind(study: Study) -> None:
    free = changed(study, judge={"kind": "openai", "model": "m", "price": {"input": 0, "output": 0}})
    assert without_refresh(free) == {"anchor_scores"}
    cached = changed(study, judge={"kind": "openai", "price": {"input": 0, "output": 0, "cache_write": 1}})
    assert without_refresh(cached) == {"judge_calls", "golden_scores", "anchor_scores"}


def test_a_daily_budget_brings_a_paid_judge_under_the_rule(study: Study) -> None:
    paid = changed(study, judge=OpenAIJudge(kind="openai", model="m", auto_budget_usd_per_day=2))
    assert without_refresh(paid) == {"anchor_scores"}


class Scenario:
    """Two assets under the refresh rule; `upstream` has a blocking gate that a test can fail."""

    passes = True
    breaks = False

    def __init__(self, instance: dg.DagsterInstance) -> None:
        @dg.asset
        def upstream() -> None: ...

        @dg.asset_check(asset=upstream, blocking=True)
        def gate() -> dg.AssetCheckResult:
            return dg.AssetCheckResult(passed=self.passes)

        @dg.asset(deps=[upstream], automation_condition=REFRESH)
        def downstream() -> None:
            if self.breaks:
                raise RuntimeError("the worker was killed")

        self.instance = instance
        self.definitions = dg.Definitions([upstream, downstream], asset_checks=[gate], executor=dg.in_process_executor)
        self.cursor: Any = None

    def make(self, *names: str) -> None:
        job = self.definitions.resolve_implicit_global_asset_job_def()
        selection = [dg.AssetKey(name) for name in names]
        job.execute_in_process(instance=self.instance, asset_selection=selection, raise_on_error=False)

    def requested(self) -> int:
        """How often one tick of the rule asks for `downstream`."""
        result = dg.evaluate_automation_conditions(self.definitions, self.instance, cursor=self.cursor)
        self.cursor = result.cursor
        return result.get_num_requested(dg.AssetKey("downstream"))


@pytest.fixture
def scenario(instance: dg.DagsterInstance) -> Scenario:
    """Both made, and the rule has looked once."""
    scenario = Scenario(instance)
    scenario.make("upstream", "downstream")
    assert scenario.requested() == 0
    return scenario


def test_what_depends_on_a_table_is_made_again_once(scenario: Scenario) -> None:
    scenario.make("upstream")
    assert scenario.requested() == 1
    assert scenario.requested() == 0


def test_what_depends_on_a_table_that_fails_its_gate_is_not(scenario: Scenario) -> None:
    scenario.passes = False
    scenario.make("upstream")
    assert scenario.requested() == 0


def test_what_a_run_left_unmade_when_it_broke_off_is_made_once_more_and_no_oftener(scenario: Scenario) -> None:
    scenario.breaks = True
    scenario.make("upstream", "downstream")
    assert scenario.requested() == 1
    scenario.make("downstream")
    assert [scenario.requested() for _ in range(3)] == [0, 0, 0]


def test_a_whole_run_that_succeeds_leaves_nothing_to_the_rule(scenario: Scenario) -> None:
    scenario.make("upstream", "downstream")
    assert [scenario.requested() for _ in range(2)] == [0, 0]


def test_a_gate_that_failed_in_an_earlier_run_holds_until_it_passes(scenario: Scenario) -> None:
    scenario.passes = False
    scenario.make("upstream")
    # Ticks pass, and the failure is not forgotten.
    assert [scenario.requested() for _ in range(3)] == [0, 0, 0]
    scenario.passes = True
    scenario.make("upstream")
    assert scenario.requested() == 1


def requested_settings(
    study: Study, instance: dg.DagsterInstance, cursor: Any
) -> tuple[dict[str, set[str | None]], Any]:
    """The settings that one tick of the rule asks for, by table."""
    definitions = definitions_of(study)
    result = dg.evaluate_automation_conditions(definitions, instance, cursor=cursor)
    keys = definitions.resolve_asset_graph().materializable_asset_keys
    asked = {key.path[-1]: set(result.get_requested_partitions(key)) for key in keys}
    return {name: settings for name, settings in asked.items() if settings}, result.cursor


def test_after_a_run_over_settings_new_scores_ask_for_the_settings_whose_gates_passed(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    passing, failing = KEYS[1:3]

    def answers(object_: str, setting: str, repeat: int) -> dict[str, Any]:
        hit = (object_, setting) == (OBJECTS[0][2], failing) and repeat > 2
        return fault() if hit else near_truth(object_, setting, repeat)

    study = write_study(tmp_path, answers)
    run(study, instance, (passing, failing))
    run(study, instance, (passing, passing))
    asked, cursor = requested_settings(study, instance, None)
    assert asked == {}
    other_scores(study)
    make_human_scores(study, instance)
    asked, _ = requested_settings(study, instance, cursor)
    by_setting = ("matched_scores", "human_agreement", "retried_calls", "annotator_test", "few_labels")
    whole: dict[str, set[str | None]] = {"study_objects": {None}, "golden_images": {None}}
    assert asked == whole | {name: {passing} for name in by_setting}
