"""Components of images: against a search by hand, and Ford's condition against all ways to split them in two."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analysis.preference.bradley_terry_components import connected
from analysis.preference.bradley_terry_counts import Counts


@st.composite
def votes(draw: st.DrawFn) -> Counts:
    """Votes between 7 images, each of which has at least one."""
    pair = st.tuples(*[st.integers(0, 6)] * 2, *[st.integers(0, 1)] * 3)
    rows = draw(st.lists(pair.filter(lambda row: row[0] != row[1] and any(row[2:])), max_size=12))
    seen = {image for row in rows for image in row[:2]}
    rows += [(image, (image + 1) % 7, 1, 0, 0) for image in range(7) if image not in seen]
    first, second, *counts = np.array(rows).T
    return Counts(first, second, *(column.astype(float) for column in counts), 7)


def reached(counts: Counts) -> np.ndarray:
    links = np.eye(7, dtype=bool)
    links[counts.first, counts.second] = links[counts.second, counts.first] = True
    return np.linalg.matrix_power(links.astype(int), 7) > 0


@given(votes())
def test_images_share_a_component_exactly_when_votes_link_them(counts):
    found = connected(counts)
    assert (found.of_image[:, None] == found.of_image[None, :]).tolist() == reached(counts).tolist()
    assert found.sizes.tolist() == np.bincount(found.of_image).tolist()
    assert found.n == len(found.sizes) == len(found.strong)
    # Numbered in the order of their lowest image.
    assert found.first_images.tolist() == sorted(found.first_images)


@given(votes())
def test_strong_means_that_of_any_split_each_side_beat_or_tied_the_other(counts):
    beats = np.zeros((7, 7), dtype=bool)
    for first, second, won, lost, tied in zip(*counts[:5], strict=True):
        beats[first, second] |= bool(won or tied)
        beats[second, first] |= bool(lost or tied)
    found = connected(counts)
    for component in range(found.n):
        images = np.flatnonzero(found.of_image == component)
        splits = [set(side) for size in range(1, len(images)) for side in combinations(images, size)]
        expected = all(any(beats[winner, loser] for winner in side for loser in set(images) - side) for side in splits)
        assert bool(found.strong[component]) is expected


def test_centring_takes_off_the_mean_of_each_component_and_column():
    counts = Counts(np.array([0, 2]), np.array([1, 3]), np.ones(2), np.ones(2), np.zeros(2), 4)
    found = connected(counts)
    assert found.centred(np.array([1.0, 3.0, 10.0, 30.0])).tolist() == [-1, 1, -10, 10]
    assert found.centred(np.array([[1.0, 0], [3, 4], [10, 1], [30, 1]])).tolist() == [
        [-1, -2],
        [1, 2],
        [-10, 0],
        [10, 0],
    ]


def test_the_place_in_a_component_counts_in_the_order_given():
    counts = Counts(np.array([0, 2]), np.array([1, 3]), np.ones(2), np.ones(2), np.zeros(2), 4)
    assert connected(counts).place_in(np.array([1, 0, 1, 1, 0])).tolist() == [0, 0, 1, 2, 1]
