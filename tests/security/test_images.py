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

from resources.file_hash import sha256_of_file
from resources.home import CHECKOUT
from resources.images import MAX_BYTES, MAX_PIXELS, UnreadableImage, decode_image, load_image
from resources.photo_features.prepared import Photo, prepared
from resources.photo_features.stages import Stages

# What a process may take beyond the program itself: far below one decoded bomb of 12 GB.
ADDRESS_SPACE_BYTES = 4 << 30


def png_of_size(width: int, height: int) -> bytes:
    """A PNG that says this size and whose rows are all zero, packed a thousandfold."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    rows = zlib.compress(bytes(min(4 * width * height, 50_000_000)), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(60_000, 50_000), (MAX_PIXELS // 16 + 1, 16), (2**31 - 1, 2**31 - 1)])
def test_a_bomb_is_refused_in_a_process_that_could_not_hold_it(tmp_path: Path, size: tuple[int, int]) -> None:
    (tmp_path / "bomb.png").write_bytes(png_of_size(*size))
    program = (
        "import sys; from resources.images import UnreadableImage, load_image\n"
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


def test_of_thousands_of_frames_one_is_decoded() -> None:
    frames = [Image.new("RGB", (32, 32), (place % 256, 0, 0)) for place in range(2_000)]
    file = io.BytesIO()
    frames[0].save(file, "WEBP", save_all=True, append_images=frames[1:], lossless=True)
    decoded = decode_image(file.getvalue(), "many.webp")
    assert decoded.shape == (32, 32, 4)
    assert decoded[0, 0].tolist() == [0, 0, 0, 255]


def test_a_huge_second_page_is_never_looked_at() -> None:
    file = io.BytesIO()
    pages = [Image.new("1", (64, 64)), Image.new("1", (20_000, 20_000))]
    pages[0].save(file, "TIFF", save_all=True, append_images=pages[1:], compression="group4")
    assert decode_image(file.getvalue(), "pages.tif").shape == (64, 64, 4)


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
