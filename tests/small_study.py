"""A study small enough to reason about: 12 objects of 6 products, real images, recorded calls, a home of its own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import dagster as dg
import numpy as np
from upath import UPath

from assets.partitions import SETTINGS
from pipeline.automation import fidelity, settings_between
from pipeline.definitions import definitions_of
from pipeline.runs import QUIET
from resources.configuration.fidelity import FidelityStudy, ReplayJudge
from resources.home import Home
from resources.study import Study

ALGORITHMS = ("rodin_multi", "trellis_single")
OBJECTS = [
    (f"{100 + product}", algorithm, f"{product:04x}{place:04x}")
    for product in range(6)
    for place, algorithm in enumerate(ALGORITHMS)
]
SIDE_PX = 32

Answer = Callable[[str, str, int], dict[str, Any]]


def true_score(object_: str) -> float:
    """Scores of the people: 0.20, 0.25, ... 0.75 over the objects, 0-1."""
    place = [known for _, _, known in OBJECTS].index(object_)
    return 0.20 + 0.05 * place


def near_truth(object_: str, setting: str, repeat: int) -> dict[str, Any]:
    """A judge that is right but for a ripple of 0.02 over its repeats; the baseline has none."""
    ripple = 0.0 if setting.startswith("t0.0") else 0.02 * ((repeat + len(object_)) % 3 - 1)
    return answer(object_, 100 * (true_score(object_) + ripple))


def answer(object_: str, score: float) -> dict[str, Any]:
    """A valid answer with this score on 0-100."""
    item = next(product for product, _, known in OBJECTS if known == object_)
    names = ("color_palette", "material_finish", "texture_identity", "texture_scale_placement")
    said = {
        "item_id": item,
        "subscores": dict.fromkeys(names, score),
        "score": score,
        "rationale": ["the colours match", "the texture is coarser"],
    }
    return {"state": "valid", "raw_answer": json.dumps(said)}


def write_study(folder: Path, answers: Answer = near_truth, repeats: int = 5, **changed: Any) -> Study:
    """Write images, scores and recorded calls into a folder and describe them as a study."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = ["3D Object filename,Visual Fidelity,annotator"]
    for place, (product, algorithm, object_) in enumerate(OBJECTS):
        name = f"{product}__{algorithm}_N1_a_2025-08-17_v1_h{object_}.glb"
        rows += [f"{name},{true_score(object_) + shift:.3f},a{1 + index}" for index, shift in enumerate((-0.01, 0.01))]
        write_image(folder / "candidates" / product / f"{object_}.png", place)
        write_image(folder / "references" / product / "gt_1.png", 100 + int(product))
    (folder / "subjective.csv").write_text("\n".join(rows) + "\n", encoding="utf-8-sig")
    recorded = [
        {"object": object_, "setting": key, "repeat": repeat, "attempt": 1} | answers(object_, key, repeat)
        for _, _, object_ in OBJECTS
        for key in SETTINGS.get_partition_keys()
        for repeat in range(1, repeats + 1)
    ]
    (folder / "calls.jsonl").write_text("".join(json.dumps(row) + "\n" for row in recorded))
    plan: dict[str, Any] = {
        "human_scores": folder / "subjective.csv",
        "references": folder / "references",
        "candidates": folder / "candidates",
        "judge": ReplayJudge(kind="replay", path=folder / "calls.jsonl"),
        "repeats": repeats,
        "bootstrap_resamples": 200,
    }
    home = Home(UPath(folder / "home"), folder / "home")
    return Study("small", FidelityStudy(**(plan | changed)), home)


def write_image(path: Path, seed: int) -> None:
    """A square of noise on black."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image = np.zeros((SIDE_PX, SIDE_PX, 3), np.uint8)
    image[6:-6, 6:-6] = np.random.default_rng(seed).integers(40, 255, (SIDE_PX - 12, SIDE_PX - 12, 3))
    assert cv2.imwrite(str(path), image)


def run(
    study: Study, instance: dg.DagsterInstance, settings: tuple[str, str] | None = None
) -> dg.ExecuteInProcessResult:
    """The job `fidelity` on this study, over all settings or a stretch of them."""
    keys = SETTINGS.get_partition_keys()
    first, last = settings or (keys[0], keys[-1])
    job = definitions_of(study).resolve_job_def(fidelity.name)
    tags = settings_between(first, last)
    return job.execute_in_process(run_config=QUIET, instance=instance, tags=tags, raise_on_error=False)
