"""Local binary patterns, band energies and coherence against hand-worked cases."""

import numpy as np
import pytest

from analysis.images.appearance.descriptors import band_energies, coherence, uniform_lbp


def test_uniform_patterns_agree_with_scikit_image_on_axis_neighbours():
    from skimage.feature import local_binary_pattern

    lightness = np.kron(np.random.default_rng(4).integers(0, 100, (12, 12)), np.ones((9, 9))).astype(np.float32)
    ours = uniform_lbp(lightness, 1, 0.5)[8:-8, 8:-8]
    # There a bit says "at least as bright" and here "brighter", so on the inverted picture the counts add up to 8.
    # It reads diagonal neighbours between the pixels, which differs at the corners of the blocks only.
    theirs = local_binary_pattern((100 - lightness[8:-8, 8:-8]).astype(np.uint8), 8, 1, method="uniform")
    interior = np.s_[1:-1, 1:-1]
    same = (8 - ours)[interior] == theirs[interior]
    uniform = (ours[interior] <= 8) & (theirs[interior] <= 8)
    assert same[uniform].mean() > 0.97


def test_a_flat_surface_has_no_brighter_neighbour():
    assert (uniform_lbp(np.full((9, 9), 50, np.float32), 2, 1.0) == 0).all()


def test_a_dark_dot_sees_eight_brighter_neighbours_and_a_checkerboard_is_not_uniform():
    dot = np.full((7, 7), 50, np.float32)
    dot[3, 3] = 10
    assert uniform_lbp(dot, 1, 1.0)[3, 3] == 8
    # On a dark square the four axis neighbours are brighter and the diagonals are not: 8 changes, so code 9.
    board = (np.indices((8, 8)).sum(axis=0) % 2 * 40).astype(np.float32)
    assert (uniform_lbp(board, 1, 1.0)[1:-1, 1:-1][board[1:-1, 1:-1] == 0] == 9).all()


def test_patterns_do_not_change_when_the_light_does():
    lightness = np.random.default_rng(0).uniform(20, 60, (40, 40)).astype(np.float32)
    np.testing.assert_array_equal(uniform_lbp(lightness, 1, 0.0), uniform_lbp(lightness + 20, 1, 0.0))


@pytest.mark.parametrize("wavelength_px", [6, 12, 24])
def test_the_strongest_band_follows_the_wavelength(wavelength_px):
    wave = np.sin(2 * np.pi * np.arange(240) / wavelength_px).astype(np.float32)
    lab = np.dstack([np.tile(wave, (240, 1)) * 10] * 3)
    sigmas = [0.7 * 2 ** (step / 2) for step in range(11)]
    strongest = int(np.argmax([band[60:-60, 60:-60].mean() for band in band_energies(lab, sigmas)]))
    # exp(-k^2 s^2 / 2) - exp(-k^2 s^2) with sigma^2 doubled is largest where exp(-k^2 s^2 / 2) = 1/2:
    # s = sqrt(2 ln 2) / k = 1.177 wavelength / (2 pi).
    expected = np.log2(1.177 * wavelength_px / (2 * np.pi) / 0.7) * 2
    assert strongest == pytest.approx(expected, abs=0.51)


def test_parallel_lines_are_coherent_and_noise_is_not():
    lines = np.tile(np.sin(np.arange(80) / 2).astype(np.float32) * 20, (80, 1))
    noise = np.random.default_rng(2).normal(0, 20, (80, 80)).astype(np.float32)
    assert coherence(lines, 5.0)[20:-20, 20:-20].min() > 0.9
    assert coherence(noise, 5.0)[20:-20, 20:-20].mean() < 0.3
