"""The sample series are repeatable and whole, and what was planted in photos and votes is in them."""

import re
import zipfile
from pathlib import Path

import cv2
import numpy as np
import pandas as pd
import pytest
from upath import UPath

from analysis.images.photo_rules import photo_measures
from analysis.preference.accuracy import predicted_winners, preference_accuracy
from analysis.preference.bradley_terry import BradleyTerry, bradley_terry
from pipeline.samples.pairwise import PairwiseSamples, write_pairwise_samples
from pipeline.samples.shipped import MANIFEST, SEED
from resources.configuration.load import sample_pairwise
from resources.errors import UserError
from resources.inputs.pairwise.photo_pairs import read_photo_pairs
from resources.photos.images import load_image
from resources.photos.methods.features import Features
from resources.photos.methods.rules import RULES_BY_NAME
from resources.runtime.home import Home
from resources.tables.pairwise_rows import judged_pairs
from tools.samples import pairwise as tool
from tools.samples.pairwise_plan import cast_votes, planned_series


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("home")
    return Home(UPath(folder), folder)


@pytest.fixture(scope="module")
def made(home: Home) -> PairwiseSamples:
    return write_pairwise_samples(home.samples / "pairwise")


@pytest.fixture(scope="module")
def truth(made: PairwiseSamples) -> pd.DataFrame:
    return pd.read_csv(made.truth, dtype={"image": "str"}).set_index("image")


@pytest.fixture(scope="module")
def pairs(made: PairwiseSamples, home: Home) -> pd.DataFrame:
    """As the built-in study reads them."""
    return read_photo_pairs(sample_pairwise(home)).frame


@pytest.fixture(scope="module")
def strengths(pairs: pd.DataFrame) -> BradleyTerry:
    return bradley_terry(pairs["image_1"], pairs["image_2"], pairs["votes_1"], pairs["votes_2"])


def sharpness(photos: Path) -> pd.Series:
    """Variance of the Laplacian of grey."""
    found = {}
    for path in photos.iterdir():
        grey = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
        assert grey is not None
        found[path.stem] = float(cv2.Laplacian(grey, cv2.CV_64F).var())
    return pd.Series(found)


def test_there_are_68_series_of_2_to_8_photos_all_found_by_the_built_in_study(made, pairs, truth):
    sizes = truth.groupby("series").size()
    assert (len(sizes), sizes.min(), sizes.max()) == (68, 2, 8)
    assert not pairs["excluded"].eq("missing_image").any()
    assert {path.stem for path in made.photos.iterdir()} == set(truth.index) == {*pairs["image_1"], *pairs["image_2"]}


def test_series_of_one_scene_are_one_cluster_and_both_eyes_see_the_same_motorcycle(pairs):
    scenes = {one.photos[0].series_id: one.scene for one in planned_series(SEED)}
    assert pairs["cluster"].tolist() == [scenes[series] for series in pairs["series_id"]]
    views = pairs.groupby("cluster")["series_id"].nunique()
    assert (len(views), views["motorcycle"], set(views.drop("motorcycle"))) == (16, 8, {4})


def test_photos_are_small_and_all_together_under_2_megabytes(made):
    files = [path for path in made.photos.parent.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 2e6
    assert {max(cv2.imread(str(path)).shape[:2]) for path in list(made.photos.iterdir())[:40]} == {224}


def test_votes_hold_ties_contradictions_and_both_orders(pairs, home):
    listed = read_photo_pairs(sample_pairwise(home).model_copy(update={"orders": "as_listed"})).frame
    assert 0.8 < (pairs["n_orders"] == 2).mean() < 0.98
    assert (listed["excluded"] == "tie").sum() > 50
    assert pairs["opposite_orders"].sum() > 30
    assert circles(pairs) > 0


def circles(pairs: pd.DataFrame) -> int:
    """Threes of a series of which each photo beats one of the other two."""
    beats = {(row.image_1, row.image_2) if row.winner == 1 else (row.image_2, row.image_1) for row in decided(pairs)}
    after: dict[str, set[str]] = {}
    for better, worse in beats:
        after.setdefault(better, set()).add(worse)
    return sum((third, first) in beats for first, second in beats for third in after.get(second, ())) // 3


def decided(pairs: pd.DataFrame) -> list:
    return list(pairs[pairs["winner"].notna()].itertuples())


def test_a_few_votes_more_go_to_the_photo_shown_first(pairs):
    votes = (pairs["votes_1"] + pairs["votes_2"]).sum()
    assert 0.5 < pairs["first_shown_votes"].sum() / votes < 0.55


def test_bradley_terry_recovers_the_true_strengths(strengths, truth):
    assert strengths.n_components == 68
    assert np.corrcoef(strengths.strengths, truth["strength"][strengths.images])[0, 1] > 0.9


def test_the_true_strengths_are_centred_and_fall_with_every_fault(truth):
    assert truth.groupby("series")["strength"].sum().abs().max() < 1e-4
    faults = truth[["blur_px", "noise_levels", "cut_share"]].assign(stops=truth["exposure_stops"].abs())
    assert (faults.corrwith(truth["strength"]) < -0.1).all()


def test_sharpness_beats_chance_clearly(made, pairs):
    judged = pairs[pairs["excluded"].isna()]
    score = sharpness(made.photos)
    picks_1 = score[judged["image_1"]].to_numpy() > score[judged["image_2"]].to_numpy()
    right = picks_1 == (judged["winner"] == 1).to_numpy()
    by_series = pd.Series(right - 0.5).groupby(judged["series_id"].to_numpy()).sum()
    z = by_series.sum() / np.sqrt((by_series**2).sum())
    assert 0.6 < right.mean() < 0.9
    assert z > 4


def test_the_page_on_pairs_has_what_the_rules_give(made, pairs, home):
    page = (Path(__file__).parents[3] / "docs" / "pairwise.md").read_text(encoding="utf-8")
    shown = re.findall(r"^ (\w+) +(0\.\d{3} \[.*?\]).*?(0\.\d{3}) +(\d+) +[\d.]+$", page, flags=re.MULTILINE)
    judged = judged_pairs(pairs)
    images = sorted({*judged["image_1"], *judged["image_2"]})
    paths = [str(made.photos / f"{name}.JPG") for name in images]
    rules = pd.DataFrame([photo_measures(load_image(path)[..., :3])._asdict() for path in paths], index=images)
    features, found = Features(rules, paths, lambda texts: np.empty((len(texts), 0))), []
    for name, method in RULES_BY_NAME.items():
        score = pd.Series(method.score(features), index=images)
        picked = predicted_winners(score[judged["image_1"]], score[judged["image_2"]])
        one = preference_accuracy(
            judged["winner"], picked, judged["cluster"], resampling=sample_pairwise(home).resampling
        )
        bounds = f"[{one.interval.low:.3f}, {one.interval.high:.3f}]"
        found.append((name, f"{one.accuracy:.3f} {bounds}", f"{one.tie_rate:.3f}", str(one.n)))
    assert sorted(found) == sorted(row for row in shown if row[0] in RULES_BY_NAME)


@pytest.mark.parametrize("seed", range(3))
def test_over_other_seeds_strengths_are_recovered_too(seed):
    votes = cast_votes(planned_series(seed), seed)
    fit = bradley_terry(
        [vote.first.name for vote in votes],
        [vote.second.name for vote in votes],
        [vote.left for vote in votes],
        [vote.right for vote in votes],
    )
    true = {photo.name: photo.strength for vote in votes for photo in (vote.first, vote.second)}
    assert np.corrcoef(fit.strengths, [true[name] for name in fit.images])[0, 1] > 0.9


@pytest.mark.slow
def test_what_ships_is_what_the_script_draws_but_for_a_level_that_a_processor_rounds_otherwise(made, tmp_path):
    tool.write_all(tmp_path, SEED)
    shipped = [path for path in made.photos.parent.rglob("*") if path.is_file() and path.name != MANIFEST]
    assert len(shipped) == 340 + 3
    for path in shipped:
        drawn = tmp_path / path.relative_to(made.photos.parent)
        if path.suffix == ".JPG":
            # JPEG makes steps of a quantum out of one level.
            difference = cv2.absdiff(cv2.imread(str(path)), cv2.imread(str(drawn)))
            assert difference.mean() < 0.5, path.name
        else:
            assert drawn.read_bytes() == path.read_bytes()


def test_another_seed_gives_other_votes():
    first, other = (cast_votes(planned_series(seed), seed) for seed in (1, 2))
    assert [vote[3:] for vote in first] != [vote[3:] for vote in other]


def test_a_complete_folder_is_left_alone(made):
    before = made.pairs.stat().st_mtime_ns
    assert write_pairwise_samples(made.pairs.parent) == made
    assert made.pairs.stat().st_mtime_ns == before


def test_a_run_that_dies_leaves_no_folder_and_no_scratch(tmp_path, monkeypatch):
    def dies(*_: object) -> None:
        raise RuntimeError("power cut")

    monkeypatch.setattr(zipfile.ZipFile, "extractall", dies)
    with pytest.raises(RuntimeError, match="power cut"):
        write_pairwise_samples(tmp_path / "pairwise")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_other_files_is_refused_and_left_alone(tmp_path):
    (tmp_path / "my_work.txt").write_text("mine")
    with pytest.raises(UserError, match="no samples"):
        write_pairwise_samples(tmp_path)
    assert not (tmp_path / MANIFEST).exists()


def test_photographs_under_a_licence_that_asks_for_it_are_credited(made):
    said = (made.photos.parent / "photographs.txt").read_text()
    assert said.count("https://www.flickr.com/photos/") == 2
    assert "CC BY 2.0" in said
