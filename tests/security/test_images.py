"""Pictures made to exhaust a machine: their size is known before they are decoded, and no more than one frame is."""

import io
import resource
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from resources.photos.features.prepared import Photo, prepared
from resources.photos.features.stages import Stages
from resources.photos.images import MAX_BYTES, MAX_PIXELS, UnreadableImage, decode_image, load_image
from resources.runtime.file_hash import sha256_of_file
from resources.runtime.home import CHECKOUT

# What a process may take beyond the program itself: far below one decoded bomb of 12 GB.
ADDRESS_SPACE_BYTES = 4 << 30


def png_of_size(width: int, height: int) -> bytes:
    """A PNG that says this size and whose rows are all zero, packed a thousandfold."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    rows = zlib.compress(bytes(min(4 * width * height, 50_000_000)), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.mark.slow
@pytest.mark.parametrize("size", [(60_000, 50_000), (MAX_PIXELS // 16 + 1, 16), (2**31 - 1, 2**31 - 1)])
def test_a_bomb_is_refused_in_a_process_that_could_not_hold_it(tmp_path: Path, size: tuple[int, int]) -> None:
    (tmp_path / "bomb.png").write_bytes(png_of_size(*size))
    program = (
        "import sys; from resources.photos.images import UnreadableImage, load_image\n"
        "try: load_image(sys.argv[1])\n"
        "except UnreadableImage as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "bomb.png")],
        capture_output=True,
        text=True,
        cwd=CHECKOUT,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES)),
    )
    assert "bomb.png: the picture has more than 80 million pixels. Reduce it to fewer." in done.stdout


def fails_at_the_second_frame(data: bytes) -> bool:
    """Whether decoding more than the first frame is an error, so that a test would notice it."""
    with Image.open(io.BytesIO(data)) as image:
        image.load()
        image.seek(1)
        try:
            image.load()
        except (OSError, Image.DecompressionBombError):
            return True
    return False


def test_of_thousands_of_frames_one_is_decoded() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (2_000, 32, 32, 3), np.uint8)
    frames = [Image.fromarray(one) for one in noise]
    file = io.BytesIO()
    frames[0].save(file, "WEBP", save_all=True, append_images=frames[1:], lossless=True)
    parts = file.getvalue().split(b"ANMF")
    # Every frame but the first is damaged: its coded pixels begin 33 bytes after its name.
    data = b"ANMF".join([*parts[:2], *(part[:33] + b"\xff" * (len(part) - 33) for part in parts[2:])])
    assert len(parts) == 1 + len(frames)
    assert fails_at_the_second_frame(data)
    assert decode_image(data, "many.webp").shape == (32, 32, 4)


def tag(number: int, value: int) -> bytes:
    """An entry in a TIFF's directory: one short number."""
    return struct.pack("<HHIHH", number, 3, 1, value, 0)


def test_a_huge_second_page_is_never_looked_at() -> None:
    file = io.BytesIO()
    Image.new("1", (64, 64)).save(
        file, "TIFF", save_all=True, append_images=[Image.new("1", (77, 78))], compression="group4"
    )
    data = file.getvalue().replace(tag(256, 77), tag(256, 60_000)).replace(tag(257, 78), tag(257, 60_000))
    assert fails_at_the_second_frame(data)
    assert decode_image(data, "pages.tif").shape == (64, 64, 4)


def test_text_that_unpacks_to_more_than_a_picture_needs_is_refused() -> None:
    info = zlib.compress(bytes(100_000_000), 9)
    body = b"Comment\x00\x00" + info
    text = struct.pack(">I", len(body)) + b"zTXt" + body + struct.pack(">I", zlib.crc32(b"zTXt" + body))
    file = io.BytesIO()
    Image.fromarray(np.full((32, 32, 3), 9, np.uint8)).save(file, "PNG")
    data = file.getvalue()
    after_head = 8 + 25
    with pytest.raises(UnreadableImage, match="damaged"):
        decode_image(data[:after_head] + text + data[after_head:], "text.png")


def test_a_file_is_read_up_to_its_limit_and_no_further(tmp_path: Path) -> None:
    endless = tmp_path / "endless.png"
    with endless.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(UnreadableImage, match="more than 640 million bytes"):
        load_image(endless)


def test_an_oversized_photo_of_a_series_is_unreadable_and_ends_no_run(tmp_path: Path) -> None:
    endless = tmp_path / "000001-01.JPG"
    with endless.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    done = prepared(Photo(sha256_of_file(endless), str(endless)), Stages(True, None, ()))
    assert "640 million bytes" in (done.unreadable or "")
