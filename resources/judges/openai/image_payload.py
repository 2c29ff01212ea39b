"""The images of a call as data URLs: upright, on black, not larger than asked for, and only the bytes recorded."""

import base64
import hashlib
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, Literal

import cv2
import numpy as np

from resources.errors import UserError
from resources.judges.bounded_cache import BoundedCache
from resources.judges.contract import JudgedObject
from resources.judges.prompt import photo_labels
from resources.photos.images import decode_image, read_image_file

JPEG_QUALITY: Final = 90
KEPT_BYTES: Final = 256_000_000
FEWEST_KEPT, MOST_KEPT = 16, 4096
BYTES_PER_PIXEL: Final = {"jpeg": 0.7, "png": 4.0}  # as base64, of a busy picture
CANDIDATE: Final = "CANDIDATE"


class ImagePayload:
    """Encodes every image once while it is in use; memory is bounded whatever the number of images."""

    def __init__(self, side_px: int, image_format: Literal["jpeg", "png"], detail: str) -> None:
        self._side_px, self._format, self._detail = side_px, image_format, detail
        self.parameters: dict[str, Any] = {
            "image_side_px": side_px,
            "image_format": image_format,
            "image_detail": detail,
        }
        kept = int(KEPT_BYTES / (side_px**2 * BYTES_PER_PIXEL[image_format]))
        self._urls: BoundedCache[str, str] = BoundedCache(min(max(kept, FEWEST_KEPT), MOST_KEPT))

    def parts(self, judged: JudgedObject) -> list[dict[str, Any]]:
        """Photos in order, then the candidate, each behind its label, as parts of a user message.

        Raises:
            UserError: An image is another than the one whose hash was recorded.
            UnreadableImage: An image cannot be read.
        """
        labels = (*photo_labels(len(judged.reference_paths)), CANDIDATE)
        paths = (*judged.reference_paths, judged.candidate_path)
        return self.labelled(labels, paths, judged.image_hashes)

    def labelled(
        self, labels: Sequence[str], paths: Sequence[str], hashes: Sequence[str], made: str = "study_objects"
    ) -> list[dict[str, Any]]:
        """Images behind their labels, as parts of a user message; `made` is the table that noted their hashes.

        Raises:
            UserError: An image is another than the one whose hash was recorded.
            UnreadableImage: An image cannot be read.
        """
        parts: list[dict[str, Any]] = []
        for label, path, sha256 in zip(labels, paths, hashes, strict=True):
            picture = {"url": self._urls.get(sha256, partial(self._encoded, path, sha256, made))}
            # The default is left out: some servers do not know the field.
            if self._detail != "auto":
                picture["detail"] = self._detail
            parts += [{"type": "text", "text": label}, {"type": "image_url", "image_url": picture}]
        return parts

    def _encoded(self, path: str, sha256: str, made: str) -> str:
        data = read_image_file(path)
        # The ledger says which bytes were judged, so that no others may be.
        if hashlib.sha256(data).hexdigest() != sha256:
            raise UserError(f"{path} changed since {made} was made; make {made} again.")
        rgba = decode_image(data, path, self._side_px).astype(np.float32)
        # Photos and renders stand on black or on nothing; on black they all look alike.
        rgb = rgba[..., :3] * (rgba[..., 3:] / 255)
        bgr = np.ascontiguousarray(np.rint(rgb[..., ::-1]).astype(np.uint8))
        quality = [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY] if self._format == "jpeg" else []
        _, encoded = cv2.imencode(".jpg" if self._format == "jpeg" else ".png", bgr, quality)
        return f"data:image/{self._format};base64,{base64.b64encode(encoded.tobytes()).decode()}"
