"""JPEG files of every coding are read whole, and refused where some of their data are not there."""

import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from PIL import Image
from skimage import data

from resources.photos.images import UnreadableImage, decode_image, decode_photo, decoded_jpeg

CODINGS: dict[str, dict[str, Any]] = {
    "baseline": {},
    "without subsampling": {"subsampling": 0},
    "progressive": {"progressive": True},
    "own tables": {"optimize": True},
    "restarts by row": {"restart_marker_rows": 1},
    "restarts within rows": {"restart_marker_blocks": 3},
    "progressive with restarts": {"progressive": True, "restart_marker_rows": 1},
}
PHOTO = Image.fromarray(data.chelsea()[:250, :333])


def jpeg(image: Image.Image = PHOTO, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, "JPEG", **options)
    return file.getvalue()


def loaded(content: bytes) -> np.ndarray:
    return decode_image(content, "photo.jpg")[..., :3]


def plainly(content: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(content)).convert("RGB"))


def begin(content: bytes) -> int:
    """Where the compressed data of the first scan begin, about."""
    return content.index(b"\xff\xda") + 14


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
@pytest.mark.parametrize("quality", [20, 75, 100])
def test_a_whole_file_gives_the_pixels_that_pillow_gives(coding: str, mode: str, quality: int) -> None:
    content = jpeg(PHOTO.convert(mode), quality=quality, **CODINGS[coding])
    assert np.array_equal(loaded(content), plainly(content))


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("size", [(16, 16), (17, 33), (400, 16)])
def test_small_and_flat_pictures_are_whole_too(coding: str, size: tuple[int, int]) -> None:
    for picture in (PHOTO.resize(size), Image.new("RGB", size), Image.new("L", size, 90)):
        content = jpeg(picture, **CODINGS[coding])
        assert np.array_equal(loaded(content), plainly(content))


@pytest.mark.parametrize("coding", CODINGS)
def test_zeros_and_fill_bytes_around_the_end_harm_nothing(coding: str) -> None:
    content = jpeg(**CODINGS[coding])
    for more in (b"\x00" * 3, b"\x00" * 50, b"\xff", b"\xff" * 20, b"\x00\xff"):
        assert np.array_equal(loaded(content[:-2] + more + content[-2:]), plainly(content))
    assert np.array_equal(loaded(content + b"a second picture"), plainly(content))


def cut_with_an_end(content: bytes, share: float) -> bytes:
    return content[: begin(content) + int(share * (len(content) - begin(content)))] + b"\xff\xd9"


def with_the_middle_gone(content: bytes, share: float) -> bytes:
    start = begin(content) + int(0.9 * share * (len(content) - begin(content)))
    return content[:start] + content[start + len(content) // 20 :]


def with_zeros(content: bytes, share: float) -> bytes:
    start, length = begin(content) + int(0.8 * share * (len(content) - begin(content))), len(content) // 8
    return content[:start] + bytes(length) + content[start + length :]


@pytest.mark.parametrize("harm", [cut_with_an_end, with_the_middle_gone, with_zeros])
@pytest.mark.parametrize("share", [0.1, 0.35, 0.5, 0.9])
@pytest.mark.parametrize("coding", CODINGS)
def test_a_file_that_lost_a_part_of_its_data_is_refused(
    harm: Callable[[bytes, float], bytes], share: float, coding: str
) -> None:
    with pytest.raises(UnreadableImage, match="truncated or damaged"):
        loaded(harm(jpeg(**CODINGS[coding]), share))


def test_what_is_wrong_is_said() -> None:
    content, restarts = jpeg(), jpeg(restart_marker_rows=1)
    half = begin(content) + (len(content) - begin(content)) // 2
    for damaged, words in (
        (content[:half] + b"\xff\xd9", "premature end of data"),
        (content[:-2] + bytes(range(1, 100)) + content[-2:], "97 extraneous bytes before marker 0xd9"),
        (content[:half] + b"\xff\x42" + content[half:], "marker type 0x42"),
        (content[:-2], "Premature end of JPEG file"),
        (restarts[: restarts.index(b"\xff\xd3")] + b"\xff\xd9", "found marker 0xd9 instead of RST3"),
        (restarts.replace(b"\xff\xd3", b"\xff\xd5"), "found marker 0xd5 instead of RST3"),
    ):
        with pytest.raises(ValueError, match=words):
            decoded_jpeg(damaged, "RGB")


def test_a_code_that_ends_like_filling_is_kept() -> None:
    # Among a hundred files some end by chance in 0x00, or in 0xFF and the 0x00 that belongs to it.
    for quality in range(1, 100):
        content = jpeg(PHOTO.resize((32, 24)), quality=quality)
        assert np.array_equal(loaded(content[:-2] + b"\x00" * 9 + b"\xff" + content[-2:]), plainly(content)), quality


def test_a_header_that_makes_no_sense_is_refused_and_never_a_fault_of_this_program() -> None:
    random = np.random.default_rng(3)
    whole = jpeg(PHOTO.resize((40, 30)), restart_marker_blocks=2)
    for _ in range(300):
        content = bytearray(whole)
        for place in random.integers(2, begin(whole), 3):
            content[place] = random.integers(256)
        with suppress(UnreadableImage):
            loaded(bytes(content))


def test_threads_decode_at_the_same_time() -> None:
    photos = [jpeg(PHOTO.rotate(angle)) for angle in range(0, 360, 10)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda content: decode_photo(content, "x"), photos))
    for content, pixels in zip(photos, together, strict=True):
        assert np.array_equal(pixels, plainly(content))
