"""What Dagster adds to a table in process: a run's time without the assets' and checks' own work, for each table."""

import logging
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
# A developer's own study has other settings.
os.environ["TOUCHSTONE_HOME"] = str(Path(tempfile.gettempdir()) / "touchstone-home-of-no-benchmark")
from dagster._core.execution.plan import compute_generator

from pipeline.definitions import definitions_of
from pipeline.runs import QUIET
from resources.configuration.evaluation import Dataset
from resources.study import Study
from tests.small_datasets import study_over, write_answers, write_scores
from tests.small_relevance import AGREED, relevance_study
from tests.small_study import sqlite_instance_in

RUNS, LIMIT_S = 3, 0.5


class OwnWork:
    """Seconds spent in the functions of assets and checks."""

    seconds = 0.0

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Count what functions take while this is on."""
        invoke = compute_generator.invoke_compute_fn

        def timed(*args: Any, **options: Any) -> Any:
            started = time.perf_counter()
            try:
                return invoke(*args, **options)
            finally:
                self.seconds += time.perf_counter() - started

        compute_generator.invoke_compute_fn = timed
        try:
            yield
        finally:
            compute_generator.invoke_compute_fn = invoke


def overhead(study: Study, job: str, instance: dg.DagsterInstance, partition: str | None) -> tuple[float, float, int]:
    """Seconds of a run without own work, seconds of own work, and the number of tables."""
    own = OwnWork()
    resolved = definitions_of(study).resolve_job_def(job)
    with own.measured():
        started = time.perf_counter()
        result = resolved.execute_in_process(run_config=QUIET, instance=instance, partition_key=partition)
        whole = time.perf_counter() - started
    made = result.filter_events(lambda event: event.is_step_materialization)
    return whole - own.seconds, own.seconds, len({event.asset_key for event in made})


def main() -> None:
    """Print seconds for each table, fail above the limit; reading and writing Parquet count as Dagster's."""
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as name, sqlite_instance_in(Path(name) / "dagster") as instance:
        folder = Path(name)
        (folder / "d").mkdir()
        datasets = {
            "scores": Dataset(file=write_scores(folder / "scores.csv")),
            "answers": Dataset(file=write_answers(folder / "answers.jsonl")),
        }
        instance.add_dynamic_partitions("evaluation_datasets", list(datasets))
        runs = [
            (study_over(folder, datasets), "evaluation", "scores"),
            (relevance_study(folder / "d", [AGREED] * 10), "reliability", None),
        ]
        worst = 0.0
        for study, job, partition in runs:
            found = [overhead(study, job, instance, partition) for _ in range(RUNS)]
            seconds, own, tables = min(found)
            worst = max(worst, seconds / tables)
            print(
                f"{job}: {seconds / tables:.3f} s a table next to the tables' own work (limit {LIMIT_S:g}); "
                f"{tables} tables, own work {own:.2f} s, best of {RUNS}",
                flush=True,
            )
    if worst > LIMIT_S:
        sys.exit("the limit is exceeded")


if __name__ == "__main__":
    main()
