"""The golden set's catalogue: what is done to a candidate, by configuration, and what a judge should make of it."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import cv2
from upath import UPath

from analysis.accuracy.hit_rate import Expected
from analysis.images.alterations.blur import REFERENCE_PX, blurred_object
from analysis.images.alterations.colour import scaled_brightness, scaled_saturation, shifted_hue
from analysis.images.alterations.logo import BADGE, logo_patch
from analysis.images.alterations.reencoding import QUALITY, reencoded
from analysis.images.alterations.stripes import Colour, Relief, stripes
from analysis.images.alterations.surface import CannotAlter, Mask, Picture, changed_share
from analysis.images.alterations.texture_scale import scaled_texture
from analysis.images.appearance.mask import object_mask, shows_nothing
from resources.configuration.fidelity import GoldenSet
from resources.photos.images import UnreadableImage, decode_image, read_image_file
from resources.runtime.file_hash import sha256_of_file
from resources.runtime.home import Home
from resources.runtime.partial_files import sweep, whole_file, write_whole

ANGLE_DEG = 45.0
RELIEF = Relief()
# Of the alterations' code: another one makes every file anew, and a paid judge's answers on them are asked for again.
RECIPES_VERSION: Final = "1"
MADE: Final = "made.json"
_PNG: Final = (cv2.IMWRITE_PNG_COMPRESSION, 1)
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,78}[A-Za-z0-9])?")
_KEPT_CHARACTERS: Final = 60
NO_CHANGE: Final = "changes no pixel of this object"


@dataclass(frozen=True)
class Alteration:
    """One way to alter a render; ``alter`` is none where a file is copied as it is.

    ``parameters`` say all that decides the result, the magnitude too: two alterations with the same ones are the same.
    """

    name: str
    kind: str
    magnitude: float | None
    unit: str
    expected: Expected
    alter: Callable[[Picture, Mask], Picture] | None
    parameters: Mapping[str, Any] = field(default_factory=dict)


def alterations_of(golden: GoldenSet) -> list[Alteration]:
    """Every alteration of the configuration once, from stripes to the sentinels.

    Names carry the magnitude: `stripes7_o70` (opacity 0.70), `stripes7_shaded_o70`, `hue_5` (degrees), `saturation_75`
    (percent of the chroma), `brightness_90` (percent of the light), `blur_1` (px), `texture_125` (percent), `logo_5`
    (percent of the object), `untouched`, `reencoded`, `other_item`.
    """
    found = [
        *_striped(golden),
        *_scaled(golden),
        Alteration("untouched", "untouched", None, "none", "same", None),
        replace(_altered("reencoded", "reencoded", None, "none", reencoded, quality=QUALITY), expected="same"),
        Alteration("other_item", "other_item", None, "none", "worse", None),
    ]
    return list({one.name: one for one in found}.values())


def _striped(golden: GoldenSet) -> Iterator[Alteration]:
    plan = golden.stripes
    shared: dict[str, Any] = {
        "blend": plan.blend,
        "colours": tuple(_rgb(colour) for colour in plan.colours),
        "bands": plan.bands,
        "angle_deg": ANGLE_DEG,
    }
    for kind, opacities, relief in (
        ("stripes", plan.opacities, None),
        ("stripes_shaded", plan.shaded_opacities, RELIEF),
    ):
        for opacity in opacities:
            name = f"stripes{plan.bands}{kind.removeprefix('stripes')}_o{_percent(opacity)}"
            yield _altered(name, kind, opacity, "opacity", stripes, opacity=opacity, relief=relief, **shared)


def _scaled(golden: GoldenSet) -> Iterator[Alteration]:
    for degrees in golden.hue_degrees:
        yield _altered(f"hue_{degrees:g}", "hue", degrees, "degrees", shifted_hue, degrees=degrees)
    for factor in golden.saturation:
        name = f"saturation_{_percent(factor)}"
        yield _altered(name, "saturation", factor, "factor", scaled_saturation, factor=factor)
    for factor in golden.brightness:
        name = f"brightness_{_percent(factor)}"
        yield _altered(name, "brightness", factor, "factor", scaled_brightness, factor=factor)
    for sigma in golden.blur_px:
        how: dict[str, Any] = {"sigma_px": sigma, "reference_px": REFERENCE_PX}
        yield _altered(f"blur_{sigma:g}", "blur", sigma, "px at 512", blurred_object, **how)
    for factor in golden.texture_scale:
        name = f"texture_{_percent(factor)}"
        yield _altered(name, "texture_scale", factor, "factor", scaled_texture, factor=factor)
    for share in golden.logo_share:
        yield _altered(f"logo_{_percent(share)}", "logo", share, "share", logo_patch, share=share, colours=BADGE)


def _altered(
    name: str,
    kind: str,
    magnitude: float | None,
    unit: str,
    function: Callable[..., Picture],
    **parameters: Any,
) -> Alteration:
    def alter(image: Picture, mask: Mask) -> Picture:
        return function(image, mask, **parameters)

    return Alteration(name, kind, magnitude, unit, "worse", alter, parameters)


def _percent(share: float) -> str:
    return f"{100 * share:g}"


def _rgb(colour: str) -> Colour:
    """Red, green, blue of ``#RRGGBB``."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


@dataclass(frozen=True)
class GoldenImage:
    """One altered render, or why there is none (``skipped``); ``kept`` where it was there from before."""

    alteration: str
    path: str | None = None
    sha256: str | None = None
    changed_share: float | None = None
    skipped: str | None = None
    kept: bool = False


@dataclass(frozen=True)
class _Made:
    """A line of `made.json`: from what a file was made, and what it was then."""

    recipe: str
    sha256: str
    changed_share: float | None


class Original:
    """A candidate, read once; decoded only where something is drawn on it."""

    def __init__(self, path: str) -> None:
        """Read the file.

        Raises:
            UnreadableImage: There is no such file, or it is empty.
        """
        self.path = path
        self.data = read_image_file(path)
        self.sha256 = hashlib.sha256(self.data).hexdigest()

    @cached_property
    def picture(self) -> Picture:
        """Shape ``(height, width, 4)``.

        Raises:
            UnreadableImage: It is no image, or shows nothing.
        """
        picture = decode_image(self.data, self.path)
        if shows_nothing(picture):
            remedy = "Render the object again."
            raise UnreadableImage(self.path, "the picture shows no object.", remedy, cause="nothing_visible")
        return picture

    @cached_property
    def mask(self) -> Mask:
        """The object's pixels."""
        return object_mask(self.picture)


def golden_folder(home: Home) -> UPath:
    """Where the golden set lies: in the home, remote where its tables are."""
    return home.base / "golden_set"


def folder_name(item_id: str) -> str:
    """A name for the item's folder and files, whatever the id: no separator, no ``..``, short, one for each id."""
    if _PLAIN_NAME.fullmatch(item_id) and ".." not in item_id:
        return item_id
    readable = re.sub(r"[^A-Za-z0-9_-]+", "-", item_id).strip("-")[:_KEPT_CHARACTERS].strip("-") or "item"
    return f"{readable}-{hashlib.sha256(item_id.encode()).hexdigest()[:8]}"


def png_of(picture: Picture) -> bytes:
    """The picture as PNG, losslessly; fast rather than small."""
    opaque = int(picture[..., 3].min()) == 255
    stored = cv2.cvtColor(picture, cv2.COLOR_RGBA2BGR if opaque else cv2.COLOR_RGBA2BGRA)
    done, encoded = cv2.imencode(".png", stored, _PNG)
    if not done:
        raise OSError("a picture could not be encoded as PNG")
    return encoded.tobytes()


def sha256_if_there(path: str | UPath) -> str | None:
    """What the file holds; null where there is no such file."""
    try:
        return sha256_of_file(path)
    except FileNotFoundError:
        return None


def write_golden_item(
    folder: UPath,
    item_id: str,
    original: Original,
    other: Original | UnreadableImage,
    alterations: Sequence[Alteration],
) -> list[GoldenImage]:
    """Every altered image of one item, each written whole or not at all: a result per alteration, in their order.

    A file that was made by the same recipe from the same render, and is as it was made, is kept.
    """
    place = folder / folder_name(item_id)
    place.mkdir(parents=True, exist_ok=True)
    sweep(place)
    made = _known(place)
    try:
        return [_image(place, original, other, one, made) for one in alterations]
    finally:
        lines = {name: asdict(line) for name, line in sorted(made.items())}
        write_whole(place / MADE, json.dumps(lines, indent=1) + "\n")


def made_before(
    folder: UPath, item_id: str, original_sha256: str, other_sha256: str | None, alterations: Sequence[Alteration]
) -> dict[str, str]:
    """What one item's altered images hold that `write_golden_item` would keep as they are, or make the same again.

    Returns:
        SHA-256 by the alteration's name; what was never made by this recipe from this render is not in it.
    """
    known = {line.recipe: line.sha256 for line in _known(folder / folder_name(item_id)).values()}
    found = {}
    for one in alterations:
        source = other_sha256 if one.kind == "other_item" else original_sha256
        if source is not None and (sha256 := known.get(_recipe(one, original_sha256, source))):
            found[one.name] = sha256
    return found


def _image(
    place: UPath, original: Original, other: Original | UnreadableImage, alteration: Alteration, made: dict[str, _Made]
) -> GoldenImage:
    """One altered image, kept or made; what is made is added to the record."""
    source = other if alteration.kind == "other_item" else original
    if isinstance(source, UnreadableImage):
        return GoldenImage(alteration.name, skipped=str(source))
    suffix = UPath(source.path).suffix.lower() if alteration.alter is None else ".png"
    path = place / f"{place.name}_{alteration.name}{suffix}"
    recipe = _recipe(alteration, original.sha256, source.sha256)
    before = made.get(path.name)
    if before is not None and before.recipe == recipe and sha256_if_there(path) == before.sha256:
        return GoldenImage(alteration.name, str(path), before.sha256, before.changed_share, kept=True)
    try:
        data, share = _made_of(original, source, alteration)
    except (CannotAlter, UnreadableImage) as error:
        return GoldenImage(alteration.name, skipped=str(error))
    if alteration.expected == "worse" and share == 0.0:
        return GoldenImage(alteration.name, skipped=NO_CHANGE)
    _write(path, data)
    made[path.name] = _Made(recipe, hashlib.sha256(data).hexdigest(), share)
    return GoldenImage(alteration.name, str(path), made[path.name].sha256, share)


def _made_of(original: Original, source: Original, alteration: Alteration) -> tuple[bytes, float | None]:
    """The file's bytes, and the share of the object that differs; both renders have to be readable for any of it."""
    picture, _ = original.picture, source.picture
    if alteration.alter is None:
        return source.data, 0.0 if source is original else None
    altered = alteration.alter(picture, original.mask)
    return png_of(altered), changed_share(picture, altered, original.mask)


def _recipe(alteration: Alteration, *sources_sha256: str) -> str:
    said = [RECIPES_VERSION, alteration.name, alteration.kind, alteration.parameters, sources_sha256]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _known(place: UPath) -> dict[str, _Made]:
    """What was made here; nothing where the record is absent or unusable, and all is made again."""
    try:
        stored: dict[str, Any] = json.loads((place / MADE).read_text(encoding="utf-8"))
        return {name: _Made(**line) for name, line in stored.items()}
    except (FileNotFoundError, ValueError, TypeError, AttributeError):
        return {}


def _write(path: UPath, data: bytes) -> None:
    with whole_file(path) as part:
        part.write_bytes(data)
