"""Configurations of study B in files of their own: the older benchmark's YAML, or a section of touchstone.yaml."""

from pathlib import Path

import pytest

from resources.configuration.older_benchmark import read_pairwise
from resources.configuration.pairwise import ATTRIBUTES, ClipModel
from resources.errors import UserError

OLDER = """\
pairs_csv: data/pairs.csv
image_root: /data/photos
dataset_name: phototriage
min_agreement: 0.8
min_reviewers: 3
orders: as_listed
sample_size:
clip_model: ViT-B/32
clip_attributes:
  sharpness: {positive: a sharp photograph, negative: a blurry photograph}
  calm: {positive: a calm photograph, negative: a busy photograph}
rule_based_methods: [sharpness_only, composite_balanced]
dl_methods: [vit_base]
use_bradley_terry: false
output_dir: results
save_per_pair_results: false
save_confusion_matrices: true
save_ranking_csvs: true
max_missing_share: 1
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "old.yaml"
    path.write_text(text)
    return path


def test_every_key_of_the_older_benchmark_is_understood(tmp_path: Path) -> None:
    study = read_pairwise(written(tmp_path, OLDER))
    assert study.pairs_csv == tmp_path / "data" / "pairs.csv"
    assert study.image_root == Path("/data/photos")
    assert (study.min_agreement, study.min_reviewers, study.orders, study.max_missing_share) == (0.8, 3, "as_listed", 1)
    assert (study.sample_size, study.seed) == (None, 42)
    assert study.output_dir == tmp_path / "results"
    assert (study.use_bradley_terry, study.save_per_pair_results, study.save_ranking_csvs) == (False, False, True)
    assert study.methods == ("clip_sharpness", "clip_calm", "sharpness_only", "composite_balanced", "vit_base")
    assert study.clip_attributes[1].negative == "a busy photograph"


@pytest.mark.parametrize(
    ("name", "architecture"),
    [
        ("openai/clip-vit-base-patch32", "ViT-B-32-quickgelu"),
        ("openai/clip-vit-base-patch16", "ViT-B-16-quickgelu"),
        ("openai/clip-vit-large-patch14", "ViT-L-14-quickgelu"),
        ("openai/clip-vit-large-patch14-336", "ViT-L-14-336-quickgelu"),
        ("clip-vit-base-patch32", "ViT-B-32-quickgelu"),
        ("openai/ViT-B-32", "ViT-B-32-quickgelu"),
    ],
)
def test_a_clip_model_as_the_hub_spells_it_is_understood(tmp_path: Path, name: str, architecture: str) -> None:
    study = read_pairwise(written(tmp_path, f'pairs_csv: p.csv\nimage_root: i\nclip_model: "{name}"\n'))
    assert study.clip_model == ClipModel(architecture=architecture, tag="openai")


@pytest.mark.parametrize("name", ["ViT-B/32", "ViT-B-32", "ViT-B-32-quickgelu"])
def test_a_clip_model_by_its_name_is_openais_with_quickgelu(tmp_path: Path, name: str) -> None:
    study = read_pairwise(written(tmp_path, f"pairs_csv: p.csv\nimage_root: i\nclip_model: {name}\n"))
    assert study.clip_model == ClipModel(architecture="ViT-B-32-quickgelu", tag="openai")
    assert study.clip_attributes == ATTRIBUTES


def test_attributes_as_a_list_and_a_section_of_touchstone_yaml_are_taken_as_they_are(tmp_path: Path) -> None:
    flat = "pairs_csv: p.csv\nimage_root: i\nclip_attributes: [{name: calm, positive: calm, negative: busy}]\n"
    section = "study: mine\npairwise:\n" + "".join(f"  {line}\n" for line in flat.splitlines())
    first = read_pairwise(written(tmp_path, flat))
    assert first == read_pairwise(written(tmp_path, section))
    assert [one.name for one in first.clip_attributes] == ["calm"]


def test_all_faults_are_told_in_the_files_own_words(tmp_path: Path) -> None:
    path = written(tmp_path, "pairs_csv: p.csv\nmin_agrement: 0.7\nmin_reviewers: 0\n")
    with pytest.raises(UserError) as raised:
        read_pairwise(path)
    said = str(raised.value).splitlines()
    assert said[0] == f"{path} has faults:"
    assert "  image_root: must be given." in said
    assert "  min_agrement: no such key (did you mean 'min_agreement'?)." in said
    assert any(line.startswith("  min_reviewers: ") and "found 0" in line for line in said)


def test_a_fault_of_the_whole_file_names_no_section_that_it_has_not(tmp_path: Path) -> None:
    path = written(tmp_path, "pairs_csv: p.csv\nimage_root: i\ncolumns: {LEFT: x, RIGHT: x}\n")
    with pytest.raises(UserError, match="same column of the file twice") as raised:
        read_pairwise(path)
    assert "pairwise" not in str(raised.value).removeprefix(str(path))


@pytest.mark.parametrize("device", ["gpu", "cuda:", "CUDA", "cuda:x"])
def test_a_device_that_no_device_is_called_is_refused_with_the_file(tmp_path: Path, device: str) -> None:
    path = written(tmp_path, f"pairs_csv: p.csv\nimage_root: i\ndevice: '{device}'\n")
    with pytest.raises(UserError, match=r"(?m)^  device: no device is called so; write auto, cpu, cuda, cuda:N or mps"):
        read_pairwise(path)


def test_an_empty_section_says_what_it_must_name(tmp_path: Path) -> None:
    path = written(tmp_path, "study: mine\nevaluation: {}\npairwise:\n")
    with pytest.raises(UserError, match="empty section `pairwise`: it must name pairs_csv and image_root"):
        read_pairwise(path)
