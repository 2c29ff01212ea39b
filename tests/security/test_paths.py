"""Names that come from inputs lead nowhere but into the folders that the configuration declares."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from upath import UPath

from pipeline.command_line.evaluate_output import refuse_twice
from resources.errors import UserError
from resources.inputs.fidelity.study_objects import ImageFolders
from resources.inputs.pairwise.photo_places import PhotoPlaces

HOSTILE_ITEMS = ("..", ".", "../outside", "../../etc", "/etc", "..\\outside", "a/../../outside", "\x00", "....//")


def picture(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    assert cv2.imwrite(str(path), np.full((32, 32, 3), 128, np.uint8))
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An image folder with one item, and pictures around it that are none of its business."""
    picture(tmp_path / "candidate.png")
    picture(tmp_path / "gt_1.png")
    picture(tmp_path / "outside" / "candidate.png")
    picture(tmp_path / "root" / "100" / "candidate.png")
    picture(tmp_path / "root" / "candidate.png")
    return tmp_path / "root"


@pytest.mark.parametrize("item", HOSTILE_ITEMS)
def test_an_items_name_leads_to_no_picture_outside_its_root(root: Path, item: str) -> None:
    folders = ImageFolders.at(root, "candidates")
    assert folders.image_of(item, "candidate") is None
    assert folders.photos_of(item) == []
    assert str(folders.folder_of(item).parent) == str(root)


@pytest.mark.parametrize("stem", ["../candidate", "../../candidate", "/candidate", "..", "."])
def test_an_objects_name_leads_to_no_picture_outside_its_items_folder(root: Path, stem: str) -> None:
    assert ImageFolders.at(root, "candidates").image_of("100", stem) is None


def test_a_linked_picture_that_lies_outside_the_root_is_refused_with_the_remedy(root: Path) -> None:
    (root / "100" / "abcdef01.png").symlink_to(root.parent / "outside" / "candidate.png")
    with pytest.raises(UserError, match=r"abcdef01\.png: this is a link that leads out of `candidates` .*Put the file"):
        ImageFolders.at(root, "candidates").image_of("100", "abcdef01")


def test_a_link_that_leads_round_in_a_circle_leads_nowhere_and_fails_nothing(root: Path) -> None:
    (root / "100" / "abcdef01.png").symlink_to("abcdef01.png")
    assert ImageFolders.at(root, "candidates").image_of("100", "abcdef01") is not None  # reading it says what it is
    refuse_twice(root / "100" / "abcdef01.png", None, root / "other.json")


def test_a_linked_folder_that_lies_outside_the_root_is_refused(root: Path) -> None:
    (root / "200").symlink_to(root.parent / "outside", target_is_directory=True)
    with pytest.raises(UserError, match="leads out of `references`"):
        ImageFolders.at(root, "references").photos_of("200")


def test_links_inside_the_root_and_a_root_that_is_a_link_are_followed(root: Path) -> None:
    (root / "100" / "abcdef01.png").symlink_to(root / "100" / "candidate.png")
    linked = root.parent / "linked"
    linked.symlink_to(root, target_is_directory=True)
    for place in (root, linked):
        assert ImageFolders.at(place, "candidates").image_of("100", "abcdef01") is not None


def test_addresses_that_know_no_links_are_read() -> None:
    folder = UPath("memory://confined/100")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "candidate.png").write_bytes(b"any")
    folders = ImageFolders.at(UPath("memory://confined"), "candidates")
    assert folders.image_of("100", "candidate") is not None
    assert folders.image_of("..", "candidate") is None


def test_a_linked_photo_of_a_series_that_lies_outside_the_root_is_refused(root: Path) -> None:
    (root / "000001-01.JPG").symlink_to(root.parent / "outside" / "candidate.png")
    with pytest.raises(UserError, match=r"000001-01\.JPG: this is a link that leads out of `image_root`"):
        PhotoPlaces.at(root)


def test_a_photos_name_is_looked_up_and_never_followed(root: Path) -> None:
    places = PhotoPlaces.at(root)
    for name in ("../candidate", "../outside/candidate", "/etc/passwd"):
        assert not places.place_of(name)[1]
