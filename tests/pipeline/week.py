"""An installation that runs unattended, driven as Dagster's daemon drives it: ticks, cursors, run keys, runs."""

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import dagster as dg
import pandas as pd
import pytest
import sqlalchemy as sa
from dagster._core.definitions.asset_daemon_cursor import AssetDaemonCursor
from dagster._core.storage.event_log import SqlEventLogStorage
from dagster_shared.serdes import deserialize_value, serialize_value

from assets.shared.partitions import DATASETS
from pipeline.automation import all_methods, all_settings, partitions_between
from pipeline.definitions import touchstone
from pipeline.instance import open_instance, this_process
from pipeline.runs import QUIET
from reports.shared import figure
from resources.inputs.evaluation.known_datasets import known_datasets
from resources.runtime.home import touchstone_home
from resources.study import Study
from resources.tables.all_tables import BY_GROUP, TABLES
from resources.tables.parquet_tables import ParquetTables
from tests.pipeline.ticks import take_effect
from tests.small_relevance import vote_on
from tests.small_study import errors, made, without_drawing

# Those that are on without being asked, and those that people switch on; in the order of their ticks.
SENSORS = ("changed_inputs", "new_datasets", "finished_tiebreaks", "allowed_ground_truth")
REFRESH = "refresh"
MOST_ROUNDS = 20
MOST_RECORDS = 1000
MATERIALIZATIONS = sa.text(
    "SELECT asset_key, count(*) FROM event_logs WHERE dagster_event_type = 'ASSET_MATERIALIZATION' GROUP BY asset_key"
)


class Ran(NamedTuple):
    """A run that is over: who asked for it, which job (none of the rule), what it made, and what its steps said.

    `gates` are the failed checks that stop or fail something, as table and name, with the sentence.
    """

    asked_by: str
    job: str
    made: frozenset[str]
    errors: dict[str, str]
    gates: dict[tuple[str, str], str]

    def told(self) -> dict[str, Any]:
        """The same for a diary in JSON."""
        gates = [[*key, said] for key, said in self.gates.items()]
        return self._asdict() | {"made": sorted(self.made), "gates": gates}


class Installation:
    """One opening of the code location and of Dagster's instance, as `TOUCHSTONE_HOME` and its like name them."""

    def __init__(self, instance: dg.DagsterInstance) -> None:
        self.instance = instance
        # Connections to Postgres are kept, as the web UI keeps them: a new one for each event takes most of a week.
        instance.optimize_for_webserver(statement_timeout=0, pool_recycle=3600, max_overflow=20)
        self.definitions: dg.Definitions = touchstone()
        study = (self.definitions.resources or {})["study"]
        assert isinstance(study, Study)
        self.study = study
        self._asked_for: AssetDaemonCursor | None = None

    def settle(self) -> list[Ran]:
        """Ticks of everything that is switched on, until each of them has nothing left to start; the runs in order.

        The refresh rule looks when the sensors are at rest.
        """
        ran: list[Ran] = []
        for _ in range(MOST_ROUNDS):
            before = len(ran)
            for name in SENSORS:
                ran += self.tick(name)
            if len(ran) > before:
                continue
            ran += self.refresh()
            if len(ran) == before:
                return ran
        raise AssertionError(f"no rest after {MOST_ROUNDS} rounds: {ran}")

    def tick(self, name: str) -> list[Ran]:
        """One tick of a sensor and the runs that it asks for."""
        repository = self.definitions.get_repository_def()
        # Not `build_sensor_context`: without a reference to the instance Dagster does not find a partition that the
        # same tick adds.
        with dg.SensorEvaluationContext(
            self.instance.get_ref(),
            last_tick_completion_time=None,
            last_run_key=None,
            cursor=self._cursor(name),
            log_key=None,
            repository_name=repository.name,
            repository_def=repository,
            sensor_name=name,
            instance=self.instance,
            resources={"study": repository.get_top_level_resources()["study"]},
        ) as context:
            sensor = repository.get_sensor_def(name)
            found = sensor.evaluate_tick(context)
        take_effect(found, self.instance)
        self._remember(name, found.cursor)
        ran = []
        for request in found.run_requests or []:
            tags = {"dagster/sensor_name": name} | ({"dagster/run_key": request.run_key} if request.run_key else {})
            # Dagster starts one run for a key ever.
            if request.run_key and self.instance.get_runs(dg.RunsFilter(tags=tags), limit=1):
                continue
            job = request.job_name or sensor.job_name or ""
            ran.append(self.run(name, job, {**request.tags, **tags}, request.asset_selection))
        return ran

    def refresh(self) -> list[Ran]:
        """One tick of the refresh rule; what it asks for is one run for a study, or for a data set."""
        known = None if self._asked_for else self._cursor(REFRESH)
        cursor = deserialize_value(known, AssetDaemonCursor) if known else self._asked_for
        # Dagster asks for the data sets hundreds of times in one tick, each time over a new connection to Postgres.
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self.instance, "get_dynamic_partitions", cache(self.instance.get_dynamic_partitions))
            found = dg.evaluate_automation_conditions(self.definitions, self.instance, cursor=cursor)
        self._asked_for = found.cursor
        self._remember(REFRESH, serialize_value(found.cursor))
        graph = self.definitions.resolve_asset_graph()
        tags = {"dagster/sensor_name": REFRESH, "dagster/from_automation_condition": "true"}
        ran = []
        for tables in BY_GROUP.values():
            asked: dict[str, list[dg.AssetKey]] = {"": []}
            several: dict[dg.AssetKey, list[str]] = {}
            for key in (dg.AssetKey(name) for name in tables if found.get_num_requested(dg.AssetKey(name))):
                partitions = graph.get(key).partitions_def
                if isinstance(partitions, dg.StaticPartitionsDefinition):
                    wanted = found.get_requested_partitions(key)
                    several[key] = [one for one in partitions.get_partition_keys() if one in wanted]
                elif partitions is None:
                    asked[""].append(key)
                else:
                    for one in found.get_requested_partitions(key):
                        asked.setdefault(one or "", []).append(key)
            stretch: Mapping[str, str] = {}
            for keys in several.values():
                stretch = partitions_between(keys[0], keys[-1])
            # Data sets first: the tables over all of them are made from theirs.
            for partition in sorted(asked, reverse=True):
                chosen = [*asked[partition], *(several if not partition else ())]
                of_one = {"dagster/partition": partition} if partition else stretch
                if chosen:
                    ran.append(self.run(REFRESH, "__ASSET_JOB", {**of_one, **tags}, chosen))
        return ran

    def run(
        self, asked_by: str, job: str, tags: Mapping[str, str], selection: Sequence[dg.AssetKey] | None = None
    ) -> Ran:
        """A run in this process."""
        definitions = self.definitions
        by_rule = job == "__ASSET_JOB"
        resolved = definitions.resolve_implicit_global_asset_job_def() if by_rule else definitions.resolve_job_def(job)
        result = resolved.execute_in_process(
            run_config=QUIET,
            instance=self.instance,
            tags={**tags, **this_process()},
            asset_selection=list(selection) if selection else None,
            raise_on_error=False,
        )
        failed = [one for one in result.get_asset_check_evaluations() if not one.passed]
        gates = {
            (one.asset_key.path[-1], one.check_name): one.description or ""
            for one in failed
            if one.severity == dg.AssetCheckSeverity.ERROR
        }
        return Ran(asked_by, "" if by_rule else job, frozenset(made(result)), errors(result), gates)

    def scheduled(self, name: str) -> list[Ran]:
        """One tick of a schedule and its runs."""
        schedule = next(one for one in self.definitions.schedules or [] if one.name == name)
        assert isinstance(schedule, dg.ScheduleDefinition)
        context = dg.build_schedule_context(self.instance, resources={"study": self.study})
        requests = schedule.evaluate_tick(context).run_requests or []
        tags = {"dagster/schedule_name": name}
        return [self.run(name, schedule.job_name, dict(one.tags) | tags) for one in requests]

    def counts(self) -> Counter[str]:
        """How many materializations there are of each table, partition by partition."""
        storage = self.instance.event_log_storage
        assert isinstance(storage, SqlEventLogStorage)
        # By the database: Dagster reads every event that it counts.
        with storage.index_connection() as connection:
            found = connection.execute(MATERIALIZATIONS).all()
        made = {dg.AssetKey.from_db_string(key): n for key, n in found}
        return Counter({key.path[-1]: n for key, n in made.items() if key is not None and key.path[-1] in TABLES})

    def check_history(self) -> dict[str, dict[str, list[str]]]:
        """What each check said in order, as `table.check`: of each partition, and as "" of the whole."""
        graph, storage = self.definitions.resolve_asset_graph(), self.instance.event_log_storage
        found: dict[str, dict[str, list[str]]] = {}
        for key in sorted(graph.asset_check_keys):
            of_one = found[f"{key.asset_key.path[-1]}.{key.name}"] = {}
            for record in reversed(storage.get_asset_check_execution_history(key, limit=MOST_RECORDS)):
                of_one.setdefault(record.partition or "", []).append(record.status.value)
        return found

    def tables(self) -> dict[str, pd.DataFrame]:
        """Every stored table's file, read."""
        return stored_tables(Path(str(self.study.home.tables)))

    def files(self) -> dict[str, bytes]:
        """Every stored table's file with its content."""
        base = self.study.home.tables
        return {str(path): path.read_bytes() for path in sorted(base.rglob(f"*{ParquetTables.extension}"))}

    def _cursor(self, name: str) -> str | None:
        return self.instance.daemon_cursor_storage.get_cursor_values({name}).get(name)

    def _remember(self, name: str, cursor: str | None) -> None:
        if cursor is not None:
            self.instance.daemon_cursor_storage.set_cursor_values({name: cursor})


@contextmanager
def opened() -> Iterator[Installation]:
    """The installation that the environment names, as a process that starts finds it."""
    with ExitStack() as closing:
        closing.enter_context(without_drawing())
        # Those of data sets, which lie next to their tables, are files without a picture.
        patch = closing.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(figure, "svg", lambda *_args: "")
        patch.setattr(figure, "_raster", lambda *_args: b"")
        installation = Installation(closing.enter_context(open_instance(touchstone_home())))
        yield installation
        installation.study.engine.dispose()


@contextmanager
def fresh_home(home: Path, like: Path) -> Iterator[Installation]:
    """A home next to another, with its configuration, on SQLite: nothing has been made there."""
    home.mkdir()
    shutil.copy(like / "touchstone.yaml", home)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOUCHSTONE_HOME", str(home))
        patch.delenv("TOUCHSTONE_DATABASE_URL", raising=False)
        patch.delenv("TOUCHSTONE_DAGSTER_YAML", raising=False)
        with opened() as at:
            yield at


def all_at_once(at: Installation) -> list[Ran]:
    """Each study once, by a person; then everybody's votes and what they decide."""
    data_sets = sorted(known_datasets(at.study.evaluation))
    at.instance.add_dynamic_partitions(DATASETS.name or "", data_sets)
    who = "a person"
    ran = [
        at.run(who, "fidelity", all_settings()),
        at.run(who, "pairwise", all_methods()),
        *(at.run(who, "evaluation", {"dagster/partition": name}) for name in data_sets),
        at.run(who, "evaluation_overview", {}),
        at.run(who, "reliability", {}),
    ]
    vote_on(at.study)
    return [*ran, at.run(who, "revalidation", {}), at.run(who, "write_ground_truth", {})]


def stored_tables(folder: Path) -> dict[str, pd.DataFrame]:
    """Every file of a tables' folder by its place there: `group/table`, or `group/table/partition`."""
    files = sorted(folder.rglob("*.parquet"))
    return {str(file.relative_to(folder).with_suffix("")): pd.read_parquet(file) for file in files}


def of_one_moment(table: pd.DataFrame) -> pd.DataFrame:
    """The table without what no two runs share: numbers of rows, runs, times, addresses, speeds, and their files."""
    rows = ("id", "run", "validation", "sha256", "n_bytes", "timestamp", "path_1", "path_2")
    names = (*rows, "throughput", "images_per_s")
    ends = ("_at", "_ms", "_ns", "path", "paths", "run_id", "_row")
    return table.drop(columns=[name for name in table.columns if name in names or name.endswith(ends)])
