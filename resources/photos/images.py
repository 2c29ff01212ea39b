"""Images as every measure sees them: 8-bit sRGB with alpha, upright; what cannot be so is refused with the remedy."""

import io
import re
import warnings
from pathlib import Path
from typing import Any, Final, Literal

import cv2
import numpy as np
import pyarrow as pa
import simplejpeg
from numpy.typing import NDArray
from PIL import (
    BmpImagePlugin,
    Image,
    ImageCms,
    JpegImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    UnidentifiedImageError,
    WebPImagePlugin,
)
from upath import UPath

from resources.errors import UserError
from resources.runtime.opened_files import no_file

# Pillow's names of what a JPEG may hold, and libjpeg-turbo's.
_COLOUR_SPACES: Final = {"L": "GRAY", "RGB": "RGB", "CMYK": "CMYK"}
_LEFT_OVER: Final = re.compile(r"(\d+) extraneous bytes before marker 0xd9")
# These profiles are sRGB itself; converting would cost time and a rounding step.
_SRGB_DESCRIPTIONS = ("sRGB IEC61966-2.1", "sRGB built-in", "sRGB2014", "sRGB")
Cause = Literal["unreadable", "too_small", "nothing_visible"]
MIN_SIDE_PX: Final = 16
MAX_PIXELS: Final = 80_000_000
# As many pixels of 16 bits in four channels, stored without compression.
MAX_BYTES: Final = 8 * MAX_PIXELS
# Naming the plugins registers them: Pillow loads only some by itself.
_PLUGINS = (
    JpegImagePlugin.JpegImageFile,
    PngImagePlugin.PngImageFile,
    WebPImagePlugin.WebPImageFile,
    TiffImagePlugin.TiffImageFile,
    BmpImagePlugin.BmpImageFile,
)
FORMATS: Final = tuple(plugin.format for plugin in _PLUGINS)
_PNG_BIT_DEPTH_AT = 24
_PNG_CHUNKS_AT = 8
_PNG_PIXELS = frozenset({b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"})
_ORIENTATION_TAG = 0x0112
# Pixels in one piece of memory can be read where they are.
Image.core.set_use_block_allocator(1)
# Pillow warns of odd EXIF data and of large pictures without saying in which file; the latter are refused here.
warnings.filterwarnings("ignore", category=UserWarning, module=r"PIL\.")
warnings.filterwarnings("ignore", category=Image.DecompressionBombWarning)


def decoded_jpeg(data: bytes, mode: str, least_px: int = 0) -> NDArray[np.uint8]:
    """The pixels that Pillow gives for a whole file; of most damaged ones none.

    What is not seen are changed bytes after which the codes end at their place all the same.

    Args:
        data: The file.
        mode: As Pillow calls what it holds: L, RGB or CMYK.
        least_px: Decoded at a half, a quarter or an eighth while both sides keep this length, in pixels; 0 is whole.

    Returns:
        Shape ``(height, width)`` of grey, else ``(height, width, channels)``; of CMYK 255 minus what Pillow gives.

    Raises:
        ValueError: Data are missing, left over or damaged; the text is libjpeg-turbo's.
    """
    form: dict[str, Any] = {"colorspace": _COLOUR_SPACES[mode], "min_height": least_px, "min_width": least_px}
    try:
        pixels = simplejpeg.decode_jpeg(data, strict=True, **form)
    except ValueError as error:
        bare = _without_filling(data, str(error))
        if bare == data:
            raise
        pixels = simplejpeg.decode_jpeg(bare, strict=True, **form)
    return np.asarray(pixels[..., 0] if mode == "L" else pixels)


def _without_filling(data: bytes, fault: str) -> bytes:
    """The file without the zeros and 0xFF that some cameras write between the last code and the end marker."""
    found, end = _LEFT_OVER.search(fault), data.rfind(b"\xff\xd9")
    if found is None or end < 0:
        return data
    codes_and_filling = data[:end].rstrip(b"\xff")
    start = len(codes_and_filling) - int(found[1])
    return data if codes_and_filling[start:].strip(b"\x00\xff") else data[:start] + data[end:]


def foreign_profile(image: Image.Image) -> ImageCms.ImageCmsProfile | None:
    """The embedded colour profile, null where there is none or it is sRGB."""
    icc = image.info.get("icc_profile")
    if not icc:
        return None
    try:
        profile = ImageCms.ImageCmsProfile(io.BytesIO(icc))
    except OSError as error:
        raise ImageCms.PyCMSError(error) from error
    description = (profile.profile.profile_description or "").strip("\x00 ")
    return None if description in _SRGB_DESCRIPTIONS else profile


def in_srgb(image: Image.Image, profile: ImageCms.ImageCmsProfile) -> NDArray[np.uint8]:
    """The picture converted through its own profile; alpha is carried past the conversion."""
    alpha = None
    if image.mode in ("P", "PA") or "transparency" in image.info:
        image = image.convert("RGBA")
    if image.mode in ("RGBA", "LA"):
        alpha = image.getchannel("A")
        image = image.convert("RGB" if image.mode == "RGBA" else "L")
    if image.mode == "L" and profile.profile.xcolor_space.strip() == "RGB":
        image = image.convert("RGB")
    converted = ImageCms.profileToProfile(image, profile, ImageCms.createProfile("sRGB"), outputMode="RGB")
    assert converted is not None  # only `inPlace` returns nothing
    if alpha is not None:
        converted.putalpha(alpha)
    return np.asarray(converted.convert("RGBA"))


class UnreadableImage(UserError):
    """An image cannot be used; `reason` is why, without the file; `cause` tells a picture of no use from no picture."""

    def __init__(self, file: object, problem: str, remedy: str, *, cause: Cause = "unreadable") -> None:
        self.reason = f"{problem} {remedy}"
        super().__init__(f"{file}: {self.reason}")
        self.cause = cause


def load_image(path: str | Path | UPath, max_side_px: int | None = None) -> NDArray[np.uint8]:
    """The picture upright in sRGB with straight alpha, whatever way the file stores it.

    Args:
        path: Local path or fsspec address; the extension does not matter.
        max_side_px: Longer pictures are reduced by area averaging until the longer side is this, in pixels.

    Returns:
        Shape ``(height, width, 4)``, red, green, blue, alpha, 0-255; a picture without alpha has 255 there.

    Raises:
        UnreadableImage: Missing, empty, truncated or no image; under 16 px a side; over 80 million pixels.
    """
    return decode_image(read_image_file(path), path, max_side_px)


def load_roughly(path: str | Path | UPath, least_px: int) -> NDArray[np.uint8]:
    """The picture as `load_image` gives it, a JPEG reduced as it is decoded: for a small picture in less time.

    Args:
        path: Local path or fsspec address.
        least_px: Both sides stay this long, in pixels, where the picture has it.
    """
    return _with_alpha(_decoded(read_image_file(path), path, least_px))


def read_image_file(path: str | Path | UPath) -> bytes:
    """The bytes of an image file.

    Raises:
        UnreadableImage: There is no such file, it cannot be opened, it is empty, or over 640 million bytes.
    """
    kind = no_file(path)
    if kind is not None:
        raise UnreadableImage(path, f"it is {kind}.", "Put the image itself there.")
    try:
        with UPath(path).open("rb") as file:
            # Never more than the limit: what says it is small may go on for ever.
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise UnreadableImage(path, "there is no such file.", "Put the image there, or correct the path.") from error
    except OSError as error:
        raise UnreadableImage(path, f"cannot be opened ({error}).", "Check its permissions and the disk.") from error
    _refuse_empty(data, path)
    refuse_large(data, path)
    return data


def refuse_large(data: bytes, path: object) -> None:
    """Refuse a file of which no more than `MAX_BYTES` and one was read.

    Raises:
        UnreadableImage: There is more than `MAX_BYTES`.
    """
    if len(data) > MAX_BYTES:
        problem = f"the file has more than {MAX_BYTES // 1_000_000} million bytes."
        raise UnreadableImage(path, problem, "Save it compressed, or reduce it.")


def pixels_in(data: bytes) -> int:
    """How many pixels an image file says it has; 0 where it cannot be decoded, as decoding says why."""
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            return image.width * image.height
    except (Image.DecompressionBombError, OSError, SyntaxError, ValueError, EOFError, IndexError):
        return 0


def decode_image(data: bytes, path: object, max_side_px: int | None = None) -> NDArray[np.uint8]:
    """`load_image` for bytes that were read already; `path` only serves the message."""
    array = _with_alpha(_decoded(data, path))
    return array if max_side_px is None else _reduced(array, max_side_px)


def decode_photo(data: bytes, path: object) -> NDArray[np.uint8]:
    """The picture as `decode_image` gives it, without alpha: what is transparent shows white behind it, as on a page.

    Returns:
        Shape ``(height, width, 3)``, red, green, blue, 0-255; of an animation the first frame.
    """
    array = _decoded(data, path)
    if array.ndim == 2:
        return np.asarray(cv2.cvtColor(array, cv2.COLOR_GRAY2RGB), dtype=np.uint8)
    if array.shape[2] == 3:
        return array
    if array[..., 3].min() == 255:
        return np.ascontiguousarray(array[..., :3])
    alpha = array[..., 3:].astype(np.float32) / 255.0
    return np.rint(array[..., :3] * alpha + 255.0 * (1.0 - alpha)).astype(np.uint8)


def _decoded(data: bytes, path: object, least_px: int = 0) -> NDArray[np.uint8]:
    """The upright picture in sRGB: grey without a third axis, or red, green, blue, with alpha or not."""
    _refuse_empty(data, path)
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            _refuse_bad_size(image, path)
            return _upright(_in_channels(image, data, path, least_px), _orientation(image, data))
    except UnreadableImage:
        raise
    except UnidentifiedImageError as error:
        raise UnreadableImage(path, "this is no image.", f"Use one of {', '.join(FORMATS)}.") from error
    except Image.DecompressionBombError as error:
        raise _too_large(path) from error
    except ImageCms.PyCMSError as error:
        problem = f"the embedded colour profile cannot be used ({error})."
        raise UnreadableImage(path, problem, "Save the image as sRGB, or without a profile.") from error
    except (OSError, SyntaxError, ValueError, EOFError, IndexError) as error:
        # Pillow's decoders raise all of these on broken data.
        problem = f"the image is truncated or damaged ({error})."
        raise UnreadableImage(path, problem, "Export or copy it again.") from error


def _too_large(path: object) -> UnreadableImage:
    problem = f"the picture has more than {MAX_PIXELS // 1_000_000} million pixels."
    return UnreadableImage(path, problem, "Reduce it to fewer.")


def _refuse_empty(data: bytes, path: object) -> None:
    if not data:
        raise UnreadableImage(path, "the file is empty (0 bytes).", "Export or copy the image again.")


def _refuse_bad_size(image: Image.Image, path: object) -> None:
    if min(image.size) < MIN_SIDE_PX:
        problem = f"the picture is {image.width} x {image.height} px, and the least is {MIN_SIDE_PX} px a side."
        raise UnreadableImage(path, problem, "Export it larger.", cause="too_small")
    if image.width * image.height > MAX_PIXELS:
        raise _too_large(path)


def _in_channels(image: Image.Image, data: bytes, path: object, least_px: int) -> NDArray[np.uint8]:
    """The decoded picture as stored, not yet upright, in memory of its own."""
    profile = foreign_profile(image)
    array = decoded_jpeg(data, image.mode, least_px) if isinstance(image, JpegImagePlugin.JpegImageFile) else None
    if array is None or image.mode == "CMYK":
        # Of four inks Pillow makes colours, and has to decode them for that.
        image.load()  # raises on truncated data
        array = None
    if image.format == "PNG" and data[_PNG_BIT_DEPTH_AT] == 16:
        array = _deep_png(data)
    elif image.mode.startswith("I;16"):
        array = _eight_bits(np.asarray(image))
    if profile is not None:
        return in_srgb(image if array is None else Image.fromarray(array), profile)
    if array is not None:
        return array
    if image.mode in ("F", "I", "LAB", "HSV"):
        problem = f"its pixels are stored in a form that is not supported ({image.format}, mode {image.mode})."
        raise UnreadableImage(path, problem, "Save it as an 8-bit PNG or JPEG.")
    if image.mode in ("L", "RGB") and "transparency" not in image.info:
        return _as_array(image)
    return np.asarray(image.convert("RGBA"))


def _as_array(image: Image.Image) -> NDArray[np.uint8]:
    """The pixels as they are, of a picture in grey or red, green, blue.

    Read where Pillow has them, four bytes to a colour: it would copy all of them thrice, holding the interpreter.
    """
    pixels = np.asarray(pa.array(image).flatten() if image.mode == "RGB" else pa.array(image))
    if image.mode == "L":
        return pixels.reshape(image.height, image.width).copy()
    return np.asarray(cv2.cvtColor(pixels.reshape(image.height, image.width, 4), cv2.COLOR_RGBA2RGB), dtype=np.uint8)


def _deep_png(data: bytes) -> NDArray[np.uint8]:
    """A PNG of 16 bits, of which Pillow would drop eight; channels in the order red, green, blue, alpha."""
    # OpenCV warns of whatever else a PNG holds on the terminal.
    kept, place = [data[:_PNG_CHUNKS_AT]], _PNG_CHUNKS_AT
    while place < len(data):
        end = place + 12 + int.from_bytes(data[place : place + 4], "big")
        if data[place + 4 : place + 8] in _PNG_PIXELS:
            kept.append(data[place:end])
        place = end
    array = cv2.imdecode(np.frombuffer(b"".join(kept), np.uint8), cv2.IMREAD_UNCHANGED)
    if array is None:
        raise ValueError("OpenCV cannot decode it")
    if array.ndim == 3:
        array = cv2.cvtColor(array, cv2.COLOR_BGRA2RGBA if array.shape[2] == 4 else cv2.COLOR_BGR2RGB)
    return _eight_bits(array)


def _eight_bits(array: NDArray[np.generic]) -> NDArray[np.uint8]:
    if array.dtype == np.uint8:
        return array.astype(np.uint8, copy=False)
    # 65535 / 257 = 255: the ends of both scales meet, which dropping the low byte would miss by rounding down.
    return np.rint(array.astype(np.float32) / 257.0).astype(np.uint8)


def _with_alpha(array: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if array.ndim == 2:
        return np.asarray(cv2.cvtColor(array, cv2.COLOR_GRAY2RGBA), dtype=np.uint8)
    return array if array.shape[2] == 4 else np.asarray(cv2.cvtColor(array, cv2.COLOR_RGB2RGBA), dtype=np.uint8)


def _orientation(image: Image.Image, data: bytes) -> int:
    # Pillow decodes a whole PNG to look for EXIF behind the pixels; a search of the bytes is far cheaper.
    if image.format == "PNG" and b"eXIf" not in data and b"Raw profile type" not in data:
        return 1
    return int(image.getexif().get(_ORIENTATION_TAG, 1))


def _upright(array: NDArray[np.uint8], orientation: int) -> NDArray[np.uint8]:
    """EXIF orientations 1-8; other values mean nothing and leave the picture as it is."""
    if orientation in (5, 6, 7, 8):
        array = array.transpose(1, 0, 2)
    if orientation in (2, 3, 6, 7):
        array = array[:, ::-1]
    if orientation in (3, 4, 7, 8):
        array = array[::-1]
    return np.ascontiguousarray(array)


def _reduced(array: NDArray[np.uint8], max_side_px: int) -> NDArray[np.uint8]:
    height, width = array.shape[:2]
    longer = max(height, width)
    if longer <= max_side_px:
        return array
    size = (max(1, round(width * max_side_px / longer)), max(1, round(height * max_side_px / longer)))
    if array[..., 3].min() == 255:
        return np.asarray(cv2.resize(array, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    # Averaged with its alpha as weight, or the colour behind transparent pixels would bleed into the edge.
    weighted = array.astype(np.float32)
    weighted[..., :3] *= weighted[..., 3:] / 255.0
    small = cv2.resize(weighted, size, interpolation=cv2.INTER_AREA)
    small[..., :3] *= 255.0 / np.maximum(small[..., 3:], 1e-3)
    return np.rint(np.clip(small, 0, 255)).astype(np.uint8)
