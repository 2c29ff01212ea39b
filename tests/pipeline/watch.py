"""The sensor `changed_inputs` as the daemon drives it, over studies that tests write."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path

import dagster as dg
from dagster._core.definitions.sensor_definition import SensorExecutionData

from pipeline.asked_runs import RUN_KEY, today
from pipeline.definitions import definitions_of
from pipeline.runs import QUIET
from resources.runtime.dagster_tags import DATA_VERSION
from resources.study import Study
from tests.pipeline.ticks import take_effect

LONG_AGO_S = 3600.0


def quiet(folder: Path, ago_s: float = LONG_AGO_S) -> None:
    """Let every file below have been written long ago."""
    then = time.time() - ago_s
    for path in folder.rglob("*"):
        if path.is_file():
            os.utime(path, (then, then))


def other_scores(study: Study, folder: Path) -> None:
    """One score of the first object is another; the file rests."""
    path = study.fidelity.human_scores
    path.write_text(path.read_text(encoding="utf-8-sig").replace("0.190", "0.195"), encoding="utf-8-sig")
    quiet(folder)


class Watch:
    """The sensor as the daemon drives it: its events are stored, its cursor comes back, its runs run."""

    def __init__(self, study: Study, instance: dg.DagsterInstance) -> None:
        self.study, self.instance = study, instance
        self.definitions = definitions_of(study)
        self.cursor: str | None = None
        self.keys: list[str] = []

    def reconfigured(self, study: Study) -> None:
        """The code location is loaded again with another configuration."""
        self.study, self.definitions = study, definitions_of(study)

    def look(self) -> SensorExecutionData:
        """One tick."""
        context = dg.build_sensor_context(
            self.instance, cursor=self.cursor, resources={"study": self.study}, definitions=self.definitions
        )
        found = self.definitions.resolve_sensor_def("changed_inputs").evaluate_tick(context)
        self.cursor = found.cursor
        take_effect(found, self.instance)
        return found

    def a_day_passes(self) -> None:
        """What was asked for today was asked for yesterday."""
        yesterday = str(today() - timedelta(days=1))
        asked = json.loads(self.cursor or "{}")
        self.cursor = json.dumps({name: one | {"day": one["day"] and yesterday} for name, one in asked.items()})

    def tables(self) -> set[str]:
        """What the run that one tick asks for would make; nothing where it asks for none."""
        requests = self.look().run_requests or []
        assert len(requests) <= 1
        self.keys += [request.run_key or "" for request in requests]
        return {key.path[-1] for request in requests for key in request.asset_selection or []}

    def run(
        self, request: dg.RunRequest, only: Sequence[str] = (), partitions: Mapping[str, str] | None = None
    ) -> set[str]:
        """The run that was asked for, or only some of its tables or partitions; the tables that were made."""
        self.keys.append(request.run_key or "")
        result = self.definitions.resolve_job_def(request.job_name or "").execute_in_process(
            run_config=QUIET,
            instance=self.instance,
            tags={**request.tags, **(partitions or {}), RUN_KEY: request.run_key or ""},
            asset_selection=[dg.AssetKey(name) for name in only] or request.asset_selection,
            raise_on_error=False,
        )
        events = result.filter_events(lambda event: event.is_step_materialization)
        return {event.asset_key.path[-1] for event in events if event.asset_key}

    def follow(self, only: Sequence[str] = ()) -> set[str]:
        """One tick, and the run that it asks for; the tables that were made, none where it asks for none."""
        return {table for request in self.look().run_requests or [] for table in self.run(request, only)}

    def versions(self, name: str) -> list[str]:
        """Every version that was observed of an input, the first one first."""
        records = self.instance.fetch_observations(dg.AssetKey(name), limit=100, ascending=True).records
        return [(one.asset_observation.tags or {})[DATA_VERSION] for one in records if one.asset_observation]
