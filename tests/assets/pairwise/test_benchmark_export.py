"""Table `benchmark_export`: the folder through Dagster, and gates against stale tables and changed files."""

from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
from upath import UPath

from assets.pairwise.benchmark_export import benchmark_export, current_metrics_gate, files_are_as_written
from reports.pairwise.export.folder import Benchmark
from resources.runtime.home import Home
from resources.runtime.progress import LoggedProgress
from resources.study import Study
from resources.tables.parquet_tables import Frames
from tests.assets.asked_gates import asked
from tests.assets.shared.made_tables import keeps_to_its_declaration
from tests.reports.pairwise.export.made_benchmark import benchmark_in

files_gate = asked(files_are_as_written)

PARTS = dg.StaticPartitionsDefinition(["sharpness_only", "contrast_only", "vit_base"])


def run(folder: Path, benchmark: Benchmark) -> dg.ExecuteInProcessResult:
    """The asset and its check on these tables."""
    home = Home(UPath(folder / "home"), folder / "home")
    study = Study("small", None, home, pairwise_section=benchmark.study)
    stored = {
        "photo_pairs": benchmark.photo_pairs,
        "pairwise_results": benchmark.results,
        "method_metrics": benchmark.metrics,
    }

    class Given(dg.IOManager):
        """Hands out the tables and keeps what is made."""

        def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
            stored[context.asset_key.path[-1]] = obj

        def load_input(self, context: dg.InputContext) -> Any:
            return stored[context.asset_key.path[-1]]

    given = [dg.AssetSpec("photo_pairs"), dg.AssetSpec("pairwise_results", partitions_def=PARTS)]
    return dg.materialize(
        [*given, dg.AssetSpec("method_metrics"), benchmark_export, files_are_as_written],
        resources={"study": study, "progress": LoggedProgress(), "io_manager": Given()},
        selection=[benchmark_export],
        raise_on_error=False,
    )


def exported(result: dg.ExecuteInProcessResult) -> pd.DataFrame:
    return keeps_to_its_declaration("benchmark_export", result.output_for_node("benchmark_export"))


def test_the_folder_lies_in_the_outputs_and_the_table_lists_its_files(tmp_path: Path) -> None:
    result = run(tmp_path, benchmark_in(tmp_path))
    files = exported(result)
    [made] = result.asset_materializations_for_node("benchmark_export")
    folder = Path(str(made.metadata["folder"].value))
    assert folder.parent == tmp_path / "home" / "outputs" / "quality_benchmarks"
    assert sorted(files["path"]) == sorted(str(path) for path in folder.rglob("*") if path.is_file())
    assert files.set_index("file")["n_rows"]["sharpness_only/per_pair_results.csv"] == 4
    assert (made.metadata["n_methods"].value, made.metadata["unavailable"].value) == (2, "vit_base")
    [check] = result.get_asset_check_evaluations()
    assert check.passed


def test_output_dir_takes_the_place_of_the_outputs(tmp_path: Path) -> None:
    benchmark = benchmark_in(tmp_path, output_dir=tmp_path / "elsewhere", save_confusion_matrices=False)
    files = exported(run(tmp_path, benchmark))
    assert all(path.startswith(str(tmp_path / "elsewhere" / "pairwise_")) for path in files["path"])


def test_a_folder_is_never_written_from_metrics_of_other_results(tmp_path: Path) -> None:
    benchmark = benchmark_in(tmp_path)
    changed = benchmark.metrics.assign(truth_1_predicted_1=[2, 2, None])
    stale = Benchmark(benchmark.study, None, benchmark.photo_pairs, benchmark.results, changed)
    result = run(tmp_path, stale)
    assert not result.success
    assert not (tmp_path / "home").exists()


def test_stale_metrics_are_named_with_the_remedy(tmp_path: Path) -> None:
    benchmark = benchmark_in(tmp_path)
    results: Frames = dict(benchmark.results)
    assert current_metrics_gate(benchmark.metrics, results).passed
    swapped = results | {"sharpness_only": results["contrast_only"]}
    gate = current_metrics_gate(benchmark.metrics, swapped)
    assert (gate.passed, gate.seen) == (False, 1)
    assert "Make method_metrics again: sharpness_only." in gate.sentence
    # A method that was run since, and one whose results are gone.
    assert not current_metrics_gate(benchmark.metrics, results | {"clip_probe": results["vit_base"]}).passed
    assert not current_metrics_gate(benchmark.metrics, {"vit_base": results["vit_base"]}).passed


def test_files_that_are_gone_or_changed_are_named(tmp_path: Path) -> None:
    files = exported(run(tmp_path, benchmark_in(tmp_path, save_confusion_matrices=False)))
    assert files_gate(files).passed
    by_name = files.set_index("file")["path"]
    Path(by_name["summary.json"]).unlink()
    Path(by_name["methods_summary.csv"]).write_text("edited")
    gate = files_gate(files)
    assert (gate.passed, gate.seen) == (False, 2)
    assert "methods_summary.csv, summary.json." in gate.sentence
