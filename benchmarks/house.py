"""The house around the numbers: loading, the command line, Dagster's share of a table, and the demo."""

import logging
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._core.execution.plan import compute_generator

from benchmarks.table import Row, at_most, over_the_floor
from pipeline.definitions import definitions_of
from pipeline.runs import QUIET
from resources.configuration.evaluation import Dataset
from resources.study import Study
from tests.small_datasets import study_over, write_scores
from tests.small_relevance import AGREED, relevance_study
from tests.small_study import sqlite_instance_in

ROOT = Path(__file__).resolve().parents[1]
RUNS = 3
LIBRARIES = "import dagster, pandas, pyarrow.parquet, cv2, PIL.Image, babel.dates, rich.table, pydantic_settings"
COMMAND = "from pipeline.command_line.main import run; run()"
LOADING = """
from pipeline.definitions import touchstone
touchstone().get_repository_def().load_all_definitions()
"""

# What the state of a home is read by: Dagster with its databases open, tables, and what prints.
READING = """
import os
os.environ["DAGSTER_HOME"] = os.environ["TOUCHSTONE_HOME"] + "/dagster"
import dagster, pandas, pydantic_settings, rich.table, typer
dagster.DagsterInstance.get().event_log_storage.get_concurrency_keys()
"""


def child_s(*arguments: str, home: str | None = None, times: int = RUNS) -> float:
    """Seconds of the processor of a fresh Python, the least of several."""
    environment = os.environ | ({"TOUCHSTONE_HOME": home} if home else {})
    return min(_of_child(arguments, environment) for _ in range(times))


def _of_child(arguments: tuple[str, ...], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def loading() -> Iterator[Row]:
    """Fresh processes: the definitions against the libraries that they need, and the whole code location."""
    pairs = [
        (child_s("-c", LIBRARIES, times=1), child_s("-c", "import pipeline.definitions", times=1)) for _ in range(3)
    ]
    libraries, definitions = (min(column) for column in zip(*pairs, strict=True))
    yield Row(
        "import pipeline.definitions", definitions, floor=libraries, of_peer="libraries", target=over_the_floor(1.3)
    )
    yield Row("code location of all studies", child_s("-c", LOADING), target=at_most(3))
    yield Row("touchstone --help", child_s("-c", COMMAND, "--help"))


class OwnWork:
    """Seconds of the processor spent in the functions of assets and checks."""

    seconds = 0.0

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Count what functions take while this is on."""
        invoke = compute_generator.invoke_compute_fn

        def timed(*args: Any, **options: Any) -> Any:
            started = time.process_time()
            try:
                return invoke(*args, **options)
            finally:
                self.seconds += time.process_time() - started

        compute_generator.invoke_compute_fn = timed
        try:
            yield
        finally:
            compute_generator.invoke_compute_fn = invoke


def overhead(study: Study, job: str, instance: dg.DagsterInstance, partition: str | None) -> float:
    """Seconds a table without the tables' and checks' own work."""
    own, resolved = OwnWork(), definitions_of(study).resolve_job_def(job)
    with own.measured():
        started = time.process_time()
        result = resolved.execute_in_process(run_config=QUIET, instance=instance, partition_key=partition)
        whole = time.process_time() - started
    made = result.filter_events(lambda event: event.is_step_materialization)
    return (whole - own.seconds) / len({event.asset_key for event in made})


def dagster_a_table() -> Iterator[Row]:
    """What a table costs next to its own work, reading, checking and writing Parquet included."""
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as name, sqlite_instance_in(Path(name) / "dagster") as instance:
        folder = Path(name)
        (folder / "d").mkdir()
        instance.add_dynamic_partitions("evaluation_datasets", ["scores"])
        scores = study_over(folder, {"scores": Dataset(file=write_scores(folder / "scores.csv"))})
        relevance = relevance_study(folder / "d", [AGREED] * 10)
        for study, job, partition in ((scores, "evaluation", "scores"), (relevance, "reliability", None)):
            least = min(overhead(study, job, instance, partition) for _ in range(RUNS))
            yield Row(f"Dagster per table, {job}", least, target=at_most(0.3))
    logging.disable(logging.NOTSET)


def demo() -> Iterator[Row]:
    """The four studies on the samples in a home of their own, end to end, then `touchstone status` on it."""
    with tempfile.TemporaryDirectory() as home:
        started = time.perf_counter()
        used = child_s("-c", COMMAND, "demo", home=home, times=1)
        yield Row("demo, end to end", time.perf_counter() - started, "s on the clock", target=at_most(90))
        yield Row("demo, end to end", used)
        pairs = [
            (child_s("-c", READING, home=home, times=1), child_s("-c", COMMAND, "status", home=home, times=1))
            for _ in range(RUNS)
        ]
        libraries, status = (min(column) for column in zip(*pairs, strict=True))
        yield Row("touchstone status", status, floor=libraries, of_peer="libraries", target=at_most(2))


BENCHES = (loading, dagster_a_table, demo)
