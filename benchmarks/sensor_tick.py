"""How long a tick of the sensors takes over unchanged files: 10,000 images of study A, 1,000 data sets of study C."""

import logging
import os
import sys
import tempfile
import time
from pathlib import Path

import dagster as dg
from upath import UPath

from assets.evaluation.evaluation_samples import evaluation_samples
from assets.shared.partitions import DATASETS
from pipeline.definitions import definitions_of
from resources.configuration.evaluation import Dataset, EvaluationStudy
from resources.configuration.fidelity import FidelityStudy
from resources.inputs.evaluation.known_datasets import configured_as
from resources.runtime.file_hash import sha256_of_file
from resources.runtime.home import CHECKOUT, Home
from resources.study import Study

N_IMAGES = 10_000
N_DATASETS = 1_000
TIMES = 3
LIMIT_S = 1.0  # of a tick over unchanged files


def settled(path: Path, text: str) -> None:
    """A file that was written long ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (time.time() - 3600,) * 2)


def image_study(folder: Path) -> Study:
    """Study A over files named like its images; a tick looks at bytes only."""
    settled(folder / "scores.csv", "scores")
    for number in range(N_IMAGES // 2):
        settled(folder / f"references/{number // 5}/gt_{number}.png", f"photo {number}")
        settled(folder / f"candidates/{number // 5}/{number}.png", f"render {number}")
    places = {name: folder / name for name in ("references", "candidates")}
    section = FidelityStudy(human_scores=folder / "scores.csv", **places)
    return Study("bench", section, Home(UPath(folder / "home"), folder / "home"))


def dataset_study(folder: Path, instance: dg.DagsterInstance) -> Study:
    """Study C over an inbox whose every file is made, as far as Dagster knows."""
    names = [f"d{number:05d}" for number in range(N_DATASETS)]
    instance.add_dynamic_partitions(DATASETS.name or "", names)
    for name in names:
        settled(folder / f"inbox/{name}.csv", name)
        digest = sha256_of_file(folder / f"inbox/{name}.csv")
        metadata = {"source_sha256": digest, "configuration_sha256": configured_as(Dataset())}
        made = dg.AssetMaterialization(evaluation_samples.key, partition=name, metadata=metadata)
        instance.report_runless_asset_event(made)
    section = EvaluationStudy(inbox=folder / "inbox")
    return Study("bench", None, Home(UPath(folder / "home"), folder / "home"), section)


def timed_ticks(study: Study, instance: dg.DagsterInstance, sensor: str) -> list[float]:
    """Seconds of a first tick, which reads every file, and of some more; events are stored as the daemon does."""
    definitions, cursor, seconds = definitions_of(study), None, []
    found = definitions.resolve_sensor_def(sensor)
    definitions.get_repository_def().load_all_definitions()
    for _ in range(1 + TIMES):
        context = dg.build_sensor_context(instance, cursor=cursor, resources={"study": study}, definitions=definitions)
        start = time.perf_counter()
        tick = found.evaluate_tick(context)
        seconds.append(time.perf_counter() - start)
        cursor = tick.cursor or cursor
        for event in tick.asset_events:
            instance.report_runless_asset_event(event)
    return seconds


def fastest(what: str, study: Study, instance: dg.DagsterInstance, sensor: str) -> float:
    """Seconds of the fastest tick over unchanged files, which are printed."""
    first, *later = timed_ticks(study, instance, sensor)
    seconds = min(later)
    print(f"{what}: first tick {first:.2f} s, unchanged {seconds:.2f} s (limit {LIMIT_S:g})", flush=True)
    return seconds


def main() -> None:
    """Print the seconds and the limit; fail above it."""
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "dagster").mkdir()
        (folder / "dagster/dagster.yaml").write_text((CHECKOUT / "dagster.yaml").read_text())
        with dg.DagsterInstance.from_config(str(folder / "dagster")) as instance:
            worst = max(
                fastest(f"{N_IMAGES} images", image_study(folder / "a"), instance, "changed_inputs"),
                fastest(f"{N_DATASETS} data sets", dataset_study(folder / "c", instance), instance, "new_datasets"),
            )
    if worst > LIMIT_S:
        sys.exit("the limit is exceeded")


if __name__ == "__main__":
    main()
