"""JPEG files decoded strictly: data that are missing, left over or interrupted are refused, not filled in with grey."""

import re
import threading
from typing import Final, NamedTuple

from PIL import Image
from PIL.ImageFile import PyDecoder
from PIL.JpegImagePlugin import JpegImageFile

# Within compressed data, 0x00 follows each 0xFF.
_MARKER: Final = re.compile(rb"\xff[\x01-\xfe]")
# What may stand between the last code and a marker.
_FILLING: Final = b"\x00\xff"
_RESTART_INTERVAL, _SCAN, _END = 0xDD, 0xDA, 0xD9
_RESTARTS: Final = range(0xD0, 0xD8)
_WITHOUT_LENGTH: Final = frozenset({0x01, 0xD8, *_RESTARTS})
# What may stand behind a scan: another one, tables, the number of lines, comments, application data, the end.
_BEHIND_A_SCAN: Final = frozenset({_SCAN, 0xC4, 0xDB, 0xDC, _RESTART_INTERVAL, 0xFE, *range(0xE0, 0xF0), _END})
# Baseline, extended and progressive; decoders of other kinds do not wait for data.
_HUFFMAN_FRAMES: Final = frozenset({0xC0, 0xC1, 0xC2})
# More bits than the decoder looks ahead; all ones are no code.
_AHEAD: Final = b"\xff\x00" * 16
# Each run costs some calls; where a photo has so many, only the last is looked at.
_MOST_RUNS: Final = 2048
_CUT_OFF: Final = "it is cut off: there is no end marker"
# Four bytes each; larger pictures are rare, and holding their memory in every thread would not pay.
_MOST_PIXELS_KEPT: Final = 32_000_000


class DamagedJpeg(ValueError):
    """The compressed data are not those of one whole picture; the text says where."""


class PixelMemory(threading.local):
    """Each thread's memory of the last photo that it decoded, for its next one of the same size.

    Where new memory must first be cleared by the system, page by page, that takes as long as decoding. What was read
    from the last photo's memory must be copied before the next one is decoded.
    """

    def __init__(self) -> None:
        self._kept: Image.core.ImagingCore | None = None

    def give(self, image: JpegImageFile) -> None:
        """Let this image be decoded into the kept memory, where it fits."""
        if self._kept is not None and (self._kept.mode, self._kept.size) == (image.mode, image.size):
            image.im = self._kept

    def keep(self, image: JpegImageFile) -> None:
        """Keep a decoded image's memory instead of what was kept, where it is not too much."""
        self._kept = image.im if image.width * image.height <= _MOST_PIXELS_KEPT else None


class _Frame(NamedTuple):
    """The picture's size in px, and how many blocks across and down each component has in the smallest unit."""

    height: int
    width: int
    blocks: dict[int, tuple[int, int]]

    def n_units(self, components: bytes) -> int:
        """How many units a scan of these components codes; 0 where that is not to be known from the frame."""
        across, down = (max((1, *(blocks[axis] for blocks in self.blocks.values()))) for axis in (0, 1))
        if len(components) != 1:
            return -(-self.width // (8 * across)) * -(-self.height // (8 * down))
        own_across, own_down = self.blocks.get(components[0], (0, 0))
        return -(-self.width * own_across // (8 * across)) * -(-self.height * own_down // (8 * down))


def load_strictly(image: JpegImageFile, data: bytes, memory: PixelMemory | None = None) -> None:
    """Decode an opened file into its image, and refuse what libjpeg passes over with a line on stderr or none.

    In damaged data the codes mean other numbers, and nobody can tell by them; but the picture ends at another place. So
    the decoder gets each run of data up to its last byte, where it must want more, and then bits without a meaning, of
    which it must want none. Within a run it waits until it has as many bytes as a machine word; behind one it drops
    each byte at once. What ends at its place all the same is not seen: most changes of a single byte.

    Args:
        image: As `PIL.Image.open` gives it, not yet loaded.
        data: The file.
        memory: Where many photos are decoded one after another.

    Raises:
        DamagedJpeg: Data are missing, left over or interrupted.
        OSError: The decoder gives up.
    """
    run_ends = _run_ends(data)
    if len(image.tile) != 1:
        raise DamagedJpeg("it has no picture")
    [(name, extents, offset, arguments)] = image.tile
    if memory is not None:
        memory.give(image)
    image.load_prepare()
    decoding = _Decoding(Image._getdecoder(image.mode, name, arguments, image.decoderconfig), data, offset)
    try:
        decoding.decoder.setimage(image.im, extents)
        for end in run_ends if len(run_ends) <= _MOST_RUNS else run_ends[-1:]:
            decoding.run_to(end)
        decoding.up_to(len(data))
    finally:
        decoding.decoder.cleanup()
    if not decoding.finished:
        raise DamagedJpeg(_CUT_OFF)
    image.tile = []
    if memory is not None:
        memory.keep(image)


class _Decoding:
    """Pillow's decoder, and the file that it gets in pieces."""

    def __init__(self, decoder: "Image.core.ImagingDecoder | PyDecoder", data: bytes, start: int) -> None:
        self.decoder, self._data, self._given = decoder, data, start
        self._waiting = b""
        self.finished = False

    def up_to(self, place: int) -> bool:
        """Give it the file up to this place; whether it then waits with bytes that it neither used nor dropped."""
        piece, self._given = self._data[self._given : place], max(place, self._given)
        return self._gets(piece)

    def run_to(self, end: int) -> None:
        """Give it a run up to its end, and see that it is complete there and not before.

        Raises:
            DamagedJpeg: It is complete before or after that.
        """
        last = self._given + len(self._data[self._given : end].rstrip(_FILLING))
        if last - 2 > self._given:
            # The last byte has bits that it needs, so until then it cannot but wait.
            waits = [self.up_to(last - 2), self.up_to(last - 1)]
            if not any(waits):
                raise DamagedJpeg(f"compressed data are left over before byte {end}")
        self.up_to(end)
        # Where as many bytes wait as fill a word, one more lets it use them all; so it is asked twice.
        if self._gets(_AHEAD) or self._gets(b"\x00"):
            raise DamagedJpeg(f"compressed data are missing before byte {end}")

    def _gets(self, piece: bytes) -> bool:
        if piece and not self.finished:
            self._waiting += piece
            used, fault = self.decoder.decode(self._waiting)
            self.finished = used < 0
            if self.finished and fault < 0:
                raise OSError(f"the decoder gives up, error {fault}")
            self._waiting = b"" if self.finished else self._waiting[used:]
        return bool(self._waiting)


def _run_ends(data: bytes) -> list[int]:
    """Where each run of compressed data ends: at a restart marker, or with its scan; none of what must come whole.

    Raises:
        DamagedJpeg: A marker is missing, or means nothing where it stands.
    """
    ends: list[int] = []
    frame: _Frame | None = None
    place, interval = 2, 0
    while (found := _MARKER.search(data, place)) is not None:
        marker, place = found[0][1], found.end()
        if marker == _END:
            return ends
        if marker in _WITHOUT_LENGTH:
            continue
        content = data[place + 2 : place + int.from_bytes(data[place : place + 2], "big")]
        place += 2 + len(content)
        if marker in _HUFFMAN_FRAMES:
            frame = _frame(content)
        elif marker == _RESTART_INTERVAL:
            interval = int.from_bytes(content[:2], "big")
        elif marker == _SCAN and frame is not None:
            n_units = frame.n_units(content[1:-3:2])
            ends += _runs_of_a_scan(data, place, -(-n_units // interval) if interval else 1)
            place = ends[-1]
    raise DamagedJpeg(_CUT_OFF)


def _frame(content: bytes) -> _Frame:
    height, width = (int.from_bytes(content[start : start + 2], "big") for start in (1, 3))
    components = zip(content[6::3], content[7::3], strict=False)
    return _Frame(height, width, {name: (sampling >> 4, sampling & 15) for name, sampling in components})


def _runs_of_a_scan(data: bytes, start: int, n_runs: int) -> list[int]:
    ends: list[int] = []
    for found in _MARKER.finditer(data, start):
        marker = found[0][1]
        ends.append(found.start())
        if marker in _BEHIND_A_SCAN:
            if n_runs and len(ends) != n_runs:
                raise DamagedJpeg(f"{len(ends)} runs of compressed data before byte {ends[-1]}, not {n_runs}")
            return ends
        if marker != _RESTARTS[(len(ends) - 1) % 8] or n_runs == 1:
            raise DamagedJpeg(f"a marker, 0x{marker:02X}, among compressed data at byte {found.start()}")
    raise DamagedJpeg(_CUT_OFF)
