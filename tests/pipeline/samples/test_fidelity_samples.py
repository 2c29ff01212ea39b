"""The fidelity samples are whole and repeatable, and the local judge recovers what was put in."""

import csv
import hashlib
import json
import shutil
import zipfile
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from pipeline.samples.fidelity import SAMPLES_VERSION, FidelitySamples, write_fidelity_samples
from pipeline.samples.shipped import MANIFEST, SEED, is_whole
from resources.configuration import fidelity as configuration
from resources.configuration.settings import Setting
from resources.errors import UserError
from resources.inputs.fidelity.human_scores import item_id, parse_object_name
from resources.judges.answers import parse_answer
from resources.judges.contract import Attempt, JudgedObject
from resources.judges.local import LocalJudge
from resources.judges.prompt import build_call
from resources.photos.images import load_image
from tools.samples import fidelity as tool
from tools.samples.fidelity_plan import planned_objects

WEIGHTS = configuration.RubricWeights()
REPEATS = 5


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def scores(fidelity_samples: FidelitySamples) -> dict[float, np.ndarray]:
    """The local judge's scores by temperature: shape (objects, repeats), in the order of truth.csv."""
    judge = LocalJudge(configuration.LocalJudge(), WEIGHTS)
    found = defaultdict(list)
    for row in rows(fidelity_samples.truth):
        photos = sorted((fidelity_samples.references / row["item_id"]).iterdir())
        candidate = fidelity_samples.candidates / row["item_id"] / f"{row['object']}.webp"
        hashes = tuple(sha256(photo) for photo in photos)
        paths = tuple(str(photo) for photo in photos)
        judged = JudgedObject(row["object"], row["item_id"], str(candidate), sha256(candidate), paths, hashes)
        for temperature in (0.0, 0.2, 0.5, 0.8):
            setting = Setting(temperature, 1.0)
            calls = [
                build_call(judged, Attempt("samples", setting, judge.identity, repeat), WEIGHTS)
                for repeat in range(1, REPEATS + 1)
            ]
            answers = [parse_answer(judge.reply(call).raw_answer, judged.item_id, WEIGHTS) for call in calls]
            found[temperature].append([answer.score for answer in answers])
    return {temperature: np.array(values) for temperature, values in found.items()}


@pytest.fixture(scope="module")
def grades(fidelity_samples: FidelitySamples) -> np.ndarray:
    return np.array([float(row["grade"]) for row in rows(fidelity_samples.truth)])


@pytest.mark.slow
@pytest.mark.parametrize("temperature", [0.0, 0.2])
def test_the_local_judge_sees_the_true_grade(scores, grades, temperature):
    assert spearmanr(scores[temperature].mean(axis=1), grades).statistic >= 0.85


@pytest.mark.slow
def test_the_local_judge_scores_on_the_humans_scale(fidelity_samples, scores):
    human = defaultdict(list)
    for row in rows(fidelity_samples.human_scores):
        human[row["3D Object filename"][-12:-4]].append(float(row["Visual Fidelity"]))
    means = np.array([np.mean(human[row["object"]]) for row in rows(fidelity_samples.truth)])
    assert np.abs(scores[0.2].mean(axis=1) - means).mean() <= 0.10


@pytest.mark.slow
def test_spread_over_repeats_grows_with_temperature(scores):
    spreads = [float(np.sqrt(scores[temperature].var(axis=1, ddof=1).mean())) for temperature in (0.0, 0.2, 0.5, 0.8)]
    assert spreads[0] == pytest.approx(0, abs=1e-12)
    assert spreads == sorted(spreads)
    assert min(np.diff(spreads)) > 0.005


def test_every_object_has_its_scores_catalogue_row_and_pictures(fidelity_samples):
    truth = rows(fidelity_samples.truth)
    catalogue = {row["job_id"][:8]: row for row in rows(fidelity_samples.catalogue)}
    human = defaultdict(list)
    for row in rows(fidelity_samples.human_scores):
        human[row["3D Object filename"]].append(row["annotator"])
    assert len(truth) == len(catalogue) == len(human) == 48
    assert all(annotators == ["a1", "a2", "a3"] for annotators in human.values())
    for row in truth:
        made = catalogue[row["object"]]
        assert len(made["job_id"]) == 40
        assert made["output_glb_relpath"].rsplit("\\", 1)[1] in human
        picture = load_image(fidelity_samples.candidates / row["item_id"] / f"{row['object']}.webp")
        assert picture.shape == (512, 512, 4)
        names = {photo.name for photo in (fidelity_samples.references / row["item_id"]).iterdir()}
        assert names == {"gt_1.webp", "gt_2.webp", "gt_3.webp"}


def test_items_products_variants_and_categories_are_as_many_as_the_study_needs(fidelity_samples):
    catalogue = rows(fidelity_samples.catalogue)
    truth = rows(fidelity_samples.truth)
    items = {row["item_id"] for row in truth}
    assert len(items) == 24
    assert len({row["product_id"] for row in catalogue}) == 18
    assert len({row["category_l3"] for row in catalogue}) >= 4
    assert any("_" in item for item in items)
    assert all(item == item.lower() and " " not in item for item in items)
    algorithms = defaultdict(set)
    for row, made in zip(truth, catalogue, strict=True):
        algorithms[row["item_id"]].add(made["algo"])
    assert all(len(pair) == 2 for pair in algorithms.values())
    assert set().union(*algorithms.values()) <= set(configuration.ALGORITHMS)


def test_file_names_parse_as_the_study_parses_them(fidelity_samples):
    items = {row["object"]: row["item_id"] for row in rows(fidelity_samples.truth)}
    for row in rows(fidelity_samples.human_scores):
        parsed = parse_object_name(row["3D Object filename"], configuration.ALGORITHMS)
        assert item_id(parsed.product_id, parsed.variant) == items[parsed.object]


def test_scores_lie_on_the_annotators_grid(fidelity_samples):
    values = np.array([float(row["Visual Fidelity"]) for row in rows(fidelity_samples.human_scores)])
    assert values.min() >= 0
    assert values.max() <= 1
    np.testing.assert_allclose(values / 0.025, np.rint(values / 0.025), atol=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_no_seed_gives_two_objects_one_name(seed):
    objects = planned_objects(seed)
    assert len({made.filename for made in objects}) == len({made.hash8 for made in objects}) == 48
    assert len({made.item.item_id for made in objects}) == 24
    assert all(0 <= made.change.grade <= 1 for made in objects)


@pytest.mark.slow
def test_what_ships_is_what_the_script_draws_but_for_a_level_that_a_processor_rounds_otherwise(
    fidelity_samples, tmp_path
):
    # The whole set would take a minute; tables and one item stand for it.
    objects = planned_objects(SEED)
    tool.write_tables(tmp_path, objects, SEED)
    tool.write_item(tmp_path, objects[:2])
    made = [path for path in tmp_path.rglob("*") if path.is_file()]
    folder = fidelity_samples.truth.parent
    assert len(made) == 3 + 3 + 2
    for path in made:
        shipped = folder / path.relative_to(tmp_path)
        if path.suffix == ".webp":
            assert np.abs(load_image(path).astype(int) - load_image(shipped)).mean() < 0.5, path.name
        else:
            assert path.read_bytes() == shipped.read_bytes()


def test_a_complete_folder_is_left_alone(fidelity_samples):
    folder = fidelity_samples.truth.parent
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    assert write_fidelity_samples(folder) == fidelity_samples
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_a_folder_is_complete_only_with_every_file_at_its_length(fidelity_samples, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(fidelity_samples.truth.parent, folder)
    assert is_whole(folder, SAMPLES_VERSION, SEED)
    assert not is_whole(folder, SAMPLES_VERSION, SEED + 1)
    name = next(name for name in json.loads((folder / MANIFEST).read_text())["bytes_by_file"] if "gt_2" in name)
    (folder / name).write_bytes(b"half")
    assert not is_whole(folder, SAMPLES_VERSION, SEED)
    (folder / name).unlink()
    assert not is_whole(folder, SAMPLES_VERSION, SEED)


def test_a_run_that_dies_leaves_no_folder_and_no_scratch(tmp_path, monkeypatch):
    def dies(*_: object) -> None:
        raise RuntimeError("power cut")

    monkeypatch.setattr(zipfile.ZipFile, "extractall", dies)
    with pytest.raises(RuntimeError, match="power cut"):
        write_fidelity_samples(tmp_path / "fidelity")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_other_files_is_refused_and_left_alone(tmp_path):
    (tmp_path / "my_work.txt").write_text("mine")
    with pytest.raises(UserError, match="no samples"):
        write_fidelity_samples(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["my_work.txt"]
