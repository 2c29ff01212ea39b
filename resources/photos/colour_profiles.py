"""Colour profiles: which one a picture has, and the picture in sRGB."""

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageCms

# These profiles are sRGB itself; converting would cost time and a rounding step.
_SRGB_DESCRIPTIONS = ("sRGB IEC61966-2.1", "sRGB built-in", "sRGB2014", "sRGB")


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
