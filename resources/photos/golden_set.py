"""The golden set's catalogue: what is done to a candidate, by configuration, and what a judge should make of it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from analysis.images.alterations.blur import REFERENCE_PX, blurred_object
from analysis.images.alterations.colour import scaled_brightness, scaled_saturation, shifted_hue
from analysis.images.alterations.logo import BADGE, logo_patch
from analysis.images.alterations.reencoding import QUALITY, reencoded
from analysis.images.alterations.stripes import Colour, Relief, stripes
from analysis.images.alterations.surface import Mask, Picture
from analysis.images.alterations.texture_scale import scaled_texture
from resources.configuration.golden import GoldenSet

Expected = Literal["worse", "same"]
ANGLE_DEG = 45.0
RELIEF = Relief()


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
        _altered("reencoded", "reencoded", None, "none", reencoded, quality=QUALITY, expected="same"),
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
    *,
    expected: Expected = "worse",
    **parameters: Any,
) -> Alteration:
    def alter(image: Picture, mask: Mask) -> Picture:
        return function(image, mask, **parameters)

    return Alteration(name, kind, magnitude, unit, expected, alter, parameters)


def _percent(share: float) -> str:
    return f"{100 * share:g}"


def _rgb(colour: str) -> Colour:
    """Red, green, blue of ``#RRGGBB``."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue
