"""The golden set's files: names that no item id can bend, whole files, kept while recipe and render are the same."""

import hashlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from upath import UPath

from resources.configuration.fidelity import GoldenSet
from resources.photos import golden_set
from resources.photos.golden_set import (
    MADE,
    GoldenImage,
    Original,
    alterations_of,
    folder_name,
    png_of,
    write_golden_item,
)
from resources.photos.images import UnreadableImage, load_image
from resources.runtime import partial_files
from tests.stored_tables import files

ALTERATIONS = alterations_of(
    GoldenSet(hue_degrees=(20,), saturation=(), brightness=(0.6,), blur_px=(), texture_scale=(), logo_share=(0.1,))
)
HOSTILE = [
    "../../etc",
    "a/b",
    "a\\b",
    "..",
    ".",
    "",
    "🪑",
    "x" * 200,
    "<script>",
    "q\"uo'te",
    "con:1",
    " lamp",
    "a\nb",
    "-",
]


def render(path: Path, seed: int = 0, side_px: int = 96) -> Original:
    """A square of noise on nothing, written as PNG."""
    picture = np.zeros((side_px, side_px, 4), np.uint8)
    picture[8:-8, 8:-8, :3] = np.random.default_rng(seed).integers(60, 220, (side_px - 16, side_px - 16, 3))
    picture[8:-8, 8:-8, 3] = 255
    path.write_bytes(png_of(picture))
    return Original(str(path))


def written(folder: UPath, tmp_path: Path, item: str = "lamp", seed: int = 0) -> list[GoldenImage]:
    original, other = render(tmp_path / "render.png", seed), render(tmp_path / "other.png", 99)
    return write_golden_item(folder, item, original, other, ALTERATIONS)


def test_every_alteration_has_its_file_below_the_item_and_its_hash(tables_base: UPath, tmp_path: Path) -> None:
    images = written(tables_base, tmp_path)
    assert [image.alteration for image in images] == [one.name for one in ALTERATIONS]
    assert set(files(tables_base)) == {f"lamp/lamp_{one.name}.png" for one in ALTERATIONS} | {f"lamp/{MADE}"}
    for image in images:
        assert image.path is not None
        assert hashlib.sha256(UPath(image.path).read_bytes()).hexdigest() == image.sha256
        assert not image.kept
        assert image.skipped is None


def test_a_file_holds_the_altered_picture_to_the_bit(tmp_path: Path) -> None:
    images = {image.alteration: image for image in written(UPath(tmp_path / "set"), tmp_path)}
    original = Original(str(tmp_path / "render.png"))
    for one in ALTERATIONS:
        if one.alter is not None:
            path = images[one.name].path
            assert path is not None
            np.testing.assert_array_equal(load_image(path), one.alter(original.picture, original.mask))


def test_the_untouched_copy_is_the_render_byte_for_byte_and_the_other_item_the_others(tmp_path: Path) -> None:
    images = {image.alteration: image for image in written(UPath(tmp_path / "set"), tmp_path)}
    assert images["untouched"].sha256 == Original(str(tmp_path / "render.png")).sha256
    assert images["untouched"].changed_share == 0
    assert images["other_item"].sha256 == Original(str(tmp_path / "other.png")).sha256
    assert images["other_item"].changed_share is None


def test_a_copy_keeps_the_renders_own_format(tmp_path: Path) -> None:
    picture = np.full((64, 64, 3), 90, np.uint8)
    assert cv2.imwrite(str(tmp_path / "render.JPG"), picture)
    original = Original(str(tmp_path / "render.JPG"))
    images = write_golden_item(UPath(tmp_path / "set"), "lamp", original, original, ALTERATIONS)
    named = {image.alteration: Path(image.path).name for image in images if image.path}
    assert named["untouched"] == "lamp_untouched.jpg"
    assert named["stripes7_o70"] == "lamp_stripes7_o70.png"


def test_files_of_the_same_recipe_and_render_are_kept_and_not_written_again(tables_base: UPath, tmp_path: Path) -> None:
    first = written(tables_base, tmp_path)
    again = written(tables_base, tmp_path)
    assert all(image.kept for image in again)
    assert [(one.path, one.sha256, one.changed_share) for one in again] == [
        (one.path, one.sha256, one.changed_share) for one in first
    ]


def test_another_render_makes_all_of_its_files_anew(tmp_path: Path) -> None:
    written(UPath(tmp_path / "set"), tmp_path)
    assert not any(image.kept for image in written(UPath(tmp_path / "set"), tmp_path, seed=1))


def test_another_recipe_makes_its_file_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(UPath(tmp_path / "set"), tmp_path)
    overlay = alterations_of(GoldenSet.model_validate({"stripes": {"blend": "overlay"}, "blur_px": ()}))[:1]
    original = Original(str(tmp_path / "render.png"))
    [image] = write_golden_item(UPath(tmp_path / "set"), "lamp", original, original, overlay)
    assert image.alteration == "stripes7_o30"
    assert not image.kept
    monkeypatch.setattr(golden_set, "RECIPES_VERSION", "of another day")
    assert not any(image.kept for image in written(UPath(tmp_path / "set"), tmp_path))


@pytest.mark.parametrize("spoil", [lambda path: path.unlink(), lambda path: path.write_bytes(b"half")])
def test_a_file_that_is_gone_or_was_changed_is_made_again(tmp_path: Path, spoil: object) -> None:
    first = written(UPath(tmp_path / "set"), tmp_path)
    spoil(Path(str(first[2].path)))  # type: ignore[operator]
    again = written(UPath(tmp_path / "set"), tmp_path)
    assert [image.alteration for image in again if not image.kept] == [first[2].alteration]
    assert hashlib.sha256(Path(str(first[2].path)).read_bytes()).hexdigest() == first[2].sha256


@pytest.mark.parametrize("record", ["", "{", "[]", '{"lamp_hue_20.png": {"recipe": 1}}', '{"a": 3}'])
def test_a_record_that_cannot_be_read_costs_time_and_nothing_else(tmp_path: Path, record: str) -> None:
    first = written(UPath(tmp_path / "set"), tmp_path)
    (tmp_path / "set" / "lamp" / MADE).write_text(record)
    assert [image.sha256 for image in written(UPath(tmp_path / "set"), tmp_path)] == [one.sha256 for one in first]


def test_a_write_that_fails_leaves_the_earlier_file_and_no_half_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = written(UPath(tmp_path / "set"), tmp_path)

    def full(*_: object) -> None:
        raise OSError("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(partial_files, "move", full)
        with pytest.raises(OSError, match="no space"):
            written(UPath(tmp_path / "set"), tmp_path, seed=1)
    names = {path.name for path in (tmp_path / "set" / "lamp").iterdir()}
    assert names == {Path(str(one.path)).name for one in first} | {MADE}
    assert hashlib.sha256(Path(str(first[0].path)).read_bytes()).hexdigest() == first[0].sha256


def test_a_render_that_cannot_be_read_or_shows_nothing_is_skipped_with_the_reason(tmp_path: Path) -> None:
    for name, data in (("broken", b"no picture"), ("black", png_of(np.zeros((64, 64, 4), np.uint8)))):
        (tmp_path / f"{name}.png").write_bytes(data)
        original = Original(str(tmp_path / f"{name}.png"))
        images = write_golden_item(UPath(tmp_path / "set"), name, original, original, ALTERATIONS)
        assert all(image.path is None and str(tmp_path / f"{name}.png") in str(image.skipped) for image in images)
        images = write_golden_item(UPath(tmp_path / "set"), name, original, render(tmp_path / "o.png"), ALTERATIONS)
        assert all(image.path is None for image in images)
    with pytest.raises(UnreadableImage, match="there is no such file"):
        Original(str(tmp_path / "none.png"))


def test_where_there_is_no_other_item_only_that_sentinel_is_skipped(tmp_path: Path) -> None:
    missing = UnreadableImage("lamp", "the study has no other product.", "Judge a second one.")
    images = write_golden_item(UPath(tmp_path / "set"), "lamp", render(tmp_path / "r.png"), missing, ALTERATIONS)
    assert [image.alteration for image in images if image.skipped] == ["other_item"]
    assert "no other product" in str(images[-1].skipped)


def test_an_object_too_small_for_an_alteration_is_skipped_for_that_one(tmp_path: Path) -> None:
    picture = np.zeros((64, 64, 4), np.uint8)
    picture[30:38, 30:38] = (200, 90, 30, 255)
    (tmp_path / "small.png").write_bytes(png_of(picture))
    original = Original(str(tmp_path / "small.png"))
    images = write_golden_item(UPath(tmp_path / "set"), "small", original, render(tmp_path / "o.png"), ALTERATIONS)
    skipped = {image.alteration: image.skipped for image in images if image.skipped}
    assert set(skipped) == {"stripes7_o30", "stripes7_o50", "stripes7_o70", "stripes7_shaded_o70", "logo_10"}
    assert "stripes would be under 2 px" in str(skipped["stripes7_o30"])


@pytest.mark.parametrize(
    ("colour", "blind"),
    [
        ((128, 128, 128), {"hue_20", "saturation_50", "blur_2"}),
        ((0, 0, 0), {"hue_20", "saturation_50", "blur_2", "brightness_60", "texture_150", "stripes7_o30"}),
    ],
)
def test_an_alteration_that_changes_no_pixel_of_an_object_is_skipped(
    tmp_path: Path, colour: tuple[int, int, int], blind: set[str]
) -> None:
    picture = np.zeros((96, 96, 4), np.uint8)
    picture[20:76, 20:76] = (*colour, 255)
    (tmp_path / "plain.png").write_bytes(png_of(picture))
    original, other = Original(str(tmp_path / "plain.png")), render(tmp_path / "o.png")
    factors = {
        "saturation": (0.5,),
        "brightness": (0.6,),
        "texture_scale": (1.5,),
        "blur_px": (2,),
        "hue_degrees": (20,),
    }
    golden = GoldenSet.model_validate(factors | {"logo_share": ()})
    for _ in range(2):  # a second run keeps none of them either
        images = write_golden_item(UPath(tmp_path / "set"), "plain", original, other, alterations_of(golden))
        skipped = {image.alteration: image.skipped for image in images if image.skipped}
        assert blind <= set(skipped)
        assert set(skipped.values()) == {"changes no pixel of this object"}
        # Copies are meant to be equal.
        assert {"untouched", "reencoded", "other_item"} <= {image.alteration for image in images if image.path}


@pytest.mark.parametrize("item", HOSTILE)
def test_a_hostile_item_id_stays_below_the_folder(tmp_path: Path, item: str) -> None:
    images = written(UPath(tmp_path / "deep" / "set"), tmp_path, item)
    for image in images:
        path = Path(str(image.path)).resolve()
        assert path.parent.parent == (tmp_path / "deep" / "set").resolve()
        assert path.exists()


@given(st.lists(st.text(), min_size=1, max_size=20, unique=True))
def test_names_of_folders_are_plain_short_and_different(items: list[str]) -> None:
    names = [folder_name(item) for item in items]
    assert len(set(names)) == len(items)
    for name in names:
        assert name.isascii()
        assert 1 <= len(name) <= 80
        assert ".." not in name
        assert not set(name) & set('/\\:*?"<>| \n\0')
        assert not name.startswith((".", "-"))


def test_an_ordinary_id_is_its_own_folder() -> None:
    assert folder_name("416671_natural-oak") == "416671_natural-oak"


def test_a_picture_without_transparency_is_stored_without_alpha_and_comes_back_the_same(tmp_path: Path) -> None:
    picture = np.random.default_rng(0).integers(0, 256, (40, 50, 4), dtype=np.uint8)
    for name, alpha in (("opaque", 255), ("clear", 100)):
        picture[..., 3] = alpha
        (tmp_path / f"{name}.png").write_bytes(png_of(picture))
        stored = cv2.imread(str(tmp_path / f"{name}.png"), cv2.IMREAD_UNCHANGED)
        assert stored is not None
        assert stored.shape[2] == (3 if name == "opaque" else 4)
        np.testing.assert_array_equal(load_image(tmp_path / f"{name}.png"), picture)
