"""The sensors on failures as the daemon drives them, and runs that fail in the way a test wants."""

from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.sensor_definition import SensorExecutionData
from dagster._core.execution.build_resources import wrap_resources_for_execution
from dagster._core.remote_origin import CodeLocationOrigin

from pipeline.runs import QUIET
from resources.alerts.webhook import AlertWebhook
from resources.configuration.alerts import Alerts
from tests.small_datasets import study_over


class Ticks:
    """A sensor as the daemon drives it: its cursor comes back unless the tick failed."""

    def __init__(
        self,
        sensor: dg.SensorDefinition,
        instance: dg.DagsterInstance,
        folder: Path,
        location: CodeLocationOrigin | None = None,
        alerts: Alerts | None = None,
    ) -> None:
        self.sensor, self.instance, self.location = sensor, instance, location
        study = replace(study_over(folder, {}), alerts=alerts or Alerts())
        self.resources = {"study": study, "alerts": AlertWebhook()}
        self.cursor: str | None = None

    def tick(self) -> str:
        """One tick, and what it says."""
        with dg.SensorEvaluationContext(
            self.instance.get_ref(),
            last_tick_completion_time=None,
            last_run_key=None,
            cursor=self.cursor,
            log_key=None,
            repository_name="__repository__",
            instance=self.instance,
            resources=wrap_resources_for_execution(self.resources),
            code_location_origin=self.location,
        ) as context:
            found: SensorExecutionData = self.sensor.evaluate_tick(context)
        self.cursor = found.cursor
        assert not found.run_requests
        return found.skip_message or ""

    def refused(self) -> str:
        """One tick that fails, and everything that the daemon would log and show of it."""
        with pytest.raises(Exception, match="did not take an alert") as raised:
            self.tick()
        return "".join(str(error) for error in (raised.value, raised.value.__cause__, raised.getrepr()))


def checked(instance: dg.DagsterInstance, *, before: bool = True, **passed: bool) -> None:
    """A run that ended and asked a gate of these partitions; its table passes if all that was asked before does too."""

    @dg.job
    def anything() -> None: ...

    run = instance.create_run_for_job(anything, status=dg.DagsterRunStatus.STARTED)
    results: list[tuple[str | None, bool]] = [*passed.items(), (None, before and all(passed.values()))]
    for partition, holds in results:
        seen = dg.AssetCheckEvaluation(dg.AssetKey("table"), "gate", holds, {}, partition=partition)
        said = dg.DagsterEvent(dg.DagsterEventType.ASSET_CHECK_EVALUATION.value, "anything", event_specific_data=seen)
        instance.report_dagster_event(said, run.run_id)
    ended = dg.DagsterEvent(dg.DagsterEventType.RUN_SUCCESS.value, "anything")
    instance.report_dagster_event(ended, run.run_id)


class Work:
    """A table with two gates and one that warns; a test says which fail, and with which words."""

    error: Exception | None = None
    gates = (True, True, True)
    words = "seen and needed"
    table = "table"

    def run(self, instance: dg.DagsterInstance, *, blocking: bool = False) -> bool:
        @dg.asset(name=self.table)
        def table() -> None:
            if self.error is not None:
                raise self.error

        def gate(place: int) -> dg.AssetChecksDefinition:
            severity = dg.AssetCheckSeverity.WARN if place == 2 else dg.AssetCheckSeverity.ERROR

            @dg.asset_check(asset=table, name=f"gate_{place}", blocking=blocking and place == 0)
            def one() -> dg.AssetCheckResult:
                said = {"seen": 0.5, "needed": ">= 0.85", "to_do": f"Do it. {self.words}"}
                return dg.AssetCheckResult(
                    passed=self.gates[place], severity=severity, description=self.words, metadata=said
                )

            return one

        @dg.asset(deps=[table])
        def after() -> None: ...

        checks = [gate(place) for place in range(3)]
        job = dg.Definitions([table, after], asset_checks=checks).resolve_implicit_global_asset_job_def()
        return job.execute_in_process(run_config=QUIET, instance=instance, raise_on_error=False).success
