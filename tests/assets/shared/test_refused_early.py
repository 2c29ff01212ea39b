"""What would fail late is refused before a photo is looked at: a device, a user's file, the folder of the results."""

from pathlib import Path

import dagster as dg
import pandas as pd
import pytest
from upath import UPath

from assets.pairwise.image_features import image_features, refuse_what_would_fail_later, unreadable_gate
from assets.shared.partitions import METHODS, methods_of_tags
from pipeline.automation import partitions_between
from resources.errors import UserError
from resources.gpu import GpuResource
from resources.runtime.home import Home
from resources.runtime.progress import LoggedProgress
from resources.study import Study
from tests.assets.pairwise.made_photo_pairs import photo_pairs_of, plan
from tests.resources.photos.features.made_photos import study_of, write_photos, write_vit


def test_an_absent_device_is_refused_before_a_photo_is_looked_at(tmp_path: Path) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a CUDA device")
    pairs = photo_pairs_of([(1, 0, 1, 4, 1)], absent_images=[[]])
    paths = list(write_photos(tmp_path / "photos", 2).values())
    pairs = pairs.assign(path_1=paths[0], path_2=paths[1])
    section = study_of(tmp_path, vit_model=write_vit(tmp_path / "vit"), clip_attributes=[], dl_methods=["vit_base"])
    study = Study("small", None, Home(UPath(tmp_path / "home"), tmp_path / "home"), pairwise_section=section)

    @dg.asset
    def photo_pairs() -> pd.DataFrame:
        return pairs

    with pytest.raises(UserError, match="device: 'cuda' was asked for"):
        dg.materialize(
            [photo_pairs, image_features],
            resources={"study": study, "progress": LoggedProgress(), "gpu": GpuResource(device="cuda")},
        )
    assert not (tmp_path / "home" / "tables" / "pairwise" / "image_features").exists()


def test_a_users_file_without_a_method_is_refused_where_its_method_is_run(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("x = 1\n")
    study = plan(own_methods={"mine": tmp_path / "mine.py"})
    with pytest.raises(UserError, match=r"own_methods\.mine: .* defines no `method`.* give `--method NAME` for each"):
        refuse_what_would_fail_later(study, ["sharpness_only", "mine"])
    refuse_what_would_fail_later(study, ["sharpness_only"])


def test_the_methods_of_a_run_are_those_between_its_tags() -> None:
    keys = METHODS.get_partition_keys()
    assert methods_of_tags(partitions_between(keys[1], keys[3])) == list(keys[1:4])
    assert methods_of_tags({"dagster/partition": keys[0]}) == [keys[0]]
    assert methods_of_tags({}) == methods_of_tags({"dagster/partition": "t0.2_p1.0"}) == []


def test_a_folder_that_results_cannot_go_to_is_named_with_its_key(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    words = r"cannot be written to .*file/results \(`output_dir`\): .*file is no folder"
    with pytest.raises(UserError, match=words):
        refuse_what_would_fail_later(plan(output_dir=tmp_path / "file" / "results"), [])
    refuse_what_would_fail_later(plan(output_dir=tmp_path / "new" / "results"), [])
    assert not (tmp_path / "new").exists()


def test_where_no_photo_can_be_read_no_limit_lets_it_pass() -> None:
    features = pd.DataFrame({"unreadable": ["a.JPG: empty.", "b.JPG: cut off.", None]})
    assert unreadable_gate(features, 1.0).passed
    gate = unreadable_gate(features.head(2), 1.0)
    assert not gate.passed
    assert gate.sentence == (
        "None of the 2 photos of judged pairs can be read; needed: at least 1. a.JPG: empty. b.JPG: cut off. Replace "
        "these files."
    )
