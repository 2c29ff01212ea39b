"""Colours that stand next to each other are distinguishable for everybody, and are seen on paper."""

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from reports.shared.colours import BEST, DARK, GROUPS, INK, LIMIT, MAIN, NEUTRAL, OTHER, PAPER, SHAPES, VERDICTS

# How dichromats see linear sRGB: Machado, Oliveira and Fernandes (2009), IEEE TVCG 15:1291-1298, severity 1.
SEEN_BY = {
    "everybody": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
# CIE76: about 2.3 is just noticeable.
APART = 15.0


def linear(color: str) -> NDArray[np.float64]:
    parts = np.array([int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIE L*a*b* under D65 of linear sRGB."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(np.maximum(to_xyz @ rgb, 1e-6) / np.array([0.95047, 1.0, 1.08883]))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def apart(one: str, other: str, eye: str) -> float:
    seen = [lab(np.clip(SEEN_BY[eye] @ linear(color), 0, 1)) for color in (one, other)]
    return float(np.linalg.norm(seen[0] - seen[1]))


MEANT = (MAIN, OTHER, LIMIT, BEST, NEUTRAL, INK)
IN_THE_DARK = tuple(DARK[color] for color in MEANT)


@pytest.mark.parametrize("colors", [MEANT, IN_THE_DARK], ids=["light", "dark"])
@pytest.mark.parametrize("eye", SEEN_BY)
def test_colours_with_a_meaning_are_apart_for_every_eye(eye: str, colors: tuple[str, ...]) -> None:
    found = {pair: round(apart(*pair, eye), 1) for pair in itertools.combinations(colors, 2)}
    assert {pair: distance for pair, distance in found.items() if distance < APART} == {}


def contrast(one: str, other: str) -> float:
    weights = np.array([0.2126, 0.7152, 0.0722])
    dark, light = sorted(float(weights @ linear(color)) for color in (one, other))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("color", MEANT)
def test_colours_with_a_meaning_are_seen_on_paper(color: str) -> None:
    # What WCAG 2 asks of graphics, and of words in the dark.
    assert contrast(color, PAPER) >= 3.0
    assert contrast(DARK[color], DARK[PAPER]) >= 4.5


@pytest.mark.parametrize("state", VERDICTS)
def test_a_verdicts_word_is_read_on_its_ground(state: str) -> None:
    look = VERDICTS[state]
    assert min(contrast(look.ink, look.ground), contrast(look.dark_ink, look.dark_ground)) >= 4.5


@pytest.mark.parametrize("groups", [GROUPS, [DARK.get(color, color) for color in GROUPS]], ids=["light", "dark"])
def test_groups_that_look_alike_to_some_have_another_shape(groups: Sequence[str]) -> None:
    looks = [(color, SHAPES[place % len(SHAPES)]) for place, color in enumerate(groups)]
    for (one, shape), (other, other_shape) in itertools.combinations(looks, 2):
        assert shape != other_shape or min(apart(one, other, eye) for eye in SEEN_BY) >= APART
