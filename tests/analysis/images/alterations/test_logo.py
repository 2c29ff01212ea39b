"""The logo: it covers the share to the pixel, lies on the object, and is a badge."""

import numpy as np
import pytest

from analysis.images.alterations.logo import BADGE, covered_by_logo, logo_patch
from analysis.images.alterations.surface import CannotAlter, changed_share
from tests.analysis.images.alterations.plain_objects import FORMS, coloured, outline


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("share", [0.05, 0.1, 0.2, 1.0])
def test_the_badge_covers_its_share_of_the_object_to_the_pixel(form: str, share: float) -> None:
    mask = outline(form)
    covered = covered_by_logo(mask, share).mask
    assert covered.sum() == round(share * mask.sum())
    assert not (covered & ~mask).any()
    # No colour of the badge is this green, so that every covered pixel is seen to differ.
    image = coloured(mask, (0, 255, 0))
    altered = logo_patch(image, mask, share)
    assert changed_share(image, altered, mask) == covered.sum() / mask.sum()


def test_on_a_wide_surface_it_is_a_round_badge_in_the_middle_with_all_its_colours() -> None:
    mask = outline("square")
    covered = covered_by_logo(mask, 0.2)
    # 0.2 of 160 x 160 px are 5120 px: a disc of radius sqrt(5120 / pi) = 40.4 px.
    assert covered.radius_px == pytest.approx(40.4, abs=1)
    assert np.abs(np.subtract(covered.centre, 127.5)).max() <= 1
    altered = logo_patch(coloured(mask, (0, 255, 0)), mask, 0.2)[covered.mask][:, :3]
    for colour in BADGE:
        assert (altered == colour).all(axis=1).mean() > 0.08


def test_the_badge_is_printed_where_the_object_is_widest() -> None:
    row, column = covered_by_logo(outline("stool"), 0.05).centre
    assert 70 <= row <= 90
    assert 70 <= column <= 186


def test_colours_are_an_argument() -> None:
    mask = outline("square")
    red = BADGE._replace(rim=(255, 0, 0), ground=(255, 0, 0), mark=(255, 0, 0))
    altered = logo_patch(coloured(mask, (0, 255, 0)), mask, 0.1, colours=red)
    assert (altered[..., :3] == (255, 0, 0)).all(axis=2).sum() == round(0.1 * mask.sum())


def test_an_object_too_small_for_a_logo_is_refused() -> None:
    mask = np.zeros((32, 32), np.bool_)
    mask[:10, :10] = True
    with pytest.raises(CannotAlter, match="100 pixels and 5% of them are too few"):
        logo_patch(coloured(mask, (9, 9, 9)), mask, 0.05)


@pytest.mark.parametrize("share", [0, -0.1, 1.1])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="cannot cover"):
        covered_by_logo(outline("square"), share)
