"""A backfill of study C over 500 data sets in one run: seconds, seconds a data set, and the memory that it took."""

import logging
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
# A developer's own study has other data sets.
os.environ["TOUCHSTONE_HOME"] = str(Path(tempfile.gettempdir()) / "touchstone-home-of-no-benchmark")
from assets.shared.partitions import DATASETS
from pipeline.automation import partitions_between
from pipeline.definitions import definitions_of
from pipeline.runs import QUIET
from resources.configuration.evaluation import Dataset
from tests.small_datasets import study_over, write_scores
from tests.small_study import sqlite_instance_in

N_DATASETS = 500


def main() -> None:
    """Print what one run over all data sets took; each of them has its pictures drawn."""
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as name, sqlite_instance_in(Path(name) / "dagster") as instance:
        folder = Path(name)
        names = [f"d{number:03d}" for number in range(N_DATASETS)]
        study = study_over(folder, {one: Dataset(file=write_scores(folder / f"{one}.csv")) for one in names})
        instance.add_dynamic_partitions(DATASETS.name or "", names)
        job = definitions_of(study).resolve_job_def("evaluation")
        started = time.perf_counter()
        result = job.execute_in_process(
            run_config=QUIET, instance=instance, tags=partitions_between(names[0], names[-1])
        )
        seconds = time.perf_counter() - started
        made = result.filter_events(lambda event: event.is_step_materialization)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{N_DATASETS} data sets in one run: {seconds:.1f} s, {seconds / N_DATASETS:.3f} s each, {len(made)} "
            f"partitions stored, at most {memory:.0f} MB"
        )


if __name__ == "__main__":
    main()
