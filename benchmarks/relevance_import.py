"""What importing 1,000,000 judgments takes on SQLite and on Postgres, loading them back, and a run's first tables."""

import argparse
import os
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, process_time
from typing import TypeVar

import dagster as dg
import numpy as np
import sqlalchemy as sa
from upath import UPath

from pipeline.definitions import definitions_of
from resources.configuration.reliability import ReliabilityStudy
from resources.database.engine import open_engine
from resources.database.migrate import migrate
from resources.database.reliability.query_store import QueryStore
from resources.database.reliability.records import imported
from resources.inputs.reliability.relevance_rows import read_relevance_file
from resources.runtime.home import Home
from resources.study import Study

T = TypeVar("T")
N_DOCUMENTS, JUDGES, STUDY = 5, ("judge1", "judge2"), "bench"
IMPORT_LIMIT_S, LOAD_LIMIT_S, LIMIT_GB = 60.0, 15.0, 2.0
TEXT = "A light shoe with a grippy sole for wet ground. " * 4


def timed(name: str, work: Callable[[], T]) -> tuple[T, float]:
    """What the work gives, and its seconds, printed with those of our own processor time."""
    begun, used = perf_counter(), process_time()
    result = work()
    taken = perf_counter() - begun
    print(f"  {name:<44} {taken:7.1f} s ({process_time() - used:.1f} s of our own)")
    return result, taken


def write_csv(path: Path, n_queries: int) -> None:
    """One row a judgment, as the long form has them."""
    scores = np.random.default_rng(20260101).random((n_queries, N_DOCUMENTS, len(JUDGES))).round(3).tolist()
    with path.open("w", encoding="utf-8") as file:
        file.write("query_id,query,doc_id,document,judge,prompt_version,score\n")
        for query, of_query in enumerate(scores):
            for document, of_document in enumerate(of_query):
                for judge, score in zip(JUDGES, of_document, strict=True):
                    file.write(f"q{query},shoes of kind {query},d{document},{TEXT},{judge},v1,{score}\n")


def measure(engine: sa.Engine, path: Path) -> tuple[float, float]:
    """Seconds of the import, from the file to the last row, and of loading the judgments."""
    print(f"{engine.dialect.name}:")
    migrate(engine)
    store = QueryStore(engine, STUDY)
    read, reading = timed("reading the file", lambda: read_relevance_file(path))
    _, adding = timed(f"{len(read.documents):,} documents", lambda: store.add_queries(read.documents))
    _, recording = timed(f"{len(read.scores):,} judgments", lambda: store.record(imported(read.scores)))
    frame, loading = timed("loading the judgments", lambda: store.judgments(JUDGES))
    if not frame["counts"].all():
        raise RuntimeError("a judgment does not count")
    print(f"  {'import in all':<44} {reading + adding + recording:7.1f} s")
    return reading + adding + recording, loading


def measure_run(home: Path, path: Path) -> None:
    """Seconds of the two tables with which a run begins, on SQLite: the file is read in them as well."""
    print("a run:")
    study = Study(STUDY, None, Home(UPath(home), home), reliability_section=ReliabilityStudy(queries=path))
    job = definitions_of(study).resolve_implicit_global_asset_job_def()
    chosen = [dg.AssetKey("query_documents"), dg.AssetKey("judgments")]
    with dg.DagsterInstance.ephemeral() as instance:
        result, _ = timed("both tables", lambda: job.execute_in_process(instance=instance, asset_selection=chosen))
        for step in instance.get_run_step_stats(result.run_id):
            if step.start_time and step.end_time:
                print(f"    {step.step_key:<42} {step.end_time - step.start_time:7.1f} s")
    study.engine.dispose()


@contextmanager
def postgres() -> Iterator[str]:
    """The server that TOUCHSTONE_TEST_DATABASE_URL names, or one of our own; an empty database on it."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from tests import postgres as fixtures

    server = fixtures.postgres_server.__wrapped__()  # type: ignore[attr-defined]
    database = fixtures.postgres_url.__wrapped__(next(server))  # type: ignore[attr-defined]
    try:
        yield next(database)
    finally:
        next(database, None)
        next(server, None)


def main() -> None:
    """Print the times; exit 1 where Postgres or the memory is above its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--on", choices=["sqlite", "postgres"], action="append")
    given = parser.parse_args()
    above = []
    print(f"{given.queries:,} queries x {N_DOCUMENTS} documents x {len(JUDGES)} judges; load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "judgments.csv"
        write_csv(path, given.queries)
        if "sqlite" in (given.on or ["sqlite"]):
            engine = open_engine(f"sqlite:///{Path(folder) / 'import.db'}")
            measure(engine, path)
            engine.dispose()
            measure_run(Path(folder) / "home", path)
        if "postgres" in (given.on or ["postgres"]):
            with postgres() as url:
                engine = open_engine(url)
                importing, loading = measure(engine, path)
                engine.dispose()
            above += [f"the import took {importing:.0f} s"] if importing > IMPORT_LIMIT_S else []
            above += [f"loading took {loading:.0f} s"] if loading > LOAD_LIMIT_S else []
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"peak memory {peak:.2f} GB")
    above += [f"the memory was {peak:.1f} GB"] if peak > LIMIT_GB else []
    if above:
        sys.exit(f"above the limit: {', '.join(above)}")


if __name__ == "__main__":
    main()
