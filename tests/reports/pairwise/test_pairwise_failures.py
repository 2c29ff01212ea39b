"""Failures side by side: which pairs they are, in which order, and what stands next to the photos."""

from pathlib import Path

import pandas as pd
import pytest

from assets.pairwise.pairwise_report import contents_of
from reports.pairwise.contents import Contents
from reports.pairwise.failures import MOST_SHOWN, failing_pairs, failures, said_of_failures
from reports.pairwise.report import pairwise_page
from tests.assets.pairwise.made_photo_pairs import photo_pairs_of, plan, results_of
from tests.reports.fidelity.test_fidelity_page import words
from tests.reports.pairwise.made_pairwise import contents_of_votes, nothing_measured

pytestmark = pytest.mark.usefixtures("drawn_once")


@pytest.fixture(scope="module")
def contents() -> Contents:
    return contents_of_votes()


@pytest.fixture(scope="module")
def page(contents: Contents) -> str:
    return pairwise_page(contents)


def test_a_failure_is_unanimous_with_four_votes_and_missed_by_most() -> None:
    # Of series 901 all methods but one that ties are wrong, but there are only 3 votes.
    contents = contents_of_votes()
    found = failing_pairs(contents)
    assert found.to_dict("records") == [{"pair_idx": 120, "n_methods": 4, "n_wrong": 3, "margin": 9}]


def test_the_largest_margin_comes_first_and_half_is_not_most() -> None:
    votes = [(1, 0, 1, 5, 0), (2, 0, 1, 0, 8), (3, 0, 1, 8, 0), (4, 0, 1, 5, 1), (5, 0, 1, 6, 0)]
    pairs = photo_pairs_of(votes)
    right = {
        f"{series:06d}-0{side}": float(side == (2 if series == 2 else 1)) for series in range(1, 6) for side in (1, 2)
    }
    wrong = {name: 1 - score for name, score in right.items()}
    third = wrong | {"000003-01": 1.0, "000003-02": 0.0, "000005-01": 0.5, "000005-02": 0.5}
    results = {name: results_of(pairs, name, scores) for name, scores in (("a", right), ("b", wrong), ("c", third))}
    base = contents_of_votes()
    contents = contents_of("few", plan(), dict(base.tables) | {"photo_pairs": pairs, "pairwise_results": results})
    # Series 2 and 1: two of three wrong. Series 3: one of three. Series 4: not unanimous. Series 5: one wrong, one tie.
    assert failing_pairs(contents)["pair_idx"].tolist() == [1, 0]


def test_a_pair_listed_in_both_orders_fails_once() -> None:
    pairs = photo_pairs_of([(1, 0, 1, 5, 0), (1, 1, 0, 0, 7)])
    wrong = {"000001-01": 0.0, "000001-02": 1.0}
    tables = dict(contents_of_votes().tables) | {
        "photo_pairs": pairs,
        "pairwise_results": {"a": results_of(pairs, "a", wrong)},
    }
    found = failing_pairs(contents_of("listed", plan(orders="as_listed"), tables))
    assert found["pair_idx"].tolist() == [1]


def test_failures_show_both_photos_their_votes_and_what_each_method_says(tmp_path: Path) -> None:
    contents = contents_of_votes(tmp_path)
    [one] = failures(contents, failing_pairs(contents))
    assert one.title.plain("en") == "Series 000900: 9 to 0, missed by 3 of 4 methods"
    assert [photo.caption.plain("en") for photo in one.photos] == [
        "000900-01: 9 votes, people's choice",
        "000900-02: 0 votes",
    ]
    assert all(photo.url and photo.url.startswith("data:image/jpeg;base64,") for photo in one.photos)
    assert {(photo.width_px, photo.height_px) for photo in one.photos} == {(48, 36)}
    picks = {outcome.plain("en"): names.plain("en") for outcome, names in one.picks}
    assert picks == {
        "picks the other photo": "composite_balanced, exposure_only, sharpness_only",
        "picks people's choice": "own",
    }
    assert [row[0] for row in one.scores.rows] == ["composite_balanced", "exposure_only", "own", "sharpness_only"]


def test_a_photo_that_is_gone_is_said_to_be_gone(contents: Contents, page: str) -> None:
    [one] = failures(contents, failing_pairs(contents))
    assert {photo.url for photo in one.photos} == {None}
    assert "Photo 000900-01 is no longer where it was." in words(page)


def test_no_failure_and_no_method_are_said(contents: Contents) -> None:
    nothing = failing_pairs(contents).iloc[:0]
    assert said_of_failures(contents, nothing).plain("en").startswith("No pair with at least 4 votes")
    unmeasured = contents_of("empty", plan(), nothing_measured(plan()))
    assert said_of_failures(unmeasured, failing_pairs(unmeasured)).plain("en").startswith("No method has a prediction")
    many = pd.concat([failing_pairs(contents)] * (MOST_SHOWN + 1))
    assert "shown (12)" in said_of_failures(contents, many).plain("en")
