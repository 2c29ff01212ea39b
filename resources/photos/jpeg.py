"""JPEG files decoded strictly: data that are missing, left over or damaged are refused, not filled in with grey."""

import re
from typing import Final

import numpy as np
import simplejpeg
from numpy.typing import NDArray

# Pillow's names of what a JPEG may hold, and libjpeg-turbo's.
_COLOUR_SPACES: Final = {"L": "GRAY", "RGB": "RGB", "CMYK": "CMYK"}
_LEFT_OVER: Final = re.compile(r"(\d+) extraneous bytes before marker 0xd9")


def decoded_jpeg(data: bytes, mode: str) -> NDArray[np.uint8]:
    """The pixels that Pillow gives for a whole file; of most damaged ones none.

    What is not seen are changed bytes after which the codes end at their place all the same.

    Args:
        data: The file.
        mode: As Pillow calls what it holds: L, RGB or CMYK.

    Returns:
        Shape ``(height, width)`` of grey, else ``(height, width, channels)``; of CMYK 255 minus what Pillow gives.

    Raises:
        ValueError: Data are missing, left over or damaged; the text is libjpeg-turbo's.
    """
    try:
        pixels = simplejpeg.decode_jpeg(data, _COLOUR_SPACES[mode], strict=True)
    except ValueError as error:
        bare = _without_filling(data, str(error))
        if bare == data:
            raise
        pixels = simplejpeg.decode_jpeg(bare, _COLOUR_SPACES[mode], strict=True)
    return np.asarray(pixels[..., 0] if mode == "L" else pixels)


def _without_filling(data: bytes, fault: str) -> bytes:
    """The file without the zeros and 0xFF that some cameras write between the last code and the end marker."""
    found, end = _LEFT_OVER.search(fault), data.rfind(b"\xff\xd9")
    if found is None or end < 0:
        return data
    codes_and_filling = data[:end].rstrip(b"\xff")
    start = len(codes_and_filling) - int(found[1])
    return data if codes_and_filling[start:].strip(b"\x00\xff") else data[:start] + data[end:]
