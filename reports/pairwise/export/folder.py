"""The benchmark's folder as existing analysis notebooks know it, written whole or not at all."""

import logging
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

import pandas as pd

from reports.pairwise.export import tables
from reports.pairwise.export.summary import configuration_text, rules_resolution, strict_json, summary
from reports.pairwise.plots.preference_confusion import HEIGHT_IN, WIDTH_IN, draw_preference_confusion
from reports.shared.figure import save_figure
from resources.configuration.pairwise import PairwiseStudy
from resources.errors import UserError
from resources.runtime.file_hash import sha256_of_file
from resources.runtime.partial_files import named_in_faults
from resources.runtime.progress import Advance
from resources.runtime.provenance import Provenance
from resources.tables.pairwise_rows import available, judged_pairs

CONFIG, LOG, SUMMARY = "config.yaml", "benchmark.log", "summary.json"
BASE: Final = "quality_benchmarks"
_LOG_LINE: Final = "%(asctime)s %(levelname)s %(message)s"


@dataclass(frozen=True)
class Benchmark:
    """What a folder is written from: the study, its file (none for the built-in one) and its tables."""

    study: PairwiseStudy
    file: Path | None
    photo_pairs: pd.DataFrame
    results: Mapping[str, pd.DataFrame]
    metrics: pd.DataFrame
    provenance: Provenance | None = None


class WrittenFile(NamedTuple):
    """One file of the folder; `n_rows` is none where it is no table."""

    file: str
    sha256: str
    n_bytes: int
    n_rows: int | None


class Written(NamedTuple):
    """The folder and its files, sorted."""

    folder: Path
    files: tuple[WrittenFile, ...]


def refuse_unwritable(folder: Path, setting: str) -> None:
    """Refuse a folder that files cannot go to, before there are any; nothing is made.

    Args:
        folder: Where they will go; missing folders on the way can be made.
        setting: What names it, such as `output_dir`.

    Raises:
        UserError: It or one above it is a file, or may not be written.
    """
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise UserError(
            f"Results cannot be written to {folder} ({setting}): {there} is "
            f"{'not writable' if there.is_dir() else 'no folder'}. Name a folder of yours. Nothing was judged."
        )


def write_benchmark(base: Path, benchmark: Benchmark, now: datetime, advance: Advance) -> Written:
    """A new folder `pairwise_<yyyymmdd_hhmmss>` with every file that the study asks for.

    Args:
        base: Where the folder goes; made where it is missing.
        benchmark: What it is written from.
        now: When, with its zone; where a folder of that second is there, the next free second counts.
        advance: Called when a method is done.
    """
    base.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".pairwise-", dir=base))
    try:
        made = scratch / "made"
        made.mkdir()
        with named_in_faults(base):
            n_rows = _write_all(made, benchmark, now, advance)
        names = sorted(path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file())
        files = tuple(
            WrittenFile(name, sha256_of_file(made / name), (made / name).stat().st_size, n_rows.get(name))
            for name in names
        )
        folder = _free(base, now)
        made.rename(folder)
    finally:
        shutil.rmtree(scratch)
    return Written(folder, files)


def _free(base: Path, now: datetime) -> Path:
    """The folder's address; a second later where there is one already."""
    while (folder := base / f"pairwise_{now:%Y%m%d_%H%M%S}").exists():
        now += timedelta(seconds=1)
    return folder


def _write_all(folder: Path, benchmark: Benchmark, now: datetime, advance: Advance) -> dict[str, int]:
    """Every file, and the rows of each CSV."""
    study, metrics = benchmark.study, benchmark.metrics
    n_rows: dict[str, int] = {}

    def put(name: str, frame: pd.DataFrame) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        frame.to_csv(folder / name, index=False, lineterminator="\n")
        n_rows[name] = len(frame)

    with _logging_to(folder / LOG) as log:
        started = time.monotonic()
        _log_what(log, benchmark)
        (folder / CONFIG).write_text(configuration_text(study, benchmark.file), encoding="utf-8")
        found = summary(metrics, benchmark.photo_pairs, study, now)
        if benchmark.provenance is not None:
            found |= {"provenance": benchmark.provenance.as_json()}
        (folder / SUMMARY).write_text(strict_json(found), encoding="utf-8")
        put("methods_summary.csv", tables.methods_summary(metrics))
        put("detailed_results.csv", tables.detailed_results(metrics, study.dataset_name))
        for name, frame in tables.rankings(metrics).items() if study.save_ranking_csvs else ():
            put(name, frame)
        for row in available(metrics).to_dict("records"):
            method = str(row["method"])
            if study.save_confusion_matrices:
                counts = tables.confusion(row)
                put(f"{method}/confusion_matrix.csv", counts)
                cells = counts[list(tables.CONFUSION[1:])].to_numpy().tolist()
                draw = partial(draw_preference_confusion, counts=cells, method=method)
                save_figure(draw, folder / method / "confusion_matrix.png", WIDTH_IN, HEIGHT_IN)
            if study.save_per_pair_results:
                put(f"{method}/per_pair_results.csv", tables.per_pair(benchmark.results[method], benchmark.photo_pairs))
            log.info(_method_line(row))
            advance()
        for reason, rows in metrics[metrics["unavailable"].notna()].groupby("unavailable", sort=False):
            log.warning(f"{', '.join(rows['method'])}: unavailable: {reason}")
        log.info(f"Written in {time.monotonic() - started:.1f} s")
    return n_rows


@contextmanager
def _logging_to(path: Path) -> Iterator[logging.Logger]:
    """A log of its own, with times in UTC, closed when the folder is complete."""
    log = logging.Logger("benchmark", logging.INFO)
    handler = logging.FileHandler(path, encoding="utf-8")
    formatter = logging.Formatter(_LOG_LINE)
    formatter.converter = time.gmtime
    handler.setFormatter(formatter)
    log.addHandler(handler)
    try:
        yield log
    finally:
        handler.close()


def _log_what(log: logging.Logger, benchmark: Benchmark) -> None:
    """Versions, data and filter."""
    study, pairs = benchmark.study, benchmark.photo_pairs
    judged = judged_pairs(pairs)
    causes = ", ".join(f"{count} {cause}" for cause, count in pairs["excluded"].value_counts().items())
    log.info(f"Touchstone {version('touchstone')}, Python {platform.python_version()}, {platform.machine()}; UTC")
    log.info(f"Dataset {study.dataset_name}: {study.pairs_csv}, photos in {study.image_root}")
    log.info(f"Orders {study.orders}, agreement >= {study.min_agreement:g}, reviewers >= {study.min_reviewers}")
    series = f"{judged['series_id'].nunique()} series"
    if study.cluster_column:
        series += f" in {judged['cluster'].nunique()} {study.units}"
    log.info(f"{len(judged)} of {len(pairs)} pairs judged, {series}; left out: {causes}")
    log.info(f"Rule measures at resolution: {rules_resolution(study)}; seed {study.seed}")


def _method_line(row: Mapping[Any, Any]) -> str:
    if pd.isna(row["accuracy"]):
        return (
            f"{row['method']}: no accuracy: {row['undefined'] if pd.notna(row['undefined']) else 'no pair is judged'}"
        )
    low, high = row["accuracy_low"], row["accuracy_high"]
    bounds = f"no interval, {row['interval_method']}" if pd.isna(low) else f"{low:.4f} to {high:.4f}"
    time_ms = "" if pd.isna(row["avg_time_ms"]) else f", {row['avg_time_ms']:.2f} ms a pair"
    return (
        f"{row['method']}: accuracy {row['accuracy']:.4f} ({bounds}), "
        f"{row['n']} pairs, tie rate {row['tie_rate']:.4f}{time_ms}"
    )
