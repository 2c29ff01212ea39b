"""The images as a judge gets them."""

import base64
import io
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from resources.errors import UserError
from resources.judges.contract import JudgedObject
from resources.judges.openai import image_payload
from resources.judges.openai.image_payload import ImagePayload
from resources.runtime.file_hash import sha256_of_file
from tests.resources.judges.openai.asked import judged_in, write_image


def object_of(candidate: Path, photo: Path) -> JudgedObject:
    hashes = [sha256_of_file(path) or "" for path in (candidate, photo)]
    return JudgedObject("0a1b2c3d", "1", str(candidate), hashes[0], (str(photo),), (hashes[1],))


def pictures(payload: ImagePayload, judged: JudgedObject) -> list[Image.Image]:
    urls = [part["image_url"]["url"] for part in payload.parts(judged) if part["type"] == "image_url"]
    return [Image.open(io.BytesIO(base64.b64decode(url.partition("base64,")[2]))) for url in urls]


@pytest.mark.parametrize(
    ("size", "sent"), [((400, 200), (100, 50)), ((200, 400), (50, 100)), ((60, 30), (60, 30)), ((100, 100), (100, 100))]
)
def test_the_longer_side_is_reduced_and_nothing_is_enlarged(
    size: tuple[int, int], sent: tuple[int, int], tmp_path: Path
) -> None:
    judged = object_of(write_image(tmp_path / "a.png", 1, size), write_image(tmp_path / "b.png", 2))
    assert pictures(ImagePayload(100, "jpeg", "auto"), judged)[1].size == sent


def test_png_keeps_every_pixel_and_transparency_becomes_black(tmp_path: Path) -> None:
    picture = np.zeros((32, 32, 4), np.uint8)
    picture[..., :3] = (10, 120, 250)
    picture[:16, :, 3] = 255
    picture[16:24, :, 3] = 51  # a fifth
    assert cv2.imwrite(str(tmp_path / "a.png"), picture)
    judged = object_of(tmp_path / "a.png", write_image(tmp_path / "b.png", 2))
    sent = np.asarray(pictures(ImagePayload(64, "png", "auto"), judged)[1])
    # OpenCV writes blue first.
    assert (sent[0, 0] == (250, 120, 10)).all()
    assert (sent[20, 0] == (50, 24, 2)).all()
    assert (sent[31, 0] == (0, 0, 0)).all()


def test_detail_is_sent_only_when_it_is_not_the_default(tmp_path: Path) -> None:
    judged = judged_in(tmp_path)
    assert "detail" not in ImagePayload(64, "jpeg", "auto").parts(judged)[1]["image_url"]
    assert ImagePayload(64, "jpeg", "low").parts(judged)[1]["image_url"]["detail"] == "low"


def test_an_image_is_encoded_once_and_only_as_it_was_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged = judged_in(tmp_path)
    payload = ImagePayload(64, "jpeg", "auto")
    first = payload.parts(judged)
    monkeypatch.setattr(image_payload, "read_image_file", lambda _path: pytest.fail("read again"))
    assert payload.parts(judged) == first
    monkeypatch.undo()
    Path(judged.reference_paths[0]).write_bytes(Path(judged.candidate_path).read_bytes())
    with pytest.raises(UserError, match="changed since study_objects was made"):
        ImagePayload(64, "jpeg", "auto").parts(judged)


@pytest.mark.parametrize(("side", "image_format"), [(64, "jpeg"), (768, "jpeg"), (4096, "png")])
def test_what_is_kept_is_bounded(side: int, image_format: str) -> None:
    kept = ImagePayload(side, image_format, "auto")._urls._limit  # type: ignore[arg-type]
    worst = kept * side**2 * image_payload.BYTES_PER_PIXEL[image_format]
    assert worst <= image_payload.KEPT_BYTES or kept == image_payload.FEWEST_KEPT
