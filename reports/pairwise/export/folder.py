"""The benchmark's folder as existing analysis notebooks know it, written whole or not at all."""

import json
import logging
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

import pandas as pd
import yaml

from reports.pairwise.plots import preference_confusion
from reports.shared.figure import save_figure
from resources.configuration.pairwise import PairwiseStudy
from resources.errors import UserError
from resources.runtime.file_hash import sha256_of_file
from resources.runtime.partial_files import named_in_faults
from resources.runtime.progress import Advance
from resources.runtime.provenance import Provenance
from resources.tables.pairwise_rows import available, interval_column, judged_pairs

# Those that the older benchmark had, in its order; everything else of the table follows.
FIRST: Final = (
    *("accuracy", "precision", "recall", "f1_score", "accuracy_70_80", "accuracy_80_90", "accuracy_90_100"),
    *("log_likelihood", "avg_time_ms", "throughput"),
)
NOTES: Final = {
    "accuracy": "A tie counts half. In per_pair_results.csv a tie is not correct, so the mean of `correct` is lower by "
    "tie_rate / 2.",
    "intervals": "[null, null] where there are no bounds: interval_methods says why, or `undefined` why there is no "
    "number. Clusters are what intervals and tests take as independent: series, or what cluster_column names.",
    "avg_time_ms": "What the method alone would take for a pair: decoding and measuring both photos, in ms. Decoding, "
    "rules and networks on the processor: time that cores worked, added up, whatever else the machine did; networks on "
    "a GPU: by the clock. shared_time_ms is what it took here, photos shared by pairs and methods.",
    "bt_agreement": "Mean log probability of the method's picks by people's strengths. In-sample: the strengths were "
    "fitted on the same votes. Older benchmarks call it log_likelihood.",
    "log_likelihood": "Of people's votes, in all, on series that the method's slope was not fitted on. What older "
    "benchmarks call log_likelihood is bt_agreement.",
    "top2_accuracy": "top2_accuracy and mrr are 0 by the form of the files: a pair has no second place.",
}
CONFIG, LOG, SUMMARY = "config.yaml", "benchmark.log", "summary.json"
BASE: Final = "quality_benchmarks"
_LOG_LINE: Final = "%(asctime)s %(levelname)s %(message)s"
METHODS_SUMMARY: Final = (
    *("method", "avg_top1_accuracy", "avg_top2_accuracy", "avg_mrr"),
    *("avg_time_ms", "datasets_tested"),
)
DETAILED_RESULTS: Final = (
    *("dataset", "method", "top1_accuracy", "top2_accuracy", "mrr"),
    *("avg_time_ms", "throughput"),
)
RANKING: Final = ("method", "accuracy", "avg_time_ms", "efficiency")
CONFUSION: Final = ("truth", "1", "2", "tie")
PER_PAIR: Final = (
    *("pair_idx", "series_id", "compareID1", "compareID2", "compareFile1", "compareFile2"),
    *("ground_truth_winner", "predicted_winner", "score_image1", "score_image2"),
    *("correct", "agreement", "num_reviewers"),
)
# The form asks for them; a pair has no second place.
NOT_MEASURED: Final = 0.0
DATASETS_TESTED: Final = 1


def summary(
    metrics: pd.DataFrame, photo_pairs: pd.DataFrame, study: PairwiseStudy, created_at: datetime
) -> dict[str, Any]:
    """What `summary.json` says; null where a number is undefined."""
    judged = judged_pairs(photo_pairs)
    left_out = photo_pairs["excluded"].value_counts()
    lacking = metrics[metrics["unavailable"].notna()]
    return {
        "created_at": created_at.isoformat(timespec="seconds"),
        "dataset": study.dataset_name,
        "orders": study.orders,
        "min_agreement": study.min_agreement,
        "min_reviewers": study.min_reviewers,
        "sample_size": study.sample_size,
        "seed": study.seed,
        "rules_resolution": rules_resolution(study),
        "n_pairs": len(judged),
        "n_series": int(judged["series_id"].nunique()),
        "n_clusters": int(judged["cluster"].nunique()),
        "cluster_column": study.cluster_column,
        "n_left_out": {str(cause): int(count) for cause, count in sorted(left_out.items())},
        "methods": {row["method"]: _of_method(row, study) for row in available(metrics).to_dict("records")},
        "unavailable": dict(sorted(zip(lacking["method"], lacking["unavailable"], strict=True))),
        "notes": NOTES,
    }


def strict_json(value: Any) -> str:
    """JSON that every parser reads: no NaN, no infinity.

    Raises:
        ValueError: A number is one of these.
    """
    return json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def rules_resolution(study: PairwiseStudy) -> str:
    """At what size the rule measures were taken, in words."""
    side = study.rules_long_side
    return "full" if side is None else f"longer side {side} px"


def configuration_text(study: PairwiseStudy, file: Path | None) -> str:
    """The study as it was used, defaults and changes from the command line too, to be read as a configuration."""
    source = "the built-in sample study" if file is None else str(file)
    settings = yaml.safe_dump(
        {"pairwise": study.model_dump(mode="json")}, sort_keys=False, allow_unicode=True, width=118
    )
    return f"# As used when the benchmark was written; read from {source}.\n{settings}"


def _of_method(row: Mapping[Hashable, Any], study: PairwiseStudy) -> dict[str, Any]:
    names = [str(name) for name in row]
    bounded = [name for name in names if f"{name}_low" in names]
    ends = {f"{name}_{end}" for name in bounded for end in ("low", "high")}
    made = {name: interval_column(name) for name in bounded}
    apart = {"method", "unavailable", *ends, *made.values(), *(name for name in names if name.startswith("truth_"))}
    rest = [name for name in names if name not in apart and name not in FIRST]
    values = {name: _plain(row[name]) for name in (*FIRST, *rest)}
    values["n_undefined"] = int(row["n_total"] - row["n"])
    intervals = {name: [_plain(row[f"{name}_low"]), _plain(row[f"{name}_high"])] for name in bounded}
    methods = {name: _plain(row[column]) for name, column in made.items()}
    return values | {"intervals": {"confidence": study.confidence} | intervals, "interval_methods": methods}


def _plain(value: Any) -> Any:
    """A value that JSON has: a plain number or text, null for what is missing."""
    if value is None or pd.isna(value):
        return None
    return value.item() if hasattr(value, "item") else value


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
        put("methods_summary.csv", methods_summary(metrics))
        put("detailed_results.csv", detailed_results(metrics, study.dataset_name))
        for name, frame in rankings(metrics).items() if study.save_ranking_csvs else ():
            put(name, frame)
        for row in available(metrics).to_dict("records"):
            method = str(row["method"])
            if study.save_confusion_matrices:
                counts = confusion(row)
                put(f"{method}/confusion_matrix.csv", counts)
                cells = counts[list(CONFUSION[1:])].to_numpy().tolist()
                save_figure(
                    preference_confusion(cells, method).specification(), folder / method / "confusion_matrix.png"
                )
            if study.save_per_pair_results:
                put(f"{method}/per_pair_results.csv", per_pair(benchmark.results[method], benchmark.photo_pairs))
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


def methods_summary(metrics: pd.DataFrame) -> pd.DataFrame:
    """`methods_summary.csv`."""
    rows = available(metrics)
    frame = rows.assign(
        avg_top1_accuracy=rows["accuracy"],
        avg_top2_accuracy=NOT_MEASURED,
        avg_mrr=NOT_MEASURED,
        datasets_tested=DATASETS_TESTED,
    )
    return frame[list(METHODS_SUMMARY)]


def detailed_results(metrics: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """`detailed_results.csv`."""
    rows = available(metrics)
    frame = rows.assign(dataset=dataset, top1_accuracy=rows["accuracy"], top2_accuracy=NOT_MEASURED, mrr=NOT_MEASURED)
    return frame[list(DETAILED_RESULTS)]


def rankings(metrics: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The three rankings by file name: accuracy down, time up, efficiency down."""
    rows = available(metrics)
    rows = rows.assign(efficiency=rows["accuracy"] / (rows["avg_time_ms"] + 1.0))[list(RANKING)]
    return {
        "accuracy_ranking.csv": rows,
        "speed_ranking.csv": rows.sort_values(["avg_time_ms", "method"], ignore_index=True),
        "efficiency_ranking.csv": rows.sort_values(
            ["efficiency", "method"], ascending=[False, True], ignore_index=True
        ),
    }


def confusion(row: Mapping[Hashable, Any]) -> pd.DataFrame:
    """`confusion_matrix.csv` of a method: a row per true winner, a column per predicted one.

    Args:
        row: Its row of `method_metrics`; counts that are null, where nothing is predicted, are 0.
    """
    counts = [
        [0 if pd.isna(count := row[f"truth_{truth}_predicted_{said}"]) else int(count) for said in CONFUSION[1:]]
        for truth in (1, 2)
    ]
    return pd.DataFrame([[truth, *cells] for truth, cells in enumerate(counts, start=1)], columns=list(CONFUSION))


def per_pair(results: pd.DataFrame, photo_pairs: pd.DataFrame) -> pd.DataFrame:
    """`per_pair_results.csv` of a method: pairs with a prediction, in the order of the pairs.

    Args:
        results: Its rows of `pairwise_results`.
        photo_pairs: Table `photo_pairs`.

    Returns:
        On a tie ``predicted_winner`` is 0 and ``correct`` false, so that the mean of ``correct`` lies half the tie rate
        below the accuracy. A pair without a defined score is in neither.
    """
    predicted = results[results["predicted_winner"].notna()]
    described = photo_pairs[["pair_idx", "compareID1", "compareID2", "compareFile1", "compareFile2"]]
    frame = predicted.merge(described, on="pair_idx", how="left", validate="one_to_one").sort_values("pair_idx")
    frame = frame.assign(
        ground_truth_winner=frame["winner"],
        correct=(frame["predicted_winner"] == frame["winner"]).astype("bool"),
    )
    return frame[list(PER_PAIR)].reset_index(drop=True)
