"""Sample inputs of the fidelity study: products photographed, reconstructed with known faults, scored by people."""

import csv
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from tools.samples.degradation import altered
from tools.samples.fidelity_plan import RUN, SampleObject, human_scores, planned_objects
from tools.samples.materials import Material, material
from tools.samples.products import BUILDS, Shape
from tools.samples.rendering import Light, render
from tools.samples.views import Camera, look

PHOTO_AZIMUTHS_DEG = (-32.0, 4.0, 38.0)
MAX_THREADS = 4
_WEBP = {"quality": 80, "method": 6}  # lossy colours, lossless alpha


def write_all(folder: Path, seed: int) -> None:
    """Every file of the study's samples into an empty folder."""
    objects = planned_objects(seed)
    write_tables(folder, objects, seed)
    items = [objects[index : index + 2] for index in range(0, len(objects), 2)]
    with ThreadPoolExecutor(min(os.cpu_count() or 1, MAX_THREADS)) as threads:
        list(threads.map(partial(write_item, folder), items))


def _write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    # The byte-order mark is there because the real files, exported from a spreadsheet, have one.
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def write_tables(folder: Path, objects: list[SampleObject], seed: int) -> None:
    """Human scores, catalogue and the answer key."""
    header = ("3D Object filename", "Visual Fidelity", "annotator")
    _write_csv(folder / "subjective.csv", header, human_scores(objects, seed))
    catalogue = (
        *("run_id", "job_id", "product_id", "variant", "algo", "n_images", "duration_s", "output_glb_relpath"),
        *("worker", "unit_price_usd", "product_name", "manufacturer", "category_l1", "category_l2", "category_l3"),
    )
    _write_csv(folder / "database.csv", catalogue, (_catalogue_row(index, made) for index, made in enumerate(objects)))
    truth = ((made.hash8, made.item.item_id, f"{made.change.grade:.6f}") for made in objects)
    _write_csv(folder / "truth.csv", ("object", "item_id", "grade"), truth)


def _catalogue_row(index: int, made: SampleObject) -> tuple[object, ...]:
    count, _ = made.views
    return (
        *(RUN, made.job_id, made.item.product_id, made.item.variant, made.algorithm, count),
        f"{20 + made.seed % 9000 / 100:.2f}",
        f"runs\\{RUN}\\outputs\\{made.algorithm}\\{made.filename}",
        f"worker-{index % 2 + 1}",
        "0.02" if count == 3 else "0.04",
        *(made.item.name, made.item.manufacturer, *made.item.categories),
    )


def write_item(folder: Path, objects: list[SampleObject]) -> None:
    """The photos of one item and the renders of its two objects."""
    item = objects[0].item
    rng = np.random.default_rng(item.seed)
    shape = BUILDS[item.shape](np.random.default_rng(item.shape_seed))
    worn, trim = material(item.kind, rng), _trim(rng)
    transparent = bool(rng.uniform() < 0.25)
    for number, azimuth in enumerate(PHOTO_AZIMUTHS_DEG, start=1):
        target = folder / "references" / item.item_id / f"gt_{number}.webp"
        _write_picture(target, shape, worn, trim, azimuth + rng.uniform(-6, 6), rng, transparent)
    for made in objects:
        target = folder / "candidates" / item.item_id / f"{made.hash8}.webp"
        own = np.random.default_rng(made.seed)
        faulty, faulty_trim = altered(worn, made.change), altered(trim, made.change)
        _write_picture(target, shape, faulty, faulty_trim, own.uniform(-40, 40), own, bool(own.uniform() < 0.5))


def _trim(rng: np.random.Generator) -> Material:
    return material(str(rng.choice(["wood", "brushed"])), rng)


def _write_picture(
    target: Path,
    shape: Shape,
    worn: Material,
    trim: Material,
    azimuth_deg: float,
    rng: np.random.Generator,
    transparent: bool,
) -> None:
    camera = Camera(azimuth_deg, rng.uniform(14, 27), rng.uniform(0.94, 1.0))
    light = Light(rng.uniform(-48, -22), rng.uniform(32, 52), rng.uniform(0.93, 1.07), rng.uniform(-0.4, 0.4))
    picture = render(look(shape, camera), worn, trim, light, transparent)
    target.parent.mkdir(parents=True, exist_ok=True)
    shown = cv2.cvtColor(picture, cv2.COLOR_BGRA2RGBA if transparent else cv2.COLOR_BGRA2RGB)
    Image.fromarray(shown).save(target, "WEBP", **_WEBP)
