"""Patches add up to the object, and the bands follow the texture's scale."""

import numpy as np
import pytest

from analysis.images.appearance.descriptors import BLOCKS, Patches, described, patches
from tests.analysis.images.appearance.surfaces import cloth, cut_out, silhouette


@pytest.fixture(scope="module")
def seen() -> Patches:
    return patches(cut_out(cloth(16), silhouette("disc")))


def test_every_histogram_sums_to_one(seen):
    whole = described(seen)
    for block in BLOCKS:
        assert whole.block(block.name).sum() == pytest.approx(1)


def test_two_halves_add_up_to_the_whole(seen):
    index = np.arange(len(seen.pixels))
    parts = [described(seen, index[::2]), described(seen, index[1::2])]
    weights = [seen.pixels[::2].sum(), seen.pixels[1::2].sum()]
    together = np.average([part.shares for part in parts], axis=0, weights=weights)
    np.testing.assert_allclose(together, described(seen).shares)
    energies = np.average([part.energies for part in parts], axis=0, weights=weights)
    np.testing.assert_allclose(energies, described(seen).energies, rtol=1e-6)


def test_a_look_without_a_patch_is_refused(seen):
    with pytest.raises(ValueError, match="no patch"):
        described(seen, np.array([], dtype=np.int64))


def test_a_coarser_texture_moves_the_energy_to_coarser_bands(seen):
    def centroid(wavelength_px: float) -> float:
        energies = described(patches(cut_out(cloth(wavelength_px), silhouette("disc")))).energies
        return float(np.average(np.arange(len(energies)), weights=energies))

    found = [centroid(wavelength) for wavelength in (10, 16, 26)]
    assert found == sorted(found)
    assert found[2] - found[0] > 1  # bands are half an octave apart, the wavelengths 1.4 octaves


def test_black_and_transparent_backgrounds_are_described_alike(seen):
    other = described(patches(cut_out(cloth(16), silhouette("disc"), transparent=True)))
    np.testing.assert_allclose(other.shares, described(seen).shares)
