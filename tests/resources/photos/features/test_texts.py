"""Sentences: embedded once for one model, stored next to the shards, and any other one on request."""

from pathlib import Path

import numpy as np
import pytest
from upath import UPath

from resources.configuration.pairwise import ClipModel
from resources.photos.features.clip import ClipEmbedding
from resources.photos.features.model import Unavailable
from resources.photos.features.reading import read_features
from resources.photos.features.texts import read_texts, sentence_vectors
from tests.resources.photos.features.made_photos import CPU, make, study_of, write_clip, write_photos

SHARP, BLURRY = "a sharp photograph", "a blurry photograph"


def test_a_run_stores_the_attributes_sentences_and_the_photos_beside_them(tmp_path: Path) -> None:
    model, paths = write_clip(tmp_path / "clip"), write_photos(tmp_path, 3)
    make(tmp_path, paths, study_of(tmp_path, clip_model=model), ("clip",))
    folder = UPath(tmp_path / "features")
    texts = read_texts(folder)
    assert list(texts) == [SHARP, BLURRY]
    assert texts[SHARP] == pytest.approx(ClipEmbedding(model, CPU).embed_texts([SHARP])[0], abs=1e-6)
    found = read_features(folder, list(paths), ("clip",))
    assert np.linalg.norm(np.stack(found["clip"]), axis=1) == pytest.approx(np.ones(3), abs=1e-6)
    assert (found["clip_ms"] > 0).all()
    assert "sharpness" not in found


def test_another_sentence_computes_no_photo_anew(tmp_path: Path) -> None:
    model, paths = write_clip(tmp_path / "clip"), write_photos(tmp_path, 3)
    make(tmp_path, paths, study_of(tmp_path, clip_model=model), ("clip",))
    warm = [{"name": "warmth", "positive": "a warm photo", "negative": SHARP}]
    made = make(tmp_path, paths, study_of(tmp_path, clip_model=model, clip_attributes=warm), ("clip",))
    assert made.n_computed == 0
    assert list(read_texts(UPath(tmp_path / "features"))) == [SHARP, BLURRY, "a warm photo"]


def test_another_model_forgets_the_sentences_of_the_one_before(tmp_path: Path) -> None:
    paths = write_photos(tmp_path, 2)
    make(tmp_path, paths, study_of(tmp_path, clip_model=write_clip(tmp_path / "one")), ("clip",))
    before = read_texts(UPath(tmp_path / "features"))
    other = write_clip(tmp_path / "two", seed=1)
    assert make(tmp_path, paths, study_of(tmp_path, clip_model=other), ("clip",)).n_computed == 2
    after = read_texts(UPath(tmp_path / "features"))
    assert list(after) == list(before)
    assert not np.allclose(after[SHARP], before[SHARP])


def test_a_sentence_that_is_not_stored_is_computed_on_request_and_a_stored_one_needs_no_model(tmp_path: Path) -> None:
    model, paths = write_clip(tmp_path / "clip"), write_photos(tmp_path, 1)
    make(tmp_path, paths, study_of(tmp_path, clip_model=model), ("clip",))
    folder = UPath(tmp_path / "features")
    got = sentence_vectors(folder, model, ["a calm photo", SHARP])
    assert got == pytest.approx(ClipEmbedding(model, CPU).embed_texts(["a calm photo", SHARP]), abs=1e-6)
    lost = ClipModel(architecture=model.architecture, weights=tmp_path / "none.safetensors")
    assert np.array_equal(sentence_vectors(folder, lost, [SHARP])[0], got[1])
    with pytest.raises(Unavailable, match="there is no file"):
        sentence_vectors(folder, lost, ["a calm photo"])
