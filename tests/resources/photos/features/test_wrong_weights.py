"""Weights and descriptions that are wrong in any way are refused in a sentence with the file and the remedy."""

import json
from pathlib import Path
from typing import Any

import pytest

from resources.configuration.pairwise import ClipModel
from resources.errors import UserError
from resources.gpu import GpuResource
from resources.photos.features.clip import ClipEmbedding
from resources.photos.features.model import conversion
from resources.photos.features.vit import ARCHITECTURE, PROCESSOR, WEIGHTS, VitEmbedding
from tests.resources.photos.features.made_photos import write_clip, write_vit

CPU = GpuResource(device="cpu")


def changed(file: Path, **values: Any) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text()), **values}))


def without(file: Path, key: str) -> None:
    file.write_text(json.dumps({name: value for name, value in json.loads(file.read_text()).items() if name != key}))


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda file: without(file, "image_size"), "has no 'image_size', where a whole number belongs"),
        (lambda file: without(file, "hidden_size"), "has no 'hidden_size'"),
        (lambda file: changed(file, image_size=[32, 32]), r"has 'image_size': \[32, 32\], where a whole number"),
        (lambda file: changed(file, image_size=0), "has 'image_size': 0"),
        (lambda file: changed(file, hidden_size=16), "has 'hidden_size': 16, and the weights next to it have 12"),
        (lambda file: file.write_text("[]"), "holds a list where names and values belong"),
        (lambda file: file.write_text("{"), "is no JSON"),
    ],
)
def test_a_vit_that_is_described_wrongly_is_refused(tmp_path: Path, harm: Any, words: str) -> None:
    vit = write_vit(tmp_path / "vit")
    harm(tmp_path / "vit" / ARCHITECTURE)
    with pytest.raises(UserError, match=rf"^vit_model: .*{ARCHITECTURE} {words}.*Copy the model's folder again"):
        VitEmbedding(vit, CPU)


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda file: file.write_text("[1]"), "holds a list"),
        (lambda file: file.write_text("{}"), r"makes inputs of shape \(3, 224, 224\).*takes \(3, 32, 32\)"),
        (lambda file: changed(file, size={"height": 64, "width": 64}), r"makes inputs of shape \(3, 64, 64\)"),
        (
            lambda file: changed(file, image_processor_type="FooProcessor"),
            "cannot be used .Unrecognized image processor",
        ),
        (lambda file: changed(file, size={"depth": 3}), "cannot be used"),
        (lambda file: changed(file, image_mean="grey"), "cannot be used"),
    ],
)
def test_a_preprocessing_that_does_not_fit_its_vit_is_refused(tmp_path: Path, harm: Any, words: str) -> None:
    vit = write_vit(tmp_path / "vit")
    harm(tmp_path / "vit" / PROCESSOR)
    with pytest.raises(UserError, match=rf"^vit_model: .*{PROCESSOR} {words}.*Copy the model's folder again"):
        VitEmbedding(vit, CPU).open()


@pytest.mark.parametrize("change", [{"patch_size": 8}, {"num_attention_heads": 5}, {"intermediate_size": 7}])
def test_a_vit_of_another_shape_than_its_weights_is_refused(tmp_path: Path, change: dict[str, int]) -> None:
    vit = write_vit(tmp_path / "vit")
    changed(tmp_path / "vit" / ARCHITECTURE, **change)
    with pytest.raises(UserError, match=rf"weights in .* do not fit tiny/vit as {ARCHITECTURE} describes it"):
        VitEmbedding(vit, CPU).open()


def test_clip_weights_of_quite_another_architecture_are_refused(tmp_path: Path) -> None:
    weights = write_clip(tmp_path).weights
    clip = ClipEmbedding(ClipModel(architecture="ViT-B-32-quickgelu", weights=weights), CPU)
    with pytest.raises(UserError, match=r"clip\.safetensors do not fit ViT-B-32-quickgelu .*Name the architecture"):
        clip.open()


def test_weights_that_are_no_numbers_are_refused_once_and_by_name(tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    clip, vit = write_clip(tmp_path / "clip"), write_vit(tmp_path / "vit")
    for file, name in ((clip.weights, "text_projection"), (tmp_path / "vit" / WEIGHTS, "vit.layernorm.weight")):
        assert file is not None
        tensors = load_file(file)
        tensors[name][..., -1] = torch.nan
        save_file(tensors, file)
    with pytest.raises(UserError, match=r"weights in .*clip\.safetensors are NaN or infinite \(text_projection\)"):
        ClipEmbedding(clip, CPU).open()
    with pytest.raises(UserError, match=r"weights in .*model\.safetensors are NaN or infinite \(layernorm\.weight\)"):
        VitEmbedding(vit, CPU).open()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("w.txt", b"hello", "is no safetensors file, or is cut off or damaged .*Fetch or copy"),
        ("w.safetensors", b"", "is no safetensors file"),
        ("w.pt", b"\x80\x02}q\x00.", "is a pickle"),
        (
            "w.safetensors",
            b"version https://git-lfs.github.com/spec/v1\noid sha256:abc",
            "pointer .*Run `git lfs pull`",
        ),
    ],
)
def test_what_is_no_weights_file_is_called_what_it_is(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=f"{name} {words}|{name} is the {words}"):
        ClipEmbedding(ClipModel(weights=tmp_path / name), CPU)


def test_an_empty_weights_file_and_one_of_another_name_are_refused(tmp_path: Path) -> None:
    import torch
    from safetensors.torch import save_file

    save_file({}, tmp_path / "none.safetensors")
    with pytest.raises(UserError, match=r"none\.safetensors holds no weights at all"):
        ClipEmbedding(ClipModel(weights=tmp_path / "none.safetensors"), CPU)
    save_file({"a": torch.ones(1)}, tmp_path / "clip.weights")
    with pytest.raises(UserError, match=r"its name does not say so\. Let it end in '\.safetensors'"):
        ClipEmbedding(ClipModel(weights=tmp_path / "clip.weights"), CPU)


def test_the_conversion_of_a_renamed_pickle_writes_another_file() -> None:
    assert conversion(Path("clip.safetensors")).count("'clip.safetensors'") == 1
    assert "'clip_converted.safetensors'" in conversion(Path("clip.safetensors"))
