"""A study of 1,000 items x 10 settings x 5 repeats from recorded calls: seconds after the calls, peak memory."""

import json
import os
import resource
import shutil
import tempfile
import time
from pathlib import Path

import cv2
import dagster as dg
import numpy as np
from upath import UPath

from assets.shared.partitions import SETTINGS
from pipeline.automation import all_settings, fidelity
from pipeline.definitions import definitions_of
from pipeline.runs import QUIET
from resources.configuration.fidelity import FidelityStudy, ReplayJudge
from resources.runtime.home import CHECKOUT, Home
from resources.study import Study

ITEMS, PRODUCTS, REPEATS, ANNOTATORS = 1000, 250, 5, 3
NAMES = ("color_palette", "material_finish", "texture_identity", "texture_scale_placement")
ALGORITHMS = ("rodin_multi", "trellis_single", "tripo3d_v2p5_multi")


def write_inputs(folder: Path) -> FidelityStudy:
    """Scores, images and recorded calls of a judge that follows the people with noise."""
    rng = np.random.default_rng(0)
    rows, calls = ["3D Object filename,Visual Fidelity,annotator"], []
    for place in range(ITEMS):
        product, object_ = f"{100000 + place % PRODUCTS}", f"{place:08x}"
        variant, algorithm = f"v{place // PRODUCTS}", ALGORITHMS[place % len(ALGORITHMS)]
        item, grade = f"{product}_{variant}", rng.uniform(0.1, 0.95)
        name = f"{item}_{algorithm}_N1_a_2025-08-17_v1_h{object_}.glb"
        noisy = np.clip(grade + rng.normal(0, 0.05, ANNOTATORS), 0, 1)
        rows += [f"{name},{score:.3f},a{index}" for index, score in enumerate(noisy)]
        for path in (folder / "images" / item / "gt_1.png", folder / "images" / item / "candidate.png"):
            path.parent.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(path), rng.integers(0, 255, (24, 24, 3), dtype=np.uint8))
        for key in SETTINGS.get_partition_keys():
            for repeat, score in enumerate(np.clip(100 * grade + rng.normal(0, 4, REPEATS), 0, 100), start=1):
                said = {"item_id": item, "subscores": dict.fromkeys(NAMES, round(score, 1)), "score": round(score, 1)}
                answer = json.dumps(said | {"rationale": ["the palette is close", "the weave is coarser"]})
                calls.append(
                    {"object": object_, "setting": key, "repeat": repeat, "state": "valid", "raw_answer": answer}
                )
    (folder / "subjective.csv").write_text("\n".join(rows) + "\n")
    (folder / "calls.jsonl").write_text("".join(json.dumps(call) + "\n" for call in calls))
    return FidelityStudy(
        human_scores=folder / "subjective.csv",
        references=folder / "images",
        candidates=folder / "images",
        judge=ReplayJudge(kind="replay", path=folder / "calls.jsonl"),
        repeats=REPEATS,
    )


def main() -> None:
    """Print seconds per table and the peak of resident memory."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        study = Study("bench", write_inputs(folder), Home(UPath(folder / "home"), folder / "home"))
        shutil.copyfile(CHECKOUT / "dagster.yaml", folder / "dagster.yaml")
        os.environ["DAGSTER_HOME"] = str(folder)
        job = definitions_of(study).resolve_job_def(fidelity.name)
        before_mb = peak_mb()
        started = time.time()
        with dg.DagsterInstance.get() as instance:
            result = job.execute_in_process(run_config=QUIET, instance=instance, tags=all_settings())
            stats = {one.step_key: one for one in instance.get_run_step_stats(result.run_id)}
        calls_end = stats["judge_calls"].end_time or started
        for step in sorted(stats.values(), key=lambda one: one.start_time or 0):
            print(f"  {step.step_key:45} {(step.end_time or 0) - (step.start_time or 0):7.1f} s")
        print(f"calls and what comes before   {calls_end - started:7.1f} s")
        print(f"after the calls               {time.time() - calls_end:7.1f} s (limit 60 where nothing else runs)")
        print(f"peak memory                   {peak_mb():7.0f} MB (limit 1000; {before_mb:.0f} before the run)")


def peak_mb() -> float:
    """Peak resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
