"""The golden set's catalogue: every alteration of the configuration, its name, how much, and what to expect of it."""

import numpy as np
import pytest

from analysis.images.alterations.stripes import stripes
from resources.configuration.fidelity import GoldenSet
from resources.photos.golden_set import alterations_of
from resources.tables.fidelity.golden import KINDS

NAMES = [
    *("stripes7_o30", "stripes7_o50", "stripes7_o70", "stripes7_shaded_o70"),
    *("hue_5", "hue_10", "hue_20", "hue_40"),
    *("saturation_75", "saturation_50", "saturation_25"),
    *("brightness_90", "brightness_75", "brightness_60"),
    *("blur_1", "blur_2", "blur_4"),
    *("texture_125", "texture_150", "texture_200"),
    *("logo_5", "logo_10", "logo_20"),
    *("untouched", "reencoded", "other_item"),
]


def picture_and_mask() -> tuple[np.ndarray, np.ndarray]:
    """At 512 px, where a blur of 1 px is one."""
    mask = np.zeros((512, 512), np.bool_)
    mask[200:330, 150:400] = True
    rgb = np.random.default_rng(1).integers(60, 220, (512, 512, 3))
    return np.dstack([np.where(mask[..., None], rgb, 0), np.full(mask.shape, 255)]).astype(np.uint8), mask


def test_the_default_golden_set_has_every_alteration_under_its_name() -> None:
    alterations = alterations_of(GoldenSet())
    assert [one.name for one in alterations] == NAMES
    assert {one.kind for one in alterations} == set(KINDS)


def test_the_untouched_and_the_reencoded_copy_are_expected_to_be_the_same_and_all_else_worse() -> None:
    same = {one.name for one in alterations_of(GoldenSet()) if one.expected == "same"}
    assert same == {"untouched", "reencoded"}


@pytest.mark.parametrize(
    ("name", "magnitude", "unit"),
    [
        ("stripes7_o50", 0.5, "opacity"),
        ("hue_20", 20, "degrees"),
        ("saturation_25", 0.25, "factor"),
        ("blur_4", 4, "px at 512"),
        ("texture_150", 1.5, "factor"),
        ("logo_5", 0.05, "share"),
        ("untouched", None, "none"),
    ],
)
def test_magnitude_and_unit_say_what_the_name_says(name: str, magnitude: float | None, unit: str) -> None:
    one = next(one for one in alterations_of(GoldenSet()) if one.name == name)
    assert (one.magnitude, one.unit) == (magnitude, unit)


def test_more_of_an_alteration_changes_the_object_more() -> None:
    image, mask = picture_and_mask()
    by_kind: dict[str, list[float]] = {}
    for one in alterations_of(GoldenSet()):
        if one.alter is not None and one.magnitude is not None:
            change = np.abs(one.alter(image, mask).astype(int) - image)[mask].mean()
            by_kind.setdefault(one.kind, []).append(change)
    for kind in ("stripes", "hue", "saturation", "brightness", "blur", "logo"):
        assert by_kind[kind] == sorted(by_kind[kind]), kind
        assert by_kind[kind][0] > 0


def test_the_configuration_decides_colours_blend_bands_and_doses() -> None:
    plan = {"colours": ("#102030", "#ffffff"), "blend": "normal", "bands": 5, "opacities": (0.25,)}
    one = alterations_of(GoldenSet.model_validate({"stripes": plan}))[0]
    assert (one.name, one.magnitude) == ("stripes5_o25", 0.25)
    image, mask = picture_and_mask()
    expected = stripes(image, mask, 0.25, blend="normal", colours=((16, 32, 48), (255, 255, 255)), bands=5)
    assert one.alter is not None
    np.testing.assert_array_equal(one.alter(image, mask), expected)


def test_an_empty_list_leaves_the_kind_out_and_a_dose_named_twice_is_made_once() -> None:
    golden = GoldenSet(hue_degrees=(), blur_px=(2, 2.0), logo_share=(0.125,))
    names = [one.name for one in alterations_of(golden)]
    assert not any(name.startswith("hue") for name in names)
    assert names.count("blur_2") == 1
    assert "logo_12.5" in names
