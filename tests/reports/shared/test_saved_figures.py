"""Figures are saved as PNG or SVG, whole or not at all."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from reports.evaluation.plots.scatter import HEIGHT_PX, scatter
from reports.shared.drawing import WIDTH_PX
from reports.shared.figure import PictureFormatError, picture_of, png, save_figure
from resources.errors import UserError

X = np.linspace(0, 1, 50)


SPEC = scatter(X, X**2, title="t", x_label="prediction", y_label="truth", note="SRCC 1.000").specification()


def test_a_png_has_two_dots_to_the_pixel_in_folders_made_for_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "scatter.PNG"
    save_figure(SPEC, path)
    with Image.open(path) as picture:
        picture.load()
        assert (picture.format, picture.size) == ("PNG", (2 * WIDTH_PX, 2 * HEIGHT_PX))


def test_an_svg_parses_has_the_size_asked_for_and_letters_in_it(tmp_path: Path) -> None:
    save_figure(SPEC, tmp_path / "scatter.svg")
    root = ElementTree.parse(tmp_path / "scatter.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.get("viewBox") == f"0 0 {WIDTH_PX} {HEIGHT_PX}"
    assert "prediction" in [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]


def test_an_svg_of_many_pairs_stays_small(tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=50_000)
    groups = ["a", "b"] * 25_000
    many = scatter(x, x, title="t", x_label="x", y_label="y", groups=groups).specification()
    save_figure(many, tmp_path / "many.svg")
    assert (tmp_path / "many.svg").stat().st_size < 300_000


@pytest.mark.parametrize("name", ["scatter.png", "scatter.svg"])
def test_the_same_figure_gives_the_same_bytes(tmp_path: Path, name: str) -> None:
    save_figure(SPEC, tmp_path / name)
    first = (tmp_path / name).read_bytes()
    save_figure(SPEC, tmp_path / name)
    assert (tmp_path / name).read_bytes() == first


@pytest.mark.parametrize("name", ["scatter.pdf", "scatter", "scatter.png.gz"])
def test_another_suffix_is_the_users_error_and_leaves_nothing(tmp_path: Path, name: str) -> None:
    with pytest.raises(PictureFormatError, match=r"\.png or \.svg") as caught:
        save_figure(SPEC, tmp_path / "deep" / name)
    assert isinstance(caught.value, UserError)
    assert list(tmp_path.iterdir()) == []


def test_the_refusal_names_the_file_and_a_name_that_works(tmp_path: Path) -> None:
    with pytest.raises(PictureFormatError) as caught:
        save_figure(SPEC, tmp_path / "scatter.pdf")
    assert str(caught.value) == (
        "scatter.pdf: pictures are written as .png or .svg, not as '.pdf'. Name it scatter.png or scatter.svg."
    )


def test_a_figure_that_cannot_be_drawn_leaves_the_old_picture_and_no_part_of_a_new_one(tmp_path: Path) -> None:
    path = tmp_path / "scatter.png"
    path.write_bytes(b"the old one")
    with pytest.raises(ValueError, match="Vega-Lite"):
        save_figure({"mark": "no such mark"}, path)
    assert path.read_bytes() == b"the old one"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written_leaves_no_part(tmp_path: Path) -> None:
    path = tmp_path / "scatter.png"
    path.mkdir()
    with pytest.raises(OSError, match=r"scatter\.png"):
        save_figure(SPEC, path)
    assert list(tmp_path.iterdir()) == [path]


def test_a_picture_for_the_ui_keeps_its_coarser_grain() -> None:
    width_and_height = png(SPEC)[16:24]
    assert width_and_height == (950).to_bytes(4, "big") + (600).to_bytes(4, "big")


def test_pictures_of_one_page_share_no_name_and_one_of_many_marks_is_a_png() -> None:
    one, other = (picture_of(SPEC, name) for name in ("one", "other"))
    names = [set(re.findall(r' id="([^"]+)"', picture)) for picture in (one, other)]
    assert all(names)
    assert not names[0] & names[1]
    assert set(re.findall(r"url\(#([^)]+)\)", one)) <= names[0]
    x = np.random.default_rng(0).random(5_000)
    many = picture_of(scatter(x, x, title="t", x_label="x", y_label="y").specification(), "many")
    assert many.startswith('<img alt="" src="data:image/png;base64,')


def test_words_of_users_are_words_in_the_picture() -> None:
    evil = "</text><script>window.pwned=1</script>&lt;"
    picture = picture_of(scatter([1, 2], [1, 2], title=evil, x_label=evil, y_label="y").specification(), "evil")
    assert "<script" not in picture
    texts = [text.text for text in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count(evil) == 2
