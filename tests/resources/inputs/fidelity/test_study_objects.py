"""Objects to judge come with their images, verified, or with the cause that keeps them out."""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Barrier, BrokenBarrierError, Lock

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from PIL import Image
from upath import UPath

from resources.errors import UserError
from resources.inputs.fidelity import study_objects
from resources.inputs.fidelity.human_scores import read_human_scores
from resources.inputs.fidelity.study_objects import COLUMNS, ImageFolders, find_study_objects
from resources.inputs.fidelity.study_objects import SELECTED_COLUMNS as SELECTED
from resources.tables.fidelity.scores import STUDY_OBJECTS
from tests.resources.inputs.made_files import SCORE_HEADER, glb, picture, study, written

A, B = "0000000a", "0000000b"


def scored(folder: Path, *names: str) -> pd.DataFrame:
    written(folder / "subjective.csv", SCORE_HEADER, *[f"{name},0.5" for name in names])
    return read_human_scores(study(folder)).frame


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One item with one photo and one candidate."""
    picture(tmp_path / "refs" / "100" / "gt_1.png")
    picture(tmp_path / "cand" / "100" / "candidate.png", level=80)
    return tmp_path


def only_row(folder: Path, **changes: object) -> pd.Series:
    frame = find_study_objects(scored(folder, glb("a")), None, study(folder, **changes))
    assert len(frame) == 1
    return frame.iloc[0]


def test_an_object_comes_with_its_images_and_their_hashes(folder: Path) -> None:
    frame = find_study_objects(scored(folder, glb("a")), None, study(folder))
    assert tuple(frame.columns) == COLUMNS
    row = frame.iloc[0]
    photo, candidate = folder / "refs" / "100" / "gt_1.png", folder / "cand" / "100" / "candidate.png"
    assert (row["object"], row["judged_object"], row["n_references"]) == (A, A, 1)
    assert (row["candidate_path"], row["reference_paths"]) == (str(candidate), [str(photo)])
    assert row["candidate_sha256"] == hashlib.sha256(candidate.read_bytes()).hexdigest()
    assert row["reference_sha256"] == [hashlib.sha256(photo.read_bytes()).hexdigest()]
    assert pd.isna(row["excluded"])
    assert pd.isna(row["exclusion_detail"])
    STUDY_OBJECTS.validated(frame)


def test_several_objects_of_an_item_have_renders_named_by_hash(folder: Path) -> None:
    picture(folder / "cand" / "100" / f"{A}.PNG")
    frame = find_study_objects(scored(folder, glb("b"), glb("a")), None, study(folder))
    assert frame["object"].tolist() == [A, B]
    assert frame["candidate_path"].tolist()[0] == str(folder / "cand" / "100" / f"{A}.PNG")
    assert frame["excluded"].tolist()[1] == "ambiguous_candidate"
    assert "2 objects to judge" in frame["exclusion_detail"].tolist()[1]
    assert f"{B}.png" in frame["exclusion_detail"].tolist()[1]


def test_names_match_in_any_letter_case_and_photos_stand_in_natural_order(tmp_path: Path) -> None:
    for name in ("GT_10.JPG", "gt_2.jpeg", "gt_1.PNG", "gt_11.webp", "notes.txt", "other_1.png"):
        picture(tmp_path / "refs" / "100_Tall" / name) if not name.endswith("txt") else None
    (tmp_path / "refs" / "100_Tall" / "gt_3.txt").write_text("no picture")
    picture(tmp_path / "cand" / "100_TALL" / "CANDIDATE.jpg")
    frame = find_study_objects(scored(tmp_path, glb("a", "100_tall")), None, study(tmp_path))
    names = [Path(path).name for path in frame.loc[0, "reference_paths"]]
    assert names == ["gt_1.PNG", "gt_2.jpeg", "GT_10.JPG", "gt_11.webp"]
    assert pd.isna(frame.loc[0, "excluded"])


def test_one_root_may_hold_photos_and_candidates(folder: Path) -> None:
    picture(folder / "refs" / "100" / f"{A}.png")
    assert pd.isna(only_row(folder, candidates=folder / "refs")["excluded"])


def test_of_more_than_five_photos_the_first_five_are_used_and_said(folder: Path) -> None:
    for number in range(2, 8):
        picture(folder / "refs" / "100" / f"gt_{number}.png")
    row = only_row(folder)
    assert row["n_references"] == 5
    assert pd.isna(row["excluded"])
    assert "7 photos" in row["exclusion_detail"]
    assert "gt_5.png." in row["exclusion_detail"]


def rewrite(name: str, content: bytes) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(content) and None


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def half(name: str) -> Callable[[Path], None]:
    def cut(folder: Path) -> None:
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[: len(data) // 2])

    return cut


def hidden(name: str) -> Callable[[Path], None]:
    """Colours that no one sees: alpha is 0 everywhere."""
    return lambda folder: Image.new("RGBA", (24, 24), (90, 90, 90, 0)).save(folder / name)


PHOTO, CANDIDATE = "refs/100/gt_1.png", "cand/100/candidate.png"
BROKEN = {
    "no_photo": (remove(PHOTO), "no_photos", "refs/100", "Put 1 to 5 there"),
    "no_candidate": (remove(CANDIDATE), "no_candidate", f"neither {A}.png nor candidate.png", "Put the render there"),
    "truncated_photo": (half(PHOTO), "unreadable_photo", PHOTO, "Export or copy it again"),
    "truncated_candidate": (half(CANDIDATE), "unreadable_candidate", CANDIDATE, "Export or copy it again"),
    "empty_photo": (rewrite(PHOTO, b""), "unreadable_photo", "empty (0 bytes)", "Export or copy"),
    "no_image": (rewrite(CANDIDATE, b"hello"), "unreadable_candidate", "no image", "Use one of"),
    "transparent_photo": (hidden(PHOTO), "nothing_visible", PHOTO, "Export it again with the object in view"),
    "transparent_candidate": (hidden(CANDIDATE), "nothing_visible", CANDIDATE, "all transparent or all black"),
    "black_photo": (
        lambda folder: picture(folder / PHOTO, level=0) and None,
        "nothing_visible",
        PHOTO,
        "Export it again",
    ),
    "black_candidate": (
        lambda folder: picture(folder / CANDIDATE, level=8) and None,
        "nothing_visible",
        CANDIDATE,
        "Export it again",
    ),
    "one_pixel": (lambda folder: picture(folder / PHOTO, 1) and None, "too_small", "1 x 1 px", "Export it larger"),
}


@pytest.mark.parametrize(("damage", "cause", "problem", "remedy"), BROKEN.values(), ids=BROKEN.keys())
def test_an_object_that_cannot_be_judged_says_why(
    folder: Path, damage: Callable[[Path], None], cause: str, problem: str, remedy: str
) -> None:
    damage(folder)
    row = only_row(folder)
    assert row["excluded"] == cause
    assert problem in row["exclusion_detail"]
    assert remedy in row["exclusion_detail"]
    STUDY_OBJECTS.validated(row.to_frame().T)


@pytest.mark.parametrize("form", ["sixteen_bit", "cmyk", "rotated", "alpha"])
def test_pictures_in_unusual_forms_are_judged(folder: Path, form: str) -> None:
    photo = folder / "refs" / "100" / "gt_1.png"
    plain = Image.open(photo)
    exif = Image.Exif()
    exif[0x0112] = 6
    photo.unlink()
    if form == "sixteen_bit":
        Image.new("I;16", (24, 24), 30000).save(photo)
    elif form == "cmyk":
        plain.convert("CMYK").save(photo.with_suffix(".jpg"))
    elif form == "rotated":
        plain.save(photo.with_suffix(".jpg"), exif=exif)
    else:
        plain.convert("RGBA").save(photo)
    assert pd.isna(only_row(folder)["excluded"])


@pytest.mark.parametrize("root", ["refs", "cand"])
def test_folders_that_differ_only_in_letter_case_are_named(tmp_path: Path, root: str) -> None:
    for name in ("refs/100_TALL/gt_1.png", "cand/100_TALL/candidate.png"):
        picture(tmp_path / name)
    (tmp_path / root / "100_Tall").mkdir()
    scores = scored(tmp_path, glb("a", "100_tall"))
    row = find_study_objects(scores, None, study(tmp_path)).iloc[0]
    assert row["excluded"] == {"refs": "no_photos", "cand": "no_candidate"}[root]
    assert row["exclusion_detail"] == (
        f"{tmp_path / root}: folders 100_TALL, 100_Tall differ only in letter case. Keep one, named 100_tall."
    )
    # The exact name is never in doubt.
    picture(tmp_path / root / "100_tall" / {"refs": "gt_1.png", "cand": "candidate.png"}[root])
    assert pd.isna(find_study_objects(scores, None, study(tmp_path)).iloc[0]["excluded"])


def selection(*pairs: tuple[str, str]) -> pd.DataFrame:
    rows = [(row, *pair, "scored.glb", "judged.glb") for row, pair in enumerate(pairs, start=2)]
    return pd.DataFrame(rows, columns=list(SELECTED))


def test_a_render_of_another_object_is_looked_for_under_its_own_hash(folder: Path) -> None:
    picture(folder / "cand" / "100" / f"{B}.png")
    scores = scored(folder, glb("a"))
    row = find_study_objects(scores, selection((A, B)), study(folder)).iloc[0]
    assert (row["object"], row["judged_object"], Path(row["candidate_path"]).name) == (A, B, f"{B}.png")
    assert pd.isna(row["excluded"])


def test_mismatched_objects_are_left_out_when_the_study_says_so(folder: Path) -> None:
    scores = scored(folder, glb("a"), glb("c"))
    chosen = selection((A, B), ("0000000c", "0000000c"))
    frame = find_study_objects(scores, chosen, study(folder, mismatched_objects="exclude"))
    assert frame["excluded"].isna().tolist() == [False, True]
    assert frame["excluded"].tolist()[0] == "mismatched_object"
    assert "scored object 0000000a and the render shows 0000000b" in frame["exclusion_detail"].tolist()[0]
    # The item has one object left, so that candidate.png is unambiguous.
    assert Path(frame["candidate_path"].tolist()[1]).name == "candidate.png"


def test_a_selected_object_that_nobody_scored_is_an_error(folder: Path) -> None:
    with pytest.raises(UserError) as caught:
        find_study_objects(
            scored(folder, glb("a")),
            selection((A, A), ("0000000d", "0000000d")),
            study(folder, selected_objects=folder / "selected.csv"),
        )
    assert "selected.csv: rows 3 name objects without a score: 0000000d" in str(caught.value)
    assert "subjective.csv" in str(caught.value)


@pytest.mark.parametrize("root", ["references", "candidates"])
def test_a_missing_image_folder_is_an_error_that_names_the_setting(folder: Path, root: str) -> None:
    with pytest.raises(UserError, match=f"no such folder. Correct `{root}`"):
        only_row(folder, **{root: folder / "gone"})


def test_image_folders_may_be_an_fsspec_address() -> None:
    root = UPath("memory://study/refs")
    (root / "Item").mkdir(parents=True, exist_ok=True)
    for name in ("gt_2.png", "gt_1.PNG"):
        (root / "Item" / name).write_bytes(b"x")
    photos = ImageFolders.at(root, "references").photos_of("item")
    assert [photo.name for photo in photos] == ["gt_1.PNG", "gt_2.png"]


@pytest.mark.parametrize(("most_pixels", "most_pictures"), [(2 * 64 * 64, 2), (study_objects.MOST_PIXELS_AT_ONCE, 4)])
def test_large_pictures_are_decoded_two_at_once_and_small_ones_as_threads_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_pixels: int, most_pictures: int
) -> None:
    now, seen, lock, all_four = 0, [], Lock(), Barrier(4)

    def decode(data: bytes, path: object) -> NDArray[np.uint8]:
        nonlocal now
        with lock:
            now += 1
            seen.append(now)
        with suppress(BrokenBarrierError):
            all_four.wait(0.05)
        with lock:
            now -= 1
        return np.full((64, 64, 4), 255, dtype=np.uint8)

    monkeypatch.setattr(study_objects, "MOST_PIXELS_AT_ONCE", most_pixels, raising=False)
    monkeypatch.setattr(study_objects, "decode_image", decode)
    for place in range(4):
        Image.new("RGB", (64, 64)).save(tmp_path / f"{place}.png")
    study_objects._checked(UPath(tmp_path / f"{place}.png") for place in range(4))
    assert max(seen) == most_pictures
