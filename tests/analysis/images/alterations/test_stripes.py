"""Stripes: seven, of equal width, straight, parallel, at 45 degrees, in the colours that blending gives."""

import numpy as np
import pytest
from numpy.typing import NDArray

from analysis.images.alterations.stripes import MAGENTA, YELLOW, Relief, shading, stripes
from analysis.images.alterations.surface import CannotAlter
from tests.analysis.images.alterations.plain_objects import FORMS, coloured, outline

GREY = (128, 128, 128)


def striped(mask: NDArray[np.bool_], **how: object) -> NDArray[np.int_]:
    """0 where a pure magenta stripe lies, 1 where a yellow one does, -1 next to the object."""
    altered = stripes(coloured(mask, GREY), mask, 1.0, blend="normal", **how)  # type: ignore[arg-type]
    which = np.full(mask.shape, -1)
    which[mask & (altered[..., :3] == MAGENTA).all(axis=2)] = 0
    which[mask & (altered[..., :3] == YELLOW).all(axis=2)] = 1
    assert (which[mask] >= 0).all()
    return which


def runs(which: NDArray[np.int_], mask: NDArray[np.bool_]) -> list[int]:
    """Widths of the stripes met on the way across them, in diagonals (rows + columns = constant)."""
    rows, columns = np.nonzero(mask)
    diagonal = rows + columns
    met = []
    for number in range(diagonal.min(), diagonal.max() + 1):
        on_it = np.unique(which[rows[diagonal == number], columns[diagonal == number]])
        assert len(on_it) == 1, "a diagonal at 45 degrees lies in one stripe"
        met.append(int(on_it[0]))
    changes = np.flatnonzero(np.diff(met)) + 1
    return [len(part) for part in np.split(np.array(met), changes)]


@pytest.mark.parametrize("form", ["square", "wide", "ellipse"])
def test_seven_bands_of_equal_width_lie_across_a_plain_object_at_45_degrees(form: str) -> None:
    mask = outline(form)
    widths = runs(striped(mask), mask)
    assert len(widths) == 7
    # Whole diagonals are shared out, so that two bands differ by one at most.
    assert max(widths) - min(widths) <= 1


def test_the_first_and_the_last_band_have_the_first_colour() -> None:
    which = striped(outline("square"))
    assert which[48, 48] == which[207, 207] == 0
    # 319 diagonals / 7 = 45.6 a band: the middle of the second, 68 diagonals in, is yellow.
    assert which[48 + 34, 48 + 34] == 1


@pytest.mark.parametrize("angle_deg", [45.0, 30.0, 0.0, 120.0])
@pytest.mark.parametrize("form", ["square", "wide", "ellipse"])
def test_edges_are_straight_parallel_and_at_the_angle(form: str, angle_deg: float) -> None:
    mask = outline(form)
    which = striped(mask, angle_deg=angle_deg)
    turn = np.radians(angle_deg)
    rows, columns = np.indices(mask.shape)
    across = columns * np.sin(turn) + rows * np.cos(turn)
    # A pixel whose right or lower neighbour is of the other colour stands at an edge.
    at_edge = []
    for axis in (0, 1):
        one, other = (which[:-1], which[1:]) if axis == 0 else (which[:, :-1], which[:, 1:])
        place = across[:-1] if axis == 0 else across[:, :-1]
        at_edge.append(place[(one >= 0) & (other >= 0) & (one != other)])
    places = np.sort(np.concatenate(at_edge))
    edges = np.split(places, np.flatnonzero(np.diff(places) > 3) + 1)
    # Seven bands have six edges; on each, all pixels lie on one line within a pixel and a half.
    assert len(edges) == 6
    assert max(edge.max() - edge.min() for edge in edges) < 1.5
    steps = np.diff([edge.mean() for edge in edges])
    assert np.ptp(steps) < 1.5


@pytest.mark.parametrize("bands", [2, 5, 12])
def test_the_number_of_bands_is_an_argument(bands: int) -> None:
    mask = outline("square")
    assert len(runs(striped(mask, bands=bands), mask)) == bands


def test_a_gap_in_the_object_leaves_the_bands_where_they_are() -> None:
    solid = outline("square")
    holed = solid.copy()
    holed[100:150, 100:150] = False
    np.testing.assert_array_equal(striped(holed)[holed], striped(solid)[holed])


@pytest.mark.parametrize(
    ("blend", "opacity", "magenta", "yellow"),
    [
        # Multiply: 200 * 255/255 stays, 200 * 0 is 0, so at 0.7 the other channel keeps 0.3 of its 100 or 50.
        ("multiply", 0.7, (200, 30, 50), (200, 100, 15)),
        ("multiply", 0.3, (200, 70, 50), (200, 100, 35)),
        # Overlay: a dark channel b becomes 2 b s: 100 under 255 gives 200, 100 under 0 gives 0; a light one
        # 1 - 2 (1-b)(1-s): 200 under 255 gives 255. Half of each: (200+255)/2 = 227.5, to the even 228.
        ("overlay", 0.5, (228, 50, 75), (228, 150, 25)),
        # Normal: 0.7 * 255 + 0.3 * b.
        ("normal", 0.7, (238, 30, 194), (238, 208, 15)),
    ],
)
def test_blending_gives_the_colours_worked_out_by_hand(
    blend: str, opacity: float, magenta: tuple[int, ...], yellow: tuple[int, ...]
) -> None:
    mask = outline("square")
    altered = stripes(coloured(mask, (200, 100, 50)), mask, opacity, blend=blend)  # type: ignore[arg-type]
    colours, counts = np.unique(altered[mask][:, :3], axis=0, return_counts=True)
    np.testing.assert_allclose(
        colours[np.lexsort(colours.T[1:2])], sorted([magenta, yellow], key=lambda c: c[1]), atol=1
    )
    assert counts.min() > 0.35 * mask.sum()


@pytest.mark.parametrize("form", FORMS)
def test_no_opacity_is_no_change(form: str) -> None:
    mask = outline(form)
    image = coloured(mask, (10, 130, 250))
    np.testing.assert_array_equal(stripes(image, mask, 0.0), image)


def test_shading_is_light_on_one_flank_dark_on_the_other_and_none_on_top() -> None:
    # Height 0.3: slopes 0.6, 0, -0.6. Light at 45 degrees:
    # (1 + 0.6) / sqrt(1.36) = 1.372, 1, (1 - 0.6) / sqrt(1.36) = 0.343.
    light = shading(np.array([0.0, 0.5, 1.0], np.float32), Relief(0.3, 45.0))
    np.testing.assert_allclose(light, [1.372, 1.0, 0.343], atol=1e-3)


def test_a_flat_relief_shades_nothing() -> None:
    mask = outline("square")
    image = coloured(mask, (90, 120, 60))
    plain, flat = stripes(image, mask, 0.7), stripes(image, mask, 0.7, relief=Relief(height=0))
    assert np.abs(plain.astype(int) - flat).max() <= 1


def test_a_relief_adds_light_and_dark_to_the_same_seven_bands() -> None:
    mask = outline("square")
    image = coloured(mask, (120, 120, 120))
    plain, shaded = stripes(image, mask, 0.7), stripes(image, mask, 0.7, relief=Relief())
    across = np.fliplr(shaded[..., 0]).diagonal()  # red, along one diagonal band: one light all along
    assert len(np.unique(across[across > 0])) == 1
    red = (
        shaded[..., 0].diagonal()[48:208].astype(int)
    )  # across the bands: rises at seven seams and falls over each rod
    assert (np.diff(red) > 30).sum() == 6
    assert red.max() > plain[..., 0].max() > red.min()


def test_an_object_too_small_for_its_stripes_is_refused() -> None:
    mask = np.zeros((64, 64), np.bool_)
    mask[20:28, 20:28] = True
    # 15 diagonals of 0.71 px are 10.6 px: 7 bands of 1.5 px.
    with pytest.raises(CannotAlter, match="11 px across and 7 stripes would be under 2 px wide"):
        stripes(coloured(mask, GREY), mask, 0.5)


@pytest.mark.parametrize("how", [{"opacity": 1.5}, {"opacity": 0.5, "bands": 0}, {"opacity": 0.5, "blend": "screen"}])
def test_an_opacity_a_count_or_a_blend_that_does_not_exist_is_refused(how: dict[str, object]) -> None:
    mask = outline("square")
    with pytest.raises(ValueError, match="opacity|bands|blend"):
        stripes(coloured(mask, GREY), mask, **how)  # type: ignore[arg-type]
