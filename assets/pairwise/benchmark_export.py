"""Table `benchmark_export`: the benchmark as a folder of files in the form that existing analysis notebooks read."""

from datetime import UTC, datetime
from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate, at_most
from assets.pairwise.logic.method_scores import current_pairs_gate
from assets.shared.checks import require
from assets.shared.gate import Kind, gate
from assets.shared.partitions import MADE_SO_FAR, readable
from assets.shared.provenance import provenance_of
from reports.pairwise.export.folder import BASE, Benchmark, Written, confusion, write_benchmark
from resources.errors import listing
from resources.photos.golden_set import sha256_if_there
from resources.runtime.progress import TracksProgress
from resources.study import Study
from resources.tables.pairwise import BENCHMARK_EXPORT
from resources.tables.pairwise_rows import available, judged_pairs
from resources.tables.parquet_tables import Frames


@dg.asset(
    group_name="pairwise_verdict",
    ins={"pairwise_results": MADE_SO_FAR},
    kinds={"csv", "json"},
    code_version="2",
    # One run at a time: a folder has the name of its second.
    pool="benchmark_export",
)
def benchmark_export(
    context: dg.AssetExecutionContext,
    photo_pairs: pd.DataFrame,
    pairwise_results: Frames,
    method_metrics: pd.DataFrame,
    study: dg.ResourceParam[Study],
    progress: dg.ResourceParam[TracksProgress],
) -> pd.DataFrame:
    """Writes a new folder with summaries, rankings, and each method's predictions, whole or not at all."""
    require(current_pairs_gate(pairwise_results, judged_pairs(photo_pairs)))
    require(current_metrics_gate(method_metrics, pairwise_results))
    made = provenance_of(context, study, study.pairwise, judges=study.pairwise.methods)
    benchmark = Benchmark(study.pairwise, study.file, photo_pairs, pairwise_results, method_metrics, made)
    base = study.pairwise.output_dir or study.home.outputs / BASE
    with progress.track("methods exported", len(available(method_metrics)), context.log) as advance:
        written = write_benchmark(base, benchmark, datetime.now(UTC), advance)
    context.add_output_metadata(readable(headline(written, method_metrics)))
    return rows_of(written)


def rows_of(written: Written) -> pd.DataFrame:
    """The table: one row per file."""
    rows = [file._asdict() | {"path": str(written.folder / file.file)} for file in written.files]
    return pd.DataFrame(rows, columns=[column.name for column in BENCHMARK_EXPORT.columns])


def headline(written: Written, metrics: pd.DataFrame) -> dict[str, Any]:
    """Where the folder lies, how much is in it, and which methods are not."""
    lacking = metrics[metrics["unavailable"].notna()]
    return {
        "folder": dg.MetadataValue.path(written.folder),
        "n_files": len(written.files),
        "n_bytes": sum(file.n_bytes for file in written.files),
        "n_methods": len(metrics) - len(lacking),
        "unavailable": listing(lacking["method"], len(lacking)) or "none",
    }


def current_metrics_gate(metrics: pd.DataFrame, results: Frames) -> Gate:
    """Methods whose metrics were made from other predictions than those that are stored now."""
    rows = {str(row["method"]): row for row in metrics.to_dict("records")}
    old = sorted(results.keys() ^ rows.keys())
    for name in results.keys() & rows.keys():
        stored = confusion(rows[name]).drop(columns="truth").to_numpy().tolist()
        if stored != _counted(results[name]):
            old.append(name)
    gate = at_most(
        "metrics_are_of_the_results",
        float(len(old)),
        0,
        n=len(results),
        counted="methods",
        what="Number of methods whose metrics are not of their results",
        remedy=f"Make method_metrics again: {listing(sorted(old))}.",
    )
    return gate.passing_as(f"The metrics of all {len(results)} methods are of their results.")


def _counted(results: pd.DataFrame) -> list[list[int]]:
    """Predictions 1, 2 and tie by true winner 1 and 2."""
    return [
        [int(((results["winner"] == truth) & (results["predicted_winner"] == said)).sum()) for said in (1, 2, 0)]
        for truth in (1, 2)
    ]


@gate(
    benchmark_export,
    Kind.QUALITY,
    to_do="Make `benchmark_export` again for a new folder.",
    withheld="nothing; do not use the files that are named.",
)
def files_are_as_written(benchmark_export: pd.DataFrame) -> Gate:
    """Every file of the folder is on the disk as it was written."""
    wrong = [
        row["file"] for row in benchmark_export.to_dict("records") if sha256_if_there(row["path"]) != row["sha256"]
    ]
    gate = at_most(
        "files_are_as_written",
        float(len(wrong)),
        0,
        n=len(benchmark_export),
        counted="files",
        what="Number of files that are gone or changed",
        remedy=f"{listing(wrong)}. Make benchmark_export again for a new folder.",
    )
    return gate.passing_as(f"All {len(benchmark_export)} files are on the disk as they were written.")
