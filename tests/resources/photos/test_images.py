"""Every way in which a picture can be stored gives the same upright sRGB pixels, or a refusal with the remedy."""

import io
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image, ImageCms, ImageOps
from upath import UPath

from resources.errors import UserError
from resources.photos import images
from resources.photos.images import UnreadableImage, decode_image, decode_photo, load_image, load_roughly


def smooth(height: int = 48, width: int = 64) -> np.ndarray:
    """A picture without hard edges, so that JPEG keeps it within a few levels."""
    down, right = np.mgrid[0:height, 0:width]
    return np.stack([4 * right % 256, 255 - 5 * down % 256, 2 * (down + right) % 256], axis=2).astype(np.uint8)


def stored(image: Image.Image, form: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def apart(one: np.ndarray, other: np.ndarray) -> int:
    return int(np.abs(one.astype(int) - other.astype(int)).max())


@pytest.mark.parametrize("form", ["PNG", "WEBP", "TIFF", "BMP"])
def test_lossless_files_give_their_pixels_back(form: str) -> None:
    options = {"lossless": True} if form == "WEBP" else {}
    got = decode_image(stored(Image.fromarray(smooth()), form, **options), "x")
    assert got.shape == (48, 64, 4)
    assert got.dtype == np.uint8
    assert apart(got[..., :3], smooth()) == 0
    assert (got[..., 3] == 255).all()


def test_a_jpeg_decodes_as_pillow_decodes_it() -> None:
    data = stored(Image.fromarray(smooth()), "JPEG", quality=90)
    assert apart(decode_image(data, "x")[..., :3], np.asarray(Image.open(io.BytesIO(data)))) <= 2


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation_is_applied_once(form: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    options = {"lossless": True} if form == "WEBP" else {}
    data = stored(Image.fromarray(smooth()), form, exif=exif, **options)
    expected = np.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGBA"))
    got = decode_image(data, "x")
    assert got.shape == expected.shape
    assert apart(got, expected) <= 2


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_sixteen_bits_are_scaled_to_eight(channels: int) -> None:
    # 0, 128, 257 and 65535 of 65535 are 0, 0.498, 1 and 255 of 255.
    levels = np.array([0, 128, 257, 65535], dtype=np.uint16)
    deep = np.repeat(np.tile(levels, (16, 5))[..., None], channels, axis=2)
    encoded = cv2.imencode(".png", deep.squeeze())[1].tobytes()
    got = decode_image(encoded, "x")
    assert got[0, :4, 0].tolist() == [0, 0, 1, 255]
    assert got[0, :4, 3].tolist() == ([0, 0, 1, 255] if channels == 4 else [255] * 4)


def test_sixteen_bit_colour_keeps_the_order_of_its_channels() -> None:
    red_first = np.zeros((16, 16, 3), np.uint16)
    red_first[..., 2] = 65535  # OpenCV writes blue, green, red
    assert decode_image(cv2.imencode(".png", red_first)[1].tobytes(), "x")[0, 0].tolist() == [255, 0, 0, 255]


def test_sixteen_bit_tiff_is_read() -> None:
    grey = np.full((16, 20), 65535, np.uint16)
    assert decode_image(cv2.imencode(".tiff", grey)[1].tobytes(), "x")[0, 0].tolist() == [255, 255, 255, 255]


def test_cmyk_becomes_rgb() -> None:
    original = Image.fromarray(smooth())
    data = stored(original.convert("CMYK"), "JPEG", quality=100, subsampling=0)
    assert apart(decode_image(data, "x")[..., :3], smooth()) <= 6


@pytest.mark.parametrize("mode", ["L", "P", "1", "LA", "RGBA"])
def test_grey_palette_and_alpha_files_become_rgba(mode: str) -> None:
    image = Image.fromarray(smooth()).convert("RGBA" if mode in ("LA", "RGBA") else "RGB")
    if "A" in mode:
        image.putalpha(Image.fromarray(smooth()[..., 0]))
    image = image.convert(mode)
    assert apart(decode_image(stored(image, "PNG"), "x"), np.asarray(image.convert("RGBA"))) == 0


def test_a_palette_colour_marked_as_transparent_has_no_alpha() -> None:
    image = Image.fromarray(np.zeros((16, 16), np.uint8)).convert("P")
    assert decode_image(stored(image, "PNG", transparency=0), "x")[..., 3].max() == 0


def test_an_embedded_profile_is_converted_to_srgb() -> None:
    linear_grey = _grey_profile_with_gamma_one()
    data = stored(Image.fromarray(np.full((16, 16), 47, np.uint8)), "PNG", icc_profile=linear_grey)
    # 47/255 = 0.184 of linear light is 1.055 * 0.184**(1/2.4) - 0.055 = 0.466, that is level 119.
    assert apart(decode_image(data, "x")[0, 0, :3], np.array([119, 119, 119])) <= 1


def test_a_profile_that_is_srgb_changes_nothing() -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    data = stored(Image.fromarray(smooth()), "PNG", icc_profile=profile)
    assert apart(decode_image(data, "x")[..., :3], smooth()) == 0


def test_a_profile_is_converted_beside_alpha_and_sixteen_bits() -> None:
    linear = _grey_profile_with_gamma_one()
    grey_alpha = Image.merge("LA", [Image.new("L", (16, 16), 47), Image.new("L", (16, 16), 9)])
    got = decode_image(stored(grey_alpha, "PNG", icc_profile=linear), "x")
    assert got[0, 0, 3] == 9
    assert apart(got[0, 0, :3], np.array([119, 119, 119])) <= 1
    deep = Image.fromarray(np.full((16, 16), 47 * 257, np.uint16))
    assert apart(decode_image(stored(deep, "PNG", icc_profile=linear), "x")[0, 0, :3], np.array([119] * 3)) <= 1


def test_the_longer_side_is_reduced_by_area() -> None:
    # Blocks of 2 x 2 with 0, 0, 100, 100 average to 50.
    block = np.array([[0, 100], [100, 0]], np.uint8)
    data = stored(Image.fromarray(np.tile(block, (16, 32))), "PNG")
    got = decode_image(data, "x", max_side_px=32)
    assert got.shape == (16, 32, 4)
    assert set(got[..., 0].ravel().tolist()) == {50}
    assert decode_image(data, "x", max_side_px=64).shape == (32, 64, 4)


def test_reducing_keeps_the_colour_of_what_is_visible() -> None:
    # Half of each block is transparent green: its colour must not reach the red half, its alpha must.
    pixels = np.zeros((32, 32, 4), np.uint8)
    pixels[:, ::2] = [200, 0, 0, 255]
    pixels[:, 1::2] = [0, 255, 0, 0]
    got = decode_image(stored(Image.fromarray(pixels), "PNG"), "x", max_side_px=16)
    assert got[0, 0].tolist() == [200, 0, 0, 128]


def truncated(form: str) -> Callable[[], bytes]:
    return lambda: (data := stored(Image.fromarray(smooth()), form))[: len(data) // 2]


def with_a_flipped_byte() -> bytes:
    data = bytearray(stored(Image.fromarray(smooth()), "PNG"))
    data[len(data) // 2] ^= 0xFF
    return bytes(data)


@pytest.mark.parametrize(
    ("make", "problem", "remedy", "cause"),
    [
        (lambda: b"", "empty (0 bytes)", "Export or copy", "unreadable"),
        (lambda: b"not a picture", "no image", "Use one of JPEG, PNG", "unreadable"),
        (truncated("PNG"), "truncated", "Export or copy", "unreadable"),
        (truncated("JPEG"), "truncated", "Export or copy", "unreadable"),
        (truncated("WEBP"), "truncated or damaged", "Export or copy", "unreadable"),
        (with_a_flipped_byte, "damaged", "Export or copy", "unreadable"),
        (lambda: stored(Image.new("RGB", (1, 1)), "PNG"), "1 x 1 px", "Export it larger", "too_small"),
        (lambda: stored(Image.new("RGB", (900, 15)), "PNG"), "900 x 15 px", "Export it larger", "too_small"),
        (lambda: stored(Image.new("F", (16, 16)), "TIFF"), "mode F", "8-bit PNG", "unreadable"),
        (
            lambda: stored(Image.fromarray(smooth()), "PNG", icc_profile=b"no profile"),
            "colour profile",
            "sRGB",
            "unreadable",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_with_file_and_remedy(
    tmp_path: Path, make: Callable[[], bytes], problem: str, remedy: str, cause: str
) -> None:
    path = tmp_path / "gt_1.PNG"
    path.write_bytes(make())
    with pytest.raises(UnreadableImage) as caught:
        load_image(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert problem in message
    assert remedy in message
    assert caught.value.cause == cause
    assert isinstance(caught.value, UserError)


def test_a_picture_with_too_many_pixels_is_refused_before_it_is_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "MAX_PIXELS", 1_000_000)
    path = tmp_path / "bomb.png"
    Image.new("1", (4000, 4000)).save(path)
    with pytest.raises(UnreadableImage, match="more than 1 million pixels.*Reduce it"):
        load_image(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableImage, match="no such file"):
        load_image(tmp_path / "gone.png")


def test_an_upper_case_extension_and_an_fsspec_address_are_read(tmp_path: Path) -> None:
    data = stored(Image.fromarray(smooth()), "JPEG")
    (tmp_path / "A.JPG").write_bytes(data)
    remote = UPath("memory://images/A.JPG")
    remote.parent.mkdir(parents=True, exist_ok=True)
    remote.write_bytes(data)
    assert np.array_equal(load_image(str(tmp_path / "A.JPG")), load_image("memory://images/A.JPG"))


def test_a_jpeg_for_a_small_picture_is_decoded_smaller_upright_and_refused_when_damaged(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    data = stored(Image.fromarray(smooth()).resize((640, 480)), "JPEG", quality=95, exif=exif)
    (tmp_path / "a.jpg").write_bytes(data)
    # 640 x 480 turned; an eighth is 60 x 80 and too small for 96, a quarter is 120 x 160.
    small = load_roughly(tmp_path / "a.jpg", 96)
    assert small.shape == (160, 120, 4)
    whole = load_image(tmp_path / "a.jpg")
    assert apart(small[..., :3], whole.reshape(160, 4, 120, 4, 4).mean(axis=(1, 3))[..., :3]) <= 3
    assert load_roughly(tmp_path / "a.jpg", 481).shape == whole.shape
    (tmp_path / "a.jpg").write_bytes(data[: len(data) // 2])
    with pytest.raises(UnreadableImage, match="truncated or damaged"):
        load_roughly(tmp_path / "a.jpg", 96)


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK", "P", "1"])
def test_a_photo_is_the_picture_without_its_alpha(mode: str) -> None:
    data = stored(Image.fromarray(smooth()).convert(mode), "TIFF")
    got = decode_photo(data, "x")
    assert got.shape == (48, 64, 3)
    assert np.array_equal(got, decode_image(data, "x")[..., :3])


def test_a_jpeg_photo_keeps_the_order_of_its_channels_and_is_turned_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    data = stored(Image.fromarray(smooth()), "JPEG", quality=95, exif=exif)
    expected = np.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB"))
    assert apart(decode_photo(data, "x"), expected) <= 2


def test_what_is_transparent_in_a_photo_shows_white() -> None:
    # Red at alpha 0 is white; at alpha 51 of 255 = 0.2: 0.2 * 255 + 0.8 * 255 = 255 of red, 0.8 * 255 = 204 of others.
    pixels = np.full((16, 16, 4), [255, 0, 0, 0], np.uint8)
    pixels[8:, :, 3] = 51
    got = decode_photo(stored(Image.fromarray(pixels), "PNG"), "x")
    assert got[0, 0].tolist() == [255, 255, 255]
    assert got[15, 0].tolist() == [255, 204, 204]


@pytest.mark.parametrize("form", ["PNG", "WEBP", "TIFF"])
def test_an_animation_gives_its_first_frame(form: str) -> None:
    frames = [Image.fromarray(np.full((16, 20, 3), level, np.uint8)) for level in (40, 200)]
    options = {"lossless": True} if form == "WEBP" else {}
    data = stored(frames[0], form, save_all=True, append_images=frames[1:], **options)
    assert set(decode_photo(data, "x").ravel().tolist()) == {40}


def test_a_photo_20000_px_wide_is_read_where_its_pixels_keep_the_limit() -> None:
    data = stored(Image.new("L", (20_000, 40), 7), "JPEG")
    assert decode_photo(data, "x").shape == (40, 20_000, 3)
    with pytest.raises(UnreadableImage, match="more than 80 million pixels"):
        decode_photo(stored(Image.new("1", (20_000, 4_001)), "PNG"), "x")


def _grey_profile_with_gamma_one() -> bytes:
    """A minimal ICC v2 grey profile: linear light, white point D50."""

    def number(value: float) -> bytes:
        return int(round(value * 65536)).to_bytes(4, "big")

    curve = b"curv" + bytes(4) + (0).to_bytes(4, "big") + bytes(4)
    white = b"XYZ " + bytes(4) + number(0.9642) + number(1.0) + number(0.8249)
    name = b"desc" + bytes(4) + (7).to_bytes(4, "big") + b"linear\0" + bytes(4 + 4 + 2 + 1 + 67)
    name += bytes(-len(name) % 4)
    tags = [(b"desc", name), (b"wtpt", white), (b"kTRC", curve)]
    offset = 128 + 4 + 12 * len(tags)
    table, body = len(tags).to_bytes(4, "big"), b""
    for signature, data in tags:
        table += signature + (offset + len(body)).to_bytes(4, "big") + len(data).to_bytes(4, "big")
        body += data
    header = (offset + len(body)).to_bytes(4, "big") + bytes(4) + bytes([2, 0x10, 0, 0]) + b"mntrGRAYXYZ "
    header += bytes(12) + b"acsp" + bytes(28) + number(0.9642) + number(1.0) + number(0.8249)
    return header + bytes(128 - len(header)) + table + body
