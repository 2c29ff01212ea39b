"""A study small enough to reason about: 12 objects of 6 products, real images, recorded calls, a home of its own."""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import dagster as dg
import numpy as np
import pandas as pd
import pytest
import sqlalchemy as sa
from upath import UPath

from assets.shared.partitions import SETTINGS
from pipeline.automation import fidelity, partitions_between
from pipeline.definitions import definitions_of
from pipeline.runs import QUIET
from reports.shared import figure, page
from resources.configuration.fidelity import FidelityStudy, GoldenSet, ReplayJudge, Stripes
from resources.database.call_records import ALTERATION_SIGN
from resources.database.engine import open_engine
from resources.runtime.home import CHECKOUT, Home
from resources.study import Study
from resources.tables.all_tables import BY_GROUP
from tests.one_pixel import ONE_PIXEL
from tests.unsynced import without_syncing

ALGORITHMS = ("rodin_multi", "trellis_single")
OBJECTS = [
    (f"{100 + product}", algorithm, f"{product:04x}{place:04x}")
    for product in range(6)
    for place, algorithm in enumerate(ALGORITHMS)
]
SIDE_PX = 32
KEYS = SETTINGS.get_partition_keys()
# What job `fidelity` makes; the watch on drift is a job of its own.
WATCH = ("anchor_scores", "drift")
TABLES = {name: table for name, table in BY_GROUP["fidelity"].items() if name not in WATCH}
UNPARTITIONED = (
    "human_scores",
    "study_objects",
    "setting_summary",
    "recommended_setting",
    "golden_images",
    "golden_scores",
    "sensitivity",
    "dose_response",
    "subscore_sensitivity",
    "fidelity_trust_verdict",
    "judge_comparison",
    "fidelity_report",
)
# Where the pages of reports are made: a tenth of a small run's time. Tests that read one ask for the fixture `pages`.
PAGES = tuple(
    f"assets.{study}.{study}_report.{study}_page" for study in ("fidelity", "pairwise", "evaluation", "reliability")
)
UP_TO_CALLS = ("human_scores", "study_objects", "judge_calls")
# Half of what a run at one setting takes: what comes after rests on the summary, or on no setting.
UP_TO_SUMMARY = (
    *UP_TO_CALLS,
    *("score_matrix", "icc_by_setting", "stability", "convergence_curves", "matched_scores", "human_agreement"),
    "setting_summary",
)

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


def fault(state: str = "timeout") -> dict[str, Any]:
    """A call that got no answer."""
    return {"state": state, "raw_answer": None, "fault_message": "no answer in time"}


def write_study(folder: Path, answers: Answer = near_truth, repeats: int = 5, **changed: Any) -> Study:
    """Write images, scores and recorded calls into a folder and describe them as a study.

    One repeat more is recorded than planned, so that a test can plan it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = ["3D Object filename,Visual Fidelity,annotator"]
    for place, (product, algorithm, object_) in enumerate(OBJECTS):
        name = file_name(product, algorithm, object_)
        rows += [f"{name},{true_score(object_) + shift:.3f},a{1 + index}" for index, shift in enumerate((-0.01, 0.01))]
        write_image(folder / "candidates" / product / f"{object_}.png", place)
        write_image(folder / "references" / product / "gt_1.png", 100 + int(product))
    (folder / "subjective.csv").write_text("\n".join(rows) + "\n", encoding="utf-8-sig")
    recorded = [
        {"object": object_, "setting": key, "repeat": repeat, "attempt": 1} | answers(object_, key, repeat)
        for _, _, object_ in OBJECTS
        for key in KEYS
        for repeat in range(1, repeats + 2)
    ]
    (folder / "calls.jsonl").write_text("".join(json.dumps(row) + "\n" for row in recorded))
    return described(folder, repeats=repeats, **changed)


def described(folder: Path, **changed: Any) -> Study:
    """The study that `write_study` left in a folder."""
    plan: dict[str, Any] = {
        "human_scores": folder / "subjective.csv",
        "references": folder / "references",
        "candidates": folder / "candidates",
        "judge": ReplayJudge(kind="replay", path=folder / "calls.jsonl"),
        "bootstrap_resamples": 200,
        # Six alterations of two items: enough to run through, with doses of one kind.
        "golden": GoldenSet(
            n_items=2,
            stripes=Stripes(shaded_opacities=()),
            hue_degrees=(),
            saturation=(),
            brightness=(),
            blur_px=(),
            texture_scale=(),
            logo_share=(),
        ),
    }
    home = Home(UPath(folder / "home"), folder / "home")
    return Study("small", FidelityStudy(**(plan | changed)), home)


def file_name(product: str, algorithm: str, object_: str) -> str:
    """The object's file as the score file names it."""
    return f"{product}__{algorithm}_N1_a_2025-08-17_v1_h{object_}.glb"


def write_selection(path: Path, render_of: dict[str, str]) -> Path:
    """A list of all objects; `render_of` names those whose render shows another object."""
    lines = ["3D Object filename,output_glb_relpath"]
    for product, algorithm, object_ in OBJECTS:
        shown = file_name(product, algorithm, render_of.get(object_, object_))
        lines.append(f"{file_name(product, algorithm, object_)},outputs/{shown}")
    path.write_text("\n".join(lines) + "\n")
    return path


def write_image(path: Path, seed: int) -> None:
    """A square of noise on black."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image = np.zeros((SIDE_PX, SIDE_PX, 3), np.uint8)
    image[6:-6, 6:-6] = np.random.default_rng(seed).integers(40, 255, (SIDE_PX - 12, SIDE_PX - 12, 3))
    assert cv2.imwrite(str(path), image)


def changed(study: Study, **changes: Any) -> Study:
    """The same home and ledger with another plan."""
    return replace(study, fidelity_section=FidelityStudy(**{**dict(study.fidelity), **changes}))


def sqlite_instance_in(folder: Path) -> dg.DagsterInstance:
    """Dagster's memory on the disk as the project sets it up; use it as a context manager."""
    without_syncing()  # programs of tests, which come here too, have no conftest
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(CHECKOUT / "dagster.yaml", folder / "dagster.yaml")
    return dg.DagsterInstance.from_config(str(folder))


@contextmanager
def without_drawing() -> Iterator[None]:
    """Leave out plots, half of a small run's time, and what stands on pages: both have tests of their own."""
    with pytest.MonkeyPatch.context() as patch:
        for place in PAGES:
            patch.setattr(place, lambda _contents: "<!doctype html>")
        patch.setattr(figure, "png", lambda *_args, **_sizes: ONE_PIXEL)
        patch.setattr(page, "picture_of", lambda *_args: "")
        yield


def run(
    study: Study,
    instance: dg.DagsterInstance,
    settings: tuple[str, str] | None = None,
    only: Sequence[str] | None = None,
    job_name: str = fidelity.name,
) -> dg.ExecuteInProcessResult:
    """A job on this study in one run, over all settings or a stretch of them; `only` names the tables to make."""
    return launched(study, instance, partitions_between(*(settings or (KEYS[0], KEYS[-1]))), only, job_name)


def run_one(
    study: Study, instance: dg.DagsterInstance, setting: str, only: Sequence[str] | None = None
) -> dg.ExecuteInProcessResult:
    """A run for one setting, as the UI launches it."""
    return launched(study, instance, {"dagster/partition": setting}, only)


def launched(
    study: Study,
    instance: dg.DagsterInstance,
    tags: dict[str, str],
    only: Sequence[str] | None = None,
    job_name: str = fidelity.name,
) -> dg.ExecuteInProcessResult:
    """A run with these tags."""
    return (
        definitions_of(study)
        .resolve_job_def(job_name)
        .execute_in_process(
            run_config=QUIET,
            instance=instance,
            tags=tags,
            raise_on_error=False,
            asset_selection=None if only is None else [dg.AssetKey(name) for name in only],
        )
    )


def errors(result: dg.ExecuteInProcessResult) -> dict[str, str]:
    """The steps that failed, with what they said; nothing where the run succeeded."""
    said = {}
    for event in result.get_step_failure_events():
        error = event.step_failure_data.error
        while error is not None and error.cause is not None:
            error = error.cause
        said[event.step_key or ""] = "" if error is None else error.message
    return said


def made(result: dg.ExecuteInProcessResult) -> set[str]:
    """The tables that a run made."""
    events = result.filter_events(lambda event: event.is_step_materialization)
    return {event.asset_key.path[-1] for event in events if event.asset_key is not None}


def stored_path(study: Study, table: str, setting: str | None = None) -> Path:
    """Where a table, or one setting of it, lies."""
    folder = Path(study.home.tables.path) / "fidelity"
    return folder / f"{table}.parquet" if setting is None else folder / table / f"{setting}.parquet"


def stored(study: Study, table: str, setting: str | None = None) -> pd.DataFrame:
    """A stored table as it would be read by anybody."""
    return pd.read_parquet(stored_path(study, table, setting))


def all_files(study: Study) -> dict[str, bytes]:
    """Every file below the tables' folder with its content."""
    folder = Path(study.home.tables.path)
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def ledger_rows(study: Study) -> pd.DataFrame:
    """Everything in the ledger, in the order in which it was recorded."""
    engine = open_engine(study.home.database_url)
    with engine.connect() as connection:
        if not sa.inspect(connection).has_table("judge_calls"):
            return pd.DataFrame()
        rows = pd.read_sql(sa.text("SELECT * FROM judge_calls ORDER BY id"), connection)
    engine.dispose()
    return rows


def study_calls(study: Study) -> pd.DataFrame:
    """The ledger's rows without those of the golden set."""
    rows = ledger_rows(study)
    return rows[~rows["object"].str.contains(ALTERATION_SIGN)]


def partitioned() -> list[str]:
    """The tables that have a file for each setting."""
    return [name for name in TABLES if name not in UNPARTITIONED]
