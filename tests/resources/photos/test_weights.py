"""Weights of pretrained models: found in the hub's cache, or absent with the words that fix it."""

from pathlib import Path

import pytest

from resources.photos.weights import CLIP_REPOSITORIES, clip_weights, vit_weights, weights_found

REVISION = "0123456789abcdef0123456789abcdef01234567"
VIT = "google/vit-base-patch16-224"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty hub cache in place of the user's."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.file_download.constants.HF_HUB_CACHE", str(tmp_path))
    return tmp_path


def put(cache: Path, repository: str, file: str) -> Path:
    """A file as the hub's client lays it down."""
    folder = cache / f"models--{repository.replace('/', '--')}"
    snapshot = folder / "snapshots" / REVISION
    snapshot.mkdir(parents=True)
    (snapshot / file).write_bytes(b"weights")
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text(REVISION)
    return snapshot / file


def test_weights_in_the_cache_are_found(cache: Path) -> None:
    path = put(cache, VIT, "model.safetensors")
    found = vit_weights(VIT)
    assert found.path == str(path)
    assert found.sentence == f"ViT {VIT}: {path}"


def test_clip_weights_are_found_where_open_clip_looks_for_them(cache: Path) -> None:
    import open_clip

    repository = str(open_clip.get_pretrained_cfg("ViT-B-32-quickgelu", "openai")["hf_hub"]).rstrip("/")
    assert {("ViT-B-32-quickgelu", "openai"): repository} == CLIP_REPOSITORIES
    path = put(cache, repository, "open_clip_model.safetensors")
    assert clip_weights("ViT-B-32-quickgelu", "openai").path == str(path)


def test_another_file_of_the_model_is_not_its_weights(cache: Path) -> None:
    put(cache, VIT, "config.json")
    assert vit_weights(VIT).path is None


def test_a_pickle_is_not_taken_for_vit(cache: Path) -> None:
    put(cache, VIT, "pytorch_model.bin")
    assert vit_weights(VIT).path is None


def test_absent_weights_say_how_to_get_them(cache: Path) -> None:
    assert vit_weights(VIT).sentence == f"ViT {VIT}: not on this machine (with a network: hf download {VIT})"
    assert (
        "open_clip.create_model('ViT-B-32-quickgelu', 'openai')" in clip_weights("ViT-B-32-quickgelu", "openai").command
    )


def test_a_file_that_the_hub_is_known_not_to_have_is_absent(cache: Path) -> None:
    folder = cache / f"models--{VIT.replace('/', '--')}"
    missing = folder / ".no_exist" / REVISION / "model.safetensors"
    missing.parent.mkdir(parents=True)
    missing.touch()
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text(REVISION)
    assert vit_weights(VIT).path is None


def test_both_models_are_looked_for(cache: Path) -> None:
    assert [found.path for found in weights_found()] == [None, None]
