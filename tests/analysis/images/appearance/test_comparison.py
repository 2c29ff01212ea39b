"""Sub-scores fall with what they name and with nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from analysis.images.appearance.comparison import SEVERITIES, compare, palette_distance, photos_together, transport
from analysis.images.appearance.descriptors import Descriptor, described, patches
from tests.analysis.images.appearance.surfaces import cloth, cut_out, silhouette


def surface(wavelength_px: float = 16, form: str = "disc", **look) -> Descriptor:
    return described(patches(cut_out(cloth(wavelength_px, **look), silhouette(form))))


@pytest.fixture(scope="module")
def photos():
    return photos_together([surface(seed=seed) for seed in (1, 2, 3)])


def test_moving_half_the_mass_by_two_bins_of_width_three_costs_three():
    # Half of the mass travels 2 bins x 3 units: 0.5 * 6 = 3.
    assert transport(np.array([1.0, 0, 0]), np.array([0.5, 0, 0.5]), 3.0) == pytest.approx(3.0)


@given(st.lists(st.integers(0, 50), min_size=4, max_size=4), st.lists(st.integers(0, 50), min_size=4, max_size=4))
def test_transport_is_scipys_wasserstein_distance(one, other):
    first, second = np.array(one) + 1.0, np.array(other) + 1.0
    bins = np.arange(4)
    found = transport(first / first.sum(), second / second.sum())
    assert found == pytest.approx(wasserstein_distance(bins, bins, first, second))


def test_a_palette_is_at_no_distance_from_itself():
    assert palette_distance(surface(), surface()) == 0


def test_palette_distance_grows_with_the_hue_shift():
    distances = [palette_distance(surface(), surface(hue_deg=20 + shift)) for shift in (0, 5, 10, 20, 40)]
    assert distances == sorted(distances)
    # A turn by 40 degrees at chroma 30 moves every colour by 2 * 30 * sin(20 deg) = 20.5 CIELAB units; four
    # directions estimate the mean over all of them to a few percent.
    assert distances[-1] == pytest.approx(20.5, rel=0.1)


def test_a_copy_of_a_lone_photo_scores_full_marks():
    photo = surface()
    assert dict(compare(photo, photos_together([photo])).subscores) == dict.fromkeys(SEVERITIES, 100.0)


@pytest.mark.parametrize("form", ["square", "ellipse"])
def test_the_same_material_on_another_silhouette_scores_high(photos, form):
    assert min(compare(surface(form=form, seed=7), photos).subscores.values()) > 80


def test_the_background_does_not_count(photos):
    transparent = described(patches(cut_out(cloth(16, seed=9), silhouette("disc"), transparent=True)))
    assert compare(transparent, photos).subscores == compare(surface(seed=9), photos).subscores


def test_another_hue_lowers_the_palette_score_most(photos):
    scores = compare(surface(seed=5, hue_deg=80), photos).subscores
    assert min(scores, key=scores.__getitem__) == "color_palette"
    assert scores["color_palette"] < 40


def test_scale_scores_fall_as_the_texture_grows(photos):
    scores = [
        compare(surface(wavelength, seed=5), photos).subscores["texture_scale_placement"] for wavelength in (16, 22, 32)
    ]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] - scores[2] > 20


def test_a_highlight_lowers_the_finish_score(photos):
    glossy = cloth(16, seed=5).astype(np.float32)
    rows, columns = np.indices(glossy.shape[:2])
    lamp = np.exp(-((rows - 120) ** 2 + (columns - 140) ** 2) / 2 / 26**2)[..., None]
    shown = np.rint(glossy + (255 - glossy) * lamp).astype(np.uint8)
    matte = compare(surface(seed=5), photos).subscores["material_finish"]
    assert compare(described(patches(cut_out(shown, silhouette("disc")))), photos).subscores["material_finish"] < (
        matte - 20
    )


def test_photos_are_seen_jointly_so_their_own_spread_is_no_fault():
    apart = photos_together([surface(hue_deg=hue) for hue in (10, 20, 30)])
    alone = photos_together([surface(hue_deg=20)])
    candidate = surface(seed=5, hue_deg=32)
    jointly, singly = (compare(candidate, photos).subscores["color_palette"] for photos in (apart, alone))
    assert jointly > singly


def test_no_photo_is_refused():
    with pytest.raises(ValueError, match="at least one photo"):
        photos_together([])
