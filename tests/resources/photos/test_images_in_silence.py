"""Odd and damaged pictures: what is wrong is in the refusal, and no library writes to the terminal next to it."""

import io
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

pytestmark = pytest.mark.slow

READS = """
import sys
from resources.photos.images import UnreadableImage, decode_photo
for path in sys.argv[1:]:
    try:
        decode_photo(open(path, "rb").read(), path)
    except UnreadableImage as refused:
        print(refused)
"""


def encoded(form: str, picture: Image.Image | None = None) -> bytes:
    file = io.BytesIO()
    (picture or Image.radial_gradient("L").convert("RGB")).save(file, form)
    return file.getvalue()


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def fine() -> Iterator[tuple[str, bytes]]:
    jpeg, png = encoded("JPEG"), encoded("PNG")
    deep = cv2.imencode(".png", np.full((32, 32, 3), 9000, np.uint16))[1].tobytes()
    broken_exif = b"Exif\x00\x00MM\x00*\xff\xff\xff\xff" + b"\x01" * 14
    yield "exif.jpg", jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(broken_exif) + 2) + broken_exif + jpeg[2:]
    yield "zeros before the end.jpg", jpeg[:-2] + bytes(40) + jpeg[-2:]
    for name, whole in (("png", png), ("deep", deep)):
        # The header's chunk ends at byte 33.
        for odd in (chunk(b"gAMA", bytes(4)), chunk(b"sBIT", b"\xff" * 3)):
            yield f"{name} {odd[4:8].decode()}.png", whole[:33] + odd + whole[33:]


def damaged() -> Iterator[tuple[str, bytes]]:
    for form in ("JPEG", "PNG", "WEBP", "TIFF"):
        whole = encoded(form)
        yield f"cut.{form}", whole[: len(whole) // 2]
        yield f"zeros.{form}", whole[: len(whole) // 2] + bytes(400) + whole[len(whole) // 2 + 400 :]
    deep = cv2.imencode(".png", np.random.default_rng(1).integers(0, 65536, (64, 64, 3), np.uint16))[1].tobytes()
    yield "zeros.deep", deep[:500] + bytes(40) + deep[540:]
    jpeg = encoded("JPEG")
    yield "ended.jpg", jpeg[:-900] + b"\xff\xd9"
    yield "left over.jpg", jpeg[:-2] + bytes(range(1, 99)) + jpeg[-2:]
    # Pillow warns from 89 million pixels on.
    yield "large.png", encoded("PNG", Image.new("1", (9500, 9500)))


def test_nothing_but_the_refusals_is_said(tmp_path: Path) -> None:
    harmless, harmful = dict(fine()), dict(damaged())
    for name, content in (harmless | harmful).items():
        (tmp_path / name).write_bytes(content)
    said = subprocess.run(
        [sys.executable, "-c", READS, *(harmless | harmful)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(__file__).resolve().parents[3])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stderr == ""
    # Zeros are as good as other bytes to these: they have no checksums, and their codes end nowhere else.
    assert [line.partition(":")[0] for line in said.stdout.splitlines()] == [
        name for name in harmful if name not in ("zeros.WEBP", "zeros.TIFF")
    ]
